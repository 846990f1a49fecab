//! What nodes learn from each other: through the transposition table, the histories, the
//! correction of the evaluation, and the line that a node hands up.

use super::correction::LastMoves;
use super::history::MoveKind;
use super::node::Node;
use super::{MAX_PLY, Worker};
use crate::search::params::{Depth, PLY};
use crate::search::table::Entry;
use crate::shape::Threat;
use crate::types::{Bound, Coord, Score};

impl Worker<'_> {
    /// Returns the score of a move that the transposition table knows not to beat alpha: most
    /// moves of a node fail, and those need not be played.
    pub(super) fn known_failure(
        &self,
        mv: Coord,
        threat: Threat,
        depth: Depth,
        ply: usize,
        alpha: Score,
    ) -> Option<Score> {
        let entry = self.shared.table.probe(self.board.key_after(mv))?;
        let score = -entry.score_at(ply + 1);
        let is_forced = threat >= Threat::Four;
        let depth = depth + if is_forced { self.params.forced_reply_extension } else { 0 };
        let fails = entry.bound != Bound::Upper && score <= alpha;
        (fails && self.is_deep_enough(entry, depth)).then_some(score)
    }

    /// Returns true if a table entry stands for a search of this depth.
    pub(super) fn is_deep_enough(&self, entry: Entry, depth: Depth) -> bool {
        entry.depth + self.params.table_slack >= depth
    }

    /// Returns the static evaluation, which the table may have kept.
    pub(super) fn own_eval(&self, entry: Option<Entry>) -> i32 {
        match entry.and_then(|entry| entry.eval) {
            Some(eval) => eval.into(),
            None => self.evaluator.evaluate(&self.board).value(),
        }
    }

    /// Returns what earlier searches say is to be added to the evaluation.
    pub(super) fn correction(&self) -> i32 {
        self.correction.of(self.board.side_to_move(), self.last_moves())
    }

    /// Learns from a node how wrong its evaluation was, as far as its score tells.
    pub(super) fn note_error(&mut self, node: &Node, score: Score, bound: Bound) {
        let (Some(raw_eval), Some(static_eval)) = (node.raw_eval, node.static_eval) else { return };
        let tells = match bound {
            Bound::Exact => true,
            Bound::Lower => score.value() > static_eval,
            Bound::Upper => score.value() < static_eval,
        };
        if tells && !score.is_decisive() {
            let us = self.board.side_to_move();
            let error = score.value() - raw_eval;
            self.correction.note(us, self.last_moves(), error, node.depth / PLY);
        }
    }

    pub(super) fn last_moves(&self) -> LastMoves {
        [0, 1].map(|plies| self.board.last_move(plies))
    }

    pub(super) fn note_pv(&mut self, ply: usize, mv: Coord) {
        let (head, tail) = self.frames.split_at_mut(ply + 1);
        let (node, child) = (&mut head[ply], &tail[0]);
        let len = child.pv_len.min(MAX_PLY - 1);
        node.pv[0] = Some(mv);
        node.pv[1..=len].copy_from_slice(&child.pv[..len]);
        node.pv_len = len + 1;
    }

    pub(super) fn note_cutoff(
        &mut self,
        node: &Node,
        mv: Coord,
        kind: MoveKind,
        tried: &[(Coord, MoveKind)],
    ) {
        let us = self.board.side_to_move();
        let plies = (node.depth / PLY).max(1);
        let bonus = (16 * plies * plies + 64 * plies).min(1600);
        self.history.update(us, kind, mv, bonus);
        for &(other, kind) in tried {
            self.history.update(us, kind, other, -bonus * self.params.history_penalty / 1024);
        }
        self.history.note_cutoff(us, node.ply, self.board.last_move(0), mv);
    }

    /// Stores what was found about a node of the position as it stands.
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
