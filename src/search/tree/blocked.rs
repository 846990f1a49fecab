//! Blocked moves: moves that an analyst forbids in single positions (Yixin-Board's `YXBLOCKPATH`).
//!
//! In a node from which a blocked move can be reached threats prove nothing, because one of their
//! moves may be blocked. All other nodes are searched as usual.

use tengen_gomoku::board::Board;
use tengen_gomoku::types::{BoardSize, Color, CoordSet};

use super::movegen::{Moves, root_moves};
use crate::search::limits::RootOptions;

pub type StoneSets = [CoordSet; 2];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocked(Vec<BlockedMoves>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct BlockedMoves {
    stones: StoneSets,
    free: CoordSet,
    moves: CoordSet,
}

impl BlockedMoves {
    /// Returns true if this position can follow from the board, whose walls are among the free
    /// cells here. Colors are ignored: few nodes differ only in them.
    #[inline]
    fn can_follow(&self, board: &Board) -> bool {
        let is_wall = |c| board.stone(c).is_none();
        self.free.without(board.empty_cells()).into_iter().all(is_wall)
    }
}

impl Blocked {
    /// Returns the blocked moves of these positions. Positions with stones beyond a board of this
    /// size are left out.
    pub fn new(size: BoardSize, positions: impl Iterator<Item = (StoneSets, CoordSet)>) -> Blocked {
        let cells: CoordSet = size.cells().collect();
        let position = |(stones, moves): (StoneSets, CoordSet)| {
            let occupied = stones[0] | stones[1];
            let free = cells.without(&occupied);
            occupied.without(&cells).is_empty().then_some(BlockedMoves { stones, free, moves })
        };
        Blocked(positions.filter_map(position).collect())
    }

    #[inline]
    pub fn is_reachable_from(&self, board: &Board) -> bool {
        self.0.iter().any(|position| position.can_follow(board))
    }

    pub fn ahead_of(&self, board: &Board) -> Blocked {
        Blocked(self.0.iter().filter(|position| position.can_follow(board)).cloned().collect())
    }

    pub fn of(&self, board: &Board) -> CoordSet {
        if self.0.is_empty() {
            return CoordSet::EMPTY;
        }
        let stones = |color| board.size().cells().filter(move |&c| board.stone(c) == Some(color));
        let here = Color::ALL.map(|color| stones(color).collect());
        let position = self.0.iter().find(|position| position.stones == here);
        position.map_or(CoordSet::EMPTY, |position| position.moves)
    }

    /// Returns root options without what is blocked on this board. All moves are searched: the
    /// moves of a threat may be blocked later, so that it need not be answered.
    pub(in crate::search) fn restrict(&self, board: &Board, options: RootOptions) -> RootOptions {
        RootOptions {
            excluded: options.excluded | self.of(board),
            all_moves: options.all_moves | self.is_reachable_from(board),
            ..options
        }
    }

    /// Returns the moves to search in this node: those that are not blocked, or all moves if every
    /// one is blocked. `None` if no blocked move can occur below this node.
    #[inline]
    pub(super) fn moves(&self, board: &Board) -> Option<Moves> {
        let moves = || root_moves(board, &self.restrict(board, RootOptions::default()));
        self.is_reachable_from(board).then(moves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::board::notation::parse_points;
    use tengen_gomoku::types::Rule;

    fn board(moves: &str) -> Board {
        Board::after(9, Rule::Freestyle, moves)
    }

    fn cells(points: &str) -> CoordSet {
        parse_points(points, BoardSize::new(15, 15).unwrap()).unwrap().into_iter().collect()
    }

    #[test]
    fn a_blocked_move_can_be_reached_from_the_positions_before_it() {
        let size = BoardSize::new(9, 9).unwrap();
        let here = ([cells("e5d4"), cells("e6")], cells("a1"));
        let elsewhere = ([cells("a1"), cells("o15")], cells("b2"));
        let blocked = Blocked::new(size, [here, elsewhere].into_iter());
        for moves in ["", "e5", "e5e6", "d4e6", "e5e6d4"] {
            assert!(blocked.is_reachable_from(&board(moves)), "{moves}");
        }
        for moves in ["a1", "e5e7", "e5e6d4a1"] {
            assert!(!blocked.is_reachable_from(&board(moves)), "{moves}");
        }
        assert_eq!(blocked.of(&board("e5e6d4")), cells("a1"));
        for moves in ["e5", "e6e5d4", "e5d4e6"] {
            assert_eq!(blocked.of(&board(moves)), CoordSet::EMPTY, "{moves}");
        }
        assert!(!Blocked::default().is_reachable_from(&board("")));
    }
}
