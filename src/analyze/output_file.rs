//! A file that is written once all work is done, whole or not at all.
//!
//! Knows nothing of what is written.

use std::fmt;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::database;
use crate::whole_file::{create_part, is_same_file, write_whole};

/// The name of a file, in a place where files can be written.
pub(super) struct OutputFile {
    path: PathBuf,
    /// The same for all names of one file.
    place: PathBuf,
}

impl OutputFile {
    /// Returns the file of this name, which is not touched yet.
    ///
    /// # Errors
    ///
    /// If no file can be written there, or a database is.
    pub fn new(path: &Path) -> anyhow::Result<OutputFile> {
        let cannot = cannot_write(path);
        ensure!(!path.exists() || path.is_file(), "{cannot}: it is not a file");
        let try_out = || {
            let (_, part) = create_part(path)?;
            let place = fs::canonicalize(path).or_else(|_| fs::canonicalize(&part));
            fs::remove_file(&part)?;
            place
        };
        let file = OutputFile { path: path.to_owned(), place: try_out().context(cannot)? };
        file.check()?;
        Ok(file)
    }

    /// Returns true if both are names of one file.
    pub fn is_same(&self, other: &OutputFile) -> bool {
        self.place == other.place
    }

    /// Returns true if `path` is a name of this file, which exists.
    pub fn is_at(&self, path: &Path) -> bool {
        is_same_file(&self.path, path)
    }

    /// Writes the file, in the place of another one of this name.
    ///
    /// # Errors
    ///
    /// If it cannot be written; another one stays as it is, and a database always.
    pub fn write(&self, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
        self.check()?;
        write_whole(&self.path, |mut file| file.write_all(content.as_ref()))
            .with_context(|| cannot_write(&self.path))
    }

    fn check(&self) -> anyhow::Result<()> {
        let path = &self.path;
        ensure!(!database::is_store(path), "{}: this is a database", cannot_write(path));
        Ok(())
    }
}

impl fmt::Display for OutputFile {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.path.display().fmt(f)
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

#[cfg(test)]
mod tests {
    use std::{env, process};

    use super::*;

    #[test]
    fn what_a_killed_program_left_is_no_obstacle() {
        let path = env::temp_dir().join(format!("tengen-output-{}.sgf", process::id()));
        // Its process id may be this one's.
        let (_, part) = create_part(&path).unwrap();
        fs::write(&part, "half").unwrap();
        let file = OutputFile::new(&path).unwrap();
        assert!(!path.exists());
        file.write("whole").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "whole");
        assert_eq!(fs::read_to_string(&part).unwrap(), "half");
        fs::remove_file(&path).unwrap();
        fs::remove_file(&part).unwrap();
    }
}
