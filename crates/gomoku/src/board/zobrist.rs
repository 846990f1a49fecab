//! Position keys (Zobrist, 1970), the same on every machine and in all files.

use crate::types::random::{GAMMA, finalized};
use crate::types::{BoardSize, CELLS, Cell, Color, Coord, Rule};

/// The hash of a position with side to move, rule and board size.
pub type Key = u64;

/// Returns the key of the empty board with black to move.
pub fn empty_key(size: BoardSize, rule: Rule) -> Key {
    let setting = (rule as u64) << 16 | (size.width() as u64) << 8 | size.height() as u64;
    first_number(setting ^ SETTING_SEED)
}

/// Returns the random number of a stone or wall on a cell.
#[doc(hidden)]
pub fn cell_key(c: Coord, cell: Cell) -> Key {
    debug_assert!(cell != Cell::Empty);
    match cell {
        Cell::Black => CELL_KEYS[0][c.index()],
        Cell::White => CELL_KEYS[1][c.index()],
        Cell::Empty | Cell::Wall => CELL_KEYS[2][c.index()],
    }
}

pub(super) fn side_key(side: Color) -> Key {
    if side == Color::White { first_number(SIDE_SEED) } else { 0 }
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
