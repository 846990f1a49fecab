//! Correction history: the usual error of the static evaluation, learned from search results
//! (Stockfish and others, 2024, there by the structure of pawns).
//!
//! Evaluations behind the same last two moves tend to be wrong by the same amount, whatever else
//! is on the board. Their usual error is added to later evaluations. Knows no board and no search.

use crate::search::params::SearchParams;
use crate::types::{Color, Coord};

/// Bound of every usual error, in units of this table.
const LIMIT: i32 = 1024;
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
    pub fn of(&self, us: Color, last: LastMoves, params: &SearchParams) -> i32 {
        i32::from(self.errors[us][slot(last)]) * params.correction_max / LIMIT
    }

    /// Updates the usual error by a search of so many plies, which found `error` more than the raw
    /// evaluation.
    pub fn update(
        &mut self,
        us: Color,
        last: LastMoves,
        error: i32,
        plies: i32,
        params: &SearchParams,
    ) {
        let usual = &mut self.errors[us][slot(last)];
        let weight = plies.clamp(1, params.correction_max_plies) * params.correction_rate_factor;
        let step = error.clamp(-LIMIT, LIMIT) * weight / 1024;
        let max = LIMIT * params.correction_step_factor / 1024;
        let step = step.clamp(-max, max);
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
    use crate::types::Rule;

    #[test]
    fn errors_of_the_same_moves_add_up_to_a_limit() {
        let params = SearchParams::of(Rule::Freestyle);
        let max = params.correction_max;
        let mut correction = CorrectionHistory::default();
        let (here, there) =
            ([Some(Coord::new(3, 4)), None], [Some(Coord::new(3, 4)), Some(Coord::new(5, 5))]);
        correction.update(Color::Black, here, 40, 3, &params);
        let once = correction.of(Color::Black, here, &params);
        assert!(once > 0 && once < 40);
        for _ in 0..1000 {
            correction.update(Color::Black, here, 30_000, 50, &params);
        }
        assert!((max - 2..=max).contains(&correction.of(Color::Black, here, &params)));
        assert_eq!(correction.of(Color::White, here, &params), 0);
        assert_eq!(correction.of(Color::Black, there, &params), 0);
        for _ in 0..1000 {
            correction.update(Color::Black, here, -30_000, 50, &params);
        }
        assert!((-max..=2 - max).contains(&correction.of(Color::Black, here, &params)));
    }
}
