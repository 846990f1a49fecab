//! Large blocks of memory: the buckets of the transposition table and of the proof table, huge pages,
//! and whether there is memory enough.

use std::hint::black_box;
use std::sync::atomic::AtomicU64;

use crate::fault::{InjectedFault, is_injected};

/// An entry: a word that checks the key, and the data.
pub type Slot = [AtomicU64; 2];

pub const BUCKET: usize = 4;
pub const CACHE_LINE: usize = BUCKET * size_of::<Slot>();
/// Tables with fewer used buckets get no huge pages: in a virtual machine each page may take
/// milliseconds, which a search of less than a fifth of a second cannot spare.
const HUGE_PAGES_MIN: usize = (8 << 20) / CACHE_LINE;

/// Returns the number of buckets for so many entries, rounded up to a power of two so that a table
/// seldom grows again.
pub fn buckets_for(entries: u64) -> usize {
    let buckets = usize::try_from(entries / BUCKET as u64).ok();
    buckets.and_then(usize::checked_next_power_of_two).unwrap_or(usize::MAX)
}

/// Buckets of a cache line each. The system gives their memory, zeroed, when they are first used.
pub struct Buckets {
    slots: Box<[Slot]>,
    /// The first slot that begins a cache line. The allocation is not aligned: aligned memory would
    /// be zeroed by hand.
    first: usize,
    pub len: usize,
    /// The number of buckets that keys are spread over.
    pub used: usize,
}

impl Buckets {
    /// Returns empty buckets of at most `bytes` bytes, but at least one; fewer if memory is short.
    pub fn new(bytes: usize, used: usize) -> Buckets {
        let mut len = (bytes / CACHE_LINE).max(1);
        loop {
            let is_least = len == 1;
            let fits =
                !is_injected(InjectedFault::Table) && can_allocate_besides_search(len * CACHE_LINE);
            if let Some(buckets) = (fits || is_least).then(|| Buckets::zeroed(len)).flatten() {
                return Buckets { used: used.min(len), ..buckets };
            }
            assert!(!is_least, "two cache lines of memory can be had");
            len /= 2;
        }
    }

    fn zeroed(len: usize) -> Option<Buckets> {
        let slots: Box<[Slot]> = bytemuck::try_zeroed_slice_box((len + 1) * BUCKET).ok()?;
        let misplaced = slots.as_ptr() as usize % CACHE_LINE / size_of::<Slot>();
        Some(Buckets { slots, first: (BUCKET - misplaced) % BUCKET, len, used: 1 })
    }

    /// Uses `wanted` buckets, or all that there are, unless it uses as many already. Returns true if
    /// the number grew.
    pub fn widen(&mut self, wanted: usize) -> bool {
        let used = wanted.min(self.len);
        if used <= self.used {
            return false;
        }
        self.used = used;
        if used >= HUGE_PAGES_MIN {
            prefer_huge_pages(&self.slots);
        }
        true
    }

    #[inline]
    pub fn of_key(&self, key: u64) -> &[Slot] {
        self.get(((u128::from(key) * self.used as u128) >> 64) as usize)
    }

    #[inline]
    #[allow(unsafe_code)]
    pub fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket = self.of_key(key).as_ptr();
            // SAFETY: a prefetch is a hint that reads nothing, and this address is a bucket's.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(bucket.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    #[inline]
    pub fn get(&self, bucket: usize) -> &[Slot] {
        &self.slots[self.first + bucket * BUCKET..][..BUCKET]
    }
}

/// Advises the system to back untouched memory by huge pages: fewer misses of the address cache
/// (TLB).
#[allow(unsafe_code)]
#[cfg_attr(not(target_os = "linux"), allow(unused_variables))]
pub fn prefer_huge_pages<T>(memory: &[T]) {
    #[cfg(target_os = "linux")]
    {
        // The advice must begin at a page.
        let begin = (memory.as_ptr() as usize).next_multiple_of(4096);
        let bytes = (memory.as_ptr_range().end as usize).saturating_sub(begin);
        // SAFETY: the advice does not change what the memory holds. A refusal does no harm.
        unsafe { libc::madvise(begin as *mut libc::c_void, bytes, libc::MADV_HUGEPAGE) };
    }
}

// A failed allocation ends the program, so that a test comes first: a table can be smaller, a
// search have fewer helpers, a move come without a search.

/// Memory of a search without table and helpers, and of the networks of all rules, which later
/// searches may load.
const NEED: usize = 70 << 20;
/// Memory that a table or a helper leaves free, for the search and for other threads. The C library
/// also keeps the stacks of finished threads.
const RESERVE: usize = 64 << 20;

pub fn can_search() -> bool {
    can_allocate(NEED)
}

pub fn can_allocate_besides_search(bytes: usize) -> bool {
    can_allocate(bytes.saturating_add(RESERVE))
}

/// Allocates zeroed bytes, which cost little until they are touched, and frees them.
fn can_allocate(bytes: usize) -> bool {
    // An unused allocation would be optimised away, and so succeed.
    black_box(bytemuck::try_zeroed_slice_box::<u8>(bytes)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_there_is_cannot_be_had() {
        assert!(can_search() && can_allocate_besides_search(1 << 20));
        assert!(!can_allocate_besides_search(isize::MAX as usize - RESERVE));
        assert!(!can_allocate_besides_search(usize::MAX));
    }
}
