//! The arguments of `tengen board`.

use std::path::PathBuf;

use clap::Args;

use super::engine::Program;

const ABOUT: &str = "\
Serves a page on this machine alone, opens it in the browser, and plays, analyses and reviews with \
any engine of the Gomocup protocol. Without --engine that is Tengen.

Examples:
  tengen board
  tengen board game.sgf
  tengen board --engine ./pbrain-rapfi
  tengen board --engine ./pbrain-tengen --engine 'wine pbrain-yixin.exe'

The program ends by Ctrl-C, or a few seconds after its last page is closed, unless the game is not
saved.";

/// What the arguments ask for.
#[derive(Clone, Debug, Args)]
#[command(after_help = ABOUT)]
pub struct Options {
    /// An engine: a program, or a command with arguments; a second one plays against the first
    #[arg(long = "engine", value_name = "COMMAND", value_parser = Program::parse)]
    pub engines: Vec<Program>,
    /// The port of the page's address [default: any free one]
    #[arg(long, default_value = "0", hide_default_value = true)]
    pub port: u16,
    /// Analyse and review with what this database knows, and keep there what is found
    #[arg(long, value_name = "FILE")]
    pub database: Option<PathBuf>,
    /// Print the address only, and open no browser
    #[arg(long)]
    pub no_open: bool,
    /// Go on after the last page is closed
    #[arg(long)]
    pub stay: bool,
    /// A game to show, as .psq, .sgf, .lib or text
    pub file: Option<PathBuf>,
}
