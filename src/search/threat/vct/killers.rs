//! The attacker's moves that won not far away, which are good guesses for the position at hand.

use super::MAX_PLIES;
use crate::types::{CELLS, Coord};

/// Remembers one winning move for each ply, and one for each move of the defender just before.
pub struct Winners {
    by_ply: [Option<Coord>; MAX_PLIES],
    by_defence: Box<[Option<Coord>; CELLS]>,
}

impl Winners {
    /// Returns a memory without moves.
    pub fn new() -> Winners {
        Winners { by_ply: [None; MAX_PLIES], by_defence: Box::new([None; CELLS]) }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.by_ply.fill(None);
        self.by_defence.fill(None);
    }

    /// Remembers that `mv` won on this ply after the defender's move `defence`.
    pub fn note(&mut self, ply: usize, defence: Option<Coord>, mv: Option<Coord>) {
        self.by_ply[ply] = mv;
        if let Some(defence) = defence {
            self.by_defence[defence.index()] = mv;
        }
    }

    /// Returns true if `mv` is the last move that won on this ply or after this defence.
    pub fn contains(&self, ply: usize, defence: Option<Coord>, mv: Coord) -> bool {
        let known = [self.by_ply[ply], defence.and_then(|c| self.by_defence[c.index()])];
        known.contains(&Some(mv))
    }
}
