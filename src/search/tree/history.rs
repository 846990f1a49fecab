//! What earlier cutoffs say about moves: history, killers and counter moves.
//!
//! One update rule for all history numbers: a bonus pulls towards a fixed limit ("gravity"), so
//! that old merits fade. Kept from move to move of a game.

use crate::types::{CELLS, Color, Coord};

/// Bound of every history number.
const LIMIT: i32 = 8192;
/// Plies that have killers of their own.
const KILLER_PLIES: usize = 256;

/// Whether a move makes a threat that must be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// Makes at least an open three.
    Attack,
    /// Anything else.
    Quiet,
}

/// Merits of moves by colour, cell and context.
pub struct History {
    by_cell: Box<[[[i16; CELLS]; 2]; 2]>,
    counter: Box<[[Option<Coord>; CELLS]; 2]>,
    killers: Box<[[Option<Coord>; 2]; KILLER_PLIES]>,
}

impl History {
    /// Returns a history that knows nothing.
    pub fn new() -> History {
        History {
            by_cell: Box::new([[[0; CELLS]; 2]; 2]),
            counter: Box::new([[None; CELLS]; 2]),
            killers: Box::new([[None; 2]; KILLER_PLIES]),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = History::new();
    }

    /// Prepares for the next move of the same game: killers belong to a search, and of the merits of
    /// the last one a share is kept, in thousandths.
    pub fn age(&mut self, share: i32) {
        self.killers.fill([None; 2]);
        for value in self.by_cell.as_flattened_mut().as_flattened_mut() {
            *value = (i32::from(*value) * share / 1000) as i16;
        }
    }

    /// Returns the merits of a colour's moves by their kind and padded index.
    #[inline]
    pub fn merits(&self, color: Color) -> &[[i16; CELLS]; 2] {
        &self.by_cell[color]
    }

    /// Returns the merit of a move, within ±8192.
    #[inline]
    pub fn merit(&self, color: Color, kind: MoveKind, mv: Coord) -> i32 {
        self.by_cell[color][kind as usize][mv.index()] as i32
    }

    /// Returns the known answer to `previous`, the opponent's last move.
    #[inline]
    pub fn counter(&self, color: Color, previous: Option<Coord>) -> Option<Coord> {
        self.counter[color][previous?.index()]
    }

    /// Returns the moves that caused the last two different cutoffs at this ply.
    #[inline]
    pub fn killers(&self, ply: usize) -> [Option<Coord>; 2] {
        self.killers[ply % KILLER_PLIES]
    }

    /// Notes a move that caused a cutoff as killer and as answer to `previous`.
    pub fn note_cutoff(&mut self, color: Color, ply: usize, previous: Option<Coord>, mv: Coord) {
        let killers = &mut self.killers[ply % KILLER_PLIES];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        if let Some(previous) = previous {
            self.counter[color][previous.index()] = Some(mv);
        }
    }

    /// Moves the merit of a move towards the limit of the bonus's sign.
    pub fn update(&mut self, color: Color, kind: MoveKind, mv: Coord, bonus: i32) {
        let value = &mut self.by_cell[color][kind as usize][mv.index()];
        let bonus = bonus.clamp(-LIMIT, LIMIT);
        let old = *value as i32;
        *value = (old + bonus - old * bonus.abs() / LIMIT) as i16;
    }
}

impl Default for History {
    fn default() -> History {
        History::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merits_saturate_at_the_limit() {
        let mut history = History::new();
        let mv = Coord::new(3, 4);
        for _ in 0..1000 {
            history.update(Color::Black, MoveKind::Quiet, mv, 2000);
        }
        let merit = history.merit(Color::Black, MoveKind::Quiet, mv);
        assert!((LIMIT - 10..=LIMIT).contains(&merit));
        for _ in 0..1000 {
            history.update(Color::Black, MoveKind::Quiet, mv, -2000);
        }
        assert!(history.merit(Color::Black, MoveKind::Quiet, mv) < -LIMIT + 10);
        assert_eq!(history.merit(Color::White, MoveKind::Quiet, mv), 0);
    }

    #[test]
    fn the_two_last_killers_are_kept_until_the_next_move() {
        let mut history = History::new();
        let moves = [1, 2, 3].map(|x| Coord::new(x, 0));
        for mv in moves {
            history.note_cutoff(Color::White, 5, Some(moves[0]), mv);
        }
        assert_eq!(history.killers(5), [Some(moves[2]), Some(moves[1])]);
        assert_eq!(history.counter(Color::White, Some(moves[0])), Some(moves[2]));
        history.age(800);
        assert_eq!(history.killers(5), [None; 2]);
    }
}
