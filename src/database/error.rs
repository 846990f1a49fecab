//! Why a database cannot be opened, read or written.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{ErrorCode, ffi};

#[derive(Debug)]
pub struct DatabaseError {
    path: PathBuf,
    kind: DatabaseErrorKind,
}

#[derive(Debug)]
pub enum DatabaseErrorKind {
    Foreign,
    Earlier,
    Damaged,
    Version(u32),
    InUse,
    ReadOnly,
    /// A program was killed while it wrote, or left a journal of another kind.
    Unfinished,
    Io(io::Error),
    /// Anything else that SQLite says.
    Store(rusqlite::Error),
}

impl DatabaseError {
    pub(super) fn new(path: &Path, kind: impl Into<DatabaseErrorKind>) -> DatabaseError {
        DatabaseError { path: path.to_owned(), kind: kind.into() }
    }

    pub(super) fn is_in_use(&self) -> bool {
        matches!(self.kind, DatabaseErrorKind::InUse)
    }
}

impl fmt::Display for DatabaseError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        f.write_str(match &self.kind {
            DatabaseErrorKind::Foreign => "this is no database of Tengen",
            DatabaseErrorKind::Earlier => {
                "this is a database of Tengen 1.0, which exports it as lines of JSON (database \
                 FILE --export LINES); import those into a new one"
            }
            DatabaseErrorKind::Damaged => "the database is damaged",
            DatabaseErrorKind::Version(version) => {
                return write!(f, "a later Tengen wrote this database, its version is {version}");
            }
            DatabaseErrorKind::InUse => "another program is writing to the database",
            DatabaseErrorKind::ReadOnly => {
                "the database was opened to be read only, INFO database FILE opens it again"
            }
            DatabaseErrorKind::Unfinished => {
                "another program left it unfinished, it has to be opened for writing once"
            }
            DatabaseErrorKind::Io(error) => return error.fmt(f),
            DatabaseErrorKind::Store(error) => {
                return f.write_str(&error.to_string().replace(char::is_control, " "));
            }
        })
    }
}

impl std::error::Error for DatabaseError {}

impl From<io::Error> for DatabaseErrorKind {
    fn from(error: io::Error) -> DatabaseErrorKind {
        DatabaseErrorKind::Io(error)
    }
}

impl From<rusqlite::Error> for DatabaseErrorKind {
    fn from(error: rusqlite::Error) -> DatabaseErrorKind {
        let Some(&ffi::Error { code, extended_code }) = error.sqlite_error() else {
            // A value is not of the type that its column has.
            return DatabaseErrorKind::Damaged;
        };
        match code {
            _ if extended_code == ffi::SQLITE_READONLY_ROLLBACK => DatabaseErrorKind::Unfinished,
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => DatabaseErrorKind::InUse,
            ErrorCode::ReadOnly => DatabaseErrorKind::ReadOnly,
            // SQLITE_ERROR is a table or a column that is not there.
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown => {
                DatabaseErrorKind::Damaged
            }
            _ => DatabaseErrorKind::Store(error),
        }
    }
}
