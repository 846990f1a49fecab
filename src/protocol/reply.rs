//! Replies: the lines of output, in the one form that every manager reads.
//!
//! `OK` and `SWAP` stand alone, a point is `x,y` without blanks, and a text never holds a line
//! break, so that a reply is always exactly one line.

use std::fmt::{self, Write};

use crate::types::Coord;

/// One line of output, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `OK`.
    Ok,
    /// A move, the points of a swap2 opening, or a pair of balanced stones.
    Points(Vec<Coord>),
    /// `SWAP`.
    Swap,
    /// `ERROR` and why.
    Error(String),
    /// `UNKNOWN command`.
    Unknown,
    /// The line about the program, of this version.
    About(String),
    /// `FORBID` and the points black may not play.
    Forbid(Vec<Coord>),
    /// `MESSAGE` and a text.
    Message(String),
    /// `INFO` and a text, only for a manager that asked for it: others would take it for a move.
    Info(String),
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
            Reply::About(version) => write!(
                f,
                r#"name="Tengen", version="{version}", author="Tengen developers", country="Earth""#,
            ),
            Reply::Forbid(points) => {
                f.write_str("FORBID ")?;
                points.iter().try_for_each(|c| write!(f, "{:02}{:02}", c.x(), c.y()))?;
                f.write_char('.')
            }
            Reply::Message(text) => write!(f, "MESSAGE {text}"),
            Reply::Info(text) => write!(f, "INFO {text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let about = Reply::About("1.0".to_owned()).to_string();
        assert!(about.starts_with("name="));
        for pair in about.split(',') {
            let (_, value) = pair.split_once('=').unwrap();
            let value = value.strip_prefix('"').and_then(|v| v.strip_suffix('"')).unwrap();
            assert!(!value.contains(['"', '=']));
        }
    }
}
