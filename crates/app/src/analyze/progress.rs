//! The progress of long work, a bar or what is told of it, on standard error and only where that is
//! a terminal.

use std::env;
use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// How often the bar is drawn anew.
pub(super) const REFRESH: Duration = Duration::from_millis(200);
/// Work that takes no longer has no bar.
const SHOW_AFTER: Duration = Duration::from_secs(1);
/// A piece that takes longer is told of.
const LONG_PIECE: Duration = Duration::from_secs(3);
/// Characters of the bar itself.
const WIDTH: usize = 30;
/// Width of the line; blanks fill it, so that it covers the line before.
const LINE: usize = 78;
/// Line wrap off and on (DECAWM): a narrow terminal cuts the line. Windows may not know them.
const WRAP: [&str; 2] = if cfg!(unix) { ["\x1b[?7l", "\x1b[?7h"] } else { [""; 2] };
/// Columns of what is told of a piece.
pub(super) const COLUMNS: usize = 70;
/// Pieces of work that are few enough to tell of each.
const FEW: usize = 99;

pub(super) struct Progress {
    total: usize,
    start: Instant,
    has_terminal: bool,
    is_shown: bool,
}

impl Progress {
    pub fn new(total: usize) -> Progress {
        let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        Progress {
            total,
            start: Instant::now(),
            has_terminal: stderr().is_terminal() && !is_dumb,
            is_shown: false,
        }
    }

    /// Draws the bar with so many pieces finished, if there is a terminal to draw it on and enough
    /// to do; instead of the bar `status`, what there is to tell of a piece that takes long.
    pub fn show(&mut self, finished: usize, status: Option<&str>) {
        let elapsed = self.start.elapsed();
        if self.has_terminal && elapsed >= SHOW_AFTER && finished < self.total {
            self.is_shown = true;
            self.write(&line(finished, self.total, elapsed, status));
        }
    }

    /// Removes the bar, so that a line can be written in its place.
    pub fn hide(&mut self) {
        if self.is_shown {
            self.is_shown = false;
            self.write("");
        }
    }

    /// Writes over the line of the bar. A terminal that has gone away is no reason to stop.
    fn write(&self, text: &str) {
        let end = if text.is_empty() { "\r" } else { "" };
        let [off, on] = WRAP;
        let _ = stderr().write_all(format!("{off}\r{text:LINE$}{end}{on}").as_bytes());
    }
}

/// Returns what there is to tell of a piece where each takes long, else the bar.
fn line(finished: usize, total: usize, elapsed: Duration, status: Option<&str>) -> String {
    let is_long = elapsed >= LONG_PIECE * (finished as u32 + 1);
    match status.filter(|_| total == 1 || total <= FEW && is_long) {
        Some(status) if total == 1 => status.to_owned(),
        Some(status) => format!("{finished}/{total} {status}"),
        None => bar(finished, total, elapsed),
    }
}

/// Returns the bar with numbers and, as soon as it can be told, the time that is left.
fn bar(finished: usize, total: usize, elapsed: Duration) -> String {
    let filled = WIDTH * finished / total.max(1);
    let (done, rest) = ("#".repeat(filled), ".".repeat(WIDTH - filled));
    let percent = 100 * finished / total.max(1);
    let mut text = format!("[{done}{rest}] {finished}/{total} {percent}%");
    if finished > 0 {
        let left = elapsed.as_secs_f64() / finished as f64 * (total - finished) as f64;
        let left = left.ceil() as u64;
        text += &format!(", {}:{:02} left", left / 60, left % 60);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_pieces_are_told_of_and_many_short_ones_counted() {
        let seconds = Duration::from_secs;
        let line = |finished, total, time| line(finished, total, seconds(time), Some("depth 3"));
        assert_eq!(line(0, 1, 1), "depth 3");
        assert_eq!(line(2, 4, 9), "2/4 depth 3");
        assert!(line(2, 4, 8).starts_with('[') && line(2, 100, 90).starts_with('['));
        assert!(super::line(0, 1, seconds(9), None).starts_with('['));
    }

    #[test]
    fn the_bar_grows() {
        let seconds = Duration::from_secs;
        assert_eq!(bar(0, 7, seconds(3)), format!("[{}] 0/7 0%", ".".repeat(30)));
        let half = format!("[{}{}] 50/100 50%, 1:05 left", "#".repeat(15), ".".repeat(15));
        assert_eq!(bar(50, 100, seconds(65)), half);
        assert_eq!(bar(0, 0, seconds(1)).len(), 39);
    }
}
