//! Pruning of nodes whose evaluation is far from the window, so that their moves need no search.
//!
//! A new pruning rule for whole nodes is a step of [`Worker::prune_node`]; one for single moves
//! stands in the move loop of `negamax`, beside late move pruning. The parameters of a rule go in
//! `search/params.rs`; `tests/params.rs` demands that each changes the search, and
//! `scripts/check.sh --update` writes the new bench signature. Knows no move order and no table but
//! the node's entry.

use super::Worker;
use super::node::Node;
use super::static_eval::table_adjusted;
use crate::shape::Threat;
use crate::types::Score;

impl Worker<'_> {
    /// Returns the score of a node whose evaluation is so far from the window that its moves need
    /// no search.
    pub(super) fn prune_node(&mut self, node: &Node) -> Option<Score> {
        let eval = table_adjusted(node.static_eval?, node);
        // Razoring (Birmingham and Kent, 1977): so far below alpha, or facing an open three, only
        // continuous fours can help, and a leaf looks for those. Where it finds a win by them the
        // node is settled as well.
        let alpha = node.window.alpha;
        let them = !self.board.side_to_move();
        let faces_open_three = self.board.count(them, Threat::OpenFour) > 0;
        if let Some(margin) = self.params.razoring(node.depth)
            && !alpha.is_decisive()
            && (faces_open_three || eval + margin < alpha.value())
        {
            let score = self.leaf(node);
            if score <= alpha || score.is_win() {
                return Some(score);
            }
        }
        if faces_open_three {
            return None;
        }
        // Reverse futility pruning (static null move pruning): so far above beta that the opponent
        // would not have come here.
        let is_new_cut = node.cut_node && node.entry.is_none();
        let margin = self.params.reverse_futility(node.depth, node.is_improving, is_new_cut);
        let beta = node.window.beta;
        (!beta.is_decisive() && eval - margin >= beta.value()).then(|| Score::eval(eval - margin))
    }
}
