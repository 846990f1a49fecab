//! The value of a position: what is to be learned of it, its head, a pass forward and one backward,
//! and a test of the engine's values against the model's.
//!
//! The last steps of a training round the model as the engine does, so that the two differ only by
//! the cut to whole numbers. What rounding costs shows in the held-out losses.

#![expect(clippy::needless_range_loop, reason = "one index runs through several arrays")]

use std::sync::Arc;

use anyhow::ensure;
use tengen::closed_output::note;
use tengen::eval::Evaluator;
use tengen::eval::network::{
    self, ACTIVE_MAX, ACTIVE_ONE, EVAL_SCALE, HIDDEN1, HIDDEN2, JOINED, KIND, KINDS, LANES,
    Network, REGION_OUT, REGION_SHIFT, Weights,
};
use tengen::eval::rows::{Layers, Part, REGIONS, ROW_ONE, TOTAL_MAX, TOTAL_SHIFT};
use tengen::eval::threat_counts::{COUNT_FEATURES, level, threat_counts};
use tengen::score::{Bound, ScoreKind, sigmoid};
use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::Rule;
use tengen_lab::Example;

use crate::train::gradient::{Gradient, Objective, Worker, add_scaled, dot};
use crate::train::model::{CELL_CLIP, Head, Lanes, rounded};
use crate::train::positions::{EmptyBoard, LabelledPosition, Labels};

const ACTIVE_CLIP: f32 = ACTIVE_MAX as f32 / ACTIVE_ONE as f32;
/// The largest input of the first hidden layer from the whole board.
const GLOBAL_CLIP: f32 = TOTAL_MAX as f32 / ACTIVE_ONE as f32;
/// What a region's layer multiplies the sums of lanes by.
const REGION_SCALE: f32 = ROW_ONE as f32 / (ACTIVE_ONE << REGION_SHIFT) as f32;
/// What the first hidden layer multiplies the sums of lanes of the whole board by.
const GLOBAL_SCALE: f32 = ROW_ONE as f32 / (ACTIVE_ONE << TOTAL_SHIFT) as f32;

/// Held-out positions in which the network's values are compared with the model's.
const COMPARED: usize = 50_000;
/// Values beyond this are not compared: they are decided, and the engine cuts them off.
const COMPARED_MAX: f64 = 2_000.0;
/// The largest mean difference of sound weights, and the largest of all, in evaluation units.
const MEAN_ERROR_MAX: f64 = 1.0;
const ERROR_MAX: f64 = 10.0;

/// What is to be learned of a position's value.
#[derive(Clone, Copy)]
pub struct ValueLabel {
    /// Whether the probability is the target itself, or bounds it.
    pub bound: Bound,
    /// The probability that the side to move wins, from 0 to 1.
    pub target: f32,
    /// The result of the game for the side to move, in half points: 0, 1 or 2. `None` for a
    /// position beside the game.
    pub half_points: Option<u8>,
    pub counts: u64,
}

pub type ValueHead = network::Head<f32>;

impl Head for ValueHead {
    type Quantized = network::Head;

    fn random(noise: &mut dyn FnMut() -> f32) -> Box<ValueHead> {
        let mut head = Box::new(ValueHead::zero());
        let mut fill = |weights: &mut [f32], inputs: usize| {
            let spread = (3.0 / inputs as f32).sqrt();
            weights.iter_mut().for_each(|weight| *weight = noise() * spread);
        };
        fill(head.region.as_flattened_mut().as_flattened_mut(), LANES);
        fill(head.hidden1.as_flattened_mut(), JOINED);
        fill(head.hidden2.as_flattened_mut(), HIDDEN1);
        fill(&mut head.output, HIDDEN2);
        head.region_bias.as_flattened_mut().fill(0.1);
        head.bias1.fill(0.1);
        head.bias2.fill(0.1);
        head
    }

    fn part(weights: &mut Weights) -> &mut Part<network::Head> {
        &mut weights.value
    }
}

