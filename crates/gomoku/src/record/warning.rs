//! Warnings: what in a file was read otherwise than it stands there, or left out.
//!
//! Unlike a fault, a warning loses no move. Knows no format.

use std::fmt;
use std::mem::discriminant;

use super::error::line;
use crate::types::Rule;

/// Something that was read otherwise than it stands in a file, or left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where it stands.
    pub place: Place,
    /// What it is.
    pub kind: WarningKind,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// This line of a text, counted from 1.
    Line(usize),
    /// This byte of a library, counted from 0.
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

/// What was read otherwise, or left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WarningKind {
    /// The rule that is named is not known.
    Rule(String),
    /// The rule is renju because the name of the game has a word for it.
    Title(String),
    /// An SGF game has the number of another game.
    Game(String),
    /// What the text was decoded as, in words.
    Encoding(String),
    /// A value in SGF holds a `]` that is not escaped.
    Bracket,
    /// An SGF game begins without a `;`.
    Root,
    /// A point in SGF is written as `h8` or `HH`.
    Point(String),
    /// A move in SGF has a second point.
    SecondPoint(String),
    /// A property in SGF has a name that cannot be written again.
    Name(String),
    /// Moves that may count their rows from the bottom.
    Rows,
    /// What follows the game, or stands between games.
    Rest(String),
    /// Bytes that cannot hold a node follow the end of a library.
    Stray,
    /// Variations, comments and fifth moves, where only the main line is wanted.
    Variations,
}

impl Warning {
    /// Returns the warning about a line of a text.
    pub(super) fn at_line(line: usize, kind: WarningKind) -> Warning {
        Warning { place: Place::Line(line), kind }
    }

    /// Returns the warning in words. `rule` is the one that was taken.
    pub fn words(&self, rule: Rule) -> String {
        let rule = rule.name();
        let words = match &self.kind {
            WarningKind::Rule(name) => {
                format!("the rule '{}' is not known, {rule} is taken", line(name))
            }
            WarningKind::Title(title) => {
                format!("the rule is taken to be renju from the game's name '{}'", line(title))
            }
            WarningKind::Game(number) => {
                format!("GM[{}] is not Gomoku, GM[4]; it is read as Gomoku", line(number))
            }
            WarningKind::Encoding(words) => words.clone(),
            WarningKind::Bracket => {
                "a ']' without '\\' before it is taken for a part of the text".to_owned()
            }
            WarningKind::Root => "the game begins without ';', which is added".to_owned(),
            WarningKind::Point(text) => format!(
                "the point '{}' should be two small letters; rows are counted from the top",
                line(text)
            ),
            WarningKind::SecondPoint(text) => {
                format!("a move has one point, '{}' is read as one more move", line(text))
            }
            WarningKind::Name(name) => format!("the property '{}' is left out", line(name)),
            WarningKind::Rows => "rows are counted from the top".to_owned(),
            WarningKind::Rest(text) => format!("'{}' is no part of a game, left out", line(text)),
            WarningKind::Stray => "what follows the end of the library is left out".to_owned(),
            WarningKind::Variations => {
                "variations, comments and fifth moves are left out".to_owned()
            }
        };
        format!("{}: {words}", self.place)
    }
}

/// Returns the first warning of each kind in words, and all about rules that are not known, each
/// once; with each stands the rule that was taken.
pub fn first_of_each_kind<'a>(
    warnings: impl IntoIterator<Item = (&'a Warning, Rule)>,
) -> Vec<String> {
    let mut kinds = Vec::new();
    let mut words = Vec::new();
    for (warning, rule) in warnings {
        let kind = &warning.kind;
        let is_told = |known: &&WarningKind| match kind {
            WarningKind::Rule(_) => *known == kind,
            _ => discriminant(*known) == discriminant(kind),
        };
        if !kinds.iter().any(is_told) {
            kinds.push(kind);
            words.push(warning.words(rule));
        }
    }
    words
}

/// Returns the warning in words about a rule that a file names in vain.
pub fn overridden(named: Rule, taken: Rule) -> String {
    format!("the rule is {} here, {} is taken as asked for", named.name(), taken.name())
}
