//! The network: a value from the line patterns of all cells.
//!
//! Every line pattern has a row of sixteen lanes for each perspective, black's and white's. A cell
//! adds the rows of the four patterns through it and clips the sum. The cells of each of nine
//! regions are added up (`eval/accumulator.rs`). A small head computes the value from the regions,
//! their total and the threat counts. All numbers are integers, so that every processor finds the
//! same value. `eval/network.md` describes the training.

use std::sync::{Arc, Mutex, Weak};

use anyhow::ensure;
use tengen_gomoku::types::{BoardSize, Color, Rule};

use super::policy::{self, Policy};
use super::rows::{
    CELL_MAX, Layers, PERSPECTIVE_LANES, Part, PatternRows, REGIONS, Regions, TOTAL_MAX, rows,
    take, total,
};
pub use super::simd::LANES;
use super::simd::{Instructions, Packed, Row, packed};
use super::threat_counts::{COUNT_FEATURES, COUNT_LEVELS, EVERY_COUNT, MAX_COUNTS, level};
use crate::parallel::lock;

/// Kinds of regions that share weights: corners, edges, the centre.
pub const KINDS: usize = 3;
pub const KIND: [usize; REGIONS] = [0, 1, 0, 1, 2, 1, 0, 1, 0];
pub const REGION_OUT: usize = 32;
/// Inputs of the first hidden layer: the outputs of each kind of region, and all lanes.
pub const JOINED: usize = KINDS * REGION_OUT + LANES;
pub const HIDDEN1: usize = 64;
pub const HIDDEN2: usize = 16;

// `..._ONE` is a quantisation scale, the integer that stands for 1.0.
const REGION_MAX: i32 = (BoardSize::MAX as u32).div_ceil(3).pow(2) as i32 * CELL_MAX as i32;
/// A region's layer takes the region's sums shifted right by so many bits and rounded.
pub const REGION_SHIFT: i32 = 2;
/// Of a layer's outputs.
pub const ACTIVE_ONE: i32 = 256;
pub const ACTIVE_MAX: i16 = 8 * ACTIVE_ONE as i16 - 1;
/// Of the weights of a region's layer.
const REGION_WEIGHT_ONE: i32 = 1024;
/// Of the weights of later layers.
const WEIGHT_ONE: i32 = 1024;
const WEIGHT_MAX: i32 = i16::MAX as i32;
/// Of the sums and biases of a region's layer.
const REGION_SUM_ONE: i32 = REGION_WEIGHT_ONE * ACTIVE_ONE;
/// Of the sums, biases and counts of later layers.
const SUM_ONE: i32 = WEIGHT_ONE * ACTIVE_ONE;
/// Half of an `i32`: the packed counts are differences of two such numbers.
const SUM_MAX: i32 = i32::MAX / 2;
/// Right shifts from sums to outputs, rounded: the biases of a [`PackedHead`] include the half.
const REGION_SUM_SHIFT: u32 = (REGION_SUM_ONE / ACTIVE_ONE).ilog2();
const SUM_SHIFT: u32 = (SUM_ONE / ACTIVE_ONE).ilog2();
const REGION_SUM_HALF: i32 = 1 << (REGION_SUM_SHIFT - 1);
const SUM_HALF: i32 = 1 << (SUM_SHIFT - 1);
/// Evaluation units of one unit of log odds.
pub const EVAL_SCALE: i32 = 200;
const VALUE_MAX: i64 = 10_000;

const _: () = {
    // A region and the outputs of four regions fit in 16 bits. The latter are no larger
    // than other inputs of the first hidden layer, as `Weights::check` assumes.
    assert!(REGION_MAX <= i16::MAX as i32);
    assert!(4 * ACTIVE_MAX <= TOTAL_MAX);
};

