//! What people run: play at a terminal, on a board in the browser, analysis and review of games,
//! openings for matches, databases of positions. Here is the command line.

pub mod analyze;
mod board;
mod convert;
mod database;
mod input;
mod openings;
pub mod play;
mod typed;
mod web;

use std::io::stdout;

use anyhow::Context;
use clap::{CommandFactory, FromArgMatches, Parser};
use tengen::search::Override;
use tengen::{closed_output, protocol};

const ABOUT: &str = "\
Tengen plays Gomoku and Renju: against you at a terminal or on a board in the browser, and over the \
positions of a file. Managers such as Piskvork load the program pbrain-tengen.";

const EXAMPLES: &str = "\
Examples:
  tengen board
  tengen play --rule renju --level 60
  tengen play --white game.psq
  tengen analyze --time 5 --lines 3 game.sgf
  tengen analyze --every --json games/*.psq > games.jsonl
  tengen analyze --html review.html --sgf reviewed.sgf game.sgf
  echo h8i9h10 | tengen analyze --nodes 1000000
  tengen convert --encoding GBK old.lib game.psq all.sgf
  tengen openings --count 50 --rule standard --stones 4-7 > openings.txt

RUST_LOG=debug writes a log of `engine` to standard error. NO_COLOR=1 turns the colours of play off.";

#[derive(Parser)]
#[command(name = "tengen", version, display_name = "Tengen", about = ABOUT, after_help = EXAMPLES)]
enum Command {
    /// Play a game against Tengen at the terminal
    Play(play::Options),
    /// Print the best moves of the positions of files
    Analyze(analyze::Options),
    /// Play, analyse and review on a board in the browser, with any engine
    Board(board::Options),
    /// Write the games of files to a file of another format
    Convert(convert::Options),
    /// Print balanced openings for matches
    Openings(openings::Options),
    /// Read files into a database of positions, and write it to files
    Database(database::Options),
    /// Speak the Gomocup protocol, as pbrain-tengen does
    Engine {
        /// Set a parameter of the search; see pbrain-tengen params
        #[arg(long, value_name = "NAME=VALUE")]
        param: Vec<Override>,
    },
}

/// Does what the program's arguments ask for.
pub fn run() -> anyhow::Result<()> {
    let matches = parser().get_matches();
    let command = Command::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    closed_output::ignore_broken_pipe(match command {
        Command::Play(options) => play::run(options),
        Command::Analyze(options) => analyze::run(&options),
        Command::Board(options) => board::run(options),
        Command::Convert(options) => convert::run(&options),
        Command::Openings(options) => openings::run(&options, &mut stdout().lock()),
        Command::Database(options) => database::run(&options),
        Command::Engine { param } => protocol::run(param).context("cannot speak the protocol"),
    })
}

/// Returns the parser of the arguments. Its manual page and shell completions are made from it too.
pub fn parser() -> clap::Command {
    // A negative number is a wrong value, not an unknown option.
    Command::command().mut_subcommands(|command| {
        command.mut_args(|arg| {
            let has_value = !arg.is_positional() && arg.get_action().takes_values();
            if has_value { arg.allow_negative_numbers(true) } else { arg }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parser_is_sound() {
        parser().debug_assert();
    }
}
