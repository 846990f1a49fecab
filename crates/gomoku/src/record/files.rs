//! Files of games in any format: read as trees, written as a tree.

use std::borrow::Cow;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use encoding_rs::Encoding;

use super::error::{Place, VARIATIONS};
use super::text::decoded_text;
use super::tree::{Editor, GameTree, NodeId};
use super::{Format, ParseError, ParseErrorKind, Record, Warning};
use super::{json, moves, playok, psq, renlib, sgf};
use crate::atomic_file::{create_atomically, write_atomically};
use crate::types::{BoardSize, Rows, Rule};

/// One game or line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedGame {
    /// Its first line, counted from 1.
    pub line: usize,
    /// The part of the game without faults.
    pub tree: GameTree,
    /// The last node of the main line, or the last one before its fault.
    pub end: NodeId,
    /// What could not be read.
    pub faults: Vec<ParseError>,
    /// What was read otherwise than it stands there, or left out.
    pub warnings: Vec<Warning>,
    /// The rule of games of the format that name none.
    pub default_rule: Option<Rule>,
}

impl ParsedGame {
    /// Returns a game without variations that ends at the editor's node, before the fault if there
    /// is one.
    pub(super) fn of_line(
        line: usize,
        editor: Editor,
        fault: Option<ParseError>,
        warnings: Vec<Warning>,
    ) -> ParsedGame {
        let end = editor.at();
        let fault = fault.map(|fault| ParseError { breaks_main_line: true, ..fault });
        let (tree, faults) = (editor.tree, fault.into_iter().collect());
        ParsedGame { line, tree, end, faults, warnings, default_rule: None }
    }

    /// Returns a game of which nothing can be read.
    pub(super) fn unreadable(line: usize, size: BoardSize, kind: ParseErrorKind) -> ParsedGame {
        let error = ParseError::at_line(line, kind);
        ParsedGame::of_line(line, Editor::new(GameTree::new(size)), Some(error), Vec::new())
    }

    /// Returns the game of a file that counts rows from `from` with rows counted from `to`.
    pub fn counted(mut self, from: Rows, to: Rows) -> ParsedGame {
        let size = self.tree.size();
        self.tree.rows = from;
        if let Cow::Owned(tree) = self.tree.counted_from(to) {
            self.tree = tree;
            for fault in &mut self.faults {
                if let ParseErrorKind::Taken(c) = &mut fault.kind {
                    *c = size.flipped(*c);
                }
            }
        }
        self
    }

    /// Returns the main line, or why not all of it can be read.
    pub fn record(&self) -> Result<Record, ParseError> {
        match self.faults.iter().find(|fault| fault.breaks_main_line) {
            Some(fault) => Err(fault.clone()),
            None => Ok(self.tree.record(self.end)),
        }
    }

    /// Returns the warnings for who takes the main line alone.
    pub fn main_line_warnings(&self) -> Vec<Warning> {
        let mut warnings = self.warnings.clone();
        let tree = &self.tree;
        let mut notes = tree.preorder().filter_map(|id| tree.notes(id));
        let has_more = tree.len() > tree.main_line().count()
            || notes.any(|notes| {
                !notes.comment.is_empty() || notes.properties.iter().any(|(name, _)| name == "5A")
            });
        if has_more {
            warnings.push(Warning::new(Place::Line(self.line), VARIATIONS, ""));
        }
        warnings
    }

    /// Returns the rule of the game: `asked`, whatever the file names, or that of the file, or
    /// `default`.
    pub fn rule(&self, asked: Option<Rule>, default: Rule) -> Rule {
        asked.or(self.tree.rule).or(self.default_rule).unwrap_or(default)
    }
}

/// How files are read.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// The board of games that name none.
    pub size: BoardSize,
    /// The encoding of texts, whatever a file names.
    pub encoding: Option<&'static Encoding>,
    /// The side from which rows are to be counted.
    pub rows: Rows,
}

impl From<BoardSize> for ReadOptions {
    fn from(size: BoardSize) -> ReadOptions {
        ReadOptions { size, encoding: None, rows: Rows::default() }
    }
}

/// Reads the games of a file of any format. An error means that the file cannot be read; each game
/// reports what is wrong with itself.
pub fn load(path: &Path, options: impl Into<ReadOptions>) -> io::Result<Vec<ParsedGame>> {
    let bytes = fs::read(path).map_err(|error| file_error(path, error.kind(), error))?;
    parse_file(path, &bytes, options.into())
}

/// Reads the bytes of a file of this name as [`load`] does. They may be empty, or neither a text nor
/// a library.
pub fn parse_file(path: &Path, bytes: &[u8], options: ReadOptions) -> io::Result<Vec<ParsedGame>> {
    if Format::is_library(path, bytes) {
        let unreadable = |error| {
            ParsedGame::of_line(
                1,
                Editor::new(GameTree::new(renlib::board_size())),
                Some(error),
                vec![],
            )
        };
        let library = renlib::parse(bytes, options.encoding).unwrap_or_else(unreadable);
        return Ok(vec![library.counted(Rows::Top, options.rows)]);
    }
    let text = decoded_text(bytes, options.encoding);
    let invalid = |words| file_error(path, io::ErrorKind::InvalidData, words);
    let (text, warning) = text.ok_or_else(|| invalid("the file is not a text"))?;
    if text.trim().is_empty() {
        return Err(invalid("the file is empty"));
    }
    let mut games = parse(&text, options);
    games[0].warnings.extend(warning);
    Ok(games)
}

/// Reads the games of a text of any format, of which there is at least a faulty one.
pub fn parse(text: &str, options: impl Into<ReadOptions>) -> Vec<ParsedGame> {
    let ReadOptions { size, rows, .. } = options.into();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let unreadable = |kind| vec![ParsedGame::unreadable(1, size, kind)];
    let (games, from) = match Format::of_text(text, size) {
        Some(Format::Psq) => (psq::parse(text, size), Rows::Top),
        Some(Format::Sgf) => (sgf::parse(text, size), Rows::Top),
        Some(Format::PlayOk) => (playok::parse(text, size), Rows::Bottom),
        Some(Format::Json) => (json::parse(text, size), Rows::Bottom),
        Some(Format::Moves | Format::Library) => (moves::parse(text, size, rows), rows),
        None => (unreadable(ParseErrorKind::Format), rows),
    };
    let games: Vec<_> = games.into_iter().map(|game| game.counted(from, rows)).collect();
    if games.is_empty() { unreadable(ParseErrorKind::NoGame) } else { games }
}

fn file_error(path: &Path, kind: io::ErrorKind, words: impl Display) -> io::Error {
    io::Error::new(kind, format!("{}: {words}", path.display()))
}

/// Whether a file that is there already may be overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Overwrite {
    Yes,
    No,
}

/// Writes a game to a file, in the format that the end of its name stands for. After an error a file
/// that was there is as it was; [`io::ErrorKind::AlreadyExists`] if it must not be overwritten.
pub fn save(tree: &GameTree, path: &Path, overwrite: Overwrite) -> io::Result<()> {
    let invalid = |words: String| file_error(path, io::ErrorKind::InvalidInput, words);
    let format = Format::of_name(path);
    let format = format
        .ok_or_else(|| invalid(format!("a file to save to ends with {}", Format::EXTENSIONS)))?;
    let bytes = format.write(tree).map_err(|why| invalid(why.to_string()))?;
    let write = |mut file: File| file.write_all(&bytes);
    let written = match overwrite {
        Overwrite::Yes => write_atomically(path, write),
        Overwrite::No => create_atomically(path, write),
    };
    written.map_err(|error| file_error(path, error.kind(), error))
}
