//! Time allocation: the time limits of a game, the budget of its next move, and the time manager,
//! which decides after an iteration whether another one is worth its time.

use std::time::Duration;

use tengen_gomoku::types::Coord;

use super::limits::{share, time_share};
use crate::score::Score;

/// Overhead is set aside for our moves up to this number, but at least for `OVERHEAD_MOVES_MIN`
/// further ones.
const OVERHEAD_MOVES: u32 = 100;
const OVERHEAD_MOVES_MIN: u32 = 20;
/// The overhead of a move is the time that pipes, processes and the manager add to the search. The
/// engine sets aside the move's even share of the time left / `OVERHEAD_DIV`, within these bounds.
const OVERHEAD_MIN: Duration = Duration::from_millis(5);
const OVERHEAD_MAX: Duration = Duration::from_millis(10);
const OVERHEAD_DIV: u32 = 4;
/// Kept back from every limit: a base and a part of the limit, up to a maximum.
const RESERVE_BASE: Duration = Duration::from_millis(3);
const RESERVE_PERCENT: u32 = 1;
const RESERVE_MAX: Duration = Duration::from_millis(30);
/// Number of own moves that are expected to come: at the first stone of a game, and the minimum at
/// any later point.
const EXPECTED_MOVES: u32 = 12;
const EXPECTED_MOVES_MIN: u32 = 9;
/// Thousandths of a move by which each own move lowers the expected number.
const EXPECTED_MOVES_FALL: u64 = 250;
/// Thousandths of the increment that a move may plan with.
const INCREMENT_SHARE: u32 = 750;
/// The hard limit in thousandths of the planned time.
const HARD_LIMIT_SHARE: u32 = 2450;
/// Enough for the first iterations.
const HARD_MIN: Duration = Duration::from_millis(1);
/// For a time limit of zero.
const AT_ONCE: Budget =
    Budget { soft: Some(Duration::from_millis(4)), hard: Duration::from_millis(8) };

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeControl {
    /// For one move; zero asks for a move at once.
    pub turn: Option<Duration>,
    /// For the rest of the game; zero if the time is up.
    pub left: Option<Duration>,
    pub increment: Duration,
}

/// The time of one move, from the moment its request was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The soft limit, if saved time is left for later moves. It may exceed `hard` if the turn's
    /// limit is the shorter one.
    pub soft: Option<Duration>,
    pub hard: Duration,
}

impl TimeControl {
    /// Returns the budget of the next move on a board with so many stones and free cells; `None`
    /// without a time limit.
    pub fn budget(&self, stones: usize, free: usize) -> Option<Budget> {
        let limit = self.turn.into_iter().chain(self.left).min()?;
        if limit.is_zero() {
            return Some(AT_ONCE);
        }
        let cap = limit.saturating_sub(reserve(limit)).max(HARD_MIN);
        let soft = self.left.map(|left| {
            // The rest of the increment is saved for later moves.
            let increment = time_share(self.increment, INCREMENT_SHARE);
            match_share(left, stones, free) + increment
        });
        let hard = soft.map_or(cap, |soft| time_share(soft, HARD_LIMIT_SHARE));
        Some(Budget { soft, hard: hard.clamp(HARD_MIN, cap) })
    }
}

impl Budget {
    /// Returns the budget reduced by `reserve`, but by at most three quarters.
    pub fn less(self, reserve: Duration) -> Budget {
        Budget { hard: self.hard.saturating_sub(reserve).max(self.hard / 4), ..self }
    }

    /// Returns the soft limit, or the hard one if that is earlier.
    pub fn planned(self) -> Duration {
        self.soft.map_or(self.hard, |soft| soft.min(self.hard))
    }
}

fn reserve(limit: Duration) -> Duration {
    (RESERVE_BASE + limit * RESERVE_PERCENT / 100).min(RESERVE_MAX)
}

/// Returns the planned time of the next move under a match limit.
///
/// The overhead of later moves is set aside first. The divisor of the rest exceeds the hard limit's
/// share, so that the time left falls as a geometric series and never runs out.
fn match_share(left: Duration, stones: usize, free: usize) -> Duration {
    let own = stones.min(u32::MAX as usize) as u32 / 2;
    let moves_left = (free.min(u32::MAX as usize) as u32).div_ceil(2).max(1);
    let reserved_moves = OVERHEAD_MOVES.saturating_sub(own).max(OVERHEAD_MOVES_MIN).min(moves_left);
    let fall = share(own.into(), EXPECTED_MOVES_FALL) as u32;
    let expected = EXPECTED_MOVES.saturating_sub(fall).max(EXPECTED_MOVES_MIN);
    let least_divisor = HARD_LIMIT_SHARE.div_ceil(1000) + 1;
    let overhead = (left / reserved_moves / OVERHEAD_DIV).clamp(OVERHEAD_MIN, OVERHEAD_MAX);
    left.saturating_sub(overhead * reserved_moves) / expected.min(moves_left).max(least_divisor)
}

