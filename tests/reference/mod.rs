//! Slow and obvious twins of the engine: its rules, line shapes and threat searches by their
//! definitions, lines and claimed wins played out, and boards for all that.
//!
//! Nothing here asks the engine what a line or a stone is worth; `proof_checker` alone takes fives
//! and fouls from the board, which `rules.rs` compares with `grid`.

#![allow(dead_code, reason = "every test file uses a part of this module")]

pub mod fours;
pub mod grid;
pub mod legal;
pub mod nearly_full;
pub mod proof_checker;
pub mod shapes;
pub mod solver;
