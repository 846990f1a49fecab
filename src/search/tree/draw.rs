//! Draws: when a game is over without a five, and what that is worth.
//!
//! A game is drawn on a full board, or earlier by its [`DrawRule`]. A win that comes later than the
//! draw is none, and a position on which no five can arise is as good as drawn. Knows no move order
//! and no table.

use super::Worker;
#[cfg(doc)]
use crate::search::limits::DrawRule;
use crate::types::{Score, ScoreKind};

impl Worker<'_> {
    /// Returns true if the position on the board is drawn, or will be whatever is played.
    pub fn is_drawn(&self) -> bool {
        self.board.stone_count() >= self.draw_rule.moves || self.board.is_dead()
    }

    /// Returns the score of a draw for the side to move in the position on the board, at `ply`: a
    /// win or a loss at the end of the game, if the rule gives a drawn game to a colour.
    pub fn draw_score(&self, ply: usize) -> Score {
        let end = (ply + self.plies_left().min(self.board.empty_count())) as i32;
        match self.draw_rule.winner {
            None => Score::DRAW,
            Some(color) if color == self.board.side_to_move() => Score::win_in(end),
            Some(_) => Score::loss_in(end),
        }
    }

    /// Returns true if a five after so many plies, the next one being the first, comes before the
    /// draw.
    pub fn is_in_time(&self, plies: i32) -> bool {
        usize::try_from(plies).is_ok_and(|plies| plies <= self.plies_left())
    }

    /// Returns the score of the node at `ply`, or that of the draw if its win or loss comes too
    /// late.
    pub fn before_draw(&self, score: Score, ply: usize) -> Score {
        match score.kind() {
            ScoreKind::Win(end) | ScoreKind::Loss(end) if !self.is_in_time(end - ply as i32) => {
                self.draw_score(ply)
            }
            _ => score,
        }
    }

    /// Returns true if the rule lets the game go on until the board is full.
    pub fn may_fill_board(&self) -> bool {
        self.plies_left() >= self.board.empty_count()
    }

    /// Returns the plies up to the draw by the rule, far more than the board has without one.
    fn plies_left(&self) -> usize {
        self.draw_rule.moves.saturating_sub(self.board.stone_count())
    }
}
