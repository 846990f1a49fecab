//! The search as the rest of the program sees it: [`Searcher`], [`Limits`] and [`Report`].
//!
//! Keeps the state that lasts from search to search, and puts the parts of a search together. There
//! are five folders, each of which uses only those before it: `params` (the parameters that
//! tuning may move), `table` (the transposition table and the memory of all tables), `threat` (wins
//! by fours and threes), `tree` (alpha-beta), `root` (iterations, multi-PV, time manager).

pub mod clock;
pub mod control;
mod draw;
mod limits;
mod params;
mod pool;
mod report;
mod root;
mod strength;
mod table;
mod threat;
mod tree;

use std::io::{self, Read, Seek, Write};
use std::thread;
use std::time::Duration;

use crate::board::zobrist::Key;
use crate::board::{Board, Reach};
use crate::eval::Style;
use crate::fault::{Fault, strikes};
use crate::types::Color;
use control::Control;
use params::PLY;
use pool::Shared;
use root::balance;
use root::fallback::fallback_among;
use root::moves::{drop_losing_moves, obvious_move};
use root::multi_pv::MultiPv;
use root::proof_variation::{prove_by_fours, variation_by_fours};
use root::threat_scheduler::ThreatScheduler;
use root::{deepen, send_report};
use strength::EvalNoise;
use table::{Entry, Table, allocation};
use threat::vct::Vct;
use tree::{MAX_PLY, ThreadState, Worker};

pub use draw::DrawRule;
pub use limits::{Limits, MAX_DEPTH, RootOptions};
pub use params::{Override, Param, ParamError, Params, SearchParams, ThreatParams, TimeParams};
pub use pool::{HELPER_BYTES, STACK_BYTES, max_threads};
pub use report::{Listener, NodesOutsideTree, Progress, Report, TableEntry, Variation};
pub use root::balance::{Placement, Target};
pub use root::fallback::fallback_move;
pub use strength::{PositionSeed, Strength};
pub use table::file::MAGIC as TABLE_MAGIC;
pub use threat::{vcf, vct};
pub use tree::blocked::{Blocked, StoneSets};
pub use tree::movegen::{Moves, root_moves};
pub use tree::movepick::{CodeTable, MoveScores, OrderTables};

const _: () = assert!((MAX_DEPTH as usize) < MAX_PLY);

/// The proof table has [`Searcher::table_bytes`] / this, but no less than [`vct::LEAST_BYTES`].
const PROOF_TABLE_DIV: usize = 8;

/// Nodes that a thread searches in a microsecond on a fast machine.
const NODES_PER_MICRO: u64 = 1;

/// An engine, which keeps what it learned from move to move of a game.
///
/// ```
/// use tengen::board::Board;
/// use tengen::board::notation::parse_points;
/// use tengen::search::control::Control;
/// use tengen::search::{Limits, Searcher};
/// use tengen::types::{BoardSize, Rule};
///
/// let size = BoardSize::new(15, 15).expect("a valid size");
/// let mut board = Board::new(size, Rule::Freestyle);
/// for mv in parse_points("h8a1i8a3j8a5", size)? {
///     board.play(mv);
/// }
/// // Black has three stones in a row and makes an open four.
/// let control = Control::untimed();
/// let limits = Limits { nodes: 2_000, ..Limits::default() };
/// let report = Searcher::new(1 << 20).search(&board, &limits, &control, &mut |_| ());
/// assert!(report.score.is_win() && ["g8", "k8"].contains(&report.best.to_string().as_str()));
/// # Ok::<(), tengen::board::notation::NotationError>(())
/// ```
pub struct Searcher {
    table: Table,
    /// The bytes asked for. The transposition table and the proof table together have at most
    /// [`vct::LEAST_BYTES`] more than this. They are smaller if memory is short.
    table_bytes: usize,
    /// The states of the threads, the main thread's first.
    threads: Vec<ThreadState>,
    vct: Vct,
    blocked: Blocked,
    /// The settings of the last search: its entries in the table would mislead a search with
    /// others.
    settings: ScoreSettings,
    /// True if a search has run since the last [`Searcher::clear`]. Until then the tables hold only
    /// loaded entries, which are kept whatever the settings of the first search.
    has_searched: bool,
    /// The parameters to search with; `None` for the defaults of the board's rule.
    params: Option<Params>,
}

