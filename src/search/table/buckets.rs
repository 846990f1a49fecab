//! The memory of the transposition table and of the proof table: buckets of a cache line each,
//! which come zeroed from the system and are touched only when used.

use std::sync::atomic::AtomicU64;

use super::allocation;
use crate::fault::{Fault, is_injected};

/// An entry as it is stored: a word that checks the key, and the data. The table decides what
/// the first word holds.
pub type Slot = [AtomicU64; 2];

/// Entries of one bucket, which share a cache line.
pub const BUCKET: usize = 4;
pub const CACHE_LINE: usize = BUCKET * size_of::<Slot>();

/// Returns how many buckets have room for so many entries, rounded up to a power of two so that a
/// table seldom has to grow again.
pub fn buckets_for(entries: u64) -> usize {
    let buckets = usize::try_from(entries / BUCKET as u64).ok();
    buckets.and_then(usize::checked_next_power_of_two).unwrap_or(usize::MAX)
}

pub struct Buckets {
    slots: Box<[Slot]>,
    /// Index of the first slot that begins a cache line. The allocation itself is not aligned:
    /// aligned memory would be zeroed by hand.
    first: usize,
    len: usize,
}

impl Buckets {
    /// Returns the empty buckets of a table of at most `bytes` bytes, but at least one. Halves the
    /// number until the memory can be had with some left over.
    ///
    /// # Panics
    ///
    /// If there is not even the memory for one.
    pub fn new(bytes: usize) -> Buckets {
        let mut len = (bytes / CACHE_LINE).max(1);
        loop {
            let is_least = len == 1;
            let fits = !is_injected(Fault::Table)
                && allocation::can_allocate_besides_search(len * CACHE_LINE);
            if let Some(buckets) = (fits || is_least).then(|| Buckets::zeroed(len)).flatten() {
                return buckets;
            }
            assert!(!is_least, "two cache lines of memory can be had");
            len /= 2;
        }
    }

    fn zeroed(len: usize) -> Option<Buckets> {
        let slots: Box<[Slot]> = bytemuck::try_zeroed_slice_box((len + 1) * BUCKET).ok()?;
        let misplaced = slots.as_ptr() as usize % CACHE_LINE / size_of::<Slot>();
        Some(Buckets { slots, first: (BUCKET - misplaced) % BUCKET, len })
    }

    pub const fn len(&self) -> usize {
        self.len
    }

    /// Advises the system to back memory that is not touched yet by huge pages. Table look-ups then
    /// miss the processor's address cache (TLB) less often: 8 % more nodes a second. In a virtual
    /// machine each page may take milliseconds to come, so that only long searches should ask.
    pub fn prefer_huge_pages(&self) {
        advise_huge_pages(&self.slots);
    }

    #[inline]
    pub fn of_key(&self, key: u64, used: usize) -> &[Slot] {
        self.get(((u128::from(key) * used as u128) >> 64) as usize)
    }

    #[inline]
    #[allow(unsafe_code)]
    pub fn prefetch(&self, key: u64, used: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket = self.of_key(key, used).as_ptr();
            // SAFETY: a prefetch is a hint that reads nothing; any address would do, and this one
            // is a bucket of the table.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(bucket.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (key, used);
    }

    #[inline]
    pub fn get(&self, bucket: usize) -> &[Slot] {
        &self.slots[self.first + bucket * BUCKET..][..BUCKET]
    }
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn advise_huge_pages(slots: &[Slot]) {
    /// The least size of a page; the advice must begin at one.
    const PAGE: usize = 4096;
    let memory = slots.as_ptr_range();
    let begin = (memory.start as usize).next_multiple_of(PAGE);
    let bytes = (memory.end as usize).saturating_sub(begin);
    // SAFETY: the bytes lie in the slots, and the advice changes nothing that can be read there.
    // It may be refused, which does no harm.
    unsafe { libc::madvise(begin as *mut libc::c_void, bytes, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise_huge_pages(_: &[Slot]) {}
