//! The `database` command: what a database holds, into other files and out of them.
//!
//! Knows what is asked for and tells what came of it; how it is done stands in
//! `database::transfer`.

use std::io::{Write, stdout};
use std::path::PathBuf;

use anyhow::{Context, bail, ensure};

use crate::closed_output::note;
use crate::database::Database;
use crate::database::transfer::{Format, check_input, export, import};
use crate::record::renlib;
use crate::types::Rule;
use crate::whole_file::is_same_file;

/// What to do with which database.
#[derive(Clone, Debug)]
pub struct Options {
    /// The file of the database.
    pub database: PathBuf,
    /// The files to take positions from.
    pub imports: Vec<PathBuf>,
    /// The file to write all positions to.
    pub export: Option<PathBuf>,
    /// The rule of libraries.
    pub rule: Rule,
}

/// Imports and exports as asked for, then prints the number of positions in the database.
///
/// # Errors
///
/// - If there is neither a database nor a file to import, or if an import cannot be opened. Nothing
///   has changed then.
/// - If the database or a file cannot be read or written.
/// - If a part of an import is faulty. The fault is printed at once and the rest is imported. The
///   export does not overwrite such a file.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let is_known = !options.imports.is_empty() || options.database.exists();
    ensure!(is_known, "{}: no such database, --import makes one", options.database.display());
    options.imports.iter().try_for_each(|path| check_input(path))?;
    let database = Database::open(&options.database)?;
    let mut faults = 0;
    let mut is_export_faulty = false;
    for path in &options.imports {
        let import = import(&database, path, options.rule, usize::MAX)?;
        for fault in &import.faults {
            note(format_args!("pbrain-tengen: {fault}"));
        }
        faults += import.faults.len();
        let is_export = options.export.as_deref().is_some_and(|export| is_same_file(path, export));
        is_export_faulty |= is_export && !import.faults.is_empty();
        let _ = writeln!(stdout(), "{}: {} positions read", path.display(), import.count);
    }
    let count = database.read()?.count()?;
    let mut text = format!("{}: {count} positions\n", options.database.display());
    if let Some(path) = &options.export {
        // The export would delete the faulty part.
        ensure!(
            !is_export_faulty,
            "{} is not replaced, since not all of it could be read",
            path.display()
        );
        let format = Format::of(path);
        let of = (format == Format::Library).then(|| (options.rule, renlib::board_size()));
        let export = export(&database, path, format, of)?;
        text += &format!("{}: {export}\n", path.display());
    }
    // A closed output must hide nothing else that went wrong.
    let told = stdout().write_all(text.as_bytes()).context("cannot write");
    match faults {
        0 => told,
        1 => bail!("one part of the input could not be read"),
        count => bail!("{count} parts of the input could not be read"),
    }
}