/// The settings that change the scores of a search.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct ScoreSettings {
    strength: Strength,
    noise: EvalNoise,
    /// The style with its side, if it is not neutral.
    style: Option<(Style, Color)>,
    draw_rule: DrawRule,
    reach: Reach,
}

impl Searcher {
    /// Returns a searcher with one thread and tables of at most `table_bytes` bytes, beside the
    /// least size of the proof table ([`vct::LEAST_BYTES`]); they are smaller if memory is short.
    ///
    /// # Panics
    ///
    /// If there is not even the memory to search without a table. An allocation that fails would
    /// end the program; a panic ends only the search.
    pub fn new(table_bytes: usize) -> Searcher {
        assert!(allocation::can_search(), "there is memory for a search");
        let mut searcher = Searcher {
            table: Table::new(0),
            table_bytes: 0,
            threads: vec![ThreadState::default()],
            vct: Vct::new(),
            blocked: Blocked::default(),
            settings: ScoreSettings::default(),
            has_searched: false,
            params: None,
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
            // The proof table's least size comes on top of `table_bytes`; only what it has beyond
            // that is taken from the transposition table.
            let proofs = (table_bytes / PROOF_TABLE_DIV).max(vct::LEAST_BYTES);
            self.vct.resize(proofs);
            self.table = Table::new(table_bytes - (proofs - vct::LEAST_BYTES));
        }
    }

