//! The database of a program that is built without one: there is none, and none can be opened.

use std::convert::Infallible;
use std::path::Path;

pub enum Database {}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Write,
    ReadOnly,
}

impl Database {
    pub fn is_of(&self, _: &Path) -> bool {
        match *self {}
    }

    pub fn mode(&self) -> Mode {
        match *self {}
    }
}

pub mod probing {
    use super::{Database, Infallible};
    use crate::search::control::Control;
    use crate::search::{Limits, Listener, Report, Searcher};
    use tengen_gomoku::board::Board;

    pub type NewEntries = Vec<Infallible>;

    pub fn search(
        database: &Database,
        _: &mut Searcher,
        _: &Board,
        _: &Limits,
        _: &Control,
        _: Listener,
    ) -> Result<Report, Infallible> {
        match *database {}
    }

    pub fn new_entries(_: &Searcher, _: &Board, _: &Limits, _: &Report) -> NewEntries {
        Vec::new()
    }

    pub fn store(database: &Database, _: NewEntries) -> Result<(), Infallible> {
        match *database {}
    }
}
