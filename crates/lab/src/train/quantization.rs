//! The quantised network, as the engine reads it: made of a model, a model made of it, and a test of
//! the engine's values against the model's.
//!
//! The last steps of a training round the model as the engine does, so that the two differ only by
//! the cut to whole numbers. What rounding costs shows in the held-out losses.

use std::fmt;
use std::sync::Arc;

use anyhow::ensure;
use tengen::eval::Evaluator;
use tengen::eval::network::{EVAL_SCALE, Network, Weights};
use tengen_gomoku::types::Rule;

use crate::train::model::{Head, Model};
use crate::train::positions::{Data, Position};
use crate::train::targets::ValueLabel;
use crate::train::value::{Value, ValueHead};

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
        model: &Model<ValueHead>,
        weights: &Weights,
        data: &Data<ValueLabel>,
        positions: &[Position<ValueLabel>],
        rule: Rule,
    ) -> QuantizationError {
        let network = Arc::new(Network::new(weights));
        let mut error = QuantizationError::default();
        let predictions = Value::predictions(model, data, positions);
        for (position, log_odds) in positions.iter().zip(predictions) {
            let board = data.board(position, rule);
            let exact = f64::from(log_odds) * f64::from(EVAL_SCALE);
            if exact.abs() <= VALUE_MAX {
                let value =
                    Evaluator::by_network(&board, Arc::clone(&network)).evaluate(&board).value();
                let difference = (f64::from(value) - exact).abs();
                error.count += 1;
                error.sum += difference;
                error.largest = error.largest.max(difference);
            }
        }
        error
    }

    fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    pub fn check(&self) -> anyhow::Result<()> {
        ensure!(self.count > 0, "no value of the model is a number within {VALUE_MAX}");
        let is_small = self.mean() <= MEAN_MAX && self.largest <= LARGEST_MAX;
        ensure!(is_small, "the network is not the model: {self}");
        Ok(())
    }
}

impl fmt::Display for QuantizationError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let QuantizationError { count, largest, .. } = self;
        write!(f, "the engine's values differ by {:.2} in the mean, ", self.mean())?;
        write!(f, "{largest:.1} at most, of {count}")
    }
}

/// Replaces the value of a network.
pub fn quantize(model: &Model<ValueHead>, weights: &mut Weights) {
    weights.perspectives = model.quantized_rows();
    for (head, from) in weights.heads.iter_mut().zip(&model.heads) {
        let mut numbers = from.quantized();
        head.visit(&mut |number| *number = numbers.next().unwrap_or_default());
    }
}

/// Gives a model the rows and heads of a network.
pub fn dequantize(weights: &Weights, model: &mut Model<ValueHead>) -> anyhow::Result<()> {
    ensure!(
        weights.heads.len() == model.heads.len(),
        "the network is not of the same kind of rules"
    );
    model.dequantize_rows(&weights.perspectives);
    for (head, from) in model.heads.iter_mut().zip(&weights.heads) {
        let mut numbers = Vec::new();
        from.clone().visit(&mut |&mut number| numbers.push(number));
        head.dequantize(numbers.into_iter());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::positions::tests::random_positions;
    use crate::train::trainer::tests::trained;
    use tengen::eval::rows::PERSPECTIVE_LANES;
    use tengen::eval::threat_counts::threat_counts;

    fn quantized(model: &Model<ValueHead>) -> Weights {
        let mut weights = Weights::zero(model.heads.len());
        quantize(model, &mut weights);
        weights
    }

    #[test]
    fn rounded_weights_are_the_model_and_others_are_not() {
        let mut data = random_positions(2, 600);
        for (is_tied, rule) in [(true, Rule::Freestyle), (false, Rule::Renju)] {
            let counts = |position| threat_counts(&data.board(position, rule));
            let counts: Vec<u64> = data.held_out.iter().map(counts).collect();
            data.held_out.iter_mut().zip(counts).for_each(|(position, counts)| {
                position.label.counts = counts;
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

    #[test]
    fn a_network_comes_back_from_the_model_made_of_it() {
        for is_tied in [true, false] {
            let mut model = Model::new(is_tied, 1);
            model.stone_free.fill([-0.5; PERSPECTIVE_LANES]);
            let weights = quantized(&model);
            let mut model = Model::new(is_tied, 2);
            dequantize(&weights, &mut model).unwrap();
            assert!(quantized(&model) == weights);
            assert!(dequantize(&weights, &mut Model::new(!is_tied, 2)).is_err());
        }
    }

    #[test]
    fn the_engine_reads_what_is_written() {
        for is_tied in [true, false] {
            let weights = quantized(&Model::new(is_tied, 1));
            assert_eq!(Weights::read(&weights.write()).unwrap(), weights);
        }
    }
}