// Times in percent of the plan.
/// After an iteration with a new best move.
const NEW_MOVE_TIME: u32 = 115;
/// Less for each iteration that keeps the move, down to the second number.
const STABLE_MOVE_TIME_FALL: u32 = 12;
const STABLE_MOVE_TIME_MIN: u32 = 55;
/// Added for each hundred points that the score fell.
const SCORE_FALL_TIME: u32 = 100;
/// Less for each hundred percent of effort above the usual.
const EFFORT_TIME: u32 = 50;
const MIN_TIME: u32 = 40;
/// The largest fall of the score that counts.
const SCORE_FALL_MAX: u32 = 60;
/// The usual percentage of the root's nodes spent on the best move.
const USUAL_EFFORT: u32 = 60;

/// A search with a stable best move stops before its planned time; if the move changes or the score
/// falls, it goes on. Only under a match limit, where saved time is left for later moves.
#[derive(Debug, Default)]
pub struct TimeManager {
    last: Option<(Coord, Score)>,
    stable: u32,
    fall: i32,
    /// Percentage of the root's nodes spent on the best move.
    effort: u32,
}

impl TimeManager {
    /// Adds the result of an iteration.
    pub fn update(&mut self, best: Coord, score: Score, effort: u32) {
        let fell = |last: Score| last.value().saturating_sub(score.value()).max(0);
        self.fall = self.last.map_or(0, |(_, last)| fell(last));
        self.stable = match self.last {
            Some((last, _)) if last == best => self.stable + 1,
            _ => 0,
        };
        self.effort = effort.min(100);
        self.last = Some((best, score));
    }

