//! Line shapes and cell threats: the words for what a stone on an empty cell makes of its four
//! lines, and the codes that they are packed in.
//!
//! A window is one line around an empty centre cell, up to five cells to either side. Its
//! [`Shape`] for a color is what a stone of that color on the centre makes possible next. The
//! shapes of the four directions combine to the cell's [`Threat`]. [`RuleTables`] hold both for
//! every window and combination of a rule.

mod combinations;
mod line;
mod tables;

pub use combinations::shapes_of_code;
pub use tables::RuleTables;

use crate::types::{Color, Direction};

/// What a stone on the centre of a window makes of that one line, weakest first.
///
/// In the diagrams `*` is the centre, `X` an own stone and `O` an enemy stone. A line counts only
/// for fives that contain the centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Shape {
    /// No five can ever be made here.
    Dead,
    /// Renju black only: an overline or two fours on one line (`X.X*X.X`). Both are forbidden.
    Foul,
    /// One more stone makes a [`Shape::Two`]: `O*....`
    One,
    /// One more stone makes an open two: `...*...`
    OpenOne,
    /// A closed two. One more stone makes a [`Shape::Three`]: `OX*...`
    Two,
    /// One or two cells make an open three: `O.X*...O`
    NarrowTwo,
    /// Three cells make an open three: `O..X*...O`
    OpenTwo,
    /// Four or more cells make an open three: `...X*...`
    WideTwo,
    /// A closed three. One more stone makes a [`Shape::Four`]: `OXX*..`
    Three,
    /// Exactly one cell makes an open four: `O.XX*..O`
    NarrowThree,
    /// Two or more cells make an open four: `..XX*..`
    OpenThree,
    /// Some single answer stops every five: `OXXX*.`
    Four,
    /// No single answer stops every five: `.XXX*.`
    OpenFour,
    /// Wins: `XXXX*`
    Five,
}

impl Shape {
    /// The number of shapes.
    pub const COUNT: usize = 14;

    /// Every shape, weakest first.
    pub const ALL: [Shape; Shape::COUNT] = [
        Shape::Dead,
        Shape::Foul,
        Shape::One,
        Shape::OpenOne,
        Shape::Two,
        Shape::NarrowTwo,
        Shape::OpenTwo,
        Shape::WideTwo,
        Shape::Three,
        Shape::NarrowThree,
        Shape::OpenThree,
        Shape::Four,
        Shape::OpenFour,
        Shape::Five,
    ];

    /// Returns the shape in the low four bits of `nibble`.
    pub const fn from_nibble(nibble: u8) -> Shape {
        let index = (nibble & 15) as usize;
        if index < Shape::COUNT { Shape::ALL[index] } else { Shape::Dead }
    }

    const fn is_open_two(self) -> bool {
        matches!(self, Shape::NarrowTwo | Shape::OpenTwo | Shape::WideTwo)
    }

    /// Returns true if one more stone can make an open four.
    pub const fn is_open_three(self) -> bool {
        matches!(self, Shape::NarrowThree | Shape::OpenThree)
    }
}

/// What a stone on a cell threatens on its four lines together, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Threat {
    /// Less than an open two.
    None,
    /// Renju black only: looks like an overline, a double four or a double three. Whether it
    /// really is forbidden is for `Board::is_forbidden` to say.
    Forbidden,
    /// One open two.
    OpenTwo,
    /// A closed three.
    Three,
    /// Two open twos.
    DoubleTwo,
    /// A closed three with an open two or another closed three.
    ThreePlus,
    /// One open three.
    OpenThree,
    /// An open three with an open two or a closed three.
    OpenThreePlus,
    /// Two open threes.
    DoubleThree,
    /// A four.
    Four,
    /// A four with an open two or a closed three.
    FourPlus,
    /// A four with an open three.
    FourThree,
    /// An open four or two fours: cannot be stopped by one stone.
    OpenFour,
    /// Wins at once.
    Five,
}

impl Threat {
    /// The number of threats.
    pub const COUNT: usize = 14;

    /// The length of arrays by [`Threat::rank`]: [`Threat::COUNT`] rounded up to a power of two, so
    /// that four bits are always a valid index.
    pub const RANKS: usize = 16;

    /// Every threat, weakest first.
    pub const ALL: [Threat; Threat::COUNT] = [
        Threat::None,
        Threat::Forbidden,
        Threat::OpenTwo,
        Threat::Three,
        Threat::DoubleTwo,
        Threat::ThreePlus,
        Threat::OpenThree,
        Threat::OpenThreePlus,
        Threat::DoubleThree,
        Threat::Four,
        Threat::FourPlus,
        Threat::FourThree,
        Threat::OpenFour,
        Threat::Five,
    ];

    /// Returns true for the threats whose cells the board keeps in a set: double threes and more,
    /// and what looks forbidden.
    #[inline]
    pub const fn has_cell_set(self) -> bool {
        Threat::rank_has_cell_set(self.rank())
    }

