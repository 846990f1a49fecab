//! Points, board sizes and directions.
//!
//! The board lies in a field of 32x32 with at least five wall cells on every side, so that windows
//! never leave the field. Padded index 0 is wall, so that `Option<Coord>` is as small as `Coord`.

use std::fmt;
use std::num::NonZeroU16;
use std::str::FromStr;

#[cfg(feature = "records")]
use serde::{Deserialize, Serialize, Serializer};

use super::Expected;

/// A row of the padded field.
pub const STRIDE: usize = 32;
/// The padded field: the length of arrays by cell.
pub const CELLS: usize = STRIDE * STRIDE;
const PADDING: usize = 5;
/// The padded index of every board's first cell.
const FIRST: usize = PADDING * STRIDE + PADDING;
/// Padded indices from the first to the last cell of the largest board.
pub const SPAN: usize = (BoardSize::MAX as usize - 1) * (STRIDE + 1) + 1;

const _: () = assert!(BoardSize::MAX as usize + 2 * PADDING <= STRIDE);
const _: () = assert!(size_of::<Option<Coord>>() == 2);

/// A point of the board or of the walls around it. A move is a `Coord` too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Coord(NonZeroU16);

impl Coord {
    /// Returns the point in column `x` and row `y`, from 0. Panics at [`BoardSize::MAX`] and above.
    pub const fn new(x: u8, y: u8) -> Coord {
        assert!(x < BoardSize::MAX && y < BoardSize::MAX);
        Coord::from_index((y as usize + PADDING) * STRIDE + x as usize + PADDING)
    }

    #[doc(hidden)]
    pub const fn from_index(index: usize) -> Coord {
        debug_assert!(index < CELLS);
        match NonZeroU16::new(index as u16) {
            Some(index) => Coord(index),
            None => panic!("padded index 0 is wall"),
        }
    }

    /// Returns the padded index, below [`CELLS`].
    #[doc(hidden)]
    pub const fn index(self) -> usize {
        self.0.get() as usize & (CELLS - 1)
    }

    /// Returns the index from the board's first cell on, below [`SPAN`].
    #[doc(hidden)]
    pub const fn span_index(self) -> usize {
        self.index() - FIRST
    }

    /// Returns the column, from 0.
    pub const fn x(self) -> u8 {
        (self.index() % STRIDE - PADDING) as u8
    }

    /// Returns the row, from 0.
    pub const fn y(self) -> u8 {
        (self.index() / STRIDE - PADDING) as u8
    }

    /// Returns the cell `steps` away, at most four from a cell of the board; it may be a wall.
    pub const fn step(self, direction: Direction, steps: isize) -> Coord {
        Coord::from_index((self.index() as isize + direction.stride() * steps) as usize)
    }

    /// Returns the king-move distance to `other`.
    pub fn distance(self, other: Coord) -> u8 {
        self.x().abs_diff(other.x()).max(self.y().abs_diff(other.y()))
    }
}

impl fmt::Display for Coord {
    /// Writes the column's letter and the row's number from 1: `h8`.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.x()) as char, self.y() + 1)
    }
}

#[cfg(feature = "records")]
impl Serialize for Coord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Debug for Coord {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

variants! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(u8)]
    pub enum Direction {
        /// Along a row, x grows.
        Horizontal,
        /// Along a column, y grows.
        Vertical,
        /// x and y grow together.
        Diagonal,
        /// y grows while x falls.
        AntiDiagonal,
    }
}

impl Direction {
    #[doc(hidden)]
    pub const fn stride(self) -> isize {
        match self {
            Direction::Horizontal => 1,
            Direction::Vertical => STRIDE as isize,
            Direction::Diagonal => STRIDE as isize + 1,
            Direction::AntiDiagonal => STRIDE as isize - 1,
        }
    }
}

/// The side of the board from which rows are counted: that of row 0, which has the number 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rows {
    /// As in the protocol, .psq and SGF.
    #[default]
    Top,
    /// As in the literature of renju and its programs.
    Bottom,
}

impl Rows {
    /// Returns `top` or `bottom`.
    pub fn name(self) -> &'static str {
        match self {
            Rows::Top => "top",
            Rows::Bottom => "bottom",
        }
    }
}

impl FromStr for Rows {
    type Err = Expected;