    /// Sets the number of threads for the searches that follow: at least one, and fewer than
    /// `threads` if memory is short.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads.truncate(threads.max(1));
        // A helper's state is allocated here, its stack and board by each search.
        let helper = HELPER_BYTES as usize + STACK_BYTES;
        while self.threads.len() < threads
            && allocation::can_allocate_besides_search(self.threads.len() * helper)
        {
            self.threads.push(ThreadState::default());
        }
    }

    /// Returns how full the transposition table is, in thousandths.
    pub fn table_usage(&self) -> usize {
        self.table.usage()
    }

    /// Returns what the transposition table has of the position with this key.
    pub fn probe(&self, key: Key) -> Option<TableEntry> {
        self.table.probe(key).map(|entry| TableEntry {
            mv: entry.mv,
            score: entry.score_at(0),
            bound: entry.bound,
            depth: entry.depth / PLY,
        })
    }

    /// Inserts entries into the transposition table, by the keys of their positions.
    pub fn insert_entries(&mut self, entries: &[(Key, TableEntry)]) {
        self.table.grow(entries.len() as u64);
        for &(key, TableEntry { mv, score, bound, depth }) in entries {
            let (score, depth) = (score.to_tt(0), depth * PLY);
            self.table.store(key, Entry { mv, score, eval: None, depth, bound });
        }
    }

    /// Writes the entries of the transposition table and returns their number.
    ///
    /// # Errors
    ///
    /// If the output fails.
    pub fn write_table(&self, out: &mut impl Write) -> io::Result<u64> {
        self.table.write(out)
    }

    /// Adds the entries that [`Searcher::write_table`] wrote to the transposition table and returns
    /// their number.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use tengen::search::Searcher;
    ///
    /// let mut bytes = Vec::new();
    /// let written = Searcher::new(1 << 20).write_table(&mut bytes)?;
    /// let read = Searcher::new(1 << 22).read_table(&mut Cursor::new(bytes))?;
    /// assert_eq!(read, written);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the input is no such table or one of another evaluation, and then nothing changes; or if
    /// the input fails, and some entries may have been added. Strength, style, draw rule, blocked
    /// moves and reach are not in the file: its scores hold for those that they were found with.
    pub fn read_table(&mut self, input: &mut (impl Read + Seek)) -> io::Result<u64> {
        self.table.read(input)
    }

    /// Forgets everything learned so far.
    pub fn clear(&mut self) {
        self.table.clear();
        self.threads.iter_mut().for_each(ThreadState::clear);
        self.vct.clear();
        self.has_searched = false;
    }

    /// Clears everything once a search has run.
    fn invalidate(&mut self) {
        if self.has_searched {
            self.clear();
        }
    }

    /// Sets the blocked moves of the searches that follow.
    pub fn block(&mut self, blocked: Blocked) {
        if blocked != self.blocked {
            self.blocked = blocked;
            self.invalidate();
        }
    }

    /// Searches with these parameters from now on, under whatever rule. What was learned with
    /// others is kept; see [`Searcher::clear`].
    pub fn set_params(&mut self, params: Params) {
        self.params = Some(params);
    }

    /// Returns the limits of a search of this position: weakened by the strength and without what
    /// is blocked.
    fn limits_here(&self, board: &Board, limits: &Limits) -> Limits {
        let limits = limits.weakened(board);
        Limits { root: self.blocked.restrict(board, limits.root), ..limits }
    }

    /// Gets everything ready for a search of this position by `threads` threads: resets the depth
    /// in `control`, enlarges the tables as needed, and ages tables and histories. Returns what the
    /// threads share, their states, and the threat search.
    fn prepare<'a>(
        &'a mut self,
        board: &Board,
        limits: Limits,
        control: &'a Control,
        threads: usize,
    ) -> (Shared<'a>, &'a mut [ThreadState], &'a mut Vct) {
        control.begin_search();
        self.invalidate_on_change(board, &limits);
        self.has_searched = true;
        let nodes = max_nodes(&limits, control, threads);
        self.table.grow(nodes);
        self.vct.grow(nodes);
        self.table.next_generation();
        let params = self.params.clone().unwrap_or_else(|| Params::of(board.rule()));
        for state in &mut self.threads {
            state.history.age(params.search.history_age_share);
        }
        let mut shared = Shared::new(&self.table, control, params, limits, threads);
        shared.blocked = self.blocked.ahead_of(board);
        (shared, &mut self.threads, &mut self.vct)
    }

    /// Forgets all scores if those of a search of this position within these limits would mean
    /// something else: another strength, style, draw rule or reach. Every search does so by itself;
    /// only what is [inserted](Searcher::insert_entries) before a search must come after this.
    pub fn invalidate_on_change(&mut self, board: &Board, limits: &Limits) {
        let settings = ScoreSettings {
            strength: limits.strength,
            noise: limits.eval_noise(),
            style: limits.played_style(board),
            draw_rule: limits.draw_rule.ahead_of(board),
            reach: board.reach(),
        };
        if settings != self.settings {
            self.settings = settings;
            self.invalidate();
        }
    }

    /// Searches for the best move within the limits and returns its report. Tells `listener` of
    /// the progress and publishes the best move so far through `control`.
    ///
    /// The score of an only move, or of the first one of a game, is that of the position after it.
    /// An [analysis](RootOptions::is_analysis) searches that position; else the score is the static
    /// evaluation, and the move costs no time.
    ///
    /// # Panics
    ///
    /// If the board is full.
    pub fn search(
        &mut self,
        board: &Board,
        limits: &Limits,
        control: &Control,
        listener: Listener,
    ) -> Report {
        let mut report = self.search_position(board, limits, control, listener);
        let (mut board, mut forced, mut nodes) = (board.clone(), Vec::new(), report.nodes);
        let others_lose = report.others_lose;
        // A style is that of the side to move, and would be the opponent's after the move.
        while is_unsearched(&report, &board)
            && limits.root.is_analysis
            && limits.style.is_neutral()
            && (forced.len() as i32) < limits.depth - 1
            && board.empty_count() > 1
            && nodes < limits.nodes
            && !control.must_stop()
        {
            let mv = report.best;
            control.commit(*forced.first().unwrap_or(&mv));
            board.play(mv);
            forced.push(mv);
            let plies = forced.len() as i32;
            let limits = Limits {
                depth: limits.depth - plies,
                first_depth: (limits.first_depth - plies).max(1),
                nodes: limits.nodes - nodes,
                root: RootOptions { is_analysis: true, ..RootOptions::default() },
                ..*limits
            };
            let listener = &mut |progress: Progress| {
                if let Progress::Report(report) = progress {
                    let nodes = nodes + report.nodes;
                    listener(Progress::Report(&Report { nodes, ..report.clone().after(&forced) }));
                }
            };
            let next = self.search_position(&board, &limits, control, listener);
            nodes += next.nodes;
            if next.depth == 0 {
                forced.pop();
                break;
            }
            report = next;
        }
        Report { nodes, others_lose, ..report.after(&forced) }
    }

    /// Searches as [`Searcher::search`] does, but no further than the root where that has an only
    /// move.
    fn search_position(
        &mut self,
        board: &Board,
        limits: &Limits,
        control: &Control,
        listener: Listener,
    ) -> Report {
        let limits = self.limits_here(board, limits);
        let fallback = fallback_move(board, &limits.root.excluded)
            .expect("the caller asks for boards with a free cell");
        control.publish(fallback);
        while strikes(Fault::Deaf) {
            thread::sleep(Duration::from_secs(1));
        }
        let (shared, states, vct) = self.prepare(board, limits, control, self.threads.len());
        let (main, helpers) = states.split_first_mut().expect("invariant: there is a main thread");
        let mut worker = Worker::new(board, &shared, main, 0);
        worker.listener = Some(listener);
        let obvious = obvious_move(&mut worker, fallback);
        let obvious = obvious.map(|(mv, score)| {
            let pv = if score.is_win() { variation_by_fours(&mut worker, mv) } else { vec![mv] };
            Report { score, depth: 1, pv, ..Report::unsearched(mv) }
        });
        let mut outside_tree = NodesOutsideTree { root_tests: worker.nodes(), threat_search: 0 };
        let mut report = if let Some(report) = obvious {
            report
        } else {
            if limits.root.is_analysis {
                let score = worker.raw_score();
                worker.notify(Progress::Report(&Report { score, ..Report::unsearched(fallback) }));
            }
            let help = |thread, state: &mut ThreadState| {
                let mut worker = Worker::new(board, &shared, state, thread);
                let multi_pv = MultiPv::new(&worker);
                deepen(&mut worker, None, multi_pv, fallback)
            };
            let mut threats = ThreatScheduler::new(vct, &shared);
            let main = || {
                let mut multi_pv = MultiPv::new(&worker);
                // With one variation it was looked for already.
                let by_fours =
                    if limits.root.multi_pv > 1 { prove_by_fours(&mut worker) } else { None };
                let proof = by_fours.or_else(|| threats.prove_root(&mut worker, None));
                let is_proven = proof.is_some();
                if let Some(proof) = proof {
                    multi_pv.add_proof(proof);
                    let mut report = Report { depth: 1, ..Report::unsearched(fallback) };
                    multi_pv.write(&mut report);
                    if limits.root.multi_pv <= 1 {
                        return report;
                    }
                    if limits.root.is_analysis {
                        send_report(&mut worker, &mut report);
                    }
                }
                let nodes_before = worker.nodes();
                drop_losing_moves(&mut worker);
                let fallback = fallback_among(&worker, fallback);
                if !is_proven {
                    control.publish(fallback);
                }
                outside_tree.root_tests += worker.nodes() - nodes_before;
                deepen(&mut worker, Some(&mut threats), multi_pv, fallback)
            };
            let mut reports = pool::run(&shared, helpers, main, help);
            // Helpers do not know which moves lose to continuous fours.
            let kept = worker.root_moves.all();
            let helped = reports.split_off(1);
            reports.extend(helped.into_iter().filter(|report| kept.contains(report.best)));
            outside_tree.threat_search = threats.nodes();
            pool::elect(reports, shared.params.search.vote_base)
        };
        control.publish(report.best);
        let lines = report.others.len() + 1;
        report.others_lose = worker.root_moves.all().len() == lines
            && report.others.iter().all(|line| line.score.is_loss());
        report.nodes = worker.count_nodes();
        report.outside_tree = outside_tree;
        report.elapsed = control.elapsed();
        report
    }

    /// Searches, with one thread, for stones to place after which the score is nearest to the
    /// target. Returns them as the variation of a report, whose score is that of the side to move;
    /// `None` if no choice was searched in time, if no stone can be placed, or if a finished
    /// iteration of four plies or more found no score within tolerance. `listener` receives every
    /// iteration.
    ///
    /// ```
    /// use tengen::board::Board;
    /// use tengen::search::control::Control;
    /// use tengen::search::{Limits, Placement, Searcher, Target};
    /// use tengen::types::{BoardSize, Rule};
    ///
    /// let size = BoardSize::new(15, 15).expect("a valid size");
    /// let mut board = Board::new(size, Rule::Freestyle);
    /// board.play(size.center());
    /// let control = Control::untimed();
    /// let limits = Limits { depth: 1, ..Limits::default() };
    /// let report = Searcher::new(1 << 20)
    ///     .balance(&board, Placement::Two, Target::BALANCED, &limits, &control, &mut |_| ())
    ///     .expect("a balanced pair of stones");
    /// assert_eq!(report.pv.len(), 2);
    /// ```
    pub fn balance(
        &mut self,
        board: &Board,
        placement: Placement,
        target: Target,
        limits: &Limits,
        control: &Control,
        listener: Listener,
    ) -> Option<Report> {
        let limits = self.limits_here(board, limits);
        let (shared, states, _) = self.prepare(board, limits, control, 1);
        let mut worker = Worker::new(board, &shared, states.first_mut()?, 0);
        let mut report = balance::balance(&mut worker, placement, target, listener)?;
        report.nodes = worker.count_nodes();
        report.elapsed = control.elapsed();
        Some(report)
    }
}

