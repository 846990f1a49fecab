//! The file of a database: made, checked without being touched, and opened.
//!
//! A file is opened for writing only after it was found sound from its first byte to its last.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::Once;
use std::{panic, thread};

use redb::backends::FileBackend;
use redb::{ReadableDatabase, StorageBackend, TableDefinition};

use super::error::DatabaseErrorKind;
use super::header;
use super::overlay::Overlay;
use crate::atomic_file::{create_atomically, write_atomically};

/// Positions and what is kept about them.
pub const POSITIONS: TableDefinition<&[u8], &[u8]> = TableDefinition::new("positions");
/// What the file is: [`VERSION`] under [`NAME`].
pub const ABOUT: TableDefinition<&str, u32> = TableDefinition::new("tengen");
/// The key of the version.
pub const NAME: &str = "version";
/// The version that is written, and the last one that can be read.
pub const VERSION: u32 = 1;
/// Bytes that are enough to recognize a file.
const HEAD_BYTES: u64 = 16;
/// The name of the thread that checks a file, whose panics are not reported.
const CHECK_THREAD: &str = "database check";

/// Opens the database of a file, and makes the file if there is none or it is empty. The store's
/// cache takes so many bytes.
///
/// # Errors
///
/// If the file is something else, damaged, in use or cannot be written. Then it stays as it is.
pub fn open(path: &Path, cache_bytes: usize) -> Result<redb::Database, DatabaseErrorKind> {
    match fs::metadata(path) {
        Ok(file) if file.is_file() && file.len() == 0 => replace_empty(path)?,
        Ok(_) => {}
        Err(_) => match create_atomically(path, create) {
            // Another program was faster.
            Err(DatabaseErrorKind::Io(error)) if error.kind() == ErrorKind::AlreadyExists => {}
            made => made?,
        },
    }
    in_check_thread(|| check_to_the_end(path, cache_bytes))?;
    Ok(builder(cache_bytes).open(path)?)
}

/// Returns true if the file begins as every file of the store does.
pub fn is_store(path: &Path) -> bool {
    head(path).is_ok_and(|head| head.starts_with(header::MAGIC))
}

/// Returns the first bytes of a file, which tell what it is; of a pipe none, since it has them
/// once.
///
/// # Errors
///
/// If it is a folder or cannot be read.
pub fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let file = fs::metadata(path)?;
    if file.is_file() || file.is_dir() {
        File::open(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    }
    Ok(head)
}

fn builder(cache_bytes: usize) -> redb::Builder {
    let mut builder = redb::Builder::new();
    builder.set_cache_size(cache_bytes);
    builder
}

/// Makes a database in the place of an empty file, which is locked until then: another program that
/// saw it empty too finds the database by the name.
///
/// # Errors
///
/// [`DatabaseErrorKind::InUse`] if another program holds the lock; if the file cannot be written.
fn replace_empty(path: &Path) -> Result<(), DatabaseErrorKind> {
    let _lock = FileBackend::new(OpenOptions::new().read(true).write(true).open(path)?)?;
    if fs::metadata(path)?.len() == 0 {
        write_atomically(path, create)?;
    }
    Ok(())
}

/// Makes an empty database of an empty file.
fn create(file: File) -> Result<(), DatabaseErrorKind> {
    let store = builder(0).create_file(file)?;
    let transaction = store.begin_write()?;
    transaction.open_table(POSITIONS)?;
    transaction.open_table(ABOUT)?.insert(NAME, VERSION)?;
    transaction.commit()?;
    Ok(())
}

/// Opens the database of a file that stays unchanged: writes go to an overlay in memory.
///
/// # Errors
///
/// If the file is something else, damaged or in use.
pub fn open_overlaid(path: &Path, cache_bytes: usize) -> Result<redb::Database, DatabaseErrorKind> {
    in_check_thread(|| {
        check_to_the_end(path, cache_bytes)?;
        check(path, cache_bytes)
    })
}

/// Runs `work` in a thread of its own and returns its result. The store may panic on a damaged
/// file; the panic ends that thread alone.
///
/// # Errors
///
/// The error of `work`, or [`DatabaseErrorKind::Damaged`] if it panicked.
fn in_check_thread<T: Send>(
    work: impl FnOnce() -> Result<T, DatabaseErrorKind> + Send,
) -> Result<T, DatabaseErrorKind> {
    static SILENCE: Once = Once::new();
    SILENCE.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if thread::current().name() != Some(CHECK_THREAD) {
                hook(panic);
            }
        }));
    });
    thread::scope(|scope| {
        let thread = thread::Builder::new().name(CHECK_THREAD.to_owned());
        let thread = thread.spawn_scoped(scope, work)?;
        thread.join().unwrap_or(Err(DatabaseErrorKind::Damaged))
    })
}

/// Checks a file as [`check`] does, then closes the store, which writes and may find more damage.
fn check_to_the_end(path: &Path, cache_bytes: usize) -> Result<(), DatabaseErrorKind> {
    drop(check(path, cache_bytes)?);
    Ok(())
}

/// Opens the database of a file under an overlay that takes all writes, so that the file stays
/// unchanged.
///
/// # Errors
///
/// If the file is not a database of positions, has an unknown version, or is damaged.
fn check(path: &Path, cache_bytes: usize) -> Result<redb::Database, DatabaseErrorKind> {
    // The opening of a pipe would wait for its writer.
    if !fs::metadata(path)?.is_file() {
        return Err(DatabaseErrorKind::Foreign);
    }
    let file = File::open(path)?;
    let file = FileBackend::new(file)?;
    let length = file.len()?;
    let mut header = [0; header::BYTES];
    let known = header.len().min(usize::try_from(length).unwrap_or(usize::MAX));
    file.read(0, &mut header[..known])?;
    if !header.starts_with(header::MAGIC) {
        return Err(DatabaseErrorKind::Foreign);
    }
    let header = header::to_recover(&header, length).ok_or(DatabaseErrorKind::Damaged)?;
    let overlay = Overlay::new(file)?;
    overlay.write(0, &header)?;
    let store = builder(cache_bytes).create_with_backend(overlay)?;
    check_version(&store)?;
    Ok(store)
}

/// Checks that a store holds positions, in a known version.
fn check_version(store: &redb::Database) -> Result<(), DatabaseErrorKind> {
    let transaction = store.begin_read()?;
    let foreign = |error| match error {
        redb::TableError::Storage(error) => DatabaseErrorKind::from(error),
        _ => DatabaseErrorKind::Foreign,
    };
    let about = transaction.open_table(ABOUT).map_err(foreign)?;
    transaction.open_table(POSITIONS).map_err(foreign)?;
    match about.get(NAME)?.map(|version| version.value()) {
        Some(VERSION) => Ok(()),
        Some(version) => Err(DatabaseErrorKind::Version(version)),
        None => Err(DatabaseErrorKind::Foreign),
    }
}
