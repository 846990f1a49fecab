//! What people run: play at a terminal, on a board in the browser, analysis and review of games,
//! openings for matches, databases of positions.
//!
//! [`cli`] takes the command line, and calls one of the others.

pub mod analyze;
mod board;
pub mod cli;
mod database;
mod openings;
pub mod play;
mod typed;
mod web;
