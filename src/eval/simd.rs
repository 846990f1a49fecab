//! The network's inner loops in the instructions that the processor has.
//!
//! [`Scalar`] defines what they compute; the others match it bit by bit. [`run`] chooses at run
//! time: a plain build uses the vectors of the processor that it runs on. Knows arrays of numbers
//! only, neither networks nor boards. No other file has vector instructions;
//! `search/table/buckets.rs` has a prefetch.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Numbers of a row: as many of 16 bits as a cache line holds.
pub const LANES: usize = 32;

/// A row of numbers, one a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Row(pub [i16; LANES]);

impl Row {
    /// Nothing in any lane.
    pub const ZERO: Row = Row([0; LANES]);
}

/// A layer's weights, two inputs of all outputs side by side, as vector instructions like them.
pub type Packed<const PAIRS: usize, const OUTPUTS: usize> = [[[i16; 2]; OUTPUTS]; PAIRS];

/// What the inner loops need from a processor.
pub trait Instructions {
    /// Returns `bits` without the two bits at place `BITS`: the lowest `BITS` bits, and above them
    /// the `BITS` bits that follow those two.
    #[inline(always)]
    fn without_middle<const BITS: usize>(bits: u64) -> u64 {
        let low = (1 << BITS) - 1;
        bits & low | bits >> 2 & low << BITS
    }

    /// Adds to each sum the products of the inputs with its weights. The number of pairs of inputs
    /// is a multiple of 4, that of sums one of 16, and no sum may overflow.
    fn multiply<const PAIRS: usize, const OUTPUTS: usize>(
        inputs: &[i16],
        weights: &Packed<PAIRS, OUTPUTS>,
        sums: &mut [i32; OUTPUTS],
    );

    /// Adds to each sum its addend. The number of sums is a multiple of 16, and none may overflow.
    fn add<const OUTPUTS: usize>(sums: &mut [i32; OUTPUTS], addends: &[i32; OUTPUTS]);

    /// Clipped ReLU: adds to each output its sum, shifted right by `SHIFT` and clipped to
    /// 0..=`most`. No output may overflow.
    fn activate<const SHIFT: u32, const OUTPUTS: usize>(
        sums: &[i32; OUTPUTS],
        outputs: &mut [i16; OUTPUTS],
        most: i16,
    );

    /// Adds to each output what its layer makes of each row: [`Instructions::activate`] of the sum
    /// that [`Instructions::multiply`] makes of the bias. `OUTPUTS` is a multiple of 32.
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

    /// Returns all lanes divided by 2 to the power of `BITS` and rounded, halves upwards.
    fn rounded<const BITS: i32>(row: &Row) -> Row;

    /// Returns `sum` with `new` in it instead of `old`. No lane may overflow.
    fn exchange(sum: &Row, old: &Row, new: &Row) -> Row;

    /// Adds `new` less `old` to `total`, each lane of both clipped to 0 to `most`. No lane may
    /// overflow.
    fn add_clipped(total: &mut Row, old: &Row, new: &Row, most: i16);
}

/// A computation that [`run`] compiles once for each set of instructions.
pub trait Task {
    /// The type of its output.
    type Output;

    /// Computes the output. Must be `#[inline(always)]`, or it is not compiled for these
    /// instructions.
    fn run<I: Instructions>(self) -> Self::Output;
}

/// Does the task in the best instructions that the processor has.
#[inline]
pub fn run<T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if Avx512::is_available() {
            // SAFETY: the processor has what the function needs.
            return unsafe { run_avx512(task) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has what the function needs.
            return unsafe { run_avx2(task) };
        }
    }
    task.run::<Scalar>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<T: Task>(task: T) -> T::Output {
    task.run::<Avx2>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2,avx2,avx512f,avx512bw,avx512vnni")]
fn run_avx512<T: Task>(task: T) -> T::Output {
    task.run::<Avx512>()
}

/// Returns its argument. `black_box` hides the contents from the compiler, which then broadcasts
/// each pair of inputs straight from memory. Otherwise it would shuffle them out of the register
/// they were in, which is slower.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn in_memory<T: ?Sized>(inputs: &T) -> &T {
    std::hint::black_box(inputs)
}

/// Plain Rust.
pub struct Scalar;

