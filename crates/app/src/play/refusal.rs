//! Why a line that a person typed is refused, in one line.

use std::fmt;
use std::path::PathBuf;

use tengen::record::{FileError, ParseError};
use tengen::types::{BoardSize, Coord, Expected};

/// Why a line is refused.
#[derive(Debug)]
pub enum Refusal {
    /// It is not UTF-8.
    Unreadable,
    /// It is neither a command nor a move.
    Unknown(String),
    /// The command's argument is missing or wrong.
    Expected(Expected),
    /// The point is off the board.
    OffBoard(BoardSize),
    /// The cell has a stone.
    Taken(Coord),
    /// Black may not play there.
    Forbidden(Coord),
    /// The game is over.
    Over,
    /// The game is over, since time ran out.
    TimeUp,
    /// The person has made no move that could be taken back.
    NothingToUndo,
    /// Nothing was taken back that could be played again.
    NothingToRedo,
    /// The opening comes first.
    Opening,
    /// No choice of the opening is due, or not this one.
    NoChoice,
    /// Two persons play.
    TwoPersons,
    /// There is such a file already.
    Exists(PathBuf),
    /// A file cannot be read or written.
    File(FileError),
    /// A file's game cannot be read.
    Parse(PathBuf, ParseError),
    /// A file holds no game.
    NoGame(PathBuf),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refusal::Unreadable => f.write_str("this line is not UTF-8 text; type it again"),
            Refusal::Unknown(text) => {
                let text = shown(text);
                write!(f, "'{text}' is neither a move such as h8 nor a command; type help")
            }
            Refusal::Expected(expected) => expected.fmt(f),
            Refusal::OffBoard(size) => {
                let last = Coord::new(size.width() - 1, size.height() - 1);
                write!(f, "that is off the board, which goes from a1 to {last}")
            }
            Refusal::Taken(c) => write!(f, "{c} is taken"),
            Refusal::Forbidden(c) => write!(f, "{c} is forbidden for black under renju"),
            Refusal::Over => f.write_str("the game is over; type undo, new, load or quit"),
            Refusal::TimeUp => f.write_str("the time is up; type new, load or quit"),
            Refusal::NothingToUndo => f.write_str("there is no move of yours to take back"),
            Refusal::NothingToRedo => f.write_str("nothing was taken back"),
            Refusal::Opening => f.write_str("the opening comes first"),
            Refusal::NoChoice => f.write_str("there is no such choice now"),
            Refusal::TwoPersons => f.write_str("two persons play: no side is Tengen's"),
            Refusal::Exists(path) => {
                let path = path.display();
                write!(f, "{path} is there already; save! {path} overwrites it")
            }
            Refusal::File(error) => error.fmt(f),
            Refusal::Parse(path, error) => write!(f, "{}: {error}", path.display()),
            Refusal::NoGame(path) => write!(f, "{}: no game in this file", path.display()),
        }
    }
}

/// Returns the beginning of what was typed, as it can be shown in a line.
fn shown(text: &str) -> String {
    const LENGTH: usize = 60;
    let mut shown: String = text.chars().take(LENGTH).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown.replace(char::is_control, " ")
}

impl From<Expected> for Refusal {
    fn from(expected: Expected) -> Refusal {
        Refusal::Expected(expected)
    }
}
