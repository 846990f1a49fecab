//! The legality of lines, by the rules' definitions.

use tengen_gomoku::board::Board;
use tengen_gomoku::types::{Color, Coord, Rule};

use super::grid::{Grid, Verdict, point_of};
use crate::positions::draw;

/// Plays a line.
///
/// # Panics
///
/// If one of its moves is not legal.
pub fn assert_legal(board: &Board, line: &[Coord]) {
    let mut board = board.clone();
    for &mv in line {
        let message = || format!("{mv} of {line:?}\n{}", draw(&board));
        assert!(board.is_empty(mv), "taken: {}", message());
        if board.rule() == Rule::Renju && board.side_to_move() == Color::Black {
            let verdict = Grid::of(&board).judge(point_of(mv));
            assert_ne!(verdict, Verdict::Foul, "forbidden: {}", message());
        }
        board.play(mv);
    }
}
