//! A small cache of results by position, for searches that meet the same positions again.

/// Results by position key, in buckets of `WAYS` entries; the newest replaces the oldest.
pub struct Cache<T, const BUCKETS: usize, const WAYS: usize> {
    keys: Box<[[u64; WAYS]; BUCKETS]>,
    results: Box<[[T; WAYS]; BUCKETS]>,
}

impl<T: Copy + Default, const BUCKETS: usize, const WAYS: usize> Default
    for Cache<T, BUCKETS, WAYS>
{
    fn default() -> Self {
        Cache { keys: boxed([0; WAYS]), results: boxed([T::default(); WAYS]) }
    }
}

impl<T: Copy, const BUCKETS: usize, const WAYS: usize> Cache<T, BUCKETS, WAYS> {
    pub fn clear(&mut self) {
        self.keys.as_flattened_mut().fill(0);
    }

    #[inline]
    pub fn get(&self, key: u64) -> Option<T> {
        let bucket = key as usize % BUCKETS;
        let way = self.keys[bucket].iter().position(|&stored| stored == key)?;
        Some(self.results[bucket][way])
    }

    #[inline]
    pub fn put(&mut self, key: u64, result: T) {
        let bucket = key as usize % BUCKETS;
        self.keys[bucket].rotate_right(1);
        self.keys[bucket][0] = key;
        self.results[bucket].rotate_right(1);
        self.results[bucket][0] = result;
    }
}

fn boxed<T: Copy, const LEN: usize>(value: T) -> Box<[T; LEN]> {
    vec![value; LEN].try_into().unwrap_or_else(|_| unreachable!("invariant: the length is fixed"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::array;

    #[test]
    fn results_are_known_by_their_own_key_until_newer_ones_fill_the_bucket() {
        let mut cache = Cache::<i16, 8, 2>::default();
        let keys: [u64; 3] = array::from_fn(|n| 0x1234_5678_9abc_def0 + 8 * n as u64);
        cache.put(keys[0], -1);
        cache.put(keys[1], 7);
        assert_eq!(keys.map(|key| cache.get(key)), [Some(-1), Some(7), None]);
        cache.put(keys[2], 9);
        assert_eq!(keys.map(|key| cache.get(key)), [None, Some(7), Some(9)]);
        cache.clear();
        assert_eq!(keys.map(|key| cache.get(key)), [None; 3]);
    }
}
