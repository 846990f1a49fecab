//! Values of command-line arguments, for the program and its tools.
//!
//! Knows no argument by name: each program declares its own.

use clap::ArgMatches;

/// Returns the value of an argument that is required or has a default.
///
/// # Panics
///
/// If no such argument is declared.
pub fn value<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> T {
    matches.get_one::<T>(name).expect("invariant: the argument is there").clone()
}
