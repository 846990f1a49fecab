//! The database: what was found about positions, kept in a file from one analysis to the next.
//!
//! The store is redb. It writes a transaction as a whole or not at all, so that a program that is
//! killed loses nothing that [`Database::update`] has confirmed.

pub mod entry;
mod entry_line;
mod error;
mod file;
mod header;
pub mod json;
pub mod library;
mod overlay;
pub mod position;
pub mod probing;
pub mod transfer;

pub use error::DatabaseError;
pub use file::is_store;

use std::path::{Path, PathBuf};
use std::thread;

use redb::{ReadOnlyTable, ReadableDatabase, ReadableTable, ReadableTableMetadata};

use crate::atomic_file::is_same_file;
use crate::board::Board;
use crate::time::{Duration, Instant};
use crate::types::Coord;
use entry::Entry;
use error::DatabaseErrorKind;
use file::POSITIONS;
use position::{Content, Images, Position};

/// How long a database that another program has open is waited for.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);
const CACHE_BYTES: usize = 32 << 20;

/// An open database. The file is closed to other programs.
///
/// ```
/// use tengen::board::Board;
/// use tengen::database::Database;
/// use tengen::database::entry::Entry;
/// use tengen::database::position::Position;
/// use tengen::types::{BoardSize, Rule};
///
/// # let path = std::env::temp_dir().join(format!("tengen-doc-{}.db", std::process::id()));
/// let database = Database::open(&path)?;
/// let size = BoardSize::new(15, 15).expect("a valid size");
/// let board = Board::new(size, Rule::Renju);
/// let entry = Entry { comment: "black to move".to_owned(), ..Entry::default() };
/// database.update(|writer| writer.put(&Position::of(&board), &entry))?;
/// assert_eq!(database.read()?.get(&Position::of(&board))?, Some(entry));
/// # drop(database);
/// # std::fs::remove_file(&path).expect("the file is there");
/// # Ok::<(), tengen::database::DatabaseError>(())
/// ```
pub struct Database {
    store: redb::Database,
    path: PathBuf,
}

impl Database {
    /// Opens the database of a file, and makes the file if there is none or it is empty.
    ///
    /// # Errors
    ///
    /// If the file is something else, damaged, in use or cannot be written. Then it stays as it is.
    pub fn open(path: &Path) -> Result<Database, DatabaseError> {
        Database::open_with_cache(path, CACHE_BYTES)
    }

    /// Opens a database as [`Database::open`] does, whose cache takes so many bytes of memory.
    pub fn open_with_cache(path: &Path, cache_bytes: usize) -> Result<Database, DatabaseError> {
        Database::open_by(path, || file::open(path, cache_bytes))
    }

    /// Opens a database to read it: what is written to it never comes to the file.
    fn open_overlaid(path: &Path, cache_bytes: usize) -> Result<Database, DatabaseError> {
        Database::open_by(path, || file::open_overlaid(path, cache_bytes))
    }

    fn open_by(
        path: &Path,
        open: impl Fn() -> Result<redb::Database, DatabaseErrorKind>,
    ) -> Result<Database, DatabaseError> {
        let start = Instant::now();
        let result = loop {
            match open() {
                // Another program may be about to close it.
                Err(DatabaseErrorKind::InUse) if start.elapsed() < LOCK_TIMEOUT => {
                    thread::sleep(LOCK_TIMEOUT / 20);
                }
                result => break result,
            }
        };
        let store = result.map_err(|kind| DatabaseError::new(path, kind))?;
        Ok(Database { store, path: path.to_owned() })
    }

    /// Returns the name of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if this is the name of the same file.
    pub fn is_of(&self, path: &Path) -> bool {
        is_same_file(path, &self.path)
    }

    /// Returns a view of the database as it is now, which later changes leave alone.
    pub fn read(&self) -> Result<Reader<'_>, DatabaseError> {
        let open = || -> Result<_, DatabaseErrorKind> {
            Ok(self.store.begin_read()?.open_table(POSITIONS)?)
        };
        let table = open().map_err(|kind| DatabaseError::new(&self.path, kind))?;
        Ok(Reader { table, path: &self.path })
    }

    /// Makes changes, all of them or, if one fails, none. They are safe in the file when this returns.
    ///
    /// # Errors
    ///
    /// If the file cannot be written; whatever `change` returns.
    pub fn update<T, E: From<DatabaseError>>(
        &self,
        change: impl FnOnce(&mut Writer) -> Result<T, E>,
    ) -> Result<T, E> {
        let path = &self.path;
        let begin = self.store.begin_write();
        let transaction = begin.map_err(|error| DatabaseError::new(path, error))?;
        let result = {
            let table = transaction.open_table(POSITIONS);
            let table = table.map_err(|error| DatabaseError::new(path, error))?;
            change(&mut Writer { table, path })?
        };
        transaction.commit().map_err(|error| DatabaseError::new(path, error))?;
        Ok(result)
    }
}

