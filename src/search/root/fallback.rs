//! The fallback move, by the threats on the board alone: what is played where no search has found a
//! move in time.

use crate::board::Board;
use crate::search::tree::Worker;
use crate::search::tree::movepick::OrderTables;
use crate::shape::Threat;
use crate::types::{CellSet, Coord};

/// Returns `fallback` if it is a root move still, or else the root move that [`fallback_move`]
/// prefers.
pub fn fallback_among(worker: &Worker, fallback: Coord) -> Coord {
    let kept = worker.root_moves.all();
    if kept.contains(fallback) {
        return fallback;
    }
    let others = worker.board.empty_cells().without(&kept);
    fallback_move(&worker.board, &others).unwrap_or(fallback)
}

/// Returns a legal and tactically sane move without a search: a five, a cell that stops the
/// opponent's five, or else the best cell by its threats; the centre of an empty board, any free
/// cell if all are forbidden. It is one of `excluded` only if no other move is legal. `None` if the
/// board is full.
///
/// ```
/// use tengen::board::{Board, notation::parse_points};
/// use tengen::search::fallback_move;
/// use tengen::types::{BoardSize, CellSet, Rule};
///
/// let size = BoardSize::new(15, 15).expect("a valid size");
/// let mut board = Board::new(size, Rule::Freestyle);
/// for mv in parse_points("g8a1h8a3i8a5j8k8a8", size)? {
///     board.play(mv);
/// }
/// // White stops the four on its open side.
/// assert_eq!(fallback_move(&board, &CellSet::EMPTY), parse_points("f8", size)?.first().copied());
/// # Ok::<(), tengen::board::notation::NotationError>(())
/// ```
pub fn fallback_move(board: &Board, excluded: &CellSet) -> Option<Coord> {
    let us = board.side_to_move();
    let wanted = |cells: CellSet| cells.without(excluded);
    if let Some(mv) = wanted(*board.cells_with(us, Threat::Five)).first() {
        return Some(mv);
    }
    let mut stops = board.common_refutations(!us, Threat::Five);
    if stops.is_empty() {
        stops = *board.cells_with(!us, Threat::Five);
    }
    let mut cells = board.legal_cells(wanted(stops), us);
    for others in [board.candidates(), *board.empty_cells()] {
        if cells.is_empty() {
            cells = board.legal_cells(wanted(others), us);
        }
    }
    if cells.is_empty() && !excluded.is_empty() {
        return fallback_move(board, &CellSet::EMPTY);
    }
    if cells.is_empty() {
        cells = *board.empty_cells();
    }
    let tables = OrderTables::of(board.rule());
    let center = board.size().center();
    let has_stones = board.stone_count() > 0;
    cells.into_iter().max_by_key(|&c| {
        let order = if has_stones { tables.order(us, board.threats(c)) } else { 0 };
        (order, std::cmp::Reverse((c.distance(center), c)))
    })
}
