//! Draws: on a full board, or earlier by the [`DrawRule`]. A win that comes after the draw does not
//! count, and a dead position is scored as a draw.

use tengen_gomoku::board::Board;
use tengen_gomoku::types::Color;

use crate::score::{Score, ScoreKind};

/// When a game is drawn before the board is full, and who wins a drawn game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRule {
    /// The number of stones at which the game is drawn; `usize::MAX` for none.
    pub moves: usize,
    /// The color that wins a drawn game, if any.
    pub winner: Option<Color>,
}

impl Default for DrawRule {
    fn default() -> DrawRule {
        DrawRule { moves: usize::MAX, winner: None }
    }
}

impl DrawRule {
    /// Returns the rule for the rest of the game: a game played on after the draw ends with a full
    /// board.
    pub fn ahead_of(self, board: &Board) -> DrawRule {
        let is_over = board.stone_count() >= self.moves;
        if is_over { DrawRule { moves: usize::MAX, ..self } } else { self }
    }

    /// Returns the score of a drawn or dead position. A draw that counts as a win for a color is
    /// scored at the end of the game.
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

    pub(super) fn may_fill(&self, board: &Board) -> bool {
        self.plies_left(board) >= board.empty_count()
    }

    fn score(&self, board: &Board, ply: usize) -> Score {
        let end = (ply + self.plies_left(board).min(board.empty_count())) as i32;
        match self.winner {
            None => Score::DRAW,
            Some(color) if color == board.side_to_move() => Score::win_in(end),
            Some(_) => Score::loss_in(end),
        }
    }

    fn plies_left(&self, board: &Board) -> usize {
        self.moves.saturating_sub(board.stone_count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::types::Rule;

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
}
