//! Optimisers for the programs that tune numbers: fits by gradient, and SPSA.
//!
//! Built with the feature `tools` only. Knows neither boards nor games: a program hands in its own
//! cases, or its own matches.

pub mod adam;
pub mod fit;
pub mod logistic;
pub mod spsa;
