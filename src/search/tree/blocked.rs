//! Moves that the user of an analysis does not want in single positions, wherever a search comes to
//! them.
//!
//! A node from which a blocked move can still be reached is on the way to it: there threats prove
//! nothing, since the play that they promise may be blocked, and only a search tells the value. All
//! other nodes are searched as ever. Invariant: without a blocked move nothing is on the way.

use crate::board::Board;
use crate::types::{BoardSize, CellSet, Color};

/// The cells of black's and of white's stones.
pub type StoneSets = [CellSet; 2];

/// The blocked moves of a board's positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocked(Vec<BlockedMoves>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct BlockedMoves {
    /// The cells without a stone.
    free: CellSet,
    black: CellSet,
    moves: CellSet,
}

/// Nothing is blocked.
pub static NOTHING: Blocked = Blocked(Vec::new());

impl Blocked {
    /// Returns the blocked moves of these positions, as far as they fit on the board.
    pub fn new(size: BoardSize, positions: impl Iterator<Item = (StoneSets, CellSet)>) -> Blocked {
        let cells: CellSet = size.cells().collect();
        let position = |([black, white], moves): (StoneSets, CellSet)| {
            let stones = black | white;
            let fits = stones.without(&cells).is_empty();
            fits.then(|| BlockedMoves { free: cells.without(&stones), black, moves })
        };
        Blocked(positions.filter_map(position).collect())
    }

    /// Returns true if a blocked move can be reached by play from the board, or belongs to it.
    #[inline]
    pub fn lies_ahead(&self, board: &Board) -> bool {
        // A position is reached by adding stones. Their colours are not looked at: that would
        // matter to a few nodes, and those lose no more than some speed.
        !self.0.is_empty() && self.0.iter().any(|p| p.free.without(board.empty_cells()).is_empty())
    }

    /// Returns the blocked moves of the board itself.
    pub fn of(&self, board: &Board) -> CellSet {
        let is_black = |c| board.stone(c) == Some(Color::Black);
        let is_here = |p: &&BlockedMoves| {
            p.free == *board.empty_cells()
                && board.size().cells().all(|c| is_black(c) == p.black.contains(c))
        };
        self.0.iter().find(is_here).map_or(CellSet::EMPTY, |position| position.moves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::notation::parse_points;
    use crate::types::Rule;

    fn board(moves: &str) -> Board {
        Board::after(9, Rule::Freestyle, moves)
    }

    fn cells(points: &str) -> CellSet {
        parse_points(points, BoardSize::new(15, 15).unwrap()).unwrap().into_iter().collect()
    }

    #[test]
    fn a_blocked_move_lies_ahead_of_the_positions_before_it() {
        let size = BoardSize::new(9, 9).unwrap();
        let here = ([cells("e5d4"), cells("e6")], cells("a1"));
        let elsewhere = ([cells("a1"), cells("o15")], cells("b2"));
        let blocked = Blocked::new(size, [here, elsewhere].into_iter());
        for moves in ["", "e5", "e5e6", "d4e6", "e5e6d4"] {
            assert!(blocked.lies_ahead(&board(moves)), "{moves}");
        }
        for moves in ["a1", "e5e7", "e5e6d4a1"] {
            assert!(!blocked.lies_ahead(&board(moves)), "{moves}");
        }
        assert_eq!(blocked.of(&board("e5e6d4")), cells("a1"));
        for moves in ["e5", "e6e5d4", "e5d4e6"] {
            assert_eq!(blocked.of(&board(moves)), CellSet::EMPTY, "{moves}");
        }
        assert!(!NOTHING.lies_ahead(&board("")));
    }
}
