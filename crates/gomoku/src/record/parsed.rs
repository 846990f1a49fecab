//! Games as they were read, with what is wrong with them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use encoding_rs::Encoding;

use super::error::UNKNOWN_RULE;
use super::tree::{Editor, GameTree};
use super::{ParseError, ParseErrorKind, Record, Warning};
use crate::types::{BoardSize, Rows, Rule};

/// One game or line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedGame {
    /// Its first line, counted from 1.
    pub line: usize,
    /// The part of the game without faults. Its main line ends before a fault in that.
    pub tree: GameTree,
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
        let fault = fault.map(|fault| ParseError { breaks_main_line: true, ..fault });
        let (tree, faults) = (editor.tree, fault.into_iter().collect());
        ParsedGame { line, tree, faults, warnings, default_rule: None }
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
            None => Ok(self.tree.record(self.tree.end())),
        }
    }

    /// Returns the rule of the game: `asked`, whatever the file names, or that of the file, or
    /// `default`.
    pub fn rule(&self, asked: Option<Rule>, default: Rule) -> Rule {
        asked.or(self.tree.rule).or(self.default_rule).unwrap_or(default)
    }
}

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

/// Returns the warnings in words: the first of each kind, the first about each unknown rule, and
/// the first about a rule that `asked` overrides. A game has the rule `asked`, its own, or
/// `default`.
pub fn warnings_in_words(games: &[ParsedGame], asked: Option<Rule>, default: Rule) -> Vec<String> {
    let mut told = BTreeSet::new();
    let mut words = Vec::new();
    for game in games {
        for warning in &game.warnings {
            let name = if warning.kind == UNKNOWN_RULE { warning.text.as_str() } else { "" };
            if told.insert((warning.kind, name)) {
                words.push(warning.words(game.rule(asked, default)));
            }
        }
    }
    let mut named = games.iter().filter_map(|game| Some((game.line, game.tree.rule?, asked?)));
    if let Some((line, named, taken)) = named.find(|(_, named, taken)| named != taken) {
        words.push(format!("line {line}: the rule is {named} here, {taken} is taken as asked for"));
    }
    words
}
