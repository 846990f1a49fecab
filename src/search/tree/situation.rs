//! What the threats on the board say about a position before anything is searched.
//!
//! Static judgement only, but for a few plays where a four with an open three may be answered by
//! a four. On the way to a blocked move threats decide nothing: there the moves are listed instead.

use super::Worker;
use super::picker::Moves;
use super::root_moves::root_moves;
use crate::search::limits::RootOptions;
use crate::shape::Threat;
use crate::types::{CellSet, Color, Coord, Score};

/// What the threats on the board say before anything is searched.
pub(super) enum Situation {
    Decided(Score),
    /// The opponent has a four: these moves stop it.
    Forced(CellSet),
    Open,
}

impl Worker<'_> {
    /// Returns the moves of a node where threats decide nothing and these are all that is searched:
    /// the root, and on the way to a blocked move.
    #[inline]
    pub(super) fn listed_moves(&mut self, ply: usize) -> Option<Moves> {
        if ply == 0 {
            return Some(self.root_moves);
        }
        if !self.blocked.lies_ahead(&self.board) {
            return None;
        }
        let mut excluded = self.blocked.of(&self.board);
        if self.board.empty_cells().without(&excluded).is_empty() {
            excluded = CellSet::EMPTY;
        }
        let us = self.board.side_to_move();
        let fives = self.board.cells_with(us, Threat::Five).without(&excluded);
        if !fives.is_empty() {
            return Some(Moves { cells: fives, reserve: CellSet::EMPTY });
        }
        let options = RootOptions { excluded, all_moves: true, ..RootOptions::default() };
        Some(root_moves(&mut self.board, &options))
    }

    /// Judges such a node. At the root a move is wanted even if the result is known.
    pub(super) fn listed_situation(&self, moves: Moves, ply: usize) -> Situation {
        let us = self.board.side_to_move();
        let fives = moves.cells & *self.board.cells_with(us, Threat::Five);
        if ply > 0 && !fives.is_empty() {
            Situation::Decided(Score::win_in(ply as i32 + 1))
        } else if self.board.count(!us, Threat::Five) > 0 {
            Situation::Forced(moves.cells)
        } else {
            Situation::Open
        }
    }

    /// Judges a position by its threats alone: wins within five plies, losses within two, and the
    /// answers to a four.
    pub(super) fn situation(&mut self, ply: usize) -> Situation {
        let (us, ply) = (self.board.side_to_move(), ply as i32);
        let them = !us;
        if let Some(plies) = self.board.win_by_threats() {
            return Situation::Decided(Score::win_in(ply + plies));
        }
        if self.board.count(them, Threat::Five) > 0 {
            let answers = self.board.common_refutations(them, Threat::Five);
            return if answers.is_empty() {
                Situation::Decided(Score::loss_in(ply + 2))
            } else {
                Situation::Forced(answers)
            };
        }
        if self.wins_by_four_three(us) {
            return Situation::Decided(Score::win_in(ply + 5));
        }
        Situation::Open
    }

    /// Returns true if a four with an open three wins although the opponent may gain time by a four
    /// or renju's fouls bind black. Such cases are played out.
    fn wins_by_four_three(&mut self, us: Color) -> bool {
        self.board.count(us, Threat::FourThree) > 0 && {
            let cells = *self.board.cells_with(us, Threat::FourThree);
            cells.into_iter().any(|mv| self.four_three_wins(mv, us))
        }
    }

    /// Plays a four with an open three and each answer to it; returns true if an open four that
    /// the opponent cannot preempt is there after every one.
    fn four_three_wins(&mut self, mv: Coord, us: Color) -> bool {
        let board = &mut self.board;
        self.nodes += 1;
        board.play(mv);
        let answers = board.common_refutations(us, Threat::Five);
        let is_four = board.count(us, Threat::Five) > 0 && board.count(!us, Threat::Five) == 0;
        let wins = is_four
            && answers.into_iter().all(|answer| {
                self.nodes += 1;
                board.play(answer);
                let wins = board.win_by_threats().is_some_and(|plies| plies <= 3);
                board.undo();
                wins
            });
        board.undo();
        wins
    }

    /// Returns the value of a node without a move to play.
    pub(super) fn no_move_score(&self, ply: usize, is_forced: bool) -> Score {
        // With a four on the board every answer was forbidden. A threatened open four or four
        // with an open three that nothing meets wins two plies later each. Elsewhere every cell
        // near the stones is forbidden to black, who can still play far away.
        let (them, ply) = (!self.board.side_to_move(), ply as i32);
        if is_forced {
            Score::loss_in(ply + 2)
        } else if self.board.count(them, Threat::OpenFour) > 0 {
            Score::loss_in(ply + 4)
        } else if self.board.count(them, Threat::FourThree) > 0 {
            Score::loss_in(ply + 6)
        } else {
            self.evaluator.evaluate(&self.board)
        }
    }
}
