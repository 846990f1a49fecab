//! Searches without a clock: their limits alone end them.

use tengen::search::control::Control;
use tengen::search::{Limits, Report, Searcher};
use tengen_gomoku::board::Board;

/// Searches a position within the limits.
pub fn search(searcher: &mut Searcher, board: &Board, limits: Limits) -> Report {
    let control = Control::untimed();
    searcher.search(board, &limits, &control, &mut |_| ())
}
