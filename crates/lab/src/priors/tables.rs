//! The tables of priors: their cases, their fit, and their text.

use std::f64::consts::LN_2;

use anyhow::Context;
use tengen::score::sigmoid;
use tengen::search::vct::{DOUBLING, MoveClass, MoveSample};
use tengen_gomoku::shape::Threat;

use crate::fit::{Cases, Losses, Model, Schedule, cross_entropy, fit};
use crate::priors::Sample;

/// Newton's method has come to rest after so many steps, each with all cases.
const SCHEDULE: Schedule = Schedule { epochs: 20, batch: usize::MAX, rate: |_| 1.0, seed: 1 };
/// Holds the weights small, as much as so many cases do.
const L2: f64 = 2.0;

/// A table of the file: the name of its constant, and what it is about.
#[derive(Clone, Copy)]
pub struct Table(&'static str, Subject);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    Position { is_attack: bool },
    Move(MoveClass),
}

pub const TABLES: [Table; 5] = [
    Table("ATTACKER_TO_MOVE", Subject::Position { is_attack: true }),
    Table("DEFENDER_TO_MOVE", Subject::Position { is_attack: false }),
    Table("DEFENCE", Subject::Move(MoveClass::Defence)),
    Table("ATTACK", Subject::Move(MoveClass::Attack)),
    Table("QUIET_ATTACK", Subject::Move(MoveClass::QuietAttack)),
];

impl Table {
    /// Returns what follows the entry of an outcome: attacks are shifted by hand, by a
    /// constant of the file.
    fn suffix(self, outcome: usize) -> String {
        match self.1 {
            Subject::Move(MoveClass::Attack | MoveClass::QuietAttack) => {
                format!("\n    .shifted(ATTACK_SHIFT[{outcome}])")
            }
            _ => String::new(),
        }
    }

    /// Returns the type of the table's two entries, and its fields after the base with the numbers
    /// in each, none for a number alone.
    fn entry(self) -> (&'static str, [(&'static str, Option<usize>); 3]) {
        match self.1 {
            Subject::Position { .. } => {
                let threats = Some(Threat::COUNT - Threat::Forbidden as usize);
                let fields = [("attacker", threats), ("defender", threats), ("answer", None)];
                ("PositionModel", fields)
            }
            Subject::Move(_) => {
                let threats = Some(Threat::COUNT);
                let fields = [("node", Some(2)), ("attacker", threats), ("defender", threats)];
                ("MoveModel", fields)
            }
        }
    }

    fn weights(self) -> usize {
        1 + self.entry().1.iter().map(|(_, len)| len.unwrap_or(1)).sum::<usize>()
    }

    pub fn fitted(self, samples: &[Sample]) -> anyhow::Result<String> {
        let mut text = String::new();
        let mut entries = Vec::new();
        for (outcome, name) in ["proof", "disproof"].into_iter().enumerate() {
            let cases = self.cases(samples, outcome);
            let (weights, losses) =
                fitted_weights(&cases, self.weights()).with_context(|| self.0)?;
            let (count, Losses { training, held_out }) = (cases.len(), losses);
            text += &format!("// {name}: {count} cases, loss {training:.4}, ");
            text += &format!("held out {held_out:.4}\n");
            entries.push(weights);
        }
        Ok(text + &self.text(&entries))
    }

    /// Returns the cases with the chances of an outcome, of a proof (0) or a disproof (1).
    fn cases(self, samples: &[Sample], outcome: usize) -> Cases<Case> {
        let mut cases = Cases::default();
        for sample in samples {
            let mut add = |case| cases.push(case, sample.is_held_out);
            match self.1 {
                Subject::Position { is_attack } if is_attack == sample.is_attack => {
                    add(position_case(sample, outcome));
                }
                Subject::Position { .. } => {}
                Subject::Move(class) => moves_of(sample, class, outcome).for_each(add),
            }
        }
        cases
    }

    fn text(self, entries: &[Vec<i32>]) -> String {
        let (constant, (entry_type, fields)) = (self.0, self.entry());
        let mut text = format!("const {constant}: [{entry_type}; 2] = [\n");
        for (outcome, weights) in entries.iter().enumerate() {
            let mut weights = weights.iter().copied();
            let base = weights.next().unwrap_or(0);
            text += &format!("    {entry_type} {{\n        base: {base},\n");
            for (field, len) in fields {
                let numbers: Vec<i32> = weights.by_ref().take(len.unwrap_or(1)).collect();
                text += &match (len, numbers.as_slice()) {
                    (None, [number]) => format!("        {field}: {number},\n"),
                    (_, numbers) => format!("        {field}: {numbers:?},\n"),
                };
            }
            text += &format!("    }}{},\n", self.suffix(outcome));
        }
        text + "];"
    }
}

