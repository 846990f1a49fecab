//! Optimisers: fits by gradient, and SPSA.

pub mod adam;
pub mod fit;
pub mod logistic;
pub mod spsa;
