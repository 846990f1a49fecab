//! Logistic regression by Newton's method, for a few dozen weights: each epoch is one step, which
//! the curvature of the loss sizes.

use tengen::types::sigmoid;

use crate::fit::{Model, cross_entropy};

/// What is known of a case, and how likely the outcome was.
#[derive(Clone, Debug)]
pub struct Case {
    /// What the log odds are linear in, a constant 1 among them where one is wanted.
    pub inputs: Vec<f64>,
    /// The probability of the outcome, or 0 or 1 where it is known.
    pub target: f64,
}

#[derive(Clone, Debug)]
pub struct Logistic {
    /// One for each input, 0 at first.
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
    use tengen::types::Random;

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
    fn a_law_is_found_again() {
        let cases = cases(500);
        let mut model = Logistic::new(4, 1e-9);
        let schedule = Schedule { epochs: 12, batch: usize::MAX, rate: |_| 1.0, seed: 1 };
        fit(&mut model, &cases, &schedule, |_, _| Ok(())).unwrap();
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
        fit(&mut model, &cases, &schedule, |_, _| Ok(())).unwrap();
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
