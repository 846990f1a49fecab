//! The updates behind a searched node: its principal variation, the histories and the correction
//! history.
//!
//! What a node stores in the transposition table is the business of `transposition`.

use super::history::MoveKind;
use super::node::Node;
use super::static_eval::corrects;
use super::{MAX_PLY, Worker};
use crate::search::params::PLY;
use crate::types::{Bound, Coord, Score};

impl Worker<'_> {
    /// Makes `mv` and the principal variation behind it that of the node.
    pub(super) fn update_pv(&mut self, ply: usize, mv: Coord) {
        let (head, tail) = self.frames.split_at_mut(ply + 1);
        let (node, child) = (&mut head[ply], &tail[0]);
        let len = child.pv_len.min(MAX_PLY - 1);
        node.pv[0] = Some(mv);
        node.pv[1..=len].copy_from_slice(&child.pv[..len]);
        node.pv_len = len + 1;
    }

    /// Updates the histories by a move that reached beta, and by those tried before it in vain.
    pub(super) fn update_histories(
        &mut self,
        node: &Node,
        mv: Coord,
        kind: MoveKind,
        tried: &[(Coord, MoveKind)],
    ) {
        let us = self.board.side_to_move();
        let bonus = self.params.history_bonus(node.depth);
        let malus = self.params.history_malus(bonus);
        let previous = self.board.last_move(0);
        self.history.update(us, kind, previous, mv, bonus);
        for &(other, kind) in tried {
            self.history.update(us, kind, previous, other, -malus);
        }
        self.history.set_killer(node.ply, mv);
        self.history.set_counter_move(us, previous, mv);
    }

    /// Updates the correction history by how wrong the evaluation was, if the score tells.
    pub(super) fn update_correction(&mut self, node: &Node, score: Score, bound: Bound) {
        let Some(static_eval) = node.static_eval else { return };
        if corrects(score, bound, static_eval) {
            let us = self.board.side_to_move();
            let error = score.value() - static_eval;
            let keys = self.correction_keys();
            self.correction.update(us, keys, error, node.depth / PLY, &self.params);
        }
    }
}
