//! The network's inner loops in the processor's vector instructions.
//!
//! The functions of [`Instructions`] define what they compute; what replaces them matches bit by
//! bit. [`run`] chooses at run time, so that one build serves all processors.

use tengen_gomoku::types::{CELLS, STRIDE};

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[allow(unsafe_code)]
mod simd128;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86_64;

/// Numbers of a row: a cache line of 16 bits each.
pub const LANES: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Row(pub [i16; LANES]);

impl Row {
    pub const ZERO: Row = Row([0; LANES]);
}

pub type HalfRow = [i16; LANES / 2];

/// Weights of a layer by pairs of inputs.
pub type Packed<const PAIRS: usize, const OUTPUTS: usize> = [[[i16; 2]; OUTPUTS]; PAIRS];

/// `weight`: by output and input.
pub fn packed<const PAIRS: usize, const OUTPUTS: usize>(
    weight: impl Fn(usize, usize) -> i16,
) -> Packed<PAIRS, OUTPUTS> {
    std::array::from_fn(|pair| {
        std::array::from_fn(|output| [2 * pair, 2 * pair + 1].map(|input| weight(output, input)))
    })
}

/// Plain loops, which compilers turn into vector instructions where a function is not replaced.
/// No number may overflow. Where a check for that would prevent vectors, the operations wrap.
pub trait Instructions {
    /// Adds to each sum the products of inputs and weights. `PAIRS` is even, `OUTPUTS` a multiple of
    /// 16 and at most 64.
    #[inline(always)]
    fn multiply<const PAIRS: usize, const OUTPUTS: usize>(
        inputs: &[i16],
        weights: &Packed<PAIRS, OUTPUTS>,
        sums: &mut [i32; OUTPUTS],
    ) {
        for (pair, weights) in inputs[..2 * PAIRS].as_chunks::<2>().0.iter().zip(weights) {
            let [a, b] = pair.map(i32::from);
            for (sum, &[first, second]) in sums.iter_mut().zip(weights) {
                *sum += a * i32::from(first) + b * i32::from(second);
            }
        }
    }

    /// Clipped ReLU: adds to each output its sum, shifted right by `SHIFT` and clipped to
    /// 0..=`most`.
    #[inline(always)]
    fn activate<const SHIFT: u32, const OUTPUTS: usize>(
        sums: &[i32; OUTPUTS],
        outputs: &mut [i16; OUTPUTS],
        most: i16,
    ) {
        for (output, sum) in outputs.iter_mut().zip(sums) {
            *output = output.wrapping_add((sum >> SHIFT).max(0).min(most.into()) as i16);
        }
    }

    /// Adds to each output the layer's results for each row: biases, [`Instructions::multiply`],
    /// [`Instructions::activate`].
    #[inline(always)]
    fn activate_rows<const SHIFT: u32, const OUTPUTS: usize, const ROWS: usize>(
        rows: [&Row; ROWS],
        weights: &Packed<{ LANES / 2 }, OUTPUTS>,
        biases: &[i32; OUTPUTS],
        outputs: &mut [i16; OUTPUTS],
        most: i16,
    ) {
        for row in rows {
            let mut sums = *biases;
            Self::multiply(&row.0, weights, &mut sums);
            Self::activate::<SHIFT, OUTPUTS>(&sums, outputs, most);
        }
    }

    /// Divides all lanes by 2 to the power of `BITS`, rounded half up.
    #[inline(always)]
    fn rounded<const BITS: i32>(row: &Row) -> Row {
        let mut result = *row;
        for lane in &mut result.0 {
            *lane = lane.saturating_add(1 << (BITS - 1)) >> BITS;
        }
        result
    }

    #[inline(always)]
    fn add_sub(sum: &Row, old: &Row, new: &Row) -> Row {
        let mut result = *sum;
        for lane in 0..LANES {
            result.0[lane] = sum.0[lane].wrapping_sub(old.0[lane]).wrapping_add(new.0[lane]);
        }
        result
    }

    /// Adds `new - old`, each clipped to 0..=`most`, to `total`.
    #[inline(always)]
    fn update_clipped(total: &mut Row, old: &Row, new: &Row, most: i16) {
        for lane in 0..LANES {
            let [old, new] = [old, new].map(|row| row.0[lane].max(0).min(most));
            total.0[lane] = total.0[lane].wrapping_add(new).wrapping_sub(old);
        }
    }

