//! The limits of a search besides its time, the options of its root, its strength and style.

use tengen_gomoku::board::Board;
use tengen_gomoku::types::{CellSet, Color};

use super::draw::DrawRule;
use super::strength::{EvalNoise, PositionSeed, Strength};
use crate::eval::Style;

pub const MAX_DEPTH: i32 = 120;

/// Options of the root: the moves it searches, and the number of PVs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootOptions {
    /// Moves that are played only if no other move is legal.
    pub excluded: CellSet,
    /// Number of PVs (multi-PV). The report has fewer if fewer moves are worth a search.
    pub multi_pv: usize,
    /// True to search every move near the stones, even if a threat refutes it at once.
    pub all_moves: bool,
    /// True if a score is wanted, not only a move: a position with an only move is searched too,
    /// and the listener receives each PV and proof within an iteration.
    pub is_analysis: bool,
}

impl Default for RootOptions {
    fn default() -> RootOptions {
        RootOptions { excluded: CellSet::EMPTY, multi_pv: 1, all_moves: false, is_analysis: false }
    }
}

/// The limits of a search apart from its time; the options of its root, its strength and style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The last iteration, in plies; [`MAX_DEPTH`] for no limit.
    pub depth: i32,
    /// The first iteration, in plies, but no later than the last one.
    pub first_depth: i32,
    /// Nodes of all parts of the search and of all threads; `u64::MAX` for no limit.
    pub nodes: u64,
    pub root: RootOptions,
    pub strength: Strength,
    /// The seed of the game: below full strength it decides which moves are overlooked.
    pub seed: u64,
    pub draw_rule: DrawRule,
    /// The style of the side to move: how its chances weigh against the opponent's.
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
            seed: 0,
            draw_rule: DrawRule::default(),
            style: Style::NEUTRAL,
        }
    }
}

impl Limits {
    /// Returns these limits with the lower of both depths and of both node limits.
    pub fn within(&self, others: &Limits) -> Limits {
        let (depth, nodes) = (self.depth.min(others.depth), self.nodes.min(others.nodes));
        Limits { depth, nodes, ..*self }
    }

    /// Returns these limits with the node limit and the overlooked moves of the strength.
    pub fn weakened(&self, board: &Board) -> Limits {
        let seed = PositionSeed::new(self.seed, board.key());
        let nodes = self.nodes.min(self.strength.nodes(seed));
        let excluded = self.strength.excluded(seed, board, self.root.excluded);
        Limits { nodes, root: RootOptions { excluded, ..self.root }, ..*self }
    }

    pub(super) fn played_style(&self, board: &Board) -> Option<(Style, Color)> {
        (!self.style.is_neutral()).then_some((self.style, board.side_to_move()))
    }

    pub(super) fn eval_noise(&self) -> EvalNoise {
        self.strength.eval_noise(self.seed)
    }

    pub fn is_endless(&self) -> bool {
        self.depth >= MAX_DEPTH && self.nodes == u64::MAX && self.strength.is_full()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_of_two_limits_holds_and_makes_a_search_end() {
        assert!(Limits::default().is_endless());
        let limits = Limits { depth: 8, nodes: 10_000, ..Limits::default() };
        assert!(!limits.is_endless());
        let both = Limits { depth: MAX_DEPTH, ..limits }.within(&Limits { depth: 6, ..limits });
        assert_eq!((both.depth, both.nodes, both.strength), (6, 10_000, Strength::FULL));
    }
}
