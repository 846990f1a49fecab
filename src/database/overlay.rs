//! A file with changes that are never written to it: the store can open and repair what is there,
//! and the file stays as it was.

use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use redb::StorageBackend;
use redb::backends::FileBackend;

/// Bytes of a piece of the file that is copied when a part of it changes.
const PAGE: u64 = 4096;

/// The file, and the pages that differ from it.
#[derive(Debug)]
pub struct Overlay {
    file: FileBackend,
    changes: Mutex<Changes>,
}

#[derive(Debug)]
struct Changes {
    length: u64,
    /// Bytes of the file from here on were cut off once, and are zero if they come back.
    kept: u64,
    pages: HashMap<u64, Vec<u8>>,
}

impl Overlay {
    /// Returns the file without changes.
    ///
    /// # Errors
    ///
    /// If its length cannot be told.
    pub fn new(file: FileBackend) -> io::Result<Overlay> {
        let length = file.len()?;
        let changes = Changes { length, kept: length, pages: HashMap::new() };
        Ok(Overlay { file, changes: Mutex::new(changes) })
    }

    fn lock(&self) -> MutexGuard<'_, Changes> {
        // A thread that panicked with the lock held was reading a damaged file.
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the page of this number as the file has it, zero where the file has none.
    fn original(&self, number: u64, kept: u64) -> io::Result<Vec<u8>> {
        let mut page = vec![0; PAGE as usize];
        let start = number * PAGE;
        let length = kept.saturating_sub(start).min(PAGE);
        self.file.read(start, &mut page[..length as usize])?;
        Ok(page)
    }
}

/// Calls `visit` for each page that the bytes touch: with its number, where in it they begin, and
/// which of them lie in it.
fn for_each_page(
    offset: u64,
    length: usize,
    mut visit: impl FnMut(u64, usize, std::ops::Range<usize>) -> io::Result<()>,
) -> io::Result<()> {
    let mut done = 0;
    while done < length {
        let at = offset + done as u64;
        let start = (at % PAGE) as usize;
        let count = (PAGE as usize - start).min(length - done);
        visit(at / PAGE, start, done..done + count)?;
        done += count;
    }
    Ok(())
}

impl StorageBackend for Overlay {
    fn len(&self) -> io::Result<u64> {
        Ok(self.lock().length)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let changes = self.lock();
        let end = offset.checked_add(out.len() as u64);
        if end.is_none_or(|end| end > changes.length) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if changes.pages.is_empty() && changes.kept == changes.length {
            return self.file.read(offset, out);
        }
        for_each_page(offset, out.len(), |number, start, range| {
            let count = range.len();
            match changes.pages.get(&number) {
                Some(page) => out[range].copy_from_slice(&page[start..start + count]),
                None => {
                    let page = self.original(number, changes.kept)?;
                    out[range].copy_from_slice(&page[start..start + count]);
                }
            }
            Ok(())
        })
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let mut changes = self.lock();
        if length < changes.length {
            changes.kept = changes.kept.min(length);
            changes.pages.retain(|number, _| number * PAGE < length);
            if let Some(page) = changes.pages.get_mut(&(length / PAGE)) {
                page[(length % PAGE) as usize..].fill(0);
            }
        }
        changes.length = length;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut changes = self.lock();
        for_each_page(offset, data.len(), |number, start, range| {
            let kept = changes.kept;
            let page = match changes.pages.entry(number) {
                std::collections::hash_map::Entry::Occupied(page) => page.into_mut(),
                std::collections::hash_map::Entry::Vacant(place) => {
                    place.insert(self.original(number, kept)?)
                }
            };
            page[start..start + range.len()].copy_from_slice(&data[range]);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, File};

    #[test]
    fn changes_are_seen_and_the_file_stays() {
        let path = std::env::temp_dir().join(format!("tengen-overlay-{}", std::process::id()));
        let mut rng = fastrand::Rng::with_seed(2);
        let mut expected: Vec<u8> = (0..3 * PAGE + 77).map(|_| rng.u8(..)).collect();
        fs::write(&path, &expected).unwrap();
        let before = expected.clone();
        let file = FileBackend::new(File::open(&path).unwrap()).unwrap();
        let overlay = Overlay::new(file).unwrap();
        for _ in 0..300 {
            match rng.u8(..8) {
                0 => {
                    let length = rng.usize(1..20_000);
                    expected.resize(length, 0);
                    overlay.set_len(length as u64).unwrap();
                }
                1..4 => {
                    let start = rng.usize(..expected.len());
                    let count = rng.usize(..(expected.len() - start).min(9_000) + 1);
                    let data: Vec<u8> = (0..count).map(|_| rng.u8(..)).collect();
                    overlay.write(start as u64, &data).unwrap();
                    expected[start..start + count].copy_from_slice(&data);
                }
                _ => {
                    let start = rng.usize(..expected.len());
                    let mut out = vec![0; rng.usize(..expected.len() - start + 1)];
                    overlay.read(start as u64, &mut out).unwrap();
                    assert_eq!(out, expected[start..start + out.len()]);
                }
            }
            assert_eq!(overlay.len().unwrap(), expected.len() as u64);
        }
        assert!(overlay.read(expected.len() as u64, &mut [0]).is_err());
        assert!(overlay.read(u64::MAX, &mut [0]).is_err());
        drop(overlay);
        assert_eq!(fs::read(&path).unwrap(), before);
        fs::remove_file(&path).unwrap();
    }
}
