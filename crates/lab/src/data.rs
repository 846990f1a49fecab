//! Looks at training data: prints games, counts what files hold, compares scores with results.
//!
//! Here is the command line; `show` prints, `counts` counts, `calibration` compares
//! scores with results and `win_rate_fit` fits their curve.

mod calibration;
mod counts;
mod show;
mod win_rate_fit;

use std::io::{BufWriter, Write, stdout};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand};
use tengen::closed_output::note;
use tengen_lab::{Reader, read_file};

use self::calibration::Calibration;
use self::counts::Statistics;

/// Looks at training data.
#[derive(Args)]
#[command(disable_help_subcommand = true)]
pub struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print games as text
    Show(ShowOptions),
    /// Count what files hold
    Stats(Files),
    /// Compare the win rates of scores with results, and fit their scale
    Calibrate(Files),
}

#[derive(Args)]
struct ShowOptions {
    /// The games
    file: PathBuf,
    /// The first game to print, counted from 0
    #[arg(long, value_name = "NUMBER", default_value = "0")]
    game: usize,
    /// How many to print
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    count: usize,
    /// Print the positions beside the game too
    #[arg(long)]
    samples: bool,
}

#[derive(Args)]
struct Files {
    /// The games
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

pub fn run(options: Options) -> anyhow::Result<()> {
    match options.command {
        Command::Show(options) => show(&options),
        Command::Stats(Files { files }) => stats(&files),
        Command::Calibrate(Files { files }) => calibrate(&files),
    }
}

fn show(options: &ShowOptions) -> anyhow::Result<()> {
    let ShowOptions { file, game, count, samples } = options;
    let mut out = BufWriter::new(stdout().lock());
    let mut reader =
        Reader::open(file).with_context(|| format!("cannot read {}", file.display()))?;
    writeln!(out, "{}", reader.made_by())?;
    for game in reader.by_ref().skip(*game).take(*count) {
        write!(out, "\n{}", show::text(&game?, *samples))?;
    }
    out.flush()?;
    let left_out = reader.left_out();
    if !left_out.is_nothing() {
        note(format_args!("{}: {left_out}", file.display()));
    }
    Ok(())
}

fn stats(files: &[PathBuf]) -> anyhow::Result<()> {
    let mut statistics = Statistics::default();
    let lengths = files.iter().map(|path| path.metadata().map_or(0, |data| data.len()));
    statistics.bytes = lengths.sum();
    for path in files {
        read_file(path, |game| {
            statistics.add(&game);
            Ok(())
        })?;
    }
    Ok(write!(stdout().lock(), "{statistics}")?)
}

fn calibrate(files: &[PathBuf]) -> anyhow::Result<()> {
    let mut calibration = Calibration::default();
    for path in files {
        read_file(path, |game| calibration.add(&game))?;
    }
    Ok(write!(stdout().lock(), "{calibration}")?)
}
