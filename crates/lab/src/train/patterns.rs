//! The line patterns of positions, as the embeddings are looked up by.
//!
//! Knows boards by their sizes and stones only.

use tengen::eval::network::region_of;
use tengen::eval::pattern::{HALVES, Pattern, RADIUS};
use tengen::types::BoardSize;

/// The patterns of a board of one size without stones, and the region of each cell.
pub struct EmptyBoard {
    size: BoardSize,
    /// Cells of the board.
    pub cells: usize,
    /// Patterns, four a cell.
    patterns: Vec<u32>,
    /// The region of each cell.
    pub region: Vec<u8>,
}

/// Directions as steps in column and row.
const STEPS: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

impl EmptyBoard {
    /// Returns the board of a size.
    pub fn new(size: BoardSize) -> EmptyBoard {
        let (width, height) = (size.width() as isize, size.height() as isize);
        let on = |x: isize, y: isize| (0..width).contains(&x) && (0..height).contains(&y);
        let mut patterns = Vec::new();
        let mut region = Vec::new();
        for y in 0..height {
            for x in 0..width {
                for (dx, dy) in STEPS {
                    let length = |sign: isize| {
                        (1..=RADIUS as isize)
                            .take_while(|&k| on(x + sign * k * dx, y + sign * k * dy))
                            .count()
                    };
                    patterns.push(Pattern::stone_free(length(-1), length(1)).index() as u32);
                }
                region.push(region_of(size, x as u8, y as u8) as u8);
            }
        }
        EmptyBoard { size, cells: patterns.len() / 4, patterns, region }
    }

    /// Sets `patterns` to those of a position, four a cell, row by row: as black sees them, or the
    /// side to move if `is_relative`.
    pub fn patterns(&self, stones: &[[u8; 2]], is_relative: bool, patterns: &mut Vec<u32>) {
        patterns.clear();
        patterns.extend_from_slice(&self.patterns);
        let (width, height) = (self.size.width() as isize, self.size.height() as isize);
        for (ply, &[x, y]) in stones.iter().enumerate() {
            // 1 for black or the side to move, 2 for the other.
            let digit = match is_relative {
                true => 1 + (stones.len() - ply) as u32 % 2,
                false => 1 + ply as u32 % 2,
            };
            let (x, y) = (x as isize, y as isize);
            for (direction, (dx, dy)) in STEPS.into_iter().enumerate() {
                for k in -(RADIUS as isize)..=RADIUS as isize {
                    let (cx, cy) = (x + k * dx, y + k * dy);
                    if !(0..width).contains(&cx) || !(0..height).contains(&cy) {
                        continue;
                    }
                    let weight = match k {
                        0 => 1,
                        // The stone lies behind the cell.
                        ..0 => 3 * 3u32.pow((-k - 1) as u32),
                        1.. => 3 * HALVES as u32 * 3u32.pow((k - 1) as u32),
                    };
                    patterns[(cy * width + cx) as usize * 4 + direction] += digit * weight;
                }
            }
        }
    }
}

/// Empty boards of all sizes.
pub struct EmptyBoards(Vec<Option<EmptyBoard>>);

impl Default for EmptyBoards {
    fn default() -> EmptyBoards {
        let side = |index: usize| index as u8 + BoardSize::MIN;
        let sides = usize::from(BoardSize::MAX - BoardSize::MIN) + 1;
        let board =
            |index| BoardSize::new(side(index / sides), side(index % sides)).map(EmptyBoard::new);
        EmptyBoards((0..sides * sides).map(board).collect())
    }
}

impl EmptyBoards {
    /// Returns the board of a size.
    pub fn of(&self, size: BoardSize) -> &EmptyBoard {
        let sides = usize::from(BoardSize::MAX - BoardSize::MIN) + 1;
        let place = |side| usize::from(side - BoardSize::MIN);
        let index = place(size.width()) * sides + place(size.height());
        self.0[index].as_ref().expect("every size has a board")
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn patterns_are_those_of_the_cells() {
        let size = BoardSize::new(9, 7).unwrap();
        let board = EmptyBoard::new(size);
        let mut patterns = Vec::new();
        // Black at c2, white at d2, black at i7.
        let stones = [[2, 1], [3, 1], [8, 6]];
        board.patterns(&stones, false, &mut patterns);
        let along_row =
            |x: usize, y: usize| Pattern::from_index(patterns[4 * (9 * y + x)] as usize);
        assert_eq!((along_row(2, 1).center, along_row(3, 1).center), (1, 2));
        // From a2 on: one cell of the row's beginning is empty, then black, white and an empty one.
        let half = |digits: &[usize]| {
            let length = digits.len() as u32;
            let number = digits.iter().rev().fold(0, |sum, digit| 3 * sum + digit);
            (3usize.pow(length) - 1) / 2 + number
        };
        let first = along_row(0, 1);
        assert_eq!((first.before, first.after), (half(&[]), half(&[0, 1, 2, 0])));
        let mut relative = Vec::new();
        board.patterns(&stones, true, &mut relative);
        let swapped = |index: &u32| Pattern::from_index(*index as usize).swapped().index() as u32;
        assert!(relative.iter().eq(&patterns.iter().map(swapped).collect::<Vec<u32>>()));
    }
}