    #[inline]
    pub(crate) const fn rank_has_cell_set(rank: usize) -> bool {
        rank >= Threat::FIRST_WITH_CELL_SET
    }

    /// The least rank of a threat with a cell set: the upper half of the ranks is theirs, so that
    /// one bit tells.
    const FIRST_WITH_CELL_SET: usize = Threat::RANKS / 2;

    /// Returns the rank of the threat, below [`Threat::RANKS`]: its place in [`Threat::ALL`], but
    /// for `Forbidden` the last rank, so that all threats with a cell set are in the upper half.
    #[inline]
    pub const fn rank(self) -> usize {
        match self {
            Threat::Forbidden => Threat::RANKS - 1,
            _ => self as usize,
        }
    }

    /// Returns the threat of a rank; `Threat::None` for a rank that no threat has.
    #[inline]
    const fn of_rank(rank: usize) -> Threat {
        const OF_RANK: [Threat; Threat::RANKS] = {
            let mut of_rank = [Threat::None; Threat::RANKS];
            let mut number = 0;
            while number < Threat::COUNT {
                let threat = Threat::ALL[number];
                of_rank[threat.rank()] = threat;
                number += 1;
            }
            of_rank
        };
        OF_RANK[rank % Threat::RANKS]
    }
}

/// The number of unordered combinations of four shapes: C(17, 4).
pub const CODES: usize = 2380;

/// A combination of four line shapes, whatever their directions: a number below [`CODES`].
pub type ShapeCode = u16;

/// The bits of a [`ShapeCode`].
pub const CODE_BITS: u32 = 12;

/// Both colors' shapes on the four lines of a cell, a byte of the window table a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellShapes(u32);

impl CellShapes {
    /// Four dead lines.
    pub const DEAD: CellShapes = CellShapes(0);

    /// Returns both colors' shapes of a direction in the form of [`RuleTables::window`].
    #[inline]
    pub const fn window(self, direction: Direction) -> u8 {
        (self.0 >> (8 * direction as u32)) as u8
    }

    /// Returns the shapes with those of one direction replaced.
    #[inline]
    pub const fn with(self, direction: Direction, window: u8) -> CellShapes {
        let shift = 8 * direction as u32;
        CellShapes(self.0 & !(255 << shift) | (window as u32) << shift)
    }

    /// Returns the shapes with those of one direction changed by `difference`, both in the form of
    /// [`RuleTables::window`].
    #[inline]
    pub const fn changed(self, direction: Direction, difference: u8) -> CellShapes {
        CellShapes(self.0 ^ (difference as u32) << (8 * direction as u32))
    }

    /// Returns one color's shape in a direction.
    #[inline]
    pub const fn shape(self, color: Color, direction: Direction) -> Shape {
        Shape::from_nibble(self.window(direction) >> (4 * color as u32))
    }

    /// Returns the four shapes of a color side by side, in the order that takes the least work:
    /// the order does not change the threat.
    #[inline]
    const fn shape_index(self, color: Color) -> u16 {
        let shapes = self.0 >> (4 * color as u32) & 0x0f0f_0f0f;
        (shapes | shapes >> 12) as u16
    }
}

/// A [`ShapeCode`] together with the [`Threat`] that it makes for a color, in one look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedThreat(u16);

impl PackedThreat {
    /// Four dead lines.
    pub const DEAD: PackedThreat = PackedThreat::new(0, Threat::None);

    const fn new(code: ShapeCode, threat: Threat) -> PackedThreat {
        PackedThreat(code | (threat.rank() as u16) << CODE_BITS)
    }

    /// The bits of the rank, and the one that a threat with a cell set has.
    pub(crate) const RANK_BITS: u16 = !((1 << CODE_BITS) - 1);
    pub(crate) const CELL_SET_BIT: u16 = (Threat::FIRST_WITH_CELL_SET as u16) << CODE_BITS;

    #[inline]
    pub(crate) const fn from_bits(bits: u16) -> PackedThreat {
        PackedThreat(bits)
    }

    #[inline]
    pub(crate) const fn bits(self) -> u16 {
        self.0
    }

    /// Returns the code of the shapes.
    #[inline]
    pub const fn code(self) -> ShapeCode {
        self.0 & ((1 << CODE_BITS) - 1)
    }

    /// Returns the threat.
    #[inline]
    pub const fn threat(self) -> Threat {
        Threat::of_rank(self.rank())
    }

    /// Returns the rank of the threat: `threat().rank()`, but without a look-up.
    #[inline]
    pub const fn rank(self) -> usize {
        (self.0 >> CODE_BITS) as usize
    }
}

const _: () = assert!(CODES <= 1 << CODE_BITS && Threat::COUNT <= Threat::RANKS);
