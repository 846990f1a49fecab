//! A small cache of results by position, for searches that meet the same positions again.
//!
//! Direct-mapped: a new result replaces the old one of its slot. Knows nothing of what it keeps.

/// Entries of a cache.
const ENTRIES: usize = 1 << 12;

/// Results by position key.
pub struct Cache<T> {
    entries: Box<[Option<(u64, T)>]>,
}

impl<T: Copy> Cache<T> {
    /// Returns an empty cache.
    pub fn new() -> Cache<T> {
        Cache { entries: vec![None; ENTRIES].into_boxed_slice() }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.entries.fill(None);
    }

    /// Returns the result stored for `key`, unless another one has taken its place.
    pub fn get(&self, key: u64) -> Option<T> {
        self.entries[Cache::<T>::index(key)].filter(|(k, _)| *k == key).map(|(_, value)| value)
    }

    /// Stores a result.
    pub fn put(&mut self, key: u64, value: T) {
        self.entries[Cache::<T>::index(key)] = Some((key, value));
    }

    fn index(key: u64) -> usize {
        key as usize % ENTRIES
    }
}
