//! What one empty cell offers to both colours: its shapes, and the threats that they combine to.
//!
//! Knows shapes and their combinations, no board.

use crate::shape::{CellShapes, Code, Combination, RuleTables, Shape, Threat};
use crate::types::{Color, Direction};

/// What one empty cell offers to both colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellThreats {
    shapes: CellShapes,
    /// What black's shapes combine to in the low half, and white's in the high one, so that both
    /// are compared at once.
    combinations: u32,
}

impl CellThreats {
    /// Four dead lines for both colours: the value of wall cells.
    pub(super) const NONE: CellThreats =
        CellThreats::new(CellShapes::DEAD, [Combination::DEAD, Combination::DEAD]);

    const fn new(shapes: CellShapes, [black, white]: [Combination; 2]) -> CellThreats {
        CellThreats { shapes, combinations: black.bits() as u32 | (white.bits() as u32) << 16 }
    }

    /// Returns the threats of a cell with these shapes.
    #[inline]
    pub(super) fn of(shapes: CellShapes, tables: &RuleTables) -> CellThreats {
        CellThreats::new(shapes, Color::ALL.map(|color| tables.combination(color, shapes)))
    }

    #[inline]
    pub(super) const fn shapes(self) -> CellShapes {
        self.shapes
    }

    #[inline]
    const fn combination(self, color: Color) -> Combination {
        Combination::from_bits((self.combinations >> (16 * color as u32)) as u16)
    }

    /// Returns the number of the shape combination that a stone of `color` would make.
    #[inline]
    pub fn code(&self, color: Color) -> Code {
        self.combination(color).code()
    }

    /// Returns the threat that a stone of `color` would make.
    #[inline]
    pub fn threat(&self, color: Color) -> Threat {
        self.combination(color).threat()
    }

    /// Returns the rank of the threat that a stone of `color` would make.
    #[inline]
    pub(super) fn rank(self, color: Color) -> usize {
        self.combination(color).rank()
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

    /// Returns true if the threat of both colours here is [`Threat::None`].
    #[inline]
    pub fn is_trivial(&self) -> bool {
        self.combinations & EACH_RANK == 0
    }

    /// Returns true if these threats or those have a listed one.
    #[inline]
    pub(super) const fn is_any_listed(self, other: CellThreats) -> bool {
        (self.combinations | other.combinations) & EACH_LISTED != 0
    }
}

/// The bits of both ranks, and those that the ranks of listed threats have set.
const EACH_RANK: u32 = Combination::RANK_BITS as u32 * 0x1_0001;
const EACH_LISTED: u32 = Combination::LISTED_BIT as u32 * 0x1_0001;

const _: () = assert!(Threat::None.rank() == 0);
