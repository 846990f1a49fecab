//! The transposition table: results of earlier searches by position.
//!
//! An entry has sixteen bytes; four make a bucket, which is a cache line. All threads share the
//! table without locks: the two words of an entry are XORed (Hyatt and Mann, 2002), so that a torn
//! write reads as another position. Every search is a generation; entries older than the last
//! [`Table::clear`] count as absent. The table uses no more memory than the searches can fill: a
//! small one stays in the processor's caches.

pub mod file;

use std::array;
use std::sync::atomic::Ordering::Relaxed;

use tengen_gomoku::board::zobrist::Key;
use tengen_gomoku::types::{CELLS, Coord};

use crate::memory::{BUCKET, Buckets, CACHE_LINE, Slot, buckets_for};
use crate::score::{Bound, Score};
use crate::search::control::Control;
use crate::search::params::{Depth, PLY};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableEntry {
    /// May be illegal: two positions can share a key.
    pub mv: Option<Coord>,
    /// Counted from the node itself.
    pub score: i16,
    pub eval: Option<i16>,
    /// Kept in quarters of a ply, up to [`TableEntry::MAX_DEPTH`].
    pub depth: Depth,
    pub bound: Bound,
}

pub struct Table {
    buckets: Buckets,
    generation: u64,
    /// Entries of older generations are forgotten.
    oldest: u64,
}

/// A node fills at most one entry; the others are for earlier searches.
const ENTRIES_PER_NODE: u64 = 4;
const DEPTH_UNIT: Depth = PLY / 4;
/// An entry loses four plies of depth for each generation of age.
const AGE_DEPTH_UNITS: i64 = (4 * PLY / DEPTH_UNIT) as i64;
/// An entry of the same position that is deeper by more than this outlives a new bound.
const REPLACEMENT_MARGIN: Depth = 2 * PLY;
const NO_EVAL: i16 = i16::MIN;

// An entry's data from the lowest bit: move 10 bits, score 16, evaluation 16, depth 8, bound 2,
// generation 12.
const SCORE_SHIFT: u32 = 10;
const EVAL_SHIFT: u32 = SCORE_SHIFT + 16;
const DEPTH_SHIFT: u32 = EVAL_SHIFT + 16;
const BOUND_SHIFT: u32 = DEPTH_SHIFT + 8;
const GENERATION_BITS: u32 = 12;
const GENERATION_SHIFT: u32 = u64::BITS - GENERATION_BITS;
const LAST_GENERATION: u64 = (1 << GENERATION_BITS) - 1;

const _: () = assert!(CELLS <= 1 << SCORE_SHIFT && BOUND_SHIFT + 2 == GENERATION_SHIFT);

impl Table {
    pub fn new(bytes: usize) -> Table {
        Table { buckets: Buckets::new(bytes, 1), generation: 1, oldest: 1 }
    }

    pub fn clear(&mut self) {
        self.next_generation();
        self.oldest = self.generation;
        self.buckets.used = 1;
    }

    /// Grows to the memory that a search of so many nodes may fill; never shrinks unless cleared.
    /// Entries stay with their age, unless a bucket gets too many. A stop leaves those that have not
    /// moved where no search finds them until the table grows again: the next search needs its time
    /// more.
    pub fn grow(&mut self, nodes: u64, control: &Control) {
        let before = self.buckets.used;
        if !self.buckets.widen(buckets_for(nodes.saturating_mul(ENTRIES_PER_NODE))) {
            return;
        }
        // Entries only move up. The last bucket moves first, so that every bucket has given up its
        // entries before it takes others.
        for bucket in (0..before).rev().take_while(|_| !control.is_stopped()) {
            let slots = self.buckets.get(bucket);
            let known: [_; BUCKET] = array::from_fn(|i| self.live_entry(&slots[i]));
            slots.iter().flatten().for_each(|word| word.store(0, Relaxed));
            for (key, data) in known.into_iter().flatten() {
                self.store_in(generation_of(data), key, TableEntry::unpack(data));
            }
        }
    }

