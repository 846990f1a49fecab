//! The optimiser: Adam on every weight, lazily on the embeddings, and the mean of the last models.
//!
//! Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015, with the weight decay of
//! Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019. A batch meets few of the
//! embeddings, and only those take a step: the momentum of the others waits. The moments have no
//! bias correction; the warm-up takes care of weights that are met from the first step on, while an
//! embedding's first steps are up to 6.6 times the learning rate.

use tengen::eval::network::LANES;
use tengen::eval::pattern::PATTERNS;
use tengen::eval::rows::PERSPECTIVE_LANES;
use tengen_gomoku::types::Color;

use crate::train::gradient::Gradient;
use crate::train::model::{Head, Model, RADII, WEIGHT_MAX, offsets};

/// 1 - beta1: how much a new gradient counts in the mean of gradients.
const ONE_MINUS_BETA1: f32 = 0.1;
/// 1 - beta2: how much its square counts in the mean of squares.
const ONE_MINUS_BETA2: f32 = 0.001;
const EPSILON: f32 = 1e-8;
/// The rates of embeddings by radius, as shares of the head's: long windows are met less often.
const RADIUS_RATES: [f32; RADII.len()] = [1.0, 1.0, 0.5];
/// The bound of a row without a stone, far below what a lane may have.
const STONE_FREE_MAX: f32 = 16.0;
/// Steps of the warm-up, in which the learning rate rises from 0.
const WARM_UP: f32 = 300.0;
/// The rate of the last step, as a share of the greatest.
const LAST_RATE: f32 = 0.01;

#[derive(Clone, Copy, Default)]
pub struct Moments {
    mean: f32,
    square: f32,
}

impl Moments {
    pub fn step(&mut self, weight: &mut f32, gradient: f32, rate: f32) {
        self.mean += (gradient - self.mean) * ONE_MINUS_BETA1;
        self.square += (gradient * gradient - self.square) * ONE_MINUS_BETA2;
        *weight -= rate * self.mean / (self.square.sqrt() + EPSILON);
    }
}

pub struct Trainer<H> {
    pub model: Model<H>,
    rate: f32,
    /// The weight decay of embeddings: a step multiplies those it moves by `1 - rate * decay`.
    decay: f32,
    embedding_moments: Vec<Vec<[Moments; PERSPECTIVE_LANES]>>,
    stone_free_moments: Vec<[Moments; PERSPECTIVE_LANES]>,
    head_moments: Vec<Vec<Moments>>,
    rows: Sums<LANES>,
    embeddings: Vec<Sums<PERSPECTIVE_LANES>>,
}

/// A sum of vectors for each index. A batch adds to only a few of them.
struct Sums<const N: usize> {
    sums: Vec<Option<[f32; N]>>,
    /// The indexes with a sum, in the order of their first vectors.
    met: Vec<usize>,
}

impl<const N: usize> Sums<N> {
    fn new(len: usize) -> Sums<N> {
        Sums { sums: vec![None; len], met: Vec::new() }
    }

    fn add(&mut self, index: usize, addends: &[f32]) {
        let sum = self.sums[index].get_or_insert_with(|| {
            self.met.push(index);
            [0.0; N]
        });
        sum.iter_mut().zip(addends).for_each(|(sum, addend)| *sum += addend);
    }

    /// Removes all sums, each with its index.
    fn drain(&mut self) -> impl Iterator<Item = (usize, [f32; N])> {
        self.met.drain(..).filter_map(|index| Some((index, self.sums[index].take()?)))
    }
}

impl<H: Head> Trainer<H> {
    pub fn new(model: Model<H>, rate: f32, decay: f32) -> Trainer<H> {
        let len = offsets()[RADII.len()];
        let count = model.heads.len();
        let moments = vec![Moments::default(); H::zero().numbers().len()];
        Trainer {
            embedding_moments: vec![vec![[Moments::default(); PERSPECTIVE_LANES]; len]; count],
            stone_free_moments: vec![[Moments::default(); PERSPECTIVE_LANES]; count],
            head_moments: vec![moments; count],
            rows: Sums::new(PATTERNS),
            embeddings: (0..count).map(|_| Sums::new(len)).collect(),
            model,
            rate,
            decay,
        }
    }

