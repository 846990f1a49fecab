//! Proof numbers, and the table that keeps them.
//!
//! A node's proof number estimates how many leaves must still be won to prove it, its disproof
//! number how many must be lost to disprove it (Allis, 1994).

use std::sync::atomic::Ordering::Relaxed;

use tengen_gomoku::types::{CELLS, Coord};

use crate::memory::{Buckets, CACHE_LINE, Slot, buckets_for};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofNumbers {
    /// 0 if the node is proven, [`INFINITE`] if it is disproven.
    pub proof: u32,
    /// 0 if the node is disproven, [`INFINITE`] if it is proven.
    pub disproof: u32,
    /// Of a proven node: plies to the five, at most, and the winning or longest resisting move.
    pub plies: u8,
    pub mv: Option<Coord>,
    /// One plus the binary logarithm of the nodes of its last visit; 0 if only expanded.
    pub work: u8,
    /// Of an attack node: true once its quiet attacks, which may threaten a VCF, are generated, not
    /// only its fours and threes.
    pub has_quiet: bool,
}

const NUMBER_BITS: u32 = 18;
pub const INFINITE: u32 = (1 << NUMBER_BITS) - 1;

impl ProofNumbers {
    pub const DISPROVEN: ProofNumbers = ProofNumbers::new(INFINITE, 0);

    pub const fn new(proof: u32, disproof: u32) -> ProofNumbers {
        ProofNumbers { proof, disproof, plies: 0, mv: None, work: 0, has_quiet: false }
    }

    pub fn proven(plies: i32, mv: Option<Coord>) -> ProofNumbers {
        let plies = plies.min(u8::MAX.into()) as u8;
        ProofNumbers { plies, mv, ..ProofNumbers::new(0, INFINITE) }
    }

    pub const fn is_proven(&self) -> bool {
        self.proof == 0
    }