/// The layers after the accumulator.
#[derive(Clone, PartialEq, Debug)]
pub struct Head<T = i32> {
    pub region: [[[T; LANES]; REGION_OUT]; KINDS],
    pub region_bias: [[T; REGION_OUT]; KINDS],
    pub hidden1: [[T; JOINED]; HIDDEN1],
    pub bias1: [T; HIDDEN1],
    /// Added to the sums of the first hidden layer by each count.
    pub counts: [[[T; HIDDEN1]; COUNT_LEVELS]; COUNT_FEATURES],
    pub hidden2: [[T; HIDDEN1]; HIDDEN2],
    pub bias2: [T; HIDDEN2],
    pub output: [T; HIDDEN2],
    pub bias3: T,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    pub value: Part<Head>,
    pub policy: Part<policy::Head>,
}

pub struct Network {
    pub(super) rows: Arc<PatternRows>,
    heads: [Box<PackedHead>; 2],
    pub(super) policy: Policy,
}

struct Loaded {
    all: [Weak<Network>; FILES.len()],
    last: Option<Arc<Network>>,
}

const MAGIC: &[u8; 8] = b"TENGENN3";

impl Weights {
    pub fn zero(perspectives: usize) -> Weights {
        Weights { value: Part::zero(perspectives), policy: Part::zero(perspectives) }
    }

    /// Returns the bytes that [`Weights::read`] reads: `TENGENN3`, the number of perspectives (one
    /// byte), and the parts, the value's rows with 16 bits a number, the policy's with 8.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.push(self.value.perspectives.len() as u8);
        self.value.write(&mut bytes);
        self.policy.write(&mut bytes);
        bytes
    }

    pub fn read(bytes: &[u8]) -> anyhow::Result<Weights> {
        ensure!(bytes.starts_with(MAGIC), "this is no network");
        let rest = &mut &bytes[MAGIC.len()..];
        let [perspectives] = take(rest)?;
        ensure!(perspectives == 1 || perspectives == 2, "a network has one perspective or two");
        let value = Part::read(rest, perspectives.into())?;
        let weights = Weights { value, policy: Part::read(rest, perspectives.into())? };
        ensure!(rest.is_empty(), "the network is too long");
        weights.check()?;
        Ok(weights)
    }

    fn check(&self) -> anyhow::Result<()> {
        let fits = |weights: &[i32], bias: i64, largest: i64| {
            let sum: i64 = weights.iter().map(|&weight| i64::from(weight).abs()).sum();
            sum * largest + bias <= i64::from(SUM_MAX)
        };
        for head in &self.value.heads {
            let region = head.region.iter().flatten().zip(head.region_bias.as_flattened());
            for (weights, &bias) in region {
                let largest = i64::from(REGION_MAX >> REGION_SHIFT);
                ensure!(fits(weights, i64::from(bias).abs(), largest), "a region's sum overflows");
            }
            for (o, weights) in head.hidden1.iter().enumerate() {
                let counts = head.counts.iter().map(|levels| {
                    levels.iter().map(|level| i64::from(level[o]).abs()).max().unwrap_or(0)
                });
                let bias = i64::from(head.bias1[o]).abs() + counts.sum::<i64>();
                ensure!(fits(weights, bias, i64::from(TOTAL_MAX)), "a hidden sum overflows");
            }
            let rest = head.hidden2.iter().map(|weights| weights.as_slice()).zip(head.bias2);
            let rest = rest.chain(std::iter::once((head.output.as_slice(), head.bias3)));
            for (weights, bias) in rest {
                let largest = i64::from(ACTIVE_MAX);
                ensure!(fits(weights, i64::from(bias).abs(), largest), "a hidden sum overflows");
            }
        }
        Ok(())
    }
}

impl<T: Copy + Default> Layers<T> for Head<T> {
    const LANE_BYTES: usize = 2;
    // A cell's four rows fit in 16 bits.
    const ROW_MAX: u16 = 4096;
    const FIELDS: &[(i32, i32)] = &[
        (REGION_WEIGHT_ONE, WEIGHT_MAX),
        (REGION_SUM_ONE, SUM_MAX),
        (WEIGHT_ONE, WEIGHT_MAX),
        (SUM_ONE, SUM_MAX),
        (SUM_ONE, SUM_MAX),
        (WEIGHT_ONE, WEIGHT_MAX),
        (SUM_ONE, SUM_MAX),
        (WEIGHT_ONE, WEIGHT_MAX),
        (SUM_ONE, SUM_MAX),
    ];

