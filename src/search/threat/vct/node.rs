//! A node of the df-pn search: backup of proof numbers, and child selection.

use tengen_gomoku::types::Coord;

use super::priors::MoveClass;
use super::proof_table::{INFINITE, ProofNumbers};

/// How far the threshold is beyond the second best number: a part of that in 1/1024, and a base.
const EPSILON_FACTOR: u32 = 128;
const EPSILON_BASE: u32 = 3;
/// The proof number of all fours of the defender, in 1/1024 of the largest.
const FOURS_FACTOR: u32 = 1536;

#[derive(Clone, Copy)]
pub struct Child {
    pub mv: Coord,
    pub numbers: ProofNumbers,
    /// The class whose prior the numbers are; `None` after expansion.
    pub prior: Option<MoveClass>,
    pub is_four: bool,
}

/// A node without its children, which are on the search's stack.
pub struct ProofNode {
    pub is_attack: bool,
    /// Stands for all quiet attacks until they are generated.
    pub quiet_prior: Option<ProofNumbers>,
    /// Of a proof and of a disproof; the children's priors follow from them.
    pub log_odds: [i32; 2],
    /// Plies to the attacker's five if the defender plays no child.
    pub plies: i32,
}

impl ProofNode {
    pub fn backup(&self, children: &[Child]) -> ProofNumbers {
        if self.is_attack { self.backup_attack(children) } else { self.backup_defence(children) }
    }

    /// OR node: the attacker to move needs one proven child.
    fn backup_attack(&self, children: &[Child]) -> ProofNumbers {
        if let Some(child) = children.iter().find(|child| child.numbers.is_proven()) {
            return ProofNumbers::proven(i32::from(child.numbers.plies) + 1, Some(child.mv));
        }
        let (mut proof, mut disproof) = match self.quiet_prior {
            Some(prior) => (prior.proof, prior.disproof),
            None => (INFINITE, 0),
        };
        let (mut open, mut has_unexpanded_quiet) = (0, self.quiet_prior.is_some());
        for Child { numbers, prior, .. } in children {
            proof = proof.min(numbers.proof);
            disproof = disproof.max(numbers.disproof);
            if *prior == Some(MoveClass::QuietAttack) {
                has_unexpanded_quiet = true;
            } else {
                open += u32::from(numbers.disproof > 0);
            }
        }
        if disproof == 0 {
            return ProofNumbers::DISPROVEN;
        }
        // The weak sum (WPNS: Ueda and others, 2008): attacks often transpose, and a plain sum
        // counts the same work many times. The largest number counts in full, each other attack as
        // one, and quiet ones not yet expanded together as one.
        let others = (open + u32::from(has_unexpanded_quiet)).saturating_sub(1);
        let disproof = (disproof + others).min(INFINITE - 1);
        let has_quiet = self.quiet_prior.is_none();
        ProofNumbers { has_quiet, ..ProofNumbers::new(proof, disproof) }
    }

    /// AND node: the defender to move needs one disproven child.
    fn backup_defence(&self, children: &[Child]) -> ProofNumbers {
        if children.iter().all(|child| child.numbers.is_proven()) {
            let last = children.iter().max_by_key(|child| child.numbers.plies);
            let longest = last.map_or(0, |child| i32::from(child.numbers.plies) + 1);
            return ProofNumbers::proven(longest.max(self.plies), last.map(|child| child.mv));
        }
        let others = children.iter().filter(|child| !child.is_four);
        let fours = fours_proof(children);
        let proof = others.map(|child| child.numbers.proof).sum::<u32>() + fours;
        let disproof = children.iter().map(|child| child.numbers.disproof).min();
        match disproof.unwrap_or(INFINITE) {
            0 => ProofNumbers::DISPROVEN,
            disproof => ProofNumbers::new(proof.min(INFINITE - 1), disproof),
        }
    }

