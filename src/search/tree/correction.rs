//! Correction history: the usual error of the static evaluation, learned from search results
//! (Stockfish and others, 2024, there by the structure of pawns).
//!
//! Evaluations behind the same last two moves tend to be wrong by the same amount, whatever else
//! is on the board. Their usual error is added to later evaluations. Knows no board and no search.

use crate::types::{Color, Coord};

/// Bound of every usual error, in units of this table.
const LIMIT: i32 = 1024;
/// The correction at that bound, in evaluation units.
const MOST: i32 = 96;
/// Bound of one update.
const STEP_MAX: i32 = LIMIT / 4;
/// An update is the error of one result times its depth in plies, divided by this.
const STEP_DIV: i32 = 4;
const DEPTH_MAX: i32 = 12;
const SLOTS: usize = 1 << 14;

/// The last two moves, the newest first.
pub type LastMoves = [Option<Coord>; 2];

/// Usual errors of the static evaluation by side to move and last moves.
pub struct CorrectionHistory {
    errors: Box<[[i16; SLOTS]; 2]>,
}

impl CorrectionHistory {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = CorrectionHistory::default();
    }

    /// Returns what is to be added to an evaluation, for the side to move.
    #[inline]
    pub fn of(&self, us: Color, last: LastMoves) -> i32 {
        i32::from(self.errors[us][slot(last)]) * MOST / LIMIT
    }

    /// Updates the usual error by a search of so many plies, which found `error` more than the raw
    /// evaluation.
    pub fn update(&mut self, us: Color, last: LastMoves, error: i32, plies: i32) {
        let usual = &mut self.errors[us][slot(last)];
        let step = error.clamp(-LIMIT, LIMIT) * plies.clamp(1, DEPTH_MAX) / STEP_DIV;
        let step = step.clamp(-STEP_MAX, STEP_MAX);
        let old = i32::from(*usual);
        *usual = (old + step - old * step.abs() / LIMIT) as i16;
    }
}

impl Default for CorrectionHistory {
    fn default() -> CorrectionHistory {
        CorrectionHistory { errors: Box::new([[0; SLOTS]; 2]) }
    }
}

/// Returns the index of two moves in the table; some pairs share one.
fn slot(last: LastMoves) -> usize {
    let [newest, before] = last.map(|mv| mv.map_or(0, Coord::index) as u64);
    let mixed = (newest << 10 | before).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (u64::BITS - SLOTS.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_same_moves_add_up_to_a_limit() {
        let mut correction = CorrectionHistory::default();
        let (here, there) =
            ([Some(Coord::new(3, 4)), None], [Some(Coord::new(3, 4)), Some(Coord::new(5, 5))]);
        correction.update(Color::Black, here, 40, 3);
        let once = correction.of(Color::Black, here);
        assert!(once > 0 && once < 40);
        for _ in 0..1000 {
            correction.update(Color::Black, here, 30_000, 50);
        }
        assert!((MOST - 2..=MOST).contains(&correction.of(Color::Black, here)));
        assert_eq!(correction.of(Color::White, here), 0);
        assert_eq!(correction.of(Color::Black, there), 0);
        for _ in 0..1000 {
            correction.update(Color::Black, here, -30_000, 50);
        }
        assert!((-MOST..=2 - MOST).contains(&correction.of(Color::Black, here)));
    }
}
