//! The loss of a part of a batch and its gradient, by a pass forward and one back.
//!
//! A pattern's row is made once for a part and its gradient summed there, since a few thousand
//! patterns make up nearly all lines of a batch. Moves no weight.

#![expect(clippy::needless_range_loop, reason = "one index runs through several arrays")]

use tengen::eval::line_code::PATTERNS;
use tengen::eval::network::{
    COUNT_FEATURES, HIDDEN1, HIDDEN2, JOINED, KIND, KINDS, LANES, REGION_OUT, REGIONS,
};
use tengen::types::{Bound, sigmoid};

use crate::data::{Data, Sample, side_to_move};
use crate::model::{CLIP, GLOBAL_SCALE, Head, Lanes, Model, REGION_SCALE};
use crate::patterns::Frames;

/// The loss of a part of a batch, and its gradient.
pub struct Gradient {
    /// The sum of the losses.
    pub loss: f64,
    /// The gradient of each head.
    pub heads: Vec<Box<Head>>,
    /// The patterns met, without those that have no stone.
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

    /// Returns the gradient of the row of all patterns without a stone.
    pub fn stone_free_row(&self) -> &Lanes {
        &self.rows[0]
    }

    /// Returns the other patterns that were met and the gradient of the row of each.
    pub fn rows(&self) -> impl Iterator<Item = (usize, &Lanes)> {
        self.patterns.iter().map(|&pattern| pattern as usize).zip(&self.rows[1..])
    }
}

/// What one thread needs for its part of a batch.
pub struct Worker {
    /// Place of each pattern's row among those met, plus 1.
    place: Vec<u32>,
    /// The rows, one without a stone first.
    values: Vec<Lanes>,
    /// The patterns of a sample, the places of their rows, and the sums of each cell.
    patterns: Vec<u32>,
    places: Vec<u32>,
    sums: Vec<Lanes>,
}

