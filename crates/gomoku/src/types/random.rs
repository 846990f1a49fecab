//! Random numbers, the same on every machine: SplitMix64 (Steele, Lea and Flood, "Fast Splittable
//! Pseudorandom Number Generators", 2014).

use std::hash::{BuildHasher, RandomState};

/// The increment of SplitMix64: 2^64 divided by the golden ratio, made odd.
pub const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(mixed(seed))
    }

    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(1);
        mixed(self.0)
    }

    /// Returns a number below `limit`, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.number()) * limit as u128) >> 64) as usize
    }

    /// Fisher and Yates, 1938.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// Returns a number that differs from process to process.
pub fn entropy() -> u64 {
    RandomState::new().hash_one(0_u64)
}

/// Returns output `number` of SplitMix64 with seed 0: a one-to-one function.
pub const fn mixed(number: u64) -> u64 {
    finalized(number.wrapping_mul(GAMMA))
}

/// Returns the output of SplitMix64 in a state: a one-to-one function.
pub const fn finalized(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_below_the_limit_comes_about_as_often() {
        let mut random = Random::new(7);
        let mut counts = [0; 10];
        for _ in 0..10_000 {
            counts[random.below(10)] += 1;
        }
        assert!(counts.iter().all(|count| (850..1_150).contains(count)), "{counts:?}");
    }

    #[test]
    fn the_sequence_is_that_of_the_paper() {
        // The first outputs of the reference program for the seed 0.
        let expected = [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f];
        assert_eq!([1, 2, 3].map(mixed), expected);
    }

    #[test]
    fn a_shuffle_brings_every_item_everywhere() {
        let mut random = Random::new(1);
        let mut counts = [[0; 4]; 4];
        for _ in 0..4_000 {
            let mut items = [0, 1, 2, 3];
            random.shuffle(&mut items);
            items.iter().enumerate().for_each(|(place, &item)| counts[place][item] += 1);
        }
        assert!(
            counts.as_flattened().iter().all(|count| (850..1_150).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn a_seed_decides_the_sequence() {
        let sequence = |seed| {
            let mut random = Random::new(seed);
            [(); 8].map(|()| random.below(1 << 20))
        };
        assert_eq!(sequence(1), sequence(1));
        assert_ne!(sequence(1), sequence(2));
    }
}
