//! The fit of the tables' evaluation, which a style uses: logistic regression of what a position
//! was worth.
//!
//! The probability that the side to move wins is `1 / (1 + exp(-evaluation / 200))`. The evaluation
//! is linear in the numbers of empty cells of each code and in what being to move is worth.

use tengen::eval::TEMPO_ENTRIES;
use tengen::tuning::adam::Adam;
use tengen::tuning::fit::{Model, cross_entropy};
use tengen::types::{Color, Rule, sigmoid};

use crate::cases::EvalCase;
use crate::code_table::CodeTable;

/// Two L2 penalties: on the deviation of each code, and on that of each tempo index.
const CODE_L2: f64 = 1e-2;
const TEMPO_L2: f64 = 2e-5;
/// Bits of a tempo index.
const BITS: usize = TEMPO_ENTRIES.ilog2() as usize;

/// The weights of the evaluation under a rule.
#[derive(Clone)]
pub struct Evaluation {
    /// One set for both colours, or one each under renju.
    sets: Vec<WeightSet>,
}

/// The weights of a colour.
#[derive(Clone)]
struct WeightSet {
    cell: CodeTable,
    /// The tempo bonus of an index is the sum of [`WeightSet::parts`] of `bits`, which has a weight
    /// for each bit of the index and a constant, and of the index's own deviation.
    bits: Adam,
    deviations: Adam,
}

impl WeightSet {
    /// Returns the places in `bits` of what a tempo index adds up: those of its set bits, and that
    /// of the constant.
    fn parts(tempo_index: usize) -> impl Iterator<Item = usize> {
        (0..BITS).filter(move |bit| tempo_index >> bit & 1 != 0).chain([BITS])
    }

    fn tempo(&self, tempo_index: usize) -> f64 {
        let bits: f64 = WeightSet::parts(tempo_index).map(|bit| self.bits.weights[bit]).sum();
        bits + self.deviations.weights[tempo_index]
    }
}

impl Evaluation {
    /// Returns weights of 0.
    pub fn new(rule: Rule) -> Evaluation {
        let colors = if rule == Rule::Renju { &Color::ALL[..] } else { &[Color::Black] };
        let set = |&color: &Color| WeightSet {
            cell: CodeTable::new(rule, color, CODE_L2),
            bits: Adam::new(BITS + 1, 0.0),
            deviations: Adam::new(TEMPO_ENTRIES, TEMPO_L2),
        };
        Evaluation { sets: colors.iter().map(set).collect() }
    }

    /// Returns the worth of an empty cell to a colour by its code, in log odds.
    pub fn cell(&self, color: Color) -> &[f64] {
        self.sets[self.set(color)].cell.numbers()
    }

    /// Returns the tempo bonus, in log odds.
    pub fn tempo(&self, color: Color, tempo_index: usize) -> f64 {
        self.sets[self.set(color)].tempo(tempo_index)
    }

    fn set(&self, color: Color) -> usize {
        color as usize % self.sets.len()
    }

    fn probability(&self, case: &EvalCase) -> f64 {
        let side = |color: Color| -> f64 {
            let cell = self.cell(color);
            case.codes[color].iter().map(|&(code, n)| cell[code as usize] * f64::from(n)).sum()
        };
        let tempo = self.tempo(case.mover, case.tempo_index);
        sigmoid(side(case.mover) - side(!case.mover) + tempo)
    }
}

impl Model<EvalCase> for Evaluation {
    fn loss(&self, case: &EvalCase) -> f64 {
        cross_entropy(self.probability(case), case.target)
    }

    fn add_gradient(&mut self, case: &EvalCase, share: f64) -> f64 {
        let p = self.probability(case);
        let error = share * (p - case.target);
        for color in Color::ALL {
            let set = self.set(color);
            let sign = if color == case.mover { 1.0 } else { -1.0 };
            for &(code, n) in &case.codes[color] {
                self.sets[set].cell.add_gradient(code as usize, sign * error * f64::from(n));
            }
        }
        let mover = self.set(case.mover);
        let WeightSet { bits, deviations, .. } = &mut self.sets[mover];
        deviations.gradient[case.tempo_index] += error;
        WeightSet::parts(case.tempo_index).for_each(|bit| bits.gradient[bit] += error);
        cross_entropy(p, case.target)
    }

