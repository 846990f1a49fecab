//! Files and folders of a test, below Cargo's: each file of tests has a folder of its own.

#![allow(dead_code, reason = "no test crate uses all of it")]

use std::fs;
use std::panic::Location;
use std::path::{Path, PathBuf};

/// Returns the folder of the file that asks for it.
#[track_caller]
fn root() -> PathBuf {
    let subject = Path::new(Location::caller().file()).file_stem().unwrap();
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME")).join(subject)
}

/// Returns an empty folder of this name.
#[track_caller]
pub fn folder(name: &str) -> PathBuf {
    let folder = root().join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns the path of a file of this name, which is not there yet.
#[track_caller]
pub fn path(name: &str) -> String {
    fs::create_dir_all(root()).unwrap();
    let path = root().join(name);
    let _ = fs::remove_file(&path);
    path.into_os_string().into_string().unwrap()
}

/// Writes a file of this name and returns its path.
#[track_caller]
pub fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = path(name);
    fs::write(&path, content).unwrap();
    path
}

/// Returns a path as the argument of a command.
pub fn text_of(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}