/// Returns true if the search of this board has looked no further than the only move of its root,
/// or the first move of a game.
fn is_unsearched(report: &Report, board: &Board) -> bool {
    let has_choice = !report.others_lose || !report.others.is_empty();
    let is_one = !has_choice || board.stone_count() == 0;
    is_one && report.tree_nodes() == 0 && !report.score.is_decisive()
}

/// Returns the most nodes that `threads` threads can search within these limits and the time;
/// `u64::MAX` if there is no limit.
fn max_nodes(limits: &Limits, control: &Control, threads: usize) -> u64 {
    let micros = control.hard().and_then(|hard| u64::try_from(hard.as_micros()).ok());
    let by_time = micros.map_or(u64::MAX, |micros| micros.saturating_mul(NODES_PER_MICRO));
    limits.nodes.min(by_time.saturating_mul(threads as u64))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::clock::Budget;
    use super::*;
    use crate::types::{BoardSize, Bound, CELLS, Coord, Rule};

    /// Returns a position after some moves near each other, without a five.
    fn random_board(rng: &mut fastrand::Rng, rule: Rule) -> Board {
        let size = BoardSize::new(rng.u8(7..=15), rng.u8(7..=15)).expect("a valid size");
        let mut board = Board::new(size, rule);
        board.play(size.center());
        for _ in 0..rng.usize(4..30) {
            let us = board.side_to_move();
            let cells = board.legal_cells(board.candidates(), us);
            let calm = cells.into_iter().filter(|&c| !board.makes_five(c, us)).collect::<Vec<_>>();
            let Some(mv) = rng.choice(calm) else { break };
            board.play(mv);
        }
        board
    }

    /// Stores nonsense about the position and those up to two plies after it, as if the keys of
    /// other positions were the same.
    fn lie(table: &Table, board: &mut Board, rng: &mut fastrand::Rng, plies: u32) {
        let bound = rng.choice([Bound::Upper, Bound::Lower, Bound::Exact]).expect("three bounds");
        let entry = Entry {
            mv: rng.bool().then(|| Coord::from_index(rng.usize(1..CELLS))),
            score: rng.i16(-32_000..=32_000),
            eval: rng.bool().then(|| rng.i16(-20_000..=20_000)),
            depth: rng.i32(0..=20) * PLY,
            bound,
        };
        table.store(board.key(), entry);
        if plies > 0 {
            for mv in &board.candidates() {
                board.play(mv);
                lie(table, board, rng, plies - 1);
                board.undo();
            }
        }
    }

    fn assert_legal(board: &Board, mv: Coord) {
        assert!(board.is_legal(mv, board.side_to_move()), "{mv}");
    }

    #[test]
    fn a_table_that_lies_breaks_no_rule() {
        let mut rng = fastrand::Rng::with_seed(0x11e5);
        for round in 0..100 {
            let mut board = random_board(&mut rng, Rule::ALL[round % 5]);
            if board.candidates().is_empty() {
                continue;
            }
            let mut searcher = Searcher::new(1 << 20);
            searcher.set_threads(1 + round % 2);
            searcher.table.grow(3_000);
            lie(&searcher.table, &mut board, &mut rng, 2);
            let control = Control::untimed();
            let limits = Limits { nodes: 3_000, ..Limits::default() };
            let report = searcher.search(&board, &limits, &control, &mut |_| ());
            assert_eq!(control.best(), Some(report.best));
            let mut line = board.clone();
            for &mv in &report.pv {
                assert_legal(&line, mv);
                line.play(mv);
            }
        }
    }

    #[test]
    fn a_stopped_balance_is_as_near_as_its_last_whole_iteration() {
        let mut rng = fastrand::Rng::with_seed(0xba1a);
        let distance = |report: &Report| report.score.value().abs();
        let mut compared = 0;
        for round in 0..20 {
            let board = random_board(&mut rng, Rule::ALL[round % 5]);
            let balance = |limits| {
                let control = Control::untimed();
                let mut searcher = Searcher::new(1 << 20);
                let target = Target::BALANCED;
                searcher.balance(&board, Placement::One, target, &limits, &control, &mut |_| ())
            };
            let to_depth = |depth| balance(Limits { depth, ..Limits::default() });
            let iterations: Vec<Report> = (1..5).map_while(to_depth).collect();
            for (whole, next) in iterations.iter().zip(iterations.iter().skip(1)) {
                for quarter in 0..4 {
                    let nodes = whole.nodes + (next.nodes - whole.nodes) * quarter / 4;
                    let stopped = balance(Limits { nodes, ..Limits::default() }).expect("stones");
                    if stopped.nodes < next.nodes {
                        assert!(distance(&stopped) <= distance(whole), "{whole:?}\n{stopped:?}");
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 100, "{compared}");
    }

    #[test]
    fn a_side_that_is_ahead_places_a_balanced_pair_too() {
        for rule in Rule::ALL {
            let board = Board::after(15, rule, "h8i9");
            let limits = Limits { depth: 8, ..Limits::default() };
            let control = Control::untimed();
            let (mut searcher, target) = (Searcher::new(1 << 20), Target::BALANCED);
            let pair = searcher
                .balance(&board, Placement::Two, target, &limits, &control, &mut |_| ())
                .expect("a pair");
            assert!(pair.score.value().abs() <= 60, "{rule:?}: {pair:?}");
        }
    }

    #[test]
    fn a_balance_has_its_part_of_the_time_that_is_left() {
        let board = Board::after(15, Rule::Freestyle, "h8i9g10j7");
        let start = Instant::now().checked_sub(Duration::from_secs(50)).expect("a later boot");
        let budget = Budget { soft: None, hard: Duration::from_secs(60) };
        let limits = Limits { depth: 3, ..Limits::default() };
        let control = Control::new(start, Some(budget));
        let mut searcher = Searcher::new(1 << 20);
        let mut depths = Vec::new();
        let report = searcher.balance(
            &board,
            Placement::One,
            Target::BALANCED,
            &limits,
            &control,
            &mut |progress| match progress {
                Progress::Report(report) => depths.push(report.depth),
                _ => panic!("a balance tells of iterations"),
            },
        );
        assert_eq!(report.expect("a stone").depth, 3);
        assert_eq!(depths, [1, 2, 3]);
    }

    /// Returns the nodes of the searches of four positions, one after the other. A used table may
    /// slow a single search down by chance, but hardly their sum.
    fn nodes_of_positions(searcher: &mut Searcher, limits: &Limits) -> u64 {
        let positions = ["h8i9g10j7", "h8h9i9j7g6j9", "h8i7g6j10k8", "h8g8i10g6"];
        let control = Control::untimed();
        let nodes = |moves| {
            let board = Board::after(15, Rule::Freestyle, moves);
            searcher.search(&board, limits, &control, &mut |_| ()).nodes
        };
        positions.map(nodes).iter().sum()
    }

    /// Returns a new searcher with the table of `searcher`, which is written and read back as a
    /// file.
    fn reader_of(searcher: &Searcher) -> Searcher {
        let mut file = Vec::new();
        searcher.write_table(&mut file).expect("memory takes all");
        let mut reader = Searcher::new(1 << 22);
        reader.read_table(&mut io::Cursor::new(file)).expect("a whole table");
        reader
    }

    #[test]
    fn a_game_at_full_strength_goes_on_with_the_table_there_is() {
        let nodes = |searcher: &mut Searcher, strength, seed| {
            let limits = Limits { depth: 9, strength, seed, ..Limits::default() };
            nodes_of_positions(searcher, &limits)
        };
        let mut searcher = Searcher::new(1 << 22);
        let fresh = nodes(&mut searcher, Strength::FULL, 1);
        // The game of another seed, and one with a table from a file.
        assert!(nodes(&mut searcher, Strength::FULL, 2) < fresh * 3 / 4);
        let mut reader = reader_of(&searcher);
        assert!(nodes(&mut reader, Strength::FULL, 3) < fresh * 3 / 4);
        // Below, another seed is another player.
        let strength = Strength::new(99).expect("a strength");
        let first = nodes(&mut searcher, strength, 1);
        nodes(&mut searcher, strength, 2);
        assert_eq!(nodes(&mut searcher, strength, 1), first);
    }

    #[test]
    fn what_was_read_before_the_first_search_serves_searches_of_any_settings() {
        let draw_rule = DrawRule { moves: 200, winner: None };
        let limits = Limits { depth: 9, draw_rule, ..Limits::default() };
        let mut searcher = Searcher::new(1 << 22);
        let fresh = nodes_of_positions(&mut searcher, &limits);
        let mut reader = reader_of(&searcher);
        assert!(nodes_of_positions(&mut reader, &limits) < fresh * 3 / 4);
        // A change of settings between two searches clears everything, loaded entries too.
        nodes_of_positions(&mut reader, &Limits { depth: 1, ..Limits::default() });
        assert_eq!(nodes_of_positions(&mut reader, &limits), fresh);
    }

    #[test]
    fn a_late_depth_limit_counts_the_iterations_of_its_own_search() {
        let board = Board::after(15, Rule::Freestyle, "h8h9i9j7g6j9");
        let control = Control::untimed();
        let mut searcher = Searcher::new(1 << 20);
        let limits = Limits { depth: 5, ..Limits::default() };
        let first = searcher.search(&board, &limits, &control, &mut |_| ());
        assert_eq!((first.depth, control.is_stopped()), (5, false));
        searcher.clear();
        let limits = Limits { depth: 7, ..Limits::default() };
        let mut limit_depth = |progress: Progress| {
            if let Progress::Entering(_) = progress {
                control.set_depth_limit(3);
            }
        };
        let second = searcher.search(&board, &limits, &control, &mut limit_depth);
        assert_eq!((second.depth, control.is_stopped()), (3, false));
        searcher.clear();
        let third = searcher.search(&board, &limits, &control, &mut |_| ());
        assert_eq!((third.depth, control.is_stopped()), (3, false));
    }

    #[test]
    fn the_table_can_be_asked_about_any_position() {
        let board = Board::after(15, Rule::Freestyle, "h8h9i9j7g6j9");
        let mut searcher = Searcher::new(1 << 20);
        assert_eq!(searcher.probe(board.key()), None);
        let control = Control::untimed();
        let limits = Limits { depth: 7, ..Limits::default() };
        let report = searcher.search(&board, &limits, &control, &mut |_| ());
        let root = searcher.probe(board.key()).expect("the root is known");
        assert_eq!(
            (root.mv, root.score, root.bound),
            (report.pv.first().copied(), report.score, Bound::Exact)
        );
        assert_eq!(root.depth, 7);
        let reply = searcher.probe(board.key_after(report.best)).expect("its best child too");
        assert_eq!((reply.score, reply.bound), (-report.score, Bound::Exact));
        assert!((4..7).contains(&reply.depth), "{}", reply.depth);
        searcher.clear();
        assert_eq!(searcher.probe(board.key()), None);
    }
}
