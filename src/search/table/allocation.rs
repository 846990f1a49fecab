//! Tests of free memory. A failed allocation ends the program, so that the test comes first: a
//! table can be smaller, a search have fewer helpers, a move come without a search.

use std::hint::black_box;

/// Memory of a search without table and helpers, generously.
const NEED: usize = 16 << 20;
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
