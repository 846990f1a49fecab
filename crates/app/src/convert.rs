//! The `convert` command: games of all formats into one file.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Error, ensure};
use clap::Args;
use tengen::closed_output::note;
use tengen::output_file::{Kind, OutputFile};
use tengen_gomoku::record::tree::GameTree;
use tengen_gomoku::record::{Format, lost};

use crate::input::{Inputs, Reading, check_whole};

const ABOUT: &str = "\
Reads the games of files and writes them to one file in the format that the end of its name stands \
for: .psq, .sgf, .lib, .txt or .json. A library of RenLib gets the games as lines of one tree. What \
the format does not hold is named in a warning and left out.";

/// What to convert, and how.
#[derive(Clone, Debug, Args)]
#[command(after_help = ABOUT, override_usage = "tengen convert [OPTIONS] <IN>... <OUT>")]
pub struct Options {
    #[command(flatten)]
    reading: Reading,
    /// Replace a file even if it is an input or of another kind
    #[arg(long)]
    force: bool,
    // One argument, so that options may stand between its values.
    /// Files, or positions themselves (- is standard input), and last the file to write
    #[arg(value_name = "FILE", required = true)]
    files: Vec<OsString>,
}

/// Reads the games and writes those that the format can hold. Prints each fault first. Writes
/// nothing if no game is left, or if the output would overwrite an input with a fault.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let Options { files, reading, force } = options;
    let (output, inputs) = files.split_last().expect("invariant: a required argument");
    ensure!(!inputs.is_empty(), "name the games to read and, last, the file to write");
    let output = Path::new(output);
    let format = Format::of_name(output).with_context(|| {
        format!("{}: a file to write ends with {}", output.display(), Format::EXTENSIONS)
    })?;
    let file = OutputFile::new(output, Kind::Game(format), inputs, *force)?;
    let mut inputs = Inputs::read(reading, inputs);
    let unread = inputs.faults.len();
    let is_named = inputs.games.iter().any(|game| game.tree.rule.is_some());
    let mut trees: Vec<GameTree> = Vec::new();
    for game in std::mem::take(&mut inputs.games) {
        let mut tree = GameTree::clone(&game.tree);
        // A library need not name renju, unless others of its games name their rule.
        if format != Format::Library || is_named {
            tree.rule = tree.rule.or(game.default_rule);
        }
        match format.write(&tree) {
            Ok(_) => trees.push(tree),
            Err(why) => inputs.fail(format_args!("{}: {why}", game.place())),
        }
    }
    inputs.tell(&[&file])?;
    ensure!(!trees.is_empty(), "there is no game to write");
    let bytes = format.write_all(&trees).map_err(Error::msg)?;
    let lost = lost(&trees, output, &bytes, reading.options());
    if !lost.is_empty() {
        note(format_args!("tengen: warning: {file}: {} are left out", lost.join(", ")));
    }
    file.write(|mut file| Ok(file.write_all(&bytes)?))?;
    check_whole(unread)?;
    (inputs.faults.len() == unread).then_some(()).context("not all games could be written")
}
