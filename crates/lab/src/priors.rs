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
//! the position model in use: put the new one there first, then run this again.

mod sampler;
mod tables;

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;
use tengen::parallel;
use tengen::search::STACK_BYTES;
use tengen::types::Random;
use tengen_lab::read_file;

use self::sampler::Sampler;

const MIN_GAMES: usize = 20;

/// Fits the priors of the proof search to games that datagen wrote
#[derive(Args)]
pub struct Options {
    /// Positions in which the proof search looks for a win
    searches: u64,
    /// Random seed of these positions
    seed: u64,
    /// Games of datagen
    #[arg(value_name = "GAMES", required = true)]
    files: Vec<PathBuf>,
}

pub fn run(options: &Options) -> anyhow::Result<()> {
    let &Options { searches, seed, ref files } = options;
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
    let worker = || {
        let (mut sampler, games) = (Sampler::default(), &games);
        move |number| sampler.draw(games, &mut Random::new(seed ^ number << 32))
    };
    parallel::in_order(0..searches, crate::threads(None), STACK_BYTES, worker, |drawn| {
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
