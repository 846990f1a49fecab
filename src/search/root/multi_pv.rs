//! The best moves of the root, each with its own score and line: multi-PV.
//!
//! Every iteration searches the root once for each line, without the first moves of the lines
//! before it. What is proved, or is a five at once, keeps its place and is not searched again. One
//! line is an ordinary search. Knows no clock and no thread but its own.

use std::cmp::Reverse;

use super::aspiration::aspirate;
use super::threat_scheduler::Proof;
use crate::search::limits::RootOptions;
use crate::search::report::{Line, Report, is_settled};
use crate::search::tree::picker::Moves;
use crate::search::tree::{RootView, Stopped, Worker};
use crate::shape::Threat;
use crate::types::{CellSet, Coord, Score};

/// The lines found so far.
pub struct MultiPv {
    wanted: usize,
    /// True if some moves are left out in every line.
    is_restricted: bool,
    /// Those of the last iteration in the order of its searches, after those that need no search.
    found: Vec<Line>,
    /// Lines at the front that need no search.
    proved: usize,
    /// Lines at the front whose scores are up to date.
    fresh: usize,
}

impl MultiPv {
    /// Returns the lines of a root before any search: where more than one is asked for, the moves
    /// that make a five, behind which the search never looks.
    pub fn new(worker: &Worker, options: &RootOptions) -> MultiPv {
        let us = worker.board.side_to_move();
        let fives = match options.lines {
            0 | 1 => CellSet::EMPTY,
            _ => worker.board.cells_with(us, Threat::Five).without(&options.excluded),
        };
        let five = |mv| Line { score: Score::win_in(1), pv: vec![mv], depth: 1 };
        let found: Vec<Line> = fives.into_iter().take(options.lines).map(five).collect();
        let is_restricted = !options.excluded.is_empty();
        let proved = found.len();
        MultiPv { wanted: options.lines.max(1), is_restricted, found, proved, fresh: proved }
    }

    /// Takes over a proved win.
    pub fn add_proof(&mut self, proof: Proof) {
        if self.found[..self.proved].iter().all(|line| line.pv[0] != proof.mv) {
            let line = Line { score: proof.score, pv: proof.pv, depth: 1 };
            self.put(self.proved, line);
            self.proved += 1;
            self.fresh = self.proved;
        }
    }

    /// Searches one iteration. If it is cut short, the lines it did not get to stay as they were.
    pub fn search(&mut self, worker: &mut Worker, depth: i32) -> Result<(), Stopped> {
        let all = worker.root_moves;
        self.fresh = self.proved;
        let mut result = Ok(());
        while self.fresh < self.wanted && result.is_ok() {
            let index = self.fresh;
            let Some(moves) = remaining(all, &self.found[..index]) else { break };
            worker.root_moves = moves;
            worker.root_view = RootView {
                hint: self.hint(index),
                is_partial: index > 0 || self.is_restricted,
                is_secondary: index > 0,
            };
            result = self.search_line(worker, depth, index);
            if self.fresh == index {
                break;
            }
        }
        worker.root_moves = all;
        worker.root_view = RootView::default();
        self.found[self.proved..self.fresh].sort_by_key(|line| Reverse(line.score));
        result
    }

    /// Returns the move to try first where the table does not know it.
    fn hint(&self, index: usize) -> Option<Coord> {
        let is_known = index == 0 && !self.is_restricted;
        self.found.get(index).filter(|_| !is_known).map(|line| line.pv[0])
    }

    fn search_line(
        &mut self,
        worker: &mut Worker,
        depth: i32,
        index: usize,
    ) -> Result<(), Stopped> {
        let (last, last_depth) =
            self.found.get(index).map_or((Score::DRAW, 0), |line| (line.score, line.depth));
        let result = aspirate(worker, depth, last);
        let pv: Vec<Coord> = worker.pv().collect();
        let line = match result {
            Ok(score) => Line { score, pv, depth },
            // A best line that was cut short is still better than what came before it: its first
            // move was searched completely.
            Err(Stopped) if index == 0 => Line { score: last, pv, depth: last_depth },
            Err(Stopped) => return Err(Stopped),
        };
        if !line.pv.is_empty() {
            self.put(index, line);
            self.fresh = index + 1;
        }
        result.map(|_| ())
    }

    /// Puts a line into its place; the old one of the same move goes, those behind move on.
    fn put(&mut self, index: usize, line: Line) {
        self.found.retain(|old| old.pv[0] != line.pv[0]);
        self.found.insert(index.min(self.found.len()), line);
        self.found.truncate(self.wanted);
    }

    /// Returns true if more depth would change none of the lines.
    pub fn are_settled(&self) -> bool {
        let is_settled = |line: &Line| is_settled(line.score, line.depth);
        !self.found.is_empty() && self.found.iter().all(is_settled)
    }

    /// Makes the lines the result, best first.
    pub fn write(&self, report: &mut Report) {
        let mut lines = self.found.clone();
        lines[..self.fresh].sort_by_key(|line| Reverse(line.score));
        let mut lines = lines.into_iter();
        if let Some(best) = lines.next() {
            report.best = best.pv[0];
            report.score = best.score;
            report.pv = best.pv;
            report.others = lines.collect();
        }
    }
}

/// Returns the moves that no line begins with yet, or `None` if there are none.
fn remaining(all: Moves, found: &[Line]) -> Option<Moves> {
    let taken: CellSet = found.iter().map(|line| line.pv[0]).collect();
    let (cells, reserve) = (all.cells.without(&taken), all.reserve.without(&taken));
    match (cells.is_empty(), reserve.is_empty()) {
        (true, true) => None,
        (true, false) => Some(Moves { cells: reserve, reserve: CellSet::EMPTY }),
        (false, _) => Some(Moves { cells, reserve }),
    }
}
