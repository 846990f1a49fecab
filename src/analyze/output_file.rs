//! A file that is written once all work is done, whole or not at all.
//!
//! Knows nothing of what is written.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process;

use anyhow::Context;

/// The name of a file, in a place where files can be written.
pub(super) struct OutputFile {
    path: PathBuf,
    /// The file that takes the name once it is whole.
    part: PathBuf,
}

impl OutputFile {
    /// Returns the file of this name, which is not touched yet.
    ///
    /// # Errors
    ///
    /// If no file can be written there.
    pub fn new(path: &Path) -> anyhow::Result<OutputFile> {
        let mut part = path.as_os_str().to_owned();
        // With the process id in the name, two running programs never write to the same file.
        part.push(format!(".{}.part", process::id()));
        let file = OutputFile { path: path.to_owned(), part: part.into() };
        let is_possible = File::create_new(&file.part).and_then(|_| fs::remove_file(&file.part));
        is_possible.with_context(|| file.cannot())?;
        anyhow::ensure!(!path.is_dir(), "{}: it is a folder", file.cannot());
        Ok(file)
    }

    /// Writes the file, in the place of another one of this name.
    ///
    /// # Errors
    ///
    /// If it cannot be written; another one stays as it is.
    pub fn write(&self, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
        let result =
            fs::write(&self.part, content).and_then(|()| fs::rename(&self.part, &self.path));
        if result.is_err() {
            // The error is told, whether the rest can be removed or not.
            let _ = fs::remove_file(&self.part);
        }
        result.with_context(|| self.cannot())
    }

    fn cannot(&self) -> String {
        format!("cannot write {}", self.path.display())
    }
}
