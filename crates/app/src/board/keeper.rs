//! Game and settings in a file of the user, with which the next start goes on.

use std::io::{self, Write};
use std::path::PathBuf;
use std::{env, fs};

use tengen::closed_output::note;
use tengen_gomoku::atomic_file::write_atomically;
use tengen_session::session::Kept;

pub struct Keeper {
    path: PathBuf,
    pub newest: Option<Kept>,
    /// The bytes that this board last read from the file or wrote to it.
    written: Vec<u8>,
    /// True after an error that was told.
    is_failing: bool,
    /// True if a file is shown: until that changes, what was kept before stays.
    pub shows_file: bool,
}

impl Keeper {
    /// Reads what was kept; `None` if there is no folder for it.
    pub fn new(shows_file: bool) -> Option<Keeper> {
        let home = || Some(env::home_dir()?.join(".local/state"));
        let state = env::var_os(if cfg!(windows) { "LOCALAPPDATA" } else { "XDG_STATE_HOME" });
        let state = state.map(PathBuf::from).filter(|folder| folder.is_absolute());
        let path = state.or_else(home)?.join("tengen/board.json");
        let written = fs::read(&path).unwrap_or_default();
        let newest = serde_json::from_slice(&written).ok();
        Some(Keeper { path, newest, written, is_failing: false, shows_file })
    }

    /// Writes what is to be kept, if it is new, and tells of the first error. Writes nothing while a
    /// file is shown that nobody has changed.
    pub fn keep(&mut self, kept: Kept) {
        if self.newest.as_ref() == Some(&kept) || self.shows_file {
            return;
        }
        let json = serde_json::to_vec(&kept).expect("invariant: it is plain data");
        let result = self.write(&json);
        let was_failing = std::mem::replace(&mut self.is_failing, result.is_err());
        match result {
            Ok(()) => (self.newest, self.written) = (Some(kept), json),
            Err(_) if was_failing => {}
            Err(error) => {
                let path = self.path.display();
                note(format_args!("tengen: the game is not kept: {path}: {error}"));
            }
        }
    }

    fn write(&self, json: &[u8]) -> io::Result<()> {
        if fs::read(&self.path).is_ok_and(|found| found != self.written) {
            return Err(io::Error::other("another board keeps its game there"));
        }
        self.path.parent().map_or(Ok(()), fs::create_dir_all)?;
        write_atomically(&self.path, |mut file| file.write_all(json))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_kept_after_an_error_and_never_over_another_ones() {
        let folder = env::temp_dir().join(format!("tengen-keeper-{}", std::process::id()));
        let path = folder.join("board.json");
        fs::create_dir_all(&path).unwrap();
        let written = Vec::new();
        let mut keeper =
            Keeper { path, newest: None, written, is_failing: false, shows_file: false };
        let unsaved = |is_unsaved| {
            let mut kept = Kept::default();
            kept.state.is_unsaved = is_unsaved;
            kept
        };
        let read = |keeper: &Keeper| -> Kept {
            serde_json::from_slice(&fs::read(&keeper.path).unwrap()).unwrap()
        };
        // A folder stands where the file should be.
        keeper.keep(unsaved(true));
        assert!(keeper.is_failing);
        fs::remove_dir(&keeper.path).unwrap();
        keeper.keep(unsaved(true));
        assert!(!keeper.is_failing && read(&keeper) == unsaved(true));
        keeper.keep(unsaved(false));
        let other = serde_json::to_vec(&unsaved(true)).unwrap();
        fs::write(&keeper.path, other).unwrap();
        keeper.keep(unsaved(true));
        keeper.keep(unsaved(false));
        assert!(keeper.is_failing && read(&keeper) == unsaved(true));
        fs::remove_dir_all(folder).unwrap();
    }
}
