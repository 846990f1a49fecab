//! Whether the win rates of scores are what games say: points by score, and the curve that fits.
//!
//! One opening in twenty is held out: its games are compared with the win rates, and the curve is
//! fitted to the other games. A game's positions count for the side that is ahead by its score; a
//! draw is half a point.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::ensure;
use tengen::eval::network::EVAL_SCALE;
use tengen::eval::win_rate::Curve;
use tengen::score::sigmoid;
use tengen_gomoku::types::Rule;
use tengen_lab::TrainingGame;

/// The least scores of the table's rows.
const ROWS: [i32; 12] = [0, 50, 100, 150, 200, 250, 300, 350, 400, 600, 800, 1_200];

#[derive(Default)]
pub struct Calibration {
    fitted: Results,
    held_out: Results,
    /// The rule of all games, once there is one.
    rule: Option<Rule>,
}

/// What is known of the held-out positions with scores of one row.
#[derive(Default)]
struct Row {
    /// Their number, and the points of the side that is ahead: where it is to move, and where not.
    to_move: (u64, f64),
    waiting: (u64, f64),
    /// The sums of the win rates by the scale of the evaluation, and by the curve in use.
    plain: f64,
    in_use: f64,
}

impl Calibration {
    pub fn add(&mut self, game: &TrainingGame) -> anyhow::Result<()> {
        let rule = *self.rule.get_or_insert(game.rule);
        ensure!(rule == game.rule, "games of {} and of {}", rule.name(), game.rule.name());
        let results = if game.is_held_out() { &mut self.held_out } else { &mut self.fitted };
        game.evaluations().for_each(|(value, points)| results.add(value, points));
        Ok(())
    }

    fn rows(&self) -> BTreeMap<usize, Row> {
        let plain = Curve { scale: EVAL_SCALE.into(), bend: 0.0 };
        let in_use = Curve::of(self.rule.unwrap_or_default());
        let mut rows = BTreeMap::<usize, Row>::new();
        for (score, count, points) in self.held_out.rows() {
            let ahead = score.abs();
            let number = ROWS.partition_point(|&least| least <= ahead) - 1;
            let row = rows.entry(number).or_default();
            row.plain += count as f64 * plain.win_rate(ahead);
            row.in_use += count as f64 * in_use.win_rate(ahead);
            let all = count as f64;
            let (of_row, points) = match score < 0 {
                true => (&mut row.waiting, all - points),
                false => (&mut row.to_move, points),
            };
            of_row.0 += count;
            of_row.1 += points;
        }
        rows
    }
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "ahead by\tpositions\tscale {EVAL_SCALE}\tin use\tpoints\tto move\twaiting")?;
        for (number, row) in self.rows() {
            let Row { to_move, waiting, plain, in_use } = row;
            let all = (to_move.0 + waiting.0) as f64;
            let share = |(count, points): (u64, f64)| match count {
                0 => "-".to_owned(),
                _ => format!("{:.3}", points / count as f64),
            };
            let scores = match ROWS[number..] {
                [first, next, ..] => format!("{first} to {}", next - 1),
                [first] => format!("{first} and more"),
                [] => unreachable!("a row's number is that of its least score"),
            };
            writeln!(
                f,
                "{scores}\t{all}\t{:.3}\t{:.3}\t{:.3}\t{}\t{}",
                plain / all,
                in_use / all,
                (to_move.1 + waiting.1) / all,
                share(to_move),
                share(waiting),
            )?;
        }
        match self.fitted.fit() {
            Some(Curve { scale, bend }) => {
                writeln!(f, "curve that fits: scale {scale:.0}, bend {bend:.2}")
            }
            None => writeln!(f, "too few results to fit a curve"),
        }
    }
}

/// Newton's steps of the fit of a slope, far more than it needs.
const SLOPE_STEPS: usize = 50;
/// Steps of the search for the bend, each of which leaves 62 % of the interval.
const BEND_STEPS: usize = 40;
/// The largest bend for each evaluation unit of the scale: at a score of 100 log odds are half of
/// what they would be without.
const BEND_MAX: f64 = 0.01;

#[derive(Clone, Debug, Default)]
pub struct Results(BTreeMap<i32, (u64, f64)>);

impl Results {
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
    fn rows_hold_what_is_expected_and_what_was_found() {
        let mut calibration = Calibration::default();
        for (score, count, won) in [(0, 10, 4), (2_000, 5, 5), (-3, 4, 1)] {
            for game in 0..count {
                calibration.held_out.add(score, f64::from(u8::from(game < won)));
            }
        }
        let text = calibration.to_string();
        let lines: Vec<&str> = text.lines().collect();
        // Four of ten for the side to move, three of four for the side that moved.
        assert!(lines[1].starts_with("0 to 49\t14\t0.501\t0.50"), "{text}");
        assert!(lines[1].ends_with("\t0.500\t0.400\t0.750"), "{text}");
        assert!(lines[2].starts_with("1200 and more\t5\t1.000\t"), "{text}");
        assert!(lines[2].ends_with("\t1.000\t1.000\t-"), "{text}");
        assert_eq!(lines.len(), 4);
        assert!(lines[3].starts_with("too few"));
    }

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
