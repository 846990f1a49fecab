//! Reads files of games: finds out the format and calls its parser.

use std::fs;
use std::path::Path;

use encoding_rs::Encoding;

use super::error::{FileErrorKind, WarningKind};
use super::text::decoded_text;
use super::tree::{GameTree, NodeId};
use super::{
    FileError, ParseError, ParseErrorKind, Record, Warning, moves, playok, psq, renlib, sgf,
};
use crate::board::notation::NotationError;
use crate::types::{BoardSize, Rule};

/// One game or line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedRecord {
    /// Its first line, counted from 1.
    pub line: usize,
    /// The game, or why it cannot be read.
    pub record: Result<Record, ParseError>,
    /// The part of a faulty game before its fault, if that can be read.
    pub before_fault: Option<Record>,
    /// What was read otherwise than it stands there, or left out.
    pub warnings: Vec<Warning>,
}

impl ParsedRecord {
    pub(super) fn new(line: usize, record: Result<Record, ParseError>) -> ParsedRecord {
        ParsedRecord { line, record, before_fault: None, warnings: Vec::new() }
    }

    /// Returns a game that ends before the fault, if there is one.
    pub(super) fn of_part(
        line: usize,
        record: Record,
        fault: Option<ParseError>,
        warnings: Vec<Warning>,
    ) -> ParsedRecord {
        match fault {
            Some(error) => {
                ParsedRecord { line, record: Err(error), before_fault: Some(record), warnings }
            }
            None => ParsedRecord { line, record: Ok(record), before_fault: None, warnings },
        }
    }
}

/// One game or line of a file as a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedTree {
    /// Its first line, counted from 1.
    pub line: usize,
    /// The part of the game without faults.
    pub tree: GameTree,
    /// The last node of the main line, or the last one before its fault.
    pub end: NodeId,
    /// What could not be read.
    pub faults: Vec<TreeFault>,
    /// What was read otherwise than it stands there, or left out.
    pub warnings: Vec<Warning>,
    /// The rule of a game that names none that is known.
    pub default_rule: Rule,
}

/// What is wrong with a part of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFault {
    /// The fault and its line.
    pub error: ParseError,
    /// True if the main line ends there, before its own end.
    pub breaks_main_line: bool,
}

impl ParsedTree {
    pub(super) fn of_entry(entry: ParsedRecord, size: BoardSize) -> ParsedTree {
        let fault = |error| TreeFault { error, breaks_main_line: true };
        let (tree, faults) = match entry.record {
            Ok(record) => (GameTree::from(&record), Vec::new()),
            Err(error) => {
                let part = entry.before_fault.as_ref().map(GameTree::from);
                (part.unwrap_or_else(|| GameTree::new(size)), vec![fault(error)])
            }
        };
        let end = tree.main_line().last().unwrap_or(tree.root());
        let (line, warnings, default_rule) = (entry.line, entry.warnings, Rule::Freestyle);
        ParsedTree { line, tree, end, faults, warnings, default_rule }
    }

    /// Returns the main line.
    pub(super) fn into_entry(mut self) -> ParsedRecord {
        if self.has_variations() {
            self.warnings.push(Warning::at_line(self.line, WarningKind::Variations));
        }
        let fault = self.faults.into_iter().find(|fault| fault.breaks_main_line);
        let record = fault.map_or_else(|| Ok(self.tree.record(self.end)), |fault| Err(fault.error));
        ParsedRecord { line: self.line, record, before_fault: None, warnings: self.warnings }
    }

    fn has_variations(&self) -> bool {
        let tree = &self.tree;
        let mut notes = tree.preorder().filter_map(|id| tree.notes(id));
        tree.len() > tree.main_line().count()
            || notes.any(|notes| {
                !notes.comment.is_empty() || notes.properties.iter().any(|(name, _)| name == "5A")
            })
    }

    /// Returns the rule of the game, which is `rule` if that is one, whatever the file names.
    pub fn rule(&self, rule: Option<Rule>) -> Rule {
        rule.or(self.tree.rule).unwrap_or(self.default_rule)
    }
}

/// How files are read.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// The board of games that name none.
    pub size: BoardSize,
    /// The encoding of texts, whatever a file names.
    pub encoding: Option<&'static Encoding>,
}

/// Reads the main lines of a file of any format; `size` is the board of games that name none.
///
/// ```no_run
/// use std::path::Path;
/// use tengen_gomoku::record::load;
/// use tengen_gomoku::types::BoardSize;
///
/// for game in load(Path::new("games.sgf"), BoardSize::new(15, 15).unwrap())? {
///     match game.record {
///         Ok(record) => println!("line {}: {} moves", game.line, record.moves().len()),
///         Err(error) => println!("{error}"),
///     }
/// }
/// # Ok::<(), tengen_gomoku::record::FileError>(())
/// ```
///
/// # Errors
///
/// If the file cannot be read. Each game reports what is wrong with itself.
pub fn load(path: &Path, size: BoardSize) -> Result<Vec<ParsedRecord>, FileError> {
    let bytes = bytes_of(path)?;
    if renlib::is_library(path, &bytes) {
        let mut entry = library(&bytes, None);
        entry.tree.rule = Some(entry.rule(None));
        return Ok(vec![entry.into_entry()]);
    }
    let (text, warning) = text_in(path, &bytes, None)?;
    let mut entries = parse(&text, size);
    if let Some(first) = entries.first_mut() {
        first.warnings.extend(warning);
    }
    Ok(entries)
}

