//! The regions of the board, whose cells are added up, and their total.

use tengen_gomoku::types::BoardSize;

use super::rows::CELL_MAX;
use super::simd::{Instructions, Row};

pub const REGIONS: usize = 9;
/// The sums of the clipped cells of each region.
pub(super) type Regions = [Row; REGIONS];
/// The total is of all regions, each shifted right by so many bits and rounded.
pub const TOTAL_SHIFT: i32 = 4;
/// The total is clipped to this.
pub const TOTAL_MAX: i16 = 8191;

const _: () = {
    // All regions together fit in 16 bits.
    let all = BoardSize::MAX_AREA as i32 * CELL_MAX as i32;
    assert!((all >> TOTAL_SHIFT) + REGIONS as i32 <= i16::MAX as i32);
};

/// Returns the clipped total of all regions.
#[inline(always)]
pub(super) fn total<I: Instructions>(regions: &Regions) -> Row {
    let mut total = Row::ZERO;
    for region in regions {
        total = I::add_sub(&total, &Row::ZERO, &I::rounded::<TOTAL_SHIFT>(region));
    }
    for lane in &mut total.0 {
        *lane = (*lane).min(TOTAL_MAX);
    }
    total
}

/// Returns the region of a cell, row by row: thirds of the board's width and height, the outer two
/// equal.
pub const fn region_of(size: BoardSize, x: u8, y: u8) -> usize {
    const fn third(place: u8, length: u8) -> usize {
        let outer = (length + 1) / 3;
        (place >= outer) as usize + (place >= length - outer) as usize
    }
    3 * third(y, size.height()) + third(x, size.width())
}
