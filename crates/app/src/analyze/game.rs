//! A game to analyse, and the positions of it.

use std::sync::Arc;

use tengen::record::Record;
use tengen::record::tree::{GameTree, NodeId, Step};
use tengen::types::Rule;
use tengen_session::review::Review;

/// A game or a line of a file, with its variations.
pub(super) struct SourceGame {
    /// The file it comes from, or what it was typed as.
    pub source: String,
    /// Its line in the file.
    pub line: usize,
    /// All of it that could be read.
    pub tree: Arc<GameTree>,
    /// The nodes of its main line, as far as that could be read.
    pub main_line: Vec<NodeId>,
    pub rule: Rule,
}

impl SourceGame {
    /// Returns where the game comes from, in words.
    pub fn place(&self) -> String {
        let SourceGame { source, line, .. } = self;
        if source == "-" { format!("line {line}") } else { format!("{source}, line {line}") }
    }

    /// Returns the review of the game before anything is found.
    pub fn review(&self) -> Review {
        Review::new(Arc::clone(&self.tree), self.main_line.clone(), self.rule)
    }

    /// Returns the number of stones that are played on the main line.
    pub fn moves(&self) -> usize {
        self.main_line.iter().filter(|&&node| self.is_stone(node)).count()
    }

    /// Returns the last node of the main line with so many moves, or the last one of a shorter
    /// game.
    pub fn after(&self, moves: usize) -> NodeId {
        let mut left = moves;
        let within = self.main_line.iter().take_while(|&&node| {
            let is_stone = self.is_stone(node);
            let is_within = !is_stone || left > 0;
            left -= usize::from(is_stone && left > 0);
            is_within
        });
        within.last().copied().unwrap_or(self.tree.root())
    }

    fn is_stone(&self, node: NodeId) -> bool {
        matches!(self.tree.step(node), Some(Step::Stone(..)))
    }
}

#[derive(Clone)]
pub(super) struct Query {
    pub game: Arc<SourceGame>,
    /// The node of its tree.
    pub node: NodeId,
}

impl Query {
    /// Returns the game up to the position.
    pub fn record(&self) -> Record {
        self.game.tree.record(self.node)
    }

    /// Returns true if the position is not one of the main line.
    pub fn is_variation(&self) -> bool {
        // Parents have smaller numbers than their children.
        self.game.main_line.binary_search(&self.node).is_err()
    }
}
