//! Multi-PV: the best moves of the root, each with its own score and PV.
//!
//! Every iteration searches the root once per PV, without the first moves of better PVs. Fives and
//! proofs of the threat search keep their place and are not searched again. The aspiration window
//! lies around the score of the last iteration.

use std::cmp::Reverse;

use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{Coord, CoordSet};

use crate::score::{Score, ScoreKind, Window};
use crate::search::params::PLY;
use crate::search::report::{Report, Variation, is_settled};
use crate::search::tree::movegen::Moves;
use crate::search::tree::{RootContext, Stopped, Worker};

/// The first iteration with an aspiration window, in plies.
const ASPIRATION_MIN_DEPTH: i32 = 5;
/// The largest half-width, beyond which the window has no bound.
const ASPIRATION_MAX_WIDTH: i32 = 1000;

pub struct MultiPv {
    count: usize,
    /// Proven ones, then those of this iteration, then older ones.
    variations: Vec<Variation>,
    proven: usize,
    /// How many are proven or were searched in this iteration.
    updated: usize,
}

impl MultiPv {
    pub fn new(worker: &Worker) -> MultiPv {
        let options = &worker.shared.limits.root;
        let us = worker.board.side_to_move();
        let fives = match options.multi_pv {
            0 | 1 => CoordSet::EMPTY,
            _ => worker.board.cells_with(us, Threat::Five).without(&options.excluded),
        };
        let five = |mv| Variation { score: Score::win_in(1), pv: vec![mv], depth: 1 };
        let variations: Vec<_> = fives.into_iter().take(options.multi_pv).map(five).collect();
        let (count, proven) = (options.multi_pv.max(1), variations.len());
        MultiPv { count, variations, proven, updated: proven }
    }

    pub fn add_proof(&mut self, proof: Variation) {
        if self.variations[..self.proven].iter().all(|variation| variation.pv[0] != proof.pv[0]) {
            self.put(self.proven, proof);
            self.proven = (self.proven + 1).min(self.count);
            self.updated = self.proven;
        }
    }

    /// Searches one iteration; calls `found` after each PV but the last.
    pub fn search(
        &mut self,
        worker: &mut Worker,
        depth: i32,
        found: &mut dyn FnMut(&mut Worker, &MultiPv),
    ) -> Result<(), Stopped> {
        let all = worker.root_moves;
        let is_restricted = !worker.shared.limits.root.excluded.is_empty();
        self.updated = self.proven;
        let mut result = Ok(());
        while self.updated < self.count && result.is_ok() {
            let index = self.updated;
            let Some(moves) = remaining(all, &self.variations[..index]) else { break };
            worker.root_moves = moves;
            worker.root_context = RootContext {
                pv_move: self.variations.get(index).map(|variation| variation.pv[0]),
                is_partial: index > 0 || is_restricted,
                pv_index: index,
            };
            result = self.search_variation(worker, depth);
            if self.updated == index {
                break;
            }
            if self.updated < self.count && result.is_ok() {
                found(worker, self);
            }
        }
        worker.root_moves = all;
        worker.root_context = RootContext::default();
        self.variations[self.proven..self.updated]
            .sort_by_key(|variation| Reverse(variation.score));
        result
    }

