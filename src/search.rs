//! The search as the rest of the program sees it: [`Searcher`], [`Limits`] and [`Report`].
//!
//! Holds iterative deepening with aspiration windows and the moves that need no search. Knows
//! clocks through [`clock::Control`] only, threads through `pool` only, and no protocol at all.

mod balance;
mod blocked;
pub mod clock;
mod correction;
mod history;
mod lines;
mod negamax;
mod params;
mod patience;
mod picker;
mod pool;
mod room;
mod root;
mod strength;
mod tt;
pub mod vcf;
pub mod vct;

use std::io::{self, Read, Seek, Write};
use std::thread;
use std::time::Duration;

use crate::board::Board;
use crate::eval::{EvalTables, Style};
use crate::fault::{Fault, strikes};
use crate::shape::Threat;
use crate::types::{CellSet, Color, Coord, Rule, Score, ScoreKind, Window};
use clock::Control;
use lines::Lines;
use negamax::{MAX_PLY, Stopped, Worker};
use params::PLY;
use patience::Patience;
use picker::Moves;
use pool::{Memory, Shared};
use root::{Proof, Prover};
use tt::Table;
use vcf::Outcome;
use vct::Vct;

pub use balance::{Stones, Target};
pub use blocked::Blocked;
pub use lines::{Line, RootOptions};
pub use pool::{HELPER_BYTES, max_threads};
pub use strength::Strength;
pub use tt::file::MAGIC as TABLE_MAGIC;

/// The deepest iteration.
pub const MAX_DEPTH: i32 = 120;

const _: () = assert!((MAX_DEPTH as usize) < MAX_PLY);

/// The stack that a thread needs to search: the main thread of a Windows program has 1 MB, which
/// is too little.
pub const STACK_BYTES: usize = 16 << 20;

/// Where a search ends, besides the clock, what it looks for, and how it plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The last iteration, in plies; [`MAX_DEPTH`] for no limit.
    pub depth: i32,
    /// The first one, if the last is not before it.
    pub first_depth: i32,
    /// Plays in any part of the search, of all threads; `u64::MAX` for no limit.
    pub nodes: u64,
    /// What is asked about the root.
    pub root: RootOptions,
    /// How strong the search plays.
    pub strength: Strength,
    /// How much the chances of the side to move count against the opponent's.
    pub style: Style,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            depth: MAX_DEPTH,
            first_depth: 1,
            nodes: u64::MAX,
            root: RootOptions::default(),
            strength: Strength::FULL,
            style: Style::NEUTRAL,
        }
    }
}

impl Limits {
    /// Returns the limits that keep both these and `others`, with these questions about the root.
    pub fn within(&self, others: &Limits) -> Limits {
        let (depth, nodes) = (self.depth.min(others.depth), self.nodes.min(others.nodes));
        Limits { depth, nodes, ..*self }
    }

    /// Returns true if the search would go on for ever without a clock.
    pub fn is_endless(&self) -> bool {
        self.depth >= MAX_DEPTH && self.nodes == u64::MAX && self.strength.is_full()
    }
}

/// What a running search tells about itself.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// An iteration is finished.
    Iteration(&'a Report),
    /// A move of the root is about to be searched.
    Entering(Coord),
    /// It has been searched.
    Leaving {
        /// The move.
        mv: Coord,
        /// True if the search proved that it loses.
        loses: bool,
    },
}

/// Who hears of a search, in the search's own thread.
pub type Listener<'a> = &'a mut (dyn FnMut(Progress) + 'a);

/// What a search, or one iteration of it, found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The best move.
    pub best: Coord,
    /// Its value for the side to move.
    pub score: Score,
    /// Plies of the last finished iteration.
    pub depth: i32,
    /// The deepest ply looked at.
    pub selective_depth: i32,
    /// Plays so far, of all threads.
    pub nodes: u64,
    /// Time since the request.
    pub elapsed: Duration,
    /// The best line, beginning with the best move.
    pub pv: Vec<Coord>,
    /// The further lines that [`RootOptions::lines`] asks for, best first.
    pub others: Vec<Line>,
}

