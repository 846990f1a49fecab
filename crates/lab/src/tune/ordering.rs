//! The fit of the move order: softmax regression of the move that a search chose among all
//! candidates.
//!
//! The probability of a move is proportional to the exponential of its ordering score, which is the
//! sum of what its cell's codes are worth to the mover and to the opponent, and of where it lies as
//! seen from the last two stones.

use tengen::search::Nearness;
use tengen_gomoku::shape::{CODES, RuleTables, Shape, Threat, shapes_of_code};
use tengen_gomoku::types::{Color, Rule};

use crate::fit::Model;
use crate::tune::{Candidate, OrderCase};

const CODE_L2: f64 = 1e-4;

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

fn slots(candidate: &Candidate) -> [usize; 2] {
    [candidate.near[0], Nearness::COUNT + candidate.near[1]]
}

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

/// Weights of a code: four shapes and a threat.
const PARTS: usize = 5;

#[derive(Clone)]
pub struct CodeTable {
    /// For each code, which of the shared weights are its own.
    parts: Vec<[usize; PARTS]>,
    shared: Adam,
    deviations: Adam,
    /// The sums, made anew after every step.
    numbers: Vec<f64>,
}

impl CodeTable {
    /// Returns a table of zeros for a color under a rule, which say what threats codes are.
    /// `l2` holds the deviations small.
    pub fn new(rule: Rule, color: Color, l2: f64) -> CodeTable {
        let tables = RuleTables::of(rule);
        let parts = |code: usize| {
            let [a, b, c, d] = shapes_of_code(code as u16).map(|shape| shape as usize);
            [a, b, c, d, Shape::COUNT + tables.threat(color, code as u16) as usize]
        };
        CodeTable {
            parts: (0..CODES).map(parts).collect(),
            shared: Adam::new(Shape::COUNT + Threat::COUNT, 0.0),
            deviations: Adam::new(CODES, l2),
            numbers: vec![0.0; CODES],
        }
    }

    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    pub fn add_gradient(&mut self, code: usize, gradient: f64) {
        self.deviations.gradient[code] += gradient;
        for &part in &self.parts[code] {
            self.shared.gradient[part] += gradient;
        }
    }

    pub fn step(&mut self, rate: f64) {
        self.shared.step(rate);
        self.deviations.step(rate);
        self.add_up();
    }

    fn add_up(&mut self) {
        for (code, number) in self.numbers.iter_mut().enumerate() {
            let shared: f64 = self.parts[code].iter().map(|&part| self.shared.weights[part]).sum();
            *number = shared + self.deviations.weights[code];
        }
    }
}

const BETA1: f64 = 0.9;
const BETA2: f64 = 0.999;
/// Keeps the steps of weights finite whose gradients were 0.
const EPSILON: f64 = 1e-8;

/// Weights, all 0 at first, that follow the gradients added to them.
#[derive(Clone, Debug)]
pub struct Adam {
    pub weights: Vec<f64>,
    pub gradient: Vec<f64>,
    mean: Vec<f64>,
    square: Vec<f64>,
    steps: i32,
    /// L2 regularisation: the factor of half the squared weights in the loss.
    l2: f64,
}

impl Adam {
    pub fn new(len: usize, l2: f64) -> Adam {
        let zeros = || vec![0.0; len];
        Adam { weights: zeros(), gradient: zeros(), mean: zeros(), square: zeros(), steps: 0, l2 }
    }

