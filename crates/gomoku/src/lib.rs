//! Boards, rules, shapes and game files of Gomoku and Renju.
//!
//! - [`types`]: colours, cells, rules, coordinates;
//! - [`shape`]: what a line of cells is worth, and what four lines are worth together;
//! - [`board`]: a position, its wins, its threats and what black may not play;
//! - [`record`]: games as .psq, SGF, RenLib and plain text.
//!
//! [`atomic_file`] writes a file whole or not at all.

pub mod atomic_file;
pub mod board;
pub mod record;
pub mod shape;
pub mod types;
