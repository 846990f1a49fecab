//! The program's arguments.

use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, value_parser};

use super::engine::Program;

const ABOUT: &str = "\
A board to click for Gomoku and Renju engines: serves a page on this machine alone, opens it in the \
browser, and plays, analyses and reviews with any engine of the Gomocup protocol. Without --engine \
that is Tengen, which is part of this program.";

const EXAMPLES: &str = "\
Examples:
  tengen-board
  tengen-board game.sgf
  tengen-board --engine ./pbrain-rapfi
  tengen-board --engine ./pbrain-tengen --engine 'wine pbrain-yixin.exe'

The program ends by Ctrl-C, or a few seconds after its last page is closed, unless the game is not
saved.";

/// What the arguments ask for.
#[derive(Debug)]
pub struct Options {
    /// The engines, one or two; none is Tengen.
    pub engines: Vec<Program>,
    /// The port; 0 is any.
    pub port: u16,
    /// True if the page is opened in the browser.
    pub opens: bool,
    /// True if the program outlives its pages.
    pub stays: bool,
    /// The database of analysis and review.
    pub database: Option<PathBuf>,
    /// The file of a game.
    pub file: Option<PathBuf>,
}

impl Options {
    /// Reads the arguments of the process. A wrong one is told on standard error, and ends it.
    pub fn read() -> Options {
        let matches = parser().get_matches();
        Options {
            engines: matches.get_many("engine").unwrap_or_default().cloned().collect(),
            port: matches.get_one("port").copied().unwrap_or(0),
            opens: !matches.get_flag("no-open"),
            stays: matches.get_flag("stay"),
            database: matches.get_one("database").cloned(),
            file: matches.get_one("file").cloned(),
        }
    }
}

fn parser() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).action(ArgAction::SetTrue)
    };
    Command::new("tengen-board")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(EXAMPLES)
        .args([
            Arg::new("engine")
                .long("engine")
                .value_name("COMMAND")
                .help("An engine: a program, or a command with arguments; a second one plays against the first")
                .action(ArgAction::Append)
                .value_parser(Program::parse),
            Arg::new("port")
                .long("port")
                .value_name("PORT")
                .help("The port of the page's address [default: any free one]")
                .value_parser(value_parser!(u16)),
            Arg::new("database")
                .long("database")
                .value_name("FILE")
                .help("Analyse and review with what this database knows, and keep there what is found")
                .value_parser(value_parser!(PathBuf)),
            flag("no-open", "Print the address only, and open no browser"),
            flag("stay", "Go on after the last page is closed"),
            Arg::new("file")
                .value_name("FILE")
                .help("A game to show, as .psq, .sgf, .lib or text")
                .value_parser(value_parser!(PathBuf)),
        ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parser_is_sound() {
        parser().debug_assert();
    }
}