impl Report {
    /// Returns all lines, the best one first.
    pub fn lines(&self) -> impl Iterator<Item = Line> + '_ {
        let best = Line { score: self.score, pv: self.pv.clone(), depth: self.depth };
        std::iter::once(best).chain(self.others.iter().cloned())
    }

    /// Returns the report of a move that nothing is known about.
    fn unsearched(mv: Coord) -> Report {
        Report {
            best: mv,
            score: Score::DRAW,
            depth: 0,
            selective_depth: 0,
            nodes: 0,
            elapsed: Duration::ZERO,
            pv: vec![mv],
            others: Vec::new(),
        }
    }

    fn is_settled(&self) -> bool {
        is_settled(self.score, self.depth)
    }
}

/// Returns true if more depth would change nothing: a proved win is played at once; a loss
/// searched twice as deep as it is long stays one.
fn is_settled(score: Score, depth: i32) -> bool {
    match score.kind() {
        ScoreKind::Win(_) => true,
        ScoreKind::Loss(plies) => depth > 2 * plies,
        ScoreKind::Eval(_) => false,
    }
}

/// An engine that remembers what it learned from move to move of a game.
pub struct Searcher {
    table: Table,
    /// The size asked for; the table is a little smaller, or much if memory is short.
    table_bytes: usize,
    /// One for each thread, the main one's first.
    memories: Vec<Memory>,
    vct: Vct,
    blocked: Blocked,
    /// How the last search played: others would be misled by what it learned.
    manner: Manner,
}

/// What of a search's limits shows in the scores that it leaves in the table: the strength, and
/// for whom a style weighed them.
type Manner = (Strength, Option<(Style, Color)>);

impl Searcher {
    /// Returns a searcher with one thread whose transposition table takes at most `table_bytes`
    /// bytes, and less if memory is short.
    ///
    /// # Panics
    ///
    /// If there is not even the memory to search without a table: a panic ends a search, an
    /// allocation that fails would end the program.
    pub fn new(table_bytes: usize) -> Searcher {
        assert!(room::is_enough(), "there is memory for a search");
        let memories = vec![Memory::default()];
        let (table, vct, manner) = (Table::new(table_bytes), Vct::new(), Manner::default());
        Searcher { table, table_bytes, memories, vct, blocked: Blocked::default(), manner }
    }

    /// Replaces the table by an empty one if the size differs.
    pub fn resize(&mut self, table_bytes: usize) {
        if table_bytes != self.table_bytes {
            self.table_bytes = table_bytes;
            // The old table goes first, so that the two are never held together.
            self.table = Table::new(0);
            self.table = Table::new(table_bytes);
        }
    }

    /// Searches with this many threads from now on, but at least with one, and with fewer if memory
    /// is short.
    pub fn set_threads(&mut self, threads: usize) {
        self.memories.truncate(threads.max(1));
        // What is kept of a helper is here, what it takes besides comes with each search.
        let helper = HELPER_BYTES as usize + STACK_BYTES;
        while self.memories.len() < threads && room::is_enough_beside(self.memories.len() * helper)
        {
            self.memories.push(Memory::default());
        }
    }

    /// Returns how full the transposition table is, in thousandths.
    pub fn table_usage(&self) -> usize {
        self.table.usage()
    }

    /// Writes what the transposition table remembers and returns the number of entries.
    ///
    /// # Errors
    ///
    /// If the output fails.
    pub fn write_table(&self, out: &mut impl Write) -> io::Result<u64> {
        self.table.write(out)
    }

    /// Adds what [`Searcher::write_table`] wrote to the transposition table and returns the number
    /// of entries.
    ///
    /// # Errors
    ///
    /// If the input fails or is nothing of the kind; then nothing changes.
    pub fn read_table(&mut self, input: &mut (impl Read + Seek)) -> io::Result<u64> {
        self.table.read(input)
    }

    /// Forgets everything learned so far.
    pub fn clear(&mut self) {
        self.table.clear();
        self.memories.iter_mut().for_each(Memory::clear);
        self.vct.clear();
    }

    /// Leaves these moves out from now on, in the positions that they belong to.
    pub fn block(&mut self, blocked: Blocked) {
        if blocked != self.blocked {
            self.blocked = blocked;
            self.clear();
        }
    }

    /// Forgets what was learned in another manner.
    fn play_in(&mut self, manner: Manner) {
        if manner != self.manner {
            self.manner = manner;
            self.clear();
        }
    }

