//! What games that open with swap2 say of it: the seats' scores, and those of single openings.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, anyhow, ensure};
use tengen::parallel::in_order;
use tengen_gomoku::board::notation::parse_points;
use tengen_gomoku::board::symmetry::images;
use tengen_gomoku::record::{Outcome, Record};
use tengen_gomoku::types::Color;

use super::game::{self, Player, Setting};
use super::statistics::half_points;
use super::{Plan, STACK_BYTES};

/// What the seats scored, in half points.
#[derive(Clone, Debug, Default)]
pub struct Seats {
    games: u64,
    opener: u64,
    black: u64,
    decisions: BTreeMap<&'static str, u64>,
}

impl Seats {
    /// Adds a game in which the opener has this color.
    pub fn add(&mut self, opener: Color, decision: &'static str, outcome: Outcome) {
        let black = half_points(outcome, Color::Black) as u64;
        self.games += 1;
        self.black += black;
        self.opener += if opener == Color::Black { black } else { 2 - black };
        *self.decisions.entry(decision).or_default() += 1;
    }

    /// Fails if a seat scored more than this many percent.
    pub fn check(&self, most: f64) -> anyhow::Result<()> {
        let opener = self.percent(self.opener);
        let share = opener.max(100.0 - opener);
        ensure!(self.games > 0, "no game was opened");
        ensure!(share <= most, "a seat scored {share:.1} %, more than {most} %");
        Ok(())
    }

    fn percent(&self, half_points: u64) -> f64 {
        50.0 * half_points as f64 / self.games as f64
    }
}

impl fmt::Display for Seats {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.games == 0 {
            return Ok(());
        }
        let (opener, black) = (self.percent(self.opener), self.percent(self.black));
        let other = 100.0 - opener;
        writeln!(f, "swap2: the opener {opener:.1} %, the other {other:.1} %, black {black:.1} %")?;
        for (decision, count) in &self.decisions {
            writeln!(f, "{decision}: {count}")?;
        }
        Ok(())
    }
}

/// Prints the rows of a table that are of the rule and size, each with the points that black, the
/// first player, scores in games from all images of its stones.
pub fn measure(
    plan: &Plan,
    players: &[Player; 2],
    path: &Path,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let Setting { rule, size, .. } = plan.setting;
    let reading = || format!("reading {}", path.display());
    let text = fs::read_to_string(path).with_context(reading)?;
    ensure!(size.width() == size.height(), "tables are for square boards");
    let wanted = format!("{} {} ", rule.name(), size.width());
    for row in text.lines() {
        let Some(points) = row.strip_prefix(&wanted) else { continue };
        let stones =
            parse_points(points, size).with_context(|| format!("{}: {row}", path.display()))?;
        let images: Vec<Vec<_>> = images(&stones, size).collect();
        let worker = || {
            let images = &images;
            move |number: u64| {
                let mut record = Record::new(size);
                for &mv in &images[number as usize] {
                    let played = record.play(mv, Duration::ZERO);
                    played.map_err(|_| anyhow!("{row}: stones on one cell"))?;
                }
                let setting = Setting { swap2: true, ..plan.setting };
                let setting = Setting { swap2: false, ..setting.of_game(number) };
                game::play(&setting, &record, players.each_ref())
            }
        };
        let (mut sum, mut result) = (0, Ok(()));
        let take = |game: anyhow::Result<game::Played>| {
            result = game.map(|played| sum += half_points(played.end.outcome(), Color::Black));
            result.is_ok()
        };
        in_order(0..images.len() as u64, plan.threads, STACK_BYTES, worker, take)?;
        result?;
        writeln!(out, "{row} {}", sum as f64 / 2.0)?;
        out.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_score_what_their_colors_do() {
        let mut seats = Seats::default();
        seats.add(Color::Black, "stay", Outcome::Won(Color::Black));
        seats.add(Color::White, "swap", Outcome::Won(Color::White));
        seats.add(Color::White, "swap", Outcome::Won(Color::Black));
        seats.add(Color::Black, "stay", Outcome::Drawn);
        let text = "swap2: the opener 62.5 %, the other 37.5 %, black 62.5 %\nstay: 2\nswap: 2\n";
        assert_eq!(seats.to_string(), text);
        assert!(seats.check(62.5).is_ok() && seats.check(62.0).is_err());
        assert!(Seats::default().check(100.0).is_err() && Seats::default().to_string().is_empty());
    }
}
