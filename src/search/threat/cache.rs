//! What took plays to find out about positions, for when a search of threats comes back to them.

/// Entries of a memo.
const ENTRIES: usize = 1 << 12;

/// A cache by position key: each place holds the newest of the values that fall on it.
pub struct Cache<T> {
    slots: Box<[Option<(u64, T)>]>,
}

impl<T: Copy> Cache<T> {
    /// Returns an empty memo.
    pub fn new() -> Cache<T> {
        Cache { slots: vec![None; ENTRIES].into_boxed_slice() }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slots.fill(None);
    }

    /// Returns the value that was kept for `key`, if nothing has taken its place.
    pub fn get(&self, key: u64) -> Option<T> {
        self.slots[Cache::<T>::place(key)].filter(|(kept, _)| *kept == key).map(|(_, value)| value)
    }

    /// Keeps a value.
    pub fn put(&mut self, key: u64, value: T) {
        self.slots[Cache::<T>::place(key)] = Some((key, value));
    }

    fn place(key: u64) -> usize {
        key as usize % ENTRIES
    }
}
