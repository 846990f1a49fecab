//! The limits of a search besides its time, the options of its root, its strength and style.

use super::draw::DrawRule;
use super::strength::{EvalNoise, PositionSeed, Strength};
use crate::board::Board;
use crate::eval::Style;
use crate::types::{CellSet, Color};

pub const MAX_DEPTH: i32 = 120;

/// Options of the root: the moves it searches, and how many of them get a variation of their own.
///
/// ```
/// # use tengen::board::Board;
/// # use tengen::search::control::Control;
/// # use tengen::search::{Limits, Searcher};
/// # use tengen::types::{BoardSize, Rule};
/// use tengen::search::RootOptions;
///
/// # let size = BoardSize::new(15, 15).expect("a valid size");
/// # let mut board = Board::new(size, Rule::Freestyle);
/// # board.play(size.center());
/// # let control = Control::untimed();
/// let root = RootOptions { multi_pv: 3, ..RootOptions::default() };
/// let limits = Limits { depth: 2, root, ..Limits::default() };
/// let report = Searcher::new(1 << 20).search(&board, &limits, &control, &mut |_| ());
/// assert_eq!(report.variations().count(), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootOptions {
    /// Moves that must not be the result unless no other move is legal.
    pub excluded: CellSet,
    /// The number of best moves to find, each with its own score and variation; 1 for an
    /// ordinary search. The report has fewer variations where fewer moves are worth a search.
    pub multi_pv: usize,
    /// True to search every move near the stones, even those that a threat refutes at once.
    pub all_moves: bool,
    /// True if the score is asked for, and not only a move: a position with a single move is
    /// searched too, and the listener receives each variation and proof within an iteration.
    pub is_analysis: bool,
}

impl Default for RootOptions {
    fn default() -> RootOptions {
        RootOptions { excluded: CellSet::EMPTY, multi_pv: 1, all_moves: false, is_analysis: false }
    }
}

/// The limits of a search besides the clock, the options of its root, its strength and style.
///
/// ```
/// use tengen::search::{Limits, MAX_DEPTH, Strength};
///
/// assert!(Limits::default().is_endless());
/// let limits = Limits { depth: 8, nodes: 10_000, ..Limits::default() };
/// assert!(!limits.is_endless());
/// let both = Limits { depth: MAX_DEPTH, ..limits }.within(&Limits { depth: 6, ..limits });
/// assert_eq!((both.depth, both.nodes, both.strength), (6, 10_000, Strength::FULL));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The last iteration, in plies; [`MAX_DEPTH`] for no limit.
    pub depth: i32,
    /// The first iteration, in plies, but no later than the last one.
    pub first_depth: i32,
    /// Nodes of all parts of the search and of all threads; `u64::MAX` for no limit.
    pub nodes: u64,
    /// The options of the root.
    pub root: RootOptions,
    /// How strong the search plays.
    pub strength: Strength,
    /// The seed of the game: with another one a search below full strength overlooks other moves.
    pub seed: u64,
    /// When the game is drawn, and for whom that is a win.
    pub draw_rule: DrawRule,
    /// The style of the side to move: how much its chances count against the opponent's.
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
    /// Returns these limits with the lower one of both depths and of both numbers of nodes.
    pub fn within(&self, others: &Limits) -> Limits {
        let (depth, nodes) = (self.depth.min(others.depth), self.nodes.min(others.nodes));
        Limits { depth, nodes, ..*self }
    }

    /// Returns these limits, weakened as the strength demands for this position: by a node limit
    /// and by excluded root moves, which the player overlooks.
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

    /// Returns true if only the clock or a stop ends the search.
    pub fn is_endless(&self) -> bool {
        self.depth >= MAX_DEPTH && self.nodes == u64::MAX && self.strength.is_full()
    }
}
