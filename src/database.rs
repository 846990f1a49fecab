//! The database: what was found about positions, kept in a file from one analysis to the next.
//!
//! The store is SQLite with a rollback journal: a transaction is written as a whole or not at all,
//! so that a program that is killed loses nothing that [`Database::update`] has confirmed. Several
//! programs may have a file open; between transactions none has a lock.

pub mod entry;
mod file;
pub mod library;
mod line;
pub mod position;
pub mod probing;
pub mod transfer;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{anyhow, ensure};
use rusqlite::{Connection, ErrorCode, Params, Row, Statement, Transaction};
use rusqlite::{TransactionBehavior, ffi};
use tengen_gomoku::atomic_file::is_same_file;
use tengen_gomoku::board::Board;
use tengen_gomoku::types::{BoardSize, Coord, Rule};

use crate::parallel::lock;
use crate::time::Duration;
use entry::DatabaseEntry;
use position::{Images, PositionKey, StoredPosition};
use probing::NewEntries;

/// How long another program that writes to the file is waited for.
const WAIT: Duration = Duration::from_secs(10);
/// How long a question waits: a move may be due.
const READ_WAIT: Duration = Duration::from_millis(500);
pub const CACHE_BYTES: usize = 32 << 20;

const DAMAGED: &str = "the database is damaged";
const IN_USE: &str = "another program is writing to the database";
/// A program was killed while it wrote, or left a journal of another kind.
const UNFINISHED: &str = "another program left it unfinished, it has to be opened for writing once";

fn described(path: &Path, error: impl Into<anyhow::Error>) -> anyhow::Error {
    let error = error.into();
    let words = error.downcast_ref().map_or_else(|| error.to_string(), words_of);
    anyhow!("{}: {words}", path.display())
}

fn words_of(error: &rusqlite::Error) -> String {
    let words = match error.sqlite_error() {
        // A value is not of the type that its column has.
        None => DAMAGED,
        Some(&ffi::Error { code, extended_code }) => match code {
            _ if extended_code == ffi::SQLITE_READONLY_ROLLBACK => UNFINISHED,
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => IN_USE,
            _ if extended_code == ffi::SQLITE_READONLY_DIRECTORY => {
                "the database's folder cannot be written to"
            }
            _ if extended_code == ffi::SQLITE_READONLY_DBMOVED => {
                "the database was moved or replaced, INFO database FILE opens it again"
            }
            ErrorCode::ReadOnly => "the database was opened to be read only",
            // SQLITE_ERROR is a table or a column that is not there.
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown => DAMAGED,
            _ => return error.to_string().replace(char::is_control, " "),
        },
    };
    words.to_owned()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It is made if it is not there.
    Write,
    /// Nothing is written, neither to the file nor beside it.
    ReadOnly,
}

pub struct Database {
    connection: Mutex<Connection>,
    pub path: PathBuf,
    pub mode: Mode,
    /// What searches found while another program wrote.
    waiting: Mutex<NewEntries>,
}

impl Database {
    /// Opens the database of a file, and makes the file if there is none or it is empty. One that is
    /// something else, damaged or in use is refused and stays as it is.
    pub fn open(path: &Path) -> anyhow::Result<Database> {
        Database::open_with(path, Mode::Write, CACHE_BYTES)
    }

    pub fn open_with(path: &Path, mode: Mode, cache_bytes: usize) -> anyhow::Result<Database> {
        let connection = file::open(path, mode, cache_bytes);
        let connection = Mutex::new(connection.map_err(|error| described(path, error))?);
        let waiting = Mutex::default();
        Ok(Database { connection, path: path.to_owned(), mode, waiting })
    }

    /// Returns true if results wait until another program has written.
    pub fn has_waiting(&self) -> bool {
        !lock(&self.waiting).is_empty()
    }

    pub fn is_of(&self, path: &Path) -> bool {
        is_same_file(path, &self.path)
    }

