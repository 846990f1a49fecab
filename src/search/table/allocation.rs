//! Tests whether memory can be allocated. A failed allocation ends the program, so the test comes
//! first: a table can be smaller, a search have fewer helpers, a move come without a search.

use std::hint::black_box;

/// Bytes of a search beside its table and its helpers, generously.
const NEED: usize = 16 << 20;
/// Bytes that a table or a helper leaves over, for the search and for what other threads take at
/// the same time. The C library also keeps the stacks of threads that have ended.
const RESERVE: usize = 64 << 20;

pub fn can_search() -> bool {
    can_allocate(NEED)
}

/// Returns true if so many bytes can be allocated and enough is left over for a search.
pub fn can_allocate_besides_search(bytes: usize) -> bool {
    can_allocate(bytes.saturating_add(RESERVE))
}

/// Allocates zeroed bytes and frees them at once, which costs little as long as they are not
/// touched.
fn can_allocate(bytes: usize) -> bool {
    // An allocation without a use would be optimised away, and so succeed.
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