    /// Returns how full the table is, in thousandths.
    pub fn usage(&self) -> usize {
        // A sample of a thousand buckets.
        let step = (self.buckets.len / 1_000).max(1);
        let sample = (0..self.buckets.len).step_by(step);
        let slots = sample.flat_map(|bucket| self.buckets.get(bucket));
        let live = slots.clone().filter(|slot| self.live_entry(slot).is_some()).count();
        live * 1_000 / slots.count()
    }

    /// Begins the generation of a new search, to which older entries give way. After the last
    /// generation the table starts over empty.
    pub fn next_generation(&mut self) {
        if self.generation < LAST_GENERATION {
            self.generation += 1;
        } else {
            let (bytes, used) = (self.buckets.len * CACHE_LINE, self.buckets.used);
            // Freed first, so that two tables are never held together.
            *self = Table::new(0);
            *self = Table::new(bytes);
            self.buckets.widen(used);
        }
    }

    #[inline]
    pub fn prefetch(&self, key: Key) {
        self.buckets.prefetch(key);
    }

    /// Returns the entry of a position, and moves it to the current generation, so that what this
    /// search uses is kept.
    #[inline]
    pub fn probe(&self, key: Key) -> Option<TableEntry> {
        for slot in self.buckets.of_key(key) {
            let data = slot[1].load(Relaxed);
            if slot[0].load(Relaxed) ^ data == key && self.is_live(data) {
                let entry = TableEntry::unpack(data);
                if generation_of(data) != self.generation {
                    write(slot, key, entry.pack(self.generation));
                }
                return Some(entry);
            }
        }
        None
    }

    /// Stores a result. It replaces the entry of the same position, whose move it keeps if it has
    /// none; but a bound does not replace an entry of this generation that is more than two plies
    /// deeper. Otherwise it replaces the shallowest of the bucket, where each generation of age
    /// counts as four plies less.
    pub fn store(&self, key: Key, entry: TableEntry) {
        self.store_in(self.generation, key, entry);
    }

    #[inline(always)]
    fn store_in(&self, generation: u64, key: Key, entry: TableEntry) {
        let bucket = self.buckets.of_key(key);
        let mut victim = &bucket[0];
        let mut least = i64::MAX;
        let mut mv = entry.mv;
        for slot in bucket {
            let data = slot[1].load(Relaxed);
            let is_live = self.is_live(data);
            if is_live && slot[0].load(Relaxed) ^ data == key {
                let old = TableEntry::unpack(data);
                let is_deeper = old.depth > entry.depth + REPLACEMENT_MARGIN;
                let keeps_old = is_deeper
                    && entry.bound != Bound::Exact
                    && generation_of(data) == self.generation;
                // A stopped growth leaves old entries behind, which the next one finds.
                if keeps_old || generation_of(data) > generation {
                    return;
                }
                mv = mv.or(old.mv);
                victim = slot;
                break;
            }
            let age = self.generation.saturating_sub(generation_of(data)) as i64;
            let worth = if is_live { depth_units(data) - AGE_DEPTH_UNITS * age } else { i64::MIN };
            if worth < least {
                (victim, least) = (slot, worth);
            }
        }
        write(victim, key, TableEntry { mv, ..entry }.pack(generation));
    }

    fn live_entry(&self, slot: &Slot) -> Option<(u64, u64)> {
        let [check, data] = slot.each_ref().map(|word| word.load(Relaxed));
        self.is_live(data).then_some((check ^ data, data))
    }

    #[inline]
    fn is_live(&self, data: u64) -> bool {
        generation_of(data) >= self.oldest
    }
}

fn write(slot: &Slot, key: Key, data: u64) {
    slot[0].store(key ^ data, Relaxed);
    slot[1].store(data, Relaxed);
}

const fn generation_of(data: u64) -> u64 {
    data >> GENERATION_SHIFT
}

const fn depth_units(data: u64) -> i64 {
    (data >> DEPTH_SHIFT & 0xff) as i64
}

const fn bound_bits(data: u64) -> u64 {
    data >> BOUND_SHIFT & 3
}

impl TableEntry {
    /// 63.75 plies.
    pub const MAX_DEPTH: Depth = 0xff * DEPTH_UNIT;

