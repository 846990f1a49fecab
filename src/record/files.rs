//! Reading of files of games and of their texts: finds out the format and calls its parser.
//!
//! Knows which formats there are, and nothing of how they are written.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::entry::{Entry, TreeEntry, TreeFault};
use super::error::FileErrorKind;
use super::text::text_of;
use super::tree::GameTree;
use super::{FileError, ParseError, ParseErrorKind, Record, psq, renlib, sgf};
use crate::board::notation::{parse_offsets, parse_points};
use crate::types::{BoardSize, Rule};

/// Reads the main lines of a file of any of the three kinds, which its text tells. `size` is the
/// board of "pos" lines, and of SGF that names none.
///
/// # Errors
///
/// If the file cannot be read. What is wrong with a game in it, its entry says.
pub fn load(path: &Path, size: BoardSize) -> Result<Vec<Entry>, FileError> {
    text_in(path, &bytes_of(path)?).map(|text| parse(&text, size))
}

/// Reads a file of any of the three kinds as [`load`] does, with all variations, or a library of
/// RenLib, whose rule is `library_rule`.
///
/// # Errors
///
/// If the file cannot be read. What is wrong with a game in it, its entry says.
pub fn load_trees(
    path: &Path,
    size: BoardSize,
    library_rule: Rule,
) -> Result<Vec<TreeEntry>, FileError> {
    let bytes = bytes_of(path)?;
    if renlib::is_library(path, &bytes) {
        return Ok(vec![library(&bytes, library_rule)]);
    }
    text_in(path, &bytes).map(|text| parse_trees(&text, size))
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, FileError> {
    let failed = |error| FileError { path: path.to_owned(), kind: FileErrorKind::Io(error) };
    fs::read(path).map_err(failed)
}

/// Returns the text that a file's bytes are.
fn text_in(path: &Path, bytes: &[u8]) -> Result<String, FileError> {
    let text = match text_of(bytes) {
        None => Err(FileErrorKind::Binary),
        Some(text) if text.trim().is_empty() => Err(FileErrorKind::Empty),
        Some(text) => Ok(text),
    };
    text.map_err(|kind| FileError { path: path.to_owned(), kind })
}

/// Returns the entry of a library of RenLib, which names no rule itself.
fn library(bytes: &[u8], rule: Rule) -> TreeEntry {
    let (mut tree, faults) = match renlib::parse(bytes) {
        Ok((tree, faults)) => (tree, faults.into_iter().map(|fault| (fault, false)).collect()),
        Err(fault) => (GameTree::new(renlib::board_size()), vec![(fault, true)]),
    };
    let fault = |(fault, breaks_main_line): (renlib::Fault, bool)| {
        let error = ParseError { line: 1, kind: ParseErrorKind::Bytes(fault.to_string()) };
        TreeFault { error, breaks_main_line }
    };
    let faults = faults.into_iter().map(fault).collect();
    tree.rule = Some(rule);
    let end = tree.main_line().last().unwrap_or(tree.root());
    TreeEntry { line: 1, tree, end, faults }
}

/// The kinds of text.
enum Format {
    Psq,
    Sgf,
    Pos,
}

/// Returns true if the first "pos" line of a text holds a position.
fn begins_with_position(text: &str, size: BoardSize) -> bool {
    let mut lines = text.lines().filter_map(|line| parse_line(line, 1, size));
    lines.next().is_some_and(|entry| entry.record.is_ok())
}

/// Returns the text without its byte order mark, and its kind. SGF may have other text before its
/// first game.
fn format(text: &str, size: BoardSize) -> (&str, Format) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let start = text.trim_start();
    let format = if start.starts_with(psq::MAGIC) {
        Format::Psq
    } else if start.starts_with('(') || sgf::holds_game(start) && !begins_with_position(start, size)
    {
        Format::Sgf
    } else {
        Format::Pos
    };
    (text, format)
}

/// Reads the main lines of the text of a file of any of the three kinds. A "pos" line may hold
/// offsets from the centre instead, such as `0,0, -1,2`. Blank lines, and what follows a `#` in
/// one, are skipped.
pub fn parse(text: &str, size: BoardSize) -> Vec<Entry> {
    let (text, format) = format(text, size);
    match format {
        Format::Psq => vec![Entry { line: 1, record: psq::parse(text) }],
        Format::Sgf => sgf::parse(text, size).into_iter().map(TreeEntry::into_entry).collect(),
        Format::Pos => {
            let lines = text.lines().enumerate();
            lines.filter_map(|(i, line)| parse_line(line, i + 1, size)).collect()
        }
    }
}

/// Reads the text of a file of any of the three kinds as [`parse`] does, with all variations.
pub fn parse_trees(text: &str, size: BoardSize) -> Vec<TreeEntry> {
    match format(text, size) {
        (text, Format::Sgf) => sgf::parse(text, size),
        _ => {
            let entries = parse(text, size).into_iter();
            entries.map(|entry| TreeEntry::of_entry(entry, size)).collect()
        }
    }
}

fn parse_line(text: &str, line: usize, size: BoardSize) -> Option<Entry> {
    let text = text.split('#').next().unwrap_or_default();
    if text.trim().is_empty() {
        return None;
    }
    let mut record = Record::new(size);
    let is_offsets = text.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let points = if is_offsets { parse_offsets(text, size) } else { parse_points(text, size) };
    let points = points.map_err(ParseErrorKind::Notation);
    let result = points
        .and_then(|points| points.into_iter().try_for_each(|c| record.play(c, Duration::ZERO)));
    let record = result.map(|()| record).map_err(|kind| ParseError { line, kind });
    Some(Entry { line, record })
}
