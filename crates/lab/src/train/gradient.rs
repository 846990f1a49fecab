//! The loss of a batch and its gradient, by a pass forward and one backward.
//!
//! A pattern's row is made once for a micro-batch and its gradient summed there, since a few
//! thousand patterns make up nearly all lines of a batch.

#![expect(clippy::needless_range_loop, reason = "one index runs through several arrays")]

use std::io;

use tengen::eval::network::{HIDDEN1, HIDDEN2, JOINED, KIND, KINDS, LANES, REGION_OUT, REGIONS};
use tengen::eval::pattern::PATTERNS;
#[cfg(doc)]
use tengen::eval::threat_counts::threat_counts;
use tengen::eval::threat_counts::{COUNT_FEATURES, level};
use tengen::parallel::in_order;
use tengen::score::{Bound, sigmoid};
use tengen_gomoku::types::Color;

use crate::train::data::EmptyBoard;
use crate::train::data::{Data, TrainingPosition};
use crate::train::model::{
    ACTIVE_CLIP, CELL_CLIP, GLOBAL_CLIP, GLOBAL_SCALE, Head, Lanes, Model, REGION_SCALE,
};

/// Positions of a micro-batch. One thread computes its gradient. The gradients of all micro-batches
/// are added in a fixed order, so the result is the same for any number of threads.
const MICRO_BATCH: usize = 256;
const STACK_BYTES: usize = 2 << 20;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    Loss,
    Gradient,
}

/// The loss of a micro-batch, and its gradient.
pub struct Gradient {
    pub loss: f64,
    pub heads: Vec<Box<Head>>,
    patterns: Vec<u32>,
    /// The gradients of the rows: one for all patterns without a stone, then that of each met.
    rows: Vec<Lanes>,
}

impl Gradient {
    fn zero(model: &Model) -> Gradient {
        Gradient {
            loss: 0.0,
            heads: model.heads.iter().map(|_| Head::zero()).collect(),
            patterns: Vec::new(),
            rows: vec![[0.0; LANES]],
        }
    }

    pub fn stone_free_row(&self) -> &Lanes {
        &self.rows[0]
    }

    pub fn rows(&self) -> impl Iterator<Item = (usize, &Lanes)> {
        self.patterns.iter().map(|&pattern| pattern as usize).zip(&self.rows[1..])
    }
}

pub struct Worker {
    /// Index in `rows` and [`Gradient::rows`] of each pattern's row; 0 for those not met.
    row_index: Vec<u32>,
    met: Vec<u32>,
    /// The rows, that of patterns without a stone first.
    rows: Vec<Lanes>,
    heads: Vec<Box<Head>>,
    patterns: Vec<u32>,
    /// The index in `rows` of each of these.
    row_indexes: Vec<u32>,
    /// The sum of the rows of each cell, before clipping.
    sums: Vec<Lanes>,
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

impl Worker {
    pub fn new() -> Worker {
        Worker {
            row_index: vec![0; PATTERNS],
            met: Vec::new(),
            rows: Vec::new(),
            heads: Vec::new(),
            patterns: Vec::new(),
            row_indexes: Vec::new(),
            sums: Vec::new(),
        }
    }

    pub fn predictions(
        &mut self,
        model: &Model,
        data: &Data,
        positions: &[TrainingPosition],
    ) -> Vec<f32> {
        self.begin(model);
        let predict = |position| {
            let (board, stones) = data.stones(position);
            self.forward(model, board, stones, position.counts).output
        };
        let predictions = positions.iter().map(predict).collect();
        self.forget();
        predictions
    }

    pub fn run(
        &mut self,
        model: &Model,
        data: &Data,
        positions: &[TrainingPosition],
        pass: Pass,
    ) -> Gradient {
        let mut gradient = Gradient::zero(model);
        self.begin(model);
        for position in positions {
            let (board, stones) = data.stones(position);
            let activations = self.forward(model, board, stones, position.counts);
            gradient.loss += loss(activations.output, position);
            if pass == Pass::Gradient {
                gradient.rows.resize(self.rows.len(), [0.0; LANES]);
                if !is_within(activations.output, position) {
                    self.backward(board, position, &activations, &mut gradient);
                }
            }
        }
        gradient.patterns = self.forget();
        gradient
    }

