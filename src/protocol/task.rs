//! Tasks of the search thread.

use std::path::PathBuf;

use tengen_gomocup::DatabaseCommand;
use tengen_gomoku::board::Board;
use tengen_gomoku::types::{BoardSize, Rule};

use super::detail::Detail;
use crate::database::Mode;
use crate::opening::soosorv;
use crate::output_file::Kind;
use crate::search::{Blocked, Limits, Params, Placement};

/// The settings reserve memory for it.
pub const DATABASE_CACHE_BYTES: usize = 4 << 20;

pub struct SearchTask {
    /// Our side to move.
    pub board: Board,
    pub purpose: Purpose,
    pub limits: Limits,
    pub params: Params,
    /// Moves excluded in single positions of the tree.
    pub blocked: Blocked,
    pub detail: Detail,
    /// What may be done with the database; to write is to store what the search finds.
    pub database: Option<Mode>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Move,
    /// A move, or SWAP if the other color is better.
    MoveOrSwap,
    /// A move, and all moves that lose.
    Defence,
    /// The choice of color in a swap2 opening.
    Swap2,
    /// The same for Yixin-Board, by messages and without a change of the game.
    Swap2Step,
    /// Stones for which the score is nearest to this.
    Balance(Placement, i32),
    Soosorv(soosorv::Step),
}

#[cfg_attr(not(feature = "database"), expect(dead_code, reason = "there is none to do it with"))]
pub enum Task {
    DumpTable(PathBuf),
    LoadTable(PathBuf),
    TableUsage,
    TraceSearch(Box<Board>),
    Open(PathBuf, Mode),
    State,
    Check,
    /// On the position after moves from an empty board.
    Command {
        command: DatabaseCommand,
        board: Box<Board>,
    },
    /// The positions of a rule and size, or all.
    Export(PathBuf, Kind, Option<(Rule, BoardSize)>),
    /// A library is of this rule.
    Import(PathBuf, Rule),
    Merge(PathBuf),
    /// Copy the positions before and after this one to another database.
    Split(PathBuf, Box<Board>),
}

#[derive(Clone, Copy, Debug)]
pub struct Resources {
    pub table_bytes: usize,
    pub threads: usize,
    pub forget: bool,
}
