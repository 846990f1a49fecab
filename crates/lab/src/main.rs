//! What authors of the engine run: each command is a module.

mod data;
mod datagen;
mod duel;
mod matches;
mod spsa;
mod train;
mod tune;

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use clap::Parser;
use tengen::closed_output::ignore_broken_pipe;
use tengen_gomoku::atomic_file::write_atomically;

/// Makes training data, fits numbers to it and plays matches.
#[derive(Parser)]
#[command(version, disable_help_subcommand = true)]
enum Command {
    Datagen(datagen::Options),
    #[command(subcommand)]
    Data(data::Options),
    Train(train::ValueOptions),
    /// Trains the policy of a network on games that datagen wrote
    TrainPolicy(train::Options),
    Tune(tune::Options),
    Spsa(spsa::Options),
    Match(Box<matches::Options>),
    Duel(duel::Options),
    /// Speaks the Gomocup protocol, as pbrain-tengen does
    #[command(hide = true)]
    Engine,
}

fn main() -> anyhow::Result<()> {
    ignore_broken_pipe(match Command::parse() {
        Command::Datagen(options) => datagen::run(options),
        Command::Data(options) => data::run(options),
        Command::Train(options) => train::run_value(options),
        Command::TrainPolicy(options) => train::run(train::PolicyObjective::default(), options),
        Command::Tune(options) => tune::run(options),
        Command::Spsa(options) => spsa::run(&options),
        Command::Match(options) => matches::run(&options),
        Command::Duel(options) => duel::run(&options),
        Command::Engine => Ok(tengen::protocol::run(Vec::new())?),
    })
}

/// Reads a file by `parse`; an error names the file.
fn read_file<T>(path: &Path, parse: impl FnOnce(&[u8]) -> anyhow::Result<T>) -> anyhow::Result<T> {
    let read = || parse(&fs::read(path)?);
    read().with_context(|| format!("reading {}", path.display()))
}

/// Writes a file, which holds either the old or the new bytes at any time.
fn write_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    write_atomically(path, |mut file| file.write_all(bytes))
        .with_context(|| format!("writing {}", path.display()))
}

/// Fails if a file is there that would be lost.
fn check_new(path: &Path) -> anyhow::Result<()> {
    ensure!(!path.exists(), "{} is there already", path.display());
    Ok(())
}

/// Locks a file for this run. Where a file system has no locks, the user is trusted.
fn lock(file: &File, path: &Path) -> anyhow::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => bail!("another run is at work on {}", path.display()),
        _ => Ok(()),
    }
}
