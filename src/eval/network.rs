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

use super::pattern::CLASSES;
use super::policy::{self, Policy};
use super::rows::{
    CELL_MAX, PERSPECTIVE_LANES, PatternRows, REGIONS, Regions, TOTAL_MAX, rows, take, total,
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
/// The largest absolute lane of a row: a cell's four rows fit in 16 bits.
const ROW_MAX: u16 = 4096;
const REGION_MAX: i32 = (BoardSize::MAX as u32).div_ceil(3).pow(2) as i32 * CELL_MAX as i32;
/// A region's layer takes the region's sums shifted right by so many bits and rounded.
pub const REGION_SHIFT: i32 = 2;
/// Of a layer's outputs.
pub const ACTIVE_ONE: i32 = 256;
pub const ACTIVE_MAX: i16 = 8 * ACTIVE_ONE as i16 - 1;
/// Of the weights of a region's layer.
pub const REGION_WEIGHT_ONE: i32 = 1024;
/// Of the weights of later layers.
pub const WEIGHT_ONE: i32 = 1024;
/// Of the sums and biases of a region's layer.
pub const REGION_SUM_ONE: i32 = REGION_WEIGHT_ONE * ACTIVE_ONE;
/// Of the sums, biases and counts of later layers.
pub const SUM_ONE: i32 = WEIGHT_ONE * ACTIVE_ONE;
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

/// The layers after the accumulator, for one side to move: weights and biases, as the engine has
/// them or in floating point.
#[derive(Clone, PartialEq, Debug)]
pub struct Head<W = i16, B = i32> {
    pub region: [[[W; LANES]; REGION_OUT]; KINDS],
    pub region_bias: [[B; REGION_OUT]; KINDS],
    pub hidden1: [[W; JOINED]; HIDDEN1],
    pub bias1: [B; HIDDEN1],
    /// Added to the sums of the first hidden layer by each count.
    pub counts: [[[B; HIDDEN1]; COUNT_LEVELS]; COUNT_FEATURES],
    pub hidden2: [[W; HIDDEN1]; HIDDEN2],
    pub bias2: [B; HIDDEN2],
    pub output: [W; HIDDEN2],
    pub bias3: B,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// Rows by class of pattern: one set if white's perspective is black's with colors exchanged,
    /// otherwise black's and white's.
    pub perspectives: Vec<Vec<[i16; PERSPECTIVE_LANES]>>,
    /// One head for both sides, or black's and white's.
    pub heads: Vec<Head>,
    pub policy: policy::Weights,
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
        Weights {
            perspectives: vec![vec![[0; PERSPECTIVE_LANES]; CLASSES]; perspectives],
            heads: vec![Head::zero(); perspectives],
            policy: policy::Weights::zero(perspectives),
        }
    }

    /// Returns the bytes that [`Weights::read`] reads: `TENGENN3`, the number of perspectives (one
    /// byte), the rows of each (16 bits a number), the heads (32 bits), in the order of the fields and
    /// little-endian, and the [policy](policy::Weights::write).
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.push(self.perspectives.len() as u8);
        for perspective in &self.perspectives {
            bytes.extend(perspective.as_flattened().iter().flat_map(|number| number.to_le_bytes()));
        }
        for head in &self.heads {
            let mut head = head.clone();
            head.visit(&mut |weight| bytes.extend(weight.to_le_bytes()));
        }
        self.policy.write(&mut bytes);
        bytes
    }

    pub fn read(bytes: &[u8]) -> anyhow::Result<Weights> {
        ensure!(bytes.starts_with(MAGIC), "this is no network");
        let rest = &mut &bytes[MAGIC.len()..];
        let [perspectives] = take(rest);
        ensure!(perspectives == 1 || perspectives == 2, "a network has one perspective or two");
        let mut weights = Weights::zero(perspectives.into());
        for lane in weights.perspectives.iter_mut().flat_map(|rows| rows.as_flattened_mut()) {
            *lane = i16::from_le_bytes(take(rest));
        }
        for head in &mut weights.heads {
            head.visit(&mut |number| *number = i32::from_le_bytes(take(rest)));
        }
        weights.policy = policy::Weights::read(rest, perspectives.into())?;
        let is_whole = weights.write() == bytes;
        ensure!(is_whole, "the network has a wrong length, or a weight beyond 16 bits");
        weights.check()?;
        Ok(weights)
    }

    fn check(&self) -> anyhow::Result<()> {
        for perspective in &self.perspectives {
            let lanes = perspective.as_flattened().iter();
            let largest = lanes.map(|lane| lane.unsigned_abs()).max().unwrap_or(0);
            ensure!(largest <= ROW_MAX, "a row is too large");
        }
        let fits = |weights: &[i16], bias: i64, largest: i64| {
            let sum: i64 = weights.iter().map(|&weight| i64::from(weight).abs()).sum();
            // Half of an `i32`: the packed counts are differences of two such numbers.
            sum * largest + bias <= i64::from(i32::MAX / 2)
        };
        for head in &self.heads {
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

impl<W: Copy + Default, B: Copy + Default> Head<W, B> {
    pub fn zero() -> Head<W, B> {
        let (weight, bias) = Default::default();
        Head {
            region: [[[weight; LANES]; REGION_OUT]; KINDS],
            region_bias: [[bias; REGION_OUT]; KINDS],
            hidden1: [[weight; JOINED]; HIDDEN1],
            bias1: [bias; HIDDEN1],
            counts: [[[bias; HIDDEN1]; COUNT_LEVELS]; COUNT_FEATURES],
            hidden2: [[weight; HIDDEN1]; HIDDEN2],
            bias2: [bias; HIDDEN2],
            output: [weight; HIDDEN2],
            bias3: bias,
        }
    }
}

impl Head {
    /// Passes every number to `visit`, which may change it, in the order of the fields. Weights are
    /// clipped to 16 bits.
    pub fn visit(&mut self, visit: &mut impl FnMut(&mut i32)) {
        let narrow = |weights: &mut [i16], visit: &mut dyn FnMut(&mut i32)| {
            for weight in weights {
                let mut number = i32::from(*weight);
                visit(&mut number);
                *weight = number.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
            }
        };
        narrow(self.region.as_flattened_mut().as_flattened_mut(), visit);
        self.region_bias.as_flattened_mut().iter_mut().for_each(&mut *visit);
        narrow(self.hidden1.as_flattened_mut(), visit);
        self.bias1.iter_mut().for_each(&mut *visit);
        self.counts.as_flattened_mut().as_flattened_mut().iter_mut().for_each(&mut *visit);
        narrow(self.hidden2.as_flattened_mut(), visit);
        self.bias2.iter_mut().for_each(&mut *visit);
        narrow(&mut self.output, visit);
        visit(&mut self.bias3);
    }

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
                packed(|output, input| head.region[kind][output][input])
            }),
            region_bias: head.region_bias.map(|kind| kind.map(|bias| bias + REGION_SUM_HALF)),
            hidden1_kinds: packed(|output, input| head.hidden1[output][input]),
            hidden1_lanes: packed(|output, lane| head.hidden1[output][KINDS * REGION_OUT + lane]),
            // The bias contains level 0 of every count; the other levels are differences from it.
            bias1: std::array::from_fn(|output| {
                let zeros = head.counts.iter().map(|levels| levels[0][output]);
                head.bias1[output] + zeros.sum::<i32>() + SUM_HALF
            }),
            counts: std::array::from_fn(|feature| {
                let levels = head.counts.get(feature).unwrap_or(&[[0; HIDDEN1]; COUNT_LEVELS]);
                levels.map(|level| std::array::from_fn(|output| level[output] - levels[0][output]))
            }),
            hidden2: packed(|output, input| head.hidden2[output][input]),
            bias2: head.bias2.map(|bias| bias + SUM_HALF),
            output: head.output,
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
        let rows = rows(&weights.perspectives);
        let heads = match weights.heads.as_slice() {
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
            sums.iter_mut().zip(addends).for_each(|(sum, addend)| *sum += addend);
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
