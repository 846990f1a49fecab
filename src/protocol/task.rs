//! Tasks: what the game asks of the search thread.
//!
//! Plain values between the two. They know neither the game that makes them nor the thread that
//! executes them.

use std::path::PathBuf;

use super::reply::detail::Detail;
use crate::board::Board;
use crate::opening::soosorv;
use crate::search::{Blocked, Limits, Placement};

/// A search to run.
pub struct SearchTask {
    /// The position, our side to move.
    pub board: Board,
    /// What the result is for.
    pub purpose: Purpose,
    /// Depth, nodes and what is asked about the root.
    pub limits: Limits,
    /// Moves that are left out in single positions, wherever the search comes to them.
    pub blocked: Blocked,
    /// What the manager wants to hear of it.
    pub detail: Detail,
}

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Our next move.
    Move,
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableTask {
    /// Write it to a file.
    Dump(PathBuf),
    /// Add what a file holds.
    Load(PathBuf),
    /// Tell how full it is.
    Usage,
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
