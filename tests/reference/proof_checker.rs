//! Claimed wins played out: whoever claims a win is asked for a move, every legal answer is
//! played, and he is asked again, until his five stands on the board.

use std::collections::HashSet;

use tengen_gomoku::board::Board;
use tengen_gomoku::board::zobrist::Key;
use tengen_gomoku::types::{Color, Coord};

use crate::positions::draw;

/// Plays out the wins that `claim` claims: the winning move, and the plies to the five at most.
pub struct ProofChecker<F: FnMut(&mut Board) -> Option<(Coord, i32)>> {
    claim: F,
    proven: HashSet<Key>,
    /// Positions that may still be looked at.
    left: u32,
}

impl<F: FnMut(&mut Board) -> Option<(Coord, i32)>> ProofChecker<F> {
    /// Returns a checker that looks at so many positions at most.
    pub fn new(positions: u32, claim: F) -> ProofChecker<F> {
        ProofChecker { claim, proven: HashSet::new(), left: positions }
    }

    /// Plays out the win of the side to move; returns false if the positions ran out.
    ///
    /// # Panics
    ///
    /// If it does not win.
    pub fn attack(&mut self, board: &mut Board) -> bool {
        if !self.proven.insert(board.key()) {
            return true;
        }
        let us = board.side_to_move();
        let Some((mv, plies)) = (self.claim)(board) else {
            panic!("no win after an answer\n{}", draw(board));
        };
        assert!(board.is_empty(mv) && !is_foul(board, mv), "{mv}\n{}", draw(board));
        if board.makes_five(mv, us) {
            return true;
        }
        assert!(plies >= 3, "{mv} is no five\n{}", draw(board));
        board.play(mv);
        let is_complete = self.defend(board);
        board.undo();
        is_complete
    }

    /// Plays out the loss of the side to move; returns false if the positions ran out.
    ///
    /// # Panics
    ///
    /// If some legal move does not lose.
    pub fn defend(&mut self, board: &mut Board) -> bool {
        let us = board.side_to_move();
        for answer in &{ *board.empty_cells() } {
            if self.left == 0 {
                return false;
            }
            self.left -= 1;
            if is_foul(board, answer) {
                continue;
            }
            assert!(!board.makes_five(answer, us), "{answer} wins\n{}", draw(board));
            board.play(answer);
            let is_complete = self.attack(board);
            board.undo();
            if !is_complete {
                return false;
            }
        }
        true
    }
}

/// Returns true if the side to move may not play there.
pub fn is_foul(board: &mut Board, mv: Coord) -> bool {
    board.side_to_move() == Color::Black && board.is_forbidden(mv)
}