    /// Returns the clipped lanes of a cell in one half of its row, then those of the convolution at
    /// this cell.
    #[inline(always)]
    fn convolve(conv: &Convolution, cells: &[Row; CELLS], cell: usize, half: usize) -> Row {
        let Convolution { weights, biases } = conv;
        let mut result = Row::ZERO;
        for (lane, bias) in biases.iter().enumerate() {
            let at = |place: isize| {
                let row = cells[cell.wrapping_add_signed(place) % CELLS];
                i32::from(row.0[half % 2 * biases.len() + lane].clamp(0, CELL_MAX))
            };
            let around = AROUND.map(|places| places.into_iter().map(at).sum::<i32>());
            let inputs = [at(0), around[0], around[1]];
            let products = inputs.iter().zip(weights).map(|(input, weights)| {
                ((input << CONV_SHIFT) * i32::from(weights[lane]) + (1 << 14)) >> 15
            });
            let sum = i32::from(*bias) + products.sum::<i32>();
            result.0[lane] = inputs[0] as i16;
            result.0[biases.len() + lane] = sum.clamp(0, CONV_MAX.into()) as i16;
        }
        result
    }
}

/// A depth-wise 3x3 convolution of the lanes of one half, each clipped to 0..=[`CELL_MAX`]. The
/// result is clipped to 0..=[`CONV_MAX`].
#[derive(Clone)]
pub struct Convolution {
    /// Of the cell, of its orthogonal and of its diagonal neighbours, in units of [`CONV_ONE`].
    pub weights: [HalfRow; 3],
    pub biases: HalfRow,
}

const AROUND: [[isize; 4]; 2] = {
    const ROW: isize = STRIDE as isize;
    [[-ROW, -1, 1, ROW], [-ROW - 1, -ROW + 1, ROW - 1, ROW + 1]]
};
/// Left shift of the inputs of a convolution. Of the products the bits above 15 are taken, rounded,
/// for which processors have an instruction.
const CONV_SHIFT: i32 = 2;
pub const CONV_ONE: i32 = 1 << (15 - CONV_SHIFT);
pub const CELL_MAX: i16 = 511;
pub const CONV_MAX: i16 = 4095;

pub struct Scalar;

impl Instructions for Scalar {}

/// A computation that is compiled for each set of instructions.
pub trait Kernel {
    type Output;
    /// Must be `#[inline(always)]`, or it is not compiled for these instructions.
    fn run<I: Instructions>(self) -> Self::Output;
}