    /// Returns the best move that the limits allow to find; tells `listener` what it does and
    /// publishes the best move so far through `control`.
    ///
    /// # Panics
    ///
    /// If the board is full.
    pub fn search(
        &mut self,
        board: &Board,
        limits: &Limits,
        control: &Control,
        listener: &mut dyn FnMut(Progress),
    ) -> Report {
        let limits = &limits.weakened(board);
        // What a threat promises may be blocked, so that it need not be answered.
        let all_moves = limits.root.all_moves || self.blocked.lies_ahead(board);
        let options = &RootOptions { all_moves, ..limits.root };
        let fallback = fallback_move_outside(board, &options.excluded)
            .expect("the caller asks for boards with a free cell");
        control.publish(fallback);
        while strikes(Fault::Deaf) {
            thread::sleep(Duration::from_secs(1));
        }
        let style = Some(limits.style).filter(|style| !style.is_neutral());
        let styled = style.map(|style| EvalTables::of(board.rule()).in_style(style, board));
        let tables = styled.as_ref().unwrap_or_else(|| EvalTables::of(board.rule()));
        self.play_in((limits.strength, style.map(|style| (style, board.side_to_move()))));
        self.table.next_stamp();
        self.memories.iter_mut().for_each(|memory| memory.history.age());
        let shared = Shared::new(&self.table, control, limits.nodes, self.memories.len());
        let (own, others) =
            self.memories.split_first_mut().expect("invariant: the main thread has a memory");
        let mut worker = Worker::new(board, tables, &shared, own, 0);
        worker.listener = Some(listener);
        worker.blocked = &self.blocked;
        worker.root_moves = root_moves(&mut worker.board, options);
        let time = control.hard().map_or(u64::MAX, |hard| hard.as_millis() as u64);
        let vcf_nodes =
            ROOT_VCF_NODES.min(time.saturating_mul(ROOT_VCF_NODES_PER_MS)).min(limits.nodes / 4);
        let mut report = if let Some((mv, score)) = obvious_move(&mut worker, options, vcf_nodes) {
            Report { score, depth: 1, ..Report::unsearched(mv) }
        } else {
            let help = |thread, memory: &mut Memory| {
                let mut worker = Worker::new(board, tables, &shared, memory, thread);
                worker.blocked = &self.blocked;
                worker.root_moves = root_moves(&mut worker.board, options);
                let lines = Lines::new(&worker, options);
                deepen(&mut worker, None, lines, limits, fallback)
            };
            let mut prover = Prover::new(&mut self.vct, control, limits.nodes);
            let main = || {
                let mut lines = Lines::new(&worker, options);
                if let Some(proof) = prove(&mut prover, &mut worker, options) {
                    lines.add_proof(proof);
                    if options.lines <= 1 {
                        let mut report = Report { depth: 1, ..Report::unsearched(fallback) };
                        lines.write(&mut report);
                        return report;
                    }
                }
                drop_losing_moves(&mut worker, options, limits.nodes);
                deepen(&mut worker, Some(&mut prover), lines, limits, fallback)
            };
            pool::elect(pool::run(&shared, others, main, help))
        };
        control.publish(report.best);
        report.nodes = worker.count_nodes();
        report.elapsed = control.elapsed();
        report
    }
}

/// Iterative deepening: each depth is searched with what the one before left in the table.
fn deepen(
    worker: &mut Worker,
    mut prover: Option<&mut Prover>,
    mut lines: Lines,
    limits: &Limits,
    fallback: Coord,
) -> Report {
    let (shared, control) = (worker.shared(), worker.shared().control);
    let mut report = Report::unsearched(fallback);
    let mut patience = Patience::default();
    let last = limits.depth.min(MAX_DEPTH);
    for depth in limits.first_depth.min(last)..=last {
        if pool::skips(worker.thread, depth) {
            continue;
        }
        worker.selective_depth = 0;
        let result = lines.search(worker, depth);
        lines.write(&mut report);
        if result.is_err() {
            break;
        }
        report.depth = depth;
        report.selective_depth = worker.selective_depth as i32;
        report.nodes = worker.count_nodes();
        report.elapsed = control.elapsed();
        worker.tell(Progress::Iteration(&report));
        if lines.are_settled() {
            shared.end();
        }
        if shared.is_over() || control.is_stopped() {
            break;
        }
        let proof = prover.as_mut().and_then(|prover| prove(prover, worker, &limits.root));
        if let Some(proof) = proof {
            lines.add_proof(proof);
            lines.write(&mut report);
            if lines.are_settled() {
                break;
            }
        }
        patience.note(report.best, report.score, worker.effort());
        if worker.thread == 0 && patience.is_over(control) {
            break;
        }
    }
    report
}

