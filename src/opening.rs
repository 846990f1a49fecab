//! First moves: the center of an empty board, swap1, swap2, Soosõrv, and balanced openings for
//! matches. There is no other opening book.

pub mod generator;
pub mod soosorv;
pub mod swap1;
pub mod swap2;

pub use swap2::Swap2;

use crate::types::{BoardSize, Coord};

pub fn first_move(size: BoardSize) -> Coord {
    size.center()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_begins_in_the_middle() {
        for (width, height) in (5..=22).flat_map(|w| (5..=22).map(move |h| (w, h))) {
            let center = first_move(BoardSize::new(width, height).unwrap());
            assert!(center.x().abs_diff(width / 2) <= 1 && center.y().abs_diff(height / 2) <= 1);
        }
    }
}
