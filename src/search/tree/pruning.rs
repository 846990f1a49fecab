//! Nodes that need no search of their moves: leaves, and nodes whose evaluation is far from the
//! window; and the singular search, which extends or cuts nodes by their table move.
//!
//! A new pruning rule for whole nodes is a step of [`Worker::prune_node`]; one for single moves
//! stands in the move loop of `negamax`, beside late move pruning. Its numbers are declared in
//! `search/params.rs`; `tests/params.rs` demands that each of them changes the search, and
//! `scripts/check.sh --update` writes the new bench signature. Knows no move order and no table but
//! the node's entry.

use super::node::Node;
use super::static_eval::table_adjusted;
use super::{Stopped, Worker};
use crate::search::params::{Depth, PLY};
use crate::search::threat::vcf::Outcome;
use crate::shape::Threat;
use crate::types::{Bound, Coord, Score, Window};

/// What the singular search of a node says.
pub(super) enum Singular {
    /// The table move is searched deeper by this, which may be less than nothing.
    Extend(Depth),
    /// The node reaches beta.
    MultiCut(Score),
}

impl Worker<'_> {
    /// Returns the score of a leaf: a win by continuous fours (VCF) or the static evaluation.
    pub(super) fn leaf(&mut self, node: &Node) -> Score {
        let raw_eval = self.raw_eval(node.entry);
        let eval = Score::eval(raw_eval + self.correction());
        let us = self.board.side_to_move();
        let (mut score, mut best) = (eval, None);
        if eval < node.window.beta
            && self.board.has_four(us)
            && let Outcome::Win { mv, plies } = self.solve_vcf(self.params.leaf_vcf_nodes)
            && self.is_in_time(plies)
        {
            (score, best) = (Score::win_in(node.ply as i32 + plies), Some(mv));
        }
        // What a deeper search found about the same position is worth more.
        if node.entry.is_none_or(|entry| entry.depth <= 0) || score.is_win() {
            let bound = if score.is_win() { Bound::Lower } else { Bound::Exact };
            let leaf = Node { depth: 0, raw_eval: Some(raw_eval), ..*node };
            self.store(&leaf, best, score, bound);
        }
        score
    }

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
        let surplus = self.params.reverse_futility(node.depth, node.is_improving, is_new_cut);
        let beta = node.window.beta;
        (!beta.is_decisive() && eval - surplus >= beta.value()).then(|| Score::eval(eval - surplus))
    }

    /// Singular extension (Anantharaman, Campbell and Hsu, 1988, in Stockfish's form): a shallower
    /// search without the table move, here called singular search. If all other moves stay below
    /// the table's score by a margin, the table move is the only good one and is searched deeper.
    pub(super) fn singular_extension<const PV: bool>(
        &mut self,
        node: &Node,
        mv: Coord,
    ) -> Result<Singular, Stopped> {
        let Some(entry) = node.entry else { return Ok(Singular::Extend(0)) };
        let tt_score = entry.score_at(node.ply);
        let is_candidate = !node.is_root()
            && !node.is_forced
            && node.depth >= self.params.singular_min_depth
            && entry.bound != Bound::Upper
            && entry.depth >= node.depth - self.params.singular_slack
            && !tt_score.is_decisive();
        if !is_candidate {
            return Ok(Singular::Extend(0));
        }
        let threshold = tt_score.shift(-self.params.singular_margin * node.depth / PLY);
        let test = node.without(mv, (node.depth - PLY) / 2, Window::null_below(threshold));
        let score = self.negamax::<false>(test)?;
        Ok(if score < threshold {
            let is_clear = !PV && score < threshold.shift(-self.params.double_margin);
            Singular::Extend(match is_clear {
                true => self.params.double_extension,
                false => self.params.singular_extension,
            })
        } else if threshold >= node.window.beta {
            // Multi-cut (Björnsson and Marsland, 1998): beta is reached without the table move too.
            Singular::MultiCut(threshold)
        } else if tt_score >= node.window.beta {
            // Negative extension: the others are nearly as good, so that one of them may do.
            Singular::Extend(-self.params.negative_extension)
        } else {
            Singular::Extend(0)
        })
    }
}
