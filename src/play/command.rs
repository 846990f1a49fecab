//! Lines that a person types: from a line to a [`Command`] or a [`Refusal`].
//!
//! Pure parsing: knows no game and writes nothing.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::board::notation::{NotationError, parse_points};
use crate::record::{FileError, ParseError};
use crate::search::Strength;
use crate::typed::{self, Expected};
use crate::types::{BoardSize, Coord, Rule};

/// What the person can type.
pub const HELP: &str = "  h8             play on column h, row 8
  undo           take back your last move and the answer to it
  hint           ask what Tengen would play in your place
  swap           change sides; Tengen moves if it is your turn
  level 60       how strong Tengen plays, 0 to 100
  time 2.5       seconds that Tengen may think about a move
  rule renju     freestyle, standard, renju, caro or caro-exact; the stones stay
  size 15        a new game on a board of this size, 5 to 22 or 20x15
  new            a new game
  save FILE      save the game, as .psq (Piskvork) or .sgf
  load FILE      go on with the game of a file
  board          show the board and how things stand
  help           this list
  quit           leave
";

/// A line typed.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Nothing.
    Nothing,
    /// Play here.
    Move(Coord),
    /// Take back.
    Undo,
    /// Ask for a move.
    Hint,
    /// Change sides.
    Swap,
    /// Set the level.
    Level(Strength),
    /// Set the time of a move.
    Time(Duration),
    /// Set the rule.
    Rule(Rule),
    /// Begin a game on a board of this size.
    Size(BoardSize),
    /// Begin a game.
    New,
    /// Save to a file.
    Save(PathBuf),
    /// Load from a file.
    Load(PathBuf),
    /// Show the board.
    Board,
    /// Show the commands.
    Help,
    /// Leave.
    Quit,
}

/// Why a line is refused.
#[derive(Debug)]
pub enum Refusal {
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
    /// The person has made no move that could be taken back.
    NothingToUndo,
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
            Refusal::Unknown(text) => {
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
            Refusal::NothingToUndo => f.write_str("there is no move of yours to take back"),
            Refusal::File(error) => error.fmt(f),
            Refusal::Parse(path, error) => write!(f, "{}: {error}", path.display()),
            Refusal::NoGame(path) => write!(f, "{}: no game in this file", path.display()),
        }
    }
}

impl From<Expected> for Refusal {
    fn from(expected: Expected) -> Refusal {
        Refusal::Expected(expected)
    }
}

impl Command {
    /// Reads a line typed while a board of this size is shown.
    ///
    /// # Errors
    ///
    /// If it is no command and no move on the board.
    pub fn parse(text: &str, size: BoardSize) -> Result<Command, Refusal> {
        let text = text.trim();
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        let file = || match rest {
            "" => Err(Refusal::Expected(Expected(
                "the name of a file, such as game.psq or game.sgf,",
            ))),
            _ => Ok(PathBuf::from(rest)),
        };
        Ok(match word.to_ascii_lowercase().as_str() {
            "" => Command::Nothing,
            "undo" | "u" => Command::Undo,
            "hint" => Command::Hint,
            "swap" => Command::Swap,
            "level" => Command::Level(typed::level(rest)?),
            "time" => Command::Time(typed::time(rest)?),
            "rule" => Command::Rule(typed::rule(rest)?),
            "size" => Command::Size(typed::board_size(rest)?),
            "new" => Command::New,
            "save" => Command::Save(file()?),
            "load" => Command::Load(file()?),
            "board" => Command::Board,
            "help" | "?" => Command::Help,
            "quit" | "q" | "exit" => Command::Quit,
            _ => match parse_points(text, size).as_deref() {
                Ok(&[c]) => Command::Move(c),
                Err(NotationError::OffBoard(0)) => return Err(Refusal::OffBoard(size)),
                _ => return Err(Refusal::Unknown(text.to_owned())),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Command, String> {
        let size = BoardSize::new(15, 15).unwrap();
        Command::parse(text, size).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn commands_are_understood() {
        let size = BoardSize::new(20, 15).unwrap();
        for (text, command) in [
            ("", Command::Nothing),
            ("h8", Command::Move(Coord::new(7, 7))),
            (" O15 ", Command::Move(Coord::new(14, 14))),
            ("UNDO", Command::Undo),
            ("level 0", Command::Level(Strength::new(0).unwrap())),
            ("time 0.5", Command::Time(Duration::from_millis(500))),
            ("rule Renju", Command::Rule(Rule::Renju)),
            ("size 20x15", Command::Size(size)),
            ("save  my game.psq", Command::Save("my game.psq".into())),
            ("q", Command::Quit),
        ] {
            assert_eq!(parse(text), Ok(command), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_one_line() {
        for (text, what) in [
            ("h16", "that is off the board, which goes from a1 to o15"),
            ("p1", "that is off the board, which goes from a1 to o15"),
            ("h8 i9", "'h8 i9' is neither a move such as h8 nor a command; type help"),
            ("é8", "'é8' is neither a move such as h8 nor a command; type help"),
            ("level 101", "a level from 0 to 100 expected"),
            ("level", "a level from 0 to 100 expected"),
            ("time -1", "a time in seconds, such as 2.5, expected"),
            ("time nan", "a time in seconds, such as 2.5, expected"),
            ("time 1e99", "a time in seconds, such as 2.5, expected"),
            ("rule go", "freestyle, standard, renju, caro or caro-exact expected"),
            ("size 99", "a size from 5 to 22, such as 15 or 20x15, expected"),
            ("load", "the name of a file, such as game.psq or game.sgf, expected"),
        ] {
            assert_eq!(parse(text), Err(what.to_owned()), "{text}");
        }
    }
}
