//! Analysis of positions from files: the best moves, their scores and lines, forced wins played
//! out.
//!
//! Each thread has a searcher of its own, which forgets between positions, so that no result
//! depends on the others; where there is a database, each one begins with what that has by then.
//! Where there are fewer positions than threads, a searcher uses several. The main thread alone
//! writes, in the order of the input, and what it has written is in the database.

mod output;
mod progress;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write, stdout};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Error, bail, ensure};
use clap::{Args, value_parser};
use serde::Serialize;
use tengen_gomoku::board::Board;
use tengen_gomoku::record::tree::{GameTree, NodeId};
use tengen_gomoku::record::{Format, Record};
use tengen_gomoku::types::{Coord, Rule};

use crate::input::{Inputs, Reading, SourceGame, check_whole};
use crate::typed;
use output::page;
pub(crate) use output::value_words;
use progress::Progress;
use tengen::database::probing::{self, NewEntries};
use tengen::database::{Database, transfer};
use tengen::eval::Style;
use tengen::eval::win_rate::win_rate;
use tengen::output_file::{Kind, OutputFile};
use tengen::parallel::{self, in_order_with_ticks, lock};
use tengen::score::{Score, ScoreKind};
use tengen::search::clock::Budget;
use tengen::search::control::Control;
use tengen::search::{self, Limits, MAX_DEPTH, Report, RootOptions, STACK_BYTES, Searcher};
use tengen_session::review::annotation::annotate;
use tengen_session::review::verdict::Verdict;
use tengen_session::review::{Finding, Line, Review, Value};

/// Nodes of each search that plays a forced win out.
const FOLLOW_NODES: u64 = 100_000;
/// The longest line of a forced win that is played out.
const FOLLOW_PLIES: usize = 100;
/// The options that review whole games.
const REVIEWS: [&str; 5] = ["every", "variations", "sgf", "lib", "html"];

const ABOUT: &str = "\
Reads positions and prints the best move, its score and line of play for each, or with --lines \
the N best ones; forced wins are played out. A position is a line such as h8i9h10 or 0,0, 1,-1, \
0,2 (counted from the centre), or a game in a format that Tengen reads, such as .psq (Piskvork), \
SGF or .lib (RenLib), of which the last position is analysed. Each core works on a position of \
its own, or all on one where there are fewer positions than cores. At a score of 200 the side to \
move is expected to win about seven games of ten, at 0 half.";

/// What to analyse, and how.
#[derive(Clone, Debug, Args)]
#[command(after_help = ABOUT)]
pub struct Options {
    #[command(flatten)]
    reading: Reading,
    /// Time for each position [default: 1, or none with --depth or --nodes]
    #[arg(long, value_name = "SECONDS", value_parser = typed::time)]
    time: Option<Duration>,
    /// Depth of each search
    #[arg(long, value_name = "PLIES", value_parser = value_parser!(i32).range(1..=i64::from(MAX_DEPTH)))]
    depth: Option<i32>,
    /// Nodes of each search
    #[arg(long, value_parser = value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Print the N best moves of each position
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..), default_value = "1")]
    lines: u16,
    /// Analyse the position after so many moves of a game
    #[arg(long, value_name = "MOVES", conflicts_with_all = REVIEWS)]
    after: Option<usize>,
    /// Analyse every position of a game, and judge its moves
    #[arg(long)]
    every: bool,
    /// The same for the variations of a game as well
    #[arg(long)]
    variations: bool,
    /// Write the games with their reviews as SGF; implies --every
    #[arg(long, value_name = "FILE")]
    sgf: Option<PathBuf>,
    /// Write the game with its review as a library of RenLib; implies --every
    #[arg(long, value_name = "FILE")]
    lib: Option<PathBuf>,
    /// Write the reviews as a page for a browser; implies --every
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Replace files even if they are inputs or of another kind
    #[arg(long)]
    force: bool,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
    /// Attack against defence, for the side to move
    #[arg(long, value_name = "0-100", value_parser = typed::style, default_value = "50", conflicts_with_all = REVIEWS)]
    style: Style,
    /// Positions or parts of a search at a time [default: all cores]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Memory for each position analysed at a time
    #[arg(long, value_name = "MB", value_parser = value_parser!(u16).range(1..), default_value = "64")]
    memory: u16,
    /// Begin with what this database knows, and keep there what is found
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
    /// Files, or positions themselves; - is standard input, the default
    #[arg(value_name = "FILE")]
    inputs: Vec<OsString>,
}