/// A view of the database at one moment.
pub struct Reader<'a> {
    table: ReadOnlyTable<&'static [u8], &'static [u8]>,
    path: &'a Path,
}

impl Reader<'_> {
    /// Returns what is kept about a position.
    pub fn get(&self, position: &Position) -> Result<Option<Entry>, DatabaseError> {
        get(&self.table, position).map_err(|kind| DatabaseError::new(self.path, kind))
    }

    /// Returns the moves after which the database has something, with what it has.
    pub fn children(&self, board: &Board) -> Result<Vec<(Coord, Entry)>, DatabaseError> {
        let (images, us) = (Images::of(board), board.side_to_move());
        let mut children = Vec::new();
        for mv in board.empty_cells() {
            let position = images.position(!us, Some((mv, us)));
            children.extend(self.get(&position)?.map(|entry| (mv, entry)));
        }
        Ok(children)
    }

    /// Returns the number of positions.
    pub fn count(&self) -> Result<u64, DatabaseError> {
        self.table.len().map_err(|error| DatabaseError::new(self.path, error))
    }

    /// Calls `visit` with every position and what is kept about it, in the order of the keys and
    /// with the cells of the key's image. Stops where `visit` returns false.
    pub fn for_each(
        &self,
        mut visit: impl FnMut(Content, Entry) -> bool,
    ) -> Result<(), DatabaseError> {
        let mut visit_all = || -> Result<(), DatabaseErrorKind> {
            for item in self.table.iter()? {
                let (key, value) = item?;
                let content = Content::parse(key.value()).ok_or(DatabaseErrorKind::Damaged)?;
                let position = Position::of(&content.board());
                let entry = Entry::from_bytes(value.value(), &position);
                if !visit(content, entry.ok_or(DatabaseErrorKind::Damaged)?) {
                    break;
                }
            }
            Ok(())
        };
        visit_all().map_err(|kind| DatabaseError::new(self.path, kind))
    }
}

/// A transaction that changes the database.
pub struct Writer<'a> {
    table: redb::Table<'a, &'static [u8], &'static [u8]>,
    path: &'a Path,
}

impl Writer<'_> {
    /// Returns what is kept about a position, the changes so far included.
    pub fn get(&self, position: &Position) -> Result<Option<Entry>, DatabaseError> {
        get(&self.table, position).map_err(|kind| DatabaseError::new(self.path, kind))
    }

    /// Replaces what is kept about a position. An empty entry is kept too.
    pub fn put(&mut self, position: &Position, entry: &Entry) -> Result<(), DatabaseError> {
        let result = self.table.insert(position.key(), &entry.to_bytes(position)[..]);
        result.map(drop).map_err(|error| DatabaseError::new(self.path, error))
    }

    /// [Merges](Entry::merge) an entry into what is kept about a position.
    pub fn merge(&mut self, position: &Position, entry: Entry) -> Result<(), DatabaseError> {
        let mut merged = self.get(position)?.unwrap_or_default();
        merged.merge(entry);
        self.put(position, &merged)
    }

    /// Keeps nothing about a position. Returns true if there was something.
    pub fn remove(&mut self, position: &Position) -> Result<bool, DatabaseError> {
        let result = self.table.remove(position.key()).map(|old| old.is_some());
        result.map_err(|error| DatabaseError::new(self.path, error))
    }
}

fn get(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    position: &Position,
) -> Result<Option<Entry>, DatabaseErrorKind> {
    let Some(value) = table.get(position.key())? else { return Ok(None) };
    let entry = Entry::from_bytes(value.value(), position);
    entry.map(Some).ok_or(DatabaseErrorKind::Damaged)
}

#[cfg(test)]
mod tests {
    use super::file::{ABOUT, NAME, VERSION};
    use super::*;
    use crate::types::Rule;
    use std::fs;

    /// Returns a name for a file in a folder of its own, which is empty.
    fn file(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tengen-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder.join("positions.db")
    }

    fn note(comment: &str) -> Entry {
        Entry { comment: comment.to_owned(), ..Entry::default() }
    }

    fn position(moves: &str) -> Position {
        Position::of(&Board::after(15, Rule::Renju, moves))
    }

    fn refusal(path: &Path) -> String {
        Database::open(path).map(drop).unwrap_err().to_string()
    }

    #[test]
    fn entries_stay_from_one_opening_to_the_next() {
        let path = file("stay");
        let database = Database::open(&path).unwrap();
        assert_eq!(database.read().unwrap().count().unwrap(), 0);
        let before = database.read().unwrap();
        let put = |writer: &mut Writer| writer.put(&position("h8i9"), &note("a"));
        database.update(put).unwrap();
        assert_eq!(before.get(&position("h8i9")).unwrap(), None);
        drop(before);
        assert!(refusal(&path).ends_with("positions.db: another program has the database open"));
        drop(database);
        let database = Database::open(&path).unwrap();
        let reader = database.read().unwrap();
        assert_eq!(reader.get(&position("h8g7")).unwrap(), Some(note("a")));
        let children = reader.children(&Board::after(15, Rule::Renju, "h8")).unwrap();
        let moves: Vec<String> = children.iter().map(|(mv, _)| mv.to_string()).collect();
        assert_eq!(moves, ["g7", "i7", "g9", "i9"]);
    }

