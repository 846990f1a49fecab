//! The inner loops in WebAssembly's vectors of 128 bits, where compilers do not find them.

use std::arch::wasm32::*;

use tengen_gomoku::types::CELLS;

use super::{
    AROUND, CELL_MAX, CONV_MAX, CONV_SHIFT, Convolution, HalfRow, Instructions, Packed, Row,
};

/// Requires SIMD128.
pub struct Simd128;

/// Numbers of 16 bits in a vector.
const WIDTH: usize = 8;

#[inline(always)]
fn load(lanes: &[i16]) -> v128 {
    assert!(lanes.len() >= WIDTH);
    // SAFETY: the slice is long enough.
    unsafe { v128_load(lanes.as_ptr().cast()) }
}

#[inline(always)]
fn store(lanes: &mut [i16], vector: v128) {
    assert!(lanes.len() >= WIDTH);
    // SAFETY: the slice is long enough.
    unsafe { v128_store(lanes.as_mut_ptr().cast(), vector) }
}

#[inline(always)]
fn clipped(lanes: v128, most: i16) -> v128 {
    i16x8_min(i16x8_max(lanes, i16x8_splat(0)), i16x8_splat(most))
}

impl Instructions for Simd128 {
    #[inline(always)]
    fn multiply<const PAIRS: usize, const OUTPUTS: usize>(
        inputs: &[i16],
        weights: &Packed<PAIRS, OUTPUTS>,
        sums: &mut [i32; OUTPUTS],
    ) {
        const { assert!(OUTPUTS.is_multiple_of(16)) };
        let inputs = &inputs[..2 * PAIRS];
        for first in (0..OUTPUTS).step_by(16) {
            // SAFETY: `OUTPUTS` is a multiple of 16, the numbers of four vectors of sums.
            unsafe {
                let place = sums.as_mut_ptr().add(first).cast::<v128>();
                let mut chains = [0, 1, 2, 3].map(|i| v128_load(place.add(i)));
                for (pair, weights) in weights.iter().enumerate() {
                    let pair = v128_load32_splat(inputs.as_ptr().add(2 * pair).cast());
                    let weights = weights.as_ptr().add(first).cast::<v128>();
                    for (i, sum) in chains.iter_mut().enumerate() {
                        let products = i32x4_dot_i16x8(pair, v128_load(weights.add(i)));
                        *sum = i32x4_add(*sum, products);
                    }
                }
                for (i, sum) in chains.into_iter().enumerate() {
                    v128_store(place.add(i), sum);
                }
            }
        }
    }

    #[inline(always)]
    fn convolve(conv: &Convolution, cells: &[Row; CELLS], cell: usize, half: usize) -> Row {
        const HALF: usize = size_of::<HalfRow>() / size_of::<i16>();
        let mut result = Row::ZERO;
        for first in (0..HALF).step_by(WIDTH) {
            let lanes = |place: isize| {
                let row = &cells[cell.wrapping_add_signed(place) % CELLS];
                clipped(load(&row.0[half % 2 * HALF + first..]), CELL_MAX)
            };
            let mut inputs = [lanes(0), i16x8_splat(0), i16x8_splat(0)];
            for (input, places) in inputs[1..].iter_mut().zip(AROUND) {
                for place in places {
                    *input = i16x8_add(*input, lanes(place));
                }
            }
            let mut sum = load(&conv.biases[first..]);
            for (input, weights) in inputs.iter().zip(&conv.weights) {
                let input = i16x8_shl(*input, CONV_SHIFT as u32);
                sum = i16x8_add(sum, i16x8_q15mulr_sat(input, load(&weights[first..])));
            }
            store(&mut result.0[first..], inputs[0]);
            store(&mut result.0[HALF + first..], clipped(sum, CONV_MAX));
        }
        result
    }
}
