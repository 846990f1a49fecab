//! What searches say about the static evaluation: correction history.
//!
//! Where the last two moves were the same, the evaluation tends to be wrong by the same amount,
//! whatever else happened on the board. The usual error is learned while the search goes on and
//! added to later evaluations (Stockfish and others, 2024, there by the structure of pawns).

use crate::search::params::SearchParams;
use crate::types::{Color, Coord};

/// Bound of every usual error, in the table's own units.
const LIMIT: i32 = 1024;
const SLOTS: usize = 1 << 14;

/// The last two moves, the newest first.
pub type LastMoves = [Option<Coord>; 2];

/// Usual errors of the static evaluation by side to move and last moves.
pub struct Correction {
    errors: Box<[[i16; SLOTS]; 2]>,
}

impl Correction {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Correction::default();
    }

    /// Returns what is to be added to an evaluation, for the side to move.
    #[inline]
    pub fn of(&self, us: Color, last: LastMoves, params: &SearchParams) -> i32 {
        i32::from(self.errors[us][slot(last)]) * params.correction_max / LIMIT
    }

    /// Learns from a search of so many plies that found `error` more than the evaluation said.
    pub fn note(
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

impl Default for Correction {
    fn default() -> Correction {
        Correction { errors: Box::new([[0; SLOTS]; 2]) }
    }
}

/// Returns the place of two moves in the table, which some share.
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
        let mut correction = Correction::default();
        let (here, there) =
            ([Some(Coord::new(3, 4)), None], [Some(Coord::new(3, 4)), Some(Coord::new(5, 5))]);
        correction.note(Color::Black, here, 40, 3, &params);
        let once = correction.of(Color::Black, here, &params);
        assert!(once > 0 && once < 40);
        for _ in 0..1000 {
            correction.note(Color::Black, here, 30_000, 50, &params);
        }
        assert!((max - 2..=max).contains(&correction.of(Color::Black, here, &params)));
        assert_eq!(correction.of(Color::White, here, &params), 0);
        assert_eq!(correction.of(Color::Black, there, &params), 0);
        for _ in 0..1000 {
            correction.note(Color::Black, here, -30_000, 50, &params);
        }
        assert!((-max..=2 - max).contains(&correction.of(Color::Black, here, &params)));
    }
}
