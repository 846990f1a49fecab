//! The network in floating point: embeddings, rows and heads.
//!
//! A row is the sum of the embeddings of nested windows around the cell: those of short windows are
//! met often and learned soon, those of long ones are small deviations from them. The engine sees
//! rows only.

use anyhow::ensure;
use arrayvec::ArrayVec;
use tengen::eval::network::{
    ACTIVE_MAX, ACTIVE_ONE, CELL_MAX, GLOBAL_MAX, GLOBAL_SHIFT, HIDDEN1, HIDDEN2, JOINED, KINDS,
    LANES, PERSPECTIVE_LANES, REGION_OUT, REGION_SHIFT, REGION_SUM_ONE, REGION_WEIGHT_ONE, ROW_ONE,
    SUM_ONE, WEIGHT_ONE,
};
use tengen::eval::pattern::{PATTERNS, Pattern, classes};
use tengen::eval::threat_counts::{COUNT_FEATURES, COUNT_LEVELS};
use tengen_gomoku::types::Random;

/// The largest lane of a cell after clipping.
pub const CELL_CLIP: f32 = CELL_MAX as f32 / ROW_ONE as f32;
pub const ACTIVE_CLIP: f32 = ACTIVE_MAX as f32 / ACTIVE_ONE as f32;
/// The largest input of the first hidden layer from the whole board.
pub const GLOBAL_CLIP: f32 = GLOBAL_MAX as f32 / ACTIVE_ONE as f32;
/// What a region's layer multiplies the sums of lanes by.
pub const REGION_SCALE: f32 = ROW_ONE as f32 / (ACTIVE_ONE << REGION_SHIFT) as f32;
/// What the first hidden layer multiplies the sums of lanes of the whole board by.
pub const GLOBAL_SCALE: f32 = ROW_ONE as f32 / (ACTIVE_ONE << GLOBAL_SHIFT) as f32;
/// The largest absolute value of a head's weights. Larger ones could overflow the integer sums of a
/// region.
pub const WEIGHT_MAX: f32 = 3.9;

/// Cells on each side of the centre, for each of the nested windows.
pub const RADII: [usize; 3] = [2, 3, 4];

pub type Lanes = [f32; LANES];

