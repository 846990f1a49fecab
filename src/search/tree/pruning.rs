//! Nodes that need no search of their own moves: leaves, nodes far outside of the window, and nodes
//! whose table move is tested for being the only good one.

use super::node::Node;
use super::{Stopped, Worker};
use crate::search::params::{Depth, PLY};
use crate::search::threat::vcf::Outcome;
use crate::shape::Threat;
use crate::types::{Bound, Coord, Score, Window};

/// What the test of the table move says.
pub(super) enum Singular {
    Extend(Depth),
    MultiCut(Score),
}

impl Worker<'_> {
    /// The value of a node at the horizon: a win by continuous fours or the static evaluation.
    pub(super) fn leaf(&mut self, node: &Node) -> Score {
        let raw_eval = self.own_eval(node.entry);
        let eval = Score::eval(raw_eval + self.correction());
        let us = self.board.side_to_move();
        let mut score = eval;
        if eval < node.window.beta && self.board.has_four(us) {
            if let Outcome::Win { plies, .. } = self.solve_vcf(self.params.leaf_vcf_nodes) {
                score = Score::win_in(node.ply as i32 + plies);
            }
        }
        // What a deeper search found about the same position is worth more.
        if node.entry.is_none_or(|entry| entry.depth <= 0) || score.is_win() {
            let bound = if score.is_win() { Bound::Lower } else { Bound::Exact };
            let leaf = Node { depth: 0, raw_eval: Some(raw_eval), ..*node };
            self.store(&leaf, None, score, bound);
        }
        score
    }

    /// Decides nodes that need no search because the evaluation is far from the window.
    pub(super) fn prune_node(&mut self, node: &Node) -> Option<Score> {
        let eval = sharpened(node.static_eval?, node);
        // Razoring: so far below alpha, or facing an open three, only continuous fours can help.
        let alpha = node.window.alpha;
        let them = !self.board.side_to_move();
        let faces_open_four = self.board.count(them, Threat::OpenFour) > 0;
        if let Some(margin) = self.params.razoring(node.depth) {
            if !alpha.is_decisive() && (faces_open_four || eval + margin < alpha.value()) {
                let score = self.leaf(node);
                if score <= alpha {
                    return Some(score);
                }
            }
        }
        if faces_open_four {
            return None;
        }
        // Reverse futility: so far above beta that the opponent would not have come here.
        let is_new_cut = node.cut_node && node.entry.is_none();
        let surplus = self.params.futility(node.depth, node.is_improving, is_new_cut);
        let beta = node.window.beta;
        (!beta.is_decisive() && eval - surplus >= beta.value()).then(|| Score::eval(eval - surplus))
    }

    /// Tests whether the table move is much better than all others by searching those without it.
    pub(super) fn singular_extension<const PV: bool>(
        &mut self,
        node: &Node,
        mv: Coord,
    ) -> Result<Singular, Stopped> {
        let Some(entry) = node.entry else { return Ok(Singular::Extend(0)) };
        let tt_score = entry.score_at(node.ply);
        let is_candidate = !node.is_root()
            && !node.is_forced
            && node.excluded.is_none()
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
            Singular::Extend(if is_clear { 2 * PLY } else { PLY })
        } else if threshold >= node.window.beta {
            // Multi-cut: even without the table move beta is reached.
            Singular::MultiCut(threshold)
        } else if tt_score >= node.window.beta {
            Singular::Extend(-PLY)
        } else {
            Singular::Extend(0)
        })
    }
}

/// Returns the static evaluation, replaced by the table's score where that says more.
fn sharpened(eval: i32, node: &Node) -> i32 {
    let Some(entry) = node.entry else { return eval };
    let score = entry.score_at(node.ply);
    let says_more = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score.value() > eval,
        Bound::Upper => score.value() < eval,
    };
    if says_more && !score.is_decisive() { score.value() } else { eval }
}
