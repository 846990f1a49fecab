//! Training data of Tengen: the games that `tengen-lab datagen` writes and its other commands read.

pub mod training;
