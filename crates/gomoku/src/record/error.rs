//! What is wrong with game files: errors, and warnings, which lose no move.

use std::error::Error;
use std::fmt;

use crate::board::notation::NotationError;
use crate::types::{Coord, Rule};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a text, counted from 1.
    Line(usize),
    /// A byte, counted from 0.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// What is wrong with a game, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    pub place: Place,
    pub kind: ParseErrorKind,
    /// True if the main line ends there, before its own end.
    pub breaks_main_line: bool,
}

impl ParseError {
    pub(super) fn at_line(line: usize, kind: ParseErrorKind) -> ParseError {
        ParseError { place: Place::Line(line), kind, breaks_main_line: false }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseErrorKind {
    Notation(NotationError),
    OffBoard(Coord),
    NoPoint(String),
    Taken(Coord),
    Move,
    Size(String),
    Format,
    /// Anything else.
    Words(String),
}

impl fmt::Display for ParseErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Notation(error) => error.fmt(f),
            Self::OffBoard(c) => write!(f, "{c} is off the board"),
            Self::NoPoint(text) => write!(f, "'{}' is not a point of the board", line(text)),
            Self::Taken(c) => write!(f, "{c} is taken"),
            Self::Move => f.write_str("a move x,y,milliseconds expected"),
            Self::Size(text) => {
                write!(f, "a board of {} is not supported, 5 to 22 a side", line(text))
            }
            Self::Format => f.write_str("this format is not known"),
            Self::Words(words) => f.write_str(&words.replace(char::is_control, " ")),
        }
    }
}

/// Returns the text as a part of one line: a file may hold anything in place of a word.
pub(super) fn line(text: &str) -> String {
    const LENGTH_MAX: usize = 40;
    text.replace(char::is_control, " ").chars().take(LENGTH_MAX).collect()
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.kind)
    }
}

impl Error for ParseError {}

/// Something that was read otherwise than it stands in a file, or left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub(super) place: Place,
    /// The words, with `{}` in place of a text of the file and `{rule}` in place of the rule.
    pub(super) kind: &'static str,
    pub(super) text: String,
}

pub(super) const UNKNOWN_RULE: &str = "the rule '{}' is not known, {rule} is taken";
pub(super) const REST: &str = "'{}' is no part of a game, left out";

impl Warning {
    pub(super) fn new(place: Place, kind: &'static str, text: &str) -> Warning {
        Warning { place, kind, text: line(text) }
    }

    /// Returns the warning in words, where `rule` was taken.
    pub fn words(&self, rule: Rule) -> String {
        let words = self.kind.replace("{rule}", rule.name()).replace("{}", &self.text);
        format!("{}: {words}", self.place)
    }
}
