//! The memory of the tables: cache lines that come zeroed from the system and are touched only when
//! used.

use std::sync::atomic::AtomicU64;

use super::allocation;
use crate::fault::{Fault, strikes};

/// An entry as it is stored: the key XORed with the data, and the data.
pub type Slot = [AtomicU64; 2];

/// Entries of one bucket, which share a cache line.
pub const BUCKET: usize = 4;
pub const CACHE_LINE: usize = BUCKET * size_of::<Slot>();

/// Buckets in a row.
pub struct Buckets {
    slots: Box<[Slot]>,
    /// Index of the first slot that begins a cache line. Memory asked for with that alignment
    /// would be cleared by hand instead of coming zeroed from the system.
    first: usize,
    len: usize,
}

impl Buckets {
    /// Returns the empty buckets of a table of at most `bytes` bytes, but at least one. Halves the
    /// size until the memory can be had, and some is left over.
    pub fn new(bytes: usize) -> Buckets {
        let mut len = (bytes / CACHE_LINE).max(1);
        loop {
            let is_least = len == 1;
            let fits = !strikes(Fault::Table) && allocation::is_enough_beside(len * CACHE_LINE);
            if let Some(buckets) = (fits || is_least).then(|| Buckets::zeroed(len)).flatten() {
                return buckets;
            }
            assert!(!is_least, "two cache lines of memory can be had");
            len /= 2;
        }
    }

    /// Returns so many empty buckets; `None` if the memory cannot be had.
    fn zeroed(len: usize) -> Option<Buckets> {
        let slots: Box<[Slot]> = bytemuck::try_zeroed_slice_box((len + 1) * BUCKET).ok()?;
        let misplaced = slots.as_ptr() as usize % CACHE_LINE / size_of::<Slot>();
        Some(Buckets { slots, first: (BUCKET - misplaced) % BUCKET, len })
    }

    /// Returns how many there are.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Tells the system that pages of megabytes suit the memory that is not touched yet. A search
    /// jumps about in it, and the processor finds few large pages faster than many small ones: 8 %
    /// more plays a second. But each may take milliseconds to come, if a virtual machine's host has
    /// to find it, so that only long searches should ask for them.
    pub fn prefer_huge_pages(&self) {
        advise_huge_pages(&self.slots);
    }

    /// Returns the slots of one bucket.
    #[inline]
    pub fn get(&self, bucket: usize) -> &[Slot] {
        &self.slots[self.first + bucket * BUCKET..][..BUCKET]
    }
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn advise_huge_pages(slots: &[Slot]) {
    /// The least size of a page; the system takes no other beginning.
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