impl Options {
    fn queries(&self, game: &Arc<SourceGame>) -> impl Iterator<Item = Query> {
        let nodes: Vec<NodeId> = match self.after {
            Some(moves) => game.after(moves).into_iter().collect(),
            None if self.variations => game.tree.preorder().collect(),
            None if self.reviews() => game.main_line.clone(),
            None => game.main_line.last().copied().into_iter().collect(),
        };
        let is_single = nodes.len() == 1;
        let nodes = nodes.into_iter().filter(move |&node| is_single || game.tree.is_position(node));
        nodes.map(|node| Query { game: Arc::clone(game), node })
    }

    fn limits(&self) -> Limits {
        let no_limits = Limits::default();
        Limits {
            depth: self.depth.unwrap_or(no_limits.depth),
            nodes: self.nodes.unwrap_or(no_limits.nodes),
            root: RootOptions { multi_pv: self.lines.into(), is_analysis: true, ..no_limits.root },
            style: self.style,
            ..no_limits
        }
    }

    fn time(&self) -> Option<Duration> {
        let has_limit = self.depth.is_some() || self.nodes.is_some();
        self.time.or((!has_limit).then_some(Duration::from_secs(1)))
    }

    fn reviews(&self) -> bool {
        self.every || self.variations || self.writes_files()
    }

    fn writes_files(&self) -> bool {
        self.sgf.is_some() || self.html.is_some() || self.lib.is_some()
    }
}

/// Analyses all positions and prints what was found. An output that fails ends the analysis, but
/// not where files are to be written. A faulty part of an input is printed at once and an error at
/// the end, or, where an output would overwrite that input, before anything is analysed.
pub fn run(options: &Options) -> anyhow::Result<()> {
    // First, since no result can go into its file, and it may be made only now.
    let database = options.database.as_deref().map(Database::open).transpose()?;
    let mut files: Vec<(Kind, OutputFile)> = Vec::new();
    let paths = [&options.sgf, &options.html, &options.lib];
    for (path, kind) in
        paths.into_iter().zip([Kind::Game(Format::Sgf), Kind::Page, Kind::Game(Format::Library)])
    {
        let Some(path) = path else { continue };
        let file = transfer::output(path, kind, &options.inputs, options.force)?;
        let is_same = files.iter().any(|(_, other)| other.is_at(&file.path));
        ensure!(!is_same, "two results cannot go into one file");
        files.push((kind, file));
    }
    let inputs = Inputs::read(&options.reading, &options.inputs);
    inputs.tell(&files.iter().map(|(_, file)| file).collect::<Vec<&OutputFile>>())?;
    let queries: Vec<Query> = inputs.games.iter().flat_map(|game| options.queries(game)).collect();
    if let (true, Some(Query { game, .. })) = (options.lib.is_some(), queries.first()) {
        let is_one = queries.iter().all(|query| Arc::ptr_eq(&query.game, game));
        ensure!(is_one, "a library of RenLib holds one game");
        Format::Library.write(&game.tree).map_err(Error::msg).context("no library is written")?;
    }
    let (reviews, printed, stored) =
        analyze(options, &queries, database.as_ref()).context("cannot analyse")?;
    if options.writes_files() && reviews.is_empty() && inputs.faults.is_empty() {
        bail!("there is no game to review");
    }
    for (kind, file) in files.iter().filter(|_| !reviews.is_empty()) {
        let content = match kind {
            Kind::Game(format) => {
                let annotated =
                    |game: &Reviewed| annotate(&game.review, GameTree::clone(&game.review.tree));
                let trees: Vec<_> = reviews.iter().map(annotated).collect();
                format.write_all(&trees).map_err(Error::msg)?
            }
            _ => page(&reviews).into_bytes(),
        };
        file.write(|mut file| Ok(file.write_all(&content)?))?;
    }
    // A closed output must hide nothing else that went wrong.
    stored?;
    check_whole(inputs.faults.len())?;
    printed.context("cannot write")
}

struct Query {
    game: Arc<SourceGame>,
    node: NodeId,
}

impl Query {
    fn record(&self) -> Record {
        self.game.tree.record(self.node)
    }

    fn is_variation(&self) -> bool {
        // Parents have smaller numbers than their children.
        self.game.main_line.binary_search(&self.node).is_err()
    }
}

struct Reviewed {
    game: Arc<SourceGame>,
    review: Review,
}

#[derive(Clone, Copy, Default, Serialize)]
struct Cost {
    nodes: u64,
    milliseconds: u128,
}

