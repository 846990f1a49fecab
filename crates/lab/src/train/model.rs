//! The network in floating point: embeddings, rows and heads.
//!
//! A row is the sum of the embeddings of nested windows around the cell: those of short windows are
//! met often and learned soon, those of long ones are small deviations from them. The engine sees
//! rows only.

use anyhow::ensure;
use arrayvec::ArrayVec;
use tengen::eval::network::{LANES, Weights};
use tengen::eval::pattern::{CLASSES, PATTERNS, Pattern, RADIUS, classes};
use tengen::eval::rows::{CELL_MAX, Layers, PERSPECTIVE_LANES, Part, ROW_ONE};
use tengen_gomoku::types::{Color, Random};

pub const CELL_CLIP: f32 = CELL_MAX as f32 / ROW_ONE as f32;

/// Cells on each side of the centre, for each of the nested windows.
pub const RADII: [usize; 3] = [2, 3, 4];

pub type Lanes = [f32; LANES];

/// The largest weight of a head. Larger ones could overflow the integer sums of a region.
pub const WEIGHT_MAX: f32 = 3.9;

/// A head in one part of a network: its value or its policy.
pub trait Head: Layers<f32> + Send + Sync {
    /// What it is in a network.
    type Quantized: Layers<i32>;

    /// Returns first weights; `noise` gives random numbers from -1 to 1.
    fn random(noise: &mut dyn FnMut() -> f32) -> Box<Self>;

    fn part(weights: &mut Weights) -> &mut Part<Self::Quantized>;

    fn numbers_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        self.fields_mut().into_iter().flatten()
    }

    fn numbers(&self) -> Vec<f32> {
        self.clone().numbers_mut().map(|number| *number).collect()
    }

    fn scaled_mut(&mut self) -> impl Iterator<Item = (&mut f32, i32)> {
        let fields = self.fields_mut().into_iter().zip(Self::FIELDS);
        fields.flat_map(|(field, &(one, _))| field.iter_mut().map(move |number| (number, one)))
    }
}

fn quantized(number: f32, one: i32) -> i32 {
    (number * one as f32).round() as i32
}

pub fn rounded(number: f32, one: i32) -> f32 {
    let one = one as f32;
    (number * one).round() / one
}

/// Returns the number of the first embedding of each radius, and the number of all.
pub fn offsets() -> [usize; RADII.len() + 1] {
    let mut offsets = [0; RADII.len() + 1];
    for (i, &radius) in RADII.iter().enumerate() {
        offsets[i + 1] = offsets[i] + classes(radius);
    }
    offsets
}

pub type Embeddings = ArrayVec<(u8, u32), { 2 * RADII.len() }>;

#[derive(Clone)]
pub struct Model<H> {
    /// True if both colors share one perspective: white sees a pattern as black sees it with the
    /// colors exchanged. If false, perspective 1 holds deviations that are added to this for
    /// white.
    pub is_tied: bool,
    /// The embeddings that a row is the sum of, for each pattern and half of the lanes.
    pub embeddings: Vec<[Embeddings; 2]>,
    /// True for patterns without a stone, all of which have the same row.
    pub is_stone_free: Vec<bool>,
    /// For each perspective the embeddings of all radii one after another; perspective 1 has
    /// white's deviations.
    pub perspectives: Vec<Vec<[f32; PERSPECTIVE_LANES]>>,
    /// For each perspective the row of patterns without a stone. No lane is above 0: a cell without
    /// a stone in any direction adds nothing, and one with stones in some directions has a
    /// threshold.
    pub stone_free: Vec<[f32; PERSPECTIVE_LANES]>,
    pub heads: Vec<Box<H>>,
    /// True if rows, heads and the value's activations are rounded as the engine's are. Gradients
    /// pass as if they were not (the straight-through estimator: Bengio, Léonard and Courville,
    /// 2013).
    pub is_rounded: bool,
}

