//! The limits of a search besides its time, the options of its root, its strength and style, the
//! rule of draws, and shares of nodes and time.

use std::time::Duration;

use tengen_gomoku::board::Board;
use tengen_gomoku::types::{Color, CoordSet};

use super::strength::{Strength, position_seed};
use crate::eval::Style;
use crate::score::{Score, ScoreKind};

pub const MAX_DEPTH: i32 = 120;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootOptions {
    /// Moves that are played only if no other move is legal.
    pub excluded: CoordSet,
    /// Number of PVs (multi-PV). The report has fewer if fewer moves are worth a search.
    pub multi_pv: usize,
    /// True to search every move near the stones, even if a threat refutes it at once.
    pub all_moves: bool,
    /// True if a score is wanted, not only a move: a position with an only move is searched too,
    /// and the listener receives more reports (see [`Progress`](super::Progress)).
    pub is_analysis: bool,
}

impl Default for RootOptions {
    fn default() -> RootOptions {
        RootOptions { excluded: CoordSet::EMPTY, multi_pv: 1, all_moves: false, is_analysis: false }
    }
}

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
    /// Of the side to move.
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
    pub fn within(&self, others: &Limits) -> Limits {
        let (depth, nodes) = (self.depth.min(others.depth), self.nodes.min(others.nodes));
        Limits { depth, nodes, ..*self }
    }

    /// Returns these limits with the node limit and the overlooked moves of the strength.
    pub fn weakened(&self, board: &Board) -> Limits {
        let seed = position_seed(self.seed, board.key());
        let nodes = self.nodes.min(self.strength.nodes(seed));
        let excluded = self.strength.excluded(seed, board, self.root.excluded);
        Limits { nodes, root: RootOptions { excluded, ..self.root }, ..*self }
    }

    pub(super) fn played_style(&self, board: &Board) -> Option<(Style, Color)> {
        (!self.style.is_neutral()).then_some((self.style, board.side_to_move()))
    }

    pub fn is_endless(&self) -> bool {
        self.depth >= MAX_DEPTH && self.nodes == u64::MAX && self.strength.is_full()
    }
}

/// When a game is drawn, and who gets the point of a drawn game. Later fives do not count, and a dead
/// position is scored as a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRule {
    /// Stones at which the game ends; `usize::MAX` for a full board.
    pub moves: usize,
    /// Who gets the point; `None` if it is shared.
    pub winner: Option<Color>,
}

impl Default for DrawRule {
    fn default() -> DrawRule {
        DrawRule { moves: usize::MAX, winner: None }
    }
}

impl DrawRule {
    /// A game played on after the draw ends with a full board.
    pub fn ahead_of(self, board: &Board) -> DrawRule {
        let is_over = board.stone_count() >= self.moves;
        if is_over { DrawRule { moves: usize::MAX, ..self } } else { self }
    }

    /// Returns the score of a drawn or dead position.
    #[inline]
    pub(super) fn terminal_score(&self, board: &Board, ply: usize) -> Option<Score> {
        (board.stone_count() >= self.moves || board.is_dead()).then(|| self.score(board, ply))
    }

    /// Returns `score`, or the draw's if its win or loss comes too late.
    pub(super) fn before_draw(&self, board: &Board, score: Score, ply: usize) -> Score {
        match score.kind() {
            ScoreKind::Win(end) | ScoreKind::Loss(end)
                if !self.is_in_time(board, end - ply as i32) =>
            {
                self.score(board, ply)
            }
            _ => score,
        }
    }

    /// Returns true if a five after so many plies comes before the draw.
    pub(super) fn is_in_time(&self, board: &Board, plies: i32) -> bool {
        usize::try_from(plies).is_ok_and(|plies| plies <= self.plies_left(board))
    }

    /// Returns the score of a position that comes to a draw.
    pub(super) fn score(&self, board: &Board, ply: usize) -> Score {
        let end = (ply + self.plies_left(board).min(board.empty_count())) as i32;
        match self.winner {
            None => Score::DRAW,
            Some(color) if color == board.side_to_move() => Score::win_in(end),
            Some(_) => Score::loss_in(end),
        }
    }

    pub(super) fn plies_left(&self, board: &Board) -> usize {
        self.moves.saturating_sub(board.stone_count())
    }
}

pub fn share(n: u64, thousandths: u64) -> u64 {
    let share = u128::from(n) * u128::from(thousandths) / 1000;
    share.min(u64::MAX.into()) as u64
}

pub fn time_share(time: Duration, thousandths: u32) -> Duration {
    time.saturating_mul(thousandths) / 1000
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::types::Rule;

    #[test]
    fn the_lower_of_two_limits_holds_and_makes_a_search_end() {
        assert!(Limits::default().is_endless());
        let limits = Limits { depth: 8, nodes: 10_000, ..Limits::default() };
        assert!(!limits.is_endless());
        let both = Limits { depth: MAX_DEPTH, ..limits }.within(&Limits { depth: 6, ..limits });
        assert_eq!((both.depth, both.nodes, both.strength), (6, 10_000, Strength::FULL));
    }

    #[test]
    fn results_after_the_draw_are_draws() {
        let board = Board::after(15, Rule::Freestyle, "h8a1i8c1j8");
        let scores = |winner| {
            let rule = DrawRule { moves: 8, winner };
            assert!(rule.terminal_score(&board, 1).is_none());
            assert!(rule.is_in_time(&board, 3) && !rule.is_in_time(&board, 4));
            [3, 4].map(|plies| rule.before_draw(&board, Score::loss_in(1 + plies), 1))
        };
        assert_eq!(scores(None), [Score::loss_in(4), Score::DRAW]);
        assert_eq!(scores(Some(Color::White)), [Score::loss_in(4), Score::win_in(4)]);
        assert_eq!(scores(Some(Color::Black)), [Score::loss_in(4), Score::loss_in(4)]);
    }

    #[test]
    fn shares_are_exact_and_never_overflow() {
        assert_eq!((share(1_999, 50), share(0, 50), share(7, 2000)), (99, 0, 14));
        assert_eq!((share(u64::MAX, 1000), share(u64::MAX, 4000)), (u64::MAX, u64::MAX));
        assert_eq!(time_share(Duration::from_millis(30), 125), Duration::from_micros(3_750));
        assert!(time_share(Duration::MAX, 6000) > Duration::from_secs(1 << 40));
    }
}
