//! Shapes and threats: what a stone on an empty cell makes of one line, and of all four together.
//!
//! A window is a line around an empty center, up to five cells to either side. Its [`Shape`] is
//! what a stone of a color on the center makes possible next. The shapes of the four directions
//! combine to the cell's [`Threat`]. Both are looked up in tables.

mod line;
mod tables;

#[doc(hidden)]
pub use tables::{RuleTables, shapes_of_code};

use crate::types::{Color, Direction, variants};

variants! {
    /// What a stone on the center `*` of a window makes of the line, weakest first; `X` is an own
    /// stone and `O` an enemy stone. Only fives with the center count.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u8)]
    pub enum Shape {
        /// No five is possible.
        Dead,
        /// Black under renju: an overline or two fours on one line (`X.X*X.X`), both forbidden.
        Foul,
        /// One more stone makes a [`Shape::Two`]: `O*....`
        One,
        /// One more stone makes an open two: `...*...`
        OpenOne,
        /// One more stone makes a closed [`Shape::Three`]: `OX*...`
        Two,
        /// One or two cells make an open three: `O.X*...O`
        NarrowTwo,
        /// Three cells make an open three: `O..X*...O`
        OpenTwo,
        /// Four or more cells make an open three: `...X*...`
        WideTwo,
        /// One more stone makes a [`Shape::Four`]: `OXX*..`
        Three,
        /// Exactly one cell makes an open four: `O.XX*..O`
        NarrowThree,
        /// Two or more cells make an open four: `..XX*..`
        OpenThree,
        /// One answer stops every five: `OXXX*.`
        Four,
        /// No answer stops every five: `.XXX*.`
        OpenFour,
        /// Wins: `XXXX*`
        Five,
    }
}

impl Shape {
    pub(crate) const fn from_nibble(nibble: u8) -> Shape {
        let index = (nibble & 15) as usize;
        if index < Shape::COUNT { Shape::ALL[index] } else { Shape::Dead }
    }

    pub(crate) const fn is_open_three(self) -> bool {
        matches!(self, Shape::NarrowThree | Shape::OpenThree)
    }
}

variants! {
    /// What a stone on a cell threatens on its four lines, weakest first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u8)]
    pub enum Threat {
        /// Less than an open two.
        None,
        /// Black under renju: looks like an overline, a double four or a double three; see
        /// [`Board::is_forbidden`](crate::board::Board::is_forbidden).
        Forbidden,
        OpenTwo,
        /// A closed three.
        Three,
        DoubleTwo,
        /// A closed three with an open two or another closed three.
        ThreePlus,
        OpenThree,
        /// An open three with an open two or a closed three.
        OpenThreePlus,
        DoubleThree,
        Four,
        /// A four with an open two or a closed three.
        FourPlus,
        FourThree,
        /// An open four or two fours: no stone stops it.
        OpenFour,
        Five,
    }
}

impl Threat {
    /// The length of arrays by [`Threat::rank`]: any four bits are an index.
    #[doc(hidden)]
    pub const RANKS: usize = 16;

    /// Returns true if the board keeps a set of its cells: `Forbidden`, or `DoubleThree` or more.
    #[inline]
    pub(crate) const fn rank_has_cell_set(rank: usize) -> bool {
        // The upper half, so that one bit tells.
        rank >= Threat::RANKS / 2
    }

    /// Returns the place in [`Threat::ALL`], but for `Forbidden` the last rank.
    #[doc(hidden)]
    #[inline]
    pub const fn rank(self) -> usize {
        match self {
            Threat::Forbidden => Threat::RANKS - 1,
            _ => self as usize,
        }
    }
}

/// Unordered combinations of four shapes: C(17, 4).
#[doc(hidden)]
pub const CODES: usize = 2380;

/// An unordered combination of four shapes, below [`CODES`].
#[doc(hidden)]
pub type ShapeCode = u16;

#[doc(hidden)]
pub const CODE_BITS: u32 = 12;

/// Both colors' shapes on the four lines of a cell, a byte a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellShapes(u32);

impl CellShapes {
    pub const DEAD: CellShapes = CellShapes(0);

    #[inline]
    pub const fn window(self, direction: Direction) -> u8 {
        (self.0 >> (8 * direction as u32)) as u8
    }

    pub const fn with(self, direction: Direction, window: u8) -> CellShapes {
        let shift = 8 * direction as u32;
        CellShapes(self.0 & !(255 << shift) | (window as u32) << shift)
    }

    /// Returns the shapes with one direction changed by the bits of `difference`.
    #[inline]
    pub const fn changed(self, direction: Direction, difference: u8) -> CellShapes {
        CellShapes(self.0 ^ (difference as u32) << (8 * direction as u32))
    }

    pub const fn shape(self, color: Color, direction: Direction) -> Shape {
        Shape::from_nibble(self.window(direction) >> (4 * color as u32))
    }

    /// Returns the four shapes of a color side by side, in the cheapest order.
    #[inline]
    const fn shape_index(self, color: Color) -> u16 {
        let shapes = self.0 >> (4 * color as u32) & 0x0f0f_0f0f;
        (shapes | shapes >> 12) as u16
    }
}

/// A [`ShapeCode`] and its [`Threat`] for a color, in one look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedThreat(u16);

impl PackedThreat {
    pub const DEAD: PackedThreat = PackedThreat::new(0, Threat::None);

    const fn new(code: ShapeCode, threat: Threat) -> PackedThreat {
        PackedThreat(code | (threat.rank() as u16) << CODE_BITS)
    }

    pub const fn code(self) -> ShapeCode {
        self.0 & ((1 << CODE_BITS) - 1)
    }

    #[inline]
    pub const fn threat(self) -> Threat {
        const OF_RANK: [Threat; Threat::RANKS] = {
            let mut of_rank = [Threat::Forbidden; Threat::RANKS];
            of_rank.split_at_mut(Threat::COUNT).0.copy_from_slice(&Threat::ALL);
            of_rank
        };
        OF_RANK[self.rank() % Threat::RANKS]
    }

    #[inline]
    pub const fn rank(self) -> usize {
        (self.0 >> CODE_BITS) as usize
    }
}

const _: () = assert!(CODES <= 1 << CODE_BITS && Threat::COUNT <= Threat::RANKS);
