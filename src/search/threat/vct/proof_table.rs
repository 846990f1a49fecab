//! What the proof search knows of a node, and the table that remembers it.

use std::sync::atomic::Ordering::Relaxed;

use super::moves::Width;
use crate::search::table::buckets::{BUCKET, Buckets, CACHE_LINE, Slot};
use crate::types::Coord;

/// What is known of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// 0 if the attacker has won, [`INFINITE`] if he has failed.
    pub proof: u32,
    /// 0 if the attacker has failed, [`INFINITE`] if he has won.
    pub disproof: u32,
    /// Of a won node: plies to the five at most, and the move that wins or holds out longest.
    pub plies: u8,
    pub mv: Option<Coord>,
    /// The logarithm of the plays spent on the node, from 1; 0 if it was only looked at.
    pub work: u8,
    /// The attacks weighed so far, where the attacker is to move.
    pub width: Width,
}

/// The largest number; sums stay below it.
pub const INFINITE: u32 = (1 << 18) - 1;

impl Value {
    /// The attacker has failed.
    pub const FAILED: Value = Value::open(INFINITE, 0);

    /// Returns the value of a node that is not settled.
    pub const fn open(proof: u32, disproof: u32) -> Value {
        Value { proof, disproof, plies: 0, mv: None, work: 0, width: Width::Loud }
    }

    /// Returns the value of a node won within `plies`.
    pub fn won(plies: i32, mv: Option<Coord>) -> Value {
        let plies = plies.min(u8::MAX.into()) as u8;
        Value { plies, mv, ..Value::open(0, INFINITE) }
    }

    /// Returns true if the attacker has won.
    pub const fn is_won(&self) -> bool {
        self.proof == 0
    }

