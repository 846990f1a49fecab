//! Reading of files of games and of their texts: finds out the format and calls its parser.
//!
//! Knows which formats there are, and nothing of how they are written.

use std::fs;
use std::path::Path;

use encoding_rs::Encoding;

use super::entry::{Entry, TreeEntry, TreeFault};
use super::error::FileErrorKind;
use super::text::decoded_text;
use super::{
    FileError, ParseError, ParseErrorKind, Record, Warning, moves, playok, psq, renlib, sgf,
};
use crate::board::notation::NotationError;
use crate::types::BoardSize;

/// How files are read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The board of "pos" lines, and of SGF that names none.
    pub size: BoardSize,
    /// The encoding of texts, whatever a file names; `None` for the one that it names.
    pub encoding: Option<&'static Encoding>,
}

/// Reads the main lines of a file of any kind, which the file itself tells. `size` is the board
/// of "pos" lines, and of SGF that names none.
///
/// # Errors
///
/// If the file cannot be read. What is wrong with a game in it, its entry says.
pub fn load(path: &Path, size: BoardSize) -> Result<Vec<Entry>, FileError> {
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
/// If the file cannot be read. What is wrong with a game in it, its entry says.
pub fn load_trees(path: &Path, reading: &Reading) -> Result<Vec<TreeEntry>, FileError> {
    trees_of(path, &bytes_of(path)?, reading)
}

/// Reads the bytes of a file of this name as [`load_trees`] does.
///
/// # Errors
///
/// If they are empty, or neither a text nor a library.
pub fn trees_of(path: &Path, bytes: &[u8], reading: &Reading) -> Result<Vec<TreeEntry>, FileError> {
    if renlib::is_library(path, bytes) {
        return Ok(vec![library(bytes, reading.encoding)]);
    }
    let (text, warning) = text_in(path, bytes, reading.encoding)?;
    let mut entries = parse_trees(&text, reading.size);
    if let Some(first) = entries.first_mut() {
        first.warnings.extend(warning);
    }
    Ok(entries)
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, FileError> {
    let failed = |error| FileError { path: path.to_owned(), kind: FileErrorKind::Io(error) };
    fs::read(path).map_err(failed)
}

/// Returns the text that a file's bytes are.
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

/// Returns the entry of a library of RenLib.
fn library(bytes: &[u8], encoding: Option<&'static Encoding>) -> TreeEntry {
    let (library, is_none) = match renlib::parse(bytes, encoding) {
        Ok(library) => (library, false),
        Err(fault) => (renlib::Library::without(fault), true),
    };
    let fault = |fault: renlib::Fault| {
        let error = ParseError { line: 1, kind: ParseErrorKind::Bytes(fault.to_string()) };
        TreeFault { error, breaks_main_line: is_none }
    };
    let renlib::Library { tree, faults, warnings } = library;
    let faults = faults.into_iter().map(fault).collect();
    let end = tree.main_line().last().unwrap_or(tree.root());
    TreeEntry { line: 1, tree, end, faults, warnings, default_rule: renlib::RULE }
}

/// The kinds of text.
enum Format {
    Psq,
    Sgf,
    PlayOk,
    Pos,
    Unknown,
}

/// Returns true if the first "pos" line of a text holds a position.
fn begins_with_position(text: &str, size: BoardSize) -> bool {
    let mut lines = text.lines().filter_map(|line| moves::parse_line(line, 1, size));
    lines.next().is_some_and(|entry| entry.record.is_ok())
}

/// Returns the text without its byte order mark, and its kind. SGF may have other text before its
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

/// Reads the main lines of the text of a file of any kind.
pub fn parse(text: &str, size: BoardSize) -> Vec<Entry> {
    let (text, format) = format(text, size);
    match format {
        Format::Psq => psq::parse(text),
        Format::PlayOk => playok::parse(text, size),
        Format::Unknown => vec![Entry::new(1, unknown(1))],
        Format::Sgf => sgf::parse(text, size).into_iter().map(TreeEntry::into_entry).collect(),
        Format::Pos => {
            let lines = text.lines().enumerate();
            let lines = lines.filter_map(|(i, line)| moves::parse_line(line, i + 1, size));
            let entries: Vec<Entry> = lines.collect();
            match entries.as_slice() {
                [first, _, ..] if are_other_words(&entries) => {
                    vec![Entry::new(first.line, unknown(first.line))]
                }
                _ => entries,
            }
        }
    }
}

fn unknown(line: usize) -> Result<Record, ParseError> {
    Err(ParseError { line, kind: ParseErrorKind::Format })
}

/// Returns true if lines, from the first one on, are mostly no moves: one fault is enough for them.
fn are_other_words(lines: &[Entry]) -> bool {
    let is_other = |entry: &&Entry| {
        matches!(&entry.record, Err(ParseError { kind: ParseErrorKind::Notation(error), .. })
            if !matches!(error, NotationError::OffBoard(_)))
    };
    let others = lines.iter().filter(is_other).count();
    let readable = lines.iter().filter(|entry| entry.record.is_ok()).count();
    lines.first().as_ref().is_some_and(is_other) && others > 1 && others > readable
}

/// Reads the text of a file of any kind as [`parse`] does, with all variations.
pub fn parse_trees(text: &str, size: BoardSize) -> Vec<TreeEntry> {
    match format(text, size) {
        (text, Format::Sgf) => sgf::parse(text, size),
        _ => {
            let entries = parse(text, size).into_iter();
            entries.map(|entry| TreeEntry::of_entry(entry, size)).collect()
        }
    }
}
