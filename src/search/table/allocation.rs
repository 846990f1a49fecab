//! Whether memory can be had. An allocation that fails ends the program, so that this is asked
//! first: a table can be smaller, a search have fewer helpers, a move come without a search.
//!
//! Knows nothing of what the memory is for, but how much of it a search needs.

use std::hint::black_box;

/// Bytes of a search beside its table and its helpers, generously.
const NEED: usize = 16 << 20;
/// Bytes that a table or a helper leaves over, for the search and for what other threads take at
/// the same time. The C library keeps the stacks of threads that have ended, of which two may
/// overlap.
const RESERVE: usize = 64 << 20;

/// Returns true if there is memory for a search.
pub fn is_enough() -> bool {
    can_be_had(NEED)
}

/// Returns true if so many bytes can be had and enough is left over.
pub fn is_enough_beside(bytes: usize) -> bool {
    can_be_had(bytes.saturating_add(RESERVE))
}

/// Allocates zeroed bytes and frees them at once, which costs little as long as they are not
/// touched.
fn can_be_had(bytes: usize) -> bool {
    // An allocation without a use would be optimised away, and so succeed.
    black_box(bytemuck::try_zeroed_slice_box::<u8>(bytes)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_there_is_cannot_be_had() {
        assert!(is_enough() && is_enough_beside(1 << 20));
        assert!(!is_enough_beside(isize::MAX as usize - RESERVE));
        assert!(!is_enough_beside(usize::MAX));
    }
}
