//! What the proof search sees of positions and moves, for the program that fits its first numbers
//! (`bin/odds.rs`).

use super::Vct;
use super::moves::Width;
use super::priors::{self, Guess, first_odds};
use super::proof_table::Value;
use crate::board::Board;
use crate::shape::Threat;
use crate::types::{Color, Coord};

/// What the first numbers of a position are made of, and those of its moves.
pub struct Survey {
    /// What the odds of the position are linear in: for the attacker and for the defender how many
    /// cells offer each threat, and the number of the defender's answers.
    pub features: [i32; priors::FEATURES],
    /// The logarithms to the base two of the odds of a win and of a failure that are in use, as far
    /// as guesses at moves mind them.
    pub odds: [f64; 2],
    /// All moves.
    pub looks: Vec<Look>,
}

/// A move, and what it looks like once it is played.
pub struct Look {
    /// What kind of guess there would be at it.
    pub kind: Guess,
    /// What the move's cell offers to the attacker and to the defender.
    pub threats: [Threat; 2],
    /// The chances of a win and of a failure behind it.
    pub chances: [f64; 2],
}

impl Vct {
    /// Returns true if the last search met the position behind a move.
    pub fn has_met(&self, board: &Board, mv: Coord) -> bool {
        let is_attack = board.side_to_move() != self.attacker;
        self.table.probe(self.salted(board.key_after(mv), is_attack)).is_some()
    }

    /// Looks for a win of `attacker`, whoever is to move, with `node_limit` plays or a few hundred
    /// more. Returns whether there is one, as far as this search can tell, or `None` if the plays
    /// do not suffice.
    pub fn verdict(&mut self, board: &mut Board, attacker: Color, node_limit: u64) -> Option<bool> {
        let value = self.prove(board, attacker, node_limit);
        value.is_settled().then_some(value.is_won())
    }

    /// Forgets everything and looks at a position and all of its moves; returns `None` if a look
    /// settles it, so that it needs no numbers.
    pub fn survey(&mut self, board: &mut Board, attacker: Color) -> Option<Survey> {
        self.clear();
        self.attacker = attacker;
        if self.look(board).is_settled() {
            return None;
        }
        let is_attack = board.side_to_move() == attacker;
        let node =
            if is_attack { self.attacks(board, Width::All, 0) } else { self.answers(board, 0)? };
        let children: Vec<_> = self.children.drain(..).collect();
        let answers = if is_attack { 0 } else { children.len() };
        let looks = children.iter().filter_map(|child| {
            let threats = [attacker, !attacker].map(|color| board.threat(child.mv, color));
            board.play(child.mv);
            let Value { proof, disproof, .. } = self.look(board);
            board.undo();
            Some(Look {
                kind: child.guess?,
                threats,
                chances: [proof, disproof].map(priors::chance),
            })
        });
        let looks = looks.collect();
        debug_assert_eq!(node.odds, first_odds(board, attacker, answers));
        let features = priors::features(board, attacker, answers);
        let odds =
            node.odds.map(|odds| f64::from(priors::bounded(odds)) / f64::from(priors::PARTS));
        Some(Survey { features, odds, looks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::threat::vcf::Outcome;
    use crate::types::Rule;

    /// Black has three open twos around h8, white has next to nothing.
    const ATTACK: &str = "h8a1i8a3h9a5i10a8";

    #[test]
    fn a_survey_sees_every_attack() {
        let mut board = Board::after(15, Rule::Freestyle, ATTACK);
        let mut vct = Vct::new();
        let survey = vct.survey(&mut board, Color::Black).expect("nothing is settled yet");
        let kinds = |kind| survey.looks.iter().filter(|look| look.kind == kind).count();
        let [fours_and_threes, quiet] = [Guess::Attack, Guess::QuietAttack].map(kinds);
        assert!(fours_and_threes > 3 && quiet > 3 && kinds(Guess::Defence) == 0);
        let chances = survey.looks.iter().flat_map(|look| look.chances);
        assert!(chances.clone().all(|chance| (0.0..=1.0).contains(&chance)));
        assert!(chances.clone().any(|chance| chance == 0.0) && chances.clone().any(|c| c == 1.0));
    }

    #[test]
    fn the_defender_may_be_to_move() {
        let mut board = Board::after(15, Rule::Freestyle, ATTACK);
        let mut vct = Vct::new();
        let Outcome::Win { mv, .. } = vct.solve(&mut board, 10_000) else { panic!("a win") };
        assert!(vct.has_met(&board, mv) && !vct.has_met(&board, Coord::new(14, 14)));
        board.play(mv);
        vct.clear();
        assert_eq!(vct.verdict(&mut board, Color::Black, 10_000), Some(true));
        assert_eq!(vct.verdict(&mut board, Color::White, 10_000), Some(false));
    }
}
