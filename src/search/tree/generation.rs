//! Move generation: the moves of a node that the threats on the board leave.
//!
//! Judges by the threats alone. Knows no order of the moves, no evaluation and no worker.

use crate::board::Board;
use crate::shape::Threat;
use crate::types::{CellSet, Color, Coord, Direction, Rule};

/// The generated moves of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moves {
    /// The moves to search.
    pub cells: CellSet,
    /// Moves to search only if all of `cells` lose. There are some where the opponent threatens to
    /// win and `cells`, which meet the threat or gain time, may not be all that do.
    pub deferred: CellSet,
}

impl Moves {
    /// Returns these moves, none of them deferred.
    pub const fn of(cells: CellSet) -> Moves {
        Moves { cells, deferred: CellSet::EMPTY }
    }

    /// Returns all moves, the deferred ones among them.
    pub fn all(&self) -> CellSet {
        self.cells | self.deferred
    }

    /// Returns the move if there is no other.
    pub fn only(&self) -> Option<Coord> {
        self.cells.first().filter(|_| self.cells.len() == 1 && self.deferred.is_empty())
    }
}

/// Generates the moves of a position in which nobody can make a five at once.
pub fn moves(board: &Board) -> Moves {
    let us = board.side_to_move();
    let them = !us;
    // Own fours gain time. Moves that renju forbids may be among them.
    let fours = board.four_cells(us);
    if board.count(them, Threat::OpenFour) > 0 {
        return Moves::of(board.common_refutations(them, Threat::OpenFour) | fours);
    }
    let candidates = board.candidates();
    let Some(defences) = four_three_defence(board, them) else {
        return Moves::of(candidates);
    };
    // Under renju white may also defend against a four with an open three from afar: by a stone
    // that makes a cell of black's attack forbidden.
    let is_exact = board.rule() != Rule::Renju || them == Color::White;
    let deferred = if is_exact { CellSet::EMPTY } else { candidates };
    let cells = defences | fours;
    Moves { cells, deferred: deferred.without(&cells) }
}

/// Returns the moves, own fours aside, that meet every move of the attacker's that makes a four and
/// an open three: cells that spoil it, and cells that make the answer to the four a four. `None` if
/// the attacker has no such move, or if the answer to one is a four already, so that it forces
/// nothing; also under caro rules, where a four can have a second answer.
fn four_three_defence(board: &Board, attacker: Color) -> Option<CellSet> {
    let defender = !attacker;
    if board.rule().is_caro() {
        return None;
    }
    let mut common: Option<CellSet> = None;
    for target in board.cells_with(attacker, Threat::FourThree) {
        let mut cells = board.refutations(target, attacker, Threat::FourThree);
        for direction in Direction::ALL {
            for answer in board.five_cells_after(target, attacker, direction) {
                if board.threats(answer).makes_four(defender) {
                    return None;
                }
                board.add_four_preparations(answer, defender, &mut cells);
            }
        }
        common = Some(common.map_or(cells, |common| common & cells));
    }
    common
}
