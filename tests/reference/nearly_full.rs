//! Random boards near the end of the game, small enough for brute force.

use tengen_gomoku::board::Board;
use tengen_gomoku::types::{BoardSize, Cell, Color, Coord, Rule};

use super::grid::{Grid, point_of};
use crate::positions::random::random_stones;
use crate::positions::size;

/// Returns a random board of sides 5 and 6 on which nobody has a five, with `free` free cells or
/// fewer, but one at least.
pub fn nearly_full_board(rng: &mut fastrand::Rng, rule: Rule, free: usize) -> Option<Board> {
    let (size, cells) = nearly_full_stones(rng, free);
    let to_move = if rng.bool() { Color::Black } else { Color::White };
    let board = Board::from_cells(size, rule, &cells, to_move);
    let grid = Grid::of(&board);
    let is_stone = |&c: &Coord| board.stone(c).is_some();
    let has_five = size.cells().filter(is_stone).any(|c| grid.has_won(point_of(c), rule));
    (board.empty_count() > 0 && !has_five).then_some(board)
}

fn nearly_full_stones(rng: &mut fastrand::Rng, free: usize) -> (BoardSize, Vec<(Coord, Cell)>) {
    let size = size(rng.usize(5..=6), rng.usize(5..=6));
    let mut cells = random_stones(rng, size);
    let mut rest: Vec<Coord> =
        size.cells().filter(|&c| cells.iter().all(|&(taken, _)| taken != c)).collect();
    rng.shuffle(&mut rest);
    for c in rest.into_iter().skip(free) {
        cells.push((c, if rng.bool() { Cell::Black } else { Cell::White }));
    }
    (size, cells)
}
