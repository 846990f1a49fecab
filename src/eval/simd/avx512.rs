//! The inner loops in 512-bit vectors (AVX-512 with VNNI), a row each.

use std::arch::x86_64::*;

use tengen_gomoku::types::CELLS;

use super::avx2::Avx2;
use super::{Convolution, Instructions, LANES, Packed, Row, in_memory};

/// Requires that it [is available](Avx512::is_available).
pub struct Avx512;

impl Avx512 {
    /// Processors without the dot product (VNNI) are left out: they lower their clock for 512 bits.
    #[inline(always)]
    pub fn is_available() -> bool {
        is_x86_feature_detected!("avx512vnni")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi2")
    }

    /// Multiplies for `16 * VECTORS` sums from number `first` on.
    ///
    /// # Safety
    ///
    /// The processor has these instructions, `inputs` has `2 * PAIRS` numbers, `PAIRS` is a
    /// multiple of four, and `first + 16 * VECTORS <= OUTPUTS`.
    #[inline(always)]
    unsafe fn multiply_some<const PAIRS: usize, const OUTPUTS: usize, const VECTORS: usize>(
        inputs: &[i16],
        weights: &Packed<PAIRS, OUTPUTS>,
        sums: &mut [i32; OUTPUTS],
        first: usize,
    ) {
        // SAFETY: the caller's.
        unsafe {
            let place = sums.as_mut_ptr().add(first).cast::<__m512i>();
            // Four independent chains, so that no product waits for the last one.
            let mut chains = [[_mm512_setzero_si512(); VECTORS]; 4];
            for (vector, sum) in chains[0].iter_mut().enumerate() {
                *sum = _mm512_loadu_si512(place.add(vector));
            }
            for start in (0..PAIRS).step_by(4) {
                for (number, chain) in chains.iter_mut().enumerate() {
                    let pair = inputs.as_ptr().add(2 * (start + number)).cast::<i32>();
                    let pair = _mm512_set1_epi32(pair.read_unaligned());
                    let weights = weights[start + number].as_ptr().add(first).cast::<__m512i>();
                    for (vector, sum) in chain.iter_mut().enumerate() {
                        let weights = _mm512_loadu_si512(weights.add(vector));
                        *sum = _mm512_dpwssd_epi32(*sum, pair, weights);
                    }
                }
            }
            let [a, b, c, d] = chains;
            let pairs = a.into_iter().zip(b).zip(c.into_iter().zip(d));
            for (vector, ((a, b), (c, d))) in pairs.enumerate() {
                let (low, high) = (_mm512_add_epi32(a, b), _mm512_add_epi32(c, d));
                _mm512_storeu_si512(place.add(vector), _mm512_add_epi32(low, high));
            }
        }
    }

    /// Returns the activations of 32 sums in the order of packing: by quarters of a vector.
    ///
    /// # Safety
    ///
    /// The processor has these instructions.
    #[inline(always)]
    unsafe fn activated<const SHIFT: u32>(sums: [__m512i; 2], most: i16) -> __m512i {
        // SAFETY: the caller's.
        unsafe {
            let [low, high] = sums.map(|sums| _mm512_srai_epi32::<SHIFT>(sums));
            // Packing clips to 16 bits.
            let new = _mm512_max_epi16(_mm512_packs_epi32(low, high), _mm512_setzero_si512());
            _mm512_min_epi16(new, _mm512_set1_epi16(most))
        }
    }

    /// Returns the result of [`Avx512::activated`] in the order of its sums.
    ///
    /// # Safety
    ///
    /// The processor has these instructions.
    #[inline(always)]
    unsafe fn in_order(packed: __m512i) -> __m512i {
        // SAFETY: the caller's.
        unsafe { _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), packed) }
    }
}

impl Instructions for Avx512 {
    #[inline(always)]
    fn gather_halves<const BITS: usize>(bits: u64) -> u64 {
        let low = (1 << BITS) - 1;
        // SAFETY: `run` chooses this only with BMI2.
        unsafe { _pext_u64(bits, low | low << (BITS + 2)) }
    }

    #[inline(always)]
    fn multiply<const PAIRS: usize, const OUTPUTS: usize>(
        inputs: &[i16],
        weights: &Packed<PAIRS, OUTPUTS>,
        sums: &mut [i32; OUTPUTS],
    ) {
        const { assert!(PAIRS.is_multiple_of(4) && OUTPUTS.is_multiple_of(16)) };
        let inputs = in_memory(&inputs[..2 * PAIRS]);
        let mut first = 0;
        // SAFETY: `run` chooses this only with these instructions; `inputs` was cut to its length,
        // and the loop keeps `first` in range.
        unsafe {
            while OUTPUTS - first >= 32 {
                Avx512::multiply_some::<PAIRS, OUTPUTS, 2>(inputs, weights, sums, first);
                first += 32;
            }
            if OUTPUTS > first {
                Avx512::multiply_some::<PAIRS, OUTPUTS, 1>(inputs, weights, sums, first);
            }
        }
    }

    #[inline(always)]
    fn add<const OUTPUTS: usize>(sums: &mut [i32; OUTPUTS], addends: &[i32; OUTPUTS]) {
        const { assert!(OUTPUTS.is_multiple_of(16)) };
        for first in (0..OUTPUTS).step_by(16) {
            // SAFETY: as in `multiply`; loads and stores are within the arrays.
            unsafe {
                let place = sums.as_mut_ptr().add(first).cast::<__m512i>();
                let addends = _mm512_loadu_si512(addends.as_ptr().add(first).cast());
                _mm512_storeu_si512(place, _mm512_add_epi32(_mm512_loadu_si512(place), addends));
            }
        }
    }

