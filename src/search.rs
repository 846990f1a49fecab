//! The search as the rest of the program sees it: [`Searcher`], [`Limits`] and [`Report`].
//!
//! There are four folders, each of which uses only those before it: `table` (the transposition
//! table and its file), `threat` (wins by fours and threes), `tree` (alpha-beta of one thread),
//! `root` (iterations, multi-PV, proofs). `pool` starts the threads.

mod cache;
pub mod clock;
pub mod control;
mod limits;
mod params;
mod pool;
mod report;
mod root;
mod strength;
mod table;
#[cfg(test)]
mod tests;
mod threat {
    pub mod vcf;
    pub mod vct;
}
pub mod trace;
mod tree;

use std::io::{self, Read, Seek};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tengen_gomoku::board::{Board, CandidateRange};
use tengen_gomoku::types::{Color, Coord, CoordSet};

use crate::eval::Style;
use crate::eval::network::Network;
use crate::fault::{InjectedFault, is_injected};
use crate::memory::{can_allocate_besides_search, can_search};
use control::Control;
use root::balance;
use root::moves::obvious_move;
use root::multi_pv::MultiPv;
use root::proofs::{ThreatScheduler, vcf_pv};
use root::{deepen, search_root};
use table::Table;
use threat::vct::Vct;
use tree::{MAX_PLY, Shared, ThreadState, Worker};

pub use limits::{DrawRule, Limits, MAX_DEPTH, RootOptions};
pub use params::{Override, Param, Params};
pub use pool::{HELPER_BYTES, STACK_BYTES, max_threads};
pub use report::{Listener, Progress, Report, Variation};
pub use root::balance::{Placement, Target};
pub use root::moves::fallback_move;
pub use strength::{GameSeeds, Strength, position_seed};
pub use table::TableEntry;
pub use table::file::MAGIC as TABLE_MAGIC;
pub use threat::{vcf, vct};
pub use tree::blocked::{Blocked, StoneSets};
pub use tree::movegen::{Moves, root_moves};
pub use tree::order_tables::{CodeTable, MoveScores, NEARNESS_COUNT, OrderTables, nearness};

const _: () = assert!((MAX_DEPTH as usize) < MAX_PLY);

/// The proof table has [`Searcher::table_bytes`] / this, but at least [`vct::MIN_BYTES`].
const PROOF_TABLE_DIV: usize = 8;

/// Nodes that a thread searches in a microsecond on a fast machine.
const NODES_PER_MICRO: u64 = 1;

/// An engine, which keeps what it learned from one move of a game to the next.
///
/// ```
/// use tengen::search::control::Control;
/// use tengen::search::{Limits, Searcher};
/// use tengen_gomoku::board::Board;
/// use tengen_gomoku::types::Rule;
///
/// // Black has three stones in a row and makes an open four.
/// let board = Board::after(15, Rule::Freestyle, "h8a1i8a3j8a5");
/// let limits = Limits { nodes: 2_000, ..Limits::default() };
/// let control = Control::untimed();
/// let report = Searcher::new(1 << 20).search(&board, &limits, &control, &mut |_| ());
/// assert!(report.score.is_win() && ["g8", "k8"].contains(&report.best.to_string().as_str()));
/// ```
pub struct Searcher {
    pub table: Table,
    /// The bytes asked for. Both tables together have at most [`vct::MIN_BYTES`] more, and fewer
    /// if memory is short.
    table_bytes: usize,
    threads: Vec<ThreadState>,
    vct: Vct,
    /// Those of the last search: its scores would mislead a search with others.
    settings: ScoreSettings,
    /// False until a search has stored scores. Loaded entries are kept until then whatever the
    /// settings, which a table's file does not record.
    has_searched: bool,
    pub blocked: Blocked,
    /// `None` for the rule's parameters. A change does not clear the tables.
    pub params: Option<Params>,
    /// `None` for the rule's network. A change does not clear the tables.
    pub network: Option<Arc<Network>>,
}

/// The settings that change scores: the table of a search with others is worthless.
#[derive(Default, PartialEq, Eq)]
struct ScoreSettings {
    blocked: Blocked,
    strength: Strength,
    noise_seed: Option<u64>,
    style: Option<(Style, Color)>,
    draw_rule: DrawRule,
    candidate_range: CandidateRange,
}

impl Searcher {
    /// Returns a searcher with one thread. Its tables have at most `table_bytes` bytes and the
    /// least size of the proof table ([`vct::MIN_BYTES`]); fewer if memory is short.
    /// Panics if memory is too short even for that: a failed allocation would end the program, a
    /// panic ends only the search.
    pub fn new(table_bytes: usize) -> Searcher {
        assert!(can_search(), "there is memory for a search");
        let mut searcher = Searcher {
            table: Table::new(0),
            table_bytes: 0,
            threads: vec![ThreadState::default()],
            vct: Vct::default(),
            settings: ScoreSettings::default(),
            has_searched: false,
            blocked: Blocked::default(),
            params: None,
            network: None,
        };
        searcher.resize(table_bytes);
        searcher
    }