/// Analyses the positions and prints what was found about each, in order, as long as that can be
/// printed. Returns the reviews of all games, if files are to be written, and whether all could be
/// printed and stored.
fn analyze(
    options: &Options,
    queries: &[Query],
    database: Option<&Database>,
) -> anyhow::Result<(Vec<Reviewed>, io::Result<()>, anyhow::Result<()>)> {
    let threads = parallel::threads(options.threads);
    let at_once = queries.len().clamp(1, threads);
    let spare = AtomicUsize::new(threads % at_once);
    // What the searches have found so far, by the number of the position.
    let found = Mutex::new(BTreeMap::new());
    let finished = AtomicUsize::new(0);
    let worker = || {
        let mut searcher = Searcher::new(usize::from(options.memory) << 20);
        let takes_one = |spare: usize| spare.checked_sub(1);
        let more = spare.fetch_update(Ordering::Relaxed, Ordering::Relaxed, takes_one).is_ok();
        searcher.set_threads(threads / at_once + usize::from(more));
        let (found, finished) = (&found, &finished);
        move |number| {
            let query = &queries[number as usize];
            let budget = options.time().map(|time| Budget { soft: None, hard: time });
            let control = Arc::new(Control::new(Instant::now(), budget));
            let tell = |report: &Report| {
                lock(found).insert(number, (report.clone(), Arc::clone(&control)));
            };
            let analysed = analyze_one(&mut searcher, query, options, &control, database, tell);
            lock(found).remove(&number);
            finished.fetch_add(1, Ordering::Relaxed);
            (query, analysed)
        }
    };
    let mut out = stdout().lock();
    let mut print = |text: &str| out.write_all(text.as_bytes()).and_then(|()| out.flush());
    let mut printed = Ok(());
    let mut stored = Ok(());
    let mut progress = Progress::new(queries.len());
    let mut results = Results { options, reviews: Vec::new(), unprinted: Vec::new() };
    let take = |result| -> anyhow::Result<bool> {
        match result {
            Some((query, analysed)) => {
                progress.hide();
                let (finding, cost, new_entries) = analysed?;
                if let (Some(database), Ok(())) = (database, &stored) {
                    stored = probing::store_soon(database, new_entries);
                }
                let text = results.take(query, finding, cost);
                if printed.is_ok() {
                    printed = print(&text);
                }
            }
            None => {
                let first = lock(&found).first_key_value().map(|(&n, found)| (n, found.clone()));
                let status = first.map(|(number, (report, control))| {
                    let query = &queries[number as usize];
                    let (nodes, elapsed) = (control.nodes(), control.elapsed());
                    let report = Report { nodes, elapsed, ..report };
                    let (rule, to_move) = (query.game.rule, query.record().to_move());
                    output::status(rule, &report, to_move, progress::COLUMNS)
                });
                progress.show(finished.load(Ordering::Relaxed), status.as_deref());
            }
        }
        Ok(printed.is_ok() || options.writes_files())
    };
    let numbers = 0..queries.len() as u64;
    let done = in_order_with_ticks(numbers, at_once, STACK_BYTES, worker, progress::REFRESH, take);
    if let (Some(database), Ok(())) = (database, &stored) {
        stored = probing::store(database, NewEntries::new());
    }
    done?;
    let printed = printed.and_then(|()| print(&results.summary()));
    Ok((results.reviews, printed, stored))
}

struct Results<'a> {
    options: &'a Options,
    /// Of all games, or of the last one alone if that is enough.
    reviews: Vec<Reviewed>,
    /// The positions of the last game that are not printed yet: proofs of later ones may reach
    /// them.
    unprinted: Vec<(&'a Query, Cost)>,
}

impl<'a> Results<'a> {
    /// Takes what was found about a position and returns what is printed now.
    fn take(&mut self, query: &'a Query, finding: Finding, cost: Cost) -> String {
        if !self.options.reviews() {
            return self.printer()(query, &finding, cost, None);
        }
        let mut text = String::new();
        let goes_on = |reviewed: &Reviewed| Arc::ptr_eq(&reviewed.game, &query.game);
        if !self.reviews.last().is_some_and(goes_on) {
            text = self.summary();
            if !self.options.writes_files() {
                self.reviews.clear();
            }
            let game = Arc::clone(&query.game);
            let review = Review::new(Arc::clone(&game.tree), game.main_line.clone(), game.rule);
            self.reviews.push(Reviewed { review, game });
        }
        let Some(Reviewed { review, .. }) = self.reviews.last_mut() else { return text };
        review.add(query.node, finding);
        let last = self.unprinted.last();
        let before = last.is_some_and(|(last, _)| review.may_turn_out_lost(last.node));
        let is_open = before || review.may_turn_out_lost(query.node);
        // A variation begins at a position that may be far back.
        if !is_open && !self.options.variations {
            text += &self.print_waiting();
        }
        self.unprinted.push((query, cost));
        text
    }

