//! Tengen, a Gomoku and Renju engine.
//!
//! [`protocol`] speaks with managers; a [`Searcher`](search::Searcher) searches positions without
//! it. [`opening`] chooses first moves, [`database`] keeps results, [`eval`] is the evaluation.
//! `docs/code.md` maps all packages and folders.

pub mod bench;
pub mod closed_output;
#[cfg(feature = "database")]
pub mod database;
pub mod eval;
pub mod fault;
pub mod memory;
pub mod opening;
#[cfg(feature = "database")]
pub mod output_file;
pub mod parallel;
pub mod protocol;
pub mod score;
pub mod search;
pub mod time;
