//! The threat-space searches: wins by continuous fours ([`vcf`]) and by fours and threes ([`vct`]).
//!
//! Proofs by the board's threats alone: they know no evaluation, no clock and no other thread.

mod cache;
pub mod vcf;
pub mod vct;