    pub const fn is_solved(&self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

const MIN_BUCKETS: usize = 1 << 16;
pub const MIN_BYTES: usize = MIN_BUCKETS * CACHE_LINE;
/// Nodes of the whole search per entry: alpha-beta and VCF make none.
const NODES_PER_ENTRY: u64 = 2;
const MAX_WORK: u8 = 15;
/// They separate the searches for different moves.
const GENERATIONS: u64 = 16;

pub struct ProofTable {
    /// A slot is a key and packed numbers, which are 0 if it is void.
    buckets: Buckets,
    generation: u64,
}

impl ProofTable {
    pub fn new(bytes: usize) -> ProofTable {
        ProofTable { buckets: Buckets::new(bytes, MIN_BUCKETS), generation: 0 }
    }

    /// Grows for a search of so many nodes; shrinks only when cleared. A table that grows loses its
    /// entries, whose buckets change.
    pub fn grow(&mut self, nodes: u64) {
        let wanted = buckets_for(nodes / NODES_PER_ENTRY);
        if wanted.min(self.buckets.len) > self.buckets.used {
            self.clear();
            self.buckets.widen(wanted);
        }
    }

    pub fn clear(&mut self) {
        self.resize(self.buckets.len * CACHE_LINE);
    }

    pub fn resize(&mut self, bytes: usize) {
        // Freed first, so that two tables are never held together.
        *self = ProofTable::new(0);
        *self = ProofTable::new(bytes);
    }

    pub fn next_generation(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    pub fn prefetch(&self, key: u64) {
        self.buckets.prefetch(key);
    }

    pub fn probe(&self, key: u64) -> Option<ProofNumbers> {
        let slot = self.buckets.of_key(key).iter().find(|slot| slot[0].load(Relaxed) == key)?;
        let data = slot[1].load(Relaxed);
        (data != 0).then(|| unpack(data))
    }

    /// Replaces the entry of the position, or else a void one, an old one, or that of least work.
    pub fn store(&mut self, key: u64, numbers: ProofNumbers) {
        let generation = self.generation;
        let worth = |slot: &&Slot| match [slot[0].load(Relaxed), slot[1].load(Relaxed)] {
            [seen, _] if seen == key => -2,
            [_, 0] => -1,
            [_, data] if data & (GENERATIONS - 1) == generation => i32::from(unpack(data).work) + 1,
            _ => 0,
        };
        if let Some([seen, data]) = self.buckets.of_key(key).iter().min_by_key(worth) {
            seen.store(key, Relaxed);
            data.store(pack(numbers) | generation, Relaxed);
        }
    }
}

// Packed numbers from the lowest bit: generation 4 bits, work 4, quiet attacks 2, plies 8, move 10,
// disproof number 18, proof number 18.
const WORK_SHIFT: u32 = GENERATIONS.ilog2();
const QUIET_SHIFT: u32 = WORK_SHIFT + 4;
const PLIES_SHIFT: u32 = QUIET_SHIFT + 2;
const MOVE_SHIFT: u32 = PLIES_SHIFT + 8;
const DISPROOF_SHIFT: u32 = MOVE_SHIFT + CELLS.ilog2();
const PROOF_SHIFT: u32 = DISPROOF_SHIFT + NUMBER_BITS;

const _: () = assert!(PROOF_SHIFT + NUMBER_BITS == u64::BITS);

fn pack(numbers: ProofNumbers) -> u64 {
    u64::from(numbers.work.min(MAX_WORK)) << WORK_SHIFT
        | u64::from(numbers.has_quiet) << QUIET_SHIFT
        | u64::from(numbers.plies) << PLIES_SHIFT
        | numbers.mv.map_or(0, |mv| mv.index() as u64) << MOVE_SHIFT
        | u64::from(numbers.disproof) << DISPROOF_SHIFT
        | u64::from(numbers.proof) << PROOF_SHIFT
}

fn unpack(data: u64) -> ProofNumbers {
    let mv = (data >> MOVE_SHIFT) as usize % CELLS;
    ProofNumbers {
        proof: (data >> PROOF_SHIFT) as u32 & INFINITE,
        disproof: (data >> DISPROOF_SHIFT) as u32 & INFINITE,
        plies: (data >> PLIES_SHIFT) as u8,
        mv: (mv != 0).then(|| Coord::from_index(mv)),
        work: (data >> WORK_SHIFT) as u8 & MAX_WORK,
        has_quiet: data & 1 << QUIET_SHIFT != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::BUCKET;
    use tengen_gomoku::types::random::GAMMA;

    /// Returns keys spread over a whole table.
    fn keys(count: u64) -> impl Iterator<Item = u64> {
        (1..=count).map(|n| n.wrapping_mul(GAMMA))
    }

    fn numbers(n: u64) -> ProofNumbers {
        ProofNumbers { work: 3, ..ProofNumbers::new(1 + n as u32 % 1000, 7) }
    }

    fn store(table: &mut ProofTable, count: u64) {
        keys(count).for_each(|key| table.store(key, numbers(key)));
    }

    fn known(table: &ProofTable, count: u64) -> usize {
        keys(count).filter(|&key| table.probe(key) == Some(numbers(key))).count()
    }

    #[test]
    fn what_fits_is_known_until_it_is_forgotten() {
        let mut table = ProofTable::new(MIN_BYTES);
        assert_eq!(known(&table, 1000), 0);
        store(&mut table, 1000);
        assert_eq!(known(&table, 1000), 1000);
        table.clear();
        assert_eq!(known(&table, 1000), 0);
    }

    #[test]
    fn a_table_that_was_cleared_replaces_as_a_new_one_does() {
        let bytes = 2 * MIN_BYTES;
        let entries = (MIN_BUCKETS * BUCKET) as u64;
        let mut used = ProofTable::new(bytes);
        for work in [15, 0] {
            used.grow(u64::MAX);
            let strong = ProofNumbers { work, ..ProofNumbers::new(9, 9) };
            keys(4 * entries).for_each(|key| used.store(!key, strong));
            used.next_generation();
        }
        used.clear();
        let mut new = ProofTable::new(bytes);
        for table in [&mut used, &mut new] {
            store(table, entries / 2);
            table.next_generation();
            keys(2 * entries).skip(1000).for_each(|key| table.store(key, numbers(key)));
        }
        let all = keys(2 * entries);
        assert!(all.map(|key| used.probe(key)).eq(keys(2 * entries).map(|key| new.probe(key))));
    }

    #[test]
    fn no_more_is_used_than_a_search_fills() {
        let mut table = ProofTable::new(3 * MIN_BYTES);
        let entries = (MIN_BUCKETS * BUCKET) as u64;
        let mut sizes = Vec::new();
        for nodes in [1, 2 * entries, 3 * entries, 1, u64::MAX] {
            table.grow(nodes);
            sizes.push(table.buckets.used);
            store(&mut table, 1000);
            assert_eq!(known(&table, 1000), 1000, "after {nodes} nodes");
        }
        assert_eq!(sizes, [1, 1, 2, 2, 3].map(|n| n * MIN_BUCKETS));
    }

    #[test]
    fn a_table_without_memory_still_works() {
        let mut table = ProofTable::new(0);
        table.grow(1_000_000);
        store(&mut table, 1000);
        assert!((1..=BUCKET).contains(&known(&table, 1000)));
    }

    #[test]
    fn numbers_round_trip() {
        let proven = ProofNumbers { work: 9, ..ProofNumbers::proven(31, Some(Coord::new(21, 21))) };
        let open = ProofNumbers::new(INFINITE - 1, INFINITE - 1);
        let all = ProofNumbers { has_quiet: true, ..open };
        for numbers in [proven, all, ProofNumbers::DISPROVEN, ProofNumbers::new(1, 1)] {
            assert_eq!(unpack(pack(numbers)), numbers);
        }
    }
}
