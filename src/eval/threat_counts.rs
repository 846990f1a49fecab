//! Counts of cells with each threat, an input of the network: two bits a count in one number.

use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::Color;

/// For each side and each threat but [`Threat::None`].
pub const COUNT_FEATURES: usize = 2 * (Threat::COUNT - 1);
/// 0, 1, 2, or 3 and more.
pub const COUNT_LEVELS: usize = 4;
pub(super) const MAX_COUNTS: usize = u64::BITS as usize / 2;
pub(super) const EVERY_COUNT: u64 = u64::MAX / 3;
const SIDE_BITS: usize = 2 * (Threat::COUNT - 1);

const _: () = {
    assert!(COUNT_FEATURES <= MAX_COUNTS);
    assert!(Threat::ALL[1].rank() == Threat::RANKS - 1 && Threat::RANKS > Threat::COUNT + 1);
    let mut place = 2;
    while place < Threat::COUNT {
        assert!(Threat::ALL[place].rank() == place);
        place += 1;
    }
};

#[inline]
pub const fn level(counts: u64, feature: usize) -> usize {
    (counts >> (2 * feature)) as usize % COUNT_LEVELS
}

/// Returns the count of each threat for the side to move, [`Threat::Forbidden`] in the lowest bits,
/// then for the other side.
#[inline]
pub fn threat_counts(board: &Board) -> u64 {
    let us = board.side_to_move();
    threat_levels(board, us) | threat_levels(board, !us) << SIDE_BITS
}

#[inline]
fn threat_levels(board: &Board, color: Color) -> u64 {
    const MOST: u16 = COUNT_LEVELS as u16 - 1;
    let levels = board.counts(color).map(|count| u64::from(count.min(MOST)));
    let packed = levels.iter().rev().fold(0, |packed, level| packed << 2 | level);
    // Rank r goes to place r - 1. `Forbidden` has the last rank and goes to place 0, which is free.
    packed >> 2 & ((1 << SIDE_BITS) - 1) | packed >> (2 * Threat::Forbidden.rank())
}