    /// Returns what is printed of the positions that wait for it.
    fn print_waiting(&mut self) -> String {
        let print = self.printer();
        let Some(Reviewed { review, .. }) = self.reviews.last() else { return String::new() };
        let text = |(query, cost): (&Query, Cost)| {
            let finding = review.finding(query.node)?;
            Some(print(query, finding, cost, review.verdict(query.node).as_ref()))
        };
        self.unprinted.drain(..).filter_map(text).collect()
    }

    fn printer(&self) -> fn(&Query, &Finding, Cost, Option<&Verdict>) -> String {
        if self.options.json { output::json } else { output::text }
    }

    fn summary(&mut self) -> String {
        let print = if self.options.json { output::summary_json } else { output::summary_text };
        let is_judged =
            |game: &&Reviewed| game.review.summaries().iter().any(|side| side.moves > 0);
        self.print_waiting() + &self.reviews.last().filter(is_judged).map(print).unwrap_or_default()
    }
}

/// Analyses one position, and tells what is found as it is. Returns what the database is to keep, too.
fn analyze_one(
    searcher: &mut Searcher,
    query: &Query,
    options: &Options,
    control: &Control,
    database: Option<&Database>,
    tell: impl Fn(&Report),
) -> anyhow::Result<(Finding, Cost, NewEntries)> {
    let (record, rule) = (query.record(), query.game.rule);
    if let Some((ending, _)) = record.ending(rule) {
        return Ok((Finding::Over(ending), Cost::default(), NewEntries::new()));
    }
    searcher.clear();
    let board = record.board(rule);
    let listener = &mut |progress: search::Progress| {
        if let search::Progress::Report(report) = progress {
            tell(report);
        }
    };
    let limits = &options.limits();
    let report = match database {
        Some(database) => probing::search(database, searcher, &board, limits, control, listener)?,
        None => searcher.search(&board, limits, control, listener),
    };
    let new_entries = database.map(|_| probing::new_entries(searcher, &board, limits, &report));
    let lines = report.variations().map(|line| Line {
        moves: played_out(searcher, &board, line.score, line.pv),
        value: value(rule, line.score),
        depth: line.depth,
    });
    let finding = Finding::Evaluated { lines: lines.collect(), others_lose: report.others_lose };
    let cost = Cost { nodes: report.nodes, milliseconds: report.elapsed.as_millis() };
    Ok((finding, cost, new_entries.unwrap_or_default()))
}

pub(crate) fn value(rule: Rule, score: Score) -> Value {
    match score.kind() {
        ScoreKind::Eval(value) => {
            Value::Estimate { win_rate: win_rate(rule, score), score: Some(value) }
        }
        ScoreKind::Win(plies) => Value::Win(plies),
        ScoreKind::Loss(plies) => Value::Loss(plies),
    }
}

/// Returns the line of a proven win or loss, extended up to the five as far as searches prove that
/// it comes in time; any other line as it is.
fn played_out(searcher: &mut Searcher, board: &Board, score: Score, pv: Vec<Coord>) -> Vec<Coord> {
    let (winner, plies) = match score.kind() {
        ScoreKind::Win(plies) => (board.side_to_move(), plies),
        ScoreKind::Loss(plies) => (!board.side_to_move(), plies),
        ScoreKind::Eval(_) => return pv,
    };
    let mut board = board.clone();
    let mut line: Vec<Coord> = Vec::new();
    let mut coming = pv;
    // A database has the moves of several searches, which may take longer than the win.
    if coming.len() > plies as usize {
        coming.truncate(1);
    }
    // The length of the line up to the last move that is proven to win.
    let mut proven = coming.len();
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
        let control = Control::untimed();
        let in_time = Score::win_in(plies - line.len() as i32);
        // Proofs of earlier searches could hide a shorter win.
        searcher.clear();
        let next = searcher.search(&board, &limits, &control, &mut |_| ());
        // Any move of the loser will do.
        coming = if is_winner { next.pv } else { vec![next.best] };
        if is_winner {
            if next.score < in_time {
                break;
            }
            proven = line.len() + coming.len();
        }
    }
    line.truncate(proven);
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::board::notation::parse_points;

    #[test]
    fn no_line_is_longer_than_its_win() {
        let board = Board::after(15, Rule::Freestyle, "h8a1i8a3j8a5");
        let mut searcher = Searcher::new(1 << 22);
        for pv in ["k8l8g8", "k8a7o1a9g8", "k8"] {
            let pv = parse_points(pv, board.size()).unwrap();
            let line = played_out(&mut searcher, &board, Score::win_in(3), pv.clone());
            assert_eq!((line.len(), line[0]), (3, pv[0]));
        }
    }
}
