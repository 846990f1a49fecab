//! Tengen, a Gomoku and Renju engine.
//!
//! The layers, from the top; a layer uses only those below it:
//!
//! - [`protocol`] speaks with managers, [`mod@bench`] measures, [`params`] lists the search's
//!   parameters;
//! - [`opening`] chooses the first moves and makes balanced openings, [`database`] keeps what was
//!   found about positions;
//! - [`output_file`] keeps files of other kinds from being overwritten;
//! - [`typed`] reads the values that a person types;
//! - [`search`] thinks;
//! - [`eval`] judges a position, [`record`] reads and writes games;
//! - [`board`] knows the position and the rules;
//! - [`shape`] knows what a line of cells is worth;
//! - [`types`] are the words all of them use, [`parallel`] is work in several threads,
//!   [`closed_output`] is what to do when nobody reads on, [`atomic_file`] writes files whole or not
//!   at all.
//!
//! [`mod@fault`] lets tests trigger faults that are otherwise too rare.

pub mod bench;
pub mod closed_output;
#[cfg(feature = "database")]
pub mod database;
#[cfg(not(feature = "database"))]
#[path = "no_database.rs"]
mod database;
pub mod eval;
pub mod fault;
pub mod opening;
pub mod output_file;
pub mod parallel;
pub mod params;
pub mod protocol;
pub mod search;
pub mod typed;
pub mod types;

pub use tengen_gomoku::{atomic_file, board, record, shape};
