//! The protocol as managers speak it. `README.md` lists the scenarios and where each is tested.

#[path = "../engine_process/mod.rs"]
mod engine_process;

mod input;
mod process;
mod referee;
mod scenarios;
mod scripts;
mod seeds;
mod timing;
