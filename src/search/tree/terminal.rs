//! Nodes that are settled before their moves are searched: draws, and the static result, what the
//! threats on the board say. It is the terminal test of a game in which five plies of threats can be
//! read off the board.
//!
//! A game is drawn on a full board, or earlier by its [`DrawRule`]. A win that comes later than the
//! draw is none, and a position on which no five can arise is as good as drawn.

use super::Worker;
use super::movegen::{Moves, root_moves};
use super::node::Node;
#[cfg(doc)]
use crate::search::limits::DrawRule;
use crate::search::limits::RootOptions;
use crate::shape::Threat;
use crate::types::{CellSet, Color, Coord, Score, ScoreKind};

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
    /// Returns the moves of a node with restricted moves, which is searched by a list of moves and
    /// not by its threats: the root (as with UCI's `searchmoves`), and a node from which a blocked
    /// move can be reached.
    #[inline]
    pub(super) fn restricted_moves(&mut self, ply: usize) -> Option<Moves> {
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
        Some(root_moves(&self.board, &options))
    }

    /// Returns the static result of a node with restricted moves. The root is never decided: a move
    /// is wanted.
    pub(super) fn restricted_result(&self, moves: Moves, ply: usize) -> StaticResult {
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

    /// Returns the static result of a node without restricted moves: wins within five plies, losses
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

    /// Returns true if the position on the board is drawn, or will be whatever is played.
    pub fn is_drawn(&self) -> bool {
        self.board.stone_count() >= self.draw_rule.moves || self.board.is_dead()
    }

    /// Returns the score of a draw for the side to move in the position on the board, at `ply`: a
    /// win or a loss at the end of the game, if the rule gives a drawn game to a color.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::search::control::Control;
    use crate::search::limits::{DrawRule, Limits};
    use crate::search::params::Params;
    use crate::search::pool::Shared;
    use crate::search::table::Table;
    use crate::search::tree::ThreadState;
    use crate::search::tree::blocked::Blocked;
    use crate::types::Rule;

    fn with_worker<T>(moves: &str, limits: &Limits, ask: impl FnOnce(&mut Worker) -> T) -> T {
        let board = Board::after(15, Rule::Freestyle, moves);
        let (table, control) = (Table::new(0), Control::untimed());
        let (params, blocked) = (Params::of(Rule::Freestyle), Blocked::default());
        let shared = Shared::new(&table, &control, &params, limits, 1);
        let mut state = ThreadState::default();
        ask(&mut Worker::new(&board, &blocked, &shared, &mut state, 0))
    }

    #[test]
    fn threats_decide_a_node_or_force_its_answers() {
        let decided = |moves| {
            with_worker(moves, &Limits::default(), |worker| match worker.static_result(2) {
                StaticResult::Decided(score) => Some(score),
                _ => None,
            })
        };
        // A four of the side to move, an open three, and a four with an open three.
        assert_eq!(decided("h8a1i8b1j8c1k8a3"), Some(Score::win_in(3)));
        assert_eq!(decided("h8a1i8c1j8e1"), Some(Score::win_in(5)));
        assert_eq!(decided("g8f8h8a1i8o15j9o1j10a15"), Some(Score::win_in(7)));
        // The opponent's open four.
        assert_eq!(decided("h8a1i8c1j8e1k8"), Some(Score::loss_in(4)));
        assert_eq!(decided("h8a1i8c1"), None);
        let forced = with_worker("h8g8i8c1j8e1k8", &Limits::default(), |worker| {
            matches!(worker.static_result(2), StaticResult::Forced(answers)
                if answers == CellSet::from_iter([Coord::new(11, 7)]))
        });
        assert!(forced);
    }

    #[test]
    fn results_after_the_draw_are_draws() {
        let scores = |winner| {
            let draw_rule = DrawRule { moves: 8, winner };
            with_worker("h8a1i8c1j8", &Limits { draw_rule, ..Limits::default() }, |worker| {
                assert!(!worker.is_drawn() && worker.is_in_time(3) && !worker.is_in_time(4));
                [3, 4].map(|plies| worker.before_draw(Score::loss_in(1 + plies), 1))
            })
        };
        assert_eq!(scores(None), [Score::loss_in(4), Score::DRAW]);
        assert_eq!(scores(Some(Color::White)), [Score::loss_in(4), Score::win_in(4)]);
        assert_eq!(scores(Some(Color::Black)), [Score::loss_in(4), Score::loss_in(4)]);
    }
}
