//! Samples for the program that fits the priors (`tengen-lab priors`).

use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{Color, Coord};

use super::priors::{self, MoveClass};
use super::proof_table::AttackSet;
use super::{Vct, table_key};

/// A position as the models see it, with its moves.
pub struct PositionSample {
    /// Cells with each threat of the attacker and of the defender, and the number of answers.
    pub features: [i32; priors::FEATURES],
    /// Binary log odds of a proof and of a disproof by the position model, clamped as in the move
    /// model.
    pub log_odds: [f64; 2],
    /// Moves with a prior.
    pub moves: Vec<MoveSample>,
}

/// A move as the models see it, with its results after expansion.
pub struct MoveSample {
    pub class: MoveClass,
    /// On its cell, of the attacker and of the defender.
    pub threats: [Threat; 2],
    /// Of a proof and of a disproof, by the initial numbers after it.
    pub probabilities: [f64; 2],
}

impl Vct {
    /// Returns true if the position after a move was expanded.
    pub fn has_expanded(&self, board: &Board, mv: Coord) -> bool {
        let is_attack = board.side_to_move() != self.attacker;
        self.table.probe(table_key(board.key_after(mv), is_attack)).is_some()
    }

    /// Returns whether `attacker` wins by fours and threes, whoever is to move; `None` if the nodes
    /// do not suffice.
    pub fn verdict(&mut self, board: &mut Board, attacker: Color, node_limit: u64) -> Option<bool> {
        let numbers = self.prove(board, attacker, node_limit);
        numbers.is_solved().then_some(numbers.is_proven())
    }

    /// Expands a position and all its moves in an empty table; `None` if the expansion solves it,
    /// so that it needs no estimate.
    pub fn sample(&mut self, board: &mut Board, attacker: Color) -> Option<PositionSample> {
        self.clear();
        self.attacker = attacker;
        if self.expand(board).is_solved() {
            return None;
        }
        let is_attack = board.side_to_move() == attacker;
        let node = match is_attack {
            true => self.attack_node(board, AttackSet::All, 0),
            false => self.defence_node(board, 0)?,
        };
        let children: Vec<_> = self.children.drain(..).collect();
        let answers = if is_attack { 0 } else { children.len() };
        let moves = children.iter().filter_map(|child| {
            let threats = [attacker, !attacker].map(|color| board.threat(child.mv, color));
            board.play(child.mv);
            let numbers = self.expand(board);
            board.undo();
            let probabilities = [numbers.proof, numbers.disproof].map(priors::probability);
            Some(MoveSample { class: child.prior?, threats, probabilities })
        });
        let moves = moves.collect();
        debug_assert_eq!(node.log_odds, priors::log_odds(board, attacker, answers));
        let features = priors::features(board, attacker, answers);
        let log_odds =
            node.log_odds.map(|n| f64::from(priors::clamped(n)) / f64::from(priors::DOUBLING));
        Some(PositionSample { features, log_odds, moves })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::threat::vcf::Outcome;
    use tengen_gomoku::types::Rule;

    /// Black has three open twos around h8, white has next to nothing.
    const ATTACK: &str = "h8a1i8a3h9a5i10a8";

    #[test]
    fn a_sample_has_every_attack() {
        let mut board = Board::after(15, Rule::Freestyle, ATTACK);
        let mut vct = Vct::new();
        let sample = vct.sample(&mut board, Color::Black).expect("nothing is solved yet");
        let count = |class| sample.moves.iter().filter(|mv| mv.class == class).count();
        let [fours_and_threes, quiet] = [MoveClass::Attack, MoveClass::QuietAttack].map(count);
        assert!(fours_and_threes > 3 && quiet > 3 && count(MoveClass::Defence) == 0);
        let probabilities = sample.moves.iter().flat_map(|mv| mv.probabilities);
        assert!(probabilities.clone().all(|p| (0.0..=1.0).contains(&p)));
        assert!(probabilities.clone().any(|p| p == 0.0) && probabilities.clone().any(|p| p == 1.0));
    }

    #[test]
    fn the_defender_may_be_to_move() {
        let mut board = Board::after(15, Rule::Freestyle, ATTACK);
        let mut vct = Vct::new();
        let Outcome::Win { mv, .. } = vct.solve(&mut board, 10_000) else { panic!("a win") };
        assert!(vct.has_expanded(&board, mv) && !vct.has_expanded(&board, Coord::new(14, 14)));
        board.play(mv);
        vct.clear();
        assert_eq!(vct.verdict(&mut board, Color::Black, 10_000), Some(true));
        assert_eq!(vct.verdict(&mut board, Color::White, 10_000), Some(false));
    }
}
