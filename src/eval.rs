//! The evaluation: what a position is worth to the side to move.
//!
//! An [`Evaluator`] follows a board move by move; its value is the [`network`]'s. The search adds
//! what a [`Style`] makes of the chances on the board, and the cost of black's [`overlines`] under
//! renju, unless the game is drawn before the board is full.

mod accumulator;
mod evaluator;
pub mod fingerprint;
pub mod network;
pub mod overlines;
pub mod pattern;
mod simd;
mod style;
pub mod threat_counts;
pub mod win_rate;

pub use evaluator::Evaluator;
pub use style::Style;

use std::sync::OnceLock;

use crate::types::Rule;

/// Returns the [fingerprint](mod@fingerprint) of the networks, which all evaluations come from.
pub fn fingerprint() -> u64 {
    /// A constant that saved files have in their fingerprints.
    const FIRST: u64 = 0xffad_9735_9113_8f81;
    static FINGERPRINT: OnceLock<u64> = OnceLock::new();
    *FINGERPRINT.get_or_init(|| {
        let networks = Rule::ALL.map(|rule| fingerprint::of(network::file_of(rule)));
        let all = [FIRST].into_iter().chain(networks);
        fingerprint::of(&all.flat_map(u64::to_le_bytes).collect::<Vec<_>>())
    })
}