    /// Returns the planned time scaled by the results so far; no iteration begins after it.
    pub fn scaled(&self, soft: Duration) -> Duration {
        let stability = NEW_MOVE_TIME.saturating_sub(STABLE_MOVE_TIME_FALL * self.stable.min(100));
        let fall = (self.fall as u32).min(SCORE_FALL_MAX) * SCORE_FALL_TIME / 100;
        let effort = |percent| percent * EFFORT_TIME / 100;
        let percent = stability.max(STABLE_MOVE_TIME_MIN) + fall + effort(USUAL_EFFORT);
        soft * percent.saturating_sub(effort(self.effort)).max(MIN_TIME) / 100
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn control(turn: Option<u64>, left: Option<u64>) -> TimeControl {
        TimeControl { turn: turn.map(ms), left: left.map(ms), ..TimeControl::default() }
    }

    fn budget(turn: Option<u64>, left: Option<u64>, stones: usize) -> Option<Budget> {
        control(turn, left).budget(stones, 400 - stones)
    }

    #[test]
    fn no_limit_means_no_budget() {
        assert_eq!(budget(None, None, 10), None);
    }

    #[test]
    fn a_turn_limit_alone_is_used_up_to_the_reserve() {
        for (turn, hard_us) in
            [(20, 16_800), (50, 46_500), (100, 96_000), (1_000, 987_000), (300_000, 299_970_000)]
        {
            let budget = budget(Some(turn), None, 10).unwrap();
            let hard = Duration::from_micros(hard_us);
            assert_eq!(budget, Budget { soft: None, hard }, "turn {turn}");
        }
        assert_eq!(budget(Some(1), None, 10).unwrap().hard, HARD_MIN);
    }

    #[test]
    fn zero_asks_for_a_move_at_once() {
        for (turn, left) in [(Some(0), None), (Some(30_000), Some(0)), (Some(0), Some(1_000_000))] {
            assert_eq!(budget(turn, left, 10), Some(AT_ONCE));
        }
    }

    #[test]
    fn the_smaller_limit_holds_whatever_the_numbers() {
        let numbers =
            [1, 2, 5, 10, 20, 30, 50, 100, 999, 1_000, 30_000, 180_000, 1_000_000, 2_147_483_647];
        for turn in numbers.map(Some).into_iter().chain([None]) {
            for left in numbers.map(Some).into_iter().chain([None]) {
                for (stones, free) in [(0, 400), (10, 215), (399, 1), (224, 1), (20, 0)] {
                    let control = control(turn, left);
                    let Some(budget) = control.budget(stones, free) else { continue };
                    let limit = ms(turn.unwrap_or(u64::MAX).min(left.unwrap_or(u64::MAX)));
                    assert!(budget.hard >= HARD_MIN, "{control:?} {budget:?}");
                    assert!(budget.hard <= (limit - reserve(limit).min(limit)).max(HARD_MIN));
                }
            }
        }
    }

    #[test]
    fn match_time_is_spread_over_the_game() {
        let first = budget(Some(30_000), Some(180_000), 4).unwrap();
        let soft = first.soft.unwrap();
        assert!(soft > ms(6_000) && soft < ms(15_000), "{first:?}");
        assert!(first.hard > ms(18_000) && first.hard <= ms(29_970), "{first:?}");
        // The turn's limit caps what the match would allow, but not the plan.
        let capped = budget(Some(5_000), Some(180_000), 4).unwrap();
        assert_eq!(capped, Budget { hard: ms(4_970), ..first });
        assert_eq!(capped.planned(), ms(4_970));
    }

    /// Plays 100 own moves that spend `percent` percent of the hard limit each and the time
    /// `besides` thinking, and returns what is left.
    fn simulate(total: Duration, percent: u32, besides: Duration) -> Duration {
        let mut left = total;
        for own in 0..100 {
            let control = TimeControl { left: Some(left), ..TimeControl::default() };
            let budget = control.budget(2 * own, 400 - 2 * own).unwrap();
            let spent = budget.hard * percent / 100 + besides;
            assert!(spent < left, "move {own} of {total:?}: {budget:?}, {left:?} left");
            left -= spent;
        }
        left
    }

    #[test]
    fn a_hundred_moves_never_flag_even_if_each_takes_all_it_may() {
        for total in [1_000, 5_000, 20_000, 100_000, 180_000, 1_000_000] {
            for percent in [33, 100] {
                assert!(simulate(ms(total), percent, ms(3)) > Duration::ZERO);
            }
        }
        // Where the plan is kept, more is left, even if a move costs twice as much besides.
        let total = ms(180_000);
        assert!(simulate(total, 33, ms(6)) > 2 * simulate(total, 100, ms(3)));
    }

    #[test]
    fn a_reserve_leaves_a_part_of_the_budget() {
        let budget = Budget { soft: Some(ms(30)), hard: ms(80) };
        assert_eq!(budget.less(ms(0)), budget);
        for (reserve, hard, planned) in [(10, 70, 30), (55, 25, 25), (100, 20, 20)] {
            let less = budget.less(ms(reserve));
            assert_eq!((less.hard, less.planned()), (ms(hard), ms(planned)));
        }
    }

    #[test]
    fn an_increment_is_spent_but_never_before_it_comes() {
        let budget = |left, increment| {
            let control = TimeControl { increment: ms(increment), ..control(None, Some(left)) };
            control.budget(20, 380).unwrap()
        };
        let (without, with) = (budget(60_000, 0), budget(60_000, 2_000));
        assert_eq!(with.soft, without.soft.map(|soft| soft + ms(1_500)));
        let scarce = budget(500, 10_000);
        assert_eq!((scarce.planned(), scarce.hard), (ms(492), ms(492)));
        // Without a match limit there is nothing to add to.
        let control = TimeControl { increment: ms(9_000), ..control(Some(700), None) };
        assert_eq!(control.budget(20, 380), super::tests::budget(Some(700), None, 20));
    }

    const SOFT: Duration = Duration::from_secs(1);

    fn scaled(iterations: &[(u8, i32, u32)]) -> Duration {
        let mut time_manager = TimeManager::default();
        for &(x, value, effort) in iterations {
            time_manager.update(Coord::new(x, 7), Score::eval(value), effort);
        }
        time_manager.scaled(SOFT)
    }

    #[test]
    fn stability_and_effort_save_time_and_changes_cost_it() {
        let steady = scaled(&[(1, 20, 60); 4]);
        assert!(steady < SOFT && steady >= SOFT / 3);
        assert_eq!(scaled(&[(1, 20, 60); 100]), SOFT * STABLE_MOVE_TIME_MIN / 100);
        assert!(scaled(&[(1, 20, 95); 4]) < steady);
        assert_eq!(scaled(&[(1, 20, 100); 100]), SOFT * MIN_TIME / 100);
        assert!(scaled(&[(1, 20, 20); 4]) > steady);
        assert!(scaled(&[(1, 20, 60), (1, 20, 60), (1, 20, 60), (2, 20, 60)]) > SOFT);
        assert!(scaled(&[(1, 20, 60), (1, 20, 60), (1, 20, 60), (1, -20, 60)]) > steady + SOFT / 4);
    }

    #[test]
    fn a_proven_loss_adds_no_more_time_than_a_falling_score() {
        let after = |score| {
            let mut time_manager = TimeManager::default();
            time_manager.update(Coord::new(1, 1), Score::eval(500), 10);
            time_manager.update(Coord::new(2, 1), score, 10);
            time_manager.scaled(SOFT)
        };
        let fallen = 500 - SCORE_FALL_MAX as i32;
        assert_eq!(after(Score::loss_in(8)), after(Score::eval(fallen)));
        assert!(after(Score::eval(fallen)) > after(Score::eval(fallen + 10)));
    }
}