    fn begin(&mut self, model: &Model) {
        self.rows.clear();
        self.rows.push(model.stone_free_row());
        self.heads = model.heads_as_evaluated();
    }

    /// Forgets the patterns of a micro-batch and returns them, without those that have no stone.
    fn forget(&mut self) -> Vec<u32> {
        for &pattern in &self.met {
            self.row_index[pattern as usize] = 0;
        }
        std::mem::take(&mut self.met)
    }

    /// Evaluates a position, by its stones and what [`threat_counts`] says. The patterns that are
    /// new get their rows.
    fn forward(
        &mut self,
        model: &Model,
        board: &EmptyBoard,
        stones: &[[u8; 2]],
        counts: u64,
    ) -> Activations {
        board.patterns(stones, model.layout.is_tied, &mut self.patterns);
        let us = Color::to_move_after(stones.len());
        let index = if model.layout.is_tied { 0 } else { us as usize };
        let head = &self.heads[index];

        self.row_indexes.clear();
        for &pattern in &self.patterns {
            let pattern = pattern as usize;
            if model.layout.is_stone_free[pattern] {
                self.row_indexes.push(0);
                continue;
            }
            if self.row_index[pattern] == 0 {
                self.met.push(pattern as u32);
                self.row_index[pattern] = self.met.len() as u32;
                self.rows.push(model.row(pattern));
            }
            self.row_indexes.push(self.row_index[pattern]);
        }
        let mut regions = [[0.0f32; LANES]; REGIONS];
        self.sums.clear();
        for cell in 0..board.cells {
            let rows: &[u32; 4] = self.row_indexes[4 * cell..].first_chunk().expect("four a cell");
            let mut sum = [0.0f32; LANES];
            if rows.iter().any(|&row| row != 0) {
                for &row in rows {
                    let row = &self.rows[row as usize];
                    for i in 0..LANES {
                        sum[i] += row[i];
                    }
                }
                let region = &mut regions[board.region[cell] as usize];
                for i in 0..LANES {
                    region[i] += sum[i].clamp(0.0, CELL_CLIP);
                }
            }
            self.sums.push(sum);
        }

        let active = |sum: f32| model.activation(sum.clamp(0.0, ACTIVE_CLIP));
        let mut inputs = [[0.0f32; LANES]; REGIONS];
        let mut region_out = [[0.0f32; REGION_OUT]; REGIONS];
        let mut joined = [0.0f32; JOINED];
        for r in 0..REGIONS {
            let kind = KIND[r];
            for i in 0..LANES {
                inputs[r][i] = model.activation(regions[r][i] * REGION_SCALE);
                joined[KINDS * REGION_OUT + i] += model.activation(regions[r][i] * GLOBAL_SCALE);
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
        &self,
        board: &EmptyBoard,
        position: &TrainingPosition,
        activations: &Activations,
        gradient: &mut Gradient,
    ) {
        let Activations { inputs, region_out, joined, hidden1, active1, hidden2, active2, .. } =
            activations;
        let head = &self.heads[activations.head];
        let grad = &mut gradient.heads[activations.head];
        let d_output = sigmoid(activations.output.into()) as f32 - position.target;
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
            let level = level(position.counts, feature);
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
        for cell in 0..board.cells {
            let rows: &[u32; 4] = self.row_indexes[4 * cell..].first_chunk().expect("four a cell");
            if rows.iter().all(|&row| row == 0) {
                continue;
            }
            let (sum, d) = (&self.sums[cell], &d_regions[board.region[cell] as usize]);
            let mut d_cell = [0.0f32; LANES];
            for i in 0..LANES {
                d_cell[i] = if sum[i] > 0.0 && sum[i] < CELL_CLIP { d[i] } else { 0.0 };
            }
            for &row in rows {
                let row = &mut gradient.rows[row as usize];
                for i in 0..LANES {
                    row[i] += d_cell[i];
                }
            }
        }
    }
}

/// Returns the losses and gradients of the micro-batches of a batch in order, worked out by so many
/// threads; the gradients are 0 if the pass is for the loss alone.
pub fn batch_gradients(
    model: &Model,
    data: &Data,
    batch: &[TrainingPosition],
    pass: Pass,
    threads: usize,
) -> io::Result<Vec<Gradient>> {
    let mut gradients = Vec::with_capacity(batch.len().div_ceil(MICRO_BATCH));
    run_micro_batches(model, data, batch, pass, threads, |result| gradients.push(result))?;
    Ok(gradients)
}

/// Returns the mean loss of positions, at least one, in nats.
pub fn mean_loss(
    model: &Model,
    data: &Data,
    positions: &[TrainingPosition],
    threads: usize,
) -> io::Result<f64> {
    let mut sum = 0.0;
    // One result at a time: those of millions of positions would fill the memory.
    run_micro_batches(model, data, positions, Pass::Loss, threads, |result| sum += result.loss)?;
    Ok(sum / positions.len() as f64)
}

fn run_micro_batches(
    model: &Model,
    data: &Data,
    positions: &[TrainingPosition],
    pass: Pass,
    threads: usize,
    mut take: impl FnMut(Gradient),
) -> io::Result<()> {
    let batches: Vec<&[TrainingPosition]> = positions.chunks(MICRO_BATCH).collect();
    let worker = || {
        let (mut worker, batches) = (Worker::new(), &batches);
        move |index: u64| worker.run(model, data, batches[index as usize], pass)
    };
    in_order(0..batches.len() as u64, threads, STACK_BYTES, worker, |result| {
        take(result);
        true
    })
}

fn is_within(output: f32, position: &TrainingPosition) -> bool {
    let probability = sigmoid(output.into()) as f32;
    match position.bound {
        Bound::Exact => false,
        Bound::Lower => probability >= position.target,
        Bound::Upper => probability <= position.target,
    }
}

/// Returns the loss of a prediction, in nats; `output` is in log odds. For an exact target this is
/// the Kullback-Leibler divergence: 0 if the prediction is the target. For a bound it is 0 as well
/// if the prediction is on the allowed side.
pub fn loss(output: f32, position: &TrainingPosition) -> f64 {
    if is_within(output, position) {
        return 0.0;
    }
    let (x, t) = (f64::from(output), f64::from(position.target));
    let entropy = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    x.max(0.0) - x * t + (-x.abs()).exp().ln_1p() - entropy(t) - entropy(1.0 - t)
}

fn dot<const N: usize>(a: &[f32; N], b: &[f32; N]) -> f32 {
    const { assert!(N.is_multiple_of(16)) };
    // Sixteen sums side by side, which vector instructions can do.
    let mut sums = [0.0f32; 16];
    for i in 0..N / 16 {
        for j in 0..16 {
            sums[j] += a[16 * i + j] * b[16 * i + j];
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use tengen::eval::network::PERSPECTIVE_LANES;

    use super::*;
    use crate::train::data::tests::random_positions;

    fn total(model: &Model, data: &Data, pass: Pass) -> Gradient {
        Worker::new().run(model, data, &data.training[..40], pass)
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        for is_tied in [true, false] {
            let data = random_positions(3, 200);
            let model = Model::new(is_tied, 7);
            let gradient = total(&model, &data, Pass::Gradient);
            let embeddings = model.numbers().count() - model.heads.len() * Head::LEN;
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
            let mut position = random_positions(5, 50).training[0];
            (position.bound, position.target) = (bound, 0.7);
            position
        };
        assert_eq!(loss(2.0, &position(Bound::Lower)), 0.0);
        assert_eq!(loss(-2.0, &position(Bound::Upper)), 0.0);
        let exact = loss(2.0, &position(Bound::Exact));
        assert!(exact > 0.0 && loss(2.0, &position(Bound::Upper)) == exact);
        assert!(loss((0.7f32 / 0.3).ln(), &position(Bound::Exact)).abs() < 1e-6);
    }
}