    /// Returns what is known of a position from a search of so many plies.
    pub fn new(mv: Option<Coord>, score: Score, bound: Bound, plies: i32) -> TableEntry {
        TableEntry { mv, score: score.to_tt(0), eval: None, depth: plies * PLY, bound }
    }

    pub fn plies(&self) -> i32 {
        self.depth / PLY
    }

    fn pack(self, generation: u64) -> u64 {
        let depth = (self.depth.clamp(0, TableEntry::MAX_DEPTH) / DEPTH_UNIT) as u64;
        self.mv.map_or(0, |mv| mv.index() as u64)
            | (self.score as u16 as u64) << SCORE_SHIFT
            | (self.eval.unwrap_or(NO_EVAL) as u16 as u64) << EVAL_SHIFT
            | depth << DEPTH_SHIFT
            | (self.bound as u64) << BOUND_SHIFT
            | generation << GENERATION_SHIFT
    }

    fn unpack(data: u64) -> TableEntry {
        let eval = (data >> EVAL_SHIFT) as u16 as i16;
        TableEntry {
            mv: match data & ((1 << SCORE_SHIFT) - 1) {
                0 => None,
                index => Some(Coord::from_index(index as usize)),
            },
            score: (data >> SCORE_SHIFT) as u16 as i16,
            eval: (eval != NO_EVAL).then_some(eval),
            depth: depth_units(data) as Depth * DEPTH_UNIT,
            bound: match bound_bits(data) {
                1 => Bound::Upper,
                2 => Bound::Lower,
                _ => Bound::Exact,
            },
        }
    }

    pub fn score_at(&self, ply: usize) -> Score {
        Score::from_tt(self.score, ply as i32)
    }