    /// Replaces the tables by empty ones if the size differs.
    pub fn resize(&mut self, table_bytes: usize) {
        if table_bytes != self.table_bytes {
            self.table_bytes = table_bytes;
            // The old table goes first, so that the two are never held together.
            self.table = Table::new(0);
            // Only what the proof table has beyond its least size is taken from the other table.
            let proofs = (table_bytes / PROOF_TABLE_DIV).max(vct::MIN_BYTES);
            self.vct.table.resize(proofs);
            self.table = Table::new(table_bytes - (proofs - vct::MIN_BYTES));
        }
    }

    /// Sets the number of threads: at least one, and fewer than asked for if memory is short.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads.truncate(threads.max(1));
        // A helper's state is allocated here, its stack and board by each search.
        let helper = HELPER_BYTES as usize + STACK_BYTES;
        while self.threads.len() < threads
            && can_allocate_besides_search(self.threads.len() * helper)
        {
            self.threads.push(ThreadState::default());
        }
    }

    pub fn clear(&mut self) {
        self.table.clear();
        self.threads.iter_mut().for_each(ThreadState::clear);
        self.vct.clear();
        self.has_searched = false;
    }

    /// Replaces the table by a saved one, and returns the number of its entries. The next search
    /// keeps it, whatever its settings.
    pub fn read_table(&mut self, input: &mut (impl Read + Seek)) -> io::Result<u64> {
        let count = self.table.read(input)?;
        self.has_searched = false;
        Ok(count)
    }

    fn effective_limits(&self, board: &Board, limits: &Limits) -> Limits {
        let limits = limits.weakened(board);
        let mut root = self.blocked.restrict(board, limits.root);
        // If every legal move is excluded, none is.
        let others = board.empty_cells().without(&root.excluded);
        if board.legal_cells(others, board.side_to_move()).is_empty() {
            root.excluded = CoordSet::EMPTY;
        }
        Limits { root, ..limits }
    }

    /// Prepares a search: resizes and ages tables and histories. Returns what the threads share,
    /// their states and the threat search.
    fn prepare<'a>(
        &'a mut self,
        board: &Board,
        limits: Limits,
        control: &'a Control,
        threads: usize,
    ) -> (Shared<'a>, &'a mut [ThreadState], &'a mut Vct) {
        self.invalidate_on_change(board, &limits);
        self.has_searched = true;
        let nodes = max_nodes(&limits, control, threads);
        self.table.grow(nodes, control);
        self.vct.table.grow(nodes);
        self.table.next_generation();
        let params = self.params.clone().unwrap_or_else(|| Params::of(board.rule()));
        for state in &mut self.threads {
            state.history.age();
        }
        let mut shared = Shared::new(&self.table, control, params, limits, threads);
        shared.blocked = self.blocked.ahead_of(board);
        shared.network = self.network.clone();
        (shared, &mut self.threads, &mut self.vct)
    }

    /// Forgets all scores if the settings differ from those of the last search. A search calls it
    /// itself; others call it before they store entries in the table.
    pub fn invalidate_on_change(&mut self, board: &Board, limits: &Limits) {
        let settings = ScoreSettings {
            blocked: self.blocked.clone(),
            strength: limits.strength,
            noise_seed: limits.strength.noise_seed(limits.seed),
            style: limits.played_style(board),
            draw_rule: limits.draw_rule.ahead_of(board),
            candidate_range: board.candidate_range(),
        };
        if settings != self.settings {
            self.settings = settings;
            if self.has_searched {
                self.clear();
            }
        }
    }

    /// Searches for the best move. `listener` receives the progress, `control` the best move so
    /// far.
    ///
    /// An only move is not searched beyond a VCF: its score is the static evaluation of the
    /// position. Neither is the first move of a game, whose score is a draw. An
    /// [analysis](RootOptions::is_analysis) searches the position after such a move for a score.
    pub fn search(
        &mut self,
        board: &Board,
        limits: &Limits,
        control: &Control,
        listener: Listener,
    ) -> Report {
        let report = self.search_position(board, limits, control, listener);
        let is_only = report.others_lose && report.others.is_empty();
        // A style belongs to the side to move; after the move it would be the opponent's.
        let goes_on = limits.root.is_analysis
            && limits.style.is_neutral()
            && (is_only || board.stone_count() == 0)
            && report.tree_nodes == 0
            && !report.score.is_decisive()
            && limits.depth > 1
            && board.empty_count() > 1
            && board.stone_count() + 1 < limits.draw_rule.ahead_of(board).moves
            && report.nodes < limits.nodes
            && !control.must_stop();
        if !goes_on {
            return report;
        }
        control.commit(report.best);
        let mut board = board.clone();
        board.play(report.best);
        let limits = Limits {
            depth: limits.depth - 1,
            first_depth: (limits.first_depth - 1).max(1),
            nodes: limits.nodes - report.nodes,
            root: RootOptions { is_analysis: true, ..RootOptions::default() },
            ..*limits
        };
        let next = self.search(&board, &limits, control, &mut |progress| {
            if let Progress::Report(next) = progress {
                listener(Progress::Report(&report.followed_by(next)));
            }
        });
        if next.depth == 0 {
            return Report { nodes: report.nodes + next.nodes, ..report };
        }
        report.followed_by(&next)
    }

    /// Searches, but not beyond an only move.
    fn search_position(
        &mut self,
        board: &Board,
        limits: &Limits,
        control: &Control,
        listener: Listener,
    ) -> Report {
        let limits = self.effective_limits(board, limits);
        let fallback = fallback_move(board, &limits.root.excluded)
            .expect("the caller asks for boards with a free cell");
        control.publish(fallback);
        while is_injected(InjectedFault::Deaf) {
            thread::sleep(Duration::from_secs(1));
        }
        let (shared, states, vct) = self.prepare(board, limits, control, self.threads.len());
        let (main, helpers) = states.split_first_mut().expect("invariant: there is a main thread");
        let mut worker = Worker::new(board, &shared, main, 0);
        worker.listener = Some(listener);
        let obvious = obvious_move(&mut worker, fallback).map(|(mv, score)| {
            let pv = if score.is_win() { vcf_pv(&mut worker, mv) } else { vec![mv] };
            Report { score, depth: 1, pv, ..Report::unsearched(mv) }
        });
        worker.test_nodes = worker.nodes;
        let mut report = obvious
            .unwrap_or_else(|| search_in_threads(&mut worker, board, helpers, vct, fallback));
        control.publish(report.best);
        let pv_count = report.others.len() + 1;
        // A move that a weak player overlooks may not lose.
        report.others_lose = worker.shared.limits.strength.is_full()
            && (1..=pv_count).contains(&worker.unrefuted_moves().len())
            && report.others.iter().all(|variation| variation.score.is_loss());
        report.nodes = worker.count_nodes();
        let other_nodes = worker.test_nodes + report.threat_nodes;
        report.tree_nodes = report.nodes.saturating_sub(other_nodes);
        report.elapsed = control.elapsed();
        report
    }

    /// Searches, with one thread, for stones to place so that the score is nearest to the target.
    /// Returns them as the PV of a report, with the score of the side to move. `None` if no choice
    /// was searched in time, if no stone can be placed, or if a finished iteration of at least four
    /// plies found no score within tolerance. `listener` receives every iteration.
    pub fn balance(
        &mut self,
        board: &Board,
        target: Target,
        limits: &Limits,
        control: &Control,
        listener: Listener,
    ) -> Option<Report> {
        let limits = self.effective_limits(board, limits);
        let (shared, states, _) = self.prepare(board, limits, control, 1);
        let mut worker = Worker::new(board, &shared, states.first_mut()?, 0);
        let mut report = balance::balance(&mut worker, target, listener)?;
        report.nodes = worker.count_nodes();
        report.elapsed = control.elapsed();
        Some(report)
    }
}