    /// Moves the weights against the gradient of a batch. `progress` is the share of the training
    /// that is done, `step` the number of the step, from 1. Returns the summed loss.
    pub fn step(
        &mut self,
        gradients: &[Gradient<H>],
        positions: usize,
        progress: f32,
        step: usize,
    ) -> f64 {
        let rate = self.rate * schedule(progress, step);
        let share = 1.0 / positions as f32;
        self.step_embeddings(gradients, share, rate);
        self.step_stone_free_rows(gradients, share, rate);
        self.step_heads(gradients, share, rate);
        gradients.iter().map(|gradient| gradient.loss).sum()
    }

    fn step_embeddings(&mut self, gradients: &[Gradient<H>], share: f32, rate: f32) {
        self.sum_embeddings(gradients);
        let offsets = offsets();
        for (perspective, embeddings) in self.embeddings.iter_mut().enumerate() {
            let weights = &mut self.model.perspectives[perspective];
            let moments = &mut self.embedding_moments[perspective];
            for (number, gradient) in embeddings.drain() {
                let radius = (1..RADII.len()).filter(|&i| number >= offsets[i]).count();
                let rate = rate * RADIUS_RATES[radius];
                let lanes = weights[number].iter_mut().zip(&mut moments[number]).zip(gradient);
                for ((weight, moments), slope) in lanes {
                    moments.step(weight, slope * share, rate);
                    *weight -= self.decay * rate * *weight;
                }
            }
        }
    }

    fn step_stone_free_rows(&mut self, gradients: &[Gradient<H>], share: f32, rate: f32) {
        let mut sums = vec![[0.0; PERSPECTIVE_LANES]; self.model.heads.len()];
        for row in gradients.iter().map(Gradient::stone_free_row) {
            for (lanes, color) in row.chunks_exact(PERSPECTIVE_LANES).zip(Color::ALL) {
                let sum = sums[self.model.perspective(color)].iter_mut();
                sum.zip(lanes).for_each(|(sum, lane)| *sum += lane * share);
            }
        }
        let rows = self.model.stone_free.iter_mut().zip(&mut self.stone_free_moments).zip(&sums);
        for ((row, moments), sum) in rows {
            for ((lane, moments), &slope) in row.iter_mut().zip(moments).zip(sum) {
                moments.step(lane, slope, rate);
                *lane = lane.clamp(-STONE_FREE_MAX, 0.0);
            }
        }
    }

    fn step_heads(&mut self, gradients: &[Gradient<H>], share: f32, rate: f32) {
        for (which, head) in self.model.heads.iter_mut().enumerate() {
            let mut total = Box::new(H::zero());
            for gradient in gradients {
                let addends = gradient.heads[which].numbers();
                total.numbers_mut().zip(addends).for_each(|(sum, addend)| *sum += addend);
            }
            let weights = head.numbers_mut().zip(total.numbers());
            for ((weight, sum), moments) in weights.zip(&mut self.head_moments[which]) {
                moments.step(weight, sum * share, rate);
                *weight = weight.clamp(-WEIGHT_MAX, WEIGHT_MAX);
            }
        }
    }

    fn sum_embeddings(&mut self, gradients: &[Gradient<H>]) {
        for (pattern, row) in gradients.iter().flat_map(Gradient::rows) {
            self.rows.add(pattern, row);
        }
        let (model, sums) = (&self.model, &mut self.embeddings);
        for (pattern, row) in self.rows.drain() {
            let halves = row.chunks_exact(PERSPECTIVE_LANES).zip(&model.embeddings[pattern]);
            for (lanes, embeddings) in halves {
                for &(perspective, number) in embeddings {
                    sums[usize::from(perspective)].add(number as usize, lanes);
                }
            }
        }
    }
}