    /// Returns true if the entry is a proven win or loss: its bound allows no other result.
    pub fn is_decisive(&self) -> bool {
        let score = self.score_at(0);
        match self.bound {
            Bound::Upper => score.is_loss(),
            Bound::Lower => score.is_win(),
            Bound::Exact => score.is_decisive(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PLY;
    use super::*;
    use tengen_gomoku::board::zobrist::{cell_key, empty_key};
    use tengen_gomoku::types::{BoardSize, Cell, Rule};

    fn key(n: u8) -> Key {
        let mut key = empty_key(BoardSize::new(15, 15).unwrap(), Rule::Renju);
        key ^= cell_key(Coord::new(n % 22, n / 22), Cell::Black);
        key
    }

    /// Returns a table whose 1024 buckets are all in use.
    fn table() -> Table {
        let mut table = Table::new(1 << 16);
        table.grow(u64::MAX, &Control::untimed());
        table
    }

    fn entry(depth: Depth) -> TableEntry {
        let mv = Some(Coord::new(7, 3));
        TableEntry { mv, score: -345, eval: Some(17), depth, bound: Bound::Lower }
    }

    #[test]
    fn entries_round_trip() {
        let table = table();
        assert_eq!(table.probe(key(1)), None);
        table.store(key(1), entry(5 * PLY));
        assert_eq!(table.probe(key(1)), Some(entry(5 * PLY)));
        let bare = TableEntry { mv: None, eval: None, bound: Bound::Upper, ..entry(0) };
        table.store(key(2), bare);
        assert_eq!(table.probe(key(2)), Some(bare));
        table.store(key(3), entry(100 * PLY));
        assert_eq!(table.probe(key(3)), Some(entry(TableEntry::MAX_DEPTH)));
    }

    #[test]
    fn a_much_deeper_entry_of_the_same_position_stays() {
        let table = table();
        table.store(key(1), entry(9 * PLY));
        table.store(key(1), entry(2 * PLY));
        assert_eq!(table.probe(key(1)).map(|e| e.depth), Some(9 * PLY));
    }

    #[test]
    fn usage_is_a_share_in_thousandths() {
        let fill = |table: &Table| (0..200).for_each(|n| table.store(key(n), entry(PLY)));
        let large = table();
        assert_eq!(large.usage(), 0);
        fill(&large);
        assert!((40..=50).contains(&large.usage()), "{} of 200 in 4096", large.usage());
        let full = Table::new(0);
        fill(&full);
        assert_eq!(full.usage(), 1_000);
    }

    #[test]
    fn clearing_forgets_and_frees_entries() {
        let mut table = Table::new(64);
        for n in 0..4 {
            table.store(key(n), entry(20 * PLY));
        }
        table.clear();
        assert!((0..4).all(|n| table.probe(key(n)).is_none()));
        table.store(key(9), entry(0));
        assert!(table.probe(key(9)).is_some());
        for _ in 0..3 * LAST_GENERATION {
            table.next_generation();
        }
        assert_eq!(table.probe(key(9)), None, "the wrap of the generations revives nothing");
    }

    #[test]
    fn a_table_that_grows_keeps_what_it_knows() {
        // The last size is no multiple of the others.
        let mut table = Table::new(48 << 10);
        let is_known = |table: &Table, n| table.probe(key(n)) == Some(entry(i32::from(n) * PLY));
        let mut sizes = Vec::new();
        for (nodes, n) in [(1, 0), (80, 1), (80, 2), (60, 3), (400, 4), (1 << 40, 5)] {
            table.grow(nodes, &Control::untimed());
            sizes.push(table.buckets.used);
            table.store(key(n), entry(i32::from(n) * PLY));
            assert!((0..=n).all(|n| is_known(&table, n)), "after {nodes} nodes");
        }
        assert_eq!(sizes, [1, 128, 128, 128, 512, 768]);
    }

    #[test]
    fn a_stop_ends_the_growth() {
        let (mut table, control) = (Table::new(48 << 10), Control::untimed());
        table.grow(80, &control);
        (0..80).for_each(|n| table.store(key(n), entry(PLY)));
        control.stop();
        table.grow(300, &control);
        let depth = |table: &Table, n| table.probe(key(n)).map(|entry| entry.depth);
        let known = |table: &Table| (0..80).filter(|&n| depth(table, n).is_some()).count();
        assert!(table.buckets.used == 512 && known(&table) < 40);
        table.next_generation();
        (0..80).for_each(|n| table.store(key(n), entry(9 * PLY)));
        assert_eq!(known(&table), 80);
        // What the stop left behind takes the place of nothing newer.
        table.next_generation();
        table.grow(1 << 40, &Control::untimed());
        assert!(table.buckets.used == 768 && (0..80).all(|n| depth(&table, n) == Some(9 * PLY)));
    }

    #[test]
    fn a_table_that_grows_makes_no_entry_newer() {
        let mut table = Table::new(48 << 10);
        let stored = (0..4).map(|n| (key(n), generation_after(&mut table, n)));
        let stored: Vec<_> = stored.collect();
        table.grow(1 << 40, &Control::untimed());
        for (key, generation) in stored {
            let slots = table.buckets.of_key(key).iter().filter_map(|slot| table.live_entry(slot));
            let found = slots.filter(|&(of, _)| of == key).map(|(_, data)| data);
            assert_eq!(found.map(generation_of).collect::<Vec<_>>(), [generation]);
        }
    }

    /// Stores an entry in a new generation, and returns that.
    fn generation_after(table: &mut Table, n: u8) -> u64 {
        table.next_generation();
        table.store(key(n), entry(i32::from(n) * PLY));
        table.generation
    }

    #[test]
    fn old_shallow_entries_give_way() {
        let mut table = Table::new(64);
        for n in 0..4 {
            table.store(key(n), entry((n as Depth + 1) * PLY));
        }
        table.next_generation();
        table.store(key(7), entry(PLY));
        assert!(table.probe(key(0)).is_none() && table.probe(key(3)).is_some());
    }

    #[test]
    fn an_old_entry_that_is_used_stays_as_a_new_one() {
        let mut table = Table::new(64);
        for n in 0..4 {
            table.store(key(n), entry((n as Depth + 1) * PLY));
        }
        table.next_generation();
        assert_eq!(table.probe(key(0)), Some(entry(PLY)));
        for n in 4..7 {
            table.store(key(n), entry(2 * PLY));
        }
        let kept: Vec<u8> = (0..7).filter(|&n| table.probe(key(n)).is_some()).collect();
        assert_eq!(kept, [0, 4, 5, 6]);
    }
}
