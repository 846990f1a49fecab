//! The value of a position: its head, and a pass forward and one backward.

#![expect(clippy::needless_range_loop, reason = "one index runs through several arrays")]

use tengen::eval::network::{
    ACTIVE_MAX, ACTIVE_ONE, HIDDEN1, HIDDEN2, JOINED, KIND, KINDS, LANES, REGION_OUT, REGION_SHIFT,
    REGION_SUM_ONE, REGION_WEIGHT_ONE, SUM_ONE, WEIGHT_ONE,
};
use tengen::eval::rows::ROW_ONE;
use tengen::eval::rows::{REGIONS, TOTAL_MAX, TOTAL_SHIFT};
#[cfg(doc)]
use tengen::eval::threat_counts::threat_counts;
use tengen::eval::threat_counts::{COUNT_FEATURES, COUNT_LEVELS, level};
use tengen::score::{Bound, sigmoid};
use tengen_gomoku::types::Color;

use crate::train::gradient::{Gradient, Objective, Worker, dot};
use crate::train::model::{CELL_CLIP, Head, Lanes, Model, rounded};
use crate::train::positions::{Data, EmptyBoard, Position};
use crate::train::targets::ValueLabel;

pub const ACTIVE_CLIP: f32 = ACTIVE_MAX as f32 / ACTIVE_ONE as f32;
/// The largest input of the first hidden layer from the whole board.
pub const GLOBAL_CLIP: f32 = TOTAL_MAX as f32 / ACTIVE_ONE as f32;
/// What a region's layer multiplies the sums of lanes by.
pub const REGION_SCALE: f32 = ROW_ONE as f32 / (ACTIVE_ONE << REGION_SHIFT) as f32;
/// What the first hidden layer multiplies the sums of lanes of the whole board by.
pub const GLOBAL_SCALE: f32 = ROW_ONE as f32 / (ACTIVE_ONE << TOTAL_SHIFT) as f32;
#[derive(Clone)]
pub struct ValueHead {
    pub region: [[[f32; LANES]; REGION_OUT]; KINDS],
    pub region_bias: [[f32; REGION_OUT]; KINDS],
    pub hidden1: [[f32; JOINED]; HIDDEN1],
    pub bias1: [f32; HIDDEN1],
    pub counts: [[[f32; HIDDEN1]; COUNT_LEVELS]; COUNT_FEATURES],
    pub hidden2: [[f32; HIDDEN1]; HIDDEN2],
    pub bias2: [f32; HIDDEN2],
    pub output: [f32; HIDDEN2],
    pub bias3: f32,
}

impl Head for ValueHead {
    const FIELD_ONES: &'static [i32] = &[
        REGION_WEIGHT_ONE,
        REGION_SUM_ONE,
        WEIGHT_ONE,
        SUM_ONE,
        SUM_ONE,
        WEIGHT_ONE,
        SUM_ONE,
        WEIGHT_ONE,
        SUM_ONE,
    ];
    // Rows are no larger than the engine can add up.
    const ROW_MAX: f32 = 64.0;
    // Larger weights could overflow the integer sums of a region.
    const WEIGHT_MAX: f32 = 3.9;

    fn zero() -> Box<ValueHead> {
        Box::new(ValueHead {
            region: [[[0.0; LANES]; REGION_OUT]; KINDS],
            region_bias: [[0.0; REGION_OUT]; KINDS],
            hidden1: [[0.0; JOINED]; HIDDEN1],
            bias1: [0.0; HIDDEN1],
            counts: [[[0.0; HIDDEN1]; COUNT_LEVELS]; COUNT_FEATURES],
            hidden2: [[0.0; HIDDEN1]; HIDDEN2],
            bias2: [0.0; HIDDEN2],
            output: [0.0; HIDDEN2],
            bias3: 0.0,
        })
    }

    fn random(noise: &mut dyn FnMut() -> f32) -> Box<ValueHead> {
        let mut head = ValueHead::zero();
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

    fn fields(&self) -> Vec<&[f32]> {
        vec![
            self.region.as_flattened().as_flattened(),
            self.region_bias.as_flattened(),
            self.hidden1.as_flattened(),
            &self.bias1,
            self.counts.as_flattened().as_flattened(),
            self.hidden2.as_flattened(),
            &self.bias2,
            &self.output,
            std::slice::from_ref(&self.bias3),
        ]
    }

    fn fields_mut(&mut self) -> Vec<&mut [f32]> {
        vec![
            self.region.as_flattened_mut().as_flattened_mut(),
            self.region_bias.as_flattened_mut(),
            self.hidden1.as_flattened_mut(),
            &mut self.bias1,
            self.counts.as_flattened_mut().as_flattened_mut(),
            self.hidden2.as_flattened_mut(),
            &mut self.bias2,
            &mut self.output,
            std::slice::from_mut(&mut self.bias3),
        ]
    }
}

/// What a pass forward found after the cells, and a pass backward needs.
struct Activations {
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

pub struct Value;

impl Objective for Value {
    type Head = ValueHead;
    type Label = ValueLabel;

