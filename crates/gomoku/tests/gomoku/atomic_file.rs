//! A program that ends while it writes a file can remove what is there of it.

use std::fs;
use std::io::{self, Write};

use tengen_gomoku::atomic_file::{remove_parts, write_atomically};

use crate::scratch::folder;

#[test]
fn what_is_being_written_can_be_removed() {
    let folder = folder("parts");
    let [old, new] = ["old", "new"].map(|name| folder.join(name));
    let names = || {
        let entries = fs::read_dir(&folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    fs::write(&old, "old").unwrap();
    for path in [&old, &new] {
        let result: io::Result<()> = write_atomically(path, |mut file| {
            file.write_all(b"half")?;
            assert_eq!(names().len(), 2);
            remove_parts();
            assert_eq!(names(), std::slice::from_ref(&old));
            Ok(())
        });
        assert!(result.is_err());
        assert_eq!(names(), std::slice::from_ref(&old));
    }
    assert_eq!(fs::read(&old).unwrap(), b"old");
    // What is complete stays.
    write_atomically(&new, |mut file| file.write_all(b"new")).unwrap();
    remove_parts();
    assert_eq!(fs::read(&new).unwrap(), b"new");
}
