//! The transposition table in files: written and read back.
//!
//! Runs in the search thread and knows nothing of the game. A file gets its name only when it is
//! complete, and no file is overwritten that is not a table itself.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use crate::search::{Searcher, TABLE_MAGIC};

/// Writes the table and returns the sentence that tells what came of it.
pub fn write(searcher: &Searcher, path: &Path) -> String {
    match dump(searcher, path) {
        Ok(count) => format!("table written to {}, {count} entries", path.display()),
        Err(error) => format!("table not written to {}: {error}", path.display()),
    }
}

/// Adds what a file holds to the table and returns the sentence that tells what came of it.
pub fn read(searcher: &mut Searcher, path: &Path) -> String {
    match load(searcher, path) {
        Ok(count) => format!("table read from {}, {count} entries", path.display()),
        Err(error) => format!("table not read from {}: {error}", path.display()),
    }
}

fn dump(searcher: &Searcher, path: &Path) -> io::Result<u64> {
    if path.exists() && !is_table(path) {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "another file has this name"));
    }
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let result = File::create(&part).and_then(|file| {
        let mut out = BufWriter::new(file);
        let count = searcher.write_table(&mut out)?;
        out.flush()?;
        fs::rename(&part, path)?;
        Ok(count)
    });
    if result.is_err() {
        // The error is told, whether the rest can be removed or not.
        let _ = fs::remove_file(&part);
    }
    result
}

fn load(searcher: &mut Searcher, path: &Path) -> io::Result<u64> {
    searcher.read_table(&mut BufReader::new(File::open(path)?))
}

fn is_table(path: &Path) -> bool {
    let mut head = [0; TABLE_MAGIC.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == TABLE_MAGIC
}
