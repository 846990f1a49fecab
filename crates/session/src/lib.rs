//! What every front end does with a game, without input and output, threads or an engine.
//!
//! - [`game`]: a game in play, [`clock`]: its clocks, [`opening`]: its opening;
//! - [`review`]: what its moves were worth;
//! - [`json`]: how pages and programs read them;
//! - [`session`]: the game that pages show, with the engines that play and study.

pub mod clock;
pub mod game;
pub mod json;
pub mod opening;
pub mod review;
pub mod session;
