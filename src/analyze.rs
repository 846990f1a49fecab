//! Analysis of positions from files: the best moves, their scores and lines, forced wins played out.
//!
//! A pool of threads takes positions one at a time, each with a searcher of its own that forgets
//! between them, so that no result depends on the others. The main thread alone writes, in the
//! order of the input.

mod input;
mod output;
mod progress;

pub use input::Selection;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Write, stderr, stdout};
use std::mem::take;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::board::Board;
use crate::record::Ending;
use crate::search::clock::{Budget, Control};
use crate::search::{Limits, Report, STACK_BYTES, Searcher};
use crate::types::{BoardSize, Coord, Rule, Score, ScoreKind};
use input::Position;
use progress::Progress;

/// Nodes of each search that plays a forced win out.
const FOLLOW_NODES: u64 = 100_000;
/// The longest line of a forced win that is played out.
const FOLLOW_PLIES: usize = 100;

/// What to analyse, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// Files, positions themselves, or `-` for standard input; nothing is standard input too.
    pub inputs: Vec<OsString>,
    /// Which positions of a game.
    pub selection: Selection,
    /// The rule of games that name none.
    pub rule: Rule,
    /// The board of games that name none.
    pub size: BoardSize,
    /// Depth and nodes of each search, and how many lines it finds.
    pub limits: Limits,
    /// Time of each search.
    pub time: Option<Duration>,
    /// Positions analysed at a time.
    pub threads: usize,
    /// Memory of each thread's tables.
    pub table_bytes: usize,
    /// True for JSON lines, false for text.
    pub json: bool,
}

/// What was found out about a position.
enum Finding {
    /// The best move and its line, and those of the next best.
    Best(Report),
    /// The game is over.
    Over(Ending),
}

/// Analyses all positions and prints what was found.
///
/// # Errors
///
/// If something could not be read, which is told at once and does not keep the rest from being
/// analysed; if a thread cannot be started, or the output fails otherwise than by being closed.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let (positions, faults) = input::read(options);
    for fault in &faults {
        // Nobody may be left to hear it.
        let _ = writeln!(stderr(), "pbrain-tengen: {fault}");
    }
    match analyze(options, &positions).map_err(anyhow::Error::downcast::<io::Error>) {
        Err(Ok(error)) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
        Err(Ok(error)) => return Err(error).context("cannot analyse"),
        Err(Err(error)) => return Err(error),
        Ok(()) => {}
    }
    match faults.len() {
        0 => Ok(()),
        1 => bail!("one of the positions could not be read"),
        count => bail!("{count} of the positions could not be read"),
    }
}

fn analyze(options: &Options, positions: &[Position]) -> anyhow::Result<()> {
    let next = AtomicUsize::new(0);
    let (sender, findings) = channel();
    thread::scope(|scope| {
        for _ in 0..options.threads.min(positions.len()) {
            let (sender, next) = (sender.clone(), &next);
            let work = move || {
                let mut searcher = Searcher::new(options.table_bytes);
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(position) = positions.get(index) else { return };
                    let finding = examine(&mut searcher, position, options);
                    if sender.send((index, finding)).is_err() {
                        return;
                    }
                }
            };
            let thread = thread::Builder::new().name("analysis".into()).stack_size(STACK_BYTES);
            thread.spawn_scoped(scope, work).context("cannot start a thread")?;
        }
        drop(sender);
        let mut out = stdout().lock();
        let mut progress = Progress::new(positions.len());
        let mut waiting = BTreeMap::new();
        let mut written = 0;
        loop {
            match findings.recv_timeout(progress::REFRESH) {
                Ok((index, finding)) => {
                    waiting.insert(index, finding);
                    progress.finish_one();
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            while let Some(finding) = waiting.remove(&written) {
                let position = &positions[written];
                progress.hide();
                let text = match options.json {
                    true => output::json(position, &finding),
                    false => output::text(position, &finding),
                };
                let result = out.write_all(text.as_bytes()).and_then(|()| out.flush());
                if result.is_err() {
                    next.store(positions.len(), Ordering::Relaxed);
                }
                result?;
                written += 1;
            }
            progress.show();
        }
        progress.hide();
        Ok(())
    })
}

/// Analyses one position.
fn examine(searcher: &mut Searcher, position: &Position, options: &Options) -> Finding {
    if let Some((ending, _)) = position.record.ending(position.rule) {
        return Finding::Over(ending);
    }
    searcher.clear();
    let board = position.record.board(position.rule);
    let budget = options.time.map(|time| Budget { soft: time, hard: time });
    let control = Control::new(Instant::now(), budget);
    let mut report = searcher.search(&board, &options.limits, &control, &mut |_| ());
    report.pv = played_out(searcher, &board, report.score, report.pv);
    for line in &mut report.others {
        line.pv = played_out(searcher, &board, line.score, take(&mut line.pv));
    }
    Finding::Best(report)
}

/// Returns the line of a proved win or loss made longer, up to the five if that can be proved on
/// the way; any other line as it is.
fn played_out(searcher: &mut Searcher, board: &Board, score: Score, pv: Vec<Coord>) -> Vec<Coord> {
    let winner = match score.kind() {
        ScoreKind::Win(_) => board.side_to_move(),
        ScoreKind::Loss(_) => !board.side_to_move(),
        ScoreKind::Eval(_) => return pv,
    };
    let mut board = board.clone();
    let mut line: Vec<Coord> = Vec::new();
    let mut coming = pv;
    // So many moves of the line end with one that is proved to win.
    let mut proved = coming.len();
    while line.len() < FOLLOW_PLIES {
        for &mv in &coming {
            let is_five = board.makes_five(mv, board.side_to_move());
            board.play(mv);
            line.push(mv);
            if is_five {
                return line;
            }
        }
        if board.empty_count() == 0 {
            break;
        }
        let is_winner = board.side_to_move() == winner;
        let limits = Limits { nodes: FOLLOW_NODES, ..Limits::default() };
        let control = Control::new(Instant::now(), None);
        let next = searcher.search(&board, &limits, &control, &mut |_| ());
        // The loser may do what he likes.
        coming = if is_winner { next.pv } else { vec![next.best] };
        if is_winner {
            if !next.score.is_win() {
                break;
            }
            proved = line.len() + coming.len();
        }
    }
    line.truncate(proved);
    line
}
