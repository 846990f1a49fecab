//! Whether the win rates of scores are what games say: points by score, and the scales that fit.
//!
//! A game's positions count for the side to move; a draw is half a point.

use std::collections::BTreeMap;
use std::fmt;

use tengen::eval::network::EVAL_SCALE;
use tengen::record::training::TrainingGame;
use tengen::tuning::win_rate::{Results, WinRate};
use tengen::types::ScoreKind;

/// Scores in one row of the table.
const ROW: i32 = 50;
/// Scores at or beyond this count in the last row on their side.
const LAST_ROW: i32 = 600;

/// Counts points by the score of the search.
#[derive(Default)]
pub struct Calibration(Results);

impl Calibration {
    /// Counts the positions of a game that were not proved.
    pub fn add(&mut self, game: &TrainingGame) {
        for (index, label) in game.labels.iter().enumerate() {
            if let ScoreKind::Eval(value) = label.score.kind() {
                self.0.add(value, game.points(game.opening + index));
            }
        }
    }
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "scores\tpositions\twin rate\tpoints")?;
        let in_use = WinRate::plain(EVAL_SCALE.into());
        let mut rows = BTreeMap::<i32, (u64, f64, f64)>::new();
        for (score, count, points) in self.0.rows() {
            let row = score.clamp(-LAST_ROW, LAST_ROW - 1).div_euclid(ROW);
            let (all, expected, found) = rows.entry(row).or_default();
            *all += count;
            *expected += count as f64 * in_use.of(score.into());
            *found += points;
        }
        for (row, (count, expected, found)) in rows {
            let (first, all) = (row * ROW, count as f64);
            let end = first + ROW - 1;
            let scores = match (first == -LAST_ROW, end == LAST_ROW - 1) {
                (true, _) => format!("{end} and less"),
                (_, true) => format!("{first} and more"),
                _ => format!("{first} to {end}"),
            };
            writeln!(f, "{scores}\t{count}\t{:.3}\t{:.3}", expected / all, found / all)?;
        }
        match self.0.fit() {
            Some(WinRate { above, below }) => writeln!(
                f,
                "scales that fit: {above:.0} above 0, {below:.0} below (in use: {EVAL_SCALE})"
            ),
            None => writeln!(f, "too few results to fit a scale"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_hold_what_is_expected_and_what_was_found() {
        let mut calibration = Calibration::default();
        for (score, count, won) in [(0, 10, 4), (2_000, 5, 5), (-3, 4, 1)] {
            (0..count).for_each(|i| calibration.0.add(score, f64::from(u8::from(i < won))));
        }
        let text = calibration.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "-50 to -1\t4\t0.496\t0.250");
        assert_eq!(lines[2], "0 to 49\t10\t0.500\t0.400");
        assert_eq!(lines[3], "550 and more\t5\t1.000\t1.000");
        assert_eq!(lines.len(), 5);
    }
}