    fn from_str(text: &str) -> Result<Rows, Expected> {
        let named = [Rows::Top, Rows::Bottom].into_iter().find(|rows| rows.name() == text);
        named.ok_or(Expected("top or bottom"))
    }
}

/// Width and height of a board, each from 5 to 22.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "records",
    derive(Serialize, Deserialize),
    serde(into = "String", try_from = "String")
)]
pub struct BoardSize {
    width: u8,
    height: u8,
}

impl BoardSize {
    pub const MIN: u8 = 5;
    pub const MAX: u8 = 22;
    /// Cells of the largest board.
    pub const MAX_AREA: usize = BoardSize::MAX as usize * BoardSize::MAX as usize;
    /// 15x15, the board of renju and of most programs.
    pub const DEFAULT: BoardSize = BoardSize { width: 15, height: 15 };
    /// The largest board.
    pub const LARGEST: BoardSize = BoardSize { width: BoardSize::MAX, height: BoardSize::MAX };

    pub const fn new(width: u8, height: u8) -> Option<BoardSize> {
        match (width, height) {
            (Self::MIN..=Self::MAX, Self::MIN..=Self::MAX) => Some(BoardSize { width, height }),
            _ => None,
        }
    }

    /// Returns the point at the same place where rows are counted from the other side.
    pub fn flipped(self, c: Coord) -> Coord {
        let y = (self.height - 1).checked_sub(c.y());
        y.map_or(c, |y| Coord::new(c.x(), y))
    }

    pub const fn width(self) -> u8 {
        self.width
    }

    pub const fn height(self) -> u8 {
        self.height
    }

    pub const fn area(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Returns the point in column `x` and row `y`, if it is on the board.
    pub const fn coord(self, x: u8, y: u8) -> Option<Coord> {
        if x < self.width && y < self.height { Some(Coord::new(x, y)) } else { None }
    }

    /// Returns the middle of the board, or a cell next to it.
    pub const fn center(self) -> Coord {
        Coord::new(self.width / 2, self.height / 2)
    }

    /// Returns all cells, row by row.
    pub fn cells(self) -> impl Iterator<Item = Coord> {
        (0..self.height).flat_map(move |y| (0..self.width).map(move |x| Coord::new(x, y)))
    }
}

impl fmt::Display for BoardSize {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl FromStr for BoardSize {
    type Err = Expected;

    /// Reads a size such as `15` or `20x15`.
    fn from_str(text: &str) -> Result<BoardSize, Expected> {
        let (width, height) = text.split_once(['x', 'X']).unwrap_or((text, text));
        let [width, height] = [width, height].map(|side| side.trim().parse().unwrap_or_default());
        let size = BoardSize::new(width, height);
        size.ok_or(Expected("a size from 5 to 22, such as 15 or 20x15,"))
    }
}

impl From<BoardSize> for String {
    fn from(size: BoardSize) -> String {
        size.to_string()
    }
}

impl TryFrom<String> for BoardSize {
    type Error = Expected;

    fn try_from(text: String) -> Result<BoardSize, Expected> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coord_round_trips_through_column_and_row() {
        for (x, y, text) in [(0, 0, "a1"), (7, 7, "h8"), (21, 21, "v22"), (14, 0, "o1")] {
            let c = Coord::new(x, y);
            assert_eq!((c.x(), c.y(), c.to_string().as_str()), (x, y, text));
        }
    }

    #[test]
    fn four_steps_stay_on_the_field() {
        let size = BoardSize::new(22, 22).unwrap();
        for c in size.cells() {
            for direction in Direction::ALL {
                let (far, near) = (c.step(direction, 4), c.step(direction, -4));
                assert!(far.index() < CELLS && near.index() > 0);
                assert_eq!(far.step(direction, -4), c);
            }
        }
    }

    #[test]
    fn sizes_outside_the_range_are_refused() {
        assert!(BoardSize::new(4, 15).is_none() && BoardSize::new(15, 23).is_none());
        let size = BoardSize::new(20, 15).unwrap();
        assert_eq!(size.cells().count(), size.area());
        assert!(size.coord(19, 14).is_some() && size.coord(14, 15).is_none());
        assert_eq!(size.to_string().parse(), Ok(size));
        assert_eq!("15".parse().ok(), BoardSize::new(15, 15));
        for text in ["", "x", "15x", "4", "15x23", "-15", "999"] {
            assert!(text.parse::<BoardSize>().is_err(), "{text}");
        }
    }
}