    /// Moves each weight by about `rate` at most and clears the gradient.
    pub fn step(&mut self, rate: f64) {
        self.steps += 1;
        let [mean_seen, square_seen] = [BETA1, BETA2].map(|beta| 1.0 - beta.powi(self.steps));
        for i in 0..self.weights.len() {
            let g = std::mem::take(&mut self.gradient[i]) + self.l2 * self.weights[i];
            self.mean[i] = BETA1 * self.mean[i] + (1.0 - BETA1) * g;
            self.square[i] = BETA2 * self.square[i] + (1.0 - BETA2) * g * g;
            let spread = (self.square[i] / square_seen).sqrt();
            self.weights[i] -= rate * (self.mean[i] / mean_seen) / (spread + EPSILON);
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::fit::{Cases, Schedule, fit};
    use tengen_gomoku::shape::CODES;
    use tengen_gomoku::types::Random;

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
        fit(&mut model, &cases, &schedule, |_, _| ()).unwrap();
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

    impl CodeTable {
        /// Gives the shared weights random values up to `limit`, for a law to find again.
        pub fn randomize(&mut self, random: &mut Random, limit: f64) {
            for weight in &mut self.shared.weights {
                *weight = limit * (random.below(2_001) as f64 / 1_000.0 - 1.0);
            }
            self.add_up();
        }

        /// Returns the largest difference between the gradient and what `loss` does when a weight
        /// of this table, which `of` finds in a model, is moved.
        pub fn gradient_error<M: Clone>(
            model: &M,
            of: impl Fn(&mut M) -> &mut CodeTable,
            loss: impl Fn(&M) -> f64,
        ) -> f64 {
            const SHIFT: f64 = 1e-5;
            let own = of(&mut model.clone()).clone();
            let shared = (0..own.shared.weights.len()).map(|i| (i, own.shared.gradient[i], true));
            // Codes that no case has have the gradient 0 anyway; a part of them will do.
            let deviations = (0..CODES)
                .filter(|&i| own.deviations.gradient[i] != 0.0 || i % 200 == 0)
                .map(|i| (i, own.deviations.gradient[i], false));
            let error = |(i, gradient, is_shared): (usize, f64, bool)| {
                let at = |shift: f64| {
                    let mut moved = model.clone();
                    let table = of(&mut moved);
                    let adam = if is_shared { &mut table.shared } else { &mut table.deviations };
                    adam.weights[i] += shift;
                    table.add_up();
                    loss(&moved)
                };
                (gradient - (at(SHIFT) - at(-SHIFT)) / (2.0 * SHIFT)).abs()
            };
            shared.chain(deviations).map(error).fold(0.0, f64::max)
        }
    }

    #[test]
    fn codes_share_the_weights_of_their_shapes_and_threat() {
        let mut table = CodeTable::new(Rule::Freestyle, Color::Black, 0.0);
        let threats = RuleTables::of(Rule::Freestyle);
        let five = (0..CODES)
            .find(|&code| threats.threat(Color::Black, code as u16) == Threat::Five)
            .expect("some code is a five");
        table.add_gradient(five, -1.0);
        table.step(0.1);
        // Its deviation and all of its five parts move, and three dead lines are one weight.
        assert!(table.numbers()[five] > 0.55);
        let four = (0..CODES)
            .find(|&code| threats.threat(Color::Black, code as u16) == Threat::Four)
            .expect("some code is a four");
        // Shared with it are the dead lines only.
        let dead = shapes_of_code(four as u16).iter().filter(|&&s| s == Shape::Dead).count();
        assert!((table.numbers()[four] - 0.1 * dead as f64).abs() < 1e-6);
    }

    #[test]
    fn the_first_step_has_the_size_of_the_rate() {
        let mut adam = Adam::new(3, 0.0);
        adam.gradient.copy_from_slice(&[5.0, -0.001, 0.0]);
        adam.step(0.1);
        let wanted = [-0.1, 0.1, 0.0];
        assert!(adam.weights.iter().zip(wanted).all(|(w, wanted)| (w - wanted).abs() < 1e-5));
        assert_eq!(adam.gradient, [0.0; 3]);
    }

    #[test]
    fn a_quadratic_function_is_brought_to_its_least() {
        // Half of (x - 3)^2 + 100 (y + 2)^2, and the regularisation draws y from -2 to -200 / 101.
        let mut adam = [Adam::new(1, 0.0), Adam::new(1, 1.0)];
        for step in 0..4_000 {
            adam[0].gradient[0] = adam[0].weights[0] - 3.0;
            adam[1].gradient[0] = 100.0 * (adam[1].weights[0] + 2.0);
            let rate = 0.05 * (1.0 - f64::from(step) / 4_000.0);
            adam.iter_mut().for_each(|adam| adam.step(rate));
        }
        let [x, y] = [adam[0].weights[0], adam[1].weights[0]];
        assert!((x - 3.0).abs() < 1e-3 && (y + 200.0 / 101.0).abs() < 1e-3, "{x} {y}");
    }
}
