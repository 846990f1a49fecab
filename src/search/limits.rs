//! What a search is asked for besides its time: where it ends, what it looks for, how it plays.

use super::clock::Control;
use super::strength::Strength;
use crate::board::Board;
use crate::eval::Style;
use crate::shape::Threat;
use crate::types::{CellSet, Color, Coord};

/// The deepest iteration.
pub const MAX_DEPTH: i32 = 120;

/// Plays of a thread in a microsecond, on a fast machine.
const NODES_PER_MICRO: u64 = 1;

/// What is asked about the root besides its best move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootOptions {
    /// Moves that must not be the result, unless no other one is legal.
    pub excluded: CellSet,
    /// Moves to find, the best ones, each with its own score and line; 1 for an ordinary search.
    /// There are fewer where fewer are worth a search.
    pub lines: usize,
    /// True to search every move near the stones, those too that a threat refutes at a glance.
    pub all_moves: bool,
}

impl Default for RootOptions {
    fn default() -> RootOptions {
        RootOptions { excluded: CellSet::EMPTY, lines: 1, all_moves: false }
    }
}

/// Where a search ends, besides the clock, what it looks for, and how it plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The last iteration, in plies; [`MAX_DEPTH`] for no limit.
    pub depth: i32,
    /// The first one, if the last is not before it.
    pub first_depth: i32,
    /// Plays in any part of the search, of all threads; `u64::MAX` for no limit.
    pub nodes: u64,
    /// What is asked about the root.
    pub root: RootOptions,
    /// How strong the search plays.
    pub strength: Strength,
    /// How much the chances of the side to move count against the opponent's.
    pub style: Style,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            depth: MAX_DEPTH,
            first_depth: 1,
            nodes: u64::MAX,
            root: RootOptions::default(),
            strength: Strength::FULL,
            style: Style::NEUTRAL,
        }
    }
}

impl Limits {
    /// Returns the limits that keep both these and `others`, with these questions about the root.
    pub fn within(&self, others: &Limits) -> Limits {
        let (depth, nodes) = (self.depth.min(others.depth), self.nodes.min(others.nodes));
        Limits { depth, nodes, ..*self }
    }

    /// Returns how many plays `threads` threads may make at most; `u64::MAX` if nothing tells.
    pub fn expected_nodes(&self, control: &Control, threads: usize) -> u64 {
        let micros = control.hard().and_then(|hard| u64::try_from(hard.as_micros()).ok());
        let by_time = micros.map_or(u64::MAX, |micros| micros.saturating_mul(NODES_PER_MICRO));
        self.nodes.min(by_time.saturating_mul(threads as u64))
    }

    /// Returns the limits of one search in which their strength has its effect: fewer plays, and
    /// moves of the root that are overlooked. A five is overlooked by nobody, and nobody overlooks
    /// every move.
    pub fn weakened(&self, board: &Board) -> Limits {
        let mut limits = Limits { nodes: self.nodes.min(self.strength.nodes()), ..*self };
        let has_five = Color::ALL.iter().any(|&color| board.count(color, Threat::Five) > 0);
        if self.strength.is_full() || has_five {
            return limits;
        }
        let is_overlooked = |mv: &Coord| !self.strength.notices(board.key(), *mv);
        let overlooked: CellSet = board.empty_cells().into_iter().filter(is_overlooked).collect();
        let excluded = overlooked | self.root.excluded;
        if !board.candidates().without(&excluded).is_empty() {
            limits.root.excluded = excluded;
        }
        limits
    }

    /// Returns true if the search would go on for ever without a clock.
    pub fn is_endless(&self) -> bool {
        self.depth >= MAX_DEPTH && self.nodes == u64::MAX && self.strength.is_full()
    }
}