    pub fn get(&self, position: &StoredPosition) -> anyhow::Result<Option<DatabaseEntry>> {
        self.read(|view| view.get(position))
    }

    pub fn count(&self) -> anyhow::Result<u64> {
        self.read(|view| view.count())
    }

    /// Reads the database as it is now; other programs wait until this returns to change it.
    pub fn read<T>(
        &self,
        work: impl FnOnce(&DatabaseTransaction) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        self.run(TransactionBehavior::Deferred, READ_WAIT, |view| work(&view))
    }

    /// Makes changes, all of them or, if one fails, none. They are safe in the file when this returns.
    pub fn update<T>(
        &self,
        change: impl FnOnce(&mut DatabaseTransaction) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        self.run(TransactionBehavior::Immediate, WAIT, |mut view| change(&mut view))
    }

    fn run<T>(
        &self,
        behavior: TransactionBehavior,
        limit: Duration,
        work: impl FnOnce(DatabaseTransaction) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        // A transaction in which a thread panicked is rolled back.
        let mut connection = lock(&self.connection);
        let failed = |error| described(&self.path, error);
        file::wait_at_most(&mut connection, limit).map_err(failed)?;
        let transaction = connection.transaction_with_behavior(behavior).map_err(failed)?;
        let (statements, path) = (RefCell::default(), self.path.as_path());
        let result = work(DatabaseTransaction { transaction: &transaction, statements, path })?;
        transaction.commit().map_err(failed)?;
        Ok(result)
    }
}

/// A transaction: reads the database as it was at its beginning, with the changes made in it.
pub struct DatabaseTransaction<'a> {
    transaction: &'a Transaction<'a>,
    /// The prepared statements by their texts.
    statements: RefCell<BTreeMap<&'static str, Statement<'a>>>,
    path: &'a Path,
}