impl<H: Head> Model<H> {
    pub fn new(is_tied: bool, seed: u64) -> Model<H> {
        let count = if is_tied { 1 } else { 2 };
        let offsets = offsets();
        let embeddings_of = |perspective: u8, pattern: Pattern| {
            let number = move |(&radius, &offset)| (offset + pattern.class(radius)) as u32;
            RADII.iter().zip(&offsets).map(number).map(move |number| (perspective, number))
        };
        let patterns = || (0..PATTERNS).map(Pattern::from_index);
        let embeddings = patterns().map(|pattern| {
            let deviation = (!is_tied).then(|| embeddings_of(1, pattern)).into_iter().flatten();
            let white = embeddings_of(0, pattern.swapped()).chain(deviation);
            [embeddings_of(0, pattern).collect(), white.collect()]
        });
        let mut random = Random::new(seed);
        let mut noise = || (random.number() >> 40) as f32 / (1 << 23) as f32 - 1.0;
        // Embeddings of longer windows and white's deviations begin at 0.
        let len = offsets[RADII.len()];
        let mut perspectives = vec![vec![[0.0; PERSPECTIVE_LANES]; len]; count];
        for embedding in &mut perspectives[0][..offsets[1]] {
            *embedding = [(); PERSPECTIVE_LANES].map(|()| noise() * 0.3);
        }
        Model {
            is_tied,
            embeddings: embeddings.collect(),
            is_stone_free: patterns().map(Pattern::is_stone_free).collect(),
            perspectives,
            stone_free: vec![[0.0; PERSPECTIVE_LANES]; count],
            heads: (0..count).map(|_| H::random(&mut noise)).collect(),
            is_rounded: false,
        }
    }

    pub fn perspective(&self, color: Color) -> usize {
        if self.is_tied { 0 } else { color as usize }
    }

    pub fn row(&self, pattern: usize) -> Lanes {
        if self.is_stone_free[pattern] {
            return self.stone_free_row();
        }
        let mut row = [0.0; LANES];
        let halves = row.chunks_exact_mut(PERSPECTIVE_LANES).zip(&self.embeddings[pattern]);
        for (lanes, embeddings) in halves {
            for &(perspective, number) in embeddings {
                let embedding = &self.perspectives[usize::from(perspective)][number as usize];
                lanes.iter_mut().zip(embedding).for_each(|(lane, weight)| *lane += weight);
            }
        }
        self.rounded_row(row)
    }

    pub fn stone_free_row(&self) -> Lanes {
        let mut row = [0.0; LANES];
        for (lanes, color) in row.chunks_exact_mut(PERSPECTIVE_LANES).zip(Color::ALL) {
            lanes.copy_from_slice(&self.stone_free[self.perspective(color)]);
        }
        self.rounded_row(row)
    }

    fn rounded_row(&self, row: Lanes) -> Lanes {
        // Rows are no larger than the engine can add up.
        let max = f32::from(H::ROW_MAX) / ROW_ONE as f32;
        let row = row.map(|lane| lane.clamp(-max, max));
        if self.is_rounded { row.map(|lane| rounded(lane, ROW_ONE)) } else { row }
    }

    pub fn heads_as_evaluated(&self) -> Vec<Box<H>> {
        let mut heads = self.heads.clone();
        if self.is_rounded {
            for (number, one) in heads.iter_mut().flat_map(|head| head.scaled_mut()) {
                *number = rounded(*number, one);
            }
        }
        heads
    }

    pub fn numbers(&self) -> impl Iterator<Item = f32> {
        let embeddings = self.perspectives.iter().flat_map(|rows| rows.as_flattened()).copied();
        let rows = self.stone_free.as_flattened().iter().copied();
        embeddings.chain(rows).chain(self.heads.iter().flat_map(|head| head.numbers()))
    }

