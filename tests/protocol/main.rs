//! The protocol as managers speak it. `README.md` lists the scenarios and where each is tested.

#[path = "../engine_process/mod.rs"]
mod engine_process;
#[path = "../shell/mod.rs"]
mod shell;

mod input;
mod occupancy;
mod process;
mod scenarios;
mod scripts;
mod seeds;
mod timing;
