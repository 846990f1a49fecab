//! When to stop between two iterations: a search that keeps its mind may move early, one that has
//! doubts takes more than its plan.
//!
//! Pure arithmetic on what the iterations found. Matters only where the time saved on one move is
//! there for the next: under a limit of the match.

use std::time::Duration;

use crate::search::clock::Control;
use crate::types::{Coord, Score};

/// Percent of the planned time for a move that the last iteration has just changed, less this for
/// each iteration that agreed, down to a least part.
const CHANGED_PERCENT: u32 = 110;
const AGREED_PERCENT: u32 = 12;
const LEAST_PERCENT: u32 = 50;
/// Further percent for each point by which the score fell since the iteration before, at most.
const MOST_DROP: i32 = 60;
/// Effort is the share of an iteration's plays that went into its best move, in percent; what
/// exceeds or falls short of the usual changes the plan by half as many percent.
const USUAL_EFFORT: u32 = 60;
/// However sure the search is, more than a third of the plan is used.
const FLOOR_PERCENT: u32 = 35;

/// What the iterations of one search said about the plan.
#[derive(Debug, Default)]
pub struct TimeManager {
    last: Option<(Coord, Score)>,
    agreed: u32,
    drop: i32,
    effort: u32,
}

impl TimeManager {
    /// Notes the result of an iteration; `effort` is the percentage of its plays that went into
    /// the best move.
    pub fn note(&mut self, best: Coord, score: Score, effort: u32) {
        let fell = |last: Score| last.value().saturating_sub(score.value()).clamp(0, MOST_DROP);
        self.drop = self.last.map_or(0, |(_, last)| fell(last));
        self.agreed = match self.last {
            Some((last, _)) if last == best => self.agreed + 1,
            _ => 0,
        };
        self.effort = effort.min(100);
        self.last = Some((best, score));
    }

    /// Returns true if another iteration is not worth its time.
    pub fn is_over(&self, control: &Control) -> bool {
        match (control.soft(), control.hard()) {
            (Some(soft), Some(hard)) => soft < hard && control.elapsed() > self.planned(soft),
            _ => false,
        }
    }

    /// Returns how long the search may go on to begin iterations if `soft` was planned for it.
    fn planned(&self, soft: Duration) -> Duration {
        let agreed = CHANGED_PERCENT.saturating_sub(AGREED_PERCENT * self.agreed.min(100));
        let percent = agreed.max(LEAST_PERCENT) + self.drop as u32 + USUAL_EFFORT / 2;
        soft * percent.saturating_sub(self.effort / 2).max(FLOOR_PERCENT) / 100
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOFT: Duration = Duration::from_secs(1);

    fn planned(iterations: &[(u8, i32, u32)]) -> Duration {
        let mut time_manager = TimeManager::default();
        for &(x, value, effort) in iterations {
            time_manager.note(Coord::new(x, 7), Score::eval(value), effort);
        }
        time_manager.planned(SOFT)
    }

    #[test]
    fn agreement_and_effort_save_time_and_doubts_cost_it() {
        let steady = planned(&[(1, 20, 60); 4]);
        assert!(steady < SOFT && steady >= SOFT / 3);
        assert_eq!(planned(&[(1, 20, 60); 100]), SOFT * LEAST_PERCENT / 100);
        assert!(planned(&[(1, 20, 95); 4]) < steady);
        assert_eq!(planned(&[(1, 20, 100); 100]), SOFT * FLOOR_PERCENT / 100);
        assert!(planned(&[(1, 20, 20); 4]) > steady);
        assert!(planned(&[(1, 20, 60), (1, 20, 60), (1, 20, 60), (2, 20, 60)]) > SOFT);
        assert!(
            planned(&[(1, 20, 60), (1, 20, 60), (1, 20, 60), (1, -20, 60)]) > steady + SOFT / 4
        );
    }

    #[test]
    fn a_lost_game_takes_no_more_than_other_doubts() {
        let mut time_manager = TimeManager::default();
        time_manager.note(Coord::new(1, 1), Score::eval(500), 10);
        time_manager.note(Coord::new(2, 1), Score::loss_in(8), 10);
        assert!(time_manager.planned(SOFT) < SOFT * 2);
    }
}
