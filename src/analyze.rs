//! Analysis of positions from files: the best moves, their scores and lines, forced wins played out.
//!
//! Each thread has a searcher of its own, which forgets between positions, so that no result depends
//! on the others. The main thread alone writes, in the order of the input. Knows nothing of the
//! command line.

mod input;
mod output;
mod progress;

pub use input::Selection;

use std::ffi::OsString;
use std::io::{self, Write, stderr, stdout};
use std::mem::take;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::board::Board;
use crate::parallel::{Update, in_order_with_ticks};
use crate::record::Ending;
use crate::search::clock::{Budget, Control};
use crate::search::{Limits, Report, STACK_BYTES, Searcher};
use crate::types::{BoardSize, Coord, Rule, Score, ScoreKind};
use input::Query;
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

/// The result for a position.
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
/// analysed; if no thread can be started, or the output fails.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let (queries, faults) = input::read(options);
    for fault in &faults {
        // Nobody may be left to hear it.
        let _ = writeln!(stderr(), "pbrain-tengen: {fault}");
    }
    analyze(options, &queries).context("cannot analyse")?;
    match faults.len() {
        0 => Ok(()),
        1 => bail!("one of the positions could not be read"),
        count => bail!("{count} of the positions could not be read"),
    }
}

/// Analyses the positions and prints what was found about each, in order.
fn analyze(options: &Options, queries: &[Query]) -> io::Result<()> {
    let worker = || {
        let mut searcher = Searcher::new(options.table_bytes);
        move |number| {
            let query = &queries[number as usize];
            (query, examine(&mut searcher, query, options))
        }
    };
    let mut out = stdout().lock();
    let mut progress = Progress::new(queries.len());
    let mut result = Ok(());
    let take = |update| {
        match update {
            Update::Result((query, finding)) => {
                progress.hide();
                let text = match options.json {
                    true => output::json(query, &finding),
                    false => output::text(query, &finding),
                };
                result = out.write_all(text.as_bytes()).and_then(|()| out.flush());
            }
            Update::Tick(finished) => progress.show(finished as usize),
        }
        result.is_ok()
    };
    let numbers = 0..queries.len() as u64;
    in_order_with_ticks(numbers, options.threads, STACK_BYTES, worker, progress::REFRESH, take)?;
    result
}

/// Analyses one position.
fn examine(searcher: &mut Searcher, query: &Query, options: &Options) -> Finding {
    if let Some((ending, _)) = query.record.ending(query.rule) {
        return Finding::Over(ending);
    }
    searcher.clear();
    let board = query.record.board(query.rule);
    let budget = options.time.map(|time| Budget { soft: time, hard: time });
    let control = Control::new(Instant::now(), budget);
    let mut report = searcher.search(&board, &options.limits, &control, &mut |_| ());
    report.pv = played_out(searcher, &board, report.score, report.pv);
    for line in &mut report.others {
        line.pv = played_out(searcher, &board, line.score, take(&mut line.pv));
    }
    Finding::Best(report)
}

/// Returns the line of a proved win or loss, extended up to the five as far as searches prove it;
/// any other line as it is.
fn played_out(searcher: &mut Searcher, board: &Board, score: Score, pv: Vec<Coord>) -> Vec<Coord> {
    let winner = match score.kind() {
        ScoreKind::Win(_) => board.side_to_move(),
        ScoreKind::Loss(_) => !board.side_to_move(),
        ScoreKind::Eval(_) => return pv,
    };
    let mut board = board.clone();
    let mut line: Vec<Coord> = Vec::new();
    let mut coming = pv;
    // The length of the line up to the last move that is proved to win.
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
        // Any move of the loser will do.
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
