//! The types of [`tengen_gomoku`], and what the engine adds to them: scores, log odds and seeds.

mod game_seeds;
mod log_odds;
pub mod score;

pub use game_seeds::GameSeeds;
pub use log_odds::sigmoid;
pub use score::{Bound, Score, ScoreKind, Window};
pub use tengen_gomoku::types::*;
