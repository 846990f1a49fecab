//! The program `tengen` as people run it.

#[path = "../../../../tests/in_process/mod.rs"]
mod in_process;
#[path = "../../../../tests/positions/mod.rs"]
mod positions;
#[path = "../../../../tests/reply_form/mod.rs"]
mod reply_form;
#[path = "../../../../tests/scratch/mod.rs"]
mod scratch;
#[path = "../../../../tests/shell/mod.rs"]
mod shell;
#[path = "../../../../fuzz/src/targets.rs"]
mod targets;

mod analyze;
mod cli;
mod convert;
mod database;
#[cfg(unix)]
mod docs;
mod fuzz;
mod play;
mod review;
#[cfg(unix)]
mod terminal;