impl DatabaseTransaction<'_> {
    /// Runs a statement and returns what `read` makes of its rows.
    fn query<T>(
        &self,
        sql: &'static str,
        values: impl Params,
        read: impl FnMut(&Row) -> anyhow::Result<T>,
    ) -> anyhow::Result<Vec<T>> {
        let query = || -> anyhow::Result<Vec<T>> {
            let prepared = self.statements.borrow_mut().remove(sql);
            let mut statement = prepared.map_or_else(|| self.transaction.prepare(sql), Ok)?;
            let found = statement.query_and_then(values, read)?.collect();
            self.statements.borrow_mut().insert(sql, statement);
            found
        };
        query().map_err(|error| described(self.path, error))
    }

    pub fn get(&self, position: &StoredPosition) -> anyhow::Result<Option<DatabaseEntry>> {
        let read = |row: &Row| line::row_entry(row, position.key.size);
        let found = self.query(line::GET, line::key(position), read)?.pop();
        Ok(found.map(|entry| entry.map_cells(|c| position.from_image(c))))
    }

    /// Returns the moves after which the database has something, in the order of the cells, with
    /// what it has.
    pub fn children(&self, board: &Board) -> anyhow::Result<Vec<(Coord, DatabaseEntry)>> {
        let (images, us) = (Images::of(board), board.side_to_move());
        let (size, rule, to_move) = (board.size(), board.rule().name(), (!us).to_string());
        let mut children = BTreeMap::new();
        for own in images.texts(!us) {
            let values = (own, &to_move, rule, size.width(), size.height());
            self.query(line::GET_AFTER, values, |row| {
                let key = line::row_key(row)?;
                for mv in &images.moves_to(&key, us) {
                    let position = images.position(!us, Some((mv, us)));
                    // A row of another image was not written here.
                    if position.key == key {
                        let entry = line::row_entry(row, size)?;
                        children.insert(mv, entry.map_cells(|c| position.from_image(c)));
                    }
                }
                Ok(())
            })?;
        }
        Ok(children.into_iter().collect())
    }

    pub fn count(&self) -> anyhow::Result<u64> {
        let read = |row: &Row| Ok(row.get::<_, i64>(0)?.unsigned_abs());
        Ok(self.query(line::COUNT, (), read)?.iter().sum())
    }

    /// Returns the rules and sizes that there are positions of, such as `renju on 15x15`, with the
    /// numbers of them.
    pub fn counts(&self) -> anyhow::Result<Vec<(String, u64)>> {
        let read = |row: &Row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs()));
        self.query(line::COUNT_EACH, (), read)
    }

    /// Calls `visit` with every position, of a rule and a size if they are named, and what is kept
    /// about it, with the cells of the key's image.
    pub fn for_each(
        &self,
        of: Option<(Rule, BoardSize)>,
        mut visit: impl FnMut(PositionKey, DatabaseEntry) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let rule = of.map(|(rule, _)| rule.name());
        let (width, height) = of.map(|(_, size)| (size.width(), size.height())).unzip();
        let mut visited = Ok(());
        let read = self.query(line::GET_ALL, (rule, width, height), |row| {
            let key = line::row_key(row)?;
            let entry = line::row_entry(row, key.size)?;
            visited = visit(key, entry);
            ensure!(visited.is_ok(), "the visitor ends the query");
            Ok(())
        });
        visited.and(read.map(drop))
    }

    /// Replaces what is kept about a position. An empty entry is kept too.
    pub fn put(&mut self, position: &StoredPosition, entry: &DatabaseEntry) -> anyhow::Result<()> {
        self.query(line::PUT, line::row(position, entry), |_| Ok(())).map(drop)
    }

    /// [Merges](DatabaseEntry::merge) an entry into what is kept about a position.
    pub fn merge(&mut self, position: &StoredPosition, entry: DatabaseEntry) -> anyhow::Result<()> {
        let known = self.get(position)?;
        let mut merged = known.clone().unwrap_or_default();
        merged.merge(entry);
        if known.as_ref() == Some(&merged) { Ok(()) } else { self.put(position, &merged) }
    }

    /// Keeps nothing about a position. Returns true if there was something.
    pub fn remove(&mut self, position: &StoredPosition) -> anyhow::Result<bool> {
        self.query(line::REMOVE, line::key(position), |_| Ok(()))?;
        Ok(self.transaction.changes() > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{Bound, Score};
    use entry::StoredScore;
    use std::fs;

    /// Returns a name for a file in a folder of its own, which is empty.
    fn file(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tengen-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder.join("positions.db")
    }

    fn open_to_read(path: &Path) -> anyhow::Result<Database> {
        Database::open_with(path, Mode::ReadOnly, CACHE_BYTES)
    }

    fn note(comment: &str) -> DatabaseEntry {
        DatabaseEntry { comment: comment.to_owned(), ..DatabaseEntry::default() }
    }

    fn position(moves: &str) -> StoredPosition {
        StoredPosition::of(&Board::after(15, Rule::Renju, moves))
    }

    fn refusal(path: &Path) -> String {
        Database::open(path).map(drop).unwrap_err().to_string()
    }

    /// Returns the bytes of all files beside this one, with their names.
    fn files(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let folder = fs::read_dir(path.parent().unwrap()).unwrap();
        let mut files: Vec<PathBuf> = folder.map(|file| file.unwrap().path()).collect();
        files.sort();
        files.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    }

    fn known(database: &Database) -> anyhow::Result<Vec<(PositionKey, DatabaseEntry)>> {
        let mut known = Vec::new();
        let mut add = |key, entry| {
            known.push((key, entry));
            Ok(())
        };
        database.read(|reader| reader.for_each(None, &mut add))?;
        Ok(known)
    }

    #[test]
    fn entries_stay_and_other_programs_see_them() {
        let path = file("stay");
        let [first, second] = [&path, &path].map(|path| Database::open(path).unwrap());
        assert_eq!(second.count().unwrap(), 0);
        first.update(|writer| writer.put(&position("h8i9"), &note("a"))).unwrap();
        assert_eq!(second.get(&position("h8g7")).unwrap(), Some(note("a")));
        second.update(|writer| writer.put(&position("h8"), &DatabaseEntry::default())).unwrap();
        drop((first, second));
        let database = Database::open(&path).unwrap();
        assert_eq!(database.get(&position("h8")).unwrap(), Some(DatabaseEntry::default()));
        let board = Board::after(15, Rule::Renju, "h8");
        let children = database.read(|reader| reader.children(&board)).unwrap();
        let moves: Vec<String> = children.iter().map(|(mv, _)| mv.to_string()).collect();
        assert_eq!(moves, ["g7", "i7", "g9", "i9"]);
        assert_eq!(files(&path).len(), 1, "nothing is beside it");
    }

    #[test]
    fn every_part_of_an_entry_is_kept() {
        let path = file("parts");
        let database = Database::open(&path).unwrap();
        // Images other than the board itself.
        for (moves, c) in [("n14m13", Coord::new(0, 1)), ("a15", Coord::new(3, 4))] {
            let position = position(moves);
            assert_ne!(position.to_image(c), c);
            let scores = [Score::loss_in(8), Score::win_in(0), Score::eval(-31)];
            for (score, bound) in scores.into_iter().zip([Bound::Exact, Bound::Upper, Bound::Lower])
            {
                let entry = DatabaseEntry {
                    evaluation: Some(StoredScore { score, bound, depth: 255 }),
                    best: Some(c),
                    mark: Some(b'\''),
                    comment: "two\nlines 五".to_owned(),
                    labels: [(c, "\"A\"".to_owned()), (Coord::new(14, 0), String::new())].into(),
                };
                database.update(|writer| writer.put(&position, &entry)).unwrap();
                assert_eq!(database.get(&position).unwrap(), Some(entry.clone()));
                let (key, there) = known(&database).unwrap().pop().unwrap();
                assert_eq!(key, position.key);
                assert_eq!(there, entry.map_cells(|c| position.to_image(c)));
            }
            assert!(database.update(|writer| writer.remove(&position)).unwrap());
        }
        drop(database);
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_change_that_fails_changes_nothing() {
        let path = file("fails");
        let database = Database::open(&path).unwrap();
        let result = database.update(|writer| {
            writer.put(&position("h8"), &note("a"))?;
            Err::<(), _>(anyhow!("a fault"))
        });
        assert!(result.is_err());
        assert_eq!(database.count().unwrap(), 0);
        let remove = |writer: &mut DatabaseTransaction| writer.remove(&position("h8"));
        database.update(|writer| writer.put(&position("h8"), &note("a"))).unwrap();
        assert!(database.update(remove).unwrap() && !database.update(remove).unwrap());
    }

    #[test]
    fn one_that_is_to_be_read_only_is_not_touched() {
        let path = file("readonly");
        let open = || open_to_read(&path);
        assert!(open().is_err() && files(&path).is_empty());
        fs::write(&path, "").unwrap();
        assert!(open().is_err());
        let database = Database::open(&path).unwrap();
        database.update(|writer| writer.put(&position("h8"), &note("a"))).unwrap();
        let before = files(&path);
        // Beside one that writes.
        let reader = open().unwrap();
        assert_eq!(reader.get(&position("h8")).unwrap(), Some(note("a")));
        let put = reader.update(|writer| writer.put(&position("h8"), &note("b")));
        assert!(put.unwrap_err().to_string().contains("read only"));
        drop((database, reader));
        assert!(files(&path) == before);
    }

    #[test]
    fn files_that_are_no_databases_are_refused_and_stay() {
        let path = file("foreign");
        let sqlite = |application: &str| {
            let other = path.with_file_name("other");
            let _ = fs::remove_file(&other);
            let connection = Connection::open(&other).unwrap();
            let table = "CREATE TABLE position (black TEXT, white TEXT)";
            connection.execute_batch(&format!("{application}{table}")).unwrap();
            drop(connection);
            let bytes = fs::read(&other).unwrap();
            fs::remove_file(&other).unwrap();
            bytes
        };
        let mut later = sqlite("PRAGMA user_version = 7; PRAGMA application_id = 1415933543;");
        later.truncate(4096);
        let foreign = "this is no database of Tengen";
        let damaged = "the database is damaged";
        let cases: [(Vec<u8>, &str); 8] = [
            (b"h8i9\n".to_vec(), foreign),
            (vec![0; 100_000], foreign),
            (b"SQLite format 3\0".to_vec(), foreign),
            (sqlite(""), foreign),
            (sqlite("PRAGMA application_id = 252006674;"), foreign),
            (b"redb\x1A\x0A\xA9\x0D\x0A".to_vec(), "this is a database of Tengen 1.0, which"),
            (later, "a later Tengen wrote this database, its version is 7"),
            // It is said to be one, and is none.
            (sqlite("PRAGMA user_version = 1; PRAGMA application_id = 1415933543;"), damaged),
        ];
        for (bytes, text) in cases {
            fs::write(&path, &bytes).unwrap();
            let before = files(&path);
            let told = refusal(&path);
            assert!(told.starts_with(&format!("{}: {text}", path.display())), "{text}: {told}");
            assert!(!told.contains('\n') && open_to_read(&path).is_err());
            assert!(files(&path) == before, "{text}");
        }
        let folder = path.parent().unwrap();
        assert!(refusal(folder).starts_with(&folder.display().to_string()));
        assert!(refusal(&folder.join("no/such/folder")).contains("No such file"));
    }

    /// A name with a scheme is an address to SQLite.
    #[test]
    fn a_name_is_a_name() {
        let path = file("name").with_file_name("file:a?mode=memory#b %41.db");
        drop(Database::open(&path).unwrap());
        assert_eq!(files(&path).len(), 1);
        assert!(file::is_store(&path));
    }

    /// Makes a database of some pages and returns what it holds.
    fn filled(path: &Path) -> Vec<(PositionKey, DatabaseEntry)> {
        let database = Database::open(path).unwrap();
        let put = |writer: &mut DatabaseTransaction| {
            (0..200).try_for_each(|i| {
                let moves = format!("a{}{}{}", i % 15 + 1, char::from(b'b' + i / 15), i % 15 + 1);
                writer.merge(&position(&moves), note(&"x".repeat(2 * usize::from(i))))
            })
        };
        database.update(put).unwrap();
        known(&database).unwrap()
    }

    #[test]
    fn a_damaged_file_is_refused_and_stays() {
        let path = file("damaged");
        let expected = filled(&path);
        let sound = fs::read(&path).unwrap();
        assert!(expected.len() > 100 && sound.len() > 30_000, "{}", sound.len());
        let mut rng = fastrand::Rng::with_seed(1);
        let mut refused = [0; 4];
        for i in 0..400 {
            let mut bytes = sound.clone();
            match i % 4 {
                0 => bytes.truncate(rng.usize(1..bytes.len())),
                1 => bytes[rng.usize(..100)] ^= 1 << rng.u8(..8),
                2 => {
                    let place = rng.usize(..bytes.len() / 4096) * 4096;
                    bytes[place..place + 4096].fill(rng.u8(..));
                }
                // A letter of a text may be another one then.
                _ => {
                    let place = rng.usize(..bytes.len());
                    bytes[place] = bytes[place].wrapping_add(rng.u8(1..));
                }
            }
            fs::write(&path, &bytes).unwrap();
            match Database::open(&path).and_then(|database| known(&database)) {
                Ok(known) => assert!(i % 4 == 3 || known == expected, "{i}: other positions"),
                Err(error) => {
                    refused[i % 4] += 1;
                    assert!(fs::read(&path).unwrap() == bytes, "{i}: {error} changed the file");
                    let text = error.to_string();
                    assert!(!text.contains('\n'), "{text}");
                }
            }
            assert_eq!(files(&path).len(), 1);
        }
        assert_eq!((refused[0], refused[2]), (100, 100), "{refused:?}");
        assert!(refused[1] > 20, "{refused:?}");
    }

    #[test]
    fn what_a_killed_program_left_is_mended_by_the_next_one_that_writes() {
        let path = file("killed");
        let expected = filled(&path);
        let connection = Connection::open(&path).unwrap();
        let change = "PRAGMA cache_size = 1; BEGIN; UPDATE position SET comment = 'half'";
        connection.execute_batch(change).unwrap();
        let copy = path.with_file_name("copy.db");
        for name in ["positions.db", "positions.db-journal"] {
            let to = name.replace("positions", "copy");
            fs::copy(path.with_file_name(name), path.with_file_name(to)).unwrap();
        }
        drop(connection);
        let half = fs::read(&copy).unwrap();
        assert!(half.windows(4).any(|part| part == b"half"), "a part has come to the file");
        let told = open_to_read(&copy).map(drop).unwrap_err().to_string();
        assert!(told.ends_with("opened for writing once") && fs::read(&copy).unwrap() == half);
        assert!(known(&Database::open(&copy).unwrap()).unwrap() == expected);
        assert!(known(&open_to_read(&copy).unwrap()).unwrap() == expected);
    }

    #[test]
    fn a_journal_of_another_kind_is_given_up() {
        let path = file("journal");
        let expected = filled(&path);
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("PRAGMA journal_mode = WAL").unwrap();
        drop(connection);
        let before = files(&path);
        assert!(open_to_read(&path).is_err() && files(&path) == before);
        assert!(known(&Database::open(&path).unwrap()).unwrap() == expected);
        assert!(known(&open_to_read(&path).unwrap()).unwrap() == expected);
        assert_eq!(files(&path).len(), 1);
    }

    #[test]
    fn the_documentation_shows_the_table_and_queries_that_answer() {
        let text = include_str!("../docs/database.md");
        let schema = include_str!("database/schema.sql");
        assert!(text.contains(schema), "the table is another one");
        let queries: Vec<&str> = text
            .split("```sql\n")
            .skip(1)
            .map(|part| part.split("```").next().unwrap())
            .filter(|sql| *sql != schema)
            .collect();
        let path = file("queries");
        let database = Database::open(&path).unwrap();
        let found = |score, depth| DatabaseEntry {
            evaluation: Some(StoredScore { score, bound: Bound::Exact, depth }),
            ..DatabaseEntry::default()
        };
        let put = |writer: &mut DatabaseTransaction| {
            writer.put(&position("h8i9h10"), &found(Score::win_in(9), 12))?;
            writer.put(&position("h8i9h11"), &found(Score::eval(31), 14))?;
            writer.put(
                &position("h8"),
                &DatabaseEntry { comment: "the trap".into(), ..found(Score::DRAW, 3) },
            )
        };
        database.update(put).unwrap();
        let connection = Connection::open(&path).unwrap();
        let rows = |sql: &str| {
            let mut statement = connection.prepare(sql).unwrap();
            let columns = statement.column_count();
            let row = |row: &rusqlite::Row| {
                let values = (0..columns).map(|i| row.get::<_, rusqlite::types::Value>(i));
                values.collect::<Result<Vec<_>, _>>()
            };
            let rows = statement.query_map([], row).unwrap().collect::<Result<Vec<_>, _>>();
            rows.unwrap().len()
        };
        let counts: Vec<usize> = queries.iter().map(|sql| rows(sql)).collect();
        assert_eq!(counts, [1, 1, 1], "{queries:?}");
    }
}
