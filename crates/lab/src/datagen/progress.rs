//! The line about how far the work is, on standard error.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

use tengen_lab::{Source, TrainingGame};

/// How often a terminal's line is written anew, and how often a line is added to a log.
const REFRESH: Duration = Duration::from_millis(500);
const LOG_INTERVAL: Duration = Duration::from_secs(60);

pub struct Progress {
    start: Instant,
    shown: Instant,
    is_terminal: bool,
    tally: Tally,
}

/// What this run made, and what is still to be made.
struct Tally {
    /// Games before this run.
    before: u32,
    games: u32,
    wanted: u32,
    /// Positions that a search of their own judged.
    positions: u64,
    inner: u64,
}

impl Progress {
    /// Returns the progress of a file that holds some of the games wanted.
    pub fn new(before: u32, wanted: u32) -> Progress {
        let now = Instant::now();
        let tally = Tally { before, games: 0, wanted, positions: 0, inner: 0 };
        Progress { start: now, shown: now, is_terminal: stderr().is_terminal(), tally }
    }

    pub fn add(&mut self, game: &TrainingGame) {
        let inner = game.samples.iter().filter(|sample| sample.source == Source::Inner).count();
        self.tally.games += 1;
        self.tally.positions += (game.labels.len() + game.samples.len() - inner) as u64;
        self.tally.inner += inner as u64;
        let interval = if self.is_terminal { REFRESH } else { LOG_INTERVAL };
        if self.shown.elapsed() >= interval {
            self.shown = Instant::now();
            self.show();
        }
    }

    pub fn finish(&self) {
        self.show();
        if self.is_terminal {
            let _ = writeln!(stderr());
        }
    }

    /// A terminal that has gone away is no reason to stop.
    fn show(&self) {
        let line = self.tally.line(self.start.elapsed());
        let mut stderr = stderr().lock();
        let _ = match self.is_terminal {
            // Blanks over what a longer line left.
            true => write!(stderr, "\r{line:100}").and_then(|()| stderr.flush()),
            false => writeln!(stderr, "{line}"),
        };
    }
}

impl Tally {
    fn line(&self, elapsed: Duration) -> String {
        let Tally { before, games, wanted, positions, inner } = *self;
        let seconds = elapsed.as_secs_f64().max(0.001);
        let rate = (positions as f64 / seconds).round();
        let left = f64::from(wanted - before - games) / f64::from(games.max(1)) * seconds;
        let left = left.ceil() as u64;
        let (hours, minutes, seconds) = (left / 3600, left / 60 % 60, left % 60);
        format!(
            "{} of {wanted} games, {positions} positions, {inner} inner nodes, {rate} positions/s, \
             {hours}:{minutes:02}:{seconds:02} left",
            before + games
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_counts_this_run_only() {
        let tally = Tally { before: 40, games: 10, wanted: 1050, positions: 300, inner: 900 };
        let expected = "50 of 1050 games, 300 positions, 900 inner nodes, 10 positions/s, \
                        0:50:00 left";
        assert_eq!(tally.line(Duration::from_secs(30)), expected);
    }
}
