//! A small cache of results by position, for searches that meet the same positions again.
//!
//! A new result replaces the oldest one of its bucket, so that a long line of results is kept whole.

/// Buckets of a cache.
const BUCKETS: usize = 1 << 10;
/// Entries of a bucket.
const BUCKET_ENTRIES: usize = 4;

/// The newest result first.
type Bucket<T> = [Option<(u64, T)>; BUCKET_ENTRIES];

/// Results by position key.
pub struct Cache<T> {
    buckets: Box<[Bucket<T>]>,
}

impl<T: Copy> Cache<T> {
    /// Returns an empty cache.
    pub fn new() -> Cache<T> {
        Cache { buckets: vec![[None; BUCKET_ENTRIES]; BUCKETS].into_boxed_slice() }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.buckets.fill([None; BUCKET_ENTRIES]);
    }

    /// Returns the result stored for `key`, unless others have taken its place.
    pub fn get(&self, key: u64) -> Option<T> {
        let bucket = &self.buckets[key as usize % BUCKETS];
        bucket.iter().flatten().find(|(k, _)| *k == key).map(|&(_, value)| value)
    }

    /// Stores the result of a key that has none.
    pub fn put(&mut self, key: u64, value: T) {
        let bucket = &mut self.buckets[key as usize % BUCKETS];
        bucket.rotate_right(1);
        bucket[0] = Some((key, value));
    }
}
