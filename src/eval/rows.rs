//! The rows of a network, for each line pattern a cache line of lanes, black's perspective first; the
//! regions of the board, whose cells are added up, and their total.

use std::sync::Arc;

use tengen_gomoku::types::{BoardSize, Cell};

use super::pattern::{HALF_PAIRS, HALVES, Pattern, half_pair};
pub use super::simd::CELL_MAX;
use super::simd::{Instructions, LANES, Row};

/// Lanes of one perspective (NNUE); black's comes first in a row.
pub const PERSPECTIVE_LANES: usize = LANES / 2;
/// The quantisation scale of rows: the integer that stands for 1.0.
pub const ROW_ONE: i32 = 64;

/// The rows of the patterns with each pair of halves, by their centre; zero for a wall.
pub type PatternRows = [[Row; 4]; ROW_GROUPS];

const ROW_GROUPS: usize = HALF_PAIRS.next_power_of_two();

/// `half_pair`: as [`half_pair`] numbers it; `center`: as in bit lines.
#[inline(always)]
pub fn row_of(rows: &PatternRows, half_pair: u16, center: usize) -> &Row {
    &rows[usize::from(half_pair) % ROW_GROUPS][center % 4]
}

/// Returns the rows of one perspective, which is white's with colors exchanged, or of black's and
/// white's; each by class of pattern.
pub fn rows<T: Copy + Into<i16>>(perspectives: &[Vec<[T; PERSPECTIVE_LANES]>]) -> Arc<PatternRows> {
    // Each half with colors exchanged.
    let swapped: [usize; HALVES] =
        std::array::from_fn(|half| Pattern { before: half, after: 0, center: 0 }.swapped().before);
    let mut rows = vec![[Row::ZERO; 4]; ROW_GROUPS];
    for a in 0..HALVES {
        for b in 0..=a {
            let row = |center: usize, swapped_center: usize| {
                let class = half_pair(a, b) * 3 + center;
                let halves = match perspectives {
                    [own] => {
                        let other = half_pair(swapped[a], swapped[b]) * 3 + swapped_center;
                        [own[class], own[other]]
                    }
                    [black, white, ..] => [black[class], white[class]],
                    [] => unreachable!("invariant: one perspective or two"),
                };
                let mut row = Row::ZERO;
                let lanes = halves.as_flattened().iter().map(|&lane| lane.into());
                row.0.iter_mut().zip(lanes).for_each(|(to, lane)| *to = lane);
                row
            };
            let group = &mut rows[half_pair(a, b)];
            group[Cell::Empty as usize] = row(0, 0);
            group[Cell::Black as usize] = row(1, 2);
            group[Cell::White as usize] = row(2, 1);
        }
    }
    let rows: Result<Box<PatternRows>, _> = rows.try_into();
    rows.unwrap_or_else(|_| unreachable!("invariant: the length is fixed")).into()
}

/// Takes the first bytes; of too few it takes none and returns zeros.
pub(super) fn take<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    let Some((first, rest)) = bytes.split_first_chunk() else { return [0; N] };
    *bytes = rest;
    *first
}

pub const REGIONS: usize = 9;
/// The sums of the clipped cells of each region.
pub(super) type Regions = [Row; REGIONS];
/// The total is of all regions, each shifted right by so many bits and rounded.
pub const TOTAL_SHIFT: i32 = 4;
pub const TOTAL_MAX: i16 = 8191;

const _: () = {
    // All regions together fit in 16 bits.
    let all = BoardSize::MAX_AREA as i32 * CELL_MAX as i32;
    assert!((all >> TOTAL_SHIFT) + REGIONS as i32 <= i16::MAX as i32);
};

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
