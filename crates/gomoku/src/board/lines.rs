//! The board as bit lines: rows, columns and diagonals, each a `u64` with two bits a cell.

use crate::types::{CELLS, Cell, Coord, Direction, STRIDE};

/// The lines of the padded field.
#[derive(Clone, Copy)]
pub struct Lines([u64; Lines::COUNT]);

impl Lines {
    const COLUMNS: usize = STRIDE;
    const DIAGONALS: usize = 2 * STRIDE;
    const ANTI_DIAGONALS: usize = 4 * STRIDE;
    const COUNT: usize = 6 * STRIDE;

    pub fn walls() -> Lines {
        Lines([u64::MAX; Lines::COUNT])
    }

    #[inline]
    fn locate(index: usize, direction: Direction) -> (usize, usize) {
        let (x, y) = (index % STRIDE, index % CELLS / STRIDE);
        match direction {
            Direction::Horizontal => (y, x),
            Direction::Vertical => (Lines::COLUMNS + x, y),
            Direction::Diagonal => (Lines::DIAGONALS + STRIDE + x - y, y),
            Direction::AntiDiagonal => (Lines::ANTI_DIAGONALS + x + y, y),
        }
    }

    #[inline]
    pub fn line(&self, c: Coord, direction: Direction) -> BitLine {
        let (line, place) = Lines::locate(c.index(), direction);
        BitLine { bits: self.0[line], place }
    }

    /// Returns the rows of the square of `radius` around `c`, the first column in the lowest bits.
    #[inline]
    pub(super) fn rows_around(&self, c: Coord, radius: usize) -> impl Iterator<Item = u64> {
        let (row, place) = Lines::locate(c.index(), Direction::Horizontal);
        let rows = &self.0[row - radius..=row + radius];
        let mask = (1 << (2 * (2 * radius + 1))) - 1;
        rows.iter().map(move |&bits| BitLine { bits, place }.bits_from(radius) & mask)
    }

    #[inline]
    pub fn change(&mut self, c: Coord, old: Cell, new: Cell) {
        for direction in Direction::ALL {
            let (line, place) = Lines::locate(c.index(), direction);
            self.0[line] ^= (old as u64 ^ new as u64) << (2 * place);
        }
    }
}

/// A line with a place on it.
#[derive(Clone, Copy)]
pub struct BitLine {
    bits: u64,
    place: usize,
}

impl BitLine {
    pub(super) fn cell(self, steps: isize) -> Cell {
        match self.bits >> (2 * (self.place as isize + steps) as u32 % 64) & 3 {
            0 => Cell::Black,
            1 => Cell::White,
            2 => Cell::Empty,
            _ => Cell::Wall,
        }
    }

    pub(super) fn with(mut self, steps: isize, cell: Cell) -> BitLine {
        let shift = 2 * (self.place as isize + steps) as u32 % 64;
        self.bits ^= (Cell::Empty as u64 ^ cell as u64) << shift;
        self
    }

    /// Returns the part within twice `radius` of the place.
    #[inline]
    pub fn span(self, radius: usize) -> LineSpan {
        LineSpan(self.bits_from(2 * radius))
    }

    /// Returns the bits of the line from `before` cells before the place on.
    #[inline]
    pub fn bits_from(self, before: usize) -> u64 {
        // A rotation brings in walls, as good as a shift.
        self.bits.rotate_right(2 * (self.place + STRIDE - before) as u32 % 64)
    }

    /// Returns the index of the window around the cell `steps` away, which must be on the board.
    #[inline]
    pub(super) fn window(self, steps: isize, radius: usize) -> usize {
        let first = (self.place as isize + steps) as usize - radius;
        window_index(self.bits >> (2 * first as u32 % 64), radius)
    }
}

/// Returns the index of the window whose first cell is in the lowest bits.
#[inline]
fn window_index(bits: u64, radius: usize) -> usize {
    let before = (1 << (2 * radius)) - 1;
    let after = before << (2 * radius);
    bits as usize & before | (bits >> 2) as usize & after
}

/// The lower bit of every cell.
const EVERY_CELL: u64 = u64::MAX / 3;

const _: () = assert!(Cell::Empty as u64 == 2);

/// The cells within `radius` of a place, numbered from 0, and those that their windows include.
#[derive(Clone, Copy)]
pub struct LineSpan(u64);

impl LineSpan {
    #[inline]
    pub fn window(self, number: usize, radius: usize) -> usize {
        window_index(self.0 >> (2 * number), radius)
    }

    /// Returns the lower bit of each empty numbered cell, two bits a cell.
    #[inline]
    pub fn empty(self, radius: usize) -> u64 {
        let cells = self.0 >> (2 * radius) & ((1 << (4 * radius + 2)) - 1);
        cells >> 1 & !cells & EVERY_CELL
    }
}
