//! Cutoffs by the transposition table, what a node stores there, and the moves it holds behind a
//! proven win or loss.
//!
//! Judges entries by their depth and bound; knows no evaluation and no threats but fours, whose
//! answers are searched deeper.

use super::Worker;
use super::node::Node;
use crate::search::params::Depth;
use crate::search::table::Entry;
use crate::shape::Threat;
use crate::types::{Bound, Coord, Score, Window};

impl Worker<'_> {
    /// Returns the table's score of a node if it settles what the parent asks.
    pub(super) fn table_cutoff(&self, node: &Node) -> Option<Score> {
        let entry = node.entry?;
        let score = entry.score_at(node.ply);
        let settles =
            self.is_deep_enough(entry, node.depth) && is_cutoff(entry.bound, score, node.window);
        settles.then_some(score)
    }

    /// Returns the score of a PV node if the table holds its proven win or loss. An entry of less
    /// depth does not count: a deeper search may find a shorter win. The root is always searched.
    /// The PV ends at this node; [`Worker::follow_proofs`] completes it.
    pub(super) fn decisive_cutoff(&self, node: &Node) -> Option<Score> {
        let entry = node.entry.filter(|entry| !node.is_root() && entry.is_decisive())?;
        self.is_deep_enough(entry, node.depth).then(|| entry.score_at(node.ply))
    }

    /// Completes the variation of a proven result: appends the table's moves as long as it holds
    /// proven wins and losses. The variation gets no longer than `plies`, the length of the win.
    pub fn follow_proofs(&mut self, variation: &mut Vec<Coord>, plies: usize) {
        variation.iter().for_each(|&mv| self.board.play(mv));
        while variation.len() < plies
            && let Some(entry) = self.shared.table.probe(self.board.key())
            && entry.is_decisive()
            && let Some(mv) = entry.mv
            && self.board.is_legal(mv, self.board.side_to_move())
        {
            self.board.play(mv);
            variation.push(mv);
        }
        variation.iter().for_each(|_| self.board.undo());
    }

    /// Returns the score of a move that the table knows not to beat alpha when searched `depth`
    /// deep. Enhanced transposition cutoff (Plaat and others, 1996): a child is probed before its
    /// move is made. Theirs asks all children for one that reaches beta; here each move is asked
    /// when its turn comes, whether it fails, as most moves of a node do.
    pub(super) fn enhanced_transposition_cutoff(
        &self,
        mv: Coord,
        threat: Threat,
        depth: Depth,
        ply: usize,
        alpha: Score,
    ) -> Option<Score> {
        let entry = self.shared.table.probe(self.board.key_after(mv))?;
        let score = -entry.score_at(ply + 1);
        let us = self.board.side_to_move();
        let is_forced = threat >= Threat::Four
            || threat == Threat::Forbidden && self.board.threats(mv).makes_four(us);
        let depth = depth + if is_forced { self.params.forced_reply_extension } else { 0 };
        let fails = entry.bound != Bound::Upper && score <= alpha;
        (fails && self.is_deep_enough(entry, depth)).then_some(score)
    }

    /// Returns true if a table entry stands for a search of this depth.
    fn is_deep_enough(&self, entry: Entry, depth: Depth) -> bool {
        entry.depth + self.params.table_slack >= depth.min(Entry::MAX_DEPTH)
    }

    /// Stores what was found about the node of the position on the board.
    pub(super) fn store(&self, node: &Node, mv: Option<Coord>, score: Score, bound: Bound) {
        let entry = Entry {
            mv,
            score: score.to_tt(node.ply as i32),
            eval: node.raw_eval.map(|eval| eval as i16),
            depth: node.depth.max(0),
            bound,
        };
        self.shared.table.store(self.board.key(), entry);
    }
}

/// Returns true if a score settles a question asked with `window`.
fn is_cutoff(bound: Bound, score: Score, window: Window) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => score >= window.beta,
        Bound::Upper => score <= window.alpha,
    }
}
