//! One game of the engine against itself.
//!
//! A game begins with a balanced opening anywhere on the board and ends at the first proof; one
//! that fills most of the board is a draw. Most positions that a search evaluates never occur in
//! games. So each game also gives side positions (a few random moves off the game) and inner nodes
//! of its searches.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::RangeInclusive;

use anyhow::bail;
use tengen::opening::generator::{self, Generator, NO_OPENING};
use tengen::score::{Bound, Score, ScoreKind};
use tengen::search::control::Control;
use tengen::search::{Limits, OrderTables, Report, RootOptions, Searcher, TableEntry, Variation};
use tengen_gomoku::board::Board;
use tengen_gomoku::board::zobrist::Key;
use tengen_gomoku::record::Outcome;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::random::mixed;
use tengen_gomoku::types::{Coord, Random};
use tengen_lab::{Label, Sample, Source, TrainingGame, opening_hash};

use crate::datagen::Plan;

/// Bytes of the search's tables for each node of a search, and the least size. Each game begins
/// with zeroed tables: larger ones cost more than short searches.
const TABLE_NODE_BYTES: u64 = 128;
const TABLE_MIN_BYTES: usize = 1 << 20;
const OPENING_STONES: RangeInclusive<usize> = 2..=9;
/// The largest absolute score of an opening in the generator's search.
const FOUND_SCORE_MAX: i32 = 150;
/// The largest absolute score of an opening in the longer search that confirms it; a third search
/// hardly ever gives such an opening more than 150.
const CONFIRMED_SCORE_MAX: i32 = 100;
const FINDING_NODES: u64 = 1_000;
const CONFIRMING_NODES: u64 = 2_000;
/// Openings that may fail to be confirmed before the player gives up.
const OPENING_ATTEMPTS: usize = 1_000;
/// A search's nodes in percent of those asked for: a spread keeps games from repeating one another.
const NODES_PERCENT: RangeInclusive<usize> = 80..=120;
/// One search in so many is followed by a multi-PV search.
const MULTI_PV_INTERVAL: usize = 4;
const MULTI_PV: usize = 4;
/// Plies by which the first iteration of a multi-PV search is shallower than the last one of the
/// search before.
const MULTI_PV_DEPTH_LESS: i32 = 2;
/// A game is adjudicated a draw when this percentage of the board is full.
const DRAW_FILLED_PERCENT: usize = 80;
/// A game with level scores is adjudicated a draw when this percentage of the board is full.
const LEVEL_FILLED_PERCENT: usize = 60;
/// Level scores in a row that such a draw needs.
const LEVEL_PLIES: usize = 10;
const LEVEL_SCORE: i32 = 10;
/// One position of a game in so many gets a side position.
const SIDE_INTERVAL: usize = 3;
const RANDOM_MOVES: RangeInclusive<usize> = 1..=3;
/// A random move is one of so many first moves of the static order, doubled up to
/// [`RANDOM_MOVE_DOUBLINGS`] times.
const RANDOM_MOVE_CHOICES: usize = 2;
const RANDOM_MOVE_DOUBLINGS: RangeInclusive<usize> = 0..=4;
const LINE_MAX: usize = 16;

/// Returns the game of a number, or `None` if the hash of its opening is known.
pub fn play(
    plan: &Plan,
    number: u32,
    is_known: &impl Fn(u64) -> bool,
) -> anyhow::Result<Option<TrainingGame>> {
    let mut random = Random::new(mixed(plan.seed) ^ u64::from(number));
    // A new searcher: how much of its table a used one fills depends on the games before.
    let bytes = usize::try_from(TABLE_NODE_BYTES * plan.nodes).unwrap_or(usize::MAX);
    let mut searcher = Searcher::new(bytes.max(TABLE_MIN_BYTES));
    let (board, moves) = balanced_opening(plan, &mut searcher, &mut random)?;
    if is_known(opening_hash(&moves, board.size())) {
        return Ok(None);
    }
    let (samples, seen) = (Vec::new(), HashSet::new());
    let game = SelfPlay { plan, random, searcher, board, moves, samples, seen };
    Ok(Some(game.play(number)))
}

