//! The program `pbrain-tengen`, which managers load: without arguments it speaks the protocol.
//!
//! Under a manager nothing reaches stderr unless RUST_LOG is a valid filter, or the start fails: in
//! Piskvork stderr is the answer pipe.

use std::env;
use std::io::{self, Write, stdout};
use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use tengen::closed_output::{ignore_broken_pipe, note, start_log};
use tengen::search::{Override, Param, Params};
use tengen::{bench, protocol};
use tengen_gomoku::types::Rule;

const HELP: &str = "\
Tengen, a Gomoku and Renju engine. Managers such as Piskvork load this program: it speaks the
Gomocup protocol on its standard input and output. People use the program tengen.

Usage: pbrain-tengen [--param NAME=VALUE]...
       pbrain-tengen bench [--moves] [--param NAME=VALUE]...
       pbrain-tengen params

  bench          Search fixed positions to a fixed depth and print the nodes of each. The total is
                 the same on every machine, and a signature of the search.
  params         List the search's tunable parameters: name, default, range and meaning
  --moves        Also measure how fast stones are played and taken back
  --param NAME=VALUE
                 Set a parameter under every rule, as often as needed
  -h, --help     Print help
  -V, --version  Print version

RUST_LOG=debug writes a log to standard error.
";

/// The commands of version 1.0 that are now commands of the program `tengen`.
const MOVED: [&str; 5] = ["play", "analyze", "board", "openings", "database"];

enum Command {
    Protocol(Vec<Override>),
    Bench { overrides: Vec<Override>, times_moves: bool },
    Params,
    Print(String),
}

fn main() -> ExitCode {
    start_log();
    let arguments: Option<Vec<String>> =
        env::args_os().skip(1).map(|word| word.into_string().ok()).collect();
    let arguments = arguments.context("an argument is no Unicode text");
    let command = match arguments.and_then(|arguments| parse(&arguments)) {
        Ok(command) => command,
        Err(error) => {
            note(format_args!("pbrain-tengen: {error:#}; try pbrain-tengen --help"));
            return ExitCode::from(2);
        }
    };
    let result = match command {
        Command::Protocol(overrides) => {
            protocol::run(overrides).context("cannot speak the protocol")
        }
        Command::Bench { overrides, times_moves } => {
            let out = &mut stdout().lock();
            bench::print(out, &overrides, times_moves).context("cannot write the result")
        }
        Command::Params => write_params(&mut stdout().lock()).context("cannot write the list"),
        Command::Print(text) => stdout().write_all(text.as_bytes()).context("cannot write"),
    };
    match ignore_broken_pipe(result) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            note(format_args!("pbrain-tengen: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: &[String]) -> anyhow::Result<Command> {
    let mut words = arguments.iter().map(String::as_str).peekable();
    let command = words.next_if(|word| !word.starts_with('-'));
    if let Some(word) = command.filter(|word| MOVED.contains(word)) {
        bail!("{word} is a command of another program now: tengen {word}");
    }
    let (mut overrides, mut times_moves) = (Vec::new(), false);
    while let Some(word) = words.next() {
        let (option, value) = word.split_once('=').map_or((word, None), |(o, v)| (o, Some(v)));
        match (command, option, value) {
            (None | Some("bench"), "--param", _) => {
                let text = value.or_else(|| words.next()).context("--param NAME=VALUE expected")?;
                let parsed = text.parse::<Override>();
                overrides.push(parsed.map_err(|error| anyhow!("--param {text}: {error}"))?);
            }
            (Some("bench"), "--moves", None) => times_moves = true,
            (_, "--help" | "-h", None) => return Ok(Command::Print(HELP.into())),
            (None, "--version" | "-V", None) => {
                let version = env!("CARGO_PKG_VERSION");
                return Ok(Command::Print(format!("Tengen {version}\n")));
            }
            _ => bail!("unexpected argument '{word}'"),
        }
    }
    match command {
        None => Ok(Command::Protocol(overrides)),
        Some("bench") => Ok(Command::Bench { overrides, times_moves }),
        Some("params") => Ok(Command::Params),
        Some("help") => Ok(Command::Print(HELP.into())),
        Some(word) => bail!("unknown command '{word}'"),
    }
}

/// Prints the parameters, with the default of most rules, and with those of other rules at the end.
fn write_params(out: &mut impl Write) -> io::Result<()> {
    for param in Params::list() {
        let range = format!("{}..={}", param.range.start(), param.range.end());
        let (name, meaning, common) = (param.name, param.meaning, common(param));
        let others = Rule::ALL.into_iter().filter(|&rule| param.default(rule) != common);
        let other = |rule: Rule| format!(" {}: {}.", rule.name(), param.default(rule));
        let others: String = others.map(other).collect();
        writeln!(out, "{name:<24} {common:>6} {range:<12} {meaning}{others}")?;
    }
    Ok(())
}

fn common(param: &Param) -> i64 {
    let defaults = Rule::ALL.map(|rule| param.default(rule));
    let count = |value: &i64| defaults.iter().filter(|&other| other == value).count();
    defaults.into_iter().max_by_key(count).expect("invariant: there are rules")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_parameter_has_a_line() {
        let mut printed = Vec::new();
        write_params(&mut printed).unwrap();
        let text = String::from_utf8(printed).unwrap();
        assert_eq!(text.lines().count(), Params::list().len());
        for (line, param) in text.lines().zip(Params::list()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let default = common(param).to_string();
            let range = format!("{}..={}", param.range.start(), param.range.end());
            assert_eq!(words[..3], [param.name, &default, &range]);
        }
        let line = text.lines().find(|line| line.starts_with("counter_score")).unwrap();
        assert!(line.contains(" 32 ") && line.ends_with(" freestyle: 16. renju: 39."), "{line}");
    }
}
