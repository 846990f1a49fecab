//! A table of one number a code, as a fit sees it: the sum of weights for the four line shapes and
//! for the threat that they make, and a deviation of the code's own that is held small. Thus rare
//! codes get sensible values too.

use tengen::shape::{CODES, RuleTables, Shape, Threat, shapes_of_code};
use tengen::types::{Color, Rule};

use crate::tuning::adam::Adam;

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

#[cfg(test)]
pub mod tests {
    use super::*;
    use tengen::types::Random;

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
}
