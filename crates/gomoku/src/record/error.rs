//! Errors of game files, in words that name the file, the line and the fault.
//!
//! Knows no format.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::board::notation::NotationError;
use crate::types::Coord;

/// What is wrong with a text that should be a game, and in which line, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line.
    pub line: usize,
    /// What is wrong.
    pub kind: ParseErrorKind,
}

/// What is wrong with a text that should be a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseErrorKind {
    /// A "pos" line cannot be read.
    Notation(NotationError),
    /// The cell is not on the board.
    OffBoard(Coord),
    /// The point is not on any board.
    NoPoint(String),
    /// The cell has a stone.
    Taken(Coord),
    /// A .psq file begins with another line than its kind should.
    Header,
    /// A line of a .psq file should be a move.
    Move,
    /// The board is not one from 5x5 to 22x22.
    Size(String),
    /// SGF names another size of the board than its first one.
    SizeChange(String),
    /// An SGF game that is none of Gomoku or Renju, by its number.
    Game(String),
    /// An SGF game does not end.
    Unfinished,
    /// SGF has a character where none of its kind may stand.
    Unexpected(char),
    /// The text is no kind of game that is known.
    Format,
    /// A file that is no text is at fault: at which byte, and how, is in the words.
    Bytes(String),
}

impl fmt::Display for ParseErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ParseErrorKind::Notation(error) => error.fmt(f),
            ParseErrorKind::OffBoard(c) => write!(f, "{c} is off the board"),
            ParseErrorKind::NoPoint(text) => {
                write!(f, "'{}' is not a point of the board", line(text))
            }
            ParseErrorKind::Taken(c) => write!(f, "{c} is taken"),
            ParseErrorKind::Header => f.write_str("'Piskvorky 15x15, 0:0, 0' expected"),
            ParseErrorKind::Move => f.write_str("a move x,y,milliseconds expected"),
            ParseErrorKind::Size(text) => {
                write!(f, "a board of {} is not supported, 5 to 22 a side", line(text))
            }
            ParseErrorKind::SizeChange(text) => {
                write!(f, "SZ[{}] is not the size of this game's board", line(text))
            }
            ParseErrorKind::Game(text) => {
                write!(f, "GM[{}] is not Gomoku or Renju, GM[4]", line(text))
            }
            ParseErrorKind::Unfinished => f.write_str("the game does not end, a ')' is missing"),
            ParseErrorKind::Bytes(fault) => f.write_str(fault),
            ParseErrorKind::Format => f.write_str("this format is not known"),
            ParseErrorKind::Unexpected(c) => write!(f, "unexpected {c:?}"),
        }
    }
}

/// Returns the text as a part of one line: a file may hold anything where a word should stand.
pub(super) fn line(text: &str) -> String {
    const LENGTH_MAX: usize = 40;
    text.replace(char::is_control, " ").chars().take(LENGTH_MAX).collect()
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.kind {
            ParseErrorKind::Bytes(fault) => f.write_str(fault),
            kind => write!(f, "line {}: {kind}", self.line),
        }
    }
}

impl std::error::Error for ParseError {}

/// Why a file cannot be read or written.
#[derive(Debug)]
pub struct FileError {
    pub(super) path: PathBuf,
    pub(super) kind: FileErrorKind,
}

#[derive(Debug)]
pub(super) enum FileErrorKind {
    /// The operating system says no.
    Io(io::Error),
    /// It is no text.
    Binary,
    /// There is nothing in it.
    Empty,
    /// A game is saved in a format that the file's name does not tell.
    Extension,
    /// The colours do not take turns.
    Turns,
}

impl FileError {
    /// Returns true if the file is there already and was to stay as it is.
    pub fn exists(&self) -> bool {
        matches!(&self.kind, FileErrorKind::Io(error) if error.kind() == io::ErrorKind::AlreadyExists)
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.kind {
            FileErrorKind::Io(error) => error.fmt(f),
            FileErrorKind::Binary => f.write_str("the file is not a text"),
            FileErrorKind::Empty => f.write_str("the file is empty"),
            FileErrorKind::Extension => f.write_str("a file to save to ends with .psq or .sgf"),
            FileErrorKind::Turns => {
                f.write_str("a .psq file cannot hold this position, an .sgf file can")
            }
        }
    }
}

impl std::error::Error for FileError {}