/// Returns an opening that a search of its own finds balanced too, and its stones.
fn balanced_opening(
    plan: &Plan,
    searcher: &mut Searcher,
    random: &mut Random,
) -> anyhow::Result<(Board, Vec<Coord>)> {
    let (size, rule) = (plan.sizes().draw(random), plan.rule);
    let (stones, nodes, window) = (OPENING_STONES, FINDING_NODES, FOUND_SCORE_MAX);
    let openings = generator::Plan { size, rule, stones, nodes, window };
    let mut generator = Generator::new(&openings, TABLE_MIN_BYTES);
    for _ in 0..OPENING_ATTEMPTS {
        let moves = generator.opening(random.below(usize::MAX) as u64)?;
        let board = Board::from_moves(size, rule, moves.iter().copied());
        let report = search(searcher, &board, plan.nodes.max(CONFIRMING_NODES));
        if report.score.value().abs() <= CONFIRMED_SCORE_MAX {
            return Ok((board, moves));
        }
    }
    bail!(NO_OPENING)
}

struct SelfPlay<'a> {
    plan: &'a Plan,
    random: Random,
    searcher: Searcher,
    board: Board,
    moves: Vec<Coord>,
    samples: Vec<(u64, Sample)>,
    /// The keys of the game's positions and the samples'.
    seen: HashSet<u64>,
}

