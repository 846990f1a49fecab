//! The win rate of a score, fitted to results.
//!
//! A win rate is a logistic function of the score, with a scale of its own on either side of 0:
//! scores of searches promise too much to the side to move, because what it wins for certain is
//! proved and no longer a score.

use std::collections::BTreeMap;

use crate::types::sigmoid;

/// Newton's steps of the fit, far more than it needs.
const FIT_STEPS: usize = 50;

/// The win rate by score: a logistic function with a scale on either side of 0, in evaluation units
/// a unit of log odds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WinRate {
    /// For scores above 0.
    pub above: f64,
    /// For scores below 0.
    pub below: f64,
}

impl WinRate {
    /// Returns the win rate with one scale.
    pub fn plain(scale: f64) -> WinRate {
        WinRate { above: scale, below: scale }
    }

    /// Returns the share of the points that a score stands for, from 0 to 1.
    ///
    /// ```
    /// use tengen::tuning::win_rate::WinRate;
    ///
    /// let win_rate = WinRate { above: 300.0, below: 200.0 };
    /// assert_eq!(win_rate.of(0.0), 0.5);
    /// assert!(win_rate.of(-100.0) < 1.0 - win_rate.of(100.0));
    /// ```
    pub fn of(self, score: f64) -> f64 {
        let scale = if score > 0.0 { self.above } else { self.below };
        sigmoid(score / scale)
    }
}

/// Results by score.
#[derive(Clone, Debug, Default)]
pub struct Results(BTreeMap<i32, (u64, f64)>);

impl Results {
    /// Adds the result of a position with this score: points of the side to move, from 0 to 1.
    pub fn add(&mut self, score: i32, points: f64) {
        let (count, sum) = self.0.entry(score).or_default();
        *count += 1;
        *sum += points;
    }

    /// Returns each score with the number of positions and the sum of their points, in order.
    pub fn rows(&self) -> impl Iterator<Item = (i32, u64, f64)> {
        self.0.iter().map(|(&score, &(count, points))| (score, count, points))
    }

    /// Returns the win rate under which the results are most likely; `None` where there are not
    /// enough of them.
    pub fn fit(&self) -> Option<WinRate> {
        Some(WinRate { above: self.fit_scale(|s| s > 0)?, below: self.fit_scale(|s| s < 0)? })
    }

    /// Returns the one scale under which the results are most likely if a score stands for as much
    /// on either side of 0; `None` where there are not enough of them.
    pub fn fit_symmetric(&self) -> Option<f64> {
        self.fit_scale(|_| true)
    }

    /// Fits the scale of some of the scores by Newton's method.
    fn fit_scale(&self, is_fitted: impl Fn(i32) -> bool) -> Option<f64> {
        // The reciprocal of the scale, in which the likelihood is concave.
        let mut slope = 1.0 / 200.0;
        for _ in 0..FIT_STEPS {
            let (mut gradient, mut curvature) = (0.0, 0.0);
            for (score, count, points) in self.rows().filter(|&(score, ..)| is_fitted(score)) {
                let (score, count) = (f64::from(score), count as f64);
                let rate = sigmoid(score * slope);
                gradient += score * (points - count * rate);
                curvature += score * score * count * rate * (1.0 - rate);
            }
            if curvature <= 0.0 {
                return None;
            }
            // A step at most halves or doubles the slope.
            slope = (slope + gradient / curvature).clamp(slope / 2.0, slope * 2.0);
        }
        let scale = 1.0 / slope;
        (1.0..1e5).contains(&scale).then_some(scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_scales_are_found_again() {
        for (above, below) in [(90.0, 120.0), (340.0, 220.0)] {
            let known = WinRate { above, below };
            let mut results = Results::default();
            for score in (-500..=500).step_by(10) {
                let won = (1000.0 * known.of(f64::from(score))).round() as usize;
                (0..1000).for_each(|game| results.add(score, f64::from(u8::from(game < won))));
            }
            let found = results.fit().expect("there are enough results");
            assert!((found.above / above - 1.0).abs() < 0.01, "{found:?}");
            assert!((found.below / below - 1.0).abs() < 0.01, "{found:?}");
        }
    }

    #[test]
    fn one_scale_lies_between_the_two_of_either_side() {
        let known = WinRate { above: 340.0, below: 220.0 };
        let mut results = Results::default();
        for score in (-500..=500).step_by(10) {
            let won = (1000.0 * known.of(f64::from(score))).round() as usize;
            (0..1000).for_each(|game| results.add(score, f64::from(u8::from(game < won))));
        }
        let scale = results.fit_symmetric().expect("there are enough results");
        assert!((250.0..310.0).contains(&scale), "{scale}");
    }

    #[test]
    fn results_without_information_fit_nothing() {
        let mut results = Results::default();
        assert_eq!((results.fit(), results.fit_symmetric()), (None, None));
        results.add(100, 1.0);
        assert_eq!(results.fit(), None, "a win and no loss");
    }
}