impl Instructions for Scalar {
    #[inline(always)]
    fn multiply<const PAIRS: usize, const OUTPUTS: usize>(
        inputs: &[i16],
        weights: &Packed<PAIRS, OUTPUTS>,
        sums: &mut [i32; OUTPUTS],
    ) {
        let inputs = &inputs[..2 * PAIRS];
        for (pair, weights) in weights.iter().enumerate() {
            let (a, b) = (inputs[2 * pair], inputs[2 * pair + 1]);
            for (sum, &[first, second]) in sums.iter_mut().zip(weights) {
                *sum += i32::from(a) * i32::from(first) + i32::from(b) * i32::from(second);
            }
        }
    }

    #[inline(always)]
    fn add<const OUTPUTS: usize>(sums: &mut [i32; OUTPUTS], addends: &[i32; OUTPUTS]) {
        for (sum, addend) in sums.iter_mut().zip(addends) {
            *sum += addend;
        }
    }

    #[inline(always)]
    fn activate<const SHIFT: u32, const OUTPUTS: usize>(
        sums: &[i32; OUTPUTS],
        outputs: &mut [i16; OUTPUTS],
        most: i16,
    ) {
        for (output, sum) in outputs.iter_mut().zip(sums) {
            *output += (sum >> SHIFT).clamp(0, most.into()) as i16;
        }
    }

    #[inline(always)]
    fn rounded<const BITS: i32>(row: &Row) -> Row {
        Row(std::array::from_fn(|lane| row.0[lane].saturating_add(1 << (BITS - 1)) >> BITS))
    }

    #[inline(always)]
    fn exchange(sum: &Row, old: &Row, new: &Row) -> Row {
        Row(std::array::from_fn(|lane| sum.0[lane] - old.0[lane] + new.0[lane]))
    }

    #[inline(always)]
    fn add_clipped(total: &mut Row, old: &Row, new: &Row, most: i16) {
        for lane in 0..LANES {
            total.0[lane] += new.0[lane].clamp(0, most) - old.0[lane].clamp(0, most);
        }
    }
}

/// Vectors of 256 bits. To be used only where the processor has AVX2.
#[cfg(target_arch = "x86_64")]
struct Avx2;

