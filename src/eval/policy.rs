//! The policy: a score for each move, which says how likely it is the best one.
//!
//! A part of the [network](super::network) with rows of its own: a cell adds up the rows of its
//! four line patterns from the view of the side to move and clips the sum. A move is scored by the
//! lanes of its cell and by a depth-wise convolution over its eight neighbours. One hidden layer
//! follows, each unit of which is gated by the sum of the whole board. The score of the
//! [order tables](crate::search::OrderTables) counts too. `eval/network.md` describes the training.

use std::sync::Arc;

use tengen_gomoku::types::{CELLS, Color, Coord};

use super::accumulator::Accumulator;
use super::rows::{
    Layers, PERSPECTIVE_LANES, Part, PatternRows, ROW_ONE, Regions, TOTAL_SHIFT, rows, total,
};
use super::simd::{CONV_ONE, Convolution, Instructions, Kernel, Packed, Row, packed};

const LANES: usize = PERSPECTIVE_LANES;
pub const HIDDEN: usize = 16;
// `..._ONE` is a quantisation scale, the integer that stands for 1.0.
/// Of the weights of the gate and of the hidden layer.
const WEIGHT_ONE: i32 = 1024;
/// Of the biases of the hidden layer.
const SUM_ONE: i32 = WEIGHT_ONE * ROW_ONE;
/// Of the sums and biases of the gate.
const GATE_SUM_ONE: i32 = WEIGHT_ONE << 8;
/// Of the weights of the output.
const OUTPUT_ONE: i32 = 512;
/// Of the factor of the order tables.
const TABLES_ONE: i32 = 1024;
/// Ordering units of one unit of log odds.
pub const ORDER_ONE: i32 = 32;

const GATE_ONE: i32 = 256;
const GATE_SHIFT: u32 = (GATE_SUM_ONE / GATE_ONE).ilog2();
const HIDDEN_MAX: i16 = 8191;
const SUM_SHIFT: u32 = WEIGHT_ONE.ilog2();
const OUTPUT_SHIFT: u32 = (ROW_ONE * OUTPUT_ONE / ORDER_ONE).ilog2();
const SCORE_MAX: i32 = 8_000;

const _: () = {
    // The gate's sums have the scale of the total times that of the weights.
    assert!(((ROW_ONE * ROW_ONE) >> TOTAL_SHIFT) * WEIGHT_ONE == GATE_SUM_ONE);
};

/// The layers after the cells' sums.
#[derive(Clone, PartialEq, Debug)]
pub struct Head<T = i32> {
    /// For a cell, the sum of its orthogonal neighbours and that of its diagonal ones.
    pub conv: [[T; LANES]; 3],
    pub conv_bias: [T; LANES],
    pub gate: [[T; LANES]; HIDDEN],
    pub gate_bias: [T; HIDDEN],
    /// The cell's lanes, then the convolution's.
    pub hidden: [[T; 2 * LANES]; HIDDEN],
    pub hidden_bias: [T; HIDDEN],
    pub output: [T; HIDDEN],
    /// What the score of the order tables counts.
    pub tables: T,
}

impl<T: Copy + Default> Layers<T> for Head<T> {
    const LANE_BYTES: usize = 1;
    const ROW_MAX: u16 = 127;
    const FIELDS: &[(i32, i32)] = &[
        (CONV_ONE, i16::MAX as i32),
        (ROW_ONE, 8_000),
        (WEIGHT_ONE, 4 * WEIGHT_ONE),
        (GATE_SUM_ONE, 1 << 28),
        (WEIGHT_ONE, 8 * WEIGHT_ONE),
        (SUM_ONE, 1 << 28),
        (OUTPUT_ONE, 8 * OUTPUT_ONE),
        (TABLES_ONE, 8 * TABLES_ONE),
    ];

    fn zero() -> Head<T> {
        let zero = T::default();
        Head {
            conv: [[zero; LANES]; 3],
            conv_bias: [zero; LANES],
            gate: [[zero; LANES]; HIDDEN],
            gate_bias: [zero; HIDDEN],
            hidden: [[zero; 2 * LANES]; HIDDEN],
            hidden_bias: [zero; HIDDEN],
            output: [zero; HIDDEN],
            tables: zero,
        }
    }

