//! The rules, the board and the game files, from outside the package.

#[path = "../../../../tests/positions/mod.rs"]
mod positions;
#[path = "../../../../tests/reference/mod.rs"]
mod reference;
#[path = "../../../../tests/scratch/mod.rs"]
mod scratch;

mod atomic_file;
mod defence;
mod forbidden;
mod incremental;
mod record;
mod rules;
mod trees;
mod wins;
