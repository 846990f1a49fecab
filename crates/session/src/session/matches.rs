//! A match of two engines. Each opening is played twice, once with each color.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tengen_gomoku::record::Outcome;

use super::Session;
use crate::clock::Moment;
use crate::game::Game;
use crate::opening::Opening;

/// How long the end of a game is shown.
const PAUSE: Duration = Duration::from_secs(2);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Match {
    pub(super) games: usize,
    pub(super) begun: usize,
    pub(super) ended: usize,
    /// Half points of both players.
    pub(super) halves: [usize; 2],
    #[serde(skip)]
    pub(super) last_end: Moment,
}

impl Session {
    /// Returns when the next game of a match begins.
    pub(super) fn next_game(&self) -> Option<Moment> {
        let score = self.score.as_ref().filter(|_| self.running)?;
        let is_due = score.ended == score.begun && score.begun < score.games;
        is_due.then_some(score.last_end + PAUSE)
    }

    pub(super) fn begin_match_game(&mut self) {
        let Some(score) = &mut self.score else { return };
        let (size, rule) = (self.game.size(), self.game.rule());
        let opening = if score.begun.is_multiple_of(2) {
            (self.openings)(size, rule).to_vec()
        } else {
            self.game.moves().iter().take(3).map(|stone| stone.c).collect()
        };
        score.begun += 1;
        let mut game = Game::new(size, rule, Opening::Free).with_rows(self.game.rows());
        game.black = usize::from(score.begun.is_multiple_of(2));
        // The opening may come from a game that a person has changed: it ends at an illegal move.
        let _ = opening.iter().try_for_each(|&c| game.place(c, Duration::ZERO));
        self.game = game;
        self.forget_game();
    }

    /// Counts the game of a match that has ended.
    pub(super) fn count_game(&mut self) {
        let end = self.game.end().filter(|_| self.running && self.game.is_at_end());
        let score = self.score.as_mut().filter(|score| score.ended < score.begun);
        let (Some(end), Some(score)) = (end, score) else { return };
        (score.ended, score.last_end) = (score.ended + 1, self.now);
        match end.outcome() {
            Outcome::Won(color) => score.halves[self.game.player(color)] += 2,
            Outcome::Drawn => score.halves.iter_mut().for_each(|half| *half += 1),
        }
    }
}
