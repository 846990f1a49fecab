//! Tengen.
pub mod bench;
pub mod board;
pub mod eval;
pub mod opening;
pub mod protocol;
pub mod search;
pub mod shape;
pub mod types;
