//! Optimisers: fits by gradient, and SPSA.

pub mod adam;
pub mod logistic;
