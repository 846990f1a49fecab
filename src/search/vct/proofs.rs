//! What the proof search knows of a node, and the table that remembers it.

use super::moves::Width;
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

/// Table entries, and of one bucket.
const ENTRIES: usize = 1 << 18;
const BUCKET: usize = 4;
/// The largest logarithm kept.
const MAX_WORK: u8 = 15;
/// Numbers that tell one move's searches from another's.
const STAMPS: u64 = 16;

/// Salted keys and packed values that share a line of the processor's cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Bucket([[u64; 2]; BUCKET]);

/// A hash table of node values.
pub struct Proofs {
    /// A won or failed node or one with work behind it stays longest.
    buckets: Box<[Bucket]>,
    /// Changes when everything is forgotten.
    salt: u64,
    stamp: u64,
}

impl Proofs {
    /// Returns an empty table.
    pub fn new() -> Proofs {
        Proofs {
            buckets: vec![Bucket([[0; 2]; BUCKET]); ENTRIES / BUCKET].into_boxed_slice(),
            salt: 0,
            stamp: 0,
        }
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

    fn place(key: u64) -> usize {
        (key >> 32) as usize % (ENTRIES / BUCKET)
    }

    /// Returns what is known of the node with this key.
    pub fn probe(&self, key: u64) -> Option<Value> {
        let Bucket(bucket) = &self.buckets[Proofs::place(key)];
        let slot = bucket.iter().find(|slot| slot[0] == key ^ self.salt && slot[1] != 0)?;
        Some(unpack(slot[1]))
    }

    /// Keeps a node's value, in the place of the least work.
    pub fn store(&mut self, key: u64, value: Value) {
        let (check, stamp) = (key ^ self.salt, self.stamp);
        let Bucket(bucket) = &mut self.buckets[Proofs::place(key)];
        let worth = |slot: &[u64; 2]| match slot {
            [seen, _] if *seen == check => -2,
            [_, 0] => -1,
            [_, data] if data & (STAMPS - 1) == stamp => i32::from(unpack(*data).work) + 1,
            _ => 0,
        };
        if let Some(slot) = bucket.iter_mut().min_by_key(|slot| worth(slot)) {
            *slot = [check, pack(value) | stamp];
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
