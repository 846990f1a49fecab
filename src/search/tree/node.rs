//! A node of the tree, its entry in the transposition table, and its static evaluation in three
//! forms: raw (network, overlines, style, noise); corrected by the correction history; adjusted by the
//! table.

use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::Coord;

use super::Worker;
use crate::eval::overline_worth;
use crate::score::{Bound, Score, Window};
use crate::search::params::{Depth, PLY};
use crate::search::strength::eval_noise;
use crate::search::table::TableEntry;

/// A node of the tree. Its parent sets the first four fields, its search the rest.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub ply: usize,
    /// Changed by forced reply extension and internal iterative reduction.
    pub depth: Depth,
    pub window: Window,
    /// True if a move is expected to reach beta.
    pub cut_node: bool,
    /// The table move that a singular search leaves out.
    pub excluded_move: Option<Coord>,
    /// True if only answers to the opponent's four are searched.
    pub is_forced: bool,
    pub entry: Option<TableEntry>,
    pub raw_eval: Option<i32>,
    pub static_eval: Option<i32>,
    /// True if the evaluation has risen since the side's last turn, or is unknown.
    pub is_improving: bool,
}

impl Node {
    pub const fn new(ply: usize, depth: Depth, window: Window, cut_node: bool) -> Node {
        Node {
            ply,
            depth,
            window,
            cut_node,
            excluded_move: None,
            is_forced: false,
            entry: None,
            raw_eval: None,
            static_eval: None,
            is_improving: true,
        }
    }

    /// `window` is from the view of this node.
    pub fn child(&self, depth: Depth, window: Window, cut_node: bool) -> Node {
        Node::new(self.ply + 1, depth, -window, cut_node)
    }

    pub fn correction(&self) -> i32 {
        self.static_eval.zip(self.raw_eval).map_or(0, |(corrected, raw)| corrected - raw)
    }

    pub const fn is_root(&self) -> bool {
        self.ply == 0
    }
}

impl Worker<'_> {
    /// Returns the score of a table entry that is deep enough; in a PV node it must be a proven win
    /// or loss. A shallow proof does not cut off, since a deeper search may find a shorter win.
    /// [`Worker::follow_proofs`] completes the PV.
    pub(super) fn table_cutoff<const PV: bool>(&self, node: &Node) -> Option<Score> {
        let entry = node.entry?;
        let score = entry.score_at(node.ply);
        let is_cutoff = match PV {
            true => !node.is_root() && entry.is_decisive(),
            false => is_cutoff(entry.bound, score, node.window),
        };
        (is_cutoff && self.is_deep_enough(entry, node.depth)).then_some(score)
    }

    /// Completes the PV of a proven result by the table's proven wins and losses, up to `plies`,
    /// the length of the win.
    pub fn follow_proofs(&mut self, variation: &mut Vec<Coord>, plies: usize) {
        variation.iter().for_each(|&mv| self.board.play(mv));
        while variation.len() < plies
            && let Some(entry) = self.shared.table.probe(self.board.key())
            && entry.is_decisive()
            && let Some(mv) = entry.mv
            && self.board.is_legal(mv, self.board.side_to_move())
        {
            self.board.play(mv);
            variation.push(mv);
        }
        variation.iter().for_each(|_| self.board.undo());
    }

    /// Enhanced transposition cutoff (Plaat and others, 1996): returns the score of a move that
    /// fails low by the table entry of its child.
    pub(super) fn enhanced_transposition_cutoff(
        &self,
        mv: Coord,
        threat: Threat,
        child: &Node,
    ) -> Option<Score> {
        let entry = self.shared.table.probe(self.board.key_after(mv))?;
        let score = entry.score_at(child.ply);
        let us = self.board.side_to_move();
        let is_forced = threat >= Threat::Four
            || threat == Threat::Forbidden && self.board.threats(mv).makes_four(us);
        let extension = if is_forced { self.params().forced_reply_extension } else { 0 };
        let fails = entry.bound != Bound::Upper && score >= child.window.beta;
        (fails && self.is_deep_enough(entry, child.depth + extension)).then_some(-score)
    }

    fn is_deep_enough(&self, entry: TableEntry, depth: Depth) -> bool {
        entry.depth + self.params().table_slack >= depth.min(TableEntry::MAX_DEPTH)
    }

    pub(super) fn store(&self, node: &Node, mv: Option<Coord>, score: Score, bound: Bound) {
        let entry = TableEntry {
            mv,
            score: score.to_tt(node.ply as i32),
            eval: node.raw_eval.map(|eval| eval as i16),
            depth: node.depth.max(0),
            bound,
        };
        self.shared.table.store(self.board.key(), entry);
    }

    pub fn raw_score(&mut self) -> Score {
        let key = self.board.key();
        let values = &mut self.state.network_values;
        let eval = values.get(key).unwrap_or_else(|| {
            let eval = self.evaluator.evaluate(&self.board).to_tt(0);
            values.put(key, eval);
            eval
        });
        let may_fill = self.draw_rule.plies_left(&self.board) >= self.board.empty_count();
        let by_overlines = if may_fill { overline_worth(&self.board) } else { 0 };
        let by_style = self.style.map_or(0, |(style, side)| style.worth(side, &self.board));
        let noise = eval_noise(self.noise_seed, key);
        Score::from_tt(eval, 0).shift(by_overlines + by_style + noise)
    }

    pub(super) fn raw_eval(&mut self, entry: Option<TableEntry>) -> i32 {
        match entry.and_then(|entry| entry.eval) {
            Some(eval) => eval.into(),
            None => self.raw_score().value(),
        }
    }

    pub(super) fn correction(&self) -> i32 {
        self.state.history.correction(&self.board, self.params())
    }

    pub(super) fn update_correction(&mut self, node: &Node, score: Score, bound: Bound) {
        let Some(static_eval) = node.static_eval else { return };
        if corrects(score, bound, static_eval) {
            let (params, error) = (self.params(), score.value() - static_eval);
            self.state.history.update_correction(&self.board, error, node.depth / PLY, params);
        }
    }
}

fn is_cutoff(bound: Bound, score: Score, window: Window) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => score >= window.beta,
        Bound::Upper => score <= window.alpha,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_cut_off_beyond_their_side_of_the_window_only() {
        let window = Window { alpha: Score::eval(-10), beta: Score::eval(10) };
        let cuts = |bound| [-10, 0, 10].map(|value| is_cutoff(bound, Score::eval(value), window));
        assert_eq!(cuts(Bound::Exact), [true; 3]);
        assert_eq!(cuts(Bound::Lower), [false, false, true]);
        assert_eq!(cuts(Bound::Upper), [true, false, false]);
    }

    #[test]
    fn a_child_sees_the_window_from_the_other_side() {
        let window = Window { alpha: Score::eval(-10), beta: Score::eval(20) };
        let node = Node::new(3, 5, window, false);
        let child = node.child(4, node.window, true);
        assert_eq!((child.ply, child.depth, child.cut_node), (4, 4, true));
        assert_eq!((child.window.alpha, child.window.beta), (Score::eval(-20), Score::eval(10)));
        assert!(node.is_improving && node.correction() == 0 && !node.is_root());
    }
}
