//! The static evaluation of a node in its three forms: raw, the evaluator's value with black's
//! overlines, the style and the noise of the strength; corrected by the correction history;
//! adjusted by the transposition table.
//!
//! Scores of the side to move, in evaluation units. Knows no depth and no window.

use super::Worker;
use super::correction::Keys;
use super::history::LastMoves;
use super::node::Node;
use crate::search::table::Entry;
use crate::types::{Bound, Score};

impl Worker<'_> {
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
    pub(super) fn correction_keys(&self) -> Keys {
        let moves = self.last_moves();
        let surroundings = moves[0].map_or(0, |mv| self.board.surroundings(mv));
        Keys { moves, surroundings }
    }

    /// Returns the last two moves, the newest first.
    pub(super) fn last_moves(&self) -> LastMoves {
        [0, 1].map(|plies| self.board.last_move(plies))
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
