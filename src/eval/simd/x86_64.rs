//! AVX2, and AVX-512 with VNNI: what is faster than the loops as compiled for them.

use std::arch::x86_64::*;

use tengen_gomoku::types::CELLS;

use super::{
    AROUND, CELL_MAX, CONV_MAX, CONV_SHIFT, Convolution, Instructions, Kernel, LANES, Packed, Row,
    Scalar,
};

#[inline]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    if Avx512::is_available() {
        // SAFETY: the processor has what the function needs.
        return unsafe { run_avx512(kernel) };
    }
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function needs.
        return unsafe { run_avx2(kernel) };
    }
    kernel.run::<Scalar>()
}

#[target_feature(enable = "avx2")]
pub fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}

#[target_feature(enable = "bmi2,avx2,avx512f,avx512bw,avx512vnni")]
pub fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx512>()
}

/// Hides the inputs from the compiler, which then broadcasts each pair from memory; shuffling it
/// out of a register is slower.
#[inline(always)]
fn in_memory<T: ?Sized>(inputs: &T) -> &T {
    std::hint::black_box(inputs)
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
    /// Sound if the processor has these instructions, `inputs` has `2 * PAIRS` numbers, `PAIRS` is a
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
                let [zero, most] = [_mm512_setzero_si512(), _mm512_set1_epi16(most)];
                let mut new = zero;
                for sums in sums {
                    let [low, high] = sums.map(|sums| _mm512_srai_epi32::<SHIFT>(sums));
                    // Packing clips to 16 bits, and goes by quarters of a vector.
                    let packed = _mm512_max_epi16(_mm512_packs_epi32(low, high), zero);
                    new = _mm512_add_epi16(new, _mm512_min_epi16(packed, most));
                }
                let order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
                let new = _mm512_permutexvar_epi64(order, new);
                let place = outputs.as_mut_ptr().add(first).cast();
                let before = _mm512_loadu_si512(place);
                _mm512_storeu_si512(place, _mm512_add_epi16(before, new));
            }
        }
    }

    #[inline(always)]
    fn convolve(conv: &Convolution, cells: &[Row; CELLS], cell: usize, half: usize) -> Row {
        Avx2::convolve(conv, cells, cell, half)
    }
}
