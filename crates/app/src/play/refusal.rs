//! Why a line that a person typed is refused, in one line.

use std::fmt;
use std::path::PathBuf;

use tengen_gomoku::record::FileError;
use tengen_gomoku::types::{BoardSize, Coord, Expected};
use tengen_session::game;

/// Why a line is refused.
#[derive(Debug)]
pub enum Refusal {
    Unreadable,
    /// It is neither a command nor a move.
    Unknown(String),
    /// The command's argument is missing or wrong.
    Expected(Expected),
    /// The point is off the board.
    OffBoard(BoardSize),
    /// The game does not allow it.
    Game(game::Refusal),
    TwoPersons,
    /// There is such a file already.
    Exists(PathBuf),
    /// A file cannot be read or written.
    File(FileError),
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
            Refusal::Game(refusal) => {
                let hint = match refusal {
                    game::Refusal::Forbidden(_) => " under renju",
                    game::Refusal::Over => "; type undo, new, load or quit",
                    game::Refusal::TimeUp => "; type new, load or quit",
                    _ => "",
                };
                write!(f, "{refusal}{hint}")
            }
            Refusal::TwoPersons => f.write_str("two persons play: no side is Tengen's"),
            Refusal::Exists(path) => {
                let path = path.display();
                write!(f, "{path} is there already; save! {path} overwrites it")
            }
            Refusal::File(error) => error.fmt(f),
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

impl From<game::Refusal> for Refusal {
    fn from(refusal: game::Refusal) -> Refusal {
        Refusal::Game(refusal)
    }
}

impl From<Expected> for Refusal {
    fn from(expected: Expected) -> Refusal {
        Refusal::Expected(expected)
    }
}
