//! A test of the quantised network: the engine's values against the model's.
//!
//! The last steps of a training round the model as the engine does, so that the two differ only by
//! the cut to whole numbers. What rounding costs shows in the held-out losses.

use std::fmt;
use std::sync::Arc;

use anyhow::ensure;
use tengen::board::Board;
use tengen::eval::Evaluator;
use tengen::eval::network::{EVAL_SCALE, Network, Weights};
use tengen::types::{Coord, Rule};

use crate::train::data::{Data, TrainingPosition};
use crate::train::gradient::Worker;
use crate::train::model::Model;

/// The largest mean difference of sound weights, and the largest of all, in evaluation units.
const MEAN_MAX: f64 = 1.0;
const LARGEST_MAX: f64 = 10.0;
/// Values beyond this are not compared: they are decided, and the engine cuts them off.
const VALUE_MAX: f64 = 2_000.0;

/// Differences between the engine's values and the model's, in evaluation units.
#[derive(Clone, Copy, Debug, Default)]
pub struct QuantizationError {
    count: usize,
    sum: f64,
    largest: f64,
}

impl QuantizationError {
    /// Compares what a model and the weights made of it say of these positions.
    pub fn of(
        model: &Model,
        weights: &Weights,
        data: &Data,
        positions: &[TrainingPosition],
        rule: Rule,
    ) -> QuantizationError {
        let mut worker = Worker::new();
        let network = Arc::new(Network::new(weights));
        let mut error = QuantizationError::default();
        let predictions = worker.predictions(model, data, positions);
        for (position, log_odds) in positions.iter().zip(predictions) {
            let board = board(data, position, rule);
            let exact = f64::from(log_odds) * f64::from(EVAL_SCALE);
            if exact.abs() <= VALUE_MAX {
                let value =
                    Evaluator::by_network(&board, Arc::clone(&network)).evaluate(&board).value();
                error.add((f64::from(value) - exact).abs());
            }
        }
        error
    }

    fn add(&mut self, difference: f64) {
        self.count += 1;
        self.sum += difference;
        self.largest = self.largest.max(difference);
    }

    fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    /// Makes sure that the network is the model.
    pub fn check(&self) -> anyhow::Result<()> {
        ensure!(self.count > 0, "no value of the model is a number within {VALUE_MAX}");
        let is_small = self.mean() <= MEAN_MAX && self.largest <= LARGEST_MAX;
        ensure!(is_small, "the network is not the model: {self}");
        Ok(())
    }
}

/// Returns the board of a position.
fn board(data: &Data, position: &TrainingPosition, rule: Rule) -> Board {
    let (size, stones) = data.stones(position);
    let mut board = Board::new(size, rule);
    stones.iter().for_each(|&[x, y]| board.play(Coord::new(x, y)));
    board
}

impl fmt::Display for QuantizationError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let QuantizationError { count, largest, .. } = self;
        write!(f, "the engine's values differ by {:.2} in the mean, ", self.mean())?;
        write!(f, "{largest:.1} at most, of {count}")
    }
}

#[cfg(test)]
mod tests {
    use tengen::eval::threat_counts::threat_counts;

    use super::*;
    use crate::train::data::tests::random_positions;
    use crate::train::export::quantized;
    use crate::train::trainer::tests::trained;

    #[test]
    fn rounded_weights_are_the_model_and_others_are_not() {
        let mut data = random_positions(2, 600);
        for (is_tied, rule) in [(true, Rule::Freestyle), (false, Rule::Renju)] {
            let counts = |position| threat_counts(&board(&data, position, rule));
            let counts: Vec<u64> = data.held_out.iter().map(counts).collect();
            data.held_out.iter_mut().zip(counts).for_each(|(position, counts)| {
                position.counts = counts;
            });
            let mut model = trained(2, is_tied, 15, &data);
            model.is_rounded = true;
            let mut weights = quantized(&model);
            let rounding = |weights: &Weights| {
                QuantizationError::of(&model, weights, &data, &data.held_out, rule)
            };
            let sound = rounding(&weights);
            assert!(sound.count > 100 && sound.largest > 0.0 && sound.check().is_ok(), "{sound}");
            for head in &mut weights.heads {
                head.output.iter_mut().for_each(|weight| *weight += 100);
            }
            let changed = rounding(&weights);
            assert!(changed.check().is_err(), "{changed}");
        }
    }
}
