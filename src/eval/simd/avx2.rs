//! The inner loops in 256-bit vectors (AVX2).

use std::arch::x86_64::*;

use tengen_gomoku::types::CELLS;

use super::{
    AROUND, CELL_MAX, CONV_MAX, CONV_SHIFT, Convolution, Instructions, Packed, Row, in_memory,
};

/// Requires AVX2.
pub struct Avx2;

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
    fn add<const OUTPUTS: usize>(sums: &mut [i32; OUTPUTS], addends: &[i32; OUTPUTS]) {
        const { assert!(OUTPUTS.is_multiple_of(8)) };
        for first in (0..OUTPUTS).step_by(8) {
            // SAFETY: as in `multiply`.
            unsafe {
                let place = sums.as_mut_ptr().add(first).cast::<__m256i>();
                let addends = _mm256_loadu_si256(addends.as_ptr().add(first).cast());
                _mm256_storeu_si256(place, _mm256_add_epi32(_mm256_loadu_si256(place), addends));
            }
        }
    }

    #[inline(always)]
    fn activate<const SHIFT: u32, const OUTPUTS: usize>(
        sums: &[i32; OUTPUTS],
        outputs: &mut [i16; OUTPUTS],
        most: i16,
    ) {
        const { assert!(OUTPUTS.is_multiple_of(16)) };
        for first in (0..OUTPUTS).step_by(16) {
            // SAFETY: as in `multiply`.
            unsafe {
                let place = sums.as_ptr().add(first).cast::<__m256i>();
                let shift = _mm_cvtsi32_si128(SHIFT as i32);
                let low = _mm256_sra_epi32(_mm256_loadu_si256(place), shift);
                let high = _mm256_sra_epi32(_mm256_loadu_si256(place.add(1)), shift);
                // Packing clips to 16 bits, and goes by halves of a vector.
                let new = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(low, high));
                let new = _mm256_max_epi16(new, _mm256_setzero_si256());
                let new = _mm256_min_epi16(new, _mm256_set1_epi16(most));
                let place = outputs.as_mut_ptr().add(first).cast::<__m256i>();
                _mm256_storeu_si256(place, _mm256_add_epi16(_mm256_loadu_si256(place), new));
            }
        }
    }

    #[inline(always)]
    fn rounded<const BITS: i32>(row: &Row) -> Row {
        let mut result = Row::ZERO;
        // SAFETY: `run` chooses this only with AVX2. A row is two aligned vectors.
        unsafe {
            let from = row.0.as_ptr().cast::<__m256i>();
            let to = result.0.as_mut_ptr().cast::<__m256i>();
            for half in 0..2 {
                let lanes = _mm256_load_si256(from.add(half));
                let lanes = _mm256_adds_epi16(lanes, _mm256_set1_epi16(1 << (BITS - 1)));
                _mm256_store_si256(to.add(half), _mm256_srai_epi16::<BITS>(lanes));
            }
        }
        result
    }

    #[inline(always)]
    fn add_sub(sum: &Row, old: &Row, new: &Row) -> Row {
        let mut result = Row::ZERO;
        // SAFETY: as in `rounded`.
        unsafe {
            let place = result.0.as_mut_ptr().cast::<__m256i>();
            for half in 0..2 {
                let sum = _mm256_load_si256(sum.0.as_ptr().cast::<__m256i>().add(half));
                let old = _mm256_load_si256(old.0.as_ptr().cast::<__m256i>().add(half));
                let new = _mm256_load_si256(new.0.as_ptr().cast::<__m256i>().add(half));
                let sum = _mm256_add_epi16(_mm256_sub_epi16(sum, old), new);
                _mm256_store_si256(place.add(half), sum);
            }
        }
        result
    }

    #[inline(always)]
    fn update_clipped(total: &mut Row, old: &Row, new: &Row, most: i16) {
        // SAFETY: as in `rounded`.
        unsafe {
            let [zero, most] = [_mm256_setzero_si256(), _mm256_set1_epi16(most)];
            let place = total.0.as_mut_ptr().cast::<__m256i>();
            for half in 0..2 {
                let old = _mm256_load_si256(old.0.as_ptr().cast::<__m256i>().add(half));
                let old = _mm256_min_epi16(_mm256_max_epi16(old, zero), most);
                let new = _mm256_load_si256(new.0.as_ptr().cast::<__m256i>().add(half));
                let new = _mm256_min_epi16(_mm256_max_epi16(new, zero), most);
                let total = _mm256_load_si256(place.add(half));
                let total = _mm256_add_epi16(total, _mm256_sub_epi16(new, old));
                _mm256_store_si256(place.add(half), total);
            }
        }
    }

    #[inline(always)]
    fn convolve(conv: &Convolution, cells: &[Row; CELLS], cell: usize, half: usize) -> Row {
        let mut result = Row::ZERO;
        // SAFETY: as in `rounded`; `half` is 0 or 1.
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
