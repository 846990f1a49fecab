//! Game and settings in a file of the user, with which the next start goes on.

use std::io::Write;
use std::path::PathBuf;
use std::{env, fs};

use tengen::closed_output::note;
use tengen_gomoku::atomic_file::write_atomically;
use tengen_session::session::Kept;

pub struct Keeper {
    path: PathBuf,
    pub newest: Option<Kept>,
    /// True if a file is shown: until that changes, what was kept before stays.
    shows_file: bool,
}

impl Keeper {
    /// Reads what was kept; `None` if there is no folder for it.
    pub fn new(shows_file: bool) -> Option<Keeper> {
        let home = || Some(env::home_dir()?.join(".local/state"));
        let state = env::var_os(if cfg!(windows) { "LOCALAPPDATA" } else { "XDG_STATE_HOME" });
        let folder = state.map(PathBuf::from).or_else(home)?.join("tengen");
        fs::create_dir_all(&folder).ok()?;
        let path = folder.join("board.json");
        let newest = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Some(Keeper { path, newest, shows_file })
    }

    /// Writes what is to be kept, if it is new; false after an error, which is told.
    pub fn keep(&mut self, kept: Kept) -> bool {
        if self.newest.as_ref() == Some(&kept) || self.shows_file && !kept.state.is_unsaved {
            return true;
        }
        self.shows_file = false;
        let json = serde_json::to_vec(&kept).expect("invariant: it is plain data");
        self.newest = Some(kept);
        let written = write_atomically(&self.path, |mut file| file.write_all(&json));
        written
            .inspect_err(|error| note(format_args!("tengen: {}: {error}", self.path.display())))
            .is_ok()
    }
}
