//! Random positions that hold many threats, each set by its seed; and how many of them a test
//! takes.

use std::env;
use std::ops::RangeInclusive;

use tengen_gomoku::board::Board;
use tengen_gomoku::types::{BoardSize, Cell, Color, Coord, Rule};

use super::size;

/// How many times more positions the comparisons look at at night: 20,000 become a million.
const NIGHTLY_FACTOR: usize = 50;

/// Returns how many positions to compare where `daily` are enough for every day: more if the
/// environment names `TENGEN_NIGHTLY`.
pub fn rounds(daily: usize) -> usize {
    let is_nightly = env::var_os("TENGEN_NIGHTLY").is_some_and(|value| !value.is_empty());
    if is_nightly { daily * NIGHTLY_FACTOR } else { daily }
}

/// Returns random stones in a form that makes many threats: scattered ones near the middle of a
/// cluster, and stretches of lines on which one colour rules. No cell comes twice.
pub fn random_stones(rng: &mut fastrand::Rng, size: BoardSize) -> Vec<(Coord, Cell)> {
    let mut cells: Vec<(Coord, Cell)> = Vec::new();
    let mut put = |x: i32, y: i32, cell: Cell| {
        let c = u8::try_from(x).ok().zip(u8::try_from(y).ok()).and_then(|(x, y)| size.coord(x, y));
        if let Some(c) = c.filter(|c| cells.iter().all(|(other, _)| other != c)) {
            cells.push((c, cell));
        }
    };
    let (width, height) = (i32::from(size.width()), i32::from(size.height()));
    let (middle_x, middle_y) = (rng.i32(0..width), rng.i32(0..height));
    for _ in 0..rng.usize(0..12) {
        let (x, y) = (middle_x + rng.i32(-4..=4), middle_y + rng.i32(-4..=4));
        put(x, y, if rng.bool() { Cell::Black } else { Cell::White });
    }
    for _ in 0..rng.usize(2..10) {
        let (mut x, mut y) = (middle_x + rng.i32(-4..=4), middle_y + rng.i32(-4..=4));
        let (dx, dy) = rng.choice([(1, 0), (0, 1), (1, 1), (-1, 1)]).expect("four directions");
        let ruler = if rng.bool() { Cell::Black } else { Cell::White };
        for _ in 0..rng.usize(4..9) {
            match rng.usize(0..16) {
                0..8 => put(x, y, ruler),
                8 => put(x, y, if ruler == Cell::Black { Cell::White } else { Cell::Black }),
                9 if rng.bool() => put(x, y, Cell::Wall),
                _ => {}
            }
            (x, y) = (x + dx, y + dy);
        }
    }
    rng.shuffle(&mut cells);
    cells
}

/// Returns a random board of sides within `sides`, with stones that make many threats.
pub fn random_board(rng: &mut fastrand::Rng, rule: Rule, sides: RangeInclusive<usize>) -> Board {
    let size = size(rng.usize(sides.clone()), rng.usize(sides));
    let to_move = if rng.bool() { Color::Black } else { Color::White };
    Board::from_cells(size, rule, &random_stones(rng, size), to_move)
}

/// Returns a position of random stones near the centre.
pub fn random_moves(rng: &mut fastrand::Rng, stones: usize) -> Vec<Coord> {
    let size = size(15, 15);
    let mut cells: Vec<Coord> =
        size.cells().filter(|c| (2..13).contains(&c.x()) && (2..13).contains(&c.y())).collect();
    rng.shuffle(&mut cells);
    cells.truncate(stones);
    cells
}
