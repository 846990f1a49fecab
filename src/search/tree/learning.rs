//! What nodes learn from each other: through the transposition table, the histories, the
//! correction of the evaluation, and the line that a node hands up.

use super::correction::LastMoves;
use super::history::MoveKind;
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
        self.correction.of(self.board.side_to_move(), self.last_moves(), &self.params)
    }

    /// Learns from a node how wrong its evaluation was, as far as its score tells.
    pub(super) fn note_error(
        &mut self,
        own_eval: Option<i32>,
        static_eval: Option<i32>,
        score: Score,
        bound: Bound,
        depth: Depth,
    ) {
        let (Some(own_eval), Some(static_eval)) = (own_eval, static_eval) else { return };
        let tells = match bound {
            Bound::Exact => true,
            Bound::Lower => score.value() > static_eval,
            Bound::Upper => score.value() < static_eval,
        };
        if tells && !score.is_decisive() {
            let us = self.board.side_to_move();
            let error = score.value() - own_eval;
            let last = self.last_moves();
            self.correction.note(us, last, error, depth / PLY, &self.params);
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
        ply: usize,
        mv: Coord,
        kind: MoveKind,
        depth: Depth,
        tried: &[(Coord, MoveKind)],
    ) {
        let us = self.board.side_to_move();
        let bonus = self.params.history_bonus(depth);
        let malus = self.params.history_malus(bonus);
        self.history.update(us, kind, mv, bonus);
        for &(other, kind) in tried {
            self.history.update(us, kind, other, -malus);
        }
        self.history.note_cutoff(us, ply, self.board.last_move(0), mv);
    }

    pub(super) fn store(
        &self,
        ply: usize,
        score: Score,
        bound: Bound,
        depth: Depth,
        mv: Option<Coord>,
        eval: Option<i32>,
    ) {
        let entry = Entry {
            mv,
            score: score.to_tt(ply as i32),
            eval: eval.map(|eval| eval as i16),
            depth: depth.max(0),
            bound,
        };
        self.shared.table.store(self.board.key(), entry);
    }
}
