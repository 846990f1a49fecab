//! Nodes that need no search of their own moves: leaves, nodes far outside of the window, and nodes
//! whose table move is tested for being the only good one.

use super::{Stopped, Worker};
use crate::search::params::{Depth, PLY};
use crate::search::table::Entry;
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
    pub(super) fn leaf(&mut self, ply: usize, window: Window, entry: Option<Entry>) -> Score {
        let own = self.own_eval(entry);
        let eval = Score::eval(own + self.correction());
        let us = self.board.side_to_move();
        let mut score = eval;
        if eval < window.beta && self.board.has_four(us) {
            if let Outcome::Win { plies, .. } = self.solve_vcf(self.params.leaf_vcf_nodes) {
                score = Score::win_in(ply as i32 + plies);
            }
        }
        // What a deeper search found about the same position is worth more.
        if entry.is_none_or(|entry| entry.depth <= 0) || score.is_win() {
            let bound = if score.is_win() { Bound::Lower } else { Bound::Exact };
            self.store(ply, score, bound, 0, None, Some(own));
        }
        score
    }

    /// Decides nodes that need no search because the evaluation is far from the window: far above
    /// it with this surplus.
    pub(super) fn prune_node(
        &mut self,
        eval: i32,
        depth: Depth,
        ply: usize,
        window: Window,
        surplus: i32,
        entry: Option<Entry>,
    ) -> Option<Score> {
        // Razoring: so far below alpha, or facing an open three, only continuous fours can help.
        let alpha = window.alpha;
        let them = !self.board.side_to_move();
        let faces_open_four = self.board.count(them, Threat::OpenFour) > 0;
        if let Some(margin) = self.params.razoring(depth) {
            if !alpha.is_decisive() && (faces_open_four || eval + margin < alpha.value()) {
                let score = self.leaf(ply, window, entry);
                if score <= alpha {
                    return Some(score);
                }
            }
        }
        if faces_open_four {
            return None;
        }
        // Reverse futility: so far above beta that the opponent would not have come here.
        let beta = window.beta;
        (!beta.is_decisive() && eval - surplus >= beta.value()).then(|| Score::eval(eval - surplus))
    }

    /// Tests whether the table move is much better than all others by searching those without it.
    pub(super) fn singular_extension<const PV: bool>(
        &mut self,
        mv: Coord,
        entry: Entry,
        depth: Depth,
        ply: usize,
        window: Window,
        is_cut: bool,
    ) -> Result<Singular, Stopped> {
        let tt_score = entry.score_at(ply);
        let is_candidate = depth >= self.params.singular_min_depth
            && entry.bound != Bound::Upper
            && entry.depth >= depth - self.params.singular_slack
            && !tt_score.is_decisive();
        if !is_candidate {
            return Ok(Singular::Extend(0));
        }
        let threshold = tt_score.shift(-self.params.singular_margin * depth / PLY);
        self.frames[ply].excluded = Some(mv);
        let test = Window::null_below(threshold);
        let result = self.negamax::<false>((depth - PLY) / 2, ply, test, is_cut);
        self.frames[ply].excluded = None;
        let score = result?;
        Ok(if score < threshold {
            let is_clear = !PV && score < threshold.shift(-self.params.double_margin);
            Singular::Extend(if is_clear { 2 * PLY } else { PLY })
        } else if threshold >= window.beta {
            // Multi-cut: even without the table move beta is reached.
            Singular::MultiCut(threshold)
        } else if tt_score >= window.beta {
            Singular::Extend(-PLY)
        } else {
            Singular::Extend(0)
        })
    }
}

/// Returns the static evaluation, replaced by the table's score where that says more.
pub(super) fn sharpened(eval: i32, entry: Option<Entry>, ply: usize) -> i32 {
    let Some(entry) = entry else { return eval };
    let score = entry.score_at(ply);
    let says_more = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score.value() > eval,
        Bound::Upper => score.value() < eval,
    };
    if says_more && !score.is_decisive() { score.value() } else { eval }
}