/// What a pass forward found after the cells, and a pass backward needs.
struct Activations<'a> {
    board: &'a EmptyBoard,
    head: usize,
    inputs: [Lanes; REGIONS],
    region_out: [[f32; REGION_OUT]; REGIONS],
    joined: [f32; JOINED],
    /// The hidden layers before clipping and after it.
    hidden1: [f32; HIDDEN1],
    active1: [f32; HIDDEN1],
    hidden2: [f32; HIDDEN2],
    active2: [f32; HIDDEN2],
    output: f32,
}

/// The training objective of the value: its target mixes the search's score and the game's result.
pub struct ValueObjective {
    /// The weight of a game's result against the search's score, from 0 to 1.
    pub result_weight: f32,
}

impl Labels for ValueObjective {
    type Label = ValueLabel;

    /// There is nothing to learn of a position in which either side can make a five, or the side to
    /// move an open four, and of a bound that says nothing. The result counts for the game's own
    /// positions only.
    fn label(&mut self, board: &Board, example: &Example) -> Option<ValueLabel> {
        let us = board.side_to_move();
        let is_forced = board.count(us, Threat::Five) > 0
            || board.count(!us, Threat::Five) > 0
            || board.count(us, Threat::OpenFour) > 0;
        if is_forced {
            return None;
        }
        let (target, bound) = match (example.score.kind(), example.bound) {
            // "At least this loss" and "at most this win" are no proofs.
            (ScoreKind::Loss(_), Bound::Lower) | (ScoreKind::Win(_), Bound::Upper) => return None,
            (ScoreKind::Win(_), _) => (1.0, Bound::Exact),
            (ScoreKind::Loss(_), _) => (0.0, Bound::Exact),
            (ScoreKind::Eval(value), bound) => {
                let by_score = sigmoid(f64::from(value) / f64::from(EVAL_SCALE)) as f32;
                let weight = self.result_weight;
                match example.points {
                    Some(points) => {
                        (weight * points as f32 + (1.0 - weight) * by_score, Bound::Exact)
                    }
                    None => (by_score, bound),
                }
            }
        };
        let half_points = example.points.map(|points| (2.0 * points) as u8);
        Some(ValueLabel { bound, target, half_points, counts: threat_counts(board) })
    }
}

impl Objective for ValueObjective {
    type Head = ValueHead;

    fn learn(
        worker: &mut Worker<ValueObjective>,
        position: &LabelledPosition<ValueLabel>,
        gradient: Option<&mut Gradient<ValueHead>>,
    ) -> f64 {
        let label = &position.label;
        let activations = ValueObjective::forward(worker, position);
        if let Some(gradient) = gradient
            && !is_within(activations.output, label)
        {
            ValueObjective::backward(worker, label, &activations, gradient);
        }
        loss(activations.output, label)
    }

    /// A game's own positions have its result as their target here, whatever the weight of results
    /// is.
    fn by_kind(
        positions: &[LabelledPosition<ValueLabel>],
    ) -> Vec<(&str, Vec<LabelledPosition<ValueLabel>>)> {
        let own = positions.iter().filter_map(|position| {
            let target = f32::from(position.label.half_points?) / 2.0;
            Some(LabelledPosition { label: ValueLabel { target, ..position.label }, ..*position })
        });
        let others = positions.iter().copied().filter(|other| other.label.half_points.is_none());
        let (exact, bounds) = others.partition(|other| other.label.bound == Bound::Exact);
        vec![("results", own.collect()), ("exact scores", exact), ("bounds", bounds)]
    }

    fn check(
        worker: &mut Worker<ValueObjective>,
        weights: &Weights,
        rule: Rule,
    ) -> anyhow::Result<()> {
        let [count, mean, largest] = ValueObjective::errors(worker, weights, rule);
        note(format_args!(
            "the engine's values differ by {mean:.2} in the mean, {largest:.1} at most, of {count}"
        ));
        let is_small = count > 0.0 && mean <= MEAN_ERROR_MAX && largest <= ERROR_MAX;
        ensure!(is_small, "the network is not the model");
        Ok(())
    }
}

