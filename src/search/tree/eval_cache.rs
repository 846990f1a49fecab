//! The evaluation cache: evaluations of positions met not long ago.
//!
//! A position is met again by re-searches, singular searches and other orders of moves, often
//! without an entry in the transposition table. One in five evaluations of the network is known
//! here. Knows no board.

use crate::board::zobrist::Key;
use crate::types::Score;

/// So few slots stay in the processor's caches; 128 times as many know one evaluation in four.
const SLOTS: usize = 1 << 13;
/// The bits of a slot that hold the evaluation; the others hold those of the key.
const EVAL_BITS: u64 = 0xffff;

/// The evaluations of one thread, by the keys of their positions.
pub struct EvalCache {
    slots: Box<[u64; SLOTS]>,
}

impl EvalCache {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slots.fill(0);
    }

    /// Returns the evaluation of the position with this key, if it is known.
    #[inline]
    pub fn get(&self, key: Key) -> Option<Score> {
        let slot = self.slots[key.bits() as usize % SLOTS];
        (slot & !EVAL_BITS == key.bits() & !EVAL_BITS).then(|| Score::from_tt(slot as i16, 0))
    }

    /// Keeps the evaluation of a position, instead of another one's.
    #[inline]
    pub fn put(&mut self, key: Key, eval: Score) {
        let eval = u64::from(eval.to_tt(0) as u16);
        self.slots[key.bits() as usize % SLOTS] = key.bits() & !EVAL_BITS | eval;
    }
}

impl Default for EvalCache {
    fn default() -> EvalCache {
        EvalCache { slots: Box::new([0; SLOTS]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_are_known_by_their_own_key_only() {
        let key = |bits: u64| Key::from_bits(bits);
        let mut cache = EvalCache::default();
        let keys = [key(0x1234_5678_9abc_def0), key(0x1234_5679_9abc_def0)];
        for value in [0, 1, -1, Score::EVAL_LIMIT, -Score::EVAL_LIMIT] {
            cache.put(keys[0], Score::eval(value));
            assert_eq!(keys.map(|key| cache.get(key)), [Some(Score::eval(value)), None]);
        }
        cache.put(keys[1], Score::eval(7));
        assert_eq!(keys.map(|key| cache.get(key)), [None, Some(Score::eval(7))]);
        cache.clear();
        assert_eq!(keys.map(|key| cache.get(key)), [None, None]);
    }
}