impl SelfPlay<'_> {
    fn play(mut self, number: u32) -> TrainingGame {
        let opening = self.moves.len();
        let mut labels: Vec<Label> = Vec::new();
        let mut path = HashSet::new();
        let outcome = loop {
            if self.is_drawn(&labels) {
                break Outcome::Drawn;
            }
            let us = self.board.side_to_move();
            let key = self.board.key();
            path.insert(key);
            self.seen.insert(key);
            if self.random.below(SIDE_INTERVAL) == 0 {
                self.add_side_position();
            }
            let board = self.board.clone();
            let report = self.think(&board);
            let mut label = label(&report);
            if !report.score.is_decisive() && self.random.below(MULTI_PV_INTERVAL) == 0 {
                label.others = self.others(&board, &report);
            }
            self.add_inner_nodes(board, self.moves.len(), &[]);
            self.board.play(report.best);
            self.moves.push(report.best);
            labels.push(label);
            match report.score.kind() {
                ScoreKind::Win(_) => break Outcome::Won(us),
                ScoreKind::Loss(_) => break Outcome::Won(!us),
                ScoreKind::Eval(_) => {}
            }
        };
        // Those that the game came to later have better labels.
        let samples = self.samples.into_iter().filter(|(key, _)| !path.contains(key));
        TrainingGame {
            number,
            rule: self.plan.rule,
            size: self.board.size(),
            opening,
            outcome,
            moves: self.moves,
            labels,
            samples: samples.map(|(_, sample)| sample).collect(),
        }
    }

    fn is_drawn(&self, labels: &[Label]) -> bool {
        let area = self.board.size().area();
        let is_filled = |percent| self.board.stone_count() >= area * percent / 100;
        let is_level = |label: &Label| label.score.value().abs() <= LEVEL_SCORE;
        let last = labels.len().checked_sub(LEVEL_PLIES).map(|first| &labels[first..]);
        is_filled(DRAW_FILLED_PERCENT)
            || is_filled(LEVEL_FILLED_PERCENT) && last.is_some_and(|last| last.iter().all(is_level))
    }

    /// Returns good moves besides the best with their scores. The search for the best one is in the
    /// table, so that this one may begin close to where that ended.
    fn others(&mut self, board: &Board, best: &Report) -> Vec<(Coord, Score)> {
        let first_depth = (best.depth - MULTI_PV_DEPTH_LESS).max(1);
        let root = RootOptions { multi_pv: MULTI_PV, ..RootOptions::default() };
        let limits = Limits { nodes: self.nodes(), first_depth, root, ..Limits::default() };
        let report = self.searcher.search(board, &limits, &Control::untimed(), &mut |_| ());
        // What the first iteration did not get to has no score.
        let is_searched = |line: &Variation| line.depth > 0 && line.pv[0] != best.best;
        report.variations().filter(is_searched).map(|line| (line.pv[0], line.score)).collect()
    }

    fn think(&mut self, board: &Board) -> Report {
        let mut nodes = self.nodes();
        loop {
            let report = search(&mut self.searcher, board, nodes);
            if report.depth > 0 {
                return report;
            }
            nodes *= 2;
        }
    }

    fn nodes(&mut self) -> u64 {
        self.plan.nodes * self.draw(NODES_PERCENT) as u64 / 100
    }

    /// Adds a position a few random moves away from the game's, with nodes of its search, unless
    /// threats decide it there.
    fn add_side_position(&mut self) {
        let mut board = self.board.clone();
        let choices = RANDOM_MOVE_CHOICES << self.draw(RANDOM_MOVE_DOUBLINGS);
        let mut line = Vec::new();
        for _ in 0..self.draw(RANDOM_MOVES) {
            let Some(mv) = self.random_move(&board, choices) else { return };
            board.play(mv);
            line.push(mv);
            if board.win_by_threats().is_some() {
                return;
            }
        }
        let key = board.key();
        if !self.seen.insert(key) {
            return;
        }
        let report = self.think(&board);
        let ply = self.moves.len();
        let Label { score, depth, .. } = label(&report);
        let (source, mv, bound) = (Source::Side, Some(report.best), Bound::Exact);
        let sample = Sample { ply, line: line.clone(), source, mv, score, bound, depth };
        self.samples.push((key, sample));
        self.add_inner_nodes(board, ply, &line);
    }

    fn random_move(&mut self, board: &Board, choices: usize) -> Option<Coord> {
        let us = board.side_to_move();
        let tables = OrderTables::of(board.rule());
        let mut cells: Vec<Coord> = board.candidates().into_iter().collect();
        cells.sort_by_key(|&c| (Reverse(tables.order(us, board.threats(c))), c));
        cells.truncate(choices);
        let mv = cells.get(self.random.below(cells.len().max(1))).copied();
        mv.filter(|&mv| board.is_legal(mv, us))
    }

    /// Adds positions after `root` that the table knows deeply enough, from this search or an
    /// earlier one of the game. The moves of `line` lead from the game's position after `ply` moves to
    /// `root`.
    ///
    /// They are what an evaluation really meets, and cost nothing: TreeStrap learns from them
    /// (Veness, Silver, Uther and Blair, "Bootstrapping from Game Tree Search", 2009).
    fn add_inner_nodes(&mut self, mut root: Board, ply: usize, line: &[Coord]) {
        for _ in 0..self.plan.inner {
            let Some((key, node, entry)) = self.inner_node(&mut root) else { continue };
            self.seen.insert(key);
            let sample = Sample {
                ply,
                line: [line, &node].concat(),
                source: Source::Inner,
                mv: entry.mv,
                score: entry.score_at(0),
                bound: entry.bound,
                depth: entry.plies().clamp(0, u8::MAX.into()) as u8,
            };
            self.samples.push((key, sample));
        }
    }

    /// Follows a random line as long as the table knows its positions deeply enough, and returns
    /// one of them that is new, with its line.
    fn inner_node(&mut self, board: &mut Board) -> Option<(u64, Vec<Coord>, TableEntry)> {
        let mut line = Vec::new();
        let mut found = Vec::new();
        while line.len() < LINE_MAX {
            let Some(mv) = self.known_move(board) else { break };
            board.play(mv);
            line.push(mv);
            let key = board.key();
            // Proven variations go on to the five, before which nothing is evaluated.
            let wins_at_once = board.count(board.side_to_move(), Threat::Five) > 0;
            let is_new = !wins_at_once && !self.seen.contains(&key);
            let entry = self.entry(board.key());
            if let Some(entry) = entry.filter(|_| is_new) {
                let mv = entry.mv.filter(|&mv| board.is_empty(mv));
                found.push((line.len(), key, TableEntry { mv, ..entry }));
            }
        }
        line.iter().for_each(|_| board.undo());
        if found.is_empty() {
            return None;
        }
        let (len, key, entry) = found.swap_remove(self.random.below(found.len()));
        line.truncate(len);
        Some((key, line, entry))
    }

    /// Returns a move after which the table knows the position deeply enough: the table move, if it
    /// is such a one, with probability 1/2, otherwise any of them.
    fn known_move(&mut self, board: &Board) -> Option<Coord> {
        let is_known = |&mv: &Coord| self.entry(board.key_after(mv)).is_some();
        let cells: Vec<Coord> = board.candidates().into_iter().filter(is_known).collect();
        let best = self.searcher.table.probe(board.key()).and_then(|entry| entry.mv);
        match best.filter(|mv| cells.contains(mv)) {
            Some(mv) if self.random.below(2) == 0 => Some(mv),
            _ => cells.get(self.random.below(cells.len().max(1))).copied(),
        }
    }

    fn entry(&self, key: Key) -> Option<TableEntry> {
        self.searcher.table.probe(key).filter(|entry| entry.plies() >= self.plan.inner_depth)
    }

    fn draw(&mut self, numbers: RangeInclusive<usize>) -> usize {
        let (first, last) = numbers.into_inner();
        first + self.random.below(last - first + 1)
    }
}

fn search(searcher: &mut Searcher, board: &Board, nodes: u64) -> Report {
    let limits = Limits { nodes, ..Limits::default() };
    searcher.search(board, &limits, &Control::untimed(), &mut |_| ())
}

fn label(report: &Report) -> Label {
    let depth = report.depth.clamp(0, u8::MAX.into()) as u8;
    Label { score: report.score, depth, others: Vec::new() }
}
