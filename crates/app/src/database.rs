//! The `database` command: what a database holds, into other files and out of them.

use std::io::{Write, stdout};
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::Args;
use encoding_rs::Encoding;
use tengen_gomoku::record::{Format, renlib};
use tengen_gomoku::types::Rule;

use crate::input::{check_whole, tell};
use crate::typed;
use tengen::database::transfer::{LIBRARY, export, head, import, output};
use tengen::database::{CACHE_BYTES, Database, Mode};
use tengen::output_file::Kind;

const ABOUT: &str = "\
Opens the database of a file and tells how many positions it holds. Files whose names end with .lib \
are libraries of RenLib, all others lines of JSON. --import adds the positions of a file, which may \
be another database, and makes the database if it is not there; what is known better stays. --export \
writes all positions, to a library those of --rule on 15x15.";

/// What to do with which database.
#[derive(Clone, Debug, Args)]
#[command(after_help = ABOUT)]
pub struct Options {
    /// The rule of libraries, whatever they say: freestyle, standard, renju, caro or caro-exact
    /// [default: what they say, or renju]
    #[arg(long, value_name = "RULE",
        value_parser = crate::typed::rule(), ignore_case = true, hide_possible_values = true)]
    rule: Option<Rule>,
    /// The encoding of texts, such as GBK, whatever a file names
    #[arg(long, value_name = "NAME", value_parser = typed::encoding)]
    encoding: Option<&'static Encoding>,
    /// Replace files even if they are inputs or of another kind
    #[arg(long)]
    force: bool,
    /// Add the positions of a file, first of all
    #[arg(long = "import", value_name = "FILE")]
    imports: Vec<PathBuf>,
    /// Write the positions to a file
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
    /// The file of the database
    database: PathBuf,
}

/// Imports and exports as asked for, then prints the number of positions in the database. If an
/// import cannot be opened, nothing changes. A fault in one is printed at once and the rest is
/// imported; the export does not overwrite such a file.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let is_known = !options.imports.is_empty() || options.database.exists();
    ensure!(is_known, "{}: no such database, --import makes one", options.database.display());
    options.imports.iter().try_for_each(|path| head(path).map(drop))?;
    let export_to = |path| {
        let is_library = Format::of_name(path) == Some(Format::Library);
        let kind = if is_library { LIBRARY } else { Kind::Positions };
        output(path, kind, &options.imports, options.force).map(|output| (output, kind))
    };
    let output = options.export.as_deref().map(export_to).transpose()?;
    let open = || Database::open(&options.database);
    let database = match options.imports.is_empty() {
        // A killed program may have left a journal: opening for writing repairs the file.
        true => Database::open_with(&options.database, Mode::ReadOnly, CACHE_BYTES)
            .or_else(|_| open())?,
        false => open()?,
    };
    let rules = (options.rule, renlib::RULE);
    let mut faults = 0;
    let mut is_export_faulty = false;
    for path in &options.imports {
        let import = import(&database, path, rules, options.encoding)?;
        tell(&import.warnings, &import.faults);
        faults += import.faults.len();
        let is_export = output.as_ref().is_some_and(|(output, _)| output.is_at(path));
        is_export_faulty |= is_export && !import.faults.is_empty();
        let _ = writeln!(stdout(), "{}: {} positions read", path.display(), import.count);
    }
    let count = database.count()?;
    let mut text = format!("{}: {count} positions\n", options.database.display());
    if let Some((output, kind)) = &output {
        // The export would delete the faulty part.
        ensure!(!is_export_faulty, "{output} is not replaced, since not all of it could be read");
        let of = (options.rule.unwrap_or(renlib::RULE), renlib::SIZE);
        let of = (*kind == LIBRARY).then_some(of);
        let export = database.read(|reader| export(reader, output, *kind, of))?;
        text += &format!("{output}: {export}\n");
    }
    // A closed output must hide nothing else that went wrong.
    let told = stdout().write_all(text.as_bytes()).context("cannot write");
    check_whole(faults).and(told)
}
