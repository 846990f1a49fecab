//! Tasks: what the game asks of the search thread, as plain values.

use std::path::PathBuf;

use tengen_gomocup::DatabaseCommand;

use super::detail::Detail;
use crate::board::Board;
use crate::database::Mode;
use crate::database::transfer::Format;
use crate::opening::soosorv;
use crate::search::{Blocked, Limits, Params, Placement};
use crate::types::{BoardSize, Rule};

/// The cache of an open database, for which the settings leave room within the memory limit.
pub const DATABASE_CACHE_BYTES: usize = 4 << 20;

pub struct SearchTask {
    /// The position, our side to move.
    pub board: Board,
    pub purpose: Purpose,
    /// Depth, nodes and what is asked about the root.
    pub limits: Limits,
    /// The parameters of the search and of its time.
    pub params: Params,
    /// Moves that are excluded in single positions of the tree.
    pub blocked: Blocked,
    pub detail: Detail,
    pub database: Access,
}

/// How a search uses the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    None,
    /// It is read before the search.
    Read,
    /// It stores what the search finds as well.
    Write,
}

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Move,
    /// Our next move, or SWAP if the other colour is worth more.
    MoveOrSwap,
    /// Our next move, and all moves that lose.
    Defence,
    /// The choice of colour in a swap2 opening.
    Swap2,
    /// The same for Yixin-Board, which expects a message and goes on with a position of its own.
    Swap2Step,
    /// Stones after which the score is nearest to this.
    Balance(Placement, i32),
    /// A decision in a Soosõrv opening.
    Soosorv(soosorv::Step),
}

/// A task with the transposition table besides a search.
pub enum TableTask {
    Dump(PathBuf),
    /// Add what a file holds.
    Load(PathBuf),
    /// Report how full it is.
    Usage,
    /// Report what the search knows about a position.
    Trace(Box<Board>),
}

/// A task with the database besides a search.
#[cfg_attr(not(feature = "database"), expect(dead_code, reason = "there is none to do it with"))]
pub enum DatabaseTask {
    /// Open the one in a file in place of any other.
    Open(PathBuf, Mode),
    State,
    Check,
    /// Execute a command on the position after moves from an empty board.
    Command {
        command: DatabaseCommand,
        board: Box<Board>,
    },
    /// Write the positions to a file of this format: those of a rule and a size, or all of them.
    Export(PathBuf, Format, Option<(Rule, BoardSize)>),
    /// Add the positions of a file; a library is of this rule.
    Import(PathBuf, Rule),
    Merge(PathBuf),
    /// Add the positions before and after this one to another database.
    Split(PathBuf, Box<Board>),
}

/// What the searcher may use and remember from a task on.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    pub table_bytes: usize,
    pub threads: usize,
    /// True to forget earlier searches.
    pub forget: bool,
}
