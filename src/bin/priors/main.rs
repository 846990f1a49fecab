//! Fits the priors of the proof search (`search::vct`) to games that `datagen` wrote: the proof and
//! disproof numbers that positions and moves begin with.
//!
//! Takes positions of the games at random, lets the proof search look for a win in each, and draws
//! from the positions that it met. The probabilities of a proof and of a disproof are fitted to the
//! numbers of cells with each threat, those of moves to their node's log odds and what their cells
//! offer, by logistic regression. One opening in twenty is held out with its games and only
//! measured.
//!
//! The tables are printed as they stand in `search/threat/vct/priors.rs`. The move tables depend on
//! the position model in use: put the new one there first, then run this again. What matches
//! between the numbers showed is in `docs/experiments.md`.

mod sampler;
mod tables;

use std::io::{self, Write};
use std::path::PathBuf;
use std::thread;

use anyhow::ensure;
use clap::{Arg, ArgMatches, Command, value_parser};
use tengen::argument::value;
use tengen::closed_output;
use tengen::parallel;
use tengen::record::training::read_file;
use tengen::search::STACK_BYTES;
use tengen::types::Random;

use sampler::Sampler;

/// Fewer games than this are a mistake.
const MIN_GAMES: usize = 20;

fn main() -> anyhow::Result<()> {
    closed_output::ignore_broken_pipe(run(&parser().get_matches()))
}

fn parser() -> Command {
    let number = |name: &'static str, value, help| {
        let argument = Arg::new(name).value_name(value).help(help).required(true);
        argument.value_parser(value_parser!(u64))
    };
    Command::new("priors")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Fits the priors of the proof search to games that datagen wrote")
        .args([
            number("searches", "SEARCHES", "Positions in which the proof search looks for a win"),
            number("seed", "SEED", "Random seed of these positions"),
            Arg::new("files")
                .value_name("GAMES")
                .help("Games of datagen")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf)),
        ])
}

fn run(matches: &ArgMatches) -> anyhow::Result<()> {
    let (searches, seed): (u64, u64) = (value(matches, "searches"), value(matches, "seed"));
    let mut games = Vec::new();
    for file in matches.get_many::<PathBuf>("files").unwrap_or_default() {
        read_file(file, |game| {
            games.push(game);
            Ok(())
        })?;
    }
    // A game without a searched move has no position to draw.
    games.retain(|game| !game.labels.is_empty());
    ensure!(games.len() >= MIN_GAMES, "too few games");

    let mut samples = Vec::new();
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    let worker = || {
        let (mut sampler, games) = (Sampler::default(), &games);
        move |number| sampler.draw(games, &mut Random::new(seed ^ number << 32))
    };
    parallel::in_order(0..searches, threads, STACK_BYTES, worker, |drawn| {
        samples.extend(drawn);
        true
    })?;
    let mut output = io::stdout().lock();
    writeln!(output, "// {} positions", samples.len())?;
    for name in tables::NAMES {
        writeln!(output, "{}", tables::fitted(name, &samples)?)?;
        output.flush()?;
    }
    Ok(())
}
