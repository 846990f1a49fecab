//! The fit of the move order: softmax regression of the move that a search chose among all
//! candidates.
//!
//! The probability of a move is proportional to the exponential of its ordering score, which is the
//! sum of what its cell's codes are worth to the mover and to the opponent, and of where it lies as
//! seen from the last two stones.

use tengen::types::{Color, Nearness, Rule};

use crate::fit::Model;
use crate::tune::cases::{Candidate, OrderCase};
use crate::tune::code_table::CodeTable;
use crate::tuning::adam::Adam;

/// How strongly the deviations of single codes are held small.
const CODE_L2: f64 = 1e-4;

/// The weights of the move order under a rule.
#[derive(Clone)]
pub struct Ordering {
    /// What a code is worth to the mover, and to the opponent: one table for both colors, or one
    /// each under renju.
    attack: Vec<CodeTable>,
    defend: Vec<CodeTable>,
    /// By [`Nearness`] to the last stone, then by that to the one before.
    near: Adam,
}

impl Ordering {
    pub fn new(rule: Rule) -> Ordering {
        let colors = if rule == Rule::Renju { &Color::ALL[..] } else { &[Color::Black] };
        let tables = || colors.iter().map(|&color| CodeTable::new(rule, color, CODE_L2)).collect();
        Ordering { attack: tables(), defend: tables(), near: Adam::new(2 * Nearness::COUNT, 0.0) }
    }

    /// Returns what a move is worth to its own color by its cell's code for that color.
    pub fn attack(&self, color: Color) -> &[f64] {
        self.attack[self.set(color)].numbers()
    }

    /// Returns what a move is worth by its cell's code for the other color, which is `color`.
    pub fn defend(&self, color: Color) -> &[f64] {
        self.defend[self.set(color)].numbers()
    }

    /// Returns what a move is worth by its nearness to the last stone, then by that to the one
    /// before.
    pub fn near(&self) -> &[f64] {
        &self.near.weights
    }

    fn set(&self, color: Color) -> usize {
        color as usize % self.attack.len()
    }

    fn probabilities(&self, case: &OrderCase) -> Vec<f64> {
        let (attack, defend) = (self.attack(case.mover), self.defend(!case.mover));
        let score = |candidate: &Candidate| {
            let near: f64 = slots(candidate).iter().map(|&slot| self.near.weights[slot]).sum();
            attack[candidate.codes[0] as usize] + defend[candidate.codes[1] as usize] + near
        };
        let scores: Vec<f64> = case.candidates.iter().map(score).collect();
        // The greatest is taken off, so that no exponential overflows.
        let greatest = scores.iter().copied().fold(f64::MIN, f64::max);
        let total: f64 = scores.iter().map(|score| (score - greatest).exp()).sum();
        scores.iter().map(|score| (score - greatest).exp() / total).collect()
    }
}

/// Returns the places of a candidate's two weights of nearness.
fn slots(candidate: &Candidate) -> [usize; 2] {
    [candidate.near[0], Nearness::COUNT + candidate.near[1]]
}

/// Returns the loss where the chosen move had this probability.
fn loss_of(p: f64) -> f64 {
    -p.max(f64::MIN_POSITIVE).ln()
}

impl Model<OrderCase> for Ordering {
    fn loss(&self, case: &OrderCase) -> f64 {
        loss_of(self.probabilities(case)[case.chosen])
    }

    fn add_gradient(&mut self, case: &OrderCase, share: f64) -> f64 {
        let probabilities = self.probabilities(case);
        let (us, them) = (self.set(case.mover), self.set(!case.mover));
        for (index, (candidate, p)) in case.candidates.iter().zip(&probabilities).enumerate() {
            let wanted = f64::from(u8::from(index == case.chosen));
            let error = share * (p - wanted);
            self.attack[us].add_gradient(candidate.codes[0] as usize, error);
            self.defend[them].add_gradient(candidate.codes[1] as usize, error);
            slots(candidate).into_iter().for_each(|slot| self.near.gradient[slot] += error);
        }
        loss_of(probabilities[case.chosen])
    }

