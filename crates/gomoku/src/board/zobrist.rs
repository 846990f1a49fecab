//! Position keys (Zobrist, 1970), the same on every machine and in all files.

use std::ops::BitXorAssign;

use crate::types::random::{GAMMA, finalized};
use crate::types::{BoardSize, CELLS, Cell, Color, Coord, Rule};

/// The hash of a position with side to move, rule and board size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(u64);

impl Key {
    /// Returns the key of these bits.
    pub const fn from_bits(bits: u64) -> Key {
        Key(bits)
    }

    /// Returns the key of the empty board with black to move.
    pub fn new(size: BoardSize, rule: Rule) -> Key {
        let setting = (rule as u64) << 16 | (size.width() as u64) << 8 | size.height() as u64;
        Key(first_number(setting ^ SETTING_SEED))
    }

    /// Returns the random number of a stone or wall on a cell.
    #[doc(hidden)]
    pub fn of_cell(c: Coord, cell: Cell) -> Key {
        debug_assert!(cell != Cell::Empty);
        match cell {
            Cell::Black => Key(CELL_KEYS[0][c.index()]),
            Cell::White => Key(CELL_KEYS[1][c.index()]),
            Cell::Empty | Cell::Wall => Key(CELL_KEYS[2][c.index()]),
        }
    }

    pub(super) fn of_side(side: Color) -> Key {
        Key(if side == Color::White { first_number(SIDE_SEED) } else { 0 })
    }

    /// Returns the key's bits.
    pub const fn bits(self) -> u64 {
        self.0
    }
}

impl BitXorAssign for Key {
    fn bitxor_assign(&mut self, other: Key) {
        self.0 ^= other.0;
    }
}

const SETTING_SEED: u64 = 0x5445_4e47_454e_0001;
const SIDE_SEED: u64 = 0x5445_4e47_454e_0002;
const CELL_SEED: u64 = 0x5445_4e47_454e_0003;

static CELL_KEYS: [[u64; CELLS]; 3] = cell_keys();

const fn cell_keys() -> [[u64; CELLS]; 3] {
    let mut keys = [[0; CELLS]; 3];
    let mut i = 0;
    while i < 3 * CELLS {
        keys[i / CELLS][i % CELLS] = first_number(CELL_SEED.wrapping_add((i as u64) << 32));
        i += 1;
    }
    keys
}

const fn first_number(seed: u64) -> u64 {
    finalized(seed.wrapping_add(GAMMA))
}
