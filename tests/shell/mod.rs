//! The package's program as a shell runs it: with arguments and input, to its end; and numbers that
//! the environment of the tests sets.

#![allow(dead_code, reason = "no test crate uses all of it")]

use std::env;
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// The program of the package that is tested.
const PROGRAM: Option<&str> = match option_env!("CARGO_BIN_EXE_tengen") {
    None => option_env!("CARGO_BIN_EXE_pbrain-tengen"),
    program => program,
};

/// Returns the command that runs the program with these arguments.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM.expect("a package with a program"));
    command.args(arguments).env_remove("RUST_LOG");
    command
}

/// Runs a program to its end with this text on standard input.
pub fn run(mut command: Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that has left already is no error here.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Returns what a program printed that must succeed and tell no fault.
pub fn printed(output: Output) -> String {
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the number that a variable names, or the default where there is no such variable.
pub fn number(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |text| text.parse().expect(name))
}

/// Returns the numbers that follow a word.
pub fn numbers(text: &str, word: &str) -> Vec<u64> {
    let parts = text.split(word).skip(1);
    parts
        .map(|part| part.trim_start().split(|c: char| !c.is_ascii_digit()).next().unwrap())
        .map(|n| n.parse().unwrap())
        .collect()
}
