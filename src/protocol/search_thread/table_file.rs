//! The transposition table in files. A file is written whole or not at all, and none is overwritten
//! that is not a table itself.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use crate::atomic_file::write_atomically;
use crate::search::{Searcher, TABLE_MAGIC};

/// Writes the table and returns a sentence about it.
pub fn write(searcher: &Searcher, path: &Path) -> String {
    match dump(searcher, path) {
        Ok(count) => format!("table written to {}, {count} entries", path.display()),
        Err(error) => format!("table not written to {}: {error}", path.display()),
    }
}

/// Adds the entries of a file to the table and returns a sentence about it.
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
    write_atomically(path, |file| {
        let mut out = BufWriter::new(file);
        let count = searcher.write_table(&mut out)?;
        out.flush()?;
        Ok(count)
    })
}

fn load(searcher: &mut Searcher, path: &Path) -> io::Result<u64> {
    searcher.read_table(&mut BufReader::new(open(path)?))
}

fn is_table(path: &Path) -> bool {
    let mut head = [0; TABLE_MAGIC.len()];
    let read = open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == TABLE_MAGIC
}

/// Opens a file. The opening of a pipe would wait for its writer.
fn open(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is no file"));
    }
    File::open(path)
}
