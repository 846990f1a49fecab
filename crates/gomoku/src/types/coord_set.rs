//! Sets of cells: a bit for each cell of the padded field.

use std::array::from_fn;
use std::ops::{BitAnd, BitOr};

use super::coord::{CELLS, Coord, STRIDE};

const WORDS: usize = CELLS / 64;

/// A set of cells, iterated row by row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CoordSet([u64; WORDS]);

impl CoordSet {
    pub const EMPTY: CoordSet = CoordSet([0; WORDS]);

    pub fn insert(&mut self, c: Coord) {
        self.0[c.index() / 64] |= 1 << (c.index() % 64);
    }

    pub fn remove(&mut self, c: Coord) {
        self.0[c.index() / 64] &= !(1 << (c.index() % 64));
    }

    pub(crate) fn toggle(&mut self, c: Coord) {
        self.0[c.index() / 64] ^= 1 << (c.index() % 64);
    }

    pub const fn contains(&self, c: Coord) -> bool {
        self.0[c.index() / 64] >> (c.index() % 64) & 1 != 0
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn first(&self) -> Option<Coord> {
        self.into_iter().next()
    }

    /// Returns the members that are not in `other`.
    pub fn without(self, other: &CoordSet) -> CoordSet {
        CoordSet(from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// Returns five words of two rows each; the middle one holds `c`.
    #[inline]
    pub(crate) fn words_around(&mut self, c: Coord) -> &mut [u64; 5] {
        self.0[c.index() / 64 - 2..]
            .first_chunk_mut()
            .expect("invariant: four rows to both sides are on the field")
    }
}

const _: () = assert!(2 * STRIDE == u64::BITS as usize);

impl FromIterator<Coord> for CoordSet {
    fn from_iter<I: IntoIterator<Item = Coord>>(cells: I) -> CoordSet {
        let mut set = CoordSet::EMPTY;
        cells.into_iter().for_each(|c| set.insert(c));
        set
    }
}

impl BitAnd for CoordSet {
    type Output = CoordSet;

    fn bitand(self, other: CoordSet) -> CoordSet {
        CoordSet(from_fn(|word| self.0[word] & other.0[word]))
    }
}

impl BitOr for CoordSet {
    type Output = CoordSet;

    fn bitor(self, other: CoordSet) -> CoordSet {
        CoordSet(from_fn(|word| self.0[word] | other.0[word]))
    }
}

impl IntoIterator for &CoordSet {
    type Item = Coord;
    type IntoIter = Iter;

    fn into_iter(self) -> Iter {
        Iter { words: self.0, word: 0 }
    }
}

pub struct Iter {
    words: [u64; WORDS],
    word: usize,
}

impl Iterator for Iter {
    type Item = Coord;

    fn next(&mut self) -> Option<Coord> {
        while self.word < WORDS {
            let bits = self.words[self.word];
            if bits != 0 {
                self.words[self.word] = bits & (bits - 1);
                return Some(Coord::from_index(self.word * 64 + bits.trailing_zeros() as usize));
            }
            self.word += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_back_in_index_order() {
        let cells = [Coord::new(21, 21), Coord::new(0, 0), Coord::new(7, 7), Coord::new(8, 7)];
        let mut set: CoordSet = cells.into_iter().collect();
        assert_eq!((set.len(), set.contains(Coord::new(7, 7))), (4, true));
        let mut sorted = cells;
        sorted.sort();
        assert!(set.into_iter().eq(sorted));
        set.remove(Coord::new(7, 7));
        set.toggle(Coord::new(1, 0));
        assert_eq!((set.len(), set.first()), (4, Some(Coord::new(0, 0))));
    }
}
