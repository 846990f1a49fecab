//! Files that are written whole or not at all.
//!
//! What is written goes to a file beside, which takes the name once it is complete. Knows nothing
//! of what is written.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process;

/// Writes a file in the place of another one of this name, and returns what `write` returned. The
/// file given to `write` is empty and may be read too.
///
/// # Errors
///
/// Those of `write`, and if the file cannot be made or named. Another file of this name then stays
/// as it is.
pub fn write_whole<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(File) -> Result<T, E>,
) -> Result<T, E> {
    let part = part_name(path);
    let make = || {
        let mut options = OpenOptions::new();
        let written =
            write(options.read(true).write(true).create(true).truncate(true).open(&part)?)?;
        fs::rename(&part, path)?;
        Ok(written)
    };
    let result = make();
    if result.is_err() {
        // The error is told, whether the rest can be removed or not.
        let _ = fs::remove_file(&part);
    }
    result
}

/// Returns the name of the file that takes the name `path` once it is complete. With the process id
/// in it, two running programs never write to the same file.
pub fn part_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.part", process::id()));
    name.into()
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::io::Write;

    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_other() {
        let folder = env::temp_dir().join(format!("tengen-whole-file-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("games.sgf");
        let length = write_whole(&path, |mut file| file.write(b"old")).unwrap();
        assert_eq!(length, 3);
        let result: io::Result<()> = write_whole(&path, |mut file| {
            file.write_all(b"half of the new")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        write_whole(&path, |mut file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }
}
