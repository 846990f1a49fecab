//! Fits the priors of the proof search (`search::vct`) to games that `datagen` wrote: the proof and
//! disproof numbers that positions and moves begin with.
//!
//! Usage: `priors SEARCHES SEED FILE...` takes positions of the games at random, lets the proof
//! search look for a win in each, and draws from the positions that it met. The probabilities of a
//! proof and of a disproof are fitted to the numbers of cells with each threat, those of moves to
//! their node's log odds and what their cells offer, by logistic regression. One opening in twenty
//! is held out with its games and only measured.
//!
//! The tables are printed as they stand in `search/threat/vct/priors.rs`. Those of moves rest on
//! the model of positions in use: put that there first, and run this again for the moves.
//! What matches between the numbers showed is in `scripts/README.md`.

mod sampler;
mod tables;

use std::io::{self, Write};
use std::thread;

use anyhow::{Context, bail, ensure};
use tengen::closed_output;
use tengen::parallel;
use tengen::record::training::read_file;
use tengen::search::STACK_BYTES;
use tengen::types::Random;

use sampler::Sampler;

/// Fewer games than this are a mistake.
const MIN_GAMES: usize = 20;

fn main() -> anyhow::Result<()> {
    closed_output::ignore_broken_pipe(run())
}

fn run() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [searches, seed, files @ ..] = args.as_slice() else {
        bail!("usage: priors SEARCHES SEED FILE...");
    };
    let searches = searches.parse().context("the searches are a number")?;
    let seed: u64 = seed.parse().context("the seed is a number")?;
    let mut games = Vec::new();
    for file in files {
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
