//! The match clock: the time for a move and for the game, time left, and increment. Time used and
//! time left belong to a game, the other numbers to all games.
//!
//! A limit of 0 or below has two meanings:
//! - For a plain move, a turn of 0 asks for a move at once, a game of 0 has no limit, and a negative
//!   number keeps the last one.
//! - For other searches it is no limit, as to Rapfi ([`MatchClock::lifted_control`]).

use std::time::Duration;

use tengen_gomocup::manager::{UNLIMITED_LEFT, UNLIMITED_MATCH, UNLIMITED_TURN};

use crate::search::clock::TimeControl;

/// Of a turn that was lifted, and of an unlimited game.
const NO_LIMIT: Duration = Duration::MAX;

#[derive(Clone, Debug, Default)]
pub struct MatchClock {
    turn: Option<Duration>,
    game: Option<Duration>,
    /// True if the last limit was 0 or below.
    pub is_turn_lifted: bool,
    pub is_game_lifted: bool,
    /// Milliseconds left, which may be negative, and what had been used then.
    left: Option<(i64, Used)>,
    used: Used,
    increment: Duration,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Used {
    moves: u64,
    time: Duration,
    added: Duration,
}

impl Used {
    /// Returns the time left now, if `left` remained when the totals were `then`.
    fn time_left(self, left: Duration, then: Used) -> Duration {
        let added = self.added.saturating_sub(then.added);
        (left + added).saturating_sub(self.time.saturating_sub(then.time))
    }
}

impl MatchClock {
    pub fn set_turn(&mut self, value: i64) {
        self.is_turn_lifted = value <= 0;
        self.turn = u64::try_from(value).map(milliseconds).ok().or(self.turn);
    }

    pub fn set_match(&mut self, value: i64) {
        self.is_game_lifted = value <= 0;
        let limit = |value| if value == 0 { NO_LIMIT } else { milliseconds(value) };
        self.game = u64::try_from(value).map(limit).ok().or(self.game).or(Some(NO_LIMIT));
    }

    pub fn set_left(&mut self, value: i64) {
        self.left = Some((value, self.used));
    }

    pub fn set_increment(&mut self, value: u64) {
        self.increment = milliseconds(value);
    }

    pub fn start_game(&mut self) {
        // A time left that was sent before a move belongs to the old game.
        let is_new = |&(_, then): &(i64, Used)| then == self.used;
        self.left = self.left.filter(is_new).map(|(left, _)| (left, Used::default()));
        self.used = Used::default();
    }

    pub fn spend(&mut self, time: Duration) {
        self.used.moves += 1;
        self.used.time += time;
        self.used.added += self.increment;
    }

    /// Returns the limits of the next plain move; `None` if none was sent.
    pub fn control(&self) -> Option<TimeControl> {
        let left = self.left();
        if left.is_none() && self.turn.is_none() {
            return None;
        }
        let unlimited = self.turn.is_some_and(|turn| turn >= UNLIMITED_TURN)
            && self.limited_game().is_some_and(|game| game >= UNLIMITED_MATCH)
            && left.is_none_or(|left| left >= UNLIMITED_TURN);
        if unlimited || self.turn == Some(NO_LIMIT) && left.is_none() {
            return Some(TimeControl::default());
        }
        let turn = self.turn.filter(|&turn| turn != NO_LIMIT);
        Some(TimeControl { turn, left, increment: self.increment })
    }

    /// Returns the limits of another search, with those of 0 and below lifted.
    pub fn lifted_control(&self) -> Option<TimeControl> {
        let mut clock = self.clone();
        // Without a turn, an unlimited game is no limit at all.
        if self.is_turn_lifted || self.is_game_lifted && self.turn.is_none() {
            clock.turn = Some(NO_LIMIT);
        }
        if self.is_game_lifted {
            clock.game = Some(NO_LIMIT);
        }
        clock.control()
    }