    #[test]
    fn a_change_that_fails_changes_nothing() {
        let path = file("fails");
        let database = Database::open(&path).unwrap();
        let result = database.update(|writer| {
            writer.put(&position("h8"), &note("a"))?;
            Err::<(), _>(DatabaseError::new(&path, DatabaseErrorKind::Foreign))
        });
        assert!(result.is_err());
        assert_eq!(database.read().unwrap().count().unwrap(), 0);
        let remove = |writer: &mut Writer| writer.remove(&position("h8"));
        database.update(|writer| writer.put(&position("h8"), &note("a"))).unwrap();
        assert!(database.update(remove).unwrap() && !database.update(remove).unwrap());
    }

    #[test]
    fn files_that_are_no_databases_are_refused_and_stay() {
        let path = file("foreign");
        let mut cases: Vec<(Vec<u8>, &str)> = vec![
            (b"h8i9\n".to_vec(), "this is no database of Tengen"),
            (vec![0; 100_000], "this is no database of Tengen"),
            (b"redb\x1A\x0A\xA9\x0D\x0A".to_vec(), "the database is damaged"),
            (b"redb".to_vec(), "this is no database of Tengen"),
        ];
        // A database of another program.
        let other = path.with_file_name("other");
        let store = redb::Database::create(&other).unwrap();
        let transaction = store.begin_write().unwrap();
        transaction.open_table(POSITIONS).unwrap();
        transaction.commit().unwrap();
        drop(store);
        cases.push((fs::read(&other).unwrap(), "this is no database of Tengen"));
        let later = path.with_file_name("later");
        drop(Database::open(&later).unwrap());
        let store = redb::Database::open(&later).unwrap();
        let transaction = store.begin_write().unwrap();
        transaction.open_table(ABOUT).unwrap().insert(NAME, VERSION + 6).unwrap();
        transaction.commit().unwrap();
        drop(store);
        let text = "a later Tengen wrote this database, its version is 7";
        cases.push((fs::read(&later).unwrap(), text));
        for (bytes, text) in cases {
            fs::write(&path, &bytes).unwrap();
            assert_eq!(refusal(&path), format!("{}: {text}", path.display()));
            assert!(fs::read(&path).unwrap() == bytes, "{text}");
        }
        let folder = path.parent().unwrap();
        assert!(refusal(folder).starts_with(&folder.display().to_string()));
        assert!(refusal(&folder.join("no/such/folder")).contains("folder"));
    }

    #[test]
    fn a_damaged_file_is_refused_and_stays() {
        let path = file("damaged");
        let database = Database::open(&path).unwrap();
        for i in 0..40 {
            let comment = "x".repeat(100 * i);
            let moves = format!("a1{}", "bcdefghij".chars().nth(i % 9).unwrap());
            let position = position(&format!("{moves}{}", i % 15 + 1));
            database.update(|writer| writer.merge(&position, note(&comment))).unwrap();
        }
        drop(database);
        let sound = fs::read(&path).unwrap();
        let known = || {
            let database = Database::open(&path)?;
            let mut known = Vec::new();
            database.read()?.for_each(|content, entry| {
                known.push((content, entry));
                true
            })?;
            Ok::<_, DatabaseError>(known)
        };
        let expected = known().unwrap();
        assert_eq!(expected.len(), 40);
        let mut rng = fastrand::Rng::with_seed(1);
        let mut refused = 0;
        for i in 0..400 {
            let mut bytes = sound.clone();
            match i % 4 {
                0 => bytes.truncate(rng.usize(1..bytes.len())),
                1 => bytes[rng.usize(..320)] ^= 1 << rng.u8(..8),
                2 => {
                    let place = rng.usize(..bytes.len());
                    bytes[place] = bytes[place].wrapping_add(rng.u8(1..));
                }
                _ => {
                    let place = rng.usize(..bytes.len() / 4096) * 4096;
                    bytes[place..place + 4096].fill(rng.u8(..));
                }
            }
            fs::write(&path, &bytes).unwrap();
            match known() {
                Ok(known) => assert!(known == expected, "{i}: other positions"),
                Err(error) => {
                    refused += 1;
                    assert!(fs::read(&path).unwrap() == bytes, "{i}: {error} changed the file");
                    let text = error.to_string();
                    assert!(!text.contains('\n'), "{text}");
                }
            }
        }
        assert!(refused > 100, "{refused} refused");
    }
}
