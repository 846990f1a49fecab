//! The killer heuristic of the df-pn search: an attack that won in a nearby position often wins
//! here.

use crate::types::{CELLS, Coord};

/// The longest path of the search, in plies.
pub const MAX_PLIES: usize = 80;

/// The last winning attack of each ply, and the last one after each move of the defender.
pub struct Killers {
    by_ply: [Option<Coord>; MAX_PLIES],
    by_defence: Box<[Option<Coord>; CELLS]>,
}

impl Killers {
    /// Returns a table without moves.
    pub fn new() -> Killers {
        Killers { by_ply: [None; MAX_PLIES], by_defence: Box::new([None; CELLS]) }
    }

    pub fn clear(&mut self) {
        self.by_ply.fill(None);
        self.by_defence.fill(None);
    }

    /// Stores the attack that won at `ply`, after the defender's move `defence`.
    pub fn update(&mut self, ply: usize, defence: Option<Coord>, mv: Option<Coord>) {
        self.by_ply[ply] = mv;
        if let Some(defence) = defence {
            self.by_defence[defence.index()] = mv;
        }
    }

    /// Returns true if `mv` is the last winning attack at `ply` or after `defence`.
    pub fn contains(&self, ply: usize, defence: Option<Coord>, mv: Coord) -> bool {
        let killers = [self.by_ply[ply], defence.and_then(|c| self.by_defence[c.index()])];
        killers.contains(&Some(mv))
    }
}
