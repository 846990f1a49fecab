//! AVX2 and AVX-512: what is faster than the loops as compiled for them.

use std::arch::x86_64::*;
use std::hint::black_box;

use tengen_gomoku::types::CELLS;

use super::{
    AROUND, CELL_MAX, CONV_MAX, CONV_SHIFT, Convolution, Instructions, Kernel, Packed, Row, Scalar,
};

#[inline]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    if has_avx512() {
        // SAFETY: the processor has what the function needs.
        return unsafe { run_avx512(kernel) };
    }
    if is_x86_feature_detected!("avx2") {
        // SAFETY: as above.
        return unsafe { run_avx2(kernel) };
    }
    kernel.run::<Scalar>()
}

#[target_feature(enable = "avx2")]
pub fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}

/// Returns true if the processor has AVX-512BW and VNNI. [`Avx512`] needs both. Processors without
/// VNNI would also lower their clock for 512-bit vectors.
#[inline]
pub fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512bw")
}

#[target_feature(enable = "avx512bw,avx512vnni")]
pub fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx512>()
}

/// Hides the inputs from the compiler, which then broadcasts each pair from memory; shuffling it
/// out of a register is slower.
#[inline(always)]
fn in_memory(inputs: &[i16]) -> &[i16] {
    black_box(inputs)
}

/// Requires AVX2.
struct Avx2;

impl Instructions for Avx2 {
    #[inline(always)]
    fn multiply<const PAIRS: usize, const OUTPUTS: usize>(
        inputs: &[i16],
        weights: &Packed<PAIRS, OUTPUTS>,
        sums: &mut [i32; OUTPUTS],
    ) {
        const { assert!(OUTPUTS.is_multiple_of(16)) };
        let inputs = in_memory(&inputs[..2 * PAIRS]);
        for first in (0..OUTPUTS).step_by(16) {
            // SAFETY: `run` chooses this only with AVX2. Loads and stores are within the arrays,
            // since `OUTPUTS` is a multiple of 16.
            unsafe {
                let place = sums.as_mut_ptr().add(first).cast::<__m256i>();
                let mut low = _mm256_loadu_si256(place);
                let mut high = _mm256_loadu_si256(place.add(1));
                for (pair, weights) in weights.iter().enumerate() {
                    let pair = inputs.as_ptr().add(2 * pair).cast::<i32>().read_unaligned();
                    let pair = _mm256_set1_epi32(pair);
                    let weights = weights.as_ptr().add(first).cast::<__m256i>();
                    let products = _mm256_madd_epi16(pair, _mm256_loadu_si256(weights));
                    low = _mm256_add_epi32(low, products);
                    let products = _mm256_madd_epi16(pair, _mm256_loadu_si256(weights.add(1)));
                    high = _mm256_add_epi32(high, products);
                }
                _mm256_storeu_si256(place, low);
                _mm256_storeu_si256(place.add(1), high);
            }
        }
    }

    #[inline(always)]
    fn convolve(conv: &Convolution, cells: &[Row; CELLS], cell: usize, half: usize) -> Row {
        let mut result = Row::ZERO;
        // SAFETY: as in `multiply`. A row is two aligned vectors.
        unsafe {
            let [zero, most] = [_mm256_setzero_si256(), _mm256_set1_epi16(CELL_MAX)];
            let half = half % 2;
            let row = cells[cell % CELLS].0.as_ptr().cast::<__m256i>();
            let own = _mm256_load_si256(row.add(half));
            let own = _mm256_min_epi16(_mm256_max_epi16(own, zero), most);
            let mut inputs = [own, zero, zero];
            for (input, places) in inputs[1..].iter_mut().zip(AROUND) {
                for place in places {
                    let row = &cells[cell.wrapping_add_signed(place) % CELLS];
                    let lanes = row.0.as_ptr().cast::<__m256i>().add(half);
                    let lanes = _mm256_max_epi16(_mm256_load_si256(lanes), zero);
                    *input = _mm256_add_epi16(*input, _mm256_min_epi16(lanes, most));
                }
            }
            let mut sum = _mm256_loadu_si256(conv.biases.as_ptr().cast());
            for (input, weights) in inputs.iter().zip(&conv.weights) {
                let input = _mm256_slli_epi16::<CONV_SHIFT>(*input);
                let weights = _mm256_loadu_si256(weights.as_ptr().cast());
                sum = _mm256_add_epi16(sum, _mm256_mulhrs_epi16(input, weights));
            }
            let sum = _mm256_min_epi16(_mm256_max_epi16(sum, zero), _mm256_set1_epi16(CONV_MAX));
            let place = result.0.as_mut_ptr().cast::<__m256i>();
            _mm256_store_si256(place, own);
            _mm256_store_si256(place.add(1), sum);
        }
        result
    }
}

/// Requires AVX-512BW and VNNI. A row is one vector.
struct Avx512;

impl Instructions for Avx512 {
    #[inline(always)]
    fn multiply<const PAIRS: usize, const OUTPUTS: usize>(
        inputs: &[i16],
        weights: &Packed<PAIRS, OUTPUTS>,
        sums: &mut [i32; OUTPUTS],
    ) {
        const { assert!(OUTPUTS.is_multiple_of(16) && OUTPUTS <= 64 && PAIRS.is_multiple_of(2)) };
        let inputs = in_memory(&inputs[..2 * PAIRS]).as_ptr();
        // SAFETY: `has_avx512` was true. Loads and stores are within the arrays, since `PAIRS` is
        // even and `OUTPUTS` a multiple of 16.
        unsafe {
            // Two sums for each output, added at the end: each product waits for the sum before it.
            let mut chains = [[_mm512_setzero_si512(); 4]; 2];
            // The compiler must not know the number of pairs, or it would unroll the loop and split
            // each product-and-sum into two instructions.
            let pairs = black_box(PAIRS);
            let mut pair = 0;
            while pair < pairs {
                for chain in &mut chains {
                    let weights = weights.as_ptr().add(pair).cast::<[i16; 2]>();
                    let inputs = inputs.add(2 * pair).cast::<i32>().read_unaligned();
                    let inputs = _mm512_set1_epi32(inputs);
                    for (i, sum) in chain[..OUTPUTS / 16].iter_mut().enumerate() {
                        let weights = _mm512_loadu_si512(weights.add(16 * i).cast());
                        *sum = _mm512_dpwssd_epi32(*sum, inputs, weights);
                    }
                    pair += 1;
                }
            }
            let [first, second] = chains;
            let sums = sums.as_chunks_mut::<16>().0.iter_mut();
            for (sums, (a, b)) in sums.zip(first.into_iter().zip(second)) {
                let place = sums.as_mut_ptr().cast();
                let sum = _mm512_add_epi32(_mm512_loadu_si512(place), _mm512_add_epi32(a, b));
                _mm512_storeu_si512(place, sum);
            }
        }
    }

    #[inline(always)]
    fn convolve(conv: &Convolution, cells: &[Row; CELLS], cell: usize, half: usize) -> Row {
        Avx2::convolve(conv, cells, cell, half)
    }
}
