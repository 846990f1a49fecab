//! A file that is written once all work is done, whole or not at all.
//!
//! Knows nothing of what is written.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::database;
use crate::whole_file::{part_name, write_whole};

/// The name of a file, in a place where files can be written.
pub(super) struct OutputFile {
    path: PathBuf,
}

impl OutputFile {
    /// Returns the file of this name, which is not touched yet.
    ///
    /// # Errors
    ///
    /// If no file can be written there, or a database is.
    pub fn new(path: &Path) -> anyhow::Result<OutputFile> {
        let file = OutputFile { path: path.to_owned() };
        let part = part_name(path);
        let is_possible = File::create_new(&part).and_then(|_| fs::remove_file(&part));
        is_possible.with_context(|| file.cannot())?;
        ensure!(!path.is_dir(), "{}: it is a folder", file.cannot());
        file.check()?;
        Ok(file)
    }

    /// Writes the file, in the place of another one of this name.
    ///
    /// # Errors
    ///
    /// If it cannot be written; another one stays as it is, and a database always.
    pub fn write(&self, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
        self.check()?;
        write_whole(&self.path, |mut file| file.write_all(content.as_ref()))
            .with_context(|| self.cannot())
    }

    fn check(&self) -> anyhow::Result<()> {
        ensure!(!database::is_store(&self.path), "{}: this is a database", self.cannot());
        Ok(())
    }

    fn cannot(&self) -> String {
        format!("cannot write {}", self.path.display())
    }
}
