//! A node of the tree: what its parent asks of it, and what is known of it before its moves are
//! searched.
//!
//! Plain values without a rule of their own; knows no worker and no board.

use crate::search::params::Depth;
use crate::search::table::Entry;
use crate::types::{Coord, Window};

/// A node of the tree. [`Node::new`] takes what the parent asks; the search fills in the rest, in
/// the order of the fields.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Plies from the root.
    pub ply: usize,
    /// The depth left. Forced reply extension and internal iterative reduction change it.
    pub depth: Depth,
    /// The alpha-beta window, from the view of the side to move.
    pub window: Window,
    /// True if a move is expected to reach beta: an expected cut node.
    pub cut_node: bool,
    /// The table move, if this is a singular search, which leaves it out (the excluded move of
    /// other engines; here root options exclude moves).
    pub singular_move: Option<Coord>,
    /// True if the opponent has a four, so that only the answers to it are searched.
    pub is_forced: bool,
    /// What the transposition table knows; nothing in a singular search.
    pub entry: Option<Entry>,
    /// The raw evaluation, without correction; none if the node is forced.
    pub raw_eval: Option<i32>,
    /// The same with the correction added.
    pub static_eval: Option<i32>,
    /// True if the evaluation has risen since the mover's last turn, and where one of the two
    /// evaluations is unknown.
    pub is_improving: bool,
}

impl Node {
    /// Returns a node of which nothing is known yet.
    pub const fn new(ply: usize, depth: Depth, window: Window, cut_node: bool) -> Node {
        Node {
            ply,
            depth,
            window,
            cut_node,
            singular_move: None,
            is_forced: false,
            entry: None,
            raw_eval: None,
            static_eval: None,
            is_improving: true,
        }
    }

    /// Returns the node behind a move of this one, asked with a window as this node sees it.
    pub fn child(&self, depth: Depth, window: Window, cut_node: bool) -> Node {
        Node::new(self.ply + 1, depth, -window, cut_node)
    }

    /// Returns the node of a singular search: this one without its table move.
    pub const fn without(&self, mv: Coord, depth: Depth, window: Window) -> Node {
        Node { singular_move: Some(mv), ..Node::new(self.ply, depth, window, self.cut_node) }
    }

    /// Returns what the correction history adds to the evaluation; 0 where there is none.
    pub fn correction(&self) -> i32 {
        self.static_eval.zip(self.raw_eval).map_or(0, |(corrected, raw)| corrected - raw)
    }

    /// Returns true for the root.
    pub const fn is_root(&self) -> bool {
        self.ply == 0
    }
}