    #[inline(always)]
    fn activate<const SHIFT: u32, const OUTPUTS: usize>(
        sums: &[i32; OUTPUTS],
        outputs: &mut [i16; OUTPUTS],
        most: i16,
    ) {
        if !OUTPUTS.is_multiple_of(32) {
            return Avx2::activate::<SHIFT, OUTPUTS>(sums, outputs, most);
        }
        for first in (0..OUTPUTS).step_by(32) {
            // SAFETY: as in `multiply`; `OUTPUTS` is a multiple of 32.
            unsafe {
                let place = sums.as_ptr().add(first).cast::<__m512i>();
                let sums = [_mm512_loadu_si512(place), _mm512_loadu_si512(place.add(1))];
                let new = Avx512::in_order(Avx512::activated::<SHIFT>(sums, most));
                let place = outputs.as_mut_ptr().add(first).cast();
                _mm512_storeu_si512(place, _mm512_add_epi16(_mm512_loadu_si512(place), new));
            }
        }
    }

    /// Reads the weights once for all rows.
    #[inline(always)]
    fn activate_rows<const SHIFT: u32, const OUTPUTS: usize, const ROWS: usize>(
        rows: [&Row; ROWS],
        weights: &Packed<{ LANES / 2 }, OUTPUTS>,
        biases: &[i32; OUTPUTS],
        outputs: &mut [i16; OUTPUTS],
        most: i16,
    ) {
        const { assert!(OUTPUTS.is_multiple_of(32)) };
        let rows = in_memory(&rows);
        for first in (0..OUTPUTS).step_by(32) {
            // SAFETY: as in `multiply`; each load and store is of the 32 numbers from `first` on,
            // and `OUTPUTS` is a multiple of 32.
            unsafe {
                let biases = biases.as_ptr().add(first).cast::<__m512i>();
                let biases = [_mm512_loadu_si512(biases), _mm512_loadu_si512(biases.add(1))];
                let mut sums = [biases; ROWS];
                for (pair, weights) in weights.iter().enumerate() {
                    let weights = weights.as_ptr().add(first).cast::<__m512i>();
                    let weights = [_mm512_loadu_si512(weights), _mm512_loadu_si512(weights.add(1))];
                    for (sums, row) in sums.iter_mut().zip(rows) {
                        let pair = row.0.as_ptr().add(2 * pair).cast::<i32>().read_unaligned();
                        let pair = _mm512_set1_epi32(pair);
                        sums[0] = _mm512_dpwssd_epi32(sums[0], weights[0], pair);
                        sums[1] = _mm512_dpwssd_epi32(sums[1], weights[1], pair);
                    }
                }
                let mut new = _mm512_setzero_si512();
                for sums in sums {
                    new = _mm512_add_epi16(new, Avx512::activated::<SHIFT>(sums, most));
                }
                let place = outputs.as_mut_ptr().add(first).cast();
                let before = _mm512_loadu_si512(place);
                _mm512_storeu_si512(place, _mm512_add_epi16(before, Avx512::in_order(new)));
            }
        }
    }

    #[inline(always)]
    fn rounded<const BITS: i32>(row: &Row) -> Row {
        let mut result = Row::ZERO;
        // SAFETY: `run` chooses this only with these instructions. A row is one aligned vector.
        unsafe {
            let row = _mm512_load_si512(row.0.as_ptr().cast());
            let row = _mm512_adds_epi16(row, _mm512_set1_epi16(1 << (BITS - 1)));
            let count = _mm_cvtsi32_si128(BITS);
            _mm512_store_si512(result.0.as_mut_ptr().cast(), _mm512_sra_epi16(row, count));
        }
        result
    }

    #[inline(always)]
    fn add_sub(sum: &Row, old: &Row, new: &Row) -> Row {
        let mut result = Row::ZERO;
        // SAFETY: as in `rounded`.
        unsafe {
            let sum = _mm512_load_si512(sum.0.as_ptr().cast());
            let old = _mm512_load_si512(old.0.as_ptr().cast());
            let new = _mm512_load_si512(new.0.as_ptr().cast());
            let sum = _mm512_add_epi16(_mm512_sub_epi16(sum, old), new);
            _mm512_store_si512(result.0.as_mut_ptr().cast(), sum);
        }
        result
    }

    #[inline(always)]
    fn update_clipped(total: &mut Row, old: &Row, new: &Row, most: i16) {
        // SAFETY: as in `rounded`.
        unsafe {
            let [zero, most] = [_mm512_setzero_si512(), _mm512_set1_epi16(most)];
            let old = _mm512_load_si512(old.0.as_ptr().cast());
            let old = _mm512_min_epi16(_mm512_max_epi16(old, zero), most);
            let new = _mm512_load_si512(new.0.as_ptr().cast());
            let new = _mm512_min_epi16(_mm512_max_epi16(new, zero), most);
            let place = total.0.as_mut_ptr().cast();
            let total = _mm512_add_epi16(_mm512_load_si512(place), _mm512_sub_epi16(new, old));
            _mm512_store_si512(place, total);
        }
    }

    #[inline(always)]
    fn convolve(conv: &Convolution, cells: &[Row; CELLS], cell: usize, half: usize) -> Row {
        Avx2::convolve(conv, cells, cell, half)
    }
}