    fn step(&mut self, rate: f64) {
        self.attack.iter_mut().chain(&mut self.defend).for_each(|table| table.step(rate));
        self.near.step(rate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{Cases, Schedule, fit};
    use tengen::shape::CODES;
    use tengen::types::Random;

    /// Returns a position with codes out of a few, which come as often as common ones in games.
    fn random_case(random: &mut Random, candidates: usize) -> OrderCase {
        const DISTANCE: usize = 61;
        let mut candidate = || Candidate {
            codes: [(); 2].map(|()| (DISTANCE * random.below(CODES / DISTANCE)) as u16),
            near: [(); 2].map(|()| random.below(Nearness::COUNT)),
        };
        let candidates = (0..candidates).map(|_| candidate()).collect();
        OrderCase { mover: Color::ALL[random.below(2)], candidates, chosen: 0 }
    }

    fn law(rule: Rule, random: &mut Random) -> Ordering {
        let mut law = Ordering::new(rule);
        law.attack.iter_mut().chain(&mut law.defend).for_each(|table| table.randomize(random, 0.5));
        for weight in &mut law.near.weights {
            *weight = random.below(2_001) as f64 / 1_000.0 - 1.0;
        }
        law
    }

    /// Chooses a move with the probabilities of a law.
    fn choose(law: &Ordering, case: &OrderCase, random: &mut Random) -> usize {
        let mut left = random.below(1 << 30) as f64 / f64::from(1 << 30);
        let probabilities = law.probabilities(case);
        let found = probabilities.iter().position(|p| {
            left -= p;
            left < 0.0
        });
        found.unwrap_or(probabilities.len() - 1)
    }

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        for rule in [Rule::Standard, Rule::Renju] {
            let mut random = Random::new(4);
            let mut model = law(rule, &mut random);
            let mut case = random_case(&mut random, 5);
            case.chosen = 3;
            model.add_gradient(&case, 0.5);
            let loss = |model: &Ordering| 0.5 * model.loss(&case);
            for set in 0..model.attack.len() {
                let attack =
                    CodeTable::gradient_error(&model, |model| &mut model.attack[set], loss);
                let defend =
                    CodeTable::gradient_error(&model, |model| &mut model.defend[set], loss);
                assert!(attack < 1e-8 && defend < 1e-8, "{rule:?} {attack} {defend}");
            }
            for slot in 0..2 * Nearness::COUNT {
                let at = |shift: f64| {
                    let mut moved = model.clone();
                    moved.near.weights[slot] += shift;
                    loss(&moved)
                };
                let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!((model.near.gradient[slot] - difference).abs() < 1e-8, "{slot}");
            }
        }
    }

    #[test]
    fn a_law_is_found_in_the_moves_it_chooses() {
        let mut random = Random::new(8);
        let law = law(Rule::Standard, &mut random);
        let mut cases = Cases::default();
        for number in 0..12_000 {
            let mut case = random_case(&mut random, 8);
            case.chosen = choose(&law, &case, &mut random);
            cases.push(case, number % 12 == 0);
        }
        let mut model = Ordering::new(Rule::Standard);
        let schedule = Schedule {
            epochs: 12,
            batch: 200,
            rate: |progress| 0.03 * (1.0 - progress).powi(2),
            seed: 1,
        };
        fit(&mut model, &cases, &schedule, |_, _| Ok(())).unwrap();
        let error = |model: &Ordering| {
            let of = |case| {
                let pairs = model.probabilities(case).into_iter().zip(law.probabilities(case));
                pairs.map(|(p, wanted)| (p - wanted).abs()).sum::<f64>() / 2.0
            };
            cases.held_out.iter().map(of).sum::<f64>() / cases.held_out.len() as f64
        };
        // The part of the probability that is on wrong moves.
        let (before, after) = (error(&Ordering::new(Rule::Standard)), error(&model));
        assert!(before > 0.3 && after < 0.1, "{before} {after}");
    }
}
