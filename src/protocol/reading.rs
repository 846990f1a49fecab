//! Which lines of input belong together, by the times at which they were read.
//!
//! Lines that arrive in one burst are a script, whose lines wait for their turn; what comes later
//! is the act of a manager or a person. This file numbers the bursts and says how the input ends;
//! what a burst means to a running search is the main loop's affair.

pub mod command;
pub mod list;
pub mod numbers;
pub mod splitter;
pub mod yixin;

use std::time::{Duration, Instant};

use command::Command;
use splitter::Line;

/// A line this soon after the one before belongs to the same burst.
const GAP: Duration = Duration::from_millis(20);
/// The same for END and the end of input.
const GAP_END: Duration = Duration::from_millis(100);

/// A line in its burst.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The line.
    pub line: Line,
    /// Lines with the same number arrived in one burst.
    pub burst: u64,
    /// Set for END and for the end of input, which come last.
    pub end: Option<End>,
    /// True if the line came later than the script and whatever is before it must be cut short.
    pub interrupts: bool,
}

/// How the input ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Later than the lines before: a manager has no more use for the program, or is gone.
    Late,
    /// With the END of a script.
    Script,
    /// With the end of a script that has no END.
    Input,
}

/// Numbers the bursts.
#[derive(Default)]
pub struct Bursts {
    /// When the last line was read, and its burst.
    last: Option<(Instant, u64)>,
}

impl Bursts {
    /// Puts the next line into its burst.
    pub fn place(&mut self, line: Line) -> Entry {
        let is_end =
            line.text.as_deref().is_none_or(|text| Command::parse(text) == Ok(Command::End));
        let gap = if is_end { GAP_END } else { GAP };
        let (follows, burst) = match self.last {
            Some((at, burst)) if line.at.saturating_duration_since(at) <= gap => (true, burst),
            Some((_, burst)) => (false, burst + 1),
            None => (false, 0),
        };
        self.last = Some((line.at, burst));
        let end = is_end.then_some(match line.text {
            _ if !follows => End::Late,
            Some(_) => End::Script,
            None => End::Input,
        });
        Entry { line, burst, end, interrupts: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bursts of lines read at these milliseconds, and the end of the last one.
    fn place(lines: &[(u64, Option<&str>)]) -> (Vec<u64>, Option<End>) {
        let start = Instant::now();
        let mut bursts = Bursts::default();
        let entries = lines.iter().map(|&(at, text)| {
            let at = start + Duration::from_millis(at);
            bursts.place(Line { at, text: text.map(str::to_owned) })
        });
        let entries: Vec<Entry> = entries.collect();
        (entries.iter().map(|entry| entry.burst).collect(), entries.last().unwrap().end)
    }

    #[test]
    fn lines_that_come_soon_are_of_one_burst() {
        let line = Some("INFO rule 1");
        let lines = [(0, line), (20, line), (41, line), (41, line), (200, line), (205, line)];
        assert_eq!(place(&lines), (vec![0, 0, 1, 1, 2, 2], None));
    }

    #[test]
    fn an_end_may_come_a_little_later() {
        let begin = (5, Some("BEGIN"));
        assert_eq!(place(&[begin, (105, Some("end"))]), (vec![0, 0], Some(End::Script)));
        assert_eq!(place(&[begin, (105, None)]), (vec![0, 0], Some(End::Input)));
        assert_eq!(place(&[begin, (106, Some("END"))]), (vec![0, 1], Some(End::Late)));
        assert_eq!(place(&[begin, (106, None)]), (vec![0, 1], Some(End::Late)));
        assert_eq!(place(&[(0, None)]), (vec![0], Some(End::Late)));
    }
}
