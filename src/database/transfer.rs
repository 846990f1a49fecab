//! Files of positions into the database and out of it.
//!
//! Files ending with `.lib` are RenLib's, all others lines of JSON. A file that is written gets its
//! name when it is whole. Knows neither the command line nor the protocol.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use anyhow::Context;

use super::entry::Entry;
use super::position::{Content, Position};
use super::{Database, DatabaseError, json, library};
use crate::record::renlib;
use crate::types::{BoardSize, Rule};

/// Positions that one transaction adds.
const BATCH: usize = 50_000;

/// What came of an import.
pub struct Import {
    /// Positions that were read and are in the database.
    pub count: u64,
    /// What could not be read: the file, the place and the fault.
    pub faults: Vec<String>,
}

/// Adds the positions of a file to a database. Libraries are of this rule.
///
/// # Errors
///
/// If the file cannot be opened, or the database cannot be written.
pub fn import(database: &Database, path: &Path, rule: Rule) -> anyhow::Result<Import> {
    let failed = || format!("cannot read {}", path.display());
    let mut import = Import { count: 0, faults: Vec::new() };
    let mut fault = |text: String| import.faults.push(format!("{}: {text}", path.display()));
    if renlib::has_name(path) {
        let bytes = fs::read(path).with_context(failed)?;
        match renlib::parse(&bytes) {
            Ok((tree, faults)) => {
                faults.iter().for_each(|found| fault(found.to_string()));
                let entries = library::entries(&tree, rule);
                import.count = entries.len() as u64;
                add(database, entries)?;
            }
            Err(error) => fault(error.to_string()),
        }
        return Ok(import);
    }
    let mut input = BufReader::new(File::open(path).with_context(failed)?);
    let mut batch = Vec::new();
    let (mut text, mut number) = (Vec::new(), 0);
    loop {
        text.clear();
        let length = input.read_until(b'\n', &mut text).with_context(failed)?;
        number += 1;
        if length > 0 && !text.trim_ascii().is_empty() {
            match json::parse(&String::from_utf8_lossy(&text)) {
                Ok(entry) => batch.push(entry),
                Err(error) => fault(format!("line {number}: {error}")),
            }
        }
        if batch.len() >= BATCH || length == 0 {
            import.count += batch.len() as u64;
            add(database, std::mem::take(&mut batch))?;
        }
        if length == 0 {
            return Ok(import);
        }
    }
}

fn add(database: &Database, entries: Vec<(Position, Entry)>) -> Result<(), DatabaseError> {
    database.update(|writer| {
        entries.into_iter().try_for_each(|(position, entry)| writer.merge(&position, entry))
    })
}

/// Writes the positions of a database to a file and returns a sentence about it: those of a rule and a
/// size, or all of them where nothing is named. A library needs both.
///
/// # Errors
///
/// If the database cannot be read or the file cannot be written; if a library cannot hold the size.
pub fn export(
    database: &Database,
    path: &Path,
    of: Option<(Rule, BoardSize)>,
) -> anyhow::Result<String> {
    let reader = database.read()?;
    let failed = || format!("cannot write {}", path.display());
    if renlib::has_name(path) {
        let (rule, size) = of.context("a library is of one rule and size").with_context(failed)?;
        let (tree, left_out) = library::tree(&reader, rule, size)?;
        let bytes = renlib::write(&tree).with_context(failed)?;
        write_whole(path, |out| out.write_all(&bytes)).with_context(failed)?;
        let nodes = tree.len();
        return Ok(match left_out {
            0 => format!("{nodes} nodes written"),
            _ => format!(
                "{nodes} nodes written, {left_out} positions left out that no play leads to"
            ),
        });
    }
    let mut count = 0;
    let wants = |content: &Content| of.is_none_or(|of| of == (content.rule, content.size));
    let mut database_error = None;
    write_whole(path, |out| match json::write(&reader, out, wants) {
        Ok(written) => written.map(|written| count = written),
        Err(error) => {
            database_error = Some(error);
            Err(io::ErrorKind::Other.into())
        }
    })
    .map_err(|error| database_error.map_or(anyhow::Error::from(error), anyhow::Error::from))
    .with_context(failed)?;
    Ok(format!("{count} positions written"))
}

/// Writes a file that has its name only when it is whole.
fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let result = File::create(&part).and_then(|file| {
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        out.flush()?;
        fs::rename(&part, path)
    });
    if result.is_err() {
        // The error is told, whether the rest can be removed or not.
        let _ = fs::remove_file(&part);
    }
    result
}
