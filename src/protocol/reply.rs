//! What goes out: one [`Reply`] a line, in the one form that every manager reads.
//!
//! `OK` and `SWAP` stand alone, a point is `x,y` without blanks, and a text never holds a line
//! break, so that a reply is always exactly one line.

use std::fmt::{self, Write};

use crate::search::Report;
use crate::types::Coord;

/// Moves of a principal variation that a message shows, which keeps it far below 1,000 bytes.
const PV_LENGTH: usize = 60;

/// One line of output, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `OK`.
    Ok,
    /// A move, or several points of a swap2 opening.
    Points(Vec<Coord>),
    /// `SWAP`.
    Swap,
    /// `ERROR` and why.
    Error(String),
    /// `UNKNOWN command`.
    Unknown,
    /// The line about the program.
    About,
    /// `FORBID` and the points black may not play.
    Forbid(Vec<Coord>),
    /// `MESSAGE` and a text.
    Message(String),
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Reply::Ok => f.write_str("OK"),
            Reply::Points(points) => {
                for (i, c) in points.iter().enumerate() {
                    let blank = if i == 0 { "" } else { " " };
                    write!(f, "{blank}{},{}", c.x(), c.y())?;
                }
                Ok(())
            }
            Reply::Swap => f.write_str("SWAP"),
            Reply::Error(why) => write!(f, "ERROR {why}"),
            Reply::Unknown => f.write_str("UNKNOWN command"),
            Reply::About => write!(
                f,
                r#"name="Tengen", version="{}", author="Tengen developers", country="Earth""#,
                env!("CARGO_PKG_VERSION")
            ),
            Reply::Forbid(points) => {
                f.write_str("FORBID ")?;
                points.iter().try_for_each(|c| write!(f, "{:02}{:02}", c.x(), c.y()))?;
                f.write_char('.')
            }
            Reply::Message(text) => write!(f, "MESSAGE {text}"),
        }
    }
}

impl Reply {
    /// Returns the message about a finished iteration, in the form that managers parse:
    /// `depth 12-20 ev 31 n 450K n/s 900K tm 500 pv h8 i9`.
    pub fn progress(report: &Report) -> Reply {
        let milliseconds = report.elapsed.as_millis();
        let speed = u128::from(report.nodes) * 1_000_000 / report.elapsed.as_micros().max(1);
        let mut text = format!(
            "depth {}-{} ev {} n {} n/s {} tm {milliseconds} pv",
            report.depth,
            report.selective_depth,
            report.score,
            short(u128::from(report.nodes)),
            short(speed),
        );
        for mv in report.pv.iter().take(PV_LENGTH) {
            // Writing to a string cannot fail.
            let _ = write!(text, " {mv}");
        }
        Reply::Message(text)
    }
}

/// Returns the number with at most five digits and a unit.
fn short(number: u128) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..10_000_000 => format!("{}K", number / 1_000),
        _ => format!("{}M", number / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::types::Score;

    #[test]
    fn replies_have_their_exact_form() {
        let (a, b) = (Coord::new(7, 8), Coord::new(19, 0));
        assert_eq!(Reply::Ok.to_string(), "OK");
        assert_eq!(Reply::Points(vec![a]).to_string(), "7,8");
        assert_eq!(Reply::Points(vec![a, b]).to_string(), "7,8 19,0");
        assert_eq!(Reply::Forbid(vec![]).to_string(), "FORBID .");
        assert_eq!(Reply::Forbid(vec![a, b]).to_string(), "FORBID 07081900.");
    }

    #[test]
    fn about_is_a_list_of_pairs() {
        let about = Reply::About.to_string();
        assert!(about.starts_with("name="));
        for pair in about.split(',') {
            let (_, value) = pair.split_once('=').unwrap();
            let value = value.strip_prefix('"').and_then(|v| v.strip_suffix('"')).unwrap();
            assert!(!value.contains(['"', '=']));
        }
    }

    #[test]
    fn progress_has_the_form_that_managers_parse() {
        let mut report = Report {
            best: Coord::new(7, 7),
            score: Score::eval(31),
            depth: 12,
            selective_depth: 20,
            nodes: 450_000,
            elapsed: Duration::from_millis(500),
            pv: vec![Coord::new(7, 7), Coord::new(8, 8)],
            others: Vec::new(),
        };
        let text = Reply::progress(&report).to_string();
        assert_eq!(text, "MESSAGE depth 12-20 ev 31 n 450K n/s 900K tm 500 pv h8 i9");
        report.pv = vec![Coord::new(21, 21); 484];
        report.nodes = u64::MAX;
        report.elapsed = Duration::ZERO;
        assert!(Reply::progress(&report).to_string().len() < 1_000);
    }
}
