//! The static evaluation of a node in its three forms: raw, the evaluator's value with black's
//! overlines, the style and the noise of the strength; corrected by the correction history;
//! adjusted by the transposition table.
//!
//! All are evaluation units for the side to move.

use super::Worker;
use super::history::{CorrectionKeys, LastMoves};
use super::node::Node;
use crate::board::zobrist::Key;
use crate::eval::overlines;
use crate::search::params::PLY;
use crate::search::table::Entry;
use crate::types::{Bound, Score};

/// 64 KiB, which stay in the processor's caches. With 128 times as many slots one evaluation in four
/// is known.
const SLOTS: usize = 1 << 13;
/// The bits of a slot for the evaluation; the other bits are the key's.
const EVAL_MASK: u64 = 0xffff;

/// The evaluation cache of one thread: the evaluations of positions that were visited a short time
/// ago. Re-searches, singular searches and transpositions visit a position again, often when it has
/// no entry in the transposition table. The cache saves one in five evaluations by the network.
pub struct EvalCache {
    slots: Box<[u64; SLOTS]>,
}

impl EvalCache {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slots.fill(0);
    }

    /// Returns the evaluation of the position with this key, if it is known.
    #[inline]
    pub fn get(&self, key: Key) -> Option<Score> {
        let slot = self.slots[key.bits() as usize % SLOTS];
        (slot & !EVAL_MASK == key.bits() & !EVAL_MASK).then(|| Score::from_tt(slot as i16, 0))
    }

    /// Stores the evaluation of the position with this key. The slot's old content is lost.
    #[inline]
    pub fn put(&mut self, key: Key, eval: Score) {
        let eval = u64::from(eval.to_tt(0) as u16);
        self.slots[key.bits() as usize % SLOTS] = key.bits() & !EVAL_MASK | eval;
    }
}

impl Default for EvalCache {
    fn default() -> EvalCache {
        EvalCache { slots: Box::new([0; SLOTS]) }
    }
}

impl Worker<'_> {
    /// Returns the raw evaluation of the position on the board as a score.
    pub fn raw_score(&mut self) -> Score {
        let key = self.board.key();
        let eval = self.evals.get(key).unwrap_or_else(|| {
            let eval = self.evaluator.evaluate(&self.board);
            self.evals.put(key, eval);
            eval
        });
        let by_overlines =
            if self.draw_rule.may_fill(&self.board) { overlines::worth(&self.board) } else { 0 };
        let by_style = self.style.map_or(0, |(style, side)| style.worth(side, &self.board));
        eval.shift(by_overlines + by_style + self.eval_noise.of(key))
    }

    /// Returns the raw evaluation of the position on the board, taken from its table entry if that
    /// has one.
    pub(super) fn raw_eval(&mut self, entry: Option<Entry>) -> i32 {
        match entry.and_then(|entry| entry.eval) {
            Some(eval) => eval.into(),
            None => self.raw_score().value(),
        }
    }

    /// Returns what the correction history adds to the raw evaluation.
    pub(super) fn correction(&self) -> i32 {
        self.correction.of(self.board.side_to_move(), self.correction_keys(), &self.params)
    }

    /// Returns the keys of the position on the board in the correction history.
    pub(super) fn correction_keys(&self) -> CorrectionKeys {
        let moves = self.last_moves();
        let surroundings = moves[0].map_or(0, |mv| self.board.local_hash(mv));
        CorrectionKeys { moves, surroundings }
    }

    /// Returns the last two moves, the newest first.
    pub(super) fn last_moves(&self) -> LastMoves {
        [0, 1].map(|plies| self.board.last_move(plies))
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

/// Returns the table-adjusted evaluation: the table's score where it [corrects] `static_eval`.
pub(super) fn table_adjusted(static_eval: i32, node: &Node) -> i32 {
    let Some(entry) = node.entry else { return static_eval };
    let score = entry.score_at(node.ply);
    if corrects(score, entry.bound, static_eval) { score.value() } else { static_eval }
}

/// Returns true if a score of this bound shows `static_eval` to be wrong: a bound only if the
/// evaluation lies on the far side of it, and a proof never.
#[inline]
pub(super) fn corrects(score: Score, bound: Bound, static_eval: i32) -> bool {
    let is_wrong = match bound {
        Bound::Exact => true,
        Bound::Lower => score.value() > static_eval,
        Bound::Upper => score.value() < static_eval,
    };
    is_wrong && !score.is_decisive()
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn evaluations_are_known_by_their_own_key_only() {
        let key = |bits: u64| Key::from_bits(bits);
        let mut cache = EvalCache::default();
        let keys = [key(0x1234_5678_9abc_def0), key(0x1234_5679_9abc_def0)];
        for value in [0, 1, -1, Score::EVAL_LIMIT, -Score::EVAL_LIMIT] {
            cache.put(keys[0], Score::eval(value));
            assert_eq!(keys.map(|key| cache.get(key)), [Some(Score::eval(value)), None]);
        }
        cache.put(keys[1], Score::eval(7));
        assert_eq!(keys.map(|key| cache.get(key)), [None, Some(Score::eval(7))]);
        cache.clear();
        assert_eq!(keys.map(|key| cache.get(key)), [None, None]);
    }
}
