//! `tengen-lab` as it is run, and the files that it writes.

#[path = "../../../../tests/scratch/mod.rs"]
mod scratch;

mod datagen;
mod duel;
#[cfg(unix)]
mod matches;
mod tools;

const LAB: &str = env!("CARGO_BIN_EXE_tengen-lab");