    fn step(&mut self, rate: f64) {
        for WeightSet { cell, bits, deviations } in &mut self.sets {
            cell.step(rate);
            bits.step(rate);
            deviations.step(rate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::shape::CODES;
    use tengen::tuning::fit::{Cases, Schedule, fit};
    use tengen::types::Random;

    /// Returns a position of random codes, a few of them in many cases, as games have them.
    fn random_case(random: &mut Random) -> EvalCase {
        let mut codes = || {
            let mut code = || random.below(CODES).min(random.below(CODES)) as u16;
            let mut codes: Vec<u16> = (0..6).map(|_| code()).collect();
            codes.sort();
            codes.dedup();
            codes.into_iter().map(|code| (code, 1.0)).collect()
        };
        let codes = [codes(), codes()];
        let mover = Color::ALL[random.below(2)];
        EvalCase { mover, codes, tempo_index: random.below(TEMPO_ENTRIES), target: 0.5 }
    }

    fn law(rule: Rule, random: &mut Random) -> Evaluation {
        let mut law = Evaluation::new(rule);
        for set in &mut law.sets {
            set.cell.randomize(random, 0.3);
            let weight = |random: &mut Random| random.below(2_001) as f64 / 2_000.0 - 0.5;
            set.bits.weights.iter_mut().for_each(|bit| *bit = weight(random));
        }
        law
    }

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        for rule in [Rule::Freestyle, Rule::Renju] {
            let mut random = Random::new(5);
            let mut model = law(rule, &mut random);
            let mut case = random_case(&mut random);
            case.target = 0.7;
            model.add_gradient(&case, 0.5);
            let loss = |model: &Evaluation| 0.5 * model.loss(&case);
            for set in 0..model.sets.len() {
                let error =
                    CodeTable::gradient_error(&model, |model| &mut model.sets[set].cell, loss);
                assert!(error < 1e-8, "{rule:?} {error}");
                let difference = |of: fn(&mut WeightSet) -> &mut Adam, weight: usize| {
                    let at = |shift: f64| {
                        let mut moved = model.clone();
                        of(&mut moved.sets[set]).weights[weight] += shift;
                        loss(&moved)
                    };
                    (at(1e-5) - at(-1e-5)) / 2e-5
                };
                for bit in 0..=BITS {
                    let found = model.sets[set].bits.gradient[bit];
                    assert!((found - difference(|set| &mut set.bits, bit)).abs() < 1e-8);
                }
                for tempo_index in [case.tempo_index, case.tempo_index ^ 1] {
                    let found = model.sets[set].deviations.gradient[tempo_index];
                    let wanted = difference(|set| &mut set.deviations, tempo_index);
                    assert!((found - wanted).abs() < 1e-8);
                }
            }
        }
    }

    #[test]
    fn a_law_is_found_again() {
        for rule in [Rule::Freestyle, Rule::Renju] {
            let mut random = Random::new(9);
            let law = law(rule, &mut random);
            let mut cases = Cases::default();
            for number in 0..6_000 {
                let mut case = random_case(&mut random);
                case.target = law.probability(&case);
                cases.push(case, number % 6 == 0);
            }
            let mut model = Evaluation::new(rule);
            let schedule = Schedule {
                epochs: 40,
                batch: 100,
                rate: |progress| 0.02 * (1.0 - progress).powi(2),
                seed: 1,
            };
            fit(&mut model, &cases, &schedule, |_, _| Ok(())).unwrap();
            let error = |model: &Evaluation| {
                let of = |case| (model.probability(case) - law.probability(case)).powi(2);
                (cases.held_out.iter().map(of).sum::<f64>() / cases.held_out.len() as f64).sqrt()
            };
            let (before, after) = (error(&Evaluation::new(rule)), error(&model));
            assert!(before > 0.2 && after < 0.02, "{rule:?} {before} {after}");
        }
    }
}
