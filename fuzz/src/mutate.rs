//! Random change: from inputs that are known to be of interest to new ones.

use fastrand::Rng;

/// The longest input.
const LENGTH_MAX: usize = 4096;
/// The binary logarithm of the most changes of one input.
const CHANGES_LOG_MAX: u32 = 4;

/// Returns a changed copy of one of the inputs.
pub fn mutate(rng: &mut Rng, inputs: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
    let pick = |rng: &mut Rng| rng.choice(inputs).cloned().unwrap_or_default();
    let mut input = pick(rng);
    for _ in 0..1 << rng.u32(0..=CHANGES_LOG_MAX) {
        let at = rng.usize(..=input.len());
        let most = 1 << rng.u32(..8);
        let length = rng.usize(..=(input.len() - at).min(most));
        match rng.u8(..10) {
            0 => drop(input.drain(at..at + length)),
            1 | 2 if at < input.len() => input[at] ^= 1 << rng.u8(..8),
            3 if at < input.len() => input[at] = rng.u8(..),
            4 if at < input.len() => input[at] = *rng.choice(b"0123456789,- \n\x1E").unwrap_or(&0),
            5 => {
                let copy = input[at..at + length].to_vec();
                let to = rng.usize(..=input.len());
                drop(input.splice(to..to, copy));
            }
            6 => {
                let other = pick(rng);
                let from = rng.usize(..=other.len());
                let to = from + rng.usize(..=(other.len() - from).min(64));
                drop(input.splice(at..at + length, other[from..to].iter().copied()));
            }
            // Any other way in which one input becomes another one: whole words.
            n => {
                let word = rng.choice(words).map_or(&[][..], |word| word.as_bytes());
                let replaced = if n % 2 == 0 { length.min(word.len()) } else { 0 };
                drop(input.splice(at..at + replaced, word.iter().copied()));
            }
        }
    }
    input.truncate(LENGTH_MAX);
    input
}
