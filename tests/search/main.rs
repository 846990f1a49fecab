//! The search and the evaluation, inside the process: no clock decides.

#[path = "../positions/mod.rs"]
mod positions;
#[path = "../reference/mod.rs"]
mod reference;
#[path = "../shell/mod.rs"]
mod shell;
#[path = "../unclocked/mod.rs"]
mod unclocked;

mod blocked;
mod determinism;
mod docs;
mod draws;
mod exact;
mod false_wins;
mod fours;
mod levels;
mod multi_pv;
mod network;
mod params;
mod proofs;
mod tactics;
mod threads;
