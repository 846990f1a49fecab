//! The first moves: the centre of an empty board, the three steps of swap2, and level openings for
//! matches.
//!
//! There is no book beyond that. What needs judgement is left to searches. Nothing here knows the
//! protocol.

pub mod generator;
pub mod symmetry;

use std::time::Duration;

use crate::search::clock::Budget;
use crate::types::{BoardSize, Coord, Score};

/// The longest time a decision of swap2 is worth.
const SWAP2_TIME: Duration = Duration::from_secs(3);

/// Black, white and black near a corner, where two black stones are worth about as much as one
/// white one and the next move. Every board is large enough.
const SWAP2_STONES: [(u8, u8); 3] = [(2, 1), (3, 3), (4, 1)];

/// What the player who is to place white's stone in a swap2 opening does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swap2 {
    /// Takes black; the other player, now white, moves.
    Swap,
    /// Stays white and plays this.
    Stay(Coord),
}

/// Returns our move on an empty board.
pub fn first_move(size: BoardSize) -> Coord {
    size.center()
}

/// Returns the three stones that open a swap2 game: black, white, black.
pub fn swap2_stones(size: BoardSize) -> [Coord; 3] {
    SWAP2_STONES.map(|(x, y)| size.coord(x, y).expect("invariant: a side has at least five cells"))
}

/// Returns the budget of a swap2 decision within that of a move.
pub fn swap2_budget(budget: Option<Budget>) -> Budget {
    budget.map_or(Budget { soft: SWAP2_TIME, hard: SWAP2_TIME }, |budget| Budget {
        soft: budget.soft.min(SWAP2_TIME),
        hard: budget.hard.min(SWAP2_TIME),
    })
}

/// Decides between the colours from the search of the position with white to move: `best` is
/// white's move and `score` its value, unknown if there was no time for one.
pub fn swap2_choice(best: Coord, score: Option<Score>) -> Swap2 {
    match score {
        Some(score) if score < Score::DRAW => Swap2::Swap,
        _ => Swap2::Stay(best),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opening_stones_fit_every_board() {
        for (width, height) in (5..=22).flat_map(|w| (5..=22).map(move |h| (w, h))) {
            let size = BoardSize::new(width, height).unwrap();
            let [a, b, c] = swap2_stones(size);
            assert!(a != b && b != c && a != c);
            let center = first_move(size);
            assert!(center.x().abs_diff(width / 2) <= 1 && center.y().abs_diff(height / 2) <= 1);
        }
    }

    #[test]
    fn the_better_colour_is_taken() {
        let mv = Coord::new(3, 3);
        assert_eq!(swap2_choice(mv, Some(Score::eval(-20))), Swap2::Swap);
        assert_eq!(swap2_choice(mv, Some(Score::loss_in(8))), Swap2::Swap);
        assert_eq!(swap2_choice(mv, Some(Score::eval(20))), Swap2::Stay(mv));
        assert_eq!(swap2_choice(mv, None), Swap2::Stay(mv));
    }

    #[test]
    fn a_decision_is_short_and_within_the_limits() {
        let ms = Duration::from_millis;
        let budget = |soft, hard| Budget { soft: ms(soft), hard: ms(hard) };
        assert_eq!(swap2_budget(None), budget(3_000, 3_000));
        assert_eq!(swap2_budget(Some(budget(20, 60))), budget(20, 60));
        assert_eq!(swap2_budget(Some(budget(2_000, 9_000))), budget(2_000, 3_000));
    }
}
