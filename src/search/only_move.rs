//! The search for a move, which in an analysis goes on after an only move.

use super::Searcher;
use super::control::Control;
use super::limits::{Limits, RootOptions};
use super::report::{Listener, Progress, Report};
use crate::board::Board;

impl Searcher {
    /// Searches for the best move within the limits and returns its report. Reports the
    /// progress to `listener` and publishes the best move so far through `control`.
    ///
    /// The score of an only move, or of the first one of a game, is that of the position after it.
    /// An [analysis](RootOptions::is_analysis) searches that position; else the score is the static
    /// evaluation, and the move costs no time.
    ///
    /// # Panics
    ///
    /// If the board is full.
    pub fn search(
        &mut self,
        board: &Board,
        limits: &Limits,
        control: &Control,
        listener: Listener,
    ) -> Report {
        let mut report = self.search_position(board, limits, control, listener);
        let (mut board, mut forced, mut nodes) = (board.clone(), Vec::new(), report.nodes);
        let others_lose = report.others_lose;
        // A style is that of the side to move, and would be the opponent's after the move.
        while is_unsearched(&report, &board)
            && limits.root.is_analysis
            && limits.style.is_neutral()
            && (forced.len() as i32) < limits.depth - 1
            && board.empty_count() > 1
            && nodes < limits.nodes
            && !control.must_stop()
        {
            let mv = report.best;
            control.commit(*forced.first().unwrap_or(&mv));
            board.play(mv);
            forced.push(mv);
            let plies = forced.len() as i32;
            let limits = Limits {
                depth: limits.depth - plies,
                first_depth: (limits.first_depth - plies).max(1),
                nodes: limits.nodes - nodes,
                root: RootOptions { is_analysis: true, ..RootOptions::default() },
                ..*limits
            };
            let listener = &mut |progress: Progress| {
                if let Progress::Report(report) = progress {
                    let nodes = nodes + report.nodes;
                    listener(Progress::Report(&Report { nodes, ..report.clone().after(&forced) }));
                }
            };
            let next = self.search_position(&board, &limits, control, listener);
            nodes += next.nodes;
            if next.depth == 0 {
                forced.pop();
                break;
            }
            report = next;
        }
        Report { nodes, others_lose, ..report.after(&forced) }
    }
}

/// Returns true if this search has looked no further than an only or a first move.
fn is_unsearched(report: &Report, board: &Board) -> bool {
    let has_choice = !report.others_lose || !report.others.is_empty();
    let is_one = !has_choice || board.stone_count() == 0;
    is_one && report.tree_nodes == 0 && !report.score.is_decisive()
}