    fn fields_mut(&mut self) -> Vec<&mut [T]> {
        vec![
            self.conv.as_flattened_mut(),
            &mut self.conv_bias,
            self.gate.as_flattened_mut(),
            &mut self.gate_bias,
            self.hidden.as_flattened_mut(),
            &mut self.hidden_bias,
            &mut self.output,
            std::slice::from_mut(&mut self.tables),
        ]
    }
}

#[repr(C, align(64))]
struct PackedHead {
    conv: Convolution,
    gate: Packed<{ LANES / 2 }, HIDDEN>,
    gate_bias: [i32; HIDDEN],
    hidden: Packed<LANES, HIDDEN>,
    hidden_bias: [i32; HIDDEN],
    output: [i32; HIDDEN],
    tables_factor: i32,
}

impl PackedHead {
    fn new(head: &Head) -> PackedHead {
        PackedHead {
            conv: Convolution {
                weights: head.conv.map(|weights| weights.map(|weight| weight as i16)),
                biases: head.conv_bias.map(|bias| bias as i16),
            },
            gate: packed(|unit, input| head.gate[unit][input] as i16),
            gate_bias: head.gate_bias,
            hidden: packed(|unit, input| head.hidden[unit][input] as i16),
            hidden_bias: head.hidden_bias,
            output: head.output,
            tables_factor: head.tables,
        }
    }

    #[inline(always)]
    fn gated_output<I: Instructions>(&self, regions: &Regions, half: usize) -> [i16; HIDDEN] {
        let total = total::<I>(regions);
        let mut sums = self.gate_bias;
        I::multiply(&total.0[half % 2 * LANES..][..LANES], &self.gate, &mut sums);
        std::array::from_fn(|unit| {
            let gate = (GATE_ONE + (sums[unit] >> GATE_SHIFT)).clamp(0, 2 * GATE_ONE);
            (self.output[unit] * gate / GATE_ONE) as i16
        })
    }

    #[inline(always)]
    fn score<I: Instructions>(
        &self,
        cells: &[Row; CELLS],
        cell: usize,
        half: usize,
        output: &[i16; HIDDEN],
    ) -> i32 {
        let inputs = I::convolve(&self.conv, cells, cell, half);
        let mut sums = self.hidden_bias;
        I::multiply(&inputs.0, &self.hidden, &mut sums);
        let mut hidden = [0; HIDDEN];
        I::activate::<SUM_SHIFT, HIDDEN>(&sums, &mut hidden, HIDDEN_MAX);
        let products = hidden.iter().zip(output);
        let sum: i32 = products.map(|(&unit, &weight)| i32::from(unit) * i32::from(weight)).sum();
        (sum >> OUTPUT_SHIFT).clamp(-SCORE_MAX, SCORE_MAX)
    }
}

pub struct Policy {
    pub(super) rows: Arc<PatternRows>,
    heads: [Box<PackedHead>; 2],
}

impl Policy {
    pub fn new(part: &Part<Head>) -> Policy {
        let head = |number: usize| Box::new(PackedHead::new(&part.heads[number]));
        let heads = [head(0), head(part.heads.len() - 1)];
        Policy { rows: rows(&part.perspectives), heads }
    }
}

pub(super) struct ScoreMoves<'a> {
    pub policy: &'a Policy,
    pub accumulator: &'a mut Accumulator,
    pub us: Color,
    /// With the order tables' scores, which are replaced.
    pub moves: &'a mut [(Coord, i32)],
}

impl Kernel for ScoreMoves<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Instructions>(self) {
        let half = self.us as usize;
        let head = &*self.policy.heads[half];
        let output = head.gated_output::<I>(self.accumulator.regions::<I>(), half);
        let cells = &self.accumulator.cells;
        for (mv, score) in self.moves {
            let by_tables = *score * head.tables_factor / TABLES_ONE;
            *score = by_tables + head.score::<I>(cells, mv.index(), half, &output);
        }
    }
}
