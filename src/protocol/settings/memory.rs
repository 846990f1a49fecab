//! The memory limit, divided among tables, helpers, database and the rest of the program.

use super::super::task::DATABASE_CACHE_BYTES;
use crate::search::{HELPER_BYTES, max_threads};

const MEBIBYTE: u64 = 1 << 20;
/// The limit that Gomocup sets in practice.
const DEFAULT_MEMORY: u64 = 350 * MEBIBYTE;
/// From here on no limit.
const UNLIMITED_MEMORY: u64 = 2_147_483_647;
/// Everything but tables and helpers: program, rule tables and networks of all rules, a thread's
/// state, stacks, input. A game of one rule takes 10 MB less.
const PROGRAM_MEMORY: u64 = 36 * MEBIBYTE;
/// The cache, and the work of opening and asking.
const DATABASE_MEMORY: u64 = DATABASE_CACHE_BYTES as u64 + 2 * MEBIBYTE;
/// From this limit on the program uses at most three quarters of the limit. Below, it may use all of
/// it.
const SMALL_MEMORY: u64 = 128 * MEBIBYTE;
const TABLE_MIN: u64 = MEBIBYTE;
/// The binary logarithm of the largest table's kilobytes: 1 GB.
pub const MAX_HASH_EXPONENT: u32 = 20;
const TABLE_MAX: u64 = 1 << (MAX_HASH_EXPONENT + 10);

/// Makes glibc return freed blocks of a megabyte or more to the system. By default it raises this
/// threshold when a larger block is freed, and keeps 16 MB more after games under all rules.
#[allow(unsafe_code)]
pub fn return_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: a setting of the allocator, which touches no memory. A refusal does no harm.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MEBIBYTE as libc::c_int);
    }
}

/// What the manager sent; 0 if nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryLimits {
    /// Bytes of the whole program.
    pub limit: u64,
    pub hash_kilobytes: u64,
    pub threads: u64,
    pub has_database: bool,
}

impl MemoryLimits {
    pub fn threads(&self) -> usize {
        // Counting the processors takes time.
        if self.threads > 1 { self.threads_of(max_threads()) } else { 1 }
    }

    /// Returns at most so many threads; helpers take at most half of the memory for the tables.
    fn threads_of(&self, most: usize) -> usize {
        let helpers = (self.available() / 2 / HELPER_BYTES).min(most.saturating_sub(1) as u64);
        1 + self.threads.saturating_sub(1).min(helpers) as usize
    }

    /// Returns the tables' size that keeps the limit, or without one the size wanted.
    pub fn table_bytes(&self, threads: usize) -> usize {
        let available = self.available().saturating_sub((threads as u64 - 1) * HELPER_BYTES);
        let bytes = match (self.hash_kilobytes.saturating_mul(1024), self.limit()) {
            (0, _) => available,
            (wish, None) => wish,
            (wish, Some(_)) => wish.min(available),
        };
        usize::try_from(bytes.clamp(TABLE_MIN, TABLE_MAX)).unwrap_or(usize::MAX)
    }

    fn available(&self) -> u64 {
        let limit = self.limit().unwrap_or(DEFAULT_MEMORY);
        let available = if limit < SMALL_MEMORY {
            // 40 MB leave 1, and the two lines meet at 128 MB.
            (2 * limit).saturating_sub(76 * MEBIBYTE) / 3
        } else {
            limit / 4 * 3 - PROGRAM_MEMORY
        };
        available.saturating_sub(if self.has_database { DATABASE_MEMORY } else { 0 })
    }

    fn limit(&self) -> Option<u64> {
        (1..UNLIMITED_MEMORY).contains(&self.limit).then_some(self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(limit: u64, hash_kilobytes: u64) -> u64 {
        let memory = MemoryLimits { limit, hash_kilobytes, ..MemoryLimits::default() };
        memory.table_bytes(1) as u64
    }

    #[test]
    fn the_table_leaves_room_under_every_memory_limit() {
        for megabytes in 37..=2047 {
            let limit = megabytes * MEBIBYTE;
            let aim = if megabytes < 128 { limit } else { limit / 4 * 3 };
            assert!(table(limit, 0) + PROGRAM_MEMORY <= aim, "{megabytes}");
            assert!(table(limit, 0) >= table(limit - MEBIBYTE, 0));
        }
        for limit in [0, 2_147_483_647, 1_099_511_627_776, u64::MAX] {
            assert_eq!(table(limit, 0), table(DEFAULT_MEMORY, 0));
        }
        assert_eq!(table(1, 0), TABLE_MIN);
        assert_eq!(table(0, 65_536), 64 * MEBIBYTE);
    }

    #[test]
    fn a_table_may_be_as_large_as_promised_where_no_limit_was_sent() {
        let promised = 1 << MAX_HASH_EXPONENT;
        assert_eq!(table(0, promised), 1 << 30);
        assert_eq!(table(UNLIMITED_MEMORY, u64::MAX), 1 << 30);
        assert_eq!(table(DEFAULT_MEMORY, promised), table(DEFAULT_MEMORY, 0));
        assert_eq!(table(DEFAULT_MEMORY, 65_536), 64 * MEBIBYTE);
    }

    #[test]
    fn a_database_is_paid_for_by_the_table() {
        let table = |megabytes, has_database| {
            let limit = megabytes * MEBIBYTE;
            MemoryLimits { limit, has_database, ..MemoryLimits::default() }.table_bytes(1) as u64
        };
        for megabytes in 50..=1_024 {
            assert_eq!(table(megabytes, true) + DATABASE_MEMORY, table(megabytes, false));
        }
        assert_eq!(table(1, true), TABLE_MIN);
    }

    #[test]
    fn threads_are_paid_for_by_the_table() {
        let threads = |memory, number, most| {
            let limits = MemoryLimits { limit: memory, threads: number, ..MemoryLimits::default() };
            limits.threads_of(most)
        };
        let cases = [(0, 1), (1, 1), (2, 2), (8, 8), (9, 8), (u64::MAX, 8)];
        for (number, expected) in cases {
            assert_eq!(threads(DEFAULT_MEMORY, number, 8), expected);
        }
        assert_eq!(threads(DEFAULT_MEMORY, 64, 1), 1);
        assert_eq!(threads(1, 64, 64), 1, "no memory, no help");
        for megabytes in 40..=2047 {
            let limit = megabytes * MEBIBYTE;
            let memory = MemoryLimits { limit, threads: 64, ..MemoryLimits::default() };
            let threads = memory.threads_of(64);
            let table = memory.table_bytes(threads) as u64;
            let both = table + (threads as u64 - 1) * HELPER_BYTES;
            let most = memory.available().min(TABLE_MAX);
            assert!(both >= most && both <= memory.available(), "{megabytes}");
            assert!(threads > 1 || megabytes < 56, "{megabytes}");
            assert!(both <= 2 * table, "{megabytes}");
        }
        assert!(
            (1..=64).contains(&MemoryLimits { threads: 64, ..MemoryLimits::default() }.threads())
        );
        assert_eq!(MemoryLimits::default().threads(), 1);
    }
}
