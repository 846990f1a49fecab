//! The win rates of scores, fitted to results.

use std::collections::BTreeMap;

use tengen::eval::network::EVAL_SCALE;
use tengen::eval::win_rate::Curve;
use tengen::types::sigmoid;

/// Newton's steps of the fit of a slope, far more than it needs.
const SLOPE_STEPS: usize = 50;
/// Steps of the search for the bend, each of which leaves 62 % of the interval.
const BEND_STEPS: usize = 40;
/// The largest bend for each evaluation unit of the scale: at a score of 100 log odds are half of
/// what they would be without.
const BEND_MAX: f64 = 0.01;

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

    pub fn rows(&self) -> impl Iterator<Item = (i32, u64, f64)> {
        self.0.iter().map(|(&score, &(count, points))| (score, count, points))
    }

    /// Returns the curve under which the results are most likely; `None` where there are not enough
    /// of them.
    ///
    /// For each bend the slope has one best value. Golden-section search (Kiefer, 1953) finds the
    /// bend.
    pub fn fit(&self) -> Option<Curve> {
        let inverse_ratio = (5.0f64.sqrt() - 1.0) / 2.0;
        let likelihood = |bend| Some(self.log_likelihood(self.fit_slope(bend)?, bend));
        let (mut low, mut high) = (0.0, BEND_MAX);
        for _ in 0..BEND_STEPS {
            let step = inverse_ratio * (high - low);
            if likelihood(high - step)? > likelihood(low + step)? {
                high = low + step;
            } else {
                low = high - step;
            }
        }
        let bend = (low + high) / 2.0;
        let scale = 1.0 / self.fit_slope(bend)?;
        (1.0..1e5).contains(&scale).then_some(Curve { scale, bend: bend * scale })
    }

    /// Returns each score as it counts under a bend a unit of scale, with the number of positions
    /// and the sum of their points.
    fn bent(&self, bend: f64) -> impl Iterator<Item = (f64, f64, f64)> {
        self.rows().map(move |(score, count, points)| {
            let score = f64::from(score);
            (score / (1.0 + bend * score.abs()), count as f64, points)
        })
    }

    /// Returns the reciprocal of the scale that fits best by Newton's method, with a bend a unit of
    /// scale. The likelihood is concave in it.
    fn fit_slope(&self, bend: f64) -> Option<f64> {
        let mut slope = 1.0 / f64::from(EVAL_SCALE);
        for _ in 0..SLOPE_STEPS {
            let (mut gradient, mut curvature) = (0.0, 0.0);
            for (score, count, points) in self.bent(bend) {
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
        Some(slope)
    }

    fn log_likelihood(&self, slope: f64, bend: f64) -> f64 {
        self.bent(bend)
            .map(|(score, count, points)| {
                let [won, lost] = [sigmoid(score * slope), sigmoid(-score * slope)];
                points * won.ln() + (count - points) * lost.ln()
            })
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_curves_are_found_again() {
        for (scale, bend) in [(90.0, 0.0), (340.0, 0.0), (170.0, 0.3), (250.0, 0.15)] {
            let known = Curve { scale, bend };
            let mut results = Results::default();
            for score in (-1_000..=1_000).step_by(10) {
                let won = (1000.0 * known.win_rate(score)).round() as usize;
                (0..1000).for_each(|game| results.add(score, f64::from(u8::from(game < won))));
            }
            let found = results.fit().expect("there are enough results");
            assert!((found.scale / scale - 1.0).abs() < 0.02, "{found:?}");
            assert!((found.bend - bend).abs() < 0.01, "{found:?}");
        }
    }

    #[test]
    fn results_without_information_fit_nothing() {
        let mut results = Results::default();
        assert_eq!(results.fit(), None);
        results.add(100, 1.0);
        assert_eq!(results.fit(), None, "a win and no loss");
    }
}