/// Goes on with the proof of a win that begins with a move that is not excluded.
fn prove(prover: &mut Prover, worker: &mut Worker, options: &RootOptions) -> Option<Proof> {
    if worker.blocked.lies_ahead(&worker.board) {
        return None;
    }
    prover.prove(worker).filter(|proof| !options.excluded.contains(proof.mv))
}

/// Takes the moves that lose to continuous fours out of the root. Where several lines are asked
/// for they come after the others.
fn drop_losing_moves(worker: &mut Worker, options: &RootOptions, node_limit: u64) {
    if options.all_moves {
        return;
    }
    let Moves { cells, reserve } = worker.root_moves;
    root::drop_losing_moves(worker, node_limit);
    if options.lines > 1 {
        worker.root_moves.reserve = (cells | reserve).without(&worker.root_moves.cells);
    }
}

/// Aspiration: searches with a narrow window around the last score and widens it on a miss.
fn aspirate(worker: &mut Worker, depth: i32, last: Score) -> Result<Score, Stopped> {
    if depth < 5 || last.is_decisive() {
        return worker.negamax::<true>(depth * PLY, 0, Window::FULL, false);
    }
    let mut width = worker.params().aspiration_width;
    let mut window = Window::new(last.shift(-width), last.shift(width));
    loop {
        let score = worker.negamax::<true>(depth * PLY, 0, window, false)?;
        width *= 2;
        if score <= window.alpha {
            window.alpha = if width > 1000 { Score::MIN } else { score.shift(-width) };
        } else if score >= window.beta {
            window.beta = if width > 1000 { Score::MAX } else { score.shift(width) };
        } else {
            return Ok(score);
        }
        if score.is_decisive() {
            window = Window::FULL;
        }
    }
}

/// Returns the legal moves to search at the root.
fn root_moves(board: &mut Board, options: &RootOptions) -> Moves {
    let all = |cells| Moves { cells, reserve: CellSet::EMPTY };
    let mut moves =
        if options.all_moves { all(board.candidates()) } else { promising_moves(board) };
    if options.lines > 1 {
        moves.cells |= *board.cells_with(board.side_to_move(), Threat::Five);
    }
    moves.cells = moves.cells.without(&options.excluded);
    moves.reserve = moves.reserve.without(&options.excluded);
    retain_legal(board, &mut moves.cells);
    if !moves.cells.is_empty() {
        return moves;
    }
    // Whatever is legal, near the stones at first, excluded in the end.
    for cells in [board.candidates(), *board.empty_cells()] {
        moves = all(cells.without(&options.excluded));
        retain_legal(board, &mut moves.cells);
        if !moves.cells.is_empty() || options.excluded.is_empty() {
            return moves;
        }
    }
    root_moves(board, &RootOptions { excluded: CellSet::EMPTY, ..*options })
}

/// Returns the moves that the threats on the board make worth a search.
fn promising_moves(board: &Board) -> Moves {
    let them = !board.side_to_move();
    if board.count(them, Threat::Five) > 0 {
        let answers = board.common_refutations(them, Threat::Five);
        return Moves { cells: answers, reserve: CellSet::EMPTY };
    }
    picker::moves(board)
}

fn retain_legal(board: &mut Board, cells: &mut CellSet) {
    if board.rule() == Rule::Renju && board.side_to_move() == Color::Black {
        let flagged = *cells & *board.cells_with(Color::Black, Threat::Forbidden);
        for c in &flagged {
            if board.is_forbidden(c) {
                cells.remove(c);
            }
        }
    }
}

/// Plays of the four search before the first iteration, at most, and per millisecond of time.
const ROOT_VCF_NODES: u64 = 20_000;
const ROOT_VCF_NODES_PER_MS: u64 = 200;

