//! What a node of a game tree says, and the lines that Tengen adds to its comment.
//!
//! The entry line, the last one of a comment, has mark, score, depth and best move of a position of a
//! database; the lines before it are those of a review.

use serde::{Deserialize, Serialize};

use crate::types::Coord;

/// The prefix of every line of Tengen's.
pub const SIGNATURE: &str = "Tengen: ";
/// The prefix of an entry line's mark.
pub const MARK: &str = "mark ";
/// The prefix of an entry line's score.
pub const SCORE: &str = "score ";
/// The prefix of an entry line's best move.
pub const BEST: &str = "best move ";
/// The prefix of the best move in an entry line of version 1.0.
pub const OLD_BEST: &str = "best ";

/// A sign on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Mark {
    Circle,
    Cross,
    Square,
    Triangle,
    Selected,
}

/// What an annotator thinks of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Quality {
    VeryGood,
    Good,
    Interesting,
    Doubtful,
    Bad,
    VeryBad,
}

/// What a node says about its position or its move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// The comment, with `\n` between its lines.
    pub comment: String,
    /// Short texts on cells.
    pub labels: Vec<(Coord, String)>,
    /// Signs on cells.
    pub marks: Vec<(Coord, Mark)>,
    /// The quality of the move.
    pub quality: Option<Quality>,
    /// RenLib's mark, SGF's hotspot.
    pub is_bookmark: bool,
    /// SGF properties without a meaning here: names, and values with their escapes.
    pub properties: Vec<(String, Vec<String>)>,
    /// Labels, the comment and lines of it whose bytes in a library were no plain UTF-8.
    pub raw: Vec<RawText>,
}

/// A text of a library with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawText {
    /// The cell of a label.
    pub cell: Option<Coord>,
    /// The text as it was read.
    pub text: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Notes {
    /// Returns true if nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Notes::default()
    }
}

/// Returns a comment's text before the entry line, and the entry line if its last line is one.
pub fn split_entry_line(comment: &str) -> (&str, Option<&str>) {
    let (before, last) = comment.rsplit_once('\n').unwrap_or(("", comment));
    if is_entry_line(last) { (before, Some(last)) } else { (comment, None) }
}

/// Returns true if the line starts with the signature and a part of an entry line.
pub fn is_entry_line(line: &str) -> bool {
    let words = line.strip_prefix(SIGNATURE);
    words.is_some_and(|words| [MARK, SCORE, OLD_BEST].iter().any(|part| words.starts_with(part)))
}
