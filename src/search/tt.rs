//! The transposition table: what earlier searches found out about positions.
//!
//! Sixteen bytes an entry, four entries a cache line, shared by all threads without locks: an
//! entry is two words, the second XORed into the first (Hyatt and Mann, 2002), so that a torn
//! write reads as another position. Each search stamps its entries; entries stamped before the
//! last [`Table::clear`] count as absent, which makes forgetting free. Memory is allocated zeroed
//! and touched only when used.

pub mod file;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::params::{Depth, PLY};
use super::room;
use crate::board::zobrist::Key;
use crate::fault::{Fault, strikes};
use crate::types::{Bound, Coord, Score};

/// An entry as it is stored: the key XORed with the data, and the data.
type Slot = [AtomicU64; 2];

/// Entries of one bucket, which share a cache line.
const BUCKET: usize = 4;
const CACHE_LINE: usize = BUCKET * size_of::<Slot>();

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The best move found, if any.
    pub mv: Option<Coord>,
    /// The score, from the node's own ply.
    pub score: i16,
    /// The static evaluation, if there was one.
    pub eval: Option<i16>,
    /// The depth of the search behind the score.
    pub depth: Depth,
    /// What the score says about the true one.
    pub bound: Bound,
}

/// A hash table from position keys to [`Entry`]s.
pub struct Table {
    slots: Box<[Slot]>,
    /// Index of the first slot that begins a cache line. Memory asked for with that alignment
    /// would be cleared by hand instead of coming zeroed from the system.
    first: usize,
    buckets: usize,
    /// Number of the current search, from 1.
    stamp: u64,
    /// Entries stamped before this are forgotten.
    oldest: u64,
}

const STAMP_BITS: u32 = 12;
const LAST_STAMP: u64 = (1 << STAMP_BITS) - 1;
/// The table keeps depths in quarters of a ply.
const DEPTH_UNIT: Depth = PLY / 4;
const NO_EVAL: i16 = i16::MIN;

impl Table {
    /// Returns an empty table of at most `bytes` bytes, but of at least one cache line. Halves
    /// the size until the memory can be had, and some is left over.
    pub fn new(bytes: usize) -> Table {
        let mut buckets = (bytes / CACHE_LINE).max(1);
        loop {
            let is_least = buckets == 1;
            let fits = !strikes(Fault::Table) && room::is_enough_beside(buckets * CACHE_LINE);
            let slots = || bytemuck::try_zeroed_slice_box::<Slot>((buckets + 1) * BUCKET).ok();
            if let Some(slots) = (fits || is_least).then(slots).flatten() {
                let misplaced = slots.as_ptr() as usize % CACHE_LINE / size_of::<Slot>();
                let first = (BUCKET - misplaced) % BUCKET;
                return Table { slots, first, buckets, stamp: 1, oldest: 1 };
            }
            assert!(!is_least, "two cache lines of memory can be had");
            buckets /= 2;
        }
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.buckets * CACHE_LINE
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.next_stamp();
        self.oldest = self.stamp;
    }

    /// Begins a new search, to which older entries give way.
    pub fn next_stamp(&mut self) {
        if self.stamp < LAST_STAMP {
            self.stamp += 1;
        } else {
            let bytes = self.bytes();
            // The old table goes first, so that the two are never held together.
            *self = Table::new(0);
            *self = Table::new(bytes);
        }
    }

    #[inline]
    fn bucket(&self, key: Key) -> &[Slot] {
        let index = (key.bits() as u128 * self.buckets as u128) >> 64;
        self.slots_of(index as usize)
    }

    #[inline]
    fn slots_of(&self, bucket: usize) -> &[Slot] {
        &self.slots[self.first + bucket * BUCKET..][..BUCKET]
    }

    /// Asks the processor to fetch what is known of a position, to be [probed](Table::probe) soon.
    #[inline]
    #[allow(unsafe_code)]
    pub fn prefetch(&self, key: Key) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket = self.bucket(key).as_ptr();
            // SAFETY: a prefetch is a hint that reads nothing; any address would do, and this one
            // is a bucket of the table.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(bucket.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// Returns what is known of a position.
    #[inline]
    pub fn probe(&self, key: Key) -> Option<Entry> {
        for [check, data] in self.bucket(key) {
            let data = data.load(Relaxed);
            if check.load(Relaxed) ^ data == key.bits() && self.is_live(data) {
                return Some(Entry::unpack(data));
            }
        }
        None
    }

