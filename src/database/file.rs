//! Recognises, creates, checks and opens the file of a database.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{self, Path};
use std::thread;

use anyhow::ensure;
use rusqlite::{Connection, MAIN_DB, OpenFlags, TransactionBehavior};

use super::{DAMAGED, Mode, UNFINISHED, line};
use crate::time::{Duration, Instant};

/// The definition of the table. SQLite keeps its comments. `docs/database.md` shows it in full.
const SCHEMA: &str = include_str!("schema.sql");
/// The version that is written, and the last one that can be read.
pub const VERSION: u32 = 1;
const FOREIGN: &str = "this is no database of Tengen";
/// What every file of SQLite begins with.
pub const MAGIC: &[u8] = b"SQLite format 3\0";
/// What every database of Tengen 1.0 begins with.
const EARLIER_MAGIC: &[u8] = b"redb\x1A\x0A\xA9\x0D\x0A";
pub const APPLICATION: [u8; 4] = *b"Teng";
/// Bytes that are enough to recognize a file, and where in them journal, version and application
/// stand.
const HEAD_BYTES: u64 = 72;
const JOURNAL_AT: usize = 18;
const VERSION_AT: usize = 60;
const APPLICATION_AT: usize = 68;
const ROLLBACK: u8 = 1;

const OPENING_WAIT: Duration = Duration::from_millis(500);
/// How long one who waits for another program sleeps. SQLite's own waiting, up to 100 ms at a time,
/// may never meet a moment between the transactions of a busy writer.
const NAP: Duration = Duration::from_millis(1);

/// Opens the database of a file, whose cache takes so many bytes. One to be written is made if there
/// is none or the file is empty.
pub fn open(path: &Path, mode: Mode, cache_bytes: usize) -> anyhow::Result<Connection> {
    // SQLite takes other names for addresses.
    let path = &path::absolute(path)?;
    // The opening of a pipe would wait for its writer.
    ensure!(!fs::metadata(path).is_ok_and(|file| !file.is_file()), FOREIGN);
    let access = match mode {
        Mode::ReadOnly => {
            let head = head(path)?;
            check_head(&head)?;
            // A journal of the other kind is written to by readers too.
            ensure!(head[JOURNAL_AT] == ROLLBACK, UNFINISHED);
            OpenFlags::SQLITE_OPEN_READ_ONLY
        }
        Mode::Write => {
            if let Ok(head) = head(path)
                && !head.is_empty()
            {
                check_head(&head)?;
            }
            // The operating system's words are plainer than those of SQLite.
            File::options().write(true).create(true).truncate(false).open(path)?;
            OpenFlags::SQLITE_OPEN_READ_WRITE
        }
    };
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | access;
    let mut connection = Connection::open_with_flags(path, flags)?;
    wait_at_most(&mut connection, OPENING_WAIT)?;
    let kilobytes = cache_bytes >> 10;
    connection.execute_batch(&format!(
        "PRAGMA cache_size = -{kilobytes}; PRAGMA synchronous = FULL; PRAGMA mmap_size = 0; \
         PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;"
    ))?;
    if mode == Mode::Write {
        ensure!(!connection.is_readonly(MAIN_DB)?, io::Error::from(ErrorKind::PermissionDenied));
        create_in_empty(&mut connection)?;
    }
    check(&mut connection, path)?;
    if mode == Mode::Write {
        connection.execute_batch("PRAGMA journal_mode = DELETE")?;
    }
    Ok(connection)
}

/// Lets the connection wait at most so long for other programs.
pub fn wait_at_most(connection: &mut Connection, limit: Duration) -> Result<(), rusqlite::Error> {
    let mut start = Instant::now();
    connection.busy_handler(Some(move |count| {
        if count == 0 {
            start = Instant::now();
        }
        thread::sleep(NAP);
        start.elapsed() < limit
    }))
}

/// Returns true if the file begins as every database does, those of 1.0 and those of other programs
/// included.
pub fn is_store(path: &Path) -> bool {
    head(path).is_ok_and(|head| head.starts_with(MAGIC) || head.starts_with(EARLIER_MAGIC))
}

/// Returns the first bytes of a file, which tell what it is; of a pipe none, since it has them
/// once.
pub fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let file = fs::metadata(path)?;
    if file.is_file() || file.is_dir() {
        File::open(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    }
    Ok(head)
}

/// Checks that a file that begins so is a database, in a version that is known. SQLite would write
/// to one of another program that was killed.
fn check_head(head: &[u8]) -> anyhow::Result<()> {
    ensure!(
        !head.starts_with(EARLIER_MAGIC),
        "this is a database of Tengen 1.0, which exports it as lines of JSON (database FILE \
         --export LINES); import those into a new one"
    );
    let at = |place: usize| head.get(place..).and_then(|rest| rest.first_chunk().copied());
    ensure!(head.starts_with(MAGIC) && at(APPLICATION_AT) == Some(APPLICATION), FOREIGN);
    let version = at(VERSION_AT).map_or(0, u32::from_be_bytes);
    ensure!(version > 0, DAMAGED);
    ensure!(version <= VERSION, "a later Tengen wrote this database, its version is {version}");
    Ok(())
}

/// Makes the table if the file is empty. Of several programs one does.
fn create_in_empty(connection: &mut Connection) -> anyhow::Result<()> {
    let pages: u32 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
    if pages > 0 {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let tables = "SELECT count(*) FROM sqlite_schema";
    if transaction.query_row(tables, [], |row| row.get::<_, u32>(0))? == 0 {
        let application = u32::from_be_bytes(APPLICATION);
        transaction.execute_batch(&format!(
            "PRAGMA application_id = {application}; PRAGMA user_version = {VERSION}; {SCHEMA}"
        ))?;
        transaction.commit()?;
    }
    Ok(())
}

/// Checks the whole file, from the first page to the last.
fn check(connection: &mut Connection, path: &Path) -> anyhow::Result<()> {
    let transaction = connection.transaction()?;
    let page: u32 = transaction.pragma_query_value(None, "page_size", |row| row.get(0))?;
    // SQLite takes the rest of a page that was cut off for zeros.
    let is_whole = fs::metadata(path)?.len().is_multiple_of(page.into());
    let find = || transaction.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    ensure!(is_whole && find()? == "ok", DAMAGED);
    // The table has these columns.
    transaction.prepare(line::GET_ALL)?;
    Ok(())
}
