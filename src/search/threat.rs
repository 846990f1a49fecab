//! The threat searches: wins by continuous fours ([`vcf`]) and by fours and threes ([`vct`]).
//!
//! They prove wins by the board's threats alone; they know no evaluation, clock or other thread.

mod cache;
pub mod vcf;
pub mod vct;
