//! One thread's search: its state, and what the rest of the search sees of it.
//!
//! The children extend [`Worker`]: `negamax` is the recursion, `situation` judges a node by its
//! threats, `pruning` by the window, `learning` is what nodes know from each other. The others are
//! plain values that know no worker: `picker`, `history`, `correction`, `blocked`, `root_moves`.
//! Nothing here knows the root's iterations or that a clock exists.

pub mod blocked;
pub mod correction;
pub mod history;
mod learning;
mod negamax;
pub mod picker;
mod pruning;
pub mod root_moves;
mod situation;

use super::params::{Depth, PLY, SearchParams};
use super::pool::{Shared, ThreadMemory};
use super::report::{Listener, Progress};
use super::threat::vcf::{Outcome, Vcf};
use crate::board::Board;
use crate::eval::{EvalTables, Evaluator};
use crate::types::{Bound, CellSet, Coord, Score};
use blocked::Blocked;
use correction::Correction;
use history::History;
use picker::Moves;

/// Plies from the root at which the search always ends.
pub const MAX_PLY: usize = 200;

/// The search was told to end before it had an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// What a node remembers while its children are searched.
#[derive(Clone, Copy)]
struct Frame {
    static_eval: Option<i32>,
    /// The move left out while the table move is asked whether it is singular.
    excluded: Option<Coord>,
    /// The best line from here.
    pv: [Option<Coord>; MAX_PLY],
    pv_len: usize,
}

/// How the root is searched while one of several lines is looked for.
#[derive(Clone, Copy, Default)]
pub struct RootView {
    /// The move to try first, instead of the table's.
    pub hint: Option<Coord>,
    /// True if moves are left out that may be better, so that the table must not learn the result.
    pub is_partial: bool,
    /// True for every line but the best one: its moves are not to be played.
    pub is_secondary: bool,
}

/// One thread's search.
pub struct Worker<'a> {
    pub board: Board,
    evaluator: Evaluator<'a>,
    shared: &'a Shared<'a>,
    history: &'a mut History,
    correction: &'a mut Correction,
    vcf: &'a mut Vcf,
    params: SearchParams,
    /// The moves of the root, all of them legal.
    pub root_moves: Moves,
    pub root_view: RootView,
    /// Moves that are left out wherever the search comes to them.
    pub blocked: &'a Blocked,
    /// Number of the thread; 0 is the main one.
    pub thread: usize,
    nodes: u64,
    /// Of these, what the shared count knows of.
    counted: u64,
    next_check: u64,
    /// The deepest ply reached in this iteration.
    pub selective_depth: usize,
    /// Plays of the last search of the root: those behind its best move, and all.
    root_effort: [u64; 2],
    /// Who hears of the root's moves; nobody where a helper searches.
    pub listener: Option<Listener<'a>>,
    frames: Box<[Frame]>,
}

impl<'a> Worker<'a> {
    pub fn new(
        board: &Board,
        tables: &'a EvalTables,
        shared: &'a Shared<'a>,
        memory: &'a mut ThreadMemory,
        thread: usize,
    ) -> Worker<'a> {
        let frame = Frame { static_eval: None, excluded: None, pv: [None; MAX_PLY], pv_len: 0 };
        Worker {
            board: board.clone(),
            evaluator: Evaluator::with_tables(board, tables),
            shared,
            history: &mut memory.history,
            correction: &mut memory.correction,
            vcf: &mut memory.vcf,
            params: shared.params.search.clone(),
            root_moves: Moves { cells: CellSet::EMPTY, reserve: CellSet::EMPTY },
            root_view: RootView::default(),
            blocked: &blocked::NOTHING,
            listener: None,
            thread,
            nodes: 0,
            counted: 0,
            next_check: shared.allowance(),
            selective_depth: 0,
            root_effort: [0; 2],
            frames: vec![frame; MAX_PLY + 2].into_boxed_slice(),
        }
    }

    /// Returns the numbers the search runs with.
    pub fn params(&self) -> &SearchParams {
        &self.params
    }

    /// Returns what the threads of the search share.
    pub fn shared(&self) -> &'a Shared<'a> {
        self.shared
    }

    /// Tells whoever listens.
    pub fn tell(&mut self, progress: Progress) {
        if let Some(listener) = &mut self.listener {
            listener(progress);
        }
    }

    /// Returns the best line of the last search from the root.
    pub fn pv(&self) -> impl Iterator<Item = Coord> {
        self.frames[0].pv[..self.frames[0].pv_len].iter().flatten().copied()
    }

    /// Returns the evaluation of the position as it stands, without any search.
    pub fn static_score(&self) -> Score {
        self.evaluator.evaluate(&self.board)
    }

    /// Returns the plays of all threads, as far as they have been counted, and all of this one.
    pub fn count_nodes(&mut self) -> u64 {
        let uncounted = self.nodes - self.counted;
        self.counted = self.nodes;
        self.shared.count(uncounted)
    }

    /// Returns the plays of this thread.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns the part of the last search of the root, in percent of its plays, that went into
    /// its best move.
    pub fn effort(&self) -> u32 {
        let [best, all] = self.root_effort;
        (best * 100 / all.max(1)) as u32
    }

    /// Counts plays that were made outside of the tree.
    pub fn add_nodes(&mut self, nodes: u64) {
        self.nodes += nodes;
    }

    /// Looks for a win by continuous fours from the position as it stands.
    pub fn solve_vcf(&mut self, node_limit: u64) -> Outcome {
        let outcome = self.vcf.solve(&mut self.board, node_limit);
        self.nodes += self.vcf.nodes();
        outcome
    }

    /// Returns the cells on which the opponent could defend against a win by continuous fours;
    /// `None` if no such win is found.
    pub fn vcf_defences(&mut self, node_limit: u64) -> Option<CellSet> {
        let win = self.vcf.solve_with_defences(&mut self.board, node_limit);
        self.nodes += self.vcf.nodes();
        win.map(|(cells, _)| cells)
    }

    /// Tells the table of a proved win or loss in the position as it stands.
    pub fn note_proof(&self, ply: usize, score: Score, mv: Coord) {
        let bound = if score.is_win() { Bound::Lower } else { Bound::Upper };
        self.store(ply, score, bound, MAX_PLY as Depth * PLY, Some(mv), None);
    }
}
