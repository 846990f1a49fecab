//! The program `tengen`: calls the command line, and prints its error.

use std::process::ExitCode;

use tengen::closed_output::{note, start_log};

fn main() -> ExitCode {
    start_log();
    match tengen_app::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            note(format_args!("tengen: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