impl ValueObjective {
    /// Returns how many held-out positions could be compared, and by how many evaluation units the
    /// engine's values differ from the model's, in the mean and at most.
    fn errors(worker: &mut Worker<ValueObjective>, weights: &Weights, rule: Rule) -> [f64; 3] {
        let (data, network) = (worker.data, Arc::new(Network::new(weights)));
        let (mut count, mut sum, mut largest) = (0.0, 0.0, 0.0f64);
        for position in data.held_out.iter().take(COMPARED) {
            let log_odds = ValueObjective::forward(worker, position).output;
            let exact = f64::from(log_odds) * f64::from(EVAL_SCALE);
            if exact.abs() <= COMPARED_MAX {
                let board = data.board(position, rule);
                let mut evaluator = Evaluator::by_network(&board, Arc::clone(&network));
                let error = (f64::from(evaluator.evaluate(&board).value()) - exact).abs();
                (count, sum, largest) = (count + 1.0, sum + error, largest.max(error));
            }
        }
        [count, sum / f64::max(count, 1.0), largest]
    }

    fn forward<'a>(
        worker: &mut Worker<'a, ValueObjective>,
        position: &LabelledPosition<ValueLabel>,
    ) -> Activations<'a> {
        let (board, index) = worker.sum_cells(position);
        let counts = position.label.counts;
        let head = &worker.heads[index];
        let activation = |number: f32| {
            if worker.model.is_rounded { rounded(number, ACTIVE_ONE) } else { number }
        };
        let mut regions = [[0.0f32; LANES]; REGIONS];
        for (sum, &region) in worker.sums.iter().zip(&board.region) {
            let region = regions[usize::from(region)].iter_mut();
            region.zip(sum).for_each(|(region, lane)| *region += lane.clamp(0.0, CELL_CLIP));
        }

        let active = |sum: f32| activation(sum.clamp(0.0, ACTIVE_CLIP));
        let mut inputs = [[0.0f32; LANES]; REGIONS];
        let mut region_out = [[0.0f32; REGION_OUT]; REGIONS];
        let mut joined = [0.0f32; JOINED];
        for r in 0..REGIONS {
            let kind = KIND[r];
            for i in 0..LANES {
                inputs[r][i] = activation(regions[r][i] * REGION_SCALE);
                joined[KINDS * REGION_OUT + i] += activation(regions[r][i] * GLOBAL_SCALE);
            }
            for o in 0..REGION_OUT {
                let sum = head.region_bias[kind][o] + dot(&head.region[kind][o], &inputs[r]);
                region_out[r][o] = sum;
                joined[kind * REGION_OUT + o] += active(sum);
            }
        }
        for lane in &mut joined[KINDS * REGION_OUT..] {
            *lane = lane.min(GLOBAL_CLIP);
        }
        let mut hidden1 = head.bias1;
        for feature in 0..COUNT_FEATURES {
            add_scaled(&mut hidden1, 1.0, &head.counts[feature][level(counts, feature)]);
        }
        for o in 0..HIDDEN1 {
            hidden1[o] += dot(&head.hidden1[o], &joined);
        }
        let active1 = hidden1.map(active);
        let mut hidden2 = head.bias2;
        for o in 0..HIDDEN2 {
            hidden2[o] += dot(&head.hidden2[o], &active1);
        }
        let active2 = hidden2.map(active);
        let output = head.bias3 + dot(&head.output, &active2);
        Activations {
            board,
            head: index,
            inputs,
            region_out,
            joined,
            hidden1,
            active1,
            hidden2,
            active2,
            output,
        }
    }

    fn backward(
        worker: &Worker<ValueObjective>,
        label: &ValueLabel,
        activations: &Activations,
        gradient: &mut Gradient<ValueHead>,
    ) {
        let Activations { inputs, region_out, joined, hidden1, active1, hidden2, active2, .. } =
            activations;
        let head = &worker.heads[activations.head];
        let grad = &mut gradient.heads[activations.head];
        let d_output = sigmoid(activations.output.into()) as f32 - label.target;
        let passes = |x: f32| x > 0.0 && x < ACTIVE_CLIP;
        grad.bias3 += d_output;
        let mut d1 = [0.0f32; HIDDEN1];
        for o in 0..HIDDEN2 {
            grad.output[o] += d_output * active2[o];
            if !passes(hidden2[o]) {
                continue;
            }
            let d = d_output * head.output[o];
            grad.bias2[o] += d;
            add_scaled(&mut grad.hidden2[o], d, active1);
            add_scaled(&mut d1, d, &head.hidden2[o]);
        }
        let mut d_joined = [0.0f32; JOINED];
        for o in 0..HIDDEN1 {
            if !passes(hidden1[o]) {
                d1[o] = 0.0;
                continue;
            }
            let d = d1[o];
            grad.bias1[o] += d;
            add_scaled(&mut grad.hidden1[o], d, joined);
            add_scaled(&mut d_joined, d, &head.hidden1[o]);
        }
        for feature in 0..COUNT_FEATURES {
            add_scaled(&mut grad.counts[feature][level(label.counts, feature)], 1.0, &d1);
        }
        let mut d_regions = [[0.0f32; LANES]; REGIONS];
        for r in 0..REGIONS {
            let kind = KIND[r];
            for i in 0..LANES {
                let is_clipped = joined[KINDS * REGION_OUT + i] >= GLOBAL_CLIP;
                let d = if is_clipped { 0.0 } else { d_joined[KINDS * REGION_OUT + i] };
                d_regions[r][i] = d * GLOBAL_SCALE;
            }
            for o in 0..REGION_OUT {
                if !passes(region_out[r][o]) {
                    continue;
                }
                let d = d_joined[kind * REGION_OUT + o];
                grad.region_bias[kind][o] += d;
                for i in 0..LANES {
                    grad.region[kind][o][i] += d * inputs[r][i];
                    d_regions[r][i] += d * head.region[kind][o][i] * REGION_SCALE;
                }
            }
        }
        for (cell, sum) in worker.sums.iter().enumerate() {
            let d = &d_regions[activations.board.region[cell] as usize];
            let is_clipped = |lane: f32| lane <= 0.0 || lane >= CELL_CLIP;
            let slopes = std::array::from_fn(|i| if is_clipped(sum[i]) { 0.0 } else { d[i] });
            worker.add_cell(cell, &slopes, gradient);
        }
    }
}