    /// Keeps what a search found, unless it is a bound and this search knows the same position more
    /// than two plies deeper.
    pub fn store(&self, key: Key, entry: Entry) {
        let mut victim = &self.bucket(key)[0];
        let mut least = i64::MAX;
        let mut mv = entry.mv;
        for slot in self.bucket(key) {
            let data = slot[1].load(Relaxed);
            let is_live = self.is_live(data);
            if is_live && slot[0].load(Relaxed) ^ data == key.bits() {
                let old = Entry::unpack(data);
                let is_deeper = old.depth > entry.depth + 2 * PLY;
                if is_deeper && entry.bound != Bound::Exact && stamp_of(data) == self.stamp {
                    return;
                }
                mv = mv.or(old.mv);
                victim = slot;
                break;
            }
            let age = self.stamp.saturating_sub(stamp_of(data)) as i64;
            let worth = if is_live { depth_units(data) - 16 * age.min(1 << 20) } else { i64::MIN };
            if worth < least {
                (victim, least) = (slot, worth);
            }
        }
        let data = Entry { mv, ..entry }.pack(self.stamp);
        victim[0].store(key.bits() ^ data, Relaxed);
        victim[1].store(data, Relaxed);
    }

    #[inline]
    fn is_live(&self, data: u64) -> bool {
        stamp_of(data) >= self.oldest
    }
}

const fn stamp_of(data: u64) -> u64 {
    data >> (64 - STAMP_BITS)
}

const fn depth_units(data: u64) -> i64 {
    (data >> 42 & 0xff) as i64
}

impl Entry {
    // Bits from the lowest: move 10, score 16, evaluation 16, depth 8, bound 2, stamp 12.
    fn pack(self, stamp: u64) -> u64 {
        let depth = (self.depth / DEPTH_UNIT).clamp(0, 255) as u64;
        self.mv.map_or(0, |mv| mv.index() as u64)
            | (self.score as u16 as u64) << 10
            | (self.eval.unwrap_or(NO_EVAL) as u16 as u64) << 26
            | depth << 42
            | (self.bound as u64) << 50
            | stamp << (64 - STAMP_BITS)
    }

    fn unpack(data: u64) -> Entry {
        let eval = (data >> 26) as u16 as i16;
        Entry {
            mv: match data & 1023 {
                0 => None,
                index => Some(Coord::from_index(index as usize)),
            },
            score: (data >> 10) as u16 as i16,
            eval: (eval != NO_EVAL).then_some(eval),
            depth: depth_units(data) as Depth * DEPTH_UNIT,
            bound: match data >> 50 & 3 {
                1 => Bound::Upper,
                2 => Bound::Lower,
                _ => Bound::Exact,
            },
        }
    }

    /// Returns the score seen from the root, for a node at `ply`.
    pub fn score_at(&self, ply: usize) -> Score {
        Score::from_tt(self.score, ply as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::PLY;
    use super::*;
    use crate::types::{BoardSize, Cell, Rule};

    fn key(n: u8) -> Key {
        let mut key = Key::new(BoardSize::new(15, 15).unwrap(), Rule::Renju);
        key ^= Key::of_cell(Coord::new(n % 22, n / 22), Cell::Black);
        key
    }

    fn entry(depth: Depth) -> Entry {
        let mv = Some(Coord::new(7, 3));
        Entry { mv, score: -345, eval: Some(17), depth, bound: Bound::Lower }
    }

    #[test]
    fn entries_round_trip() {
        let table = Table::new(1 << 16);
        assert_eq!(table.probe(key(1)), None);
        table.store(key(1), entry(5 * PLY));
        assert_eq!(table.probe(key(1)), Some(entry(5 * PLY)));
        let bare = Entry { mv: None, eval: None, bound: Bound::Upper, ..entry(0) };
        table.store(key(2), bare);
        assert_eq!(table.probe(key(2)), Some(bare));
    }

    #[test]
    fn a_much_deeper_entry_of_the_same_position_stays() {
        let table = Table::new(1 << 16);
        table.store(key(1), entry(9 * PLY));
        table.store(key(1), entry(2 * PLY));
        assert_eq!(table.probe(key(1)).map(|e| e.depth), Some(9 * PLY));
    }

    #[test]
    fn clearing_forgets_and_makes_room() {
        let mut table = Table::new(64);
        for n in 0..4 {
            table.store(key(n), entry(20 * PLY));
        }
        table.clear();
        assert!((0..4).all(|n| table.probe(key(n)).is_none()));
        table.store(key(9), entry(0));
        assert!(table.probe(key(9)).is_some());
        for _ in 0..3 * LAST_STAMP {
            table.next_stamp();
        }
        assert_eq!(table.probe(key(9)), None, "the wrap of the stamps revives nothing");
    }

    #[test]
    fn old_shallow_entries_give_way() {
        let mut table = Table::new(64);
        for n in 0..4 {
            table.store(key(n), entry((n as Depth + 1) * PLY));
        }
        table.next_stamp();
        table.store(key(7), entry(PLY));
        assert!(table.probe(key(0)).is_none() && table.probe(key(3)).is_some());
    }
}
