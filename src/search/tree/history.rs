//! What earlier cutoffs say about moves: the history heuristic (Schaeffer, 1983), killer moves
//! (Huberman, 1968) and counter moves (Uiterwijk, 1992).
//!
//! All history scores have one update rule: a bonus pulls towards a fixed limit ("gravity", as in
//! Stockfish), so that old bonuses fade. Kept from move to move of a game. Knows no board.

use crate::types::{CELLS, Color, Coord};

/// Bound of every history score.
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

/// Histories of moves by colour and cell, by the move before, and by ply.
pub struct History {
    by_cell: Box<[[[i16; CELLS]; 2]; 2]>,
    counter_moves: Box<[[Option<Coord>; CELLS]; 2]>,
    killers: Box<[[Option<Coord>; 2]; KILLER_PLIES]>,
}

impl History {
    /// Returns a history that knows nothing.
    pub fn new() -> History {
        History {
            by_cell: Box::new([[[0; CELLS]; 2]; 2]),
            counter_moves: Box::new([[None; CELLS]; 2]),
            killers: Box::new([[None; 2]; KILLER_PLIES]),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = History::new();
    }

    /// Prepares for the next move of the same game: killers belong to one search, and of the scores
    /// of the last search a share is kept, in thousandths.
    pub fn age(&mut self, share: i32) {
        self.killers.fill([None; 2]);
        for value in self.by_cell.as_flattened_mut().as_flattened_mut() {
            *value = (i32::from(*value) * share / 1000) as i16;
        }
    }

    /// Returns the scores of a colour's moves by their kind and padded index.
    #[inline]
    pub fn scores(&self, color: Color) -> &[[i16; CELLS]; 2] {
        &self.by_cell[color]
    }

    /// Returns the score of a move, within ±8192.
    #[inline]
    pub fn score(&self, color: Color, kind: MoveKind, mv: Coord) -> i32 {
        self.by_cell[color][kind as usize][mv.index()] as i32
    }

    /// Returns the counter move to `previous`, the opponent's last move.
    #[inline]
    pub fn counter_move(&self, color: Color, previous: Option<Coord>) -> Option<Coord> {
        self.counter_moves[color][previous?.index()]
    }

    /// Returns the moves that caused the last two different cutoffs at this ply.
    #[inline]
    pub fn killers(&self, ply: usize) -> [Option<Coord>; 2] {
        self.killers[ply % KILLER_PLIES]
    }

    /// Makes a move the first killer of its ply.
    pub fn set_killer(&mut self, ply: usize, mv: Coord) {
        let killers = &mut self.killers[ply % KILLER_PLIES];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
    }

    /// Makes a move the counter move to `previous`, the opponent's last move.
    pub fn set_counter_move(&mut self, color: Color, previous: Option<Coord>, mv: Coord) {
        if let Some(previous) = previous {
            self.counter_moves[color][previous.index()] = Some(mv);
        }
    }

    /// Adds a bonus to the score of a move, which saturates at the limit of the bonus's sign.
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
    fn scores_saturate_at_the_limit() {
        let mut history = History::new();
        let mv = Coord::new(3, 4);
        for _ in 0..1000 {
            history.update(Color::Black, MoveKind::Quiet, mv, 2000);
        }
        let score = history.score(Color::Black, MoveKind::Quiet, mv);
        assert!((LIMIT - 10..=LIMIT).contains(&score));
        for _ in 0..1000 {
            history.update(Color::Black, MoveKind::Quiet, mv, -2000);
        }
        assert!(history.score(Color::Black, MoveKind::Quiet, mv) < -LIMIT + 10);
        assert_eq!(history.score(Color::White, MoveKind::Quiet, mv), 0);
    }

    #[test]
    fn the_two_last_killers_are_kept_until_the_next_move() {
        let mut history = History::new();
        let moves = [1, 2, 3].map(|x| Coord::new(x, 0));
        for mv in moves {
            history.set_killer(5, mv);
            history.set_counter_move(Color::White, Some(moves[0]), mv);
        }
        assert_eq!(history.killers(5), [Some(moves[2]), Some(moves[1])]);
        assert_eq!(history.counter_move(Color::White, Some(moves[0])), Some(moves[2]));
        history.age(800);
        assert_eq!(history.killers(5), [None; 2]);
    }
}
