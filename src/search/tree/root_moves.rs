//! Move generation where threats decide nothing: at the root, and in nodes from which a blocked
//! move can be reached.
//!
//! All moves are legal. There may be none although a legal cell is left: on an empty board, and
//! where renju forbids black every cell near the stones. Judges by the threats on the board alone;
//! knows no worker.

use super::generation::{self, Moves};
use crate::board::Board;
use crate::search::limits::RootOptions;
use crate::shape::Threat;
use crate::types::CellSet;

/// Returns the legal moves to search: those that the threats on the board leave, or with
/// [`RootOptions::all_moves`] all near the stones; with several variations the fives too; none that
/// is excluded.
///
/// If none is left: all legal moves near the stones. If none of those is left either and moves are
/// excluded or several variations wanted: all legal moves of the board, and last the excluded ones.
pub fn root_moves(board: &mut Board, options: &RootOptions) -> Moves {
    let mut moves =
        if options.all_moves { Moves::of(board.candidates()) } else { promising_moves(board) };
    if options.multi_pv > 1 {
        moves.cells |= *board.cells_with(board.side_to_move(), Threat::Five);
    }
    moves.cells = moves.cells.without(&options.excluded);
    moves.deferred = moves.deferred.without(&options.excluded);
    let us = board.side_to_move();
    moves.cells = board.legal_cells(moves.cells, us);
    if !moves.cells.is_empty() {
        return moves;
    }
    for cells in [board.candidates(), *board.empty_cells()] {
        moves = Moves::of(board.legal_cells(cells.without(&options.excluded), us));
        let wants_more = options.multi_pv > 1 || !options.excluded.is_empty();
        if !moves.cells.is_empty() || !wants_more {
            return moves;
        }
    }
    if options.excluded.is_empty() {
        return moves;
    }
    root_moves(board, &RootOptions { excluded: CellSet::EMPTY, ..*options })
}

/// Returns the moves that the threats on the board make worth a search.
fn promising_moves(board: &Board) -> Moves {
    let them = !board.side_to_move();
    if board.count(them, Threat::Five) > 0 {
        return Moves::of(board.common_refutations(them, Threat::Five));
    }
    generation::moves(board)
}