    pub fn numbers_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        let embeddings = self.perspectives.iter_mut().flat_map(|rows| rows.as_flattened_mut());
        let rows = self.stone_free.as_flattened_mut().iter_mut();
        embeddings.chain(rows).chain(self.heads.iter_mut().flat_map(|head| head.numbers_mut()))
    }

    pub fn quantize(&self, weights: &mut Weights) {
        let part = H::part(weights);
        part.perspectives = self.quantized_rows();
        for (mut head, quantized_head) in self.heads.iter().cloned().zip(&mut part.heads) {
            let numbers = quantized_head.fields_mut().into_iter().flatten();
            for (number, (weight, one)) in numbers.zip(head.scaled_mut()) {
                *number = quantized(*weight, one);
            }
        }
    }

    pub fn dequantize(&mut self, weights: &Weights) -> anyhow::Result<()> {
        let mut weights = weights.clone();
        let part = H::part(&mut weights);
        let is_alike = part.heads.len() == self.heads.len();
        ensure!(is_alike, "the network is not of the same kind of rules");
        self.dequantize_rows(&part.perspectives);
        for (head, quantized_head) in self.heads.iter_mut().zip(&mut part.heads) {
            let numbers = quantized_head.fields_mut().into_iter().flatten();
            for ((weight, one), number) in head.scaled_mut().zip(numbers) {
                *weight = *number as f32 / one as f32;
            }
        }
        Ok(())
    }

    /// Returns the rows of each perspective by class of pattern, as the engine has them.
    fn quantized_rows(&self) -> Vec<Vec<[i16; PERSPECTIVE_LANES]>> {
        let mut perspectives = vec![vec![[0; PERSPECTIVE_LANES]; CLASSES]; self.heads.len()];
        for index in 0..PATTERNS {
            let class = Pattern::from_index(index).class(RADIUS);
            let row = self.row(index);
            let halves = row.chunks_exact(PERSPECTIVE_LANES);
            for (perspective, lanes) in perspectives.iter_mut().zip(halves) {
                perspective[class] =
                    std::array::from_fn(|lane| quantized(lanes[lane], ROW_ONE) as i16);
            }
        }
        perspectives
    }

    /// Takes over rows that the engine has.
    ///
    /// The embeddings are found from the shortest window to the longest. Each is the mean of the
    /// rows of all patterns with that window, after the embeddings of shorter windows are
    /// subtracted. The sum of a pattern's embeddings is its row.
    fn dequantize_rows(&mut self, perspectives: &[Vec<[i16; PERSPECTIVE_LANES]>]) {
        let is_stone_free = &self.is_stone_free;
        for (perspective, embeddings) in self.perspectives.iter_mut().enumerate() {
            let row_of = |index| {
                let row = perspectives[perspective][Pattern::from_index(index).class(RADIUS)];
                row.map(|lane| f32::from(lane) / ROW_ONE as f32)
            };
            if let Some(index) = is_stone_free.iter().position(|&is_free| is_free) {
                self.stone_free[perspective] = row_of(index);
            }
            let mut rest: Vec<[f32; PERSPECTIVE_LANES]> = (0..PATTERNS).map(row_of).collect();
            if perspective == 1 {
                // Perspective 1 has white's deviations: its rows less black's of the pattern with
                // the colors exchanged.
                for (index, row) in rest.iter_mut().enumerate() {
                    let class = Pattern::from_index(index).swapped().class(RADIUS);
                    let black = perspectives[0][class].map(|lane| f32::from(lane) / ROW_ONE as f32);
                    row.iter_mut().zip(black).for_each(|(lane, black)| *lane -= black);
                }
            }
            for (&radius, &offset) in RADII.iter().zip(&offsets()) {
                let class = |index| offset + Pattern::from_index(index).class(radius);
                let mut sums = vec![([0.0; PERSPECTIVE_LANES], 0.0); embeddings.len()];
                for (index, row) in rest.iter().enumerate().filter(|&(i, _)| !is_stone_free[i]) {
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
    }

    pub fn write(&self) -> Vec<u8> {
        self.numbers().flat_map(f32::to_le_bytes).collect()
    }

    /// Takes the numbers over that [`Model::write`] wrote of a model of the same kind.
    pub fn read(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let is_whole = bytes.len() == 4 * self.numbers().count();
        ensure!(is_whole, "these are no weights of such a network");
        let numbers = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        ensure!(numbers.clone().all(f32::is_finite), "a weight is no number");
        self.numbers_mut().zip(numbers).for_each(|(number, read)| *number = read);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::value::ValueHead;

    #[test]
    fn written_weights_are_read() {
        let model = Model::<ValueHead>::new(false, 1);
        let mut other = Model::<ValueHead>::new(false, 2);
        assert!(!model.numbers().eq(other.numbers()));
        other.read(&model.write()).unwrap();
        assert!(model.numbers().eq(other.numbers()));
        assert!(other.read(&model.write()[4..]).is_err());
        let no_number = [&f32::NAN.to_le_bytes()[..], &model.write()[4..]].concat();
        assert!(other.read(&no_number).is_err());
    }

    #[test]
    fn tied_perspectives_are_each_others_with_colors_exchanged() {
        let model = Model::<ValueHead>::new(true, 3);
        for index in (0..PATTERNS).step_by(97) {
            let pattern = Pattern::from_index(index);
            let (row, other) = (model.row(index), model.row(pattern.swapped().index()));
            assert!(
                row[..PERSPECTIVE_LANES] == other[PERSPECTIVE_LANES..]
                    && row[PERSPECTIVE_LANES..] == other[..PERSPECTIVE_LANES]
            );
        }
    }
}
