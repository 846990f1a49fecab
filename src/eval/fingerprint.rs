//! The fingerprint of the evaluation: a number for the networks of a program, which saved tables
//! and training data carry.

use crate::types::random::{GAMMA, finalized};

/// Returns a hash of these bytes. It tells versions apart and is no protection against forgery.
pub fn of(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain(std::iter::once(&last)).map(|&word| u64::from_le_bytes(word));
    let length = bytes.len() as u64;
    words.fold(length, |hash, word| finalized((hash ^ word).wrapping_add(GAMMA)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_and_the_length_count() {
        let bytes: Vec<u8> = (0..21).collect();
        let mut all = vec![of(&bytes), of(&bytes[..20]), of(&[])];
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            all.push(of(&changed));
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        all.push(of(&longer));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn a_fingerprint_stays_what_saved_files_carry() {
        assert_eq!(of(b"fingerprint"), 0x2cb3_edd1_9069_bf69);
    }
}