    fn learn(
        &self,
        worker: &mut Worker<ValueHead>,
        model: &Model<ValueHead>,
        data: &Data<ValueLabel>,
        position: &Position<ValueLabel>,
        gradient: Option<&mut Gradient<ValueHead>>,
    ) -> f64 {
        let label = &position.label;
        let activations = Value::forward(worker, model, data, position);
        if let Some(gradient) = gradient
            && !is_within(activations.output, label)
        {
            let (board, _) = data.stones(position);
            Value::backward(worker, board, label, &activations, gradient);
        }
        loss(activations.output, label)
    }
}

impl Value {
    /// Returns the model's values of positions, in log odds.
    pub fn predictions(
        model: &Model<ValueHead>,
        data: &Data<ValueLabel>,
        positions: &[Position<ValueLabel>],
    ) -> Vec<f32> {
        let mut worker = Worker::new();
        worker.begin(model);
        let predict = |position| Value::forward(&mut worker, model, data, position).output;
        positions.iter().map(predict).collect()
    }

    fn forward(
        worker: &mut Worker<ValueHead>,
        model: &Model<ValueHead>,
        data: &Data<ValueLabel>,
        position: &Position<ValueLabel>,
    ) -> Activations {
        let (board, stones) = data.stones(position);
        worker.sum_cells(model, board, stones);
        let counts = position.label.counts;
        let us = Color::to_move_after(stones.len());
        let index = if model.layout.is_tied { 0 } else { us as usize };
        let head = &worker.heads[index];
        let activation =
            |number: f32| if model.is_rounded { rounded(number, ACTIVE_ONE) } else { number };
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
            let level = level(counts, feature);
            for i in 0..HIDDEN1 {
                hidden1[i] += head.counts[feature][level][i];
            }
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
        worker: &Worker<ValueHead>,
        board: &EmptyBoard,
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
            for i in 0..HIDDEN1 {
                grad.hidden2[o][i] += d * active1[i];
                d1[i] += d * head.hidden2[o][i];
            }
        }
        let mut d_joined = [0.0f32; JOINED];
        for o in 0..HIDDEN1 {
            if !passes(hidden1[o]) {
                d1[o] = 0.0;
                continue;
            }
            let d = d1[o];
            grad.bias1[o] += d;
            for i in 0..JOINED {
                grad.hidden1[o][i] += d * joined[i];
                d_joined[i] += d * head.hidden1[o][i];
            }
        }
        for feature in 0..COUNT_FEATURES {
            let level = level(label.counts, feature);
            for i in 0..HIDDEN1 {
                grad.counts[feature][level][i] += d1[i];
            }
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
            let d = &d_regions[board.region[cell] as usize];
            let slopes =
                std::array::from_fn(
                    |i| {
                        if sum[i] > 0.0 && sum[i] < CELL_CLIP { d[i] } else { 0.0 }
                    },
                );
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
    use tengen::eval::rows::PERSPECTIVE_LANES;

    use super::*;
    use crate::train::gradient::Pass;
    use crate::train::positions::tests::random_positions;

    fn total(model: &Model<ValueHead>, data: &Data<ValueLabel>, pass: Pass) -> Gradient<ValueHead> {
        Worker::new().run(&Value, model, data, &data.training[..40], pass)
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        for is_tied in [true, false] {
            let data = random_positions(3, 200);
            let model = Model::new(is_tied, 7);
            let gradient = total(&model, &data, Pass::Gradient);
            let embeddings = model.numbers().count()
                - model.heads.iter().map(|head| head.numbers().count()).sum::<usize>();
            let head: Vec<f32> = gradient.heads.iter().flat_map(|head| head.numbers()).collect();
            let mut checked = 0;
            for (index, &slope) in head.iter().enumerate().step_by(61) {
                let loss = |step: f32| {
                    let mut moved = model.clone();
                    if let Some(number) = moved.numbers_mut().nth(embeddings + index) {
                        *number += step;
                    }
                    total(&moved, &data, Pass::Loss).loss
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
        let gradient = total(&model, &data, Pass::Gradient);
        let mut checked = 0;
        for (pattern, row) in gradient.rows().step_by(31) {
            // The embedding of the longest window belongs to this class of patterns alone, and to
            // those with colors exchanged.
            let (perspective, number) = model.layout.embeddings[pattern][0][2];
            let slope: f64 = gradient
                .rows()
                .flat_map(|(other, row)| {
                    let halves = model.layout.embeddings[other].iter();
                    halves.zip([3, PERSPECTIVE_LANES + 3]).map(|(half, lane)| (half, row[lane]))
                })
                .filter(|(half, _)| half.contains(&(perspective, number)))
                .map(|(_, lane)| f64::from(lane))
                .sum();
            let loss = |step: f32| {
                let mut moved = model.clone();
                moved.perspectives[usize::from(perspective)][number as usize][3] += step;
                total(&moved, &data, Pass::Loss).loss
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
        let gradient = total(&model, &data, Pass::Gradient);
        let mut checked = 0;
        for (lane, &slope) in gradient.stone_free_row().iter().enumerate() {
            let loss = |step: f32| {
                let mut moved = model.clone();
                moved.stone_free[lane / PERSPECTIVE_LANES][lane % PERSPECTIVE_LANES] += step;
                total(&moved, &data, Pass::Loss).loss
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
}