/// Reads a file as [`load`] does, with all variations.
///
/// # Errors
///
/// If the file cannot be read. Each game reports what is wrong with itself.
pub fn load_trees(path: &Path, options: &ReadOptions) -> Result<Vec<ParsedTree>, FileError> {
    trees_of(path, &bytes_of(path)?, options)
}

/// Reads the bytes of a file of this name as [`load_trees`] does.
///
/// # Errors
///
/// If they are empty, or neither a text nor a library.
pub fn trees_of(
    path: &Path,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<Vec<ParsedTree>, FileError> {
    if renlib::is_library(path, bytes) {
        return Ok(vec![library(bytes, options.encoding)]);
    }
    let (text, warning) = text_in(path, bytes, options.encoding)?;
    let mut entries = parse_trees(&text, options.size);
    if let Some(first) = entries.first_mut() {
        first.warnings.extend(warning);
    }
    Ok(entries)
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, FileError> {
    let failed = |error| FileError { path: path.to_owned(), kind: FileErrorKind::Io(error) };
    fs::read(path).map_err(failed)
}

fn text_in(
    path: &Path,
    bytes: &[u8],
    encoding: Option<&'static Encoding>,
) -> Result<(String, Option<Warning>), FileError> {
    let text = match decoded_text(bytes, encoding) {
        None => Err(FileErrorKind::Binary),
        Some((text, _)) if text.trim().is_empty() => Err(FileErrorKind::Empty),
        Some(text) => Ok(text),
    };
    text.map_err(|kind| FileError { path: path.to_owned(), kind })
}

fn library(bytes: &[u8], encoding: Option<&'static Encoding>) -> ParsedTree {
    let fault = |fault: renlib::LibraryError, breaks_main_line| {
        let error = ParseError { line: 1, kind: ParseErrorKind::Bytes(fault.to_string()) };
        TreeFault { error, breaks_main_line }
    };
    let (tree, faults, warnings) = match renlib::parse(bytes, encoding) {
        Ok(renlib::Library { tree, faults, warnings }) => {
            (tree, faults.into_iter().map(|error| fault(error, false)).collect(), warnings)
        }
        Err(error) => (GameTree::new(renlib::board_size()), vec![fault(error, true)], Vec::new()),
    };
    let end = tree.main_line().last().unwrap_or(tree.root());
    ParsedTree { line: 1, tree, end, faults, warnings, default_rule: renlib::RULE }
}

enum Format {
    Psq,
    Sgf,
    PlayOk,
    Pos,
    Unknown,
}

fn begins_with_position(text: &str, size: BoardSize) -> bool {
    let mut lines = text.lines().filter_map(|line| moves::parse_line(line, 1, size));
    lines.next().is_some_and(|entry| entry.record.is_ok())
}

/// Returns the text without its byte order mark, and its format. SGF may have other text before its
/// first game.
fn format(text: &str, size: BoardSize) -> (&str, Format) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let start = text.trim_start();
    let format = if start.starts_with(psq::MAGIC) {
        Format::Psq
    } else if start.starts_with('(') && !moves::begins_list(start)
        || sgf::holds_game(start) && !begins_with_position(start, size)
    {
        Format::Sgf
    } else if playok::is_text(start) {
        Format::PlayOk
    } else if start.starts_with(['<', '{']) {
        Format::Unknown
    } else {
        Format::Pos
    };
    (text, format)
}

/// Reads the main lines of a text of any format.
pub fn parse(text: &str, size: BoardSize) -> Vec<ParsedRecord> {
    let (text, format) = format(text, size);
    match format {
        Format::Psq => psq::parse(text),
        Format::PlayOk => playok::parse(text, size),
        Format::Unknown => vec![ParsedRecord::new(1, unknown(1))],
        Format::Sgf => sgf::parse(text, size).into_iter().map(ParsedTree::into_entry).collect(),
        Format::Pos => {
            let lines = text.lines().enumerate();
            let lines = lines.filter_map(|(i, line)| moves::parse_line(line, i + 1, size));
            let entries: Vec<ParsedRecord> = lines.collect();
            match entries.as_slice() {
                [first, _, ..] if are_other_words(&entries) => {
                    vec![ParsedRecord::new(first.line, unknown(first.line))]
                }
                _ => entries,
            }
        }
    }
}

fn unknown(line: usize) -> Result<Record, ParseError> {
    Err(ParseError { line, kind: ParseErrorKind::Format })
}

/// Returns true if the lines are mostly no moves: one fault is enough for them.
fn are_other_words(lines: &[ParsedRecord]) -> bool {
    let is_other = |entry: &&ParsedRecord| {
        matches!(&entry.record, Err(ParseError { kind: ParseErrorKind::Notation(error), .. })
            if !matches!(error, NotationError::OffBoard(_)))
    };
    let others = lines.iter().filter(is_other).count();
    let readable = lines.iter().filter(|entry| entry.record.is_ok()).count();
    lines.first().as_ref().is_some_and(is_other) && others > 1 && others > readable
}

/// Reads a text of any format with all variations.
pub fn parse_trees(text: &str, size: BoardSize) -> Vec<ParsedTree> {
    match format(text, size) {
        (text, Format::Sgf) => sgf::parse(text, size),
        _ => {
            let entries = parse(text, size).into_iter();
            entries.map(|entry| ParsedTree::of_entry(entry, size)).collect()
        }
    }
}