#[derive(Clone)]
pub struct Head {
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

impl Head {
    pub const LEN: usize = size_of::<Head>() / size_of::<f32>();
    /// The quantisation scale of each field, in the order of the fields.
    pub const FIELD_ONES: [i32; 9] = [
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

    pub fn zero() -> Box<Head> {
        Box::new(Head {
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

    pub fn fields(&self) -> [&[f32]; 9] {
        [
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

    pub fn fields_mut(&mut self) -> [&mut [f32]; 9] {
        [
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

    fn rounded(&self) -> Box<Head> {
        let mut head = Box::new(self.clone());
        for (weights, one) in head.fields_mut().into_iter().zip(Head::FIELD_ONES) {
            weights.iter_mut().for_each(|weight| *weight = rounded(*weight, one));
        }
        head
    }

    pub fn numbers(&self) -> impl Iterator<Item = f32> {
        self.fields().into_iter().flatten().copied()
    }

    pub fn numbers_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        self.fields_mut().into_iter().flatten()
    }
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

/// What a row is made of, for each pattern and half of the lanes.
#[derive(Clone)]
pub struct Layout {
    /// True if both colors share one perspective: white sees a pattern as black sees it with the
    /// colors exchanged. If false, perspective 1 holds deviations that are added to this for
    /// white.
    pub is_tied: bool,
    /// The embeddings of each pattern's two halves of a row.
    pub embeddings: Vec<[Embeddings; 2]>,
    /// True for patterns without a stone, all of which have the same row.
    pub is_stone_free: Vec<bool>,
}

impl Layout {
    pub fn new(is_tied: bool) -> Layout {
        let offsets = offsets();
        let embeddings_of = |perspective: u8, pattern: Pattern| {
            let number = move |(&radius, &offset)| (offset + pattern.class(radius)) as u32;
            RADII.iter().zip(&offsets).map(number).map(move |number| (perspective, number))
        };
        let embeddings = (0..PATTERNS)
            .map(|index| {
                let pattern = Pattern::from_index(index);
                let deviation = (!is_tied).then(|| embeddings_of(1, pattern)).into_iter().flatten();
                let white = embeddings_of(0, pattern.swapped()).chain(deviation);
                [embeddings_of(0, pattern).collect(), white.collect()]
            })
            .collect();
        let is_stone_free =
            (0..PATTERNS).map(|index| Pattern::from_index(index).is_stone_free()).collect();
        Layout { is_tied, embeddings, is_stone_free }
    }

    pub fn perspective(&self, half: usize) -> usize {
        if self.is_tied { 0 } else { half }
    }

    pub fn perspectives(&self) -> usize {
        if self.is_tied { 1 } else { 2 }
    }
}

#[derive(Clone)]
pub struct Model {
    pub layout: Layout,
    /// For each perspective the embeddings of all radii one after another; perspective 1 has
    /// white's deviations.
    pub perspectives: Vec<Vec<[f32; PERSPECTIVE_LANES]>>,
    /// For each perspective the row of patterns without a stone. No lane is above 0: a cell without
    /// a stone in any direction adds nothing, and one with stones in some directions has a
    /// threshold.
    pub stone_free: Vec<[f32; PERSPECTIVE_LANES]>,
    pub heads: Vec<Box<Head>>,
    /// True if rows, heads and activations are rounded as the engine's are. Gradients pass as if
    /// they were not (the straight-through estimator: Bengio, Léonard and Courville, 2013).
    pub is_rounded: bool,
}

impl Model {
    pub fn new(is_tied: bool, seed: u64) -> Model {
        let layout = Layout::new(is_tied);
        let mut random = Random::new(seed);
        let mut noise = || (random.number() >> 40) as f32 / (1 << 23) as f32 - 1.0;
        let len = offsets()[RADII.len()];
        // Embeddings of longer windows and white's deviations begin at 0.
        let mut perspectives = vec![vec![[0.0; PERSPECTIVE_LANES]; len]; layout.perspectives()];
        for embedding in &mut perspectives[0][..offsets()[1]] {
            *embedding = [(); PERSPECTIVE_LANES].map(|()| noise() * 0.3);
        }
        let heads = (0..layout.perspectives())
            .map(|_| {
                let mut head = Head::zero();
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
            })
            .collect();
        let stone_free = vec![[0.0; PERSPECTIVE_LANES]; layout.perspectives()];
        Model { layout, perspectives, stone_free, heads, is_rounded: false }
    }

    pub fn row(&self, pattern: usize) -> Lanes {
        if self.layout.is_stone_free[pattern] {
            return self.stone_free_row();
        }
        let mut row = [0.0; LANES];
        let halves = row.chunks_exact_mut(PERSPECTIVE_LANES).zip(&self.layout.embeddings[pattern]);
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
        for (half, lanes) in row.chunks_exact_mut(PERSPECTIVE_LANES).enumerate() {
            lanes.copy_from_slice(&self.stone_free[self.layout.perspective(half)]);
        }
        self.rounded_row(row)
    }

    fn rounded_row(&self, row: Lanes) -> Lanes {
        if self.is_rounded { row.map(|lane| rounded(lane, ROW_ONE)) } else { row }
    }

    pub fn heads_as_evaluated(&self) -> Vec<Box<Head>> {
        let heads = self.heads.iter();
        heads.map(|head| if self.is_rounded { head.rounded() } else { head.clone() }).collect()
    }

    pub fn activation(&self, number: f32) -> f32 {
        if self.is_rounded { rounded(number, ACTIVE_ONE) } else { number }
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

    pub fn write(&self) -> Vec<u8> {
        self.numbers().flat_map(f32::to_le_bytes).collect()
    }

    /// Takes the numbers over that [`Model::write`] wrote of a model of the same kind.
    pub fn read(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        ensure!(
            bytes.len() == 4 * self.numbers().count(),
            "these are no weights of such a network"
        );
        let numbers = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        self.numbers_mut().zip(numbers).for_each(|(number, read)| *number = read);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_weights_are_read() {
        let model = Model::new(false, 1);
        let mut other = Model::new(false, 2);
        assert!(!model.numbers().eq(other.numbers()));
        other.read(&model.write()).unwrap();
        assert!(model.numbers().eq(other.numbers()));
        assert!(other.read(&model.write()[4..]).is_err());
    }

    #[test]
    fn tied_perspectives_are_each_others_with_colors_exchanged() {
        let model = Model::new(true, 3);
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
