//! The shapes and threats of an empty cell.

use crate::shape::{CellShapes, PackedThreat, RuleTables, Shape, ShapeCode, Threat};
use crate::types::{Color, Direction};

/// What an empty cell offers to both colors: shapes, and the threats they combine to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellThreats {
    shapes: CellShapes,
    /// Black's in the low half, white's in the high one, to compare both at once.
    packed: u32,
}

impl CellThreats {
    pub(super) const NONE: CellThreats =
        CellThreats::new(CellShapes::DEAD, [PackedThreat::DEAD, PackedThreat::DEAD]);

    const fn new(shapes: CellShapes, [black, white]: [PackedThreat; 2]) -> CellThreats {
        CellThreats { shapes, packed: black.bits() as u32 | (white.bits() as u32) << 16 }
    }

    #[inline]
    pub(super) fn of(shapes: CellShapes, tables: &RuleTables) -> CellThreats {
        CellThreats::new(shapes, Color::ALL.map(|color| tables.packed_threat(color, shapes)))
    }

    #[inline]
    pub(super) const fn shapes(self) -> CellShapes {
        self.shapes
    }

    #[inline]
    const fn packed(self, color: Color) -> PackedThreat {
        PackedThreat::from_bits((self.packed >> (16 * color as u32)) as u16)
    }

    #[doc(hidden)]
    #[inline]
    pub fn code(&self, color: Color) -> ShapeCode {
        self.packed(color).code()
    }

    /// Returns the threat that a stone of `color` would make.
    #[inline]
    pub fn threat(&self, color: Color) -> Threat {
        self.packed(color).threat()
    }

    #[inline]
    pub(super) fn rank(self, color: Color) -> usize {
        self.packed(color).rank()
    }

    /// Returns the shape that a stone of `color` would make in one direction.
    #[inline]
    pub fn shape(&self, color: Color, direction: Direction) -> Shape {
        self.shapes().shape(color, direction)
    }

    /// Returns true if a stone of `color` would make a four or more in some direction.
    pub fn makes_four(&self, color: Color) -> bool {
        Direction::ALL.into_iter().any(|direction| self.shape(color, direction) >= Shape::Four)
    }

    /// Returns true if the cell offers no threat to either color.
    #[doc(hidden)]
    #[inline]
    pub fn is_threatless(&self) -> bool {
        self.packed & EACH_RANK == 0
    }

    /// Returns true if the board keeps a cell set of any threat of the two.
    #[inline]
    pub(super) const fn has_any_cell_set(self, other: CellThreats) -> bool {
        (self.packed | other.packed) & EACH_CELL_SET_BIT != 0
    }
}

const EACH_RANK: u32 = PackedThreat::RANK_BITS as u32 * 0x1_0001;
const EACH_CELL_SET_BIT: u32 = PackedThreat::CELL_SET_BIT as u32 * 0x1_0001;

const _: () = assert!(Threat::None.rank() == 0);
