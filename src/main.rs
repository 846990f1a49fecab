//! The program: hands its arguments to the library, and tells how it went.
//!
//! Under a manager nothing reaches stderr unless RUST_LOG asks for a log, or the start fails: in
//! Piskvork stderr is the answer pipe.

use std::process::ExitCode;

use env_logger::Env;

fn main() -> ExitCode {
    env_logger::Builder::from_env(Env::new().filter_or("RUST_LOG", "off")).init();
    match tengen::cli::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pbrain-tengen: {error:#}");
            ExitCode::FAILURE
        }
    }
}
