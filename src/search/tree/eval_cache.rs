//! The evaluation cache: the evaluations of positions that were visited a short time ago.
//!
//! Re-searches, singular searches and transpositions visit a position again, often when it has no
//! entry in the transposition table. The cache saves one in five evaluations by the network. Knows
//! no board.

use crate::board::zobrist::Key;
use crate::types::Score;

/// 64 KiB, which stay in the processor's caches. With 128 times as many slots one evaluation in four
/// is known.
const SLOTS: usize = 1 << 13;
/// The bits of a slot for the evaluation; the other bits are the key's.
const EVAL_MASK: u64 = 0xffff;

/// The cache of one thread: from the key of a position to its evaluation.
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
        (slot & !EVAL_MASK == key.bits() & !EVAL_MASK).then(|| Score::from_tt(slot as i16, 0))
    }

    /// Stores the evaluation of the position with this key. The slot's old content is lost.
    #[inline]
    pub fn put(&mut self, key: Key, eval: Score) {
        let eval = u64::from(eval.to_tt(0) as u16);
        self.slots[key.bits() as usize % SLOTS] = key.bits() & !EVAL_MASK | eval;
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
