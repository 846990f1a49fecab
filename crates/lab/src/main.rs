//! What authors of the engine run: each command is a module.

mod data;
mod datagen;
mod matches;
mod priors;
mod spsa;
mod train;
mod tune;
mod tuning;

use std::thread::available_parallelism;

use clap::Parser;
use tengen::closed_output::ignore_broken_pipe;

/// Makes training data, fits numbers to it and plays matches.
#[derive(Parser)]
#[command(version, disable_help_subcommand = true)]
enum Command {
    Datagen(datagen::Options),
    Data(data::Options),
    Train(train::Options),
    Tune(tune::Options),
    Priors(priors::Options),
    Spsa(spsa::Options),
    Match(matches::Options),
    /// Speaks the Gomocup protocol, as pbrain-tengen does
    #[command(hide = true)]
    Engine,
}

fn main() -> anyhow::Result<()> {
    ignore_broken_pipe(match Command::parse() {
        Command::Datagen(options) => datagen::run(options),
        Command::Data(options) => data::run(options),
        Command::Train(options) => train::run(options),
        Command::Tune(options) => tune::run(options),
        Command::Priors(options) => priors::run(&options),
        Command::Spsa(options) => spsa::run(&options),
        Command::Match(options) => matches::run(options),
        Command::Engine => Ok(tengen::protocol::run(Vec::new())?),
    })
}

/// Returns the number of threads that is asked for, by default one for each core.
fn threads(asked: Option<u16>) -> usize {
    asked.map_or_else(|| available_parallelism().map_or(1, usize::from), usize::from)
}
