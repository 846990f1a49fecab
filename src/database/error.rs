//! Why a database cannot be opened, read or written.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The error of a database: its file and what is wrong with it.
#[derive(Debug)]
pub struct DatabaseError {
    path: PathBuf,
    kind: DatabaseErrorKind,
}

/// What is wrong with a database.
#[derive(Debug)]
pub enum DatabaseErrorKind {
    /// The file is something else.
    Foreign,
    /// The file was a database and is damaged.
    Damaged,
    /// A later version of Tengen wrote it.
    Version(u32),
    /// Another program has it open.
    InUse,
    /// The operating system says no.
    Io(io::Error),
    /// Anything else that the store says.
    Store(redb::Error),
}

impl DatabaseError {
    /// Returns the error about this file.
    pub(super) fn new(path: &Path, kind: impl Into<DatabaseErrorKind>) -> DatabaseError {
        DatabaseError { path: path.to_owned(), kind: kind.into() }
    }
}

impl fmt::Display for DatabaseError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.kind {
            DatabaseErrorKind::Foreign => f.write_str("this is no database of Tengen"),
            DatabaseErrorKind::Damaged => f.write_str("the database is damaged"),
            DatabaseErrorKind::Version(version) => {
                write!(f, "a later Tengen wrote this database, its version is {version}")
            }
            DatabaseErrorKind::InUse => f.write_str("another program has the database open"),
            DatabaseErrorKind::Io(error) => error.fmt(f),
            // The store's words may have several lines.
            DatabaseErrorKind::Store(error) => {
                f.write_str(&error.to_string().replace(char::is_control, " "))
            }
        }
    }
}

impl std::error::Error for DatabaseError {}

impl From<io::Error> for DatabaseErrorKind {
    fn from(error: io::Error) -> DatabaseErrorKind {
        DatabaseErrorKind::Io(error)
    }
}

impl From<redb::Error> for DatabaseErrorKind {
    fn from(error: redb::Error) -> DatabaseErrorKind {
        match error {
            redb::Error::Io(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
                ) =>
            {
                DatabaseErrorKind::Damaged
            }
            redb::Error::Io(error) => DatabaseErrorKind::Io(error),
            redb::Error::DatabaseAlreadyOpen => DatabaseErrorKind::InUse,
            redb::Error::Corrupted(_) | redb::Error::RepairAborted => DatabaseErrorKind::Damaged,
            error => DatabaseErrorKind::Store(error),
        }
    }
}

/// Makes conversions of the store's other errors, each of which is one of [`redb::Error`].
macro_rules! from_store {
    ($($error:ty),*) => {
        $(impl From<$error> for DatabaseErrorKind {
            fn from(error: $error) -> DatabaseErrorKind {
                redb::Error::from(error).into()
            }
        })*
    };
}

from_store!(
    redb::DatabaseError,
    redb::TransactionError,
    redb::TableError,
    redb::StorageError,
    redb::CommitError
);
