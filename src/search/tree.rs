//! The alpha-beta search of one thread. `negamax` is the recursion, the place to begin reading.

pub mod blocked;
mod history;
pub mod movegen;
pub mod movepick;
mod negamax;
mod node;
pub mod order_tables;
mod terminal;

use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use arrayvec::ArrayVec;
use tengen_gomoku::board::Board;
use tengen_gomoku::types::{Color, Coord, CoordSet};

use super::cache::Cache;
use super::control::Control;
use super::limits::{DrawRule, Limits};
use super::params::{Depth, PLY, Params};
use super::report::{Listener, Progress};
use super::table::Table;
use super::threat::vcf::{Solution, Vcf};
use crate::eval::network::Network;
use crate::eval::{Evaluator, Style};
use crate::fault::{InjectedFault, is_injected};
use crate::score::{Bound, Score, Window};
use blocked::Blocked;
use history::History;
use movegen::{Moves, root_moves};
use node::Node;
use order_tables::OrderTables;

/// The search always ends at this ply.
pub const MAX_PLY: usize = 200;
/// Most nodes of a thread between two checks of limits, which bounds the overrun of a node limit.
const CHECK_INTERVAL: u64 = 1024;

/// The search was ended by a limit or a stop before it had a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

#[derive(Default)]
struct StackEntry {
    static_eval: Option<i32>,
    pv: ArrayVec<Coord, MAX_PLY>,
    /// Beta cutoffs at this ply since its parent began its moves (cutoff count).
    cutoffs: u32,
}

/// How the root is searched for one PV (multi-PV).
#[derive(Clone, Copy, Default)]
pub struct RootContext {
    /// Searched first, instead of the table move.
    pub pv_move: Option<Coord>,
    /// True if better moves may be left out: then the result is not stored.
    pub is_partial: bool,
    /// 0 for the best PV, whose moves alone are published.
    pub pv_index: usize,
}

/// State that a [`Worker`] keeps from search to search. Valid at any moment, even after a panic.
#[derive(Default)]
pub struct ThreadState {
    pub history: History,
    /// Cache of the network's values (before overlines, style and noise), for positions that are
    /// searched again but have no table entry (re-searches, singular searches, transpositions). It
    /// saves one in five network evaluations and fits the processor's caches; 128 times the size
    /// would save one in four.
    network_values: Cache<i16, { 1 << 13 }, 1>,
    vcf: Vcf,
}

impl ThreadState {
    pub fn clear(&mut self) {
        self.history.clear();
        self.network_values.clear();
        self.vcf.clear();
    }
}

/// What the threads of a search share.
pub struct Shared<'a> {
    pub table: &'a Table,
    pub control: &'a Control,
    pub params: Params,
    pub limits: Limits,
    pub blocked: Blocked,
    /// Replaces the rule's network.
    pub network: Option<Arc<Network>>,
    /// When this search began, on the clock of `control`, which may have started earlier.
    begin: Duration,
    nodes: AtomicU64,
    threads: u64,
    is_over: AtomicBool,
}

impl<'a> Shared<'a> {
    pub fn new(
        table: &'a Table,
        control: &'a Control,
        params: Params,
        limits: Limits,
        threads: usize,
    ) -> Shared<'a> {
        control.set_depth(0);
        Shared {
            table,
            control,
            params,
            limits,
            blocked: Blocked::default(),
            network: None,
            begin: control.elapsed(),
            nodes: AtomicU64::new(0),
            threads: threads.max(1) as u64,
            is_over: AtomicBool::new(false),
        }
    }

    pub fn elapsed(&self) -> Duration {
        self.since_begin(self.control.elapsed())
    }

    pub fn since_begin(&self, time: Duration) -> Duration {
        time.saturating_sub(self.begin)
    }

    pub fn count(&self, nodes: u64) -> u64 {
        self.control.count(nodes);
        self.nodes.fetch_add(nodes, Relaxed) + nodes
    }

    /// Returns the nodes that a thread may search before it must ask [`Shared::must_stop`].
    pub fn nodes_until_check(&self) -> u64 {
        self.nodes_left().min(CHECK_INTERVAL)
    }

    pub fn node_limit(&self) -> u64 {
        self.limits.nodes.min(self.control.node_limit())
    }

    pub fn nodes_left(&self) -> u64 {
        let left = self.node_limit().saturating_sub(self.nodes.load(Relaxed));
        left.div_ceil(self.threads)
    }

    pub fn must_stop(&self) -> bool {
        assert!(!is_injected(InjectedFault::LatePanic), "asked for");
        self.nodes.load(Relaxed) >= self.node_limit() || self.is_over() || self.control.must_stop()
    }

    pub fn is_limited(&self) -> bool {
        self.node_limit() < u64::MAX || self.control.hard().is_some()
    }

    pub fn end(&self) {
        self.is_over.store(true, Relaxed);
    }

    pub fn is_over(&self) -> bool {
        self.is_over.load(Relaxed)
    }
}

pub struct Worker<'a> {
    pub board: Board,
    evaluator: Evaluator,
    order_tables: &'static OrderTables,
    pub shared: &'a Shared<'a>,
    state: &'a mut ThreadState,
    pub root_moves: Moves,
    pub root_context: RootContext,
    /// Root moves that a VCF refutes, and the longest of their losses.
    pub refuted_moves: (CoordSet, Score),
    style: Option<(Style, Color)>,
    noise_seed: Option<u64>,
    pub draw_rule: DrawRule,
    pub thread: usize,
    pub nodes: u64,
    /// The part of `nodes` that tested root moves.
    pub test_nodes: u64,
    /// The part of `nodes` in the shared count.
    counted: u64,
    next_check: u64,
    pub selective_depth: usize,
    /// Nodes of the last root search: below its best move, and in all.
    best_move_nodes: u64,
    root_nodes: u64,
    pub listener: Option<Listener<'a>>,
    stack: Box<[StackEntry]>,
}