    /// Returns the index of the most promising child, and its thresholds for the proof and the
    /// disproof number. `None` asks for the quiet attacks, whose prior is the best.
    ///
    /// A node's own number is the proof number for the attacker, the disproof number for the
    /// defender. The child with the least own number is searched until it exceeds the second least
    /// (Nagai, 2002) by epsilon, so that the search does not switch to and fro (1 + epsilon trick:
    /// Pawlewicz and Lew, 2006), or until its other number has grown by as much as the node's may
    /// grow.
    pub fn select_child(
        &self,
        children: &[Child],
        numbers: ProofNumbers,
        thresholds: [u32; 2],
    ) -> Option<(usize, [u32; 2])> {
        let (own, other) = if self.is_attack { (0, 1) } else { (1, 0) };
        let own_and_other = |numbers: ProofNumbers| {
            let numbers = [numbers.proof, numbers.disproof];
            (numbers[own], numbers[other])
        };
        let quiet = self.quiet_prior.map_or(INFINITE, |prior| own_and_other(prior).0);
        let (mut best, mut least, mut second) = (None, quiet, INFINITE);
        for (index, child) in children.iter().enumerate() {
            let number = own_and_other(child.numbers).0;
            if number < least || best.is_none() && number == least {
                (best, least, second) = (Some(index), number, least);
            } else {
                second = second.min(number);
            }
        }
        let best = best?;
        let mut child_thresholds = [0; 2];
        let epsilon = second * EPSILON_FACTOR / 1024 + EPSILON_BASE;
        child_thresholds[own] = thresholds[own].min((second + epsilon).min(INFINITE));
        let growth = thresholds[other].saturating_sub(own_and_other(numbers).1);
        let now = match children[best].is_four && !self.is_attack {
            true => fours_proof(children),
            false => own_and_other(children[best].numbers).1,
        };
        child_thresholds[other] = (now + growth).min(INFINITE);
        Some((best, child_thresholds))
    }
}

/// Returns the proof number of all fours of the defender together, a little more than the largest.
/// A four and its answer leave threat and other defences as they were, so that the proofs are much
/// the same work.
fn fours_proof(children: &[Child]) -> u32 {
    let fours = children.iter().filter(|child| child.is_four);
    let largest = fours.map(|child| child.numbers.proof).max().unwrap_or(0);
    largest * FOURS_FACTOR / 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(is_attack: bool, quiet_prior: Option<ProofNumbers>) -> ProofNode {
        ProofNode { is_attack, quiet_prior, log_odds: [0; 2], plies: 0 }
    }

    /// Returns expanded children from proof number, disproof number and whether they are fours.
    fn children(numbers: &[(u32, u32, bool)]) -> Vec<Child> {
        let child = |(x, &(proof, disproof, is_four)): (u8, &(u32, u32, bool))| Child {
            mv: Coord::new(x, 0),
            numbers: ProofNumbers::new(proof, disproof),
            prior: None,
            is_four,
        };
        (0..).zip(numbers).map(child).collect()
    }

    #[test]
    fn a_proven_attack_proves_the_node() {
        let mut children = children(&[(5, 5, false), (7, 7, false)]);
        children[1].numbers = ProofNumbers::proven(4, None);
        let proven = ProofNumbers::proven(5, Some(Coord::new(1, 0)));
        assert_eq!(node(true, None).backup(&children), proven);
    }

    #[test]
    fn a_node_with_quiet_attacks_left_is_not_disproven() {
        let mut children = children(&[(5, 5, false)]);
        children[0].numbers = ProofNumbers::DISPROVEN;
        assert_eq!(node(true, None).backup(&children), ProofNumbers::DISPROVEN);
        let prior = ProofNumbers::new(90, 3);
        assert_eq!(node(true, Some(prior)).backup(&children), prior);
    }

    #[test]
    fn the_defenders_fours_share_their_work() {
        let proof = |numbers| node(false, None).backup(&children(numbers)).proof;
        assert_eq!(proof(&[(10, 1, false), (20, 1, false)]), 30);
        assert_eq!(proof(&[(10, 1, false), (20, 1, true), (16, 1, true)]), 40);
    }

    #[test]
    fn quiet_attacks_are_asked_for_once_their_prior_is_the_best() {
        let children = children(&[(20, 5, false), (30, 5, false)]);
        let selected = |proof| {
            let node = node(true, Some(ProofNumbers::new(proof, 3)));
            let numbers = node.backup(&children);
            node.select_child(&children, numbers, [INFINITE; 2]).map(|(index, _)| index)
        };
        assert_eq!((selected(21), selected(19)), (Some(0), None));
    }
}
