//! Leaves: where the search of moves ends.
//!
//! A leaf has the static evaluation, or a win by continuous fours where the evaluation alone does
//! not reach beta. What it finds goes into the table.

use super::Worker;
use super::node::Node;
use crate::search::threat::vcf::Outcome;
use crate::types::{Bound, Score};

impl Worker<'_> {
    /// Returns the score of a leaf: a win by continuous fours (VCF) or the static evaluation.
    pub(super) fn leaf(&mut self, node: &Node) -> Score {
        let raw_eval = self.raw_eval(node.entry);
        let static_eval = node.static_eval.unwrap_or_else(|| raw_eval + self.correction());
        let eval = Score::eval(static_eval);
        let us = self.board.side_to_move();
        let (mut score, mut best) = (eval, None);
        let can_make_four = self.board.can_make_four(us);
        if eval < node.window.beta
            && can_make_four
            && let Outcome::Win { mv, plies } = self.solve_vcf(self.params.leaf_vcf_nodes)
            && self.is_in_time(plies)
        {
            (score, best) = (Score::win_in(node.ply as i32 + plies), Some(mv));
        }
        // What a deeper search found about the same position is worth more.
        if node.entry.is_none_or(|entry| entry.depth <= 0) || score.is_win() {
            // Fours that were not looked for may win; a search of fours cut short counts as none.
            let is_lower = score.is_win() || can_make_four && eval >= node.window.beta;
            let bound = if is_lower { Bound::Lower } else { Bound::Exact };
            let leaf = Node { depth: 0, raw_eval: Some(raw_eval), ..*node };
            self.store(&leaf, best, score, bound);
        }
        score
    }
}
