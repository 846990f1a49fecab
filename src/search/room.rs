//! Whether memory can be had: asked before it is needed, because an allocation that fails ends the
//! program, while a table can do with less and a search without a helper.

use std::hint::black_box;

/// What a search needs beside its table: its memories, a helper's stack, the game's lists. Left
/// over whenever something that can do with less is allocated.
pub const RESERVE: usize = 32 << 20;

/// Takes so many bytes, if they can be had. They come zeroed from the system, which costs nothing
/// as long as they are not touched.
pub fn take(bytes: usize) -> Option<Box<[u8]>> {
    // An allocation that nobody looks at would be optimised away, and so succeed.
    black_box(bytemuck::try_zeroed_slice_box(bytes).ok())
}

/// Returns true if so many bytes and the reserve can be had.
pub fn is_enough_for(bytes: usize) -> bool {
    take(bytes + RESERVE).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_there_is_cannot_be_had() {
        assert!(is_enough_for(1 << 20));
        assert!(!is_enough_for(isize::MAX as usize - RESERVE));
        assert_eq!(take(1 << 62).map(|bytes| bytes.len()), None);
    }
}
