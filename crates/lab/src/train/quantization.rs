//! The quantised network, as the engine reads it: made of a model, a model made of it, and a test of
//! the engine's values against the model's.
//!
//! The last steps of a training round the model as the engine does, so that the two differ only by
//! the cut to whole numbers. What rounding costs shows in the held-out losses.

use std::fmt;
use std::sync::Arc;

use anyhow::ensure;
use tengen::eval::Evaluator;
use tengen::eval::network::{EVAL_SCALE, Network, PERSPECTIVE_LANES, ROW_ONE, Weights};
use tengen::eval::pattern::{PATTERNS, Pattern, RADIUS};
use tengen_gomoku::board::Board;
use tengen_gomoku::types::{Coord, Rule};

use crate::train::data::{Data, TrainingPosition};
use crate::train::gradient::Worker;
use crate::train::model::{Head, Model, RADII, offsets, rounded};

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

fn board(data: &Data, position: &TrainingPosition, rule: Rule) -> Board {
    let (empty, stones) = data.stones(position);
    let mut board = Board::new(empty.size, rule);
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

pub fn quantized(model: &Model) -> Weights {
    let mut weights = Weights::zero(model.layout.perspectives());
    let quantized = |number: f32, one: i32| (rounded(number, one) * one as f32) as i32;
    for index in 0..PATTERNS {
        let class = Pattern::from_index(index).class(RADIUS);
        let row = model.row(index);
        for (half, perspective) in weights.perspectives.iter_mut().enumerate() {
            perspective[class] = std::array::from_fn(|i| {
                quantized(row[half * PERSPECTIVE_LANES + i], ROW_ONE) as i16
            });
        }
    }
    for (head, from) in weights.heads.iter_mut().zip(&model.heads) {
        let mut numbers = from
            .fields()
            .into_iter()
            .zip(Head::FIELD_ONES)
            .flat_map(|(field, one)| field.iter().map(move |&number| quantized(number, one)));
        head.visit(&mut |number| *number = numbers.next().unwrap_or_default());
    }
    weights
}

/// Gives a model the rows and heads of a network.
///
/// The embeddings are found from the shortest window to the longest. Each is the mean of the rows
/// of all patterns with that window, after the embeddings of shorter windows are subtracted. The
/// sum of a pattern's embeddings is its row.
pub fn dequantize(weights: &Weights, model: &mut Model) -> anyhow::Result<()> {
    ensure!(
        weights.heads.len() == model.heads.len(),
        "the network is not of the same kind of rules"
    );
    for (perspective, embeddings) in model.perspectives.iter_mut().enumerate() {
        let row_of = |index| {
            let row = weights.perspectives[perspective][Pattern::from_index(index).class(RADIUS)];
            row.map(|lane| f32::from(lane) / ROW_ONE as f32)
        };
        if let Some(index) = model.layout.is_stone_free.iter().position(|&is_free| is_free) {
            model.stone_free[perspective] = row_of(index);
        }
        let mut rest: Vec<[f32; PERSPECTIVE_LANES]> = (0..PATTERNS).map(row_of).collect();
        if perspective == 1 {
            // Perspective 1 has white's deviations: its rows less black's of the pattern with the
            // colors exchanged.
            for (index, row) in rest.iter_mut().enumerate() {
                let black =
                    weights.perspectives[0][Pattern::from_index(index).swapped().class(RADIUS)];
                let black = black.map(|lane| f32::from(lane) / ROW_ONE as f32);
                row.iter_mut().zip(black).for_each(|(lane, black)| *lane -= black);
            }
        }
        for (&radius, &offset) in RADII.iter().zip(&offsets()) {
            let class = |index| offset + Pattern::from_index(index).class(radius);
            let mut sums = vec![([0.0; PERSPECTIVE_LANES], 0.0); embeddings.len()];
            for (index, row) in rest.iter().enumerate() {
                if model.layout.is_stone_free[index] {
                    continue;
                }
                let (sum, count) = &mut sums[class(index)];
                sum.iter_mut().zip(row).for_each(|(sum, lane)| *sum += lane);
                *count += 1.0;
            }
            for (index, row) in rest.iter_mut().enumerate() {
                let (sum, count) = sums[class(index)];
                let mean = sum.map(|sum| sum / f32::max(count, 1.0));
                embeddings[class(index)] = mean;
                row.iter_mut().zip(mean).for_each(|(lane, mean)| *lane -= mean);
            }
        }
    }
    for (head, from) in model.heads.iter_mut().zip(&weights.heads) {
        let mut numbers = Vec::with_capacity(Head::LEN);
        from.clone().visit(&mut |&mut number| numbers.push(number));
        let mut numbers = numbers.into_iter();
        for (field, one) in head.fields_mut().into_iter().zip(Head::FIELD_ONES) {
            for (weight, number) in field.iter_mut().zip(&mut numbers) {
                *weight = number as f32 / one as f32;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::data::tests::random_positions;
    use crate::train::trainer::tests::trained;
    use tengen::eval::threat_counts::threat_counts;

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