impl<'a> Worker<'a> {
    pub fn new(
        board: &Board,
        shared: &'a Shared<'a>,
        state: &'a mut ThreadState,
        thread: usize,
    ) -> Worker<'a> {
        let limits = &shared.limits;
        let network = shared.network.clone().unwrap_or_else(|| Network::of(board.rule()));
        Worker {
            evaluator: Evaluator::by_network(board, network),
            order_tables: OrderTables::of(board.rule()),
            shared,
            state,
            root_moves: root_moves(board, &limits.root),
            root_context: RootContext::default(),
            refuted_moves: (CoordSet::EMPTY, Score::MIN),
            style: limits.played_style(board),
            noise_seed: limits.strength.noise_seed(limits.seed),
            draw_rule: limits.draw_rule.ahead_of(board),
            board: board.clone(),
            listener: None,
            thread,
            nodes: 0,
            test_nodes: 0,
            counted: 0,
            next_check: shared.nodes_until_check(),
            selective_depth: 0,
            best_move_nodes: 0,
            root_nodes: 0,
            stack: iter::repeat_with(StackEntry::default).take(MAX_PLY + 2).collect(),
        }
    }

    /// Returns the root moves that no VCF is known to refute.
    pub fn unrefuted_moves(&self) -> CoordSet {
        self.root_moves.all().without(&self.refuted_moves.0)
    }

    pub fn params(&self) -> &'a Params {
        &self.shared.params
    }

    pub fn notify(&mut self, progress: Progress) {
        if let Some(listener) = &mut self.listener {
            listener(progress);
        }
    }

    pub fn pv(&self) -> Vec<Coord> {
        self.stack[0].pv.to_vec()
    }

    /// Adds this thread's nodes to the shared count, and returns that.
    pub fn count_nodes(&mut self) -> u64 {
        let uncounted = self.nodes - self.counted;
        self.counted = self.nodes;
        self.shared.count(uncounted)
    }

    pub fn effort(&self) -> u32 {
        (self.best_move_nodes * 100 / self.root_nodes.max(1)) as u32
    }

    /// Returns false if a move that the threats on the board need may be blocked.
    pub fn trusts_threats(&self) -> bool {
        !self.shared.blocked.is_reachable_from(&self.board)
    }

    pub fn is_in_time(&self, plies: i32) -> bool {
        self.draw_rule.is_in_time(&self.board, plies)
    }

    /// A win after the draw, or one that may need a blocked move, counts as [`Solution::No`].
    pub fn solve_vcf(&mut self, node_limit: u64) -> Solution {
        let shared = self.shared;
        if !self.trusts_threats() {
            return Solution::No;
        }
        let solution =
            self.state.vcf.solve_while(&mut self.board, node_limit, || !shared.must_stop());
        self.nodes += self.state.vcf.nodes;
        match solution {
            Solution::Win { plies, .. } if !self.is_in_time(plies) => Solution::No,
            solution => solution,
        }
    }

    /// Returns the cells that may stop the opponent's VCF, and in how many plies it wins otherwise;
    /// `None` if he threatens none in time.
    pub fn vcf_defences(&mut self, node_limit: u64) -> Option<(CoordSet, i32)> {
        self.board.pass();
        let win = self.state.vcf.solve_with_defences(&mut self.board, node_limit);
        self.nodes += self.state.vcf.nodes;
        self.board.pass();
        // A pass takes no ply, but the move in its place does.
        win.map(|(cells, plies)| (cells, plies + 1)).filter(|&(_, plies)| self.is_in_time(plies))
    }

    pub fn store_proof(&self, ply: usize, score: Score, mv: Coord) {
        let bound = if score.is_win() { Bound::Lower } else { Bound::Upper };
        let node = Node::new(ply, MAX_PLY as Depth * PLY, Window::FULL, false);
        self.store(&node, Some(mv), score, bound);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::types::Rule;

    #[test]
    fn the_last_nodes_are_shared_out() {
        let (table, control) = (Table::new(0), Control::untimed());
        let limits = Limits { nodes: 3_000, ..Limits::default() };
        let shared = Shared::new(&table, &control, Params::of(Rule::Freestyle), limits, 2);
        assert_eq!(shared.nodes_until_check(), CHECK_INTERVAL);
        assert_eq!((shared.count(2_001), shared.nodes_until_check()), (2_001, 500));
        assert!(!shared.must_stop());
        assert_eq!((shared.count(999), shared.nodes_until_check()), (3_000, 0));
        assert!(shared.must_stop());
    }

    #[test]
    fn a_late_node_limit_holds_besides_the_own_one() {
        let (table, control) = (Table::new(0), Control::untimed());
        let limits = Limits { nodes: 3_000, ..Limits::default() };
        let shared = Shared::new(&table, &control, Params::of(Rule::Freestyle), limits, 1);
        shared.count(2_001);
        for (late, left) in [(2_000, 0), (2_500, 499), (4_000, 999), (u64::MAX, 999)] {
            control.set_limits(&Limits { nodes: late, ..Limits::default() });
            assert_eq!((shared.nodes_left(), shared.must_stop()), (left, left == 0), "{late}");
        }
    }
}