    fn left(&self) -> Option<Duration> {
        match self.left.filter(|&(left, _)| left < UNLIMITED_LEFT) {
            // 1 is the least that gomocalc sends, in games without a limit, too.
            Some((..=1, _)) if self.game == Some(NO_LIMIT) => None,
            Some((left, then)) => {
                let left = Duration::from_millis(u64::try_from(left).unwrap_or(0));
                Some(self.used.time_left(left, then))
            }
            None => Some(self.used.time_left(self.limited_game()?, Used::default())),
        }
    }

    fn limited_game(&self) -> Option<Duration> {
        self.game.filter(|&game| game != NO_LIMIT)
    }
}

/// At most a century, so that sums do not overflow.
fn milliseconds(value: u64) -> Duration {
    const CENTURY: Duration = Duration::from_secs(100 * 365 * 86_400);
    Duration::from_millis(value).min(CENTURY)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In milliseconds.
    fn left(clock: &MatchClock) -> Option<u128> {
        clock.control()?.left.map(|left| left.as_millis())
    }

    #[test]
    fn own_time_is_taken_off_where_the_manager_does_not() {
        let mut clock = MatchClock::default();
        clock.set_match(9_000);
        clock.spend(Duration::from_millis(1_000));
        assert_eq!(left(&clock), Some(8_000));
        clock.set_left(7_000);
        assert_eq!(left(&clock), Some(7_000));
        clock.spend(Duration::from_millis(500));
        assert_eq!(left(&clock), Some(6_500));
    }

    #[test]
    fn the_least_time_left_is_none_in_a_game_without_limit() {
        for limit in [0, -1] {
            let mut clock = MatchClock::default();
            clock.set_turn(1_000);
            clock.set_match(limit);
            clock.set_left(1);
            assert_eq!(left(&clock), None);
            assert_eq!(clock.lifted_control().and_then(|control| control.left), None);
            clock.set_left(2);
            assert_eq!(left(&clock), Some(2));
        }
        let mut limited = MatchClock::default();
        limited.set_match(9_000);
        limited.set_match(-1);
        limited.set_left(1);
        assert_eq!(left(&limited), Some(1));
    }

    #[test]
    fn an_increment_counts_where_the_match_is_limited() {
        let increment = |clock: &MatchClock| clock.control().map(|c| c.increment.as_millis());
        let mut clock = MatchClock::default();
        clock.set_increment(500);
        assert_eq!(increment(&clock), None);
        clock.set_left(9_000);
        assert_eq!(increment(&clock), Some(500));
        let mut unlimited = MatchClock::default();
        unlimited.set_turn(2_000_000);
        unlimited.set_match(100_000_000);
        unlimited.set_increment(500);
        assert_eq!(increment(&unlimited), Some(0));
    }

    #[test]
    fn a_move_adds_time_where_the_manager_tells_no_time_left() {
        let mut clock = MatchClock::default();
        clock.set_match(9_000);
        clock.set_increment(1_000);
        clock.spend(Duration::from_millis(400));
        assert_eq!(left(&clock), Some(9_600));
        // A time left includes earlier increments.
        clock.set_left(7_000);
        assert_eq!(left(&clock), Some(7_000));
        clock.spend(Duration::from_millis(1_500));
        assert_eq!(left(&clock), Some(6_500));
        clock.start_game();
        assert_eq!(left(&clock), Some(9_000));
    }

    #[test]
    fn time_left_of_a_game_ends_with_it() {
        let mut clock = MatchClock::default();
        clock.set_match(9_000);
        clock.set_left(8_000);
        clock.spend(Duration::from_millis(500));
        clock.start_game();
        assert_eq!(left(&clock), Some(9_000));
        clock.spend(Duration::from_millis(500));
        clock.set_match(60_000);
        assert_eq!(left(&clock), Some(59_500));
        // What is sent before START belongs to the new game.
        clock.set_left(7_000);
        clock.start_game();
        assert_eq!(left(&clock), Some(7_000));
        clock.spend(Duration::from_millis(500));
        assert_eq!(left(&clock), Some(6_500));
        // A move without time counts as a use, too.
        clock.set_left(300);
        clock.spend(Duration::ZERO);
        clock.start_game();
        assert_eq!(left(&clock), Some(60_000));
    }
}
