//! The threat searches: wins by continuous fours ([`vcf`]) and by fours and threes ([`vct`]).

pub mod vcf;
pub mod vct;
