//! The threat searches: wins by continuous fours ([`vcf`]) and by fours and threes ([`vct`]).

mod cache;
pub mod vcf;
pub mod vct;
