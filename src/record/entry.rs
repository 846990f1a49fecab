//! The result of reading one game of a file: the game, with variations or without, and its faults.
//!
//! Knows no format.

use super::tree::{GameTree, NodeId};
use super::{ParseError, Record};
use crate::types::BoardSize;

/// One game or line of a file: where it begins, and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its first line, counted from 1.
    pub line: usize,
    /// The game, or why it cannot be read.
    pub record: Result<Record, ParseError>,
}

/// One game or line of a file as a tree: where it begins, and what of it can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// Its first line, counted from 1.
    pub line: usize,
    /// The part of the game without faults.
    pub tree: GameTree,
    /// The last node of the main line, or the last one before its fault.
    pub end: NodeId,
    /// What could not be read.
    pub faults: Vec<TreeFault>,
}

/// What is wrong with a part of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFault {
    /// The fault and its line.
    pub error: ParseError,
    /// True if the main line ends there, before its own end.
    pub breaks_main_line: bool,
}

impl TreeEntry {
    /// Returns the entry of a game without variations.
    pub(super) fn of_entry(entry: Entry, size: BoardSize) -> TreeEntry {
        let fault = |error| TreeFault { error, breaks_main_line: true };
        let (tree, faults) = match entry.record {
            Ok(record) => (GameTree::from(&record), Vec::new()),
            Err(error) => (GameTree::new(size), vec![fault(error)]),
        };
        let end = tree.main_line().last().unwrap_or(tree.root());
        TreeEntry { line: entry.line, tree, end, faults }
    }

    /// Returns the main line.
    pub(super) fn into_entry(self) -> Entry {
        let fault = self.faults.into_iter().find(|fault| fault.breaks_main_line);
        let record = fault.map_or_else(|| Ok(self.tree.record(self.end)), |fault| Err(fault.error));
        Entry { line: self.line, record }
    }
}