/// Searches the board in the main thread, which is `worker`'s, and in those of the helpers, and
/// returns the elected report.
fn search_in_threads(
    worker: &mut Worker,
    board: &Board,
    helpers: &mut [ThreadState],
    vct: &mut Vct,
    fallback: Coord,
) -> Report {
    let shared = worker.shared;
    let help = |thread, state: &mut ThreadState| {
        let mut worker = Worker::new(board, shared, state, thread);
        let multi_pv = MultiPv::new(&worker);
        deepen(&mut worker, None, multi_pv, fallback)
    };
    let mut threats = ThreatScheduler::new(vct);
    let main = || search_root(worker, &mut threats, fallback);
    let mut reports = pool::run(shared, helpers, main, help);
    // Helpers do not know which moves lose to continuous fours.
    let kept = worker.unrefuted_moves();
    let helped = reports.split_off(1);
    reports.extend(helped.into_iter().filter(|report| kept.contains(report.best)));
    Report { threat_nodes: threats.nodes, ..pool::elect(reports) }
}

/// Returns the most nodes that limits and time allow; `u64::MAX` for no bound.
fn max_nodes(limits: &Limits, control: &Control, threads: usize) -> u64 {
    let micros = control.hard().and_then(|hard| u64::try_from(hard.as_micros()).ok());
    let by_time = micros.map_or(u64::MAX, |micros| micros.saturating_mul(NODES_PER_MICRO));
    limits.nodes.min(by_time.saturating_mul(threads as u64))
}
