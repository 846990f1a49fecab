//! The time manager: decides between two iterations whether another one is worth its time.
//!
//! A search whose best move is stable stops before its planned time, one whose best move or score
//! changes goes on beyond. This matters only under a limit of the match, where time saved on one
//! move is left for the next. Pure arithmetic on the results of the iterations; knows no search.

use std::time::Duration;

use crate::search::clock::Control;
use crate::types::{Coord, Score};

/// Percent of the planned time after an iteration that changed the best move; less for each
/// iteration since that kept it, down to a minimum.
const CHANGED_PERCENT: u32 = 110;
const STABLE_PERCENT: u32 = 12;
const STABLE_MIN_PERCENT: u32 = 50;
/// Each point by which the score fell since the iteration before adds a percent, up to this many.
const MAX_DROP: i32 = 60;
/// The usual effort: the share of an iteration's nodes that went into its best move, in percent.
/// Each percent of effort more or less takes half a percent off the plan or adds it.
const USUAL_EFFORT: u32 = 60;
/// The least part of the planned time in percent.
const MIN_PERCENT: u32 = 35;

/// The results of the iterations so far, as far as they bear on the time.
#[derive(Debug, Default)]
pub struct TimeManager {
    last: Option<(Coord, Score)>,
    /// Iterations since the best move changed.
    stable: u32,
    /// The fall of the score in the last iteration.
    drop: i32,
    effort: u32,
}

impl TimeManager {
    /// Adds the result of an iteration; `effort` is the percentage of its nodes that went into the
    /// best move.
    pub fn update(&mut self, best: Coord, score: Score, effort: u32) {
        let fell = |last: Score| last.value().saturating_sub(score.value()).clamp(0, MAX_DROP);
        self.drop = self.last.map_or(0, |(_, last)| fell(last));
        self.stable = match self.last {
            Some((last, _)) if last == best => self.stable + 1,
            _ => 0,
        };
        self.effort = effort.min(100);
        self.last = Some((best, score));
    }

    /// Returns true if another iteration is not worth its time.
    pub fn should_stop(&self, control: &Control) -> bool {
        match (control.soft(), control.hard()) {
            (Some(soft), Some(hard)) => soft < hard && control.elapsed() > self.planned(soft),
            _ => false,
        }
    }

    /// Returns the time after which no iteration begins, of a search with the planned time `soft`.
    fn planned(&self, soft: Duration) -> Duration {
        let stability = CHANGED_PERCENT.saturating_sub(STABLE_PERCENT * self.stable.min(100));
        let percent = stability.max(STABLE_MIN_PERCENT) + self.drop as u32 + USUAL_EFFORT / 2;
        soft * percent.saturating_sub(self.effort / 2).max(MIN_PERCENT) / 100
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOFT: Duration = Duration::from_secs(1);

    fn planned(iterations: &[(u8, i32, u32)]) -> Duration {
        let mut time_manager = TimeManager::default();
        for &(x, value, effort) in iterations {
            time_manager.update(Coord::new(x, 7), Score::eval(value), effort);
        }
        time_manager.planned(SOFT)
    }

    #[test]
    fn stability_and_effort_save_time_and_changes_cost_it() {
        let steady = planned(&[(1, 20, 60); 4]);
        assert!(steady < SOFT && steady >= SOFT / 3);
        assert_eq!(planned(&[(1, 20, 60); 100]), SOFT * STABLE_MIN_PERCENT / 100);
        assert!(planned(&[(1, 20, 95); 4]) < steady);
        assert_eq!(planned(&[(1, 20, 100); 100]), SOFT * MIN_PERCENT / 100);
        assert!(planned(&[(1, 20, 20); 4]) > steady);
        assert!(planned(&[(1, 20, 60), (1, 20, 60), (1, 20, 60), (2, 20, 60)]) > SOFT);
        assert!(
            planned(&[(1, 20, 60), (1, 20, 60), (1, 20, 60), (1, -20, 60)]) > steady + SOFT / 4
        );
    }

    #[test]
    fn a_proven_loss_adds_no_more_time_than_a_falling_score() {
        let mut time_manager = TimeManager::default();
        time_manager.update(Coord::new(1, 1), Score::eval(500), 10);
        time_manager.update(Coord::new(2, 1), Score::loss_in(8), 10);
        assert!(time_manager.planned(SOFT) < SOFT * 2);
    }
}