/// Returns the move of a position that needs no deep search: a win by threats alone or by
/// continuous fours, or the only move.
fn obvious_move(
    worker: &mut Worker,
    options: &RootOptions,
    vcf_nodes: u64,
) -> Option<(Coord, Score)> {
    if options.lines > 1 && !worker.root_moves.cells.is_empty() {
        return None;
    }
    let us = worker.board.side_to_move();
    let excluded = &options.excluded;
    let first =
        |worker: &Worker, threat| worker.board.cells_with(us, threat).without(excluded).first();
    let fallback = |worker: &Worker| fallback_move_outside(&worker.board, excluded);
    if let Some(mv) = first(worker, Threat::Five) {
        return Some((mv, Score::win_in(1)));
    }
    if worker.blocked.lies_ahead(&worker.board) && !worker.root_moves.cells.is_empty() {
        // What the threats promise may be blocked.
        return None;
    }
    let fives = worker.board.count(!us, Threat::Five);
    if fives == 0 {
        if let Some(mv) = first(worker, Threat::OpenFour) {
            return Some((mv, Score::win_in(3)));
        }
    }
    if worker.root_moves.cells.is_empty() {
        // No stone to play near to, or nothing but fouls.
        return Some((fallback(worker)?, Score::DRAW));
    }
    let answers = worker.board.common_refutations(!us, Threat::Five);
    if fives > 0 && (answers & worker.root_moves.cells).is_empty() {
        // The four cannot be met; it is still stopped at one of its ends.
        return Some((fallback(worker)?, Score::loss_in(2)));
    }
    match worker.solve_vcf(vcf_nodes) {
        Outcome::Win { mv, plies } if !excluded.contains(mv) => Some((mv, Score::win_in(plies))),
        _ if worker.root_moves.cells.len() == 1 && worker.root_moves.reserve.is_empty() => {
            Some((worker.root_moves.cells.first()?, worker.static_score()))
        }
        _ => None,
    }
}

/// Returns a legal and tactically sane move without any search: the own five, the stop of a
/// five, otherwise the best cell by its threats, on an empty board the centre. `None` if no cell
/// is free. If everything is forbidden, some free cell.
pub fn fallback_move(board: &Board) -> Option<Coord> {
    fallback_move_outside(board, &CellSet::EMPTY)
}

/// Returns the same for a board on which the moves of `excluded` are not wanted; one of them if no
/// other one is legal.
pub fn fallback_move_outside(board: &Board, excluded: &CellSet) -> Option<Coord> {
    let us = board.side_to_move();
    let mut board = board.clone();
    let wanted = |cells: CellSet| cells.without(excluded);
    if let Some(mv) = wanted(*board.cells_with(us, Threat::Five)).first() {
        return Some(mv);
    }
    let mut stops = board.common_refutations(!us, Threat::Five);
    if stops.is_empty() {
        stops = *board.cells_with(!us, Threat::Five);
    }
    stops = wanted(stops);
    retain_legal(&mut board, &mut stops);
    let mut cells = if stops.is_empty() { wanted(board.candidates()) } else { stops };
    retain_legal(&mut board, &mut cells);
    if cells.is_empty() {
        cells = wanted(*board.empty_cells());
        retain_legal(&mut board, &mut cells);
    }
    if cells.is_empty() && !excluded.is_empty() {
        return fallback_move(&board);
    }
    if cells.is_empty() {
        cells = *board.empty_cells();
    }
    let tables = EvalTables::of(board.rule());
    let center = board.size().center();
    let has_stones = board.stone_count() > 0;
    cells.into_iter().max_by_key(|&c| {
        let order = if has_stones { tables.order(us, board.threats(c)) } else { 0 };
        (order, std::cmp::Reverse((c.distance(center), c)))
    })
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::types::{BoardSize, Bound, CELLS};
    use tt::Entry;

    /// Returns a position after some moves near each other, without a five.
    fn random_board(rng: &mut fastrand::Rng, rule: Rule) -> Board {
        let size = BoardSize::new(rng.u8(7..=15), rng.u8(7..=15)).expect("a valid size");
        let mut board = Board::new(size, rule);
        board.play(size.center());
        for _ in 0..rng.usize(4..30) {
            let us = board.side_to_move();
            let mut cells = board.candidates();
            retain_legal(&mut board, &mut cells);
            let calm = cells.into_iter().filter(|&c| !board.makes_five(c, us)).collect::<Vec<_>>();
            let Some(mv) = rng.choice(calm) else { break };
            board.play(mv);
        }
        board
    }

    /// Stores nonsense about the position and those up to two plies behind it, as if the keys of
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
            for mv in &{ board.candidates() } {
                board.play(mv);
                lie(table, board, rng, plies - 1);
                board.undo();
            }
        }
    }

    fn assert_legal(board: &Board, mv: Coord) {
        let mut board = board.clone();
        let is_foul = board.side_to_move() == Color::Black && board.is_forbidden(mv);
        assert!(board.is_empty(mv) && !is_foul, "{mv}");
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
            lie(&searcher.table, &mut board, &mut rng, 2);
            let control = Control::new(Instant::now(), None);
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
}