/// Returns the weights of the log odds in parts of a doubling, and how well they fit.
fn fitted_weights(cases: &Cases<Case>, inputs: usize) -> anyhow::Result<(Vec<i32>, Losses)> {
    let mut model = Logistic::new(inputs, L2 / cases.training.len().max(1) as f64);
    let losses = fit(&mut model, cases, &SCHEDULE, |_, _| ())?;
    let parts = |weight: &f64| (weight * f64::from(DOUBLING) / LN_2).round() as i32;
    Ok((model.weights.iter().map(parts).collect(), losses))
}

fn position_case(sample: &Sample, outcome: usize) -> Case {
    let features = sample.position.features.iter().map(|&n| f64::from(n));
    let target = f64::from(u8::from(sample.outcomes[outcome]));
    Case { inputs: [1.0].into_iter().chain(features).collect(), target }
}

fn moves_of(sample: &Sample, class: MoveClass, outcome: usize) -> impl Iterator<Item = Case> {
    let case = move |sampled: &MoveSample| {
        let mut inputs = vec![1.0];
        // Doublings already.
        inputs.extend(sample.position.log_odds);
        for threat in sampled.threats {
            let offered = threat as usize;
            inputs.extend((0..Threat::COUNT).map(|n| f64::from(u8::from(n == offered))));
        }
        Case { inputs, target: sampled.probabilities[outcome] }
    };
    sample.position.moves.iter().filter(move |sampled| sampled.class == class).map(case)
}

#[derive(Clone, Debug)]
pub struct Case {
    /// What the log odds are linear in, a constant 1 among them where one is wanted.
    pub inputs: Vec<f64>,
    /// The probability of the outcome, or 0 or 1 where it is known.
    pub target: f64,
}

#[derive(Clone, Debug)]
pub struct Logistic {
    pub weights: Vec<f64>,
    gradient: Vec<f64>,
    curvature: Vec<Vec<f64>>,
    l2: f64,
}

impl Logistic {
    /// Returns the weights of so many inputs. `l2`, above 0, is the factor of half the squared
    /// weights in the loss: it holds those small that the cases tell little of.
    pub fn new(inputs: usize, l2: f64) -> Logistic {
        let zeros = vec![0.0; inputs];
        Logistic {
            weights: zeros.clone(),
            gradient: zeros.clone(),
            curvature: vec![zeros; inputs],
            l2,
        }
    }

    fn probability(&self, case: &Case) -> f64 {
        sigmoid(self.weights.iter().zip(&case.inputs).map(|(w, x)| w * x).sum())
    }
}

impl Model<Case> for Logistic {
    fn loss(&self, case: &Case) -> f64 {
        cross_entropy(self.probability(case), case.target)
    }

    fn add_gradient(&mut self, case: &Case, share: f64) -> f64 {
        let p = self.probability(case);
        for (i, &x) in case.inputs.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            self.gradient[i] += share * (p - case.target) * x;
            for (sum, other) in self.curvature[i].iter_mut().zip(&case.inputs) {
                *sum += share * p * (1.0 - p) * x * other;
            }
        }
        cross_entropy(p, case.target)
    }

    /// Takes Newton's step, whatever the rate.
    fn step(&mut self, _rate: f64) {
        for i in 0..self.weights.len() {
            self.gradient[i] += self.l2 * self.weights[i];
            self.curvature[i][i] += self.l2;
        }
        for (weight, step) in self.weights.iter_mut().zip(solve(&self.curvature, &self.gradient)) {
            *weight -= step;
        }
        self.gradient.fill(0.0);
        self.curvature.iter_mut().for_each(|row| row.fill(0.0));
    }
}

