//! Line patterns as numbers, which index the network's rows.
//!
//! A pattern is a cell with the [`RADIUS`] cells on each side of it on a line, seen by black: its
//! centre and two halves, each up to the first wall.

use std::sync::OnceLock;

use tengen_gomoku::types::Cell;

/// Cells on each side of the centre.
pub const RADIUS: usize = 4;
/// Halves: 3^k of each length k up to [`RADIUS`].
pub const HALVES: usize = halves(RADIUS);
pub const PATTERNS: usize = 3 * HALVES * HALVES;
/// Unordered pairs of halves: a pattern may be read from either end.
pub const HALF_PAIRS: usize = HALVES * (HALVES + 1) / 2;
/// Classes: a pattern and its mirror image are one class.
pub const CLASSES: usize = classes(RADIUS);
pub const HALF_BITS: usize = 2 * RADIUS;

pub const fn halves(radius: usize) -> usize {
    (3usize.pow(radius as u32 + 1) - 1) / 2
}

pub const fn classes(radius: usize) -> usize {
    3 * halves(radius) * (halves(radius) + 1) / 2
}

const fn stone_free_half(length: usize) -> usize {
    (3usize.pow(length as u32) - 1) / 2
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Below [`HALVES`], as `after`.
    pub before: usize,
    pub after: usize,
    /// 0 empty, 1 black, 2 white.
    pub center: usize,
}

impl Pattern {
    pub const fn from_index(index: usize) -> Pattern {
        let (pair, center) = (index / 3, index % 3);
        Pattern { before: pair / HALVES, after: pair % HALVES, center }
    }

    pub const fn index(self) -> usize {
        (self.before * HALVES + self.after) * 3 + self.center
    }

    pub const fn stone_free(before: usize, after: usize) -> Pattern {
        let (before, after) = (stone_free_half(before), stone_free_half(after));
        Pattern { before, after, center: 0 }
    }

    pub fn is_stone_free(self) -> bool {
        self.center == 0
            && [self.before, self.after].into_iter().flat_map(digits).all(|digit| digit == 0)
    }

    pub fn swapped(self) -> Pattern {
        let swap = |digit| [0, 2, 1][digit];
        let half = |number| half(digits(number).map(swap));
        Pattern { before: half(self.before), after: half(self.after), center: swap(self.center) }
    }

    /// Returns the class of the pattern cut to `radius` cells on each side, below [`classes`].
    pub fn class(self, radius: usize) -> usize {
        let cut = |number| half(digits(number).take(radius));
        half_pair(cut(self.before), cut(self.after)) * 3 + self.center
    }
}

/// Returns the number of an unordered pair of halves, below [`HALF_PAIRS`].
pub const fn half_pair(a: usize, b: usize) -> usize {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    high * (high + 1) / 2 + low
}

fn half(digits: impl Iterator<Item = usize>) -> usize {
    let (mut length, mut number) = (0, 0);
    for digit in digits {
        number += digit * 3usize.pow(length);
        length += 1;
    }
    stone_free_half(length as usize) + number
}

fn digits(mut number: usize) -> impl Iterator<Item = usize> {
    let mut length = 0;
    while number >= 3usize.pow(length) {
        number -= 3usize.pow(length);
        length += 1;
    }
    (0..length).map(move |place| number / 3usize.pow(place) % 3)
}

/// Returns the table of [`half_pair`] by the bits of both halves: the half before the cell in the
/// low [`HALF_BITS`] bits, its nearest cell highest; the half after it above, its nearest cell
/// lowest.
pub fn half_pairs_of_bits() -> &'static [u16; 1 << (2 * HALF_BITS)] {
    static TABLE: OnceLock<Box<[u16; 1 << (2 * HALF_BITS)]>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let cells = |bits: usize| (0..RADIUS).map(move |place| bits >> (2 * place) & 3);
        let all = 0..1 << HALF_BITS;
        let before: Vec<_> = all.clone().map(|bits| half_of_cells(cells(bits).rev())).collect();
        let after: Vec<_> = all.map(|bits| half_of_cells(cells(bits))).collect();
        let mut table = Box::new([0; 1 << (2 * HALF_BITS)]);
        for (&b, row) in after.iter().zip(table.chunks_exact_mut(1 << HALF_BITS)) {
            for (&a, entry) in before.iter().zip(row) {
                *entry = half_pair(a, b) as u16;
            }
        }
        table
    })
}

fn half_of_cells(cells: impl Iterator<Item = usize>) -> usize {
    half(cells.map_while(|cell| match cell as u8 {
        cell if cell == Cell::Empty as u8 => Some(0),
        cell if cell == Cell::Black as u8 => Some(1),
        cell if cell == Cell::White as u8 => Some(2),
        _ => None,
    }))
}

const _: () = assert!(HALF_PAIRS <= 1 << 16);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip() {
        for index in 0..PATTERNS {
            let pattern = Pattern::from_index(index);
            assert_eq!(pattern.index(), index);
            assert_eq!(half(digits(pattern.before)), pattern.before);
            assert_eq!(pattern.swapped().swapped(), pattern);
        }
    }

    #[test]
    fn classes_are_the_patterns_up_to_reversal() {
        for radius in 1..=RADIUS {
            let mut seen = vec![false; classes(radius)];
            for index in 0..PATTERNS {
                let Pattern { before, after, center } = Pattern::from_index(index);
                let class = Pattern { before, after, center }.class(radius);
                assert_eq!(Pattern { before: after, after: before, center }.class(radius), class);
                seen[class] = true;
            }
            assert!(seen.iter().all(|&is_seen| is_seen));
        }
        assert_eq!(CLASSES, 3 * HALF_PAIRS);
    }

    #[test]
    fn a_pattern_of_each_two_lengths_is_stone_free() {
        let lengths = || 0..=RADIUS;
        let mut made: Vec<usize> = lengths()
            .flat_map(|before| lengths().map(move |after| Pattern::stone_free(before, after)))
            .map(Pattern::index)
            .collect();
        made.sort_unstable();
        let is_free = |&index: &usize| Pattern::from_index(index).is_stone_free();
        assert_eq!(made, (0..PATTERNS).filter(is_free).collect::<Vec<_>>());
        assert_eq!(made.len(), (RADIUS + 1).pow(2));
    }

    #[test]
    fn every_pair_of_halves_has_bits() {
        let mut seen = vec![false; HALF_PAIRS];
        half_pairs_of_bits().iter().for_each(|&half_pair| seen[usize::from(half_pair)] = true);
        assert!(seen.iter().all(|&is_seen| is_seen));
    }

    #[test]
    fn halves_end_at_walls() {
        let [black, white, empty, wall] =
            [Cell::Black, Cell::White, Cell::Empty, Cell::Wall].map(|cell| cell as usize);
        let bits = |cells: &[usize]| cells.iter().rev().fold(0, |bits, cell| bits << 2 | cell);
        // Before the centre a wall, white, and two black ones; after it black, empty, a wall.
        let half_pair =
            half_pairs_of_bits()[bits(&[wall, white, black, black, black, empty, wall, empty])];
        let (before, after) = (half([1, 1, 2].into_iter()), half([1, 0].into_iter()));
        let pattern = Pattern { before, after, center: 0 };
        assert_eq!(3 * usize::from(half_pair), pattern.class(RADIUS));
    }
}
