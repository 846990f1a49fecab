//! Whether the win rates of scores are what games say: points by score, and the scales that fit.
//!
//! One opening in twenty is held out: its games are compared with the win rates, and the scales are
//! fitted to the other games. A game's positions count for the side that is ahead by its score; a
//! draw is half a point.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::ensure;
use tengen::eval::network::EVAL_SCALE;
use tengen::eval::win_rate::win_rate;
use tengen::record::training::TrainingGame;
use tengen::tuning::win_rate::{Results, WinRate};
use tengen::types::{Rule, Score};

/// Scores in one row of the table.
const ROW: i32 = 50;
/// Scores at or beyond this count in the last row.
const LAST_ROW: i32 = 600;

/// Counts points by the score of the search.
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
    /// The sums of the win rates by the scale of the evaluation, and of those in use.
    plain: f64,
    in_use: f64,
}

impl Calibration {
    /// Counts the positions of a game that were not proved.
    ///
    /// # Errors
    ///
    /// If the games before were of another rule.
    pub fn add(&mut self, game: &TrainingGame) -> anyhow::Result<()> {
        let rule = *self.rule.get_or_insert(game.rule);
        ensure!(rule == game.rule, "games of {} and of {}", rule.name(), game.rule.name());
        let results = if game.is_held_out() { &mut self.held_out } else { &mut self.fitted };
        game.evaluations().for_each(|(value, points)| results.add(value, points));
        Ok(())
    }

    fn rows(&self) -> BTreeMap<i32, Row> {
        let plain = WinRate::plain(EVAL_SCALE.into());
        let rule = self.rule.unwrap_or_default();
        let mut rows = BTreeMap::<i32, Row>::new();
        for (score, count, points) in self.held_out.rows() {
            let ahead = score.abs();
            let row = rows.entry(ahead.min(LAST_ROW) / ROW).or_default();
            row.plain += count as f64 * plain.of(ahead.into());
            row.in_use += count as f64 * win_rate(rule, Score::eval(ahead));
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
            let first = number * ROW;
            let scores = match first {
                LAST_ROW => format!("{first} and more"),
                _ => format!("{first} to {}", first + ROW - 1),
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
        match (self.fitted.fit_symmetric(), self.fitted.fit()) {
            (Some(scale), Some(WinRate { above, below })) => {
                write!(f, "scale that fits: {scale:.0}; ")?;
                writeln!(f, "{above:.0} for the side to move, {below:.0} for the other")
            }
            _ => writeln!(f, "too few results to fit a scale"),
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
            for game in 0..count {
                calibration.held_out.add(score, f64::from(u8::from(game < won)));
            }
        }
        let text = calibration.to_string();
        let lines: Vec<&str> = text.lines().collect();
        // Four of ten for the side to move, three of four for the side that moved.
        assert!(lines[1].starts_with("0 to 49\t14\t0.501\t0.50"), "{text}");
        assert!(lines[1].ends_with("\t0.500\t0.400\t0.750"), "{text}");
        assert!(lines[2].starts_with("600 and more\t5\t1.000\t"), "{text}");
        assert!(lines[2].ends_with("\t1.000\t1.000\t-"), "{text}");
        assert_eq!(lines.len(), 4);
        assert!(lines[3].starts_with("too few"));
    }
}