impl Worker {
    /// Returns a worker that has met nothing.
    pub fn new() -> Worker {
        Worker {
            place: vec![0; PATTERNS],
            values: Vec::new(),
            patterns: Vec::new(),
            places: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// Returns the prediction for a sample in log odds.
    pub fn predict(&mut self, model: &Model, frames: &Frames, data: &Data, sample: &Sample) -> f32 {
        let mut gradient = Gradient::zero(model);
        self.begin(model);
        let output = self.sample(model, frames, data, sample, false, &mut gradient);
        self.forget(&gradient);
        output
    }

    /// Computes losses, and the gradient if `learns`.
    pub fn run(
        &mut self,
        model: &Model,
        frames: &Frames,
        data: &Data,
        samples: &[Sample],
        learns: bool,
    ) -> Gradient {
        let mut gradient = Gradient::zero(model);
        self.begin(model);
        for sample in samples {
            let output = self.sample(model, frames, data, sample, learns, &mut gradient);
            gradient.loss += loss(output, sample);
        }
        self.forget(&gradient);
        gradient
    }

    /// Begins a part without a row but that of no stone.
    fn begin(&mut self, model: &Model) {
        self.values.clear();
        self.values.push(model.stone_free_row());
    }

    /// Forgets the patterns of a part.
    fn forget(&mut self, part: &Gradient) {
        for &pattern in &part.patterns {
            self.place[pattern as usize] = 0;
        }
    }

    /// Returns the prediction for a sample in log odds, and adds to the gradient if `learns`.
    fn sample(
        &mut self,
        model: &Model,
        frames: &Frames,
        data: &Data,
        sample: &Sample,
        learns: bool,
        gradient: &mut Gradient,
    ) -> f32 {
        let (size, stones) = data.stones(sample);
        let frame = frames.of(size);
        frame.patterns(size, stones, model.layout.is_tied, &mut self.patterns);
        let us = side_to_move(stones.len());
        let which = if model.layout.is_tied { 0 } else { us as usize };
        let head = &model.heads[which];

        // Rows, cells, regions.
        self.places.clear();
        for &pattern in &self.patterns {
            let pattern = pattern as usize;
            if model.layout.is_stone_free[pattern] {
                self.places.push(0);
                continue;
            }
            if self.place[pattern] == 0 {
                gradient.patterns.push(pattern as u32);
                gradient.rows.push([0.0; LANES]);
                self.place[pattern] = gradient.patterns.len() as u32;
                self.values.push(model.row(pattern));
            }
            self.places.push(self.place[pattern]);
        }
        let mut regions = [[0.0f32; LANES]; REGIONS];
        self.sums.clear();
        for cell in 0..frame.cells {
            let places: &[u32; 4] = self.places[4 * cell..].first_chunk().expect("four a cell");
            let mut sum = [0.0f32; LANES];
            if places.iter().any(|&place| place != 0) {
                for &place in places {
                    let row = &self.values[place as usize];
                    for i in 0..LANES {
                        sum[i] += row[i];
                    }
                }
                let region = &mut regions[frame.region[cell] as usize];
                for i in 0..LANES {
                    region[i] += sum[i].clamp(0.0, CLIP);
                }
            }
            self.sums.push(sum);
        }

        // Head.
        let mut inputs = [[0.0f32; LANES]; REGIONS];
        let mut region_out = [[0.0f32; REGION_OUT]; REGIONS];
        let mut joined = [0.0f32; JOINED];
        for r in 0..REGIONS {
            let kind = KIND[r];
            for i in 0..LANES {
                inputs[r][i] = regions[r][i] * REGION_SCALE;
                joined[KINDS * REGION_OUT + i] += regions[r][i] * GLOBAL_SCALE;
            }
            for o in 0..REGION_OUT {
                let sum = head.region_bias[kind][o] + dot(&head.region[kind][o], &inputs[r]);
                region_out[r][o] = sum;
                joined[kind * REGION_OUT + o] += sum.clamp(0.0, CLIP);
            }
        }
        let mut hidden1 = head.bias1;
        for feature in 0..COUNT_FEATURES {
            let level = (sample.counts >> (2 * feature) & 3) as usize;
            for i in 0..HIDDEN1 {
                hidden1[i] += head.counts[feature][level][i];
            }
        }
        for o in 0..HIDDEN1 {
            hidden1[o] += dot(&head.hidden1[o], &joined);
        }
        let active1 = hidden1.map(|x| x.clamp(0.0, CLIP));
        let mut hidden2 = head.bias2;
        for o in 0..HIDDEN2 {
            hidden2[o] += dot(&head.hidden2[o], &active1);
        }
        let active2 = hidden2.map(|x| x.clamp(0.0, CLIP));
        let output = head.bias3 + dot(&head.output, &active2);
        if !learns || is_within(output, sample) {
            return output;
        }

        // Backward.
        let d_output = sigmoid(output.into()) as f32 - sample.target;
        let grad = &mut gradient.heads[which];
        let passes = |x: f32| x > 0.0 && x < CLIP;
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
            let level = (sample.counts >> (2 * feature) & 3) as usize;
            for i in 0..HIDDEN1 {
                grad.counts[feature][level][i] += d1[i];
            }
        }
        let mut d_regions = [[0.0f32; LANES]; REGIONS];
        for r in 0..REGIONS {
            let kind = KIND[r];
            for i in 0..LANES {
                d_regions[r][i] = d_joined[KINDS * REGION_OUT + i] * GLOBAL_SCALE;
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
        for cell in 0..frame.cells {
            let places: &[u32; 4] = self.places[4 * cell..].first_chunk().expect("four a cell");
            if places.iter().all(|&place| place == 0) {
                continue;
            }
            let (sum, d) = (&self.sums[cell], &d_regions[frame.region[cell] as usize]);
            let mut d_cell = [0.0f32; LANES];
            for i in 0..LANES {
                d_cell[i] = if sum[i] > 0.0 && sum[i] < CLIP { d[i] } else { 0.0 };
            }
            for &place in places {
                let row = &mut gradient.rows[place as usize];
                for i in 0..LANES {
                    row[i] += d_cell[i];
                }
            }
        }
        output
    }
}

/// Returns true if a prediction in log odds lies where a bound says that the truth lies.
fn is_within(output: f32, sample: &Sample) -> bool {
    let probability = sigmoid(output.into()) as f32;
    match sample.bound {
        Bound::Exact => false,
        Bound::Lower => probability >= sample.target,
        Bound::Upper => probability <= sample.target,
    }
}

/// Returns the loss of a prediction in log odds: the cross entropy of the target and the prediction,
/// where a bound is the target only for predictions beyond it, less what the best prediction costs.
pub fn loss(output: f32, sample: &Sample) -> f64 {
    if is_within(output, sample) {
        return 0.0;
    }
    let (x, t) = (f64::from(output), f64::from(sample.target));
    let entropy = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    x.max(0.0) - x * t + (-x.abs()).exp().ln_1p() - entropy(t) - entropy(1.0 - t)
}

fn dot<const N: usize>(a: &[f32; N], b: &[f32; N]) -> f32 {
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
    use tengen::eval::network::VIEW;

    use super::*;
    use crate::data::tests::random_positions;

    fn total(model: &Model, data: &Data, learns: bool) -> Gradient {
        Worker::new().run(model, &Frames::new(), data, &data.training[..40], learns)
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        for is_tied in [true, false] {
            let data = random_positions(3, 200);
            let model = Model::new(is_tied, 7);
            let gradient = total(&model, &data, true);
            let embeddings = model.numbers().count() - model.heads.len() * Head::LEN;
            let head: Vec<f32> = gradient.heads.iter().flat_map(|head| head.numbers()).collect();
            let mut checked = 0;
            for (index, &slope) in head.iter().enumerate().step_by(61) {
                let loss = |step: f32| {
                    let mut moved = model.clone();
                    if let Some(number) = moved.numbers_mut().nth(embeddings + index) {
                        *number += step;
                    }
                    total(&moved, &data, false).loss
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
        let gradient = total(&model, &data, true);
        for (pattern, row) in gradient.rows().step_by(97).take(12) {
            // The embedding of the longest window belongs to this class of patterns alone, and to
            // those with colours exchanged.
            let (view, number) = model.layout.embeddings[pattern][0][2];
            let slope: f64 = gradient
                .rows()
                .flat_map(|(other, row)| {
                    let halves = model.layout.embeddings[other].iter();
                    halves.zip([3, VIEW + 3]).map(|(half, lane)| (half, row[lane]))
                })
                .filter(|(half, _)| half.contains(&(view, number)))
                .map(|(_, lane)| f64::from(lane))
                .sum();
            let loss = |step: f32| {
                let mut moved = model.clone();
                moved.views[usize::from(view)][number as usize][3] += step;
                total(&moved, &data, false).loss
            };
            let found = (loss(1e-2) - loss(-1e-2)) / 2e-2;
            assert!((found - slope).abs() < 0.02 + 0.05 * found.abs(), "{found} {slope} {row:?}");
        }
    }

    #[test]
    fn the_row_without_a_stone_has_the_gradient_of_finite_differences() {
        let data = random_positions(4, 200);
        let mut model = Model::new(false, 7);
        model.stone_free = vec![[-0.1; VIEW]; 2];
        let gradient = total(&model, &data, true);
        let mut checked = 0;
        for (lane, &slope) in gradient.stone_free_row().iter().enumerate() {
            let loss = |step: f32| {
                let mut moved = model.clone();
                moved.stone_free[lane / VIEW][lane % VIEW] += step;
                total(&moved, &data, false).loss
            };
            let [found, nearer] =
                [1e-2, 5e-3].map(|step| (loss(step) - loss(-step)) / (2.0 * f64::from(step)));
            // Where lanes of cells begin to be active there is no slope.
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
        let sample = |bound| {
            let mut sample = random_positions(5, 50).training[0];
            (sample.bound, sample.target) = (bound, 0.7);
            sample
        };
        assert_eq!(loss(2.0, &sample(Bound::Lower)), 0.0);
        assert_eq!(loss(-2.0, &sample(Bound::Upper)), 0.0);
        let exact = loss(2.0, &sample(Bound::Exact));
        assert!(exact > 0.0 && loss(2.0, &sample(Bound::Upper)) == exact);
        assert!(loss((0.7f32 / 0.3).ln(), &sample(Bound::Exact)).abs() < 1e-6);
    }
}