/// Returns the solution of linear equations with a positive definite matrix, by elimination.
fn solve(matrix: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let (mut matrix, mut right) = (matrix.to_vec(), right.to_vec());
    let len = right.len();
    for i in 0..len {
        let pivot = matrix[i].clone();
        for j in i + 1..len {
            let factor = matrix[j][i] / pivot[i];
            matrix[j].iter_mut().zip(&pivot).skip(i).for_each(|(m, p)| *m -= factor * p);
            right[j] -= factor * right[i];
        }
    }
    for i in (0..len).rev() {
        let known: f64 = (i + 1..len).map(|j| matrix[i][j] * right[j]).sum();
        right[i] = (right[i] - known) / matrix[i][i];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{Cases, Schedule, fit};
    use tengen_gomoku::types::Random;

    /// The file that the tables stand in.
    const FILE: &str = include_str!("../../../../src/search/threat/vct/priors.rs");

    /// Returns the text of a table in the file.
    fn in_file(table: Table) -> &'static str {
        let start = FILE.find(&format!("const {}:", table.0)).expect("the file has it");
        let end = FILE[start..].find("];\n").expect("a table ends");
        &FILE[start..start + end + 2]
    }

    /// Returns the numbers in the text of a table.
    fn read(text: &str) -> Vec<Vec<i32>> {
        let entry = |text: &str| {
            let fields = text.split('}').next().unwrap_or_default();
            let words = fields.split(|c: char| !c.is_ascii_digit() && c != '-');
            words.filter_map(|word| word.parse().ok()).collect()
        };
        text.split("{\n").skip(1).map(entry).collect()
    }

    #[test]
    fn what_is_printed_is_what_the_file_holds() {
        for table in TABLES {
            let text = in_file(table);
            let entries = read(text);
            assert!(entries.iter().all(|weights| weights.len() == table.weights()), "{text}");
            assert_eq!(table.text(&entries), text);
            let is_shifted = table.0.ends_with("ATTACK");
            assert_eq!(text.matches("shifted(").count(), if is_shifted { 2 } else { 0 });
        }
    }

    #[test]
    fn a_law_is_found_again() {
        // One part of a doubling each, up to 20 of them, and a base.
        let law = [24, -7, 0, 20, -16];
        let mut random = Random::new(6);
        let mut cases = Cases::default();
        for number in 0..20_000 {
            let mut inputs = vec![1.0];
            inputs.extend((0..4).map(|_| random.below(4) as f64));
            let doublings: f64 = inputs.iter().zip(law).map(|(x, w)| x * f64::from(w)).sum();
            let odds = (doublings / f64::from(DOUBLING)).exp2();
            cases.push(Case { inputs, target: odds / (1.0 + odds) }, number % 10 == 0);
        }
        let (weights, losses) = fitted_weights(&cases, 5).unwrap();
        assert_eq!(weights, law);
        assert!((losses.training - losses.held_out).abs() < 0.02);
    }

    #[test]
    fn a_table_without_cases_is_an_error() {
        let error = TABLES[2].fitted(&[]).unwrap_err();
        assert!(format!("{error:#}").contains("DEFENCE"), "{error:#}");
    }

    const LAW: [f64; 4] = [-0.5, 1.25, 0.0, -2.0];

    /// Returns cases whose targets are the probabilities of the law.
    fn cases(count: usize) -> Cases<Case> {
        let mut random = Random::new(11);
        let mut cases = Cases::default();
        for number in 0..count {
            let mut input = || random.below(2_001) as f64 / 1_000.0 - 1.0;
            let inputs = vec![1.0, input(), input(), input()];
            let law = Logistic { weights: LAW.to_vec(), ..Logistic::new(4, 1.0) };
            let mut case = Case { inputs, target: 0.0 };
            case.target = law.probability(&case);
            cases.push(case, number % 10 == 0);
        }
        cases
    }

    #[test]
    fn a_law_of_three_inputs_is_found_again() {
        let cases = cases(500);
        let mut model = Logistic::new(4, 1e-9);
        let schedule = Schedule { epochs: 12, batch: usize::MAX, rate: |_| 1.0, seed: 1 };
        fit(&mut model, &cases, &schedule, |_, _| ()).unwrap();
        let distance = |(w, law): (&f64, f64)| (w - law).abs();
        assert!(model.weights.iter().zip(LAW).all(|pair| distance(pair) < 1e-5), "{model:?}");
    }

    #[test]
    fn a_law_is_found_in_outcomes_of_chance() {
        let mut cases = cases(40_000);
        let mut random = Random::new(3);
        for case in &mut cases.training {
            case.target =
                f64::from(u8::from(case.target > random.below(1 << 20) as f64 / 1048576.0));
        }
        let mut model = Logistic::new(4, 2.0 / 40_000.0);
        let schedule = Schedule { epochs: 12, batch: usize::MAX, rate: |_| 1.0, seed: 1 };
        fit(&mut model, &cases, &schedule, |_, _| ()).unwrap();
        let distance = |(w, law): (&f64, f64)| (w - law).abs();
        assert!(model.weights.iter().zip(LAW).all(|pair| distance(pair) < 0.1), "{model:?}");
    }

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        let case = Case { inputs: vec![1.0, 0.5, 0.0, -2.0], target: 0.8 };
        let mut model = Logistic { weights: vec![0.3, -1.0, 2.0, 0.1], ..Logistic::new(4, 1.0) };
        model.add_gradient(&case, 0.5);
        for i in 0..4 {
            let at = |shift: f64| {
                let mut moved = model.clone();
                moved.weights[i] += shift;
                moved.loss(&case)
            };
            let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((model.gradient[i] - 0.5 * difference).abs() < 1e-8, "{i}");
        }
    }

    #[test]
    fn equations_are_solved() {
        let matrix = [vec![4.0, 1.0, 0.5], vec![1.0, 3.0, -1.0], vec![0.5, -1.0, 5.0]];
        let wanted = [1.0, -2.0, 3.0];
        let row = |row: &Vec<f64>| row.iter().zip(wanted).map(|(m, x)| m * x).sum();
        let right: Vec<f64> = matrix.iter().map(row).collect();
        assert!(solve(&matrix, &right).iter().zip(wanted).all(|(x, w)| (x - w).abs() < 1e-12));
    }
}
