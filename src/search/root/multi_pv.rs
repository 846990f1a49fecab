//! Multi-PV: the best moves of the root, each with its own score and line.
//!
//! Every iteration searches the root once per line, without the first moves of the better lines. A
//! line that is proven, or a five, keeps its place and is not searched again. With one line this is
//! an ordinary search. Knows no clock and no thread but its own.

use std::cmp::Reverse;

use super::aspiration::aspirate;
use super::threat_scheduler::Proof;
use crate::search::limits::RootOptions;
use crate::search::report::{Line, Report, is_settled};
use crate::search::tree::picker::Moves;
use crate::search::tree::{RootView, Stopped, Worker};
use crate::shape::Threat;
use crate::types::{CellSet, Score};

/// The lines found so far.
pub struct MultiPv {
    /// The number of lines asked for.
    count: usize,
    /// True if moves are excluded from all lines.
    is_restricted: bool,
    /// Proven lines first, then those of the last iteration in the order of its searches.
    lines: Vec<Line>,
    /// The number of proven lines.
    proven: usize,
    /// The number of lines with a score of this iteration, proven ones included.
    updated: usize,
}

impl MultiPv {
    /// Returns the lines of a root before any search: none, or where more than one is asked for the
    /// fives, which the search never searches beyond.
    pub fn new(worker: &Worker, options: &RootOptions) -> MultiPv {
        let us = worker.board.side_to_move();
        let fives = match options.lines {
            0 | 1 => CellSet::EMPTY,
            _ => worker.board.cells_with(us, Threat::Five).without(&options.excluded),
        };
        let five = |mv| Line { score: Score::win_in(1), pv: vec![mv], depth: 1 };
        let lines: Vec<Line> = fives.into_iter().take(options.lines).map(five).collect();
        let is_restricted = !options.excluded.is_empty();
        let proven = lines.len();
        MultiPv { count: options.lines.max(1), is_restricted, lines, proven, updated: proven }
    }

    /// Adds a proven win.
    pub fn add_proof(&mut self, proof: Proof) {
        if self.lines[..self.proven].iter().all(|line| line.pv[0] != proof.mv) {
            let line = Line { score: proof.score, pv: proof.pv, depth: 1 };
            self.put(self.proven, line);
            self.proven += 1;
            self.updated = self.proven;
        }
    }

    /// Searches one iteration. If it is stopped, the lines it did not reach stay as they were.
    pub fn search(&mut self, worker: &mut Worker, depth: i32) -> Result<(), Stopped> {
        let all = worker.root_moves;
        self.updated = self.proven;
        let mut result = Ok(());
        while self.updated < self.count && result.is_ok() {
            let index = self.updated;
            let Some(moves) = remaining(all, &self.lines[..index]) else { break };
            worker.root_moves = moves;
            worker.root_view = RootView {
                hint: self.lines.get(index).map(|line| line.pv[0]),
                is_partial: index > 0 || self.is_restricted,
                is_secondary: index > 0,
            };
            result = self.search_line(worker, depth, index);
            if self.updated == index {
                break;
            }
        }
        worker.root_moves = all;
        worker.root_view = RootView::default();
        self.lines[self.proven..self.updated].sort_by_key(|line| Reverse(line.score));
        result
    }

    /// Searches the root for the line of this place.
    fn search_line(
        &mut self,
        worker: &mut Worker,
        depth: i32,
        index: usize,
    ) -> Result<(), Stopped> {
        let (last, last_depth) =
            self.lines.get(index).map_or((Score::DRAW, 0), |line| (line.score, line.depth));
        let (result, pv) = aspirate(worker, depth, last);
        // A fail-high has a short variation. If the last iteration's begins with it, that longer one
        // is kept.
        let is_new = !self.lines.first().is_some_and(|old| old.pv.starts_with(&pv));
        let line = match result {
            Ok(score) => Line { score, pv, depth },
            // An iteration searches the last best move first. If it is stopped later with another
            // best move, that one is better.
            Err(Stopped) if index == 0 && is_new => Line { score: last, pv, depth: last_depth },
            Err(Stopped) => return Err(Stopped),
        };
        if !line.pv.is_empty() {
            self.put(index, line);
            self.updated = index + 1;
        }
        result.map(|_| ())
    }

    /// Inserts a line at a place; an old line of the same move is removed.
    fn put(&mut self, index: usize, line: Line) {
        self.lines.retain(|old| old.pv[0] != line.pv[0]);
        self.lines.insert(index.min(self.lines.len()), line);
        self.lines.truncate(self.count);
    }

    /// Returns true if no line can change with more depth.
    pub fn are_settled(&self) -> bool {
        let is_settled = |line: &Line| is_settled(line.score, line.depth);
        !self.lines.is_empty() && self.lines.iter().all(is_settled)
    }

    /// Writes the lines to a report, best first.
    pub fn write(&self, report: &mut Report) {
        let mut lines = self.lines.clone();
        lines[..self.updated].sort_by_key(|line| Reverse(line.score));
        let mut lines = lines.into_iter();
        if let Some(best) = lines.next() {
            report.best = best.pv[0];
            report.score = best.score;
            report.pv = best.pv;
            report.others = lines.collect();
        }
    }
}

/// Returns the moves that begin none of these lines, or `None` if there are none.
fn remaining(all: Moves, lines: &[Line]) -> Option<Moves> {
    let taken: CellSet = lines.iter().map(|line| line.pv[0]).collect();
    let (cells, reserve) = (all.cells.without(&taken), all.reserve.without(&taken));
    match (cells.is_empty(), reserve.is_empty()) {
        (true, true) => None,
        (true, false) => Some(Moves { cells: reserve, reserve: CellSet::EMPTY }),
        (false, _) => Some(Moves { cells, reserve }),
    }
}