    fn search_variation(&mut self, worker: &mut Worker, depth: i32) -> Result<(), Stopped> {
        let index = self.updated;
        let (last, last_depth) = match self.variations.get(index) {
            Some(variation) => (variation.score, variation.depth),
            None => (worker.raw_score(), 0),
        };
        let (mut result, mut pv) = aspirate(worker, depth, last);
        // The search may not have found the VCF that refutes the move.
        let (refuted, longest_loss) = worker.refuted_moves;
        if result.is_ok_and(|score| !score.is_decisive())
            && pv.first().is_some_and(|&mv| refuted.contains(mv))
        {
            result = Ok(longest_loss);
            pv.truncate(1);
        }
        // A weak player overlooks moves, which may not lose.
        if result.is_ok_and(Score::is_loss) && !worker.shared.limits.strength.is_full() {
            result = Ok(Score::eval(-Score::EVAL_LIMIT));
        }
        // A table cutoff ends the PV of a proven result early.
        if let Ok(score) = result
            && let ScoreKind::Win(plies) | ScoreKind::Loss(plies) = score.kind()
        {
            worker.follow_proofs(&mut pv, plies as usize);
        }
        // A fail-high or a stop leaves a short PV. A longer one of the last iteration is kept if it
        // begins with the same moves.
        let known = self.variations.iter().position(|old| old.pv.starts_with(&pv));
        let is_new = known != Some(0);
        let variation = match result {
            Ok(score) => Variation { score, pv, depth },
            // The last best move is searched first: another best move of a stopped iteration is
            // better.
            Err(Stopped) if index == 0 && is_new => {
                let pv = known.map_or(pv, |known| self.variations[known].pv.clone());
                Variation { score: last, pv, depth: last_depth }
            }
            Err(Stopped) => return Err(Stopped),
        };
        if !variation.pv.is_empty() {
            self.put(index, variation);
            self.updated = index + 1;
        }
        result.map(|_| ())
    }

    fn put(&mut self, index: usize, variation: Variation) {
        self.variations.retain(|old| old.pv[0] != variation.pv[0]);
        self.variations.insert(index.min(self.variations.len()), variation);
        self.variations.truncate(self.count);
    }

    pub fn are_settled(&self) -> bool {
        let is_settled = |variation: &Variation| is_settled(variation.score, variation.depth);
        !self.variations.is_empty() && self.variations.iter().all(is_settled)
    }

    /// Writes the PVs to a report, best first. In an unfinished iteration older scores are capped
    /// by those of this iteration, except wins.
    pub fn write(&self, report: &mut Report) {
        let mut variations = self.variations.clone();
        let (updated, older) = variations.split_at_mut(self.updated);
        if let Some(bound) = updated[self.proven..].iter().map(|variation| variation.score).min() {
            for variation in older.iter_mut().filter(|variation| !variation.score.is_win()) {
                variation.score = variation.score.min(bound);
            }
        }
        variations.sort_by_key(|variation| Reverse(variation.score));
        let mut variations = variations.into_iter();
        if let Some(best) = variations.next() {
            report.best = best.pv[0];
            report.score = best.score;
            report.depth = report.depth.max(best.depth);
            report.pv = best.pv;
            report.others = variations.collect();
        }
    }
}

fn remaining(all: Moves, variations: &[Variation]) -> Option<Moves> {
    let taken: CoordSet = variations.iter().map(|variation| variation.pv[0]).collect();
    let (cells, deferred) = (all.cells.without(&taken), all.deferred.without(&taken));
    match (cells.is_empty(), deferred.is_empty()) {
        (true, true) => None,
        (true, false) => Some(Moves::of(deferred)),
        (false, _) => Some(Moves { cells, deferred }),
    }
}

/// Searches the root with an aspiration window around `last`. After a stop the PV is that of the
/// last window, or of the fail-high before it.
fn aspirate(worker: &mut Worker, depth: i32, last: Score) -> (Result<Score, Stopped>, Vec<Coord>) {
    let mut width = worker.params().aspiration_width;
    let mut failed_high: Vec<Coord> = Vec::new();
    let mut window = match depth < ASPIRATION_MIN_DEPTH || last.is_decisive() {
        true => Window::FULL,
        false => Window { alpha: last.shift(-width), beta: last.shift(width) },
    };
    loop {
        let result = worker.search_after(0, &[], depth * PLY, window);
        let pv = worker.pv();
        let score = match result {
            Ok(score) => score,
            Err(Stopped) => return (result, if pv.is_empty() { failed_high } else { pv }),
        };
        width *= 2;
        let is_unbounded = width > ASPIRATION_MAX_WIDTH;
        if score <= window.alpha {
            window.alpha = if is_unbounded { Score::MIN } else { score.shift(-width) };
            failed_high.clear();
        } else if score >= window.beta {
            window.beta = if is_unbounded { Score::MAX } else { score.shift(width) };
            worker.root_context.pv_move = pv.first().copied();
            failed_high = pv;
        } else {
            return (result, pv);
        }
        if score.is_decisive() {
            window = Window::FULL;
        }
    }
}
