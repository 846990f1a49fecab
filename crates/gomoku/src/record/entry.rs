//! The result of reading one game of a file: the game, with variations or without, and its faults.
//!
//! Knows no format.

use super::tree::{GameTree, NodeId};
use super::warning::{Warning, WarningKind};
use super::{ParseError, Record};
use crate::types::{BoardSize, Rule};

/// One game or line of a file: where it begins, and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its first line, counted from 1.
    pub line: usize,
    /// The game, or why it cannot be read.
    pub record: Result<Record, ParseError>,
    /// The part of a faulty game before its fault, if that can be read.
    pub before_fault: Option<Record>,
    /// What was read otherwise than it stands there, or left out.
    pub warnings: Vec<Warning>,
}

impl Entry {
    /// Returns the entry of a game in this line, without warnings.
    pub(super) fn new(line: usize, record: Result<Record, ParseError>) -> Entry {
        Entry { line, record, before_fault: None, warnings: Vec::new() }
    }

    /// Returns the entry of a game that ends before the fault, if there is one.
    pub(super) fn of_part(
        line: usize,
        record: Record,
        fault: Option<ParseError>,
        warnings: Vec<Warning>,
    ) -> Entry {
        match fault {
            Some(error) => Entry { line, record: Err(error), before_fault: Some(record), warnings },
            None => Entry { line, record: Ok(record), before_fault: None, warnings },
        }
    }
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
    /// What was read otherwise than it stands there, or left out.
    pub warnings: Vec<Warning>,
    /// The rule of such files, where a game names none that is known.
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

impl TreeEntry {
    /// Returns the entry of a game without variations.
    pub(super) fn of_entry(entry: Entry, size: BoardSize) -> TreeEntry {
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
        TreeEntry { line, tree, end, faults, warnings, default_rule }
    }

    /// Returns the main line.
    pub(super) fn into_entry(mut self) -> Entry {
        if self.has_variations() {
            self.warnings.push(Warning::at_line(self.line, WarningKind::Variations));
        }
        let fault = self.faults.into_iter().find(|fault| fault.breaks_main_line);
        let record = fault.map_or_else(|| Ok(self.tree.record(self.end)), |fault| Err(fault.error));
        Entry { line: self.line, record, before_fault: None, warnings: self.warnings }
    }

    /// Returns true if the tree holds more than its main line, comments or fifth moves.
    fn has_variations(&self) -> bool {
        let tree = &self.tree;
        let mut notes = tree.preorder().filter_map(|id| tree.notes(id));
        tree.len() > tree.main_line().count()
            || notes.any(|notes| {
                !notes.comment.is_empty() || notes.properties.iter().any(|(name, _)| name == "5A")
            })
    }

    /// Returns the rule of the game: `rule` whatever the file says, if that is a rule, else the one
    /// that it names.
    pub fn rule(&self, rule: Option<Rule>) -> Rule {
        rule.or(self.tree.rule).unwrap_or(self.default_rule)
    }
}
