//! The inner loops in plain Rust: the definition of what they compute.

use super::{Instructions, LANES, Packed, Row};

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
    fn add_sub(sum: &Row, old: &Row, new: &Row) -> Row {
        Row(std::array::from_fn(|lane| sum.0[lane] - old.0[lane] + new.0[lane]))
    }

    #[inline(always)]
    fn update_clipped(total: &mut Row, old: &Row, new: &Row, most: i16) {
        for lane in 0..LANES {
            total.0[lane] += new.0[lane].clamp(0, most) - old.0[lane].clamp(0, most);
        }
    }
}
