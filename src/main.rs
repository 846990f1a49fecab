//! The program: turns its argument into a call of the library, and nothing else.
//!
//! Without an argument it speaks the protocol. Nothing but a wrong argument or a failed start ever
//! reaches stderr, unless RUST_LOG asks for a log: in Piskvork stderr is the answer pipe.

use std::env;
use std::panic;
use std::process::ExitCode;

use anyhow::Context;
use env_logger::Env;

const USAGE: &str = "\
usage: pbrain-tengen [bench | --version | --help]

Without an argument the program speaks the Gomocup protocol on its standard
input and output. RUST_LOG=debug writes a log to its standard error.";

fn main() -> ExitCode {
    env_logger::Builder::from_env(Env::new().filter_or("RUST_LOG", "off")).init();
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let words: Option<Vec<&str>> = arguments.iter().map(|word| word.to_str()).collect();
    let result = match words.as_deref() {
        Some([]) => {
            panic::set_hook(Box::new(|panic| log::error!("{panic}")));
            tengen::protocol::run().context("cannot speak the protocol")
        }
        Some(["bench"]) => tengen::bench::run().context("cannot run the bench"),
        Some(["--version"]) => {
            println!("Tengen {}", env!("CARGO_PKG_VERSION"));
            Ok(())
        }
        Some(["--help"]) => {
            println!("{USAGE}");
            Ok(())
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pbrain-tengen: {error:#}");
            ExitCode::FAILURE
        }
    }
}
