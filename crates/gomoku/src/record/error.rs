//! What is wrong with game files: errors, and warnings, which lose no move.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;

use crate::board::notation::NotationError;
use crate::types::{Coord, Rule};

/// A place in a file.
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
#[expect(missing_docs, reason = "the names say it")]
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

/// What is wrong with a game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words that are shown say it")]
pub enum ParseErrorKind {
    Notation(NotationError),
    OffBoard(Coord),
    NoPoint(String),
    Taken(Coord),
    Header,
    Move,
    Size(String),
    SizeChange(String),
    Game(String),
    Unfinished,
    Unexpected(char),
    Format,
    NoGame,
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
            Self::Header => f.write_str("'Piskvorky 15x15, 0:0, 0' expected"),
            Self::Move => f.write_str("a move x,y,milliseconds expected"),
            Self::Size(text) => {
                write!(f, "a board of {} is not supported, 5 to 22 a side", line(text))
            }
            Self::SizeChange(text) => {
                write!(f, "SZ[{}] is not the size of this game's board", line(text))
            }
            Self::Game(text) => write!(f, "GM[{}] is not Gomoku or Renju, GM[4]", line(text)),
            Self::Unfinished => f.write_str("the game does not end, a ')' is missing"),
            Self::Format => f.write_str("this format is not known"),
            Self::Words(words) => f.write_str(&words.replace(char::is_control, " ")),
            Self::NoGame => f.write_str("there is no game in it"),
            Self::Unexpected(c) => write!(f, "unexpected {c:?}"),
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
    place: Place,
    /// The words, with `{}` in place of a text of the file and `{rule}` in place of the rule.
    kind: &'static str,
    text: String,
}

pub(super) const UNKNOWN_RULE: &str = "the rule '{}' is not known, {rule} is taken";
pub(super) const RENJU_TITLE: &str = "the rule is taken to be renju from the game's name '{}'";
pub(super) const OTHER_GAME: &str = "GM[{}] is not Gomoku, GM[4]; it is read as Gomoku";
pub(super) const OPEN_BRACKET: &str =
    "a ']' without '\\' before it is taken for a part of the text";
pub(super) const NO_SEMICOLON: &str = "the game begins without ';', which is added";
pub(super) const ODD_POINT: &str =
    "the point '{}' should be two small letters; rows are counted from the bottom";
pub(super) const SECOND_POINT: &str = "a move has one point, '{}' is read as one more move";
pub(super) const LOST_PROPERTY: &str = "the property '{}' is left out";
pub(super) const REST: &str = "'{}' is no part of a game, left out";
pub(super) const STRAY_END: &str = "what follows the end of the library is left out";
pub(super) const VARIATIONS: &str = "variations, comments and fifth moves are left out";

impl Warning {
    pub(super) fn new(place: Place, kind: &'static str, text: &str) -> Warning {
        Warning { place, kind, text: line(text) }
    }

    pub(super) fn of_encoding(place: Place, words: String) -> Warning {
        Warning { place, kind: "{}", text: words }
    }

    /// Returns the warning in words, where `rule` was taken.
    pub fn words(&self, rule: Rule) -> String {
        let words = self.kind.replace("{rule}", rule.name()).replace("{}", &self.text);
        format!("{}: {words}", self.place)
    }
}

/// Returns in words the first warning of each kind, and all about unknown rules, each with the rule
/// that was taken.
pub fn first_of_each_kind<'a>(
    warnings: impl IntoIterator<Item = (&'a Warning, Rule)>,
) -> Vec<String> {
    let mut told = BTreeSet::new();
    let mut words = Vec::new();
    for (warning, rule) in warnings {
        let name = if warning.kind == UNKNOWN_RULE { warning.text.as_str() } else { "" };
        if told.insert((warning.kind, name)) {
            words.push(warning.words(rule));
        }
    }
    words
}

/// Returns the warning about a rule that a file names in vain.
pub fn overridden(named: Rule, taken: Rule) -> String {
    format!("the rule is {} here, {} is taken as asked for", named.name(), taken.name())
}
