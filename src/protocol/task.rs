//! Tasks: what the game asks of the search thread.
//!
//! Plain values between the two. They know neither the game that makes them nor the thread that
//! executes them.

use std::path::PathBuf;

use tengen_gomocup::DatabaseCommand;

use super::detail::Detail;
use crate::board::Board;
use crate::database::transfer::Format;
use crate::opening::soosorv;
use crate::search::{Blocked, Limits, Placement};
use crate::types::{BoardSize, Rule};

/// The cache of an open database, for which the settings leave room within the memory limit.
pub const DATABASE_CACHE_BYTES: usize = 4 << 20;

/// A search to run.
pub struct SearchTask {
    /// The position, our side to move.
    pub board: Board,
    /// What the result is for.
    pub purpose: Purpose,
    /// Who asks for it.
    pub asker: Asker,
    /// Depth, nodes and what is asked about the root.
    pub limits: Limits,
    /// Moves that are left out in single positions, wherever the search comes to them.
    pub blocked: Blocked,
    /// What the manager wants to hear of it.
    pub detail: Detail,
    /// What it has to do with the database, if one is open.
    pub database: Access,
}

/// Who asks for a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// A manager of a game, by the protocol's own words.
    Game,
    /// A user of the extension, by a word of it.
    Analysis,
}

/// What a search has to do with the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing.
    None,
    /// It is asked before the search.
    Read,
    /// It is told after the search as well.
    Write,
}

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Our next move.
    Move,
    /// Our next move, or SWAP if the other colour is worth more.
    MoveOrSwap,
    /// Our next move, and all moves that lose.
    Defence,
    /// The choice of colour in a swap2 opening.
    Swap2,
    /// Stones after which the score is nearest to this.
    Balance(Placement, i32),
    /// A decision in a Soosõrv opening.
    Soosorv(soosorv::Step),
}

/// Something to do with the transposition table besides searching.
pub enum TableTask {
    /// Write it to a file.
    Dump(PathBuf),
    /// Add what a file holds.
    Load(PathBuf),
    /// Tell how full it is.
    Usage,
    /// Tell what the search knows of a position.
    Trace(Box<Board>),
}

/// Something to do with the database besides searching.
#[cfg_attr(not(feature = "database"), expect(dead_code, reason = "there is none to do it with"))]
pub enum DatabaseTask {
    /// Open the one of a file in place of any other.
    Open(PathBuf),
    /// Tell what is open.
    State,
    /// Read all of it.
    Check,
    /// Execute a command on a position, to which moves have led from an empty board.
    Command {
        /// The command.
        command: DatabaseCommand,
        /// The position.
        board: Box<Board>,
    },
    /// Write the positions to a file of this format: those of a rule and a size, or all of them.
    Export(PathBuf, Format, Option<(Rule, BoardSize)>),
    /// Add the positions of a file; a library is of this rule.
    Import(PathBuf, Rule),
    /// Add the positions of another database.
    Merge(PathBuf),
    /// Add the positions before and behind this one to another database.
    Split(PathBuf, Box<Board>),
}

/// What the searcher may use and remember from the next task on.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// Size of the search's tables.
    pub table_bytes: usize,
    /// Number of threads that search.
    pub threads: usize,
    /// True if earlier searches must not be remembered.
    pub forget: bool,
}
