//! Whether memory can be had: asked before it is needed, because an allocation that fails ends the
//! program, while a table can do with less, a search without helpers and a move without a search.

use std::hint::black_box;

/// What a search takes beside its table and its helpers, with room to spare.
const NEED: usize = 16 << 20;
/// What a table or a helper leaves over: that, and what other threads take meanwhile. The C library
/// keeps the stacks of threads that have ended, of which two may overlap.
const RESERVE: usize = 64 << 20;

/// Returns true if there is memory for a search.
pub fn is_enough() -> bool {
    can_be_had(NEED)
}

/// Returns true if so many bytes can be had and enough is left over.
pub fn is_enough_beside(bytes: usize) -> bool {
    can_be_had(bytes.saturating_add(RESERVE))
}

/// Takes zeroed bytes from the system and gives them back at once, which costs little as long as
/// nobody touches them.
fn can_be_had(bytes: usize) -> bool {
    // An allocation that nobody looks at would be optimised away, and so succeed.
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
