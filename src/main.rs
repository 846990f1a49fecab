//! The program: calls the library's command line, and prints its error.
//!
//! Under a manager nothing reaches stderr unless RUST_LOG is a valid filter, or the start fails: in
//! Piskvork stderr is the answer pipe.

use std::env;
use std::process::ExitCode;

use tengen::closed_output::note;

fn main() -> ExitCode {
    // A malformed filter would make the logger itself speak.
    let filter = env::var("RUST_LOG").ok();
    let filter = filter.filter(|text| env_filter::Builder::new().try_parse(text).is_ok());
    env_logger::Builder::new().parse_filters(filter.as_deref().unwrap_or("off")).init();
    match tengen::cli::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            note(format_args!("pbrain-tengen: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
