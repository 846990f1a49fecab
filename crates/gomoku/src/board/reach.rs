//! The reach of stones: which cells around them are candidates.
//!
//! Knows one stone and the shape of the field, no board.

use crate::types::STRIDE;

/// Which cells around a stone are candidates. A square of size n holds all cells within n of the
/// stone, a line of length n those along the eight directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// A square of 2.
    Square2,
    /// A square of 2 and lines of 3.
    Square2Line3,
    /// A square of 3.
    Square3,
    /// A square of 3 and lines of 4.
    #[default]
    Square3Line4,
    /// A square of 4.
    Square4,
    /// The whole board, with stones or without.
    Whole,
}

/// Farther rows than this are no part of a square or line.
const FARTHEST: usize = 4;

impl Reach {
    /// All of them, from the least to the most.
    pub const ALL: [Reach; 6] = [
        Reach::Square2,
        Reach::Square2Line3,
        Reach::Square3,
        Reach::Square3Line4,
        Reach::Square4,
        Reach::Whole,
    ];

    /// Returns the cells around a stone as rows of bits, by their distance from the stone's own
    /// row; bit 4 is the stone's column. Nothing for the whole board, which needs no stones.
    const fn rows(self) -> [u32; FARTHEST + 1] {
        let (square, line) = match self {
            Reach::Square2 => (2, 2),
            Reach::Square2Line3 => (2, 3),
            Reach::Square3 => (3, 3),
            Reach::Square3Line4 => (3, 4),
            Reach::Square4 => (4, 4),
            Reach::Whole => return [0; FARTHEST + 1],
        };
        let mut rows = [0; FARTHEST + 1];
        let mut dy = 0;
        while dy <= line {
            let mut column = 0;
            while column <= 2 * FARTHEST {
                let dx = column.abs_diff(FARTHEST);
                let is_in_square = dx <= square && dy <= square;
                let is_on_line = dx <= line && (dx == 0 || dy == 0 || dx == dy);
                rows[dy] |= ((is_in_square || is_on_line) as u32) << column;
                column += 1;
            }
            dy += 1;
        }
        rows
    }

    /// Returns the same rows as [words around](CellSet::words_around) a stone, for stones on the
    /// even and the odd rows of the field.
    pub(super) fn words(self) -> [[u64; 5]; 2] {
        let rows = self.rows();
        [0, 1].map(|stone_row: usize| {
            let row = |row: usize| -> u64 {
                let distance = row.abs_diff(FARTHEST + stone_row);
                rows.get(distance).copied().unwrap_or(0).into()
            };
            std::array::from_fn(|word| row(2 * word) | row(2 * word + 1) << STRIDE)
        })
    }
}
