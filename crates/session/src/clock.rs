//! The clocks of a game: the time of each player, and who is thinking since when. Players are 0 and
//! 1, whatever their colors. Times come from outside, so that nothing here waits.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The time since a start that the caller chooses.
pub type Moment = Duration;

const LEFT_MAX: Duration = Duration::from_secs(1_000 * 86_400);

/// The default has no limit and only measures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Clock {
    pub limit: Option<Duration>,
    pub increment: Duration,
    left: [Duration; 2],
    /// The number of moves in the game when each player last earned an increment.
    earned: [usize; 2],
    #[serde(skip)]
    thinking: Option<(usize, Moment)>,
}

impl Clock {
    pub fn new(limit: Option<Duration>, increment: Duration) -> Clock {
        Clock { limit, increment, left: [limit.unwrap_or_default(); 2], ..Clock::default() }
    }

    /// Returns false if more time is left than any game gives, as only an edited file can say.
    pub fn is_plausible(&self) -> bool {
        self.left.iter().all(|&left| left <= LEFT_MAX)
    }

    /// Starts the clock of this player, and stops the other.
    pub fn run(&mut self, player: Option<usize>, now: Moment) {
        if self.running() != player {
            self.charge(self.time(now));
            self.thinking = player.map(|player| (player, now));
        }
    }

    pub fn running(&self) -> Option<usize> {
        self.thinking.map(|(player, _)| player)
    }

    pub fn left(&self, player: usize, now: Moment) -> Option<Duration> {
        self.limit?;
        let used = if self.running() == Some(player) { self.time(now) } else { Duration::ZERO };
        Some(self.left[player].saturating_sub(used))
    }

    /// Returns when the running clock has no time left.
    pub fn flag(&self) -> Option<Moment> {
        self.limit?;
        let (player, since) = self.thinking?;
        since.checked_add(self.left[player])
    }

    pub fn time(&self, now: Moment) -> Duration {
        let since = self.thinking.map(|(_, since)| now.saturating_sub(since));
        since.unwrap_or_default()
    }

    /// Stops the running clock and charges this time, that of a step of a turn.
    pub fn charge(&mut self, time: Duration) {
        if let Some((player, _)) = self.thinking.take() {
            self.left[player] = self.left[player].saturating_sub(time);
        }
    }

    /// [Charges](Clock::charge) the last step of a turn, and adds the increment. `moves`: how many the
    /// game has then. A turn that is played again after an undo earns no second increment.
    pub fn end_turn(&mut self, time: Duration, moves: usize) {
        let Some(player) = self.running() else { return };
        self.charge(time);
        if moves > self.earned[player] {
            self.earned[player] = moves;
            self.left[player] += self.increment;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_clock_of_the_thinking_player_runs() {
        let begin = seconds(1_000);
        let mut clock = Clock::new(Some(seconds(60)), seconds(2));
        clock.run(Some(0), begin);
        // A second start changes nothing.
        clock.run(Some(0), begin + seconds(5));
        let later = begin + seconds(10);
        assert_eq!(clock.left(0, later), Some(seconds(50)));
        assert_eq!(clock.left(1, later), Some(seconds(60)));
        assert_eq!(clock.flag(), Some(begin + seconds(60)));
        assert_eq!(clock.time(later), seconds(10));
        clock.end_turn(seconds(10), 1);
        assert_eq!((clock.left(0, later), clock.running()), (Some(seconds(52)), None));
        clock.run(Some(1), later);
        clock.end_turn(seconds(3), 2);
        assert_eq!(clock.left(1, later), Some(seconds(59)));
        // Two steps of one turn have one increment.
        clock.run(Some(1), later);
        clock.charge(seconds(4));
        clock.run(Some(1), later);
        clock.end_turn(seconds(4), 4);
        assert_eq!((clock.left(1, later), clock.running()), (Some(seconds(53)), None));
        // A turn that was taken back had its increment.
        for (moves, left) in [(4, 52), (2, 51), (6, 52)] {
            clock.run(Some(1), later);
            clock.end_turn(seconds(1), moves);
            assert_eq!(clock.left(1, later), Some(seconds(left)));
        }
    }

    #[test]
    fn a_pause_keeps_what_was_used() {
        let begin = seconds(1_000);
        let mut clock = Clock::new(Some(seconds(60)), seconds(2));
        clock.run(Some(0), begin);
        clock.run(None, begin + seconds(10));
        clock.run(Some(0), begin + seconds(30));
        assert_eq!(clock.left(0, begin + seconds(35)), Some(seconds(45)));
    }

    #[test]
    fn a_game_without_limit_has_no_flag() {
        let begin = seconds(1_000);
        let mut clock = Clock::new(None, seconds(2));
        clock.run(Some(1), begin);
        assert_eq!((clock.left(1, begin), clock.flag()), (None, None));
        assert_eq!(clock.time(begin + seconds(4)), seconds(4));
        clock.end_turn(seconds(4), 1);
        assert_eq!(clock.time(begin + seconds(4)), Duration::ZERO);
    }

    #[test]
    fn nothing_is_less_than_no_time() {
        let begin = seconds(1_000);
        let mut clock = Clock::new(Some(seconds(1)), Duration::ZERO);
        clock.run(Some(0), begin);
        assert_eq!(clock.left(0, begin + seconds(9)), Some(Duration::ZERO));
        clock.charge(seconds(9));
        assert_eq!(clock.left(0, begin), Some(Duration::ZERO));
    }
}
