//! The protocol as managers speak it. `README.md` lists the scenarios and where each is tested.

#[path = "../engine_process/mod.rs"]
mod engine_process;
#[path = "../in_process/mod.rs"]
mod in_process;
#[path = "../positions/mod.rs"]
mod positions;
#[path = "../reference/mod.rs"]
mod reference;
#[path = "../reply_form/mod.rs"]
mod reply_form;
#[path = "../scratch/mod.rs"]
mod scratch;
#[path = "../shell/mod.rs"]
mod shell;

mod cli;
#[cfg(feature = "database")]
mod database;
mod dialogues;
mod faults;
mod games;
mod input;
mod occupancy;
mod places;
mod process;
mod scenarios;
mod scripts;
mod seeds;
mod timing;
mod yixin;
