//! The parts of a network, the value and the policy, each with rows and heads; the rows, for each
//! line pattern a cache line of lanes, black's perspective first; the regions of the board, whose
//! cells are added up, and their total.

use std::sync::Arc;

use anyhow::{Context, ensure};
use tengen_gomoku::types::{BoardSize, Cell};

use super::pattern::{CLASSES, HALF_PAIRS, HALVES, Pattern, half_pair};
pub use super::simd::CELL_MAX;
use super::simd::{Instructions, LANES, Row};
use crate::memory::prefer_huge_pages;

/// Lanes of one perspective (NNUE); black's comes first in a row.
pub const PERSPECTIVE_LANES: usize = LANES / 2;
/// The quantisation scale of rows: the integer that stands for 1.0.
pub const ROW_ONE: i32 = 64;

/// The layers of a part after the cells' sums, for one side to move: its numbers as integers or in
/// floating point.
pub trait Layers<T>: Clone {
    /// Bytes of a lane of the rows in a file.
    const LANE_BYTES: usize;
    /// The largest absolute lane of a row.
    const ROW_MAX: u16;
    /// The quantisation scale of each field and its largest absolute number.
    const FIELDS: &[(i32, i32)];

    fn zero() -> Self;

    fn fields_mut(&mut self) -> Vec<&mut [T]>;
}

#[derive(Clone, PartialEq, Debug)]
pub struct Part<H> {
    /// Rows by class of pattern: one set if white's perspective is black's with colors exchanged,
    /// otherwise black's and white's.
    pub perspectives: Vec<Vec<[i16; PERSPECTIVE_LANES]>>,
    /// One head for both sides, or black's and white's.
    pub heads: Vec<H>,
}

impl<H: Layers<i32>> Part<H> {
    pub fn zero(perspectives: usize) -> Part<H> {
        Part {
            perspectives: vec![vec![[0; PERSPECTIVE_LANES]; CLASSES]; perspectives],
            heads: vec![H::zero(); perspectives],
        }
    }

    /// Adds the rows of each perspective and the heads (32 bits a number), in the order of the
    /// fields and little-endian.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        for lane in self.perspectives.iter().flat_map(|rows| rows.as_flattened()) {
            bytes.extend(&lane.to_le_bytes()[..H::LANE_BYTES]);
        }
        for head in &mut self.heads.clone() {
            let numbers = head.fields_mut().into_iter().flatten();
            bytes.extend(numbers.flat_map(|number| number.to_le_bytes()));
        }
    }

    pub(super) fn read(bytes: &mut &[u8], perspectives: usize) -> anyhow::Result<Part<H>> {
        let mut part = Part::<H>::zero(perspectives);
        for lane in part.perspectives.iter_mut().flat_map(|rows| rows.as_flattened_mut()) {
            *lane = match H::LANE_BYTES {
                1 => i8::from_le_bytes(take(bytes)?).into(),
                _ => i16::from_le_bytes(take(bytes)?),
            };
            ensure!(lane.unsigned_abs() <= H::ROW_MAX, "a row is too large");
        }
        for head in &mut part.heads {
            for (field, &(_, max)) in head.fields_mut().into_iter().zip(H::FIELDS) {
                for number in field {
                    *number = i32::from_le_bytes(take(bytes)?);
                    let is_small = number.unsigned_abs() <= max as u32;
                    ensure!(is_small, "a number of a head is too large");
                }
            }
        }
        Ok(part)
    }
}

/// The rows of all patterns, by the pair of halves and by the centre; zero for a wall. On Linux they
/// fill one huge page.
#[cfg_attr(target_os = "linux", repr(align(0x20_0000)))]
pub struct PatternRows([[Row; 4]; ROW_GROUPS]);

const ROW_GROUPS: usize = HALF_PAIRS.next_power_of_two();

/// `half_pair`: as [`half_pair`] numbers it; `center`: as in bit lines.
#[inline(always)]
pub fn row_of(rows: &PatternRows, half_pair: u16, center: usize) -> &Row {
    &rows.0[usize::from(half_pair) % ROW_GROUPS][center % 4]
}

/// Returns the rows of one perspective, which is white's with colors exchanged, or of black's and
/// white's; each by class of pattern.
#[allow(unsafe_code)]
pub fn rows(perspectives: &[Vec<[i16; PERSPECTIVE_LANES]>]) -> Arc<PatternRows> {
    // Each half with colors exchanged.
    let swapped: [usize; HALVES] =
        std::array::from_fn(|half| Pattern { before: half, after: 0, center: 0 }.swapped().before);
    let mut memory = Arc::<PatternRows>::new_uninit();
    prefer_huge_pages(std::slice::from_ref(&*memory));
    let rows = Arc::get_mut(&mut memory).expect("invariant: new").as_mut_ptr();
    // SAFETY: nothing else refers to the memory yet. Bytes of zero are rows of zeros.
    let PatternRows(rows) = unsafe {
        rows.write_bytes(0, 1);
        &mut *rows
    };
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
                row.0.copy_from_slice(halves.as_flattened());
                row
            };
            let group = &mut rows[half_pair(a, b)];
            group[Cell::Empty as usize] = row(0, 0);
            group[Cell::Black as usize] = row(1, 2);
            group[Cell::White as usize] = row(2, 1);
        }
    }
    // SAFETY: the memory was zeroed above, so it holds rows.
    unsafe { memory.assume_init() }
}

/// Takes the first bytes.
pub(super) fn take<const N: usize>(bytes: &mut &[u8]) -> anyhow::Result<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk().context("the network is too short")?;
    *bytes = rest;
    Ok(*first)
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