    /// Returns true if either side has won.
    pub const fn is_settled(&self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

/// Buckets in use at the least.
const LEAST_BUCKETS: usize = 1 << 16;
/// The memory that they take: the least that a table should have.
pub const LEAST_BYTES: usize = LEAST_BUCKETS * CACHE_LINE;
/// Plays of a search for one entry: looks for fours leave none, and not all plays are the prover's.
const PLAYS_PER_ENTRY: u64 = 2;
/// The largest logarithm kept.
const MAX_WORK: u8 = 15;
/// Numbers that tell one move's searches from another's.
const STAMPS: u64 = 16;

/// A hash table of node values. No more of its memory is used than the searches can fill.
pub struct Proofs {
    /// A won or failed node or one with work behind it stays longest. A slot is a salted key and a
    /// packed value.
    buckets: Buckets,
    /// Buckets in use, the first ones.
    used: usize,
    /// Changes when everything is forgotten.
    salt: u64,
    stamp: u64,
}

impl Proofs {
    /// Returns an empty table of at most `bytes` bytes, and smaller if memory is short.
    pub fn new(bytes: usize) -> Proofs {
        let buckets = Buckets::new(bytes);
        let used = LEAST_BUCKETS.min(buckets.len());
        Proofs { buckets, used, salt: 0, stamp: 0 }
    }

    /// Makes room for searches of so many plays; never less than before. What is known is lost
    /// where there is more: its place is elsewhere.
    pub fn make_room(&mut self, plays: u64) {
        let buckets = usize::try_from(plays / PLAYS_PER_ENTRY / BUCKET as u64).ok();
        let wanted = buckets.and_then(usize::checked_next_power_of_two).unwrap_or(usize::MAX);
        self.used = wanted.clamp(self.used, self.buckets.len());
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.salt = self.salt.wrapping_add(0x6a09_e667_f3bc_c909);
        self.next_stamp();
    }

    /// Lets what is in the table give way to what comes from now on.
    pub fn next_stamp(&mut self) {
        self.stamp = (self.stamp + 1) % STAMPS;
    }

    fn bucket(&self, key: u64) -> &[Slot] {
        let index = (key as u128 * self.used as u128) >> 64;
        self.buckets.get(index as usize)
    }

    /// Returns what is known of the node with this key.
    pub fn probe(&self, key: u64) -> Option<Value> {
        let slots = self.bucket(key).iter();
        let [_, data] = slots.into_iter().find(|slot| slot[0].load(Relaxed) == key ^ self.salt)?;
        let data = data.load(Relaxed);
        (data != 0).then(|| unpack(data))
    }

    /// Keeps a node's value, in the place of the least work.
    pub fn store(&mut self, key: u64, value: Value) {
        let (check, stamp) = (key ^ self.salt, self.stamp);
        let worth = |slot: &&Slot| match [slot[0].load(Relaxed), slot[1].load(Relaxed)] {
            [seen, _] if seen == check => -2,
            [_, 0] => -1,
            [_, data] if data & (STAMPS - 1) == stamp => i32::from(unpack(data).work) + 1,
            _ => 0,
        };
        if let Some([seen, data]) = self.bucket(key).iter().min_by_key(worth) {
            seen.store(check, Relaxed);
            data.store(pack(value) | stamp, Relaxed);
        }
    }
}

// Bits from the lowest: stamp 4, work 4, width 2, plies 8, move 10, disproof 18, proof 18. No node
// has both numbers 0, so that 0 stands for an empty slot.
fn pack(value: Value) -> u64 {
    u64::from(value.work.min(MAX_WORK)) << 4
        | (value.width as u64) << 8
        | u64::from(value.plies) << 10
        | value.mv.map_or(0, |mv| mv.index() as u64) << 18
        | u64::from(value.disproof) << 28
        | u64::from(value.proof) << 46
}

fn unpack(data: u64) -> Value {
    let mv = (data >> 18 & 1023) as usize;
    Value {
        proof: (data >> 46) as u32 & INFINITE,
        disproof: (data >> 28) as u32 & INFINITE,
        plies: (data >> 10) as u8,
        mv: (mv != 0).then(|| Coord::from_index(mv)),
        work: data as u8 >> 4,
        width: if data & 1 << 8 == 0 { Width::Loud } else { Width::All },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns keys that fall all over a table.
    fn keys(count: u64) -> impl Iterator<Item = u64> {
        (1..=count).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn value(n: u64) -> Value {
        Value { work: 3, ..Value::open(1 + n as u32 % 1000, 7) }
    }

    fn store(table: &mut Proofs, count: u64) {
        keys(count).for_each(|key| table.store(key, value(key)));
    }

    fn known(table: &Proofs, count: u64) -> usize {
        keys(count).filter(|&key| table.probe(key) == Some(value(key))).count()
    }

    #[test]
    fn what_fits_is_known_until_it_is_forgotten() {
        let mut table = Proofs::new(LEAST_BYTES);
        assert_eq!(known(&table, 1000), 0);
        store(&mut table, 1000);
        assert_eq!(known(&table, 1000), 1000);
        table.clear();
        assert_eq!(known(&table, 1000), 0);
    }

    #[test]
    fn no_more_is_used_than_a_search_fills() {
        let mut table = Proofs::new(3 * LEAST_BYTES);
        let entries = (LEAST_BUCKETS * BUCKET) as u64;
        let mut sizes = Vec::new();
        for plays in [1, 2 * entries, 3 * entries, 1, u64::MAX] {
            table.make_room(plays);
            sizes.push(table.used);
            store(&mut table, 1000);
            assert_eq!(known(&table, 1000), 1000, "after {plays} plays");
        }
        assert_eq!(sizes, [1, 1, 2, 2, 3].map(|n| n * LEAST_BUCKETS));
    }

    #[test]
    fn a_table_without_memory_still_works() {
        let mut table = Proofs::new(0);
        table.make_room(1_000_000);
        store(&mut table, 1000);
        assert!((1..=BUCKET).contains(&known(&table, 1000)));
    }

    #[test]
    fn values_round_trip() {
        let won = Value { work: 9, ..Value::won(31, Some(Coord::new(21, 21))) };
        let wide = Value { width: Width::All, ..Value::open(INFINITE - 1, INFINITE - 1) };
        for value in [won, wide, Value::FAILED, Value::open(1, 1)] {
            assert_eq!(unpack(pack(value)), value);
        }
    }
}
