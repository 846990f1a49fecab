//! Nodes decided by the threats on the board, without a search of their moves: the terminal test.

use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{Color, Coord, CoordSet, Direction};

use super::Worker;
use super::movegen::Moves;
use super::node::Node;
use crate::score::Score;

pub(super) enum StaticResult {
    Decided(Score),
    /// The answers to the opponent's four.
    Forced(CoordSet),
    Open,
}

impl Worker<'_> {
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

    /// Finds wins within five plies, losses within two, and the answers to a four.
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
        if self.wins_by_forbidden_answer() {
            return StaticResult::Decided(Score::win_in(ply + 3));
        }
        // Played out: the opponent may gain time by a four, or renju forbid black some cells.
        if self.board.count(us, Threat::FourThree) > 0 {
            let cells = *self.board.cells_with(us, Threat::FourThree);
            if cells.into_iter().any(|mv| self.four_three_wins(mv, us)) {
                return StaticResult::Decided(Score::win_in(ply + 5));
            }
        }
        StaticResult::Open
    }

    /// Returns the cells that look forbidden to black and complete a white three to a four. If
    /// white makes that four by its other cell, black has to answer here, but may not.
    pub(super) fn forbidden_answers(&self) -> CoordSet {
        let flagged = *self.board.cells_with(Color::Black, Threat::Forbidden);
        if flagged.is_empty() {
            return CoordSet::EMPTY;
        }
        flagged & self.board.cells_from(Color::White, Threat::Four)
    }

    /// Returns true under renju if white is to move and has a four whose answer is forbidden to black.
    /// Neither side may have a five on the next move. Each four is tried on the board: its own stone
    /// may block one of the threes that forbid the answer.
    fn wins_by_forbidden_answer(&mut self) -> bool {
        if self.board.side_to_move() == Color::Black {
            return false;
        }
        let mut fours = CoordSet::EMPTY;
        for answer in &self.forbidden_answers() {
            for direction in Direction::ALL {
                let partners = self.board.five_cells_after(answer, Color::White, direction);
                partners.for_each(|mv| fours.insert(mv));
            }
        }
        fours.into_iter().any(|mv| {
            self.nodes += 1;
            self.board.play(mv);
            let answers = self.board.common_refutations(Color::White, Threat::Five);
            let wins = self.board.count(Color::White, Threat::Five) > 0
                && self.board.legal_cells(answers, Color::Black).is_empty();
            self.board.undo();
            wins
        })
    }

    /// Returns true if every answer to the four leaves an open four before any of the opponent's.
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

    /// Returns the score of a node without moves, by the first of these that is true:
    /// - Black has no legal move: he loses at once, as in c-gomoku-cli and Gomocup's judge.
    /// - Every answer to a four is forbidden: the five follows two plies later.
    /// - Nothing stops an open four: loss two plies later than that.
    /// - Nothing stops a four with an open three: loss another two plies later.
    /// - Black has no legal move near the stones, but elsewhere: the raw evaluation.
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
        self.draw_rule.before_draw(&self.board, loss, node.ply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Params;
    use crate::search::control::Control;
    use crate::search::limits::Limits;
    use crate::search::table::Table;
    use crate::search::tree::{Shared, ThreadState};
    use tengen_gomoku::board::Board;
    use tengen_gomoku::types::Rule;

    fn static_result(rule: Rule, moves: &str) -> StaticResult {
        let board = Board::after(15, rule, moves);
        let (table, control) = (Table::new(0), Control::untimed());
        let shared = Shared::new(&table, &control, Params::of(rule), Limits::default(), 1);
        Worker::new(&board, &shared, &mut ThreadState::default(), 0).static_result(2)
    }

    fn decided_score(rule: Rule, moves: &str) -> Option<Score> {
        match static_result(rule, moves) {
            StaticResult::Decided(score) => Some(score),
            _ => None,
        }
    }

    #[test]
    fn white_wins_by_a_four_that_black_may_not_answer() {
        // After h8 the answer i8 would make two open threes.
        let moves = "d8e8i6f8i7g8j9o1k10o3a1";
        assert_eq!(decided_score(Rule::Renju, moves), Some(Score::win_in(5)));
        assert_eq!(decided_score(Rule::Freestyle, moves), None);
        // One of the threes is closed.
        assert_eq!(decided_score(Rule::Renju, &moves.replace("o3", "i5")), None);
    }

    #[test]
    fn threats_decide_a_node_or_force_its_answers() {
        let decided = |moves| decided_score(Rule::Freestyle, moves);
        // A four of the side to move, an open three, and a four with an open three.
        assert_eq!(decided("h8a1i8b1j8c1k8a3"), Some(Score::win_in(3)));
        assert_eq!(decided("h8a1i8c1j8e1"), Some(Score::win_in(5)));
        assert_eq!(decided("g8f8h8a1i8o15j9o1j10a15"), Some(Score::win_in(7)));
        // The opponent's open four.
        assert_eq!(decided("h8a1i8c1j8e1k8"), Some(Score::loss_in(4)));
        assert_eq!(decided("h8a1i8c1"), None);
        assert!(
            matches!(static_result(Rule::Freestyle, "h8g8i8c1j8e1k8"), StaticResult::Forced(answers)
            if answers == CoordSet::from_iter([Coord::new(11, 7)]))
        );
    }
}
