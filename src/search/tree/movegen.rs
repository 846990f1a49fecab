//! Move generation by the threats on the board, for nodes and for the root.

use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{Color, Coord, CoordSet, Direction, Rule};

use crate::search::limits::RootOptions;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moves {
    pub cells: CoordSet,
    /// Searched only if all of `cells` lose. If the opponent threatens to win, `cells` meet the
    /// threat or gain time, but may not be all moves that do.
    pub deferred: CoordSet,
}

impl Moves {
    pub const fn of(cells: CoordSet) -> Moves {
        Moves { cells, deferred: CoordSet::EMPTY }
    }

    pub fn all(&self) -> CoordSet {
        self.cells | self.deferred
    }

    pub fn only(&self) -> Option<Coord> {
        self.cells.first().filter(|_| self.cells.len() == 1 && self.deferred.is_empty())
    }
}

/// Generates the moves of a position in which no side can make a five at once.
pub fn moves(board: &Board) -> Moves {
    let us = board.side_to_move();
    let them = !us;
    // Own fours gain time. Some may be forbidden under renju.
    let fours = board.four_cells(us);
    if board.count(them, Threat::OpenFour) > 0 {
        return Moves::of(board.common_refutations(them, Threat::OpenFour) | fours);
    }
    let candidates = board.candidates();
    let Some(defences) = four_three_defence(board, them) else {
        return Moves::of(candidates);
    };
    // Under renju white can also stop a four with an open three from afar, by a stone that makes a
    // cell of black's attack forbidden.
    let is_exact = board.rule() != Rule::Renju || them == Color::White;
    let deferred = if is_exact { CoordSet::EMPTY } else { candidates };
    let cells = defences | fours;
    Moves { cells, deferred: deferred.without(&cells) }
}

/// Returns the moves, own fours aside, that spoil every four with an open three of the attacker or
/// turn its answer into a four. `None` if there is no such threat, if an answer is already a four,
/// and under caro rules, where a four can have two answers.
fn four_three_defence(board: &Board, attacker: Color) -> Option<CoordSet> {
    let defender = !attacker;
    if board.rule().is_caro() {
        return None;
    }
    let mut common: Option<CoordSet> = None;
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

/// Returns the legal root moves: the first of these sets that is not empty. Sets 1 to 3 leave out
/// excluded moves.
/// 1. The moves that the threats on the board leave, or with [`RootOptions::all_moves`] all moves
///    near the stones; in multi-PV also fives.
/// 2. All moves near the stones.
/// 3. If moves are excluded or several PVs wanted: all moves.
/// 4. If moves are excluded: the same sets with the excluded moves.
///
/// The result can be empty on an empty board, and if renju forbids black every cell near the stones.
pub fn root_moves(board: &Board, options: &RootOptions) -> Moves {
    let us = board.side_to_move();
    let them = !us;
    let mut moves = if options.all_moves {
        Moves::of(board.candidates())
    } else if board.count(them, Threat::Five) > 0 {
        let fives = *board.cells_with(them, Threat::Five);
        match board.common_refutations(them, Threat::Five) {
            // Two fives: one of them is stopped.
            CoordSet::EMPTY => Moves { cells: fives, deferred: board.candidates().without(&fives) },
            stops => Moves::of(stops),
        }
    } else {
        moves(board)
    };
    if options.multi_pv > 1 {
        moves.cells = moves.cells | *board.cells_with(us, Threat::Five);
    }
    moves.cells = board.legal_cells(moves.cells.without(&options.excluded), us);
    moves.deferred = board.legal_cells(moves.deferred.without(&options.excluded), us);
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
    root_moves(board, &RootOptions { excluded: CoordSet::EMPTY, ..*options })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::board::notation::parse_points;

    fn cells(board: &Board, points: &str) -> CoordSet {
        parse_points(points, board.size()).unwrap().into_iter().collect()
    }

    #[test]
    fn an_open_three_leaves_its_defences_and_own_fours() {
        let board = Board::after(15, Rule::Freestyle, "h8a1i8b1j8");
        let moves = moves(&board);
        assert_eq!(moves, Moves::of(cells(&board, "g8k8")));
        let board = Board::after(15, Rule::Freestyle, "h8a1i8b1j8c1o15");
        assert_eq!(super::moves(&board).cells, cells(&board, "g8k8d1e1"));
    }

    #[test]
    fn roots_have_legal_moves_that_are_not_excluded_as_long_as_there_are_any() {
        let board = Board::after(15, Rule::Freestyle, "h8");
        let near = board.candidates();
        let moves = |excluded| {
            root_moves(&board, &RootOptions { excluded, ..RootOptions::default() }).all()
        };
        assert_eq!(moves(CoordSet::EMPTY), near);
        let one = near.first().into_iter().collect();
        assert_eq!(moves(one), near.without(&one));
        let far = moves(near);
        assert!(!far.is_empty() && (far & near).is_empty());
        let all = far | near;
        assert_eq!((all.len(), moves(all)), (224, near));
        let empty = Board::after(15, Rule::Freestyle, "");
        assert_eq!(root_moves(&empty, &RootOptions::default()).only(), None);
    }

    #[test]
    fn fives_are_moves_of_a_root_with_several_variations_or_all_moves() {
        let board = Board::after(15, Rule::Freestyle, "a1h8b1i8c1j8d1k8g8a15");
        let has_five = |multi_pv, all_moves| {
            let options = RootOptions { multi_pv, all_moves, ..RootOptions::default() };
            root_moves(&board, &options).cells.contains(Coord::new(4, 0))
        };
        assert!(has_five(2, false) && has_five(1, true));
        assert!(!has_five(1, false));
    }
}
