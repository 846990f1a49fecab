//! Files that are written whole or not at all.
//!
//! The data go to a file beside, which gets the final name once it is complete and on the disk.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, PoisonError};

/// The incomplete files of this process.
static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Replaces a file or makes a new one, and returns what `write` returned. Permissions stay, links
/// are followed, and `write` may read the file too. After an error the old file is as it was.
pub fn write_atomically<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(File) -> Result<T, E>,
) -> Result<T, E> {
    let path = &target(path);
    let old = replaced(path)?;
    let (file, part) = parts(|parts| -> io::Result<_> {
        let (file, part) = create_part(path)?;
        parts.push(part.clone());
        Ok((file, part))
    })?;
    let finish = |written| -> io::Result<T> {
        OpenOptions::new().write(true).open(&part)?.sync_all()?;
        if let Some(old) = &old {
            fs::set_permissions(&part, old.permissions())?;
        }
        fs::rename(&part, path)?;
        Ok(written)
    };
    let result = write(file).and_then(|written| Ok(finish(written)?));
    if result.is_err() {
        let _ = fs::remove_file(&part);
    }
    parts(|parts| parts.retain(|other| *other != part));
    result
}

/// Returns an error if no file of this name can be made or replaced. Nothing is left behind.
pub fn check_writable(path: &Path) -> io::Result<()> {
    replaced(path)?;
    let (_, part) = create_part(path)?;
    fs::remove_file(part)
}

/// Returns what is known of the file that would be replaced, if there is one.
fn replaced(path: &Path) -> io::Result<Option<Metadata>> {
    let old = fs::metadata(path).ok();
    match &old {
        Some(old) if !old.is_file() => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"))
        }
        _ => Ok(old),
    }
}

/// Returns the path that links lead to, whether a file is there or not.
fn target(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    while fs::metadata(&path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        && let Ok(link) = fs::read_link(&path)
    {
        path = path.with_file_name(link);
    }
    fs::canonicalize(&path).unwrap_or(path)
}

/// Returns true if both are names of one file that exists.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(a), Ok(b)) = (fs::metadata(a), fs::metadata(b)) {
        use std::os::unix::fs::MetadataExt;
        return (a.dev(), a.ino()) == (b.dev(), b.ino());
    }
    fs::canonicalize(a).is_ok_and(|a| fs::canonicalize(b).is_ok_and(|b| a == b))
}

/// Removes the incomplete files, for a program that ends without waiting for them.
pub fn remove_parts() {
    parts(|parts| {
        for part in parts {
            let _ = fs::remove_file(part);
        }
    });
}

fn parts<T>(change: impl FnOnce(&mut Vec<PathBuf>) -> T) -> T {
    change(&mut PARTS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Makes the incomplete file beside the one that `path` leads to, under a name that no other file has.
#[doc(hidden)]
pub fn create_part(path: &Path) -> io::Result<(File, PathBuf)> {
    let path = target(path);
    let mut number = 0;
    loop {
        let mut part = path.as_os_str().to_owned();
        part.push(format!(".{}-{number}.part", process::id()));
        match File::create_new(&part) {
            // A killed program or one on another machine may have had the same process id.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            result => return result.map(|file| (file, part.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::io::Write;

    use super::*;

    /// Returns a new folder.
    fn folder(name: &str) -> PathBuf {
        let folder = env::temp_dir().join(format!("tengen-atomic-file-{name}-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn what_another_program_is_writing_stays() {
        let folder = folder("beside");
        let path = folder.join("games.sgf");
        // A program on another machine may have the same process id.
        let (_, others) = create_part(&path).unwrap();
        fs::write(&others, "theirs").unwrap();
        write_atomically(&path, |mut file| file.write_all(b"ours")).unwrap();
        let result: io::Result<()> =
            write_atomically(&path, |_| Err(io::ErrorKind::StorageFull.into()));
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"ours");
        assert_eq!(fs::read(&others).unwrap(), b"theirs");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn who_may_read_a_file_stays() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder("permissions");
        let path = folder.join("games.sgf");
        for mode in [0o600, 0o444, 0o664] {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            write_atomically(&path, |mut file| file.write_all(b"new")).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
            assert_eq!(fs::read(&path).unwrap(), b"new");
            fs::remove_file(&path).unwrap();
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_one_and_a_device_is_refused() {
        let folder = folder("link");
        let [path, link] = ["games.sgf", "link"].map(|name| folder.join(name));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_atomically(&link, |mut file| file.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        // Also if the file is missing, and through a link to a link.
        fs::remove_file(&path).unwrap();
        let second = folder.join("second");
        std::os::unix::fs::symlink("link", &second).unwrap();
        write_atomically(&second, |mut file| file.write_all(b"again")).unwrap();
        assert!([&link, &second].iter().all(|path| path.is_symlink()));
        assert_eq!(fs::read(&path).unwrap(), b"again");
        let result: io::Result<()> = write_atomically(Path::new("/dev/null"), |_| Ok(()));
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::InvalidInput);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_other() {
        let folder = folder("failed");
        let path = folder.join("games.sgf");
        let length = write_atomically(&path, |mut file| file.write(b"old")).unwrap();
        assert_eq!(length, 3);
        let result: io::Result<()> = write_atomically(&path, |mut file| {
            file.write_all(b"half of the new")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        write_atomically(&path, |mut file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }
}