    fn zero() -> Head<T> {
        let zero = T::default();
        Head {
            region: [[[zero; LANES]; REGION_OUT]; KINDS],
            region_bias: [[zero; REGION_OUT]; KINDS],
            hidden1: [[zero; JOINED]; HIDDEN1],
            bias1: [zero; HIDDEN1],
            counts: [[[zero; HIDDEN1]; COUNT_LEVELS]; COUNT_FEATURES],
            hidden2: [[zero; HIDDEN1]; HIDDEN2],
            bias2: [zero; HIDDEN2],
            output: [zero; HIDDEN2],
            bias3: zero,
        }
    }

    fn fields_mut(&mut self) -> Vec<&mut [T]> {
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

impl Head {
    fn with_perspectives_exchanged(&self) -> Head {
        let mut head = self.clone();
        for weights in head.region.as_flattened_mut() {
            weights.rotate_left(PERSPECTIVE_LANES);
        }
        for weights in &mut head.hidden1 {
            weights[KINDS * REGION_OUT..].rotate_left(PERSPECTIVE_LANES);
        }
        head
    }
}

#[repr(C, align(64))]
struct PackedHead {
    region: [Packed<{ LANES / 2 }, REGION_OUT>; KINDS],
    region_bias: [[i32; REGION_OUT]; KINDS],
    /// For the regions' outputs, and for all lanes.
    hidden1_kinds: Packed<{ KINDS * REGION_OUT / 2 }, HIDDEN1>,
    hidden1_lanes: Packed<{ LANES / 2 }, HIDDEN1>,
    bias1: [i32; HIDDEN1],
    counts: [[[i32; HIDDEN1]; COUNT_LEVELS]; MAX_COUNTS],
    hidden2: Packed<{ HIDDEN1 / 2 }, HIDDEN2>,
    bias2: [i32; HIDDEN2],
    output: [i16; HIDDEN2],
    bias3: i32,
}

impl PackedHead {
    #[inline(always)]
    fn activate_regions<I: Instructions, const N: usize>(
        &self,
        kind: usize,
        regions: [&Row; N],
        outputs: &mut [i16; REGION_OUT],
    ) {
        let (weights, biases) = (&self.region[kind], &self.region_bias[kind]);
        I::activate_rows::<REGION_SUM_SHIFT, _, N>(regions, weights, biases, outputs, ACTIVE_MAX);
    }

    fn new(head: &Head) -> Box<PackedHead> {
        Box::new(PackedHead {
            region: std::array::from_fn(|kind| {
                packed(|output, input| head.region[kind][output][input] as i16)
            }),
            region_bias: head.region_bias.map(|kind| kind.map(|bias| bias + REGION_SUM_HALF)),
            hidden1_kinds: packed(|output, input| head.hidden1[output][input] as i16),
            hidden1_lanes: packed(|output, lane| {
                head.hidden1[output][KINDS * REGION_OUT + lane] as i16
            }),
            // The bias contains level 0 of every count; the other levels are differences from it.
            bias1: std::array::from_fn(|output| {
                let zeros = head.counts.iter().map(|levels| levels[0][output]);
                head.bias1[output] + zeros.sum::<i32>() + SUM_HALF
            }),
            counts: std::array::from_fn(|feature| {
                let levels = head.counts.get(feature).unwrap_or(&[[0; HIDDEN1]; COUNT_LEVELS]);
                levels.map(|level| std::array::from_fn(|output| level[output] - levels[0][output]))
            }),
            hidden2: packed(|output, input| head.hidden2[output][input] as i16),
            bias2: head.bias2.map(|bias| bias + SUM_HALF),
            output: head.output.map(|weight| weight as i16),
            bias3: head.bias3,
        })
    }
}

impl Network {
    /// Returns the network of `rule`, and loads it if necessary: only networks in use and the last
    /// one stay in memory.
    pub fn of(rule: Rule) -> Arc<Network> {
        static NETWORKS: Mutex<Loaded> =
            Mutex::new(Loaded { all: [const { Weak::new() }; FILES.len()], last: None });
        let mut networks = lock(&NETWORKS);
        let number = file_number(rule);
        let network = networks.all[number].upgrade().unwrap_or_else(|| {
            // Freed first, so that two networks are never held together.
            networks.last = None;
            let weights = Weights::read(file_of(rule));
            let weights = weights.expect("invariant: the networks of the program are complete");
            Arc::new(Network::new(&weights))
        });
        networks.all[number] = Arc::downgrade(&network);
        networks.last = Some(Arc::clone(&network));
        network
    }

    pub fn new(weights: &Weights) -> Network {
        let rows = rows(&weights.value.perspectives);
        let heads = match weights.value.heads.as_slice() {
            [own] => [PackedHead::new(own), PackedHead::new(&own.with_perspectives_exchanged())],
            [black, white, ..] => [PackedHead::new(black), PackedHead::new(white)],
            [] => unreachable!("invariant: one head or two"),
        };
        Network { rows, heads, policy: Policy::new(&weights.policy) }
    }

    #[inline(always)]
    pub(super) fn value<I: Instructions>(&self, us: Color, regions: &Regions, counts: u64) -> i32 {
        let head = &*self.heads[us as usize];
        let mut inputs = [Row::ZERO; REGIONS];
        for (region, inputs) in regions.iter().zip(&mut inputs) {
            *inputs = I::rounded::<REGION_SHIFT>(region);
        }
        let all = total::<I>(regions);
        let mut outputs = [[0; REGION_OUT]; KINDS];
        let [a, b, c, d, e, f, g, h, i] = &inputs;
        head.activate_regions::<I, 4>(0, [a, c, g, i], &mut outputs[0]);
        head.activate_regions::<I, 4>(1, [b, d, f, h], &mut outputs[1]);
        head.activate_regions::<I, 1>(2, [e], &mut outputs[2]);
        let mut sums = head.bias1;
        let mut rest = (counts | counts >> 1) & EVERY_COUNT;
        while rest != 0 {
            let feature = rest.trailing_zeros() as usize / 2;
            rest &= rest - 1;
            let addends = &head.counts[feature % MAX_COUNTS][level(counts, feature)];
            sums.iter_mut().zip(addends).for_each(|(sum, addend)| *sum = sum.wrapping_add(*addend));
        }
        I::multiply(outputs.as_flattened(), &head.hidden1_kinds, &mut sums);
        I::multiply(&all.0, &head.hidden1_lanes, &mut sums);
        let mut hidden1 = [0; HIDDEN1];
        I::activate::<SUM_SHIFT, HIDDEN1>(&sums, &mut hidden1, ACTIVE_MAX);
        let mut sums = head.bias2;
        I::multiply(&hidden1, &head.hidden2, &mut sums);
        let mut hidden2 = [0; HIDDEN2];
        I::activate::<SUM_SHIFT, HIDDEN2>(&sums, &mut hidden2, ACTIVE_MAX);
        let mut sum = head.bias3;
        for (input, weight) in hidden2.into_iter().zip(head.output) {
            sum += i32::from(input) * i32::from(weight);
        }
        let value = i64::from(sum) * i64::from(EVAL_SCALE) / i64::from(SUM_ONE);
        value.clamp(-VALUE_MAX, VALUE_MAX) as i32
    }
}

static FILES: [&[u8]; 4] = [
    include_bytes!("network-freestyle.bin"),
    include_bytes!("network-standard.bin"),
    include_bytes!("network-renju.bin"),
    include_bytes!("network-caro.bin"),
];

pub fn file_of(rule: Rule) -> &'static [u8] {
    FILES[file_number(rule)]
}

fn file_number(rule: Rule) -> usize {
    match rule {
        Rule::Freestyle => 0,
        Rule::Standard => 1,
        Rule::Renju => 2,
        // Trained for caro, and no worse for exact fives.
        Rule::Caro | Rule::CaroExact => 3,
    }
}
