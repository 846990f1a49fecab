//! The time manager: decides after an iteration whether another one is worth its time.
//!
//! A search with a stable best move stops before its planned time; if the move changes or the score
//! falls, it goes on. It acts only under a match limit, where saved time is left for later moves.

use std::time::Duration;

use tengen_gomoku::types::Coord;

use crate::score::Score;
use crate::search::params::TimeParams;

#[derive(Debug)]
pub struct TimeManager<'a> {
    params: &'a TimeParams,
    last: Option<(Coord, Score)>,
    stable: u32,
    drop: i32,
    /// Percentage of the root's nodes spent on the best move.
    effort: u32,
}

impl<'a> TimeManager<'a> {
    pub fn new(params: &'a TimeParams) -> TimeManager<'a> {
        TimeManager { params, last: None, stable: 0, drop: 0, effort: 0 }
    }

    /// Adds the result of an iteration; `effort` is the percentage of its nodes spent on the best
    /// move.
    pub fn update(&mut self, best: Coord, score: Score, effort: u32) {
        let fell = |last: Score| last.value().saturating_sub(score.value()).max(0);
        self.drop = self.last.map_or(0, |(_, last)| fell(last));
        self.stable = match self.last {
            Some((last, _)) if last == best => self.stable + 1,
            _ => 0,
        };
        self.effort = effort.min(100);
        self.last = Some((best, score));
    }

    /// Returns the planned time scaled by the results so far; no iteration begins after it.
    pub fn scaled(&self, soft: Duration) -> Duration {
        let params = self.params;
        let stability = params
            .new_move_time
            .saturating_sub(params.stable_move_time_fall * self.stable.min(100));
        let fall = (self.drop as u32).min(params.score_fall_max) * params.score_fall_time / 100;
        let effort = |percent| percent * params.effort_time / 100;
        let percent =
            stability.max(params.stable_move_time_min) + fall + effort(params.usual_effort);
        soft * percent.saturating_sub(effort(self.effort)).max(params.min_time) / 100
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::clock::TimeControl;
    use crate::search::params::Params;
    use tengen_gomoku::types::Rule;

    const SOFT: Duration = Duration::from_secs(1);

    fn scaled(iterations: &[(u8, i32, u32)]) -> Duration {
        scaled_with(&TimeParams::of(Rule::Freestyle), iterations)
    }

    fn scaled_with(params: &TimeParams, iterations: &[(u8, i32, u32)]) -> Duration {
        let mut time_manager = TimeManager::new(params);
        for &(x, value, effort) in iterations {
            time_manager.update(Coord::new(x, 7), Score::eval(value), effort);
        }
        time_manager.scaled(SOFT)
    }

    #[test]
    fn stability_and_effort_save_time_and_changes_cost_it() {
        let params = TimeParams::of(Rule::Freestyle);
        let steady = scaled(&[(1, 20, 60); 4]);
        assert!(steady < SOFT && steady >= SOFT / 3);
        assert_eq!(scaled(&[(1, 20, 60); 100]), SOFT * params.stable_move_time_min / 100);
        assert!(scaled(&[(1, 20, 95); 4]) < steady);
        assert_eq!(scaled(&[(1, 20, 100); 100]), SOFT * params.min_time / 100);
        assert!(scaled(&[(1, 20, 20); 4]) > steady);
        assert!(scaled(&[(1, 20, 60), (1, 20, 60), (1, 20, 60), (2, 20, 60)]) > SOFT);
        assert!(scaled(&[(1, 20, 60), (1, 20, 60), (1, 20, 60), (1, -20, 60)]) > steady + SOFT / 4);
    }

    #[test]
    fn every_parameter_of_the_clock_changes_a_budget_or_a_scaled_time() {
        let times = |params: &TimeParams| {
            let control = TimeControl {
                turn: None,
                left: Some(Duration::from_secs(300)),
                increment: Duration::from_secs(2),
            };
            let budgets = [0, 40].map(|stones| control.budget(params, stones, 400 - stones));
            let scaled = [
                &[(1, 20, 60)][..],
                &[(1, 20, 60); 4],
                &[(1, 20, 90); 100],
                &[(1, 20, 100); 100],
                &[(1, 20, 60), (1, -180, 60)],
                &[(1, 20, 60), (1, -10, 60)],
            ]
            .map(|iterations| scaled_with(params, iterations));
            (budgets, scaled)
        };
        let defaults = Params::of(Rule::Freestyle);
        let mut count = 0;
        for param in Params::list() {
            let ends = [param.range.start(), param.range.end()].map(|&value| {
                let mut params = defaults.clone();
                params.set(param.name, value).expect("an end of the range");
                params.time
            });
            if ends.iter().any(|time| *time != defaults.time) {
                count += 1;
                let differs = ends.iter().any(|time| times(time) != times(&defaults.time));
                assert!(differs, "{} changes nothing", param.name);
            }
        }
        assert!(count > 10);
    }

    #[test]
    fn a_proven_loss_adds_no_more_time_than_a_falling_score() {
        let params = TimeParams::of(Rule::Freestyle);
        let after = |score| {
            let mut time_manager = TimeManager::new(&params);
            time_manager.update(Coord::new(1, 1), Score::eval(500), 10);
            time_manager.update(Coord::new(2, 1), score, 10);
            time_manager.scaled(SOFT)
        };
        let fallen = 500 - params.score_fall_max as i32;
        assert_eq!(after(Score::loss_in(8)), after(Score::eval(fallen)));
        assert!(after(Score::eval(fallen)) > after(Score::eval(fallen + 10)));
    }
}
