//! Adam: steps by the first and second moments of each weight's gradients.
//!
//! Diederik Kingma and Jimmy Ba, "Adam: A Method for Stochastic Optimization", 2015.

/// The decay rates of the mean of gradients and of the mean of their squares.
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
    /// Returns so many weights with this L2 regularisation.
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
mod tests {
    use super::*;

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