/// Returns the rate of a step as a share of the greatest: a rise, then half a cosine.
pub fn schedule(progress: f32, step: usize) -> f32 {
    let cosine = 0.5 * (1.0 + (progress * std::f32::consts::PI).cos());
    (step as f32 / WARM_UP).min(1.0) * (LAST_RATE + (1.0 - LAST_RATE) * cosine)
}

/// Stochastic weight averaging: the mean of the weights after several steps (Izmailov and others,
/// "Averaging Weights Leads to Wider Optima and Better Generalization", 2018).
#[derive(Default)]
pub struct WeightAverage {
    sums: Vec<f64>,
    count: usize,
}

impl WeightAverage {
    pub fn add<H: Head>(&mut self, model: &Model<H>) {
        if self.count == 0 {
            self.sums = model.numbers().map(|_| 0.0).collect();
        }
        self.sums.iter_mut().zip(model.numbers()).for_each(|(sum, n)| *sum += f64::from(n));
        self.count += 1;
    }

    pub fn write<H: Head>(&self, model: &mut Model<H>) {
        let count = self.count as f64;
        let sums = self.sums.iter();
        model.numbers_mut().zip(sums).for_each(|(number, sum)| *number = (sum / count) as f32);
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::train::gradient::{Worker, by_micro_batches, mean_loss};
    use crate::train::positions::Data;
    use crate::train::positions::tests::random_positions;
    use crate::train::value::{ValueHead, ValueObjective, loss};

    /// Returns a model that has made so many steps.
    pub fn trained(
        threads: usize,
        is_tied: bool,
        steps: usize,
        data: &Data<ValueObjective>,
    ) -> Model<ValueHead> {
        let mut trainer = Trainer::new(Model::new(is_tied, 5), 5e-3, 0.0);
        for step in 0..steps {
            let batch = &data.training;
            let gradients =
                by_micro_batches(&trainer.model, data, batch, threads, Worker::gradient).unwrap();
            trainer.step(&gradients, batch.len(), 0.0, 300 + step);
        }
        trainer.model
    }

    #[test]
    fn threads_do_not_change_the_result() {
        let data = random_positions(1, 1_200);
        let [one, three] = [1, 3].map(|threads| trained(threads, true, 3, &data));
        assert!(one.numbers().eq(three.numbers()));
    }

    #[test]
    fn a_known_law_is_found_again() {
        // The side to move wins if it has a stone in the middle.
        for is_tied in [true, false] {
            let data = random_positions(2, 600);
            let model = trained(2, is_tied, 150, &data);
            let mean = mean_loss(&model, &data, &data.held_out, 2).unwrap();
            let guess: f64 =
                data.held_out.iter().map(|position| loss(0.0, &position.label)).sum::<f64>()
                    / data.held_out.len() as f64;
            assert!(mean < guess / 2.0, "{mean} for {guess}");
        }
    }

    #[test]
    fn an_average_is_the_mean() {
        let models = [1, 2].map(|seed| Model::<ValueHead>::new(true, seed));
        let mut average = WeightAverage::default();
        models.iter().for_each(|model| average.add(model));
        let mut mean = Model::<ValueHead>::new(true, 3);
        average.write(&mut mean);
        let pairs = models[0].numbers().zip(models[1].numbers());
        assert!(mean.numbers().zip(pairs).all(|(m, (a, b))| (m - (a + b) / 2.0).abs() < 1e-6));
    }

    #[test]
    fn a_quadratic_function_is_brought_to_its_least() {
        // Half of (x - 3)^2 + 100 (y + 2)^2.
        let (mut x, mut y, mut moments) = (0.0, 0.0, [Moments::default(); 2]);
        for step in 0..4_000 {
            let rate = 0.05 * (1.0 - step as f32 / 4_000.0);
            let slopes = [x - 3.0, 100.0 * (y + 2.0)];
            moments[0].step(&mut x, slopes[0], rate);
            moments[1].step(&mut y, slopes[1], rate);
        }
        assert!((x - 3.0).abs() < 1e-3 && (y + 2.0).abs() < 1e-3, "{x} {y}");
    }
}