fn is_within(output: f32, label: &ValueLabel) -> bool {
    let probability = sigmoid(output.into()) as f32;
    match label.bound {
        Bound::Exact => false,
        Bound::Lower => probability >= label.target,
        Bound::Upper => probability <= label.target,
    }
}

/// Returns the loss of a prediction, in nats; `output` is in log odds. For an exact target this is
/// the Kullback-Leibler divergence: 0 if the prediction is the target. For a bound it is 0 as well
/// if the prediction is on the allowed side.
pub fn loss(output: f32, label: &ValueLabel) -> f64 {
    if is_within(output, label) {
        return 0.0;
    }
    let (x, t) = (f64::from(output), f64::from(label.target));
    let entropy = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    x.max(0.0) - x * t + (-x.abs()).exp().ln_1p() - entropy(t) - entropy(1.0 - t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::model::Model;
    use crate::train::positions::Data;
    use crate::train::positions::tests::random_positions;
    use crate::train::trainer::tests::trained;
    use tengen::eval::rows::PERSPECTIVE_LANES;
    use tengen::score::Score;
    use tengen_gomoku::types::BoardSize;
    use tengen_lab::Source;

    fn gradient(model: &Model<ValueHead>, data: &Data<ValueObjective>) -> Gradient<ValueHead> {
        Worker::new(model, data).gradient(&data.training[..40])
    }

    fn total_loss(model: &Model<ValueHead>, data: &Data<ValueObjective>) -> f64 {
        Worker::new(model, data).loss(&data.training[..40])
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        for is_tied in [true, false] {
            let data = random_positions(3, 200);
            let mut model = Model::new(is_tied, 7);
            let gradient = gradient(&model, &data);
            let head: Vec<f32> = gradient.heads.iter().flat_map(|head| head.numbers()).collect();
            let mut checked = 0;
            for (index, &slope) in head.iter().enumerate().step_by(61) {
                let mut loss = |step: f32| {
                    let heads = model.heads.clone();
                    let numbers = model.heads.iter_mut().flat_map(|head| head.numbers_mut());
                    numbers.skip(index).take(1).for_each(|number| *number += step);
                    let loss = total_loss(&model, &data);
                    model.heads = heads;
                    loss
                };
                let [found, nearer] =
                    [4e-3, 1e-3].map(|step| (loss(step) - loss(-step)) / (2.0 * f64::from(step)));
                // Where a neuron begins or ends to be active there is no slope.
                if (found - nearer).abs() < 0.05 + 0.02 * found.abs() {
                    let error = (nearer - f64::from(slope)).abs();
                    assert!(error < 0.06 + 0.05 * found.abs(), "{index}: {nearer} {slope}");
                    checked += usize::from(slope.abs() > 0.02);
                }
            }
            assert!(checked > 20);
        }
    }

    #[test]
    fn rows_have_the_gradient_of_finite_differences() {
        let data = random_positions(4, 200);
        let model = Model::new(false, 7);
        let gradient = gradient(&model, &data);
        let mut checked = 0;
        for (pattern, row) in gradient.rows().step_by(31) {
            // The embedding of the longest window belongs to this class of patterns alone, and to
            // those with colors exchanged.
            let (perspective, number) = model.embeddings[pattern][0][2];
            let slope: f64 = gradient
                .rows()
                .flat_map(|(other, row)| {
                    let halves = model.embeddings[other].iter();
                    halves.zip([3, PERSPECTIVE_LANES + 3]).map(|(half, lane)| (half, row[lane]))
                })
                .filter(|(half, _)| half.contains(&(perspective, number)))
                .map(|(_, lane)| f64::from(lane))
                .sum();
            let loss = |step: f32| {
                let mut moved = model.clone();
                moved.perspectives[usize::from(perspective)][number as usize][3] += step;
                total_loss(&moved, &data)
            };
            let [found, nearer] =
                [1e-2, 5e-3].map(|step| (loss(step) - loss(-step)) / (2.0 * f64::from(step)));
            // The loss has a kink where a lane begins to be clipped: steps across it are left out.
            if (found - nearer).abs() < 0.0002 + 0.02 * found.abs() {
                let error = (nearer - slope).abs();
                assert!(error < 0.0002 + 0.05 * found.abs(), "{found} {slope} {row:?}");
                checked += usize::from(slope.abs() > 0.001);
            }
        }
        assert!(checked > 8, "{checked}");
    }

    #[test]
    fn the_row_without_a_stone_has_the_gradient_of_finite_differences() {
        let data = random_positions(4, 200);
        let mut model = Model::new(false, 7);
        model.stone_free = vec![[-0.1; PERSPECTIVE_LANES]; 2];
        let gradient = gradient(&model, &data);
        let mut checked = 0;
        for (lane, &slope) in gradient.stone_free_row().iter().enumerate() {
            let loss = |step: f32| {
                let mut moved = model.clone();
                moved.stone_free[lane / PERSPECTIVE_LANES][lane % PERSPECTIVE_LANES] += step;
                total_loss(&moved, &data)
            };
            let [found, nearer] =
                [1e-2, 5e-3].map(|step| (loss(step) - loss(-step)) / (2.0 * f64::from(step)));
            // The loss has a kink where a lane begins to be clipped: steps across it are left out.
            if (found - nearer).abs() < 0.05 + 0.02 * found.abs() {
                let error = (nearer - f64::from(slope)).abs();
                assert!(error < 0.06 + 0.05 * found.abs(), "{lane}: {nearer} {slope}");
                checked += usize::from(slope.abs() > 0.02);
            }
        }
        assert!(checked > 8);
    }

    #[test]
    fn a_bound_teaches_only_beyond_it() {
        let position = |bound| {
            let label = random_positions(5, 50).training[0].label;
            ValueLabel { bound, target: 0.7, ..label }
        };
        assert_eq!(loss(2.0, &position(Bound::Lower)), 0.0);
        assert_eq!(loss(-2.0, &position(Bound::Upper)), 0.0);
        let exact = loss(2.0, &position(Bound::Exact));
        assert!(exact > 0.0 && loss(2.0, &position(Bound::Upper)) == exact);
        assert!(loss((0.7f32 / 0.3).ln(), &position(Bound::Exact)).abs() < 1e-6);
    }

    fn quantized(model: &Model<ValueHead>) -> Weights {
        let mut weights = Weights::zero(model.heads.len());
        model.quantize(&mut weights);
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
            let mut worker = Worker::new(&model, &data);
            let [count, mean, largest] = ValueObjective::errors(&mut worker, &weights, rule);
            assert!(count > 100.0 && mean > 0.0 && largest > 0.0, "{count} {mean} {largest}");
            ValueObjective::check(&mut worker, &weights, rule).unwrap();
            for head in &mut weights.value.heads {
                head.output.iter_mut().for_each(|weight| *weight += 100);
            }
            assert!(ValueObjective::check(&mut worker, &weights, rule).is_err());
        }
    }

    #[test]
    fn a_network_comes_back_from_the_model_made_of_it() {
        for is_tied in [true, false] {
            let mut model = Model::<ValueHead>::new(is_tied, 1);
            model.stone_free.fill([-0.5; PERSPECTIVE_LANES]);
            let weights = quantized(&model);
            let mut model = Model::<ValueHead>::new(is_tied, 2);
            model.dequantize(&weights).unwrap();
            assert!(quantized(&model) == weights);
            assert!(Model::<ValueHead>::new(!is_tied, 2).dequantize(&weights).is_err());
        }
    }

    #[test]
    fn the_engine_reads_what_is_written() {
        for is_tied in [true, false] {
            let weights = quantized(&Model::new(is_tied, 1));
            assert_eq!(Weights::read(&weights.write()).unwrap(), weights);
        }
    }

    #[test]
    fn targets_are_probabilities_of_the_side_to_move() {
        let size = BoardSize::new(15, 15).unwrap();
        let board = Board::new(size, Rule::Freestyle);
        let of_bound = |points: Option<f64>, score, bound| {
            let (path, line, others) = (&[][..], &[][..], &[][..]);
            let source = if points.is_some() { None } else { Some(Source::Inner) };
            let example = Example { path, line, source, mv: None, score, bound, others, points };
            let label = ValueObjective { result_weight: 0.5 }.label(&board, &example)?;
            assert_eq!(label.half_points.map(f64::from), points.map(|points| 2.0 * points));
            Some((label.target, label.bound))
        };
        let game = |points, score| of_bound(Some(points), score, Bound::Exact).unwrap().0;
        assert_eq!((game(0.0, Score::win_in(5)), game(1.0, Score::loss_in(4))), (1.0, 0.0));
        assert_eq!((game(1.0, Score::DRAW), game(0.0, Score::DRAW)), (0.75, 0.25));
        assert!(game(0.5, Score::eval(200)) > 0.6 && game(0.5, Score::eval(-200)) < 0.4);
        // Beside the game there is no result.
        let inner = |score, bound| of_bound(None, score, bound);
        let (rate, bound) = inner(Score::eval(200), Bound::Lower).unwrap();
        assert!((0.7..0.75).contains(&rate) && bound == Bound::Lower);
        // A bound on the far side of a proven result proves nothing.
        let (win, loss) = (Score::win_in(5), Score::loss_in(8));
        assert_eq!(inner(win, Bound::Lower), Some((1.0, Bound::Exact)));
        assert_eq!(inner(loss, Bound::Upper), Some((0.0, Bound::Exact)));
        assert!(inner(win, Bound::Upper).is_none() && inner(loss, Bound::Lower).is_none());
    }
}
