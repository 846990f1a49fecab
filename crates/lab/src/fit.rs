//! The epoch loop of a fit: training cases in shuffled batches, and the loss on cases held out.

use anyhow::ensure;
use tengen_gomoku::types::Random;

/// What is fitted to cases of the type `C`.
pub trait Model<C> {
    /// Returns the loss on a case: its cross-entropy, in nats.
    fn loss(&self, case: &C) -> f64;

    /// Adds the gradient of the loss on a case, times `share`, and returns the loss.
    fn add_gradient(&mut self, case: &C, share: f64) -> f64;

    /// Moves the weights against the gradients added since the last step, and forgets these.
    /// `rate` is the size of the step, for models that do not find it themselves.
    fn step(&mut self, rate: f64);
}

/// Cases to learn from, and cases that are only measured.
#[derive(Clone, Debug)]
pub struct Cases<C> {
    pub training: Vec<C>,
    pub held_out: Vec<C>,
}

impl<C> Default for Cases<C> {
    fn default() -> Cases<C> {
        Cases { training: Vec::new(), held_out: Vec::new() }
    }
}

impl<C> Cases<C> {
    pub fn push(&mut self, case: C, is_held_out: bool) {
        if is_held_out { self.held_out.push(case) } else { self.training.push(case) }
    }

    pub fn len(&self) -> usize {
        self.training.len() + self.held_out.len()
    }
}

/// How long a fit goes on, and by what steps.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    pub epochs: usize,
    pub batch: usize,
    /// The size of the steps when this part of the epochs is over, from 0 to 1.
    pub rate: fn(progress: f64) -> f64,
    pub seed: u64,
}

/// The mean loss a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Losses {
    pub training: f64,
    pub held_out: f64,
}

/// Fits a model and returns the losses of the last epoch; `report` hears of each epoch.
pub fn fit<C, M: Model<C>>(
    model: &mut M,
    cases: &Cases<C>,
    schedule: &Schedule,
    mut report: impl FnMut(usize, Losses),
) -> anyhow::Result<Losses> {
    let Cases { training, held_out } = cases;
    ensure!(!training.is_empty(), "there are no cases to fit to");
    ensure!(!held_out.is_empty(), "there are no held-out cases to measure on");
    let mut order: Vec<usize> = (0..training.len()).collect();
    let mut random = Random::new(schedule.seed);
    let mut losses = Losses { training: f64::NAN, held_out: f64::NAN };
    for epoch in 0..schedule.epochs {
        let rate = (schedule.rate)(epoch as f64 / schedule.epochs as f64);
        random.shuffle(&mut order);
        let mut sum = 0.0;
        for batch in order.chunks(schedule.batch) {
            let share = 1.0 / batch.len() as f64;
            for &case in batch {
                sum += model.add_gradient(&training[case], share);
            }
            model.step(rate);
        }
        losses = Losses { training: sum / training.len() as f64, held_out: mean(model, held_out) };
        report(epoch, losses);
    }
    Ok(losses)
}

fn mean<C, M: Model<C>>(model: &M, cases: &[C]) -> f64 {
    cases.iter().map(|case| model.loss(case)).sum::<f64>() / cases.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number that is to become the mean of the cases; its loss is half the squared distance.
    #[derive(Default)]
    struct Mean {
        weight: f64,
        gradient: f64,
        steps: usize,
    }

    impl Model<f64> for Mean {
        fn loss(&self, case: &f64) -> f64 {
            (self.weight - case).powi(2) / 2.0
        }

        fn add_gradient(&mut self, case: &f64, share: f64) -> f64 {
            self.gradient += share * (self.weight - case);
            self.loss(case)
        }

        fn step(&mut self, rate: f64) {
            self.weight -= rate * std::mem::take(&mut self.gradient);
            self.steps += 1;
        }
    }

    #[test]
    fn every_training_case_counts_once_an_epoch_and_no_other() {
        let cases = Cases { training: vec![1.0, 2.0, 3.0, 6.0], held_out: vec![100.0, 103.0] };
        let schedule = Schedule { epochs: 2, batch: 4, rate: |_| 1.0, seed: 1 };
        let mut model = Mean::default();
        let mut heard = Vec::new();
        let report = |epoch, losses| heard.push((epoch, losses));
        let last = fit(&mut model, &cases, &schedule, report).unwrap();
        assert_eq!((model.weight, model.steps), (3.0, 2));
        let held_out = (97.0f64.powi(2) + 100.0f64.powi(2)) / 4.0;
        // The first epoch meets its cases at 0, the second one at their mean.
        assert_eq!(heard[0], (0, Losses { training: 50.0 / 8.0, held_out }));
        assert_eq!(heard[1], (1, Losses { training: 14.0 / 8.0, held_out }));
        assert_eq!(heard[1].1, last);
    }

    #[test]
    fn rates_follow_the_schedule_and_batches_their_size() {
        let cases = Cases { training: vec![1.0; 5], held_out: vec![1.0] };
        let schedule = Schedule { epochs: 3, batch: 2, rate: |progress| progress, seed: 1 };
        let mut model = Mean::default();
        fit(&mut model, &cases, &schedule, |_, _| ()).unwrap();
        assert_eq!(model.steps, 9);
        let left = (1.0f64 - 1.0 / 3.0).powi(3) * (1.0f64 - 2.0 / 3.0).powi(3);
        assert!((1.0 - model.weight - left).abs() < 1e-12);
    }

    #[test]
    fn nothing_to_learn_from_or_to_measure_on_is_an_error() {
        let schedule = Schedule { epochs: 1, batch: 1, rate: |_| 1.0, seed: 1 };
        for (training, held_out) in [(vec![], vec![1.0]), (vec![1.0], vec![])] {
            let cases = Cases { training, held_out };
            assert!(fit(&mut Mean::default(), &cases, &schedule, |_, _| ()).is_err());
        }
    }
}
