//! The functions that the targets of cargo-fuzz call, and the engine's own tests with them.

#[path = "../../tests/in_process/mod.rs"]
mod in_process;
#[path = "../../tests/reply_form/mod.rs"]
mod reply_form;
pub mod targets;
