//! The cells around stones that are candidates.

use crate::types::STRIDE;

/// The cells around a stone that are candidates: a square, and more along the lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Reach {
    Square2,
    Square2Line3,
    Square3,
    #[default]
    Square3Line4,
    Square4,
    /// The whole board, with stones or without.
    Whole,
}

/// The words of a cell set around a stone.
pub(super) type CandidateMask = [u64; 5];

/// The farthest row of a square or line.
const FARTHEST: usize = 4;

impl Reach {
    /// Every reach, from the least to the most.
    pub const ALL: [Reach; 6] = [
        Reach::Square2,
        Reach::Square2Line3,
        Reach::Square3,
        Reach::Square3Line4,
        Reach::Square4,
        Reach::Whole,
    ];

    /// Returns rows of bits around a stone, by the distance from its own row; bit 4 is its column.
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

    /// Returns the words around a stone on an even or odd row of the field.
    const fn mask(self, stone_row: usize) -> CandidateMask {
        let rows = self.rows();
        let mut mask = [0; 5];
        let mut row = 0;
        while row < 2 * mask.len() {
            let distance = row.abs_diff(FARTHEST + stone_row);
            if distance <= FARTHEST {
                mask[row / 2] |= (rows[distance] as u64) << (row % 2 * STRIDE);
            }
            row += 1;
        }
        mask
    }

    /// Returns the candidates around a stone in this padded row and in column 4.
    #[inline]
    pub(super) fn candidate_mask(self, stone_row: usize) -> &'static CandidateMask {
        static MASKS: [[CandidateMask; 2]; Reach::ALL.len()] = {
            let mut masks = [[[0; 5]; 2]; Reach::ALL.len()];
            let mut i = 0;
            while i < Reach::ALL.len() {
                masks[i] = [Reach::ALL[i].mask(0), Reach::ALL[i].mask(1)];
                i += 1;
            }
            masks
        };
        &MASKS[self as usize][stone_row % 2]
    }
}