#[cfg(target_arch = "x86_64")]
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
            // SAFETY: `run` comes here only where the processor has AVX2. All loads and stores lie
            // within the arrays, since `OUTPUTS` is a multiple of 16.
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
            // SAFETY: the instructions are there, as in `multiply`, and all loads and stores lie
            // within the arrays.
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
            // SAFETY: the instructions are there, as in `multiply`, and all loads and stores lie
            // within the arrays.
            unsafe {
                let place = sums.as_ptr().add(first).cast::<__m256i>();
                let shift = _mm_cvtsi32_si128(SHIFT as i32);
                let low = _mm256_sra_epi32(_mm256_loadu_si256(place), shift);
                let high = _mm256_sra_epi32(_mm256_loadu_si256(place.add(1)), shift);
                // What does not fit in 16 bits is clipped here already. Packing goes by halves of a
                // vector.
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
        // SAFETY: `run` comes here only where the processor has AVX2. A row is two vectors long
        // and aligned like them.
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
    fn exchange(sum: &Row, old: &Row, new: &Row) -> Row {
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
    fn add_clipped(total: &mut Row, old: &Row, new: &Row, most: i16) {
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
}

/// Vectors of 512 bits, a row each. To be used only [where it is available](Avx512::is_available).
#[cfg(target_arch = "x86_64")]
struct Avx512;

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    /// Returns true if the processor has these instructions. Those with 512 bits but without the
    /// dot product (VNNI) are left out: they lower their clock for such vectors.
    #[inline(always)]
    fn is_available() -> bool {
        is_x86_feature_detected!("avx512vnni")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi2")
    }

    /// Multiplies for `VECTORS` times 16 sums from number `first` on.
    ///
    /// # Safety
    ///
    /// The processor has these instructions, `inputs` has `2 * PAIRS` numbers, `PAIRS` is a
    /// multiple of four, and `first + 16 * VECTORS` is at most `OUTPUTS`.
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
            // Each product would have to wait for the one before it; four chains run side by side.
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

    /// Returns what 32 sums make of their outputs, as [`Instructions::activate`] has it, but in the
    /// order in which packing leaves them: by quarters of a vector.
    ///
    /// # Safety
    ///
    /// The processor has these instructions.
    #[inline(always)]
    unsafe fn activated<const SHIFT: u32>(sums: [__m512i; 2], most: i16) -> __m512i {
        // SAFETY: the caller's.
        unsafe {
            let [low, high] = sums.map(|sums| _mm512_srai_epi32::<SHIFT>(sums));
            // What does not fit in 16 bits is clipped here already.
            let new = _mm512_max_epi16(_mm512_packs_epi32(low, high), _mm512_setzero_si512());
            _mm512_min_epi16(new, _mm512_set1_epi16(most))
        }
    }

    /// Returns the outputs of [`Avx512::activated`] in the order of their sums.
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

#[cfg(target_arch = "x86_64")]
impl Instructions for Avx512 {
    #[inline(always)]
    fn without_middle<const BITS: usize>(bits: u64) -> u64 {
        let low = (1 << BITS) - 1;
        // SAFETY: `run` comes here only where the processor has this instruction.
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
        // SAFETY: `run` comes here only where the processor has these instructions. `inputs` was
        // cut to its length, and the loop ends in time.
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
            // SAFETY: the instructions are there, as in `multiply`, and all loads and stores lie
            // within the arrays.
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

    /// Goes through the weights once for all rows.
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
            // SAFETY: `run` chooses this only on a processor with these instructions. Each load and
            // store is of one vector or two, the 32 numbers from index `first` on, and `OUTPUTS` is
            // a multiple of 32.
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
        // SAFETY: `run` comes here only where the processor has these instructions. A row is one
        // vector and aligned like it.
        unsafe {
            let row = _mm512_load_si512(row.0.as_ptr().cast());
            let row = _mm512_adds_epi16(row, _mm512_set1_epi16(1 << (BITS - 1)));
            let count = _mm_cvtsi32_si128(BITS);
            _mm512_store_si512(result.0.as_mut_ptr().cast(), _mm512_sra_epi16(row, count));
        }
        result
    }

    #[inline(always)]
    fn exchange(sum: &Row, old: &Row, new: &Row) -> Row {
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
    fn add_clipped(total: &mut Row, old: &Row, new: &Row, most: i16) {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tells once which instructions the processor lacks, straight to standard error: what tests
    /// print is not shown.
    #[cfg(target_arch = "x86_64")]
    fn tell_skipped() {
        use std::io::Write as _;
        use std::sync::Once;

        static TOLD: Once = Once::new();
        TOLD.call_once(|| {
            let has_avx2 = is_x86_feature_detected!("avx2");
            for (name, is_there) in [("AVX2", has_avx2), ("AVX-512 VNNI", Avx512::is_available())] {
                if !is_there {
                    let _ = writeln!(std::io::stderr(), "skipped: no {name}");
                }
            }
        });
    }

    /// Does the task in all instructions that the processor has, plain Rust first.
    fn run_each<T: Task + Clone>(task: &T) -> Vec<T::Output> {
        let mut outputs = vec![task.clone().run::<Scalar>()];
        #[cfg(target_arch = "x86_64")]
        {
            tell_skipped();
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has what the function needs.
                outputs.push(unsafe { run_avx2(task.clone()) });
            }
            if Avx512::is_available() {
                // SAFETY: the processor has what the function needs.
                outputs.push(unsafe { run_avx512(task.clone()) });
            }
        }
        outputs
    }

    /// Asserts that all instructions yield the same.
    fn assert_alike<T: Task<Output: PartialEq + std::fmt::Debug> + Clone>(task: &T) {
        let outputs = run_each(task);
        assert!(outputs.iter().all(|output| *output == outputs[0]), "{outputs:?}");
    }

    /// Returns numbers of at most this size, the extremes often among them.
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

    impl Task for Rows {
        type Output = [Row; 4];

        #[inline(always)]
        fn run<I: Instructions>(self) -> [Row; 4] {
            let [sum, old, new] = self.rows;
            let after = I::exchange(&sum, &old, &new);
            let mut total = new;
            I::add_clipped(&mut total, &sum, &after, self.most);
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
    struct Layer<const PAIRS: usize, const OUTPUTS: usize> {
        inputs: Vec<i16>,
        weights: Packed<PAIRS, OUTPUTS>,
        sums: [i32; OUTPUTS],
        outputs: [i16; OUTPUTS],
    }

    impl<const PAIRS: usize, const OUTPUTS: usize> Task for Layer<PAIRS, OUTPUTS> {
        type Output = ([i32; OUTPUTS], [i16; OUTPUTS], [i16; OUTPUTS]);

        #[inline(always)]
        fn run<I: Instructions>(self) -> Self::Output {
            let Layer { inputs, weights, mut sums, mut outputs } = self;
            I::activate::<9, OUTPUTS>(&sums, &mut outputs, 2047);
            I::multiply(&inputs, &weights, &mut sums);
            let addends = sums.map(|sum| sum / 2);
            I::add(&mut sums, &addends);
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

    impl Task for LayerOfRows {
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
            // The products of all inputs fill an eighth of the room for a sum at most.
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