#[inline]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    return x86_64::run(kernel);
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    return kernel.run::<simd128::Simd128>();
    #[cfg(not(any(
        target_arch = "x86_64",
        all(target_arch = "wasm32", target_feature = "simd128")
    )))]
    kernel.run::<Scalar>()
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "x86_64")]
    use super::x86_64::{has_avx512, run_avx2, run_avx512};
    use super::*;

    /// Runs the kernel in all instructions that the processor has, `Scalar` first.
    #[allow(unsafe_code)]
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
    fn run_each<T: Kernel + Clone>(kernel: &T) -> Vec<T::Output> {
        let mut outputs = vec![kernel.clone().run::<Scalar>()];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has what the function needs.
                outputs.push(unsafe { run_avx2(kernel.clone()) });
            }
            if has_avx512() {
                // SAFETY: as above.
                outputs.push(unsafe { run_avx512(kernel.clone()) });
            }
        }
        outputs
    }

    fn assert_alike<T: Kernel<Output: PartialEq + std::fmt::Debug> + Clone>(kernel: &T) {
        let outputs = run_each(kernel);
        assert!(outputs.iter().all(|output| *output == outputs[0]), "{outputs:?}");
    }

    /// Returns numbers of at most this size, often extremes.
    fn numbers<const N: usize>(rng: &mut fastrand::Rng, most: i32) -> [i32; N] {
        std::array::from_fn(|_| match rng.u8(0..8) {
            0 => most,
            1 => -most,
            2 => 0,
            _ => rng.i32(-most..=most),
        })
    }

    fn row(rng: &mut fastrand::Rng, most: i16) -> Row {
        Row(numbers(rng, most.into()).map(|lane| lane as i16))
    }

    #[derive(Clone)]
    struct Rows {
        rows: [Row; 3],
        most: i16,
    }

    impl Kernel for Rows {
        type Output = [Row; 4];

        #[inline(always)]
        fn run<I: Instructions>(self) -> [Row; 4] {
            let [sum, old, new] = self.rows;
            let after = I::add_sub(&sum, &old, &new);
            let mut total = new;
            I::update_clipped(&mut total, &sum, &after, self.most);
            [after, total, I::rounded::<3>(&sum), I::rounded::<4>(&new)]
        }
    }

    #[test]
    fn rows_are_alike() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..2000 {
            let rows = [16_000, 8000, 8000].map(|most| row(&mut rng, most));
            assert_alike(&Rows { rows, most: rng.i16(0..=16_000) });
        }
    }

    #[derive(Clone)]
    struct AtCell {
        conv: Convolution,
        cells: Vec<Row>,
        half: usize,
    }

    impl Kernel for AtCell {
        type Output = Row;

        #[inline(always)]
        fn run<I: Instructions>(self) -> Row {
            let cells = self.cells.as_slice().try_into().unwrap();
            I::convolve(&self.conv, cells, CELLS / 2, self.half)
        }
    }

    #[test]
    fn convolutions_are_alike() {
        let mut rng = fastrand::Rng::with_seed(4);
        for _ in 0..300 {
            let lanes = |rng: &mut fastrand::Rng, most| numbers(rng, most).map(|lane| lane as i16);
            let weights = std::array::from_fn(|_| lanes(&mut rng, i16::MAX.into()));
            let conv = Convolution { weights, biases: lanes(&mut rng, 8000) };
            let cells = (0..CELLS).map(|_| row(&mut rng, 1000)).collect();
            assert_alike(&AtCell { conv, cells, half: rng.usize(0..2) });
        }
    }

    #[derive(Clone)]
    struct Layer<const PAIRS: usize, const OUTPUTS: usize> {
        inputs: Vec<i16>,
        weights: Packed<PAIRS, OUTPUTS>,
        sums: [i32; OUTPUTS],
        outputs: [i16; OUTPUTS],
    }

    impl<const PAIRS: usize, const OUTPUTS: usize> Kernel for Layer<PAIRS, OUTPUTS> {
        type Output = ([i32; OUTPUTS], [i16; OUTPUTS], [i16; OUTPUTS]);

        #[inline(always)]
        fn run<I: Instructions>(self) -> Self::Output {
            let Layer { inputs, weights, mut sums, mut outputs } = self;
            I::activate::<9, OUTPUTS>(&sums, &mut outputs, 2047);
            I::multiply(&inputs, &weights, &mut sums);
            let mut small = [0; OUTPUTS];
            I::activate::<10, OUTPUTS>(&sums, &mut small, i16::MAX);
            (sums, outputs, small)
        }
    }

    #[derive(Clone)]
    struct LayerOfRows {
        rows: [Row; 3],
        weights: Packed<{ LANES / 2 }, 64>,
        biases: [i32; 64],
        outputs: [i16; 64],
    }

    impl Kernel for LayerOfRows {
        type Output = [i16; 64];

        #[inline(always)]
        fn run<I: Instructions>(self) -> [i16; 64] {
            let LayerOfRows { rows: [a, b, c], weights, biases, mut outputs } = self;
            I::activate_rows::<10, 64, 3>([&a, &b, &c], &weights, &biases, &mut outputs, 8191);
            outputs
        }
    }

    #[test]
    fn layers_of_rows_are_alike() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..300 {
            assert_alike(&LayerOfRows {
                rows: std::array::from_fn(|_| row(&mut rng, 8000)),
                weights: std::array::from_fn(|_| {
                    std::array::from_fn(|_| numbers(&mut rng, 900).map(|weight| weight as i16))
                }),
                biases: numbers(&mut rng, 1 << 28),
                outputs: numbers(&mut rng, 8000).map(|output| output as i16),
            });
        }
    }

    fn assert_layers_alike<const PAIRS: usize, const OUTPUTS: usize>(rng: &mut fastrand::Rng) {
        for _ in 0..300 {
            // All products together fill at most an eighth of a sum's range.
            let input = 1 << rng.u32(0..15);
            let most = 1 << rng.u32(0..30);
            let weight = ((1 << 28) / (input * 2 * PAIRS as i32)).min(i16::MAX.into());
            let layer = Layer::<PAIRS, OUTPUTS> {
                inputs: (0..2 * PAIRS).map(|_| numbers::<1>(rng, input)[0] as i16).collect(),
                weights: std::array::from_fn(|_| {
                    std::array::from_fn(|_| numbers(rng, weight).map(|weight| weight as i16))
                }),
                sums: numbers(rng, most),
                outputs: numbers(rng, 30_000).map(|output| output as i16),
            };
            assert_alike(&layer);
        }
    }

    #[test]
    fn layers_are_alike() {
        let mut rng = fastrand::Rng::with_seed(2);
        assert_layers_alike::<16, 16>(&mut rng);
        assert_layers_alike::<24, 32>(&mut rng);
        assert_layers_alike::<16, 32>(&mut rng);
        assert_layers_alike::<4, 48>(&mut rng);
    }
}
