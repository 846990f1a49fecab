//! Looks at training data: prints games, counts what files hold, compares scores with results.
//!
//! Here is the command line; `show` prints, `statistics` counts, `calibration` compares
//! scores with results and `win_rate_fit` fits their curve.

mod calibration;
mod show;
mod statistics;
mod win_rate_fit;

use std::io::{BufWriter, Write, stdout};
use std::path::PathBuf;

use anyhow::{Context, bail};
use calibration::Calibration;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use statistics::Statistics;
use tengen::closed_output::{self, note};
use tengen::record::training::{Reader, read_file};

fn main() -> anyhow::Result<()> {
    let matches = parser().get_matches();
    closed_output::ignore_broken_pipe(match matches.subcommand() {
        Some(("show", matches)) => show(matches),
        Some(("stats", matches)) => stats(matches),
        Some(("calibrate", matches)) => calibrate(matches),
        _ => bail!("a command is missing"),
    })
}

fn parser() -> Command {
    let path = |name, help| {
        Arg::new(name)
            .value_name("FILE")
            .help(help)
            .value_parser(value_parser!(PathBuf))
            .required(true)
    };
    let number = |name: &'static str, help| {
        Arg::new(name).long(name).value_name("NUMBER").help(help).value_parser(value_parser!(usize))
    };
    Command::new("data")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Looks at training data.")
        .subcommand_required(true)
        .disable_help_subcommand(true)
        .subcommand(
            Command::new("show").about("Print games as text").args([
                path("file", "The games"),
                number("game", "The first game to print, counted from 0").default_value("0"),
                number("count", "How many to print").default_value("1"),
                Arg::new("samples")
                    .long("samples")
                    .action(ArgAction::SetTrue)
                    .help("Print the positions beside the game too"),
            ]),
        )
        .subcommand(
            Command::new("stats")
                .about("Count what files hold")
                .arg(path("files", "The games").action(ArgAction::Append).num_args(1..)),
        )
        .subcommand(
            Command::new("calibrate")
                .about("Compare the win rates of scores with results, and fit their scale")
                .arg(path("files", "The games").action(ArgAction::Append).num_args(1..)),
        )
}

fn paths<'a>(matches: &'a ArgMatches, name: &str) -> impl Iterator<Item = &'a PathBuf> {
    matches.get_many(name).into_iter().flatten()
}

fn number(matches: &ArgMatches, name: &str) -> usize {
    matches.get_one(name).copied().unwrap_or_default()
}

fn show(matches: &ArgMatches) -> anyhow::Result<()> {
    let mut out = BufWriter::new(stdout().lock());
    for path in paths(matches, "file") {
        let mut reader =
            Reader::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        writeln!(out, "{}", reader.made_by())?;
        let (first, count) = (number(matches, "game"), number(matches, "count"));
        for game in reader.by_ref().skip(first).take(count) {
            write!(out, "\n{}", show::text(&game?, matches.get_flag("samples")))?;
        }
        out.flush()?;
        let left_out = reader.left_out();
        if !left_out.is_nothing() {
            note(format_args!("{}: {left_out}", path.display()));
        }
    }
    Ok(out.flush()?)
}

fn stats(matches: &ArgMatches) -> anyhow::Result<()> {
    let mut statistics = Statistics::default();
    let lengths = paths(matches, "files").map(|path| path.metadata().map_or(0, |data| data.len()));
    statistics.bytes = lengths.sum();
    for path in paths(matches, "files") {
        read_file(path, |game| {
            statistics.add(&game);
            Ok(())
        })?;
    }
    Ok(write!(stdout().lock(), "{statistics}")?)
}

fn calibrate(matches: &ArgMatches) -> anyhow::Result<()> {
    let mut calibration = Calibration::default();
    for path in paths(matches, "files") {
        read_file(path, |game| calibration.add(&game))?;
    }
    Ok(write!(stdout().lock(), "{calibration}")?)
}
