//! What a search tells: of itself while it runs, and what it found.

use std::time::Duration;

#[cfg(doc)]
use super::limits::RootOptions;
use crate::types::{Bound, Coord, Score, ScoreKind};

/// What a running search tells about itself.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// An iteration is finished.
    Iteration(&'a Report),
    /// A move of the root is about to be searched.
    Entering(Coord),
    /// It has been searched.
    Leaving {
        /// The move.
        mv: Coord,
        /// True if the search proved that it loses.
        loses: bool,
    },
}

/// Who hears of a search, in the search's own thread.
pub type Listener<'a> = &'a mut (dyn FnMut(Progress) + 'a);

/// A move with its value and what is expected to follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The value for the side to move.
    pub score: Score,
    /// The moves, at least one.
    pub pv: Vec<Coord>,
    /// Plies of the search behind the score.
    pub depth: i32,
}

/// What searches left in the transposition table of a position, as a rule one inside their trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The best move, if one is known. Two positions may share a key, so that it may be illegal.
    pub mv: Option<Coord>,
    /// The value for the side to move; a proved win or loss counts its plies from this position.
    pub score: Score,
    /// What the score says about the true one.
    pub bound: Bound,
    /// Whole plies of the search behind the score.
    pub depth: i32,
}

/// What a search, or one iteration of it, found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The best move.
    pub best: Coord,
    /// Its value for the side to move.
    pub score: Score,
    /// Plies of the last finished iteration.
    pub depth: i32,
    /// The deepest ply looked at.
    pub selective_depth: i32,
    /// Plays so far, of all threads.
    pub nodes: u64,
    /// Time since the request.
    pub elapsed: Duration,
    /// The best line, beginning with the best move.
    pub pv: Vec<Coord>,
    /// The further lines that [`RootOptions::lines`] asks for, best first.
    pub others: Vec<Line>,
}

impl Report {
    /// Returns all lines, the best one first.
    pub fn lines(&self) -> impl Iterator<Item = Line> + '_ {
        let best = Line { score: self.score, pv: self.pv.clone(), depth: self.depth };
        std::iter::once(best).chain(self.others.iter().cloned())
    }

    /// Returns the report of a move that nothing is known about.
    pub fn unsearched(mv: Coord) -> Report {
        Report {
            best: mv,
            score: Score::DRAW,
            depth: 0,
            selective_depth: 0,
            nodes: 0,
            elapsed: Duration::ZERO,
            pv: vec![mv],
            others: Vec::new(),
        }
    }

    /// Returns true if more depth would change nothing.
    pub fn is_settled(&self) -> bool {
        is_settled(self.score, self.depth)
    }
}

/// Returns true if more depth would change nothing: a proved win is played at once; a loss
/// searched twice as deep as it is long stays one.
pub fn is_settled(score: Score, depth: i32) -> bool {
    match score.kind() {
        ScoreKind::Win(_) => true,
        ScoreKind::Loss(plies) => depth > 2 * plies,
        ScoreKind::Eval(_) => false,
    }
}
