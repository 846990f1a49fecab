//! The static result of a node: what the threats on the board say before its moves are searched.
//! The terminal test of a game in which five plies of threats can be read off the board.
//!
//! Judges by the threats alone; knows no evaluation but where no move is left. Makes a few moves
//! where a four with an open three may be answered by a four. Threats decide nothing in a node from
//! which a blocked move can be reached: its moves are given instead.

use super::Worker;
use super::generation::Moves;
use super::node::Node;
use super::root_moves::root_moves;
use crate::search::limits::RootOptions;
use crate::shape::Threat;
use crate::types::{CellSet, Color, Coord, Score};

/// What the threats on the board say about a node.
pub(super) enum StaticResult {
    /// A win or a loss.
    Decided(Score),
    /// The opponent has a four: these are the answers.
    Forced(CellSet),
    /// Nothing.
    Open,
}

impl Worker<'_> {
    /// Returns the moves of a node that is searched by a list of moves and not by its threats: the
    /// root (as with UCI's `searchmoves`), and a node from which a blocked move can be reached.
    #[inline]
    pub(super) fn given_moves(&mut self, ply: usize) -> Option<Moves> {
        if ply == 0 {
            return Some(self.root_moves);
        }
        if !self.blocked.is_reachable_from(&self.board) {
            return None;
        }
        let mut excluded = self.blocked.of(&self.board);
        if self.board.empty_cells().without(&excluded).is_empty() {
            excluded = CellSet::EMPTY;
        }
        let us = self.board.side_to_move();
        let fives = self.board.cells_with(us, Threat::Five).without(&excluded);
        if !fives.is_empty() {
            return Some(Moves::of(fives));
        }
        let options = RootOptions { excluded, all_moves: true, ..RootOptions::default() };
        Some(root_moves(&mut self.board, &options))
    }

    /// Returns the static result of a node with given moves. The root is never decided: a move is
    /// wanted.
    pub(super) fn given_result(&self, moves: Moves, ply: usize) -> StaticResult {
        let us = self.board.side_to_move();
        let fives = moves.cells & *self.board.cells_with(us, Threat::Five);
        if ply > 0 && !fives.is_empty() {
            StaticResult::Decided(Score::win_in(ply as i32 + 1))
        } else if self.board.count(!us, Threat::Five) > 0 {
            StaticResult::Forced(moves.cells)
        } else {
            StaticResult::Open
        }
    }

    /// Returns the static result of a node without given moves: wins within five plies, losses
    /// within two, and the answers to a four.
    pub(super) fn static_result(&mut self, ply: usize) -> StaticResult {
        let (us, ply) = (self.board.side_to_move(), ply as i32);
        let them = !us;
        if let Some(plies) = self.board.win_by_threats() {
            return StaticResult::Decided(Score::win_in(ply + plies));
        }
        if self.board.count(them, Threat::Five) > 0 {
            let answers = self.board.common_refutations(them, Threat::Five);
            return if answers.is_empty() {
                StaticResult::Decided(Score::loss_in(ply + 2))
            } else {
                StaticResult::Forced(answers)
            };
        }
        if self.wins_by_four_three(us) {
            return StaticResult::Decided(Score::win_in(ply + 5));
        }
        StaticResult::Open
    }

    /// Returns true if a four with an open three wins although the opponent may gain time by a four
    /// or renju forbids black some cells. Such cases are played out.
    fn wins_by_four_three(&mut self, us: Color) -> bool {
        self.board.count(us, Threat::FourThree) > 0 && {
            let cells = *self.board.cells_with(us, Threat::FourThree);
            cells.into_iter().any(|mv| self.four_three_wins(mv, us))
        }
    }

    /// Returns true if a four with an open three leads to an open four, ahead of any four of the
    /// opponent, after every answer. Makes the moves on the board.
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

    /// Returns the score of a node without a move to search, by the first reason that holds:
    /// - Every cell of the board is forbidden to black, who loses at once, as c-gomoku-cli and
    ///   Gomocup's judge have it.
    /// - Every answer to a four is forbidden: the five follows, two plies later.
    /// - Nothing meets a threatened open four: the loss is two plies later than that.
    /// - Nothing meets a threatened four with an open three: the loss is four plies later than
    ///   that.
    /// - Every cell near the stones is forbidden to black, who can still play elsewhere: the raw
    ///   evaluation.
    pub(super) fn no_move_score(&mut self, node: &Node) -> Score {
        let (them, ply) = (!self.board.side_to_move(), node.ply as i32);
        let loss = if !self.board.has_legal_move() {
            Score::loss_in(ply)
        } else if node.is_forced {
            Score::loss_in(ply + 2)
        } else if self.board.count(them, Threat::OpenFour) > 0 {
            Score::loss_in(ply + 4)
        } else if self.board.count(them, Threat::FourThree) > 0 {
            Score::loss_in(ply + 6)
        } else {
            return self.raw_score();
        };
        self.before_draw(loss, node.ply)
    }
}
