//! Correction history: the usual error of the static evaluation, learned from search results
//! (Stockfish and others, 2024, there by the structure of pawns).
//!
//! Evaluations behind the same last two moves tend to be wrong by the same amount, whatever else is
//! on the board, and so do those with the same stones around the last one. Two tables hold their
//! usual errors, the sum of which is added to later evaluations. Each update moves both towards
//! what the sum still lacks. Knows no board and no search.

use super::history::{LastMoves, with_gravity};
use crate::search::params::SearchParams;
use crate::types::random::GAMMA;
use crate::types::{Color, Coord};

/// The largest absolute entry; in the table by moves it stands for `correction_max` evaluation
/// units.
const LIMIT: i32 = 1024;
const SLOTS: usize = 1 << 14;

/// The keys of a position in the two tables.
#[derive(Clone, Copy)]
pub struct Keys {
    /// The last two moves.
    pub moves: LastMoves,
    /// A hash of the cells around the last move.
    pub surroundings: u64,
}

/// Usual errors by side to move and slot.
type Errors = [[i16; SLOTS]; 2];

/// Usual errors of the static evaluation by side to move.
pub struct CorrectionHistory {
    by_moves: Box<Errors>,
    by_surroundings: Box<Errors>,
}

impl CorrectionHistory {
    /// Forgets everything.
    pub fn clear(&mut self) {
        for table in [&mut self.by_moves, &mut self.by_surroundings] {
            table.as_flattened_mut().fill(0);
        }
    }

    /// Returns what is to be added to an evaluation, for the side to move.
    #[inline]
    pub fn of(&self, us: Color, keys: Keys, params: &SearchParams) -> i32 {
        let [by_moves, by_surroundings] = keys.slots();
        let error = i32::from(self.by_moves[us][by_moves])
            + i32::from(self.by_surroundings[us][by_surroundings])
                * params.correction_surroundings_factor
                / 1024;
        error * params.correction_max / LIMIT
    }

    /// Updates the usual errors by a search of so many plies, which found `error` more than the
    /// corrected evaluation.
    pub fn update(&mut self, us: Color, keys: Keys, error: i32, plies: i32, params: &SearchParams) {
        let weight = plies.clamp(1, params.correction_max_plies) * params.correction_rate_factor;
        let step = error.clamp(-LIMIT, LIMIT) * weight / 1024;
        let max = LIMIT * params.correction_step_factor / 1024;
        let step = step.clamp(-max, max);
        let [by_moves, by_surroundings] = keys.slots();
        for usual in
            [&mut self.by_moves[us][by_moves], &mut self.by_surroundings[us][by_surroundings]]
        {
            *usual = with_gravity(*usual, step, LIMIT);
        }
    }
}

impl Default for CorrectionHistory {
    fn default() -> CorrectionHistory {
        let errors = || Box::new([[0; SLOTS]; 2]);
        CorrectionHistory { by_moves: errors(), by_surroundings: errors() }
    }
}

impl Keys {
    /// Returns the indexes of the keys in their tables; some share one.
    fn slots(self) -> [usize; 2] {
        let [newest, before] = self.moves.map(|mv| mv.map_or(0, Coord::index) as u64);
        [newest << 10 | before, self.surroundings]
            .map(|key| (key.wrapping_mul(GAMMA) >> (u64::BITS - SLOTS.ilog2())) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Rule;

    #[test]
    fn errors_of_the_same_moves_add_up_to_a_limit() {
        let params = SearchParams::of(Rule::Freestyle);
        let max = params.correction_max * (1024 + params.correction_surroundings_factor) / 1024;
        let mut correction = CorrectionHistory::default();
        let newest = Some(Coord::new(3, 4));
        let here = Keys { moves: [newest, None], surroundings: 1 };
        let there = Keys { moves: [newest, Some(Coord::new(5, 5))], surroundings: 2 };
        correction.update(Color::Black, here, 40, 3, &params);
        let once = correction.of(Color::Black, here, &params);
        assert!(once > 0 && once < 40);
        for _ in 0..1000 {
            correction.update(Color::Black, here, 30_000, 50, &params);
        }
        assert!((max - 3..=max).contains(&correction.of(Color::Black, here, &params)));
        assert_eq!(correction.of(Color::White, here, &params), 0);
        assert_eq!(correction.of(Color::Black, there, &params), 0);
        for _ in 0..1000 {
            correction.update(Color::Black, here, -30_000, 50, &params);
        }
        assert!((-max..=3 - max).contains(&correction.of(Color::Black, here, &params)));
    }
}
