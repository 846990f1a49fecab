//! The static evaluation of a node in three forms: raw, with overlines, style and noise; corrected
//! by the correction history; adjusted by the transposition table.

use super::Worker;
use super::history::{CorrectionKeys, LastMoves};
use super::node::Node;
use crate::eval::overlines;
use crate::score::{Bound, Score};
use crate::search::cache::Cache;
use crate::search::params::PLY;
use crate::search::table::Entry;

/// The evaluation cache of a thread: re-searches, singular searches and transpositions evaluate
/// positions again that have no table entry. It saves one in five network evaluations and fits the
/// processor's caches; 128 times the size would save one in four.
pub type EvalCache = Cache<i16, { 1 << 13 }, 1>;

impl Worker<'_> {
    pub fn raw_score(&mut self) -> Score {
        let key = self.board.key();
        let evals = &mut self.state.evals;
        let eval = evals.get(key.bits()).unwrap_or_else(|| {
            let eval = self.evaluator.evaluate(&self.board).to_tt(0);
            evals.put(key.bits(), eval);
            eval
        });
        let by_overlines =
            if self.draw_rule.may_fill(&self.board) { overlines::worth(&self.board) } else { 0 };
        let by_style = self.style.map_or(0, |(style, side)| style.worth(side, &self.board));
        Score::from_tt(eval, 0).shift(by_overlines + by_style + self.eval_noise.of(key))
    }

    pub(super) fn raw_eval(&mut self, entry: Option<Entry>) -> i32 {
        match entry.and_then(|entry| entry.eval) {
            Some(eval) => eval.into(),
            None => self.raw_score().value(),
        }
    }

    pub(super) fn correction(&self) -> i32 {
        self.state.correction.of(self.correction_keys(), self.params())
    }

    pub(super) fn correction_keys(&self) -> CorrectionKeys {
        let (us, moves) = (self.board.side_to_move(), self.last_moves());
        let local = moves[0].map_or(0, |mv| self.board.local_hash(mv));
        CorrectionKeys { us, moves, local }
    }

    pub(super) fn last_moves(&self) -> LastMoves {
        [0, 1].map(|plies| self.board.last_move(plies))
    }

    pub(super) fn update_correction(&mut self, node: &Node, score: Score, bound: Bound) {
        let Some(static_eval) = node.static_eval else { return };
        if corrects(score, bound, static_eval) {
            let (keys, error) = (self.correction_keys(), score.value() - static_eval);
            let params = self.params();
            self.state.correction.update(keys, error, node.depth / PLY, params);
        }
    }
}

/// Returns the table's score if it [corrects] `static_eval`.
pub(super) fn table_adjusted(static_eval: i32, node: &Node) -> i32 {
    let Some(entry) = node.entry else { return static_eval };
    let score = entry.score_at(node.ply);
    if corrects(score, entry.bound, static_eval) { score.value() } else { static_eval }
}

/// Returns true if a score shows `static_eval` to be wrong. A proof never does.
#[inline]
pub(super) fn corrects(score: Score, bound: Bound, static_eval: i32) -> bool {
    let is_wrong = match bound {
        Bound::Exact => true,
        Bound::Lower => score.value() > static_eval,
        Bound::Upper => score.value() < static_eval,
    };
    is_wrong && !score.is_decisive()
}
