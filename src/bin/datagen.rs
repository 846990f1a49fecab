//! Plays games of the engine against itself and writes them as training data.
//!
//! Usage: `datagen RULE SIZE GAMES NODES SEED > FILE`, with RULE one of freestyle, standard,
//! renju, caro, caro-exact. Each line is one game: rule, size, stones of the opening, result
//! (`B`, `W` or `D`), the moves in "pos" notation, and the score of every searched move from the
//! mover's view, `+` or `-` for a proved win or loss. A game ends when the threats on the board
//! decide it at a glance. Openings are random stones close together after which neither side has
//! a proved win and neither is far ahead.
//!
//! A search judges more positions that nobody would play than positions of games. So lines with
//! the result `?` follow, each a position of the game before with a few hasty moves more, the
//! move that the search chose there, and its score. Public interface of the engine only.

use std::cmp::Reverse;
use std::io::Write;
use std::time::Instant;

use anyhow::{Context, bail};
use tengen::board::Board;
use tengen::eval::EvalTables;
use tengen::search::clock::Control;
use tengen::search::{Limits, Report, Searcher};
use tengen::shape::Threat;
use tengen::types::{BoardSize, CellSet, Color, Coord, Random, Rule, ScoreKind};

/// Evaluations beyond this make an opening too uneven to learn from.
const OPENING_LIMIT: i32 = 400;
/// Games that are not decided by then are draws.
const MAX_STONES_PERCENT: usize = 80;
/// One in so many positions of a game is left by hasty moves too.
const SIDE_INTERVAL: usize = 3;
/// Hasty moves of one side position, at most.
const MAX_HASTY_MOVES: usize = 3;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [rule, size, games, nodes, seed] = args.as_slice() else {
        bail!("usage: datagen RULE SIZE GAMES NODES SEED");
    };
    let size: u8 = size.parse().context("the size is a number")?;
    let mut generator = Generator {
        rule: Rule::from_name(rule).with_context(|| format!("unknown rule {rule}"))?,
        size: BoardSize::new(size, size).context("the size is 5 to 22")?,
        nodes: nodes.parse().context("the nodes are a number")?,
        random: Random::new(seed.parse().context("the seed is a number")?),
        searcher: Searcher::new(16 << 20),
    };
    let mut output = std::io::stdout().lock();
    for _ in 0..games.parse::<u64>().context("the games are a number")? {
        for line in generator.play() {
            writeln!(output, "{rule} {size} {line}")?;
        }
        output.flush()?;
    }
    Ok(())
}

struct Generator {
    rule: Rule,
    size: BoardSize,
    nodes: u64,
    random: Random,
    searcher: Searcher,
}

impl Generator {
    /// Plays one game and returns its line and those of its side positions, without rule and
    /// size.
    fn play(&mut self) -> Vec<String> {
        let (mut board, mut moves) = self.opening();
        let opening = moves.len();
        let mut scores = Vec::new();
        let mut sides = Vec::new();
        let last = self.size.area() * MAX_STONES_PERCENT / 100;
        let result = loop {
            let us = board.side_to_move();
            if is_decided(&board) {
                break if us == Color::Black { "B" } else { "W" };
            }
            if board.stone_count() >= last {
                break "D";
            }
            if self.random.below(SIDE_INTERVAL) == 0 {
                sides.extend(self.side_position(&board, &moves));
            }
            let report = self.think(&board);
            moves.push(report.best);
            scores.push(score_text(&report));
            board.play(report.best);
        };
        let mut lines = vec![line(opening, result, &moves, &scores)];
        lines.append(&mut sides);
        lines
    }

    /// Returns the line of a position a few hasty moves away from a game's, unless one of them
    /// decides the game.
    fn side_position(&mut self, board: &Board, moves: &[Coord]) -> Option<String> {
        let tables = EvalTables::of(self.rule);
        let (mut board, mut moves) = (board.clone(), moves.to_vec());
        let choices = 2 << self.random.below(5);
        for _ in 0..1 + self.random.below(MAX_HASTY_MOVES) {
            let us = board.side_to_move();
            let mut cells: Vec<Coord> = board.candidates().into_iter().collect();
            cells.sort_by_key(|&c| (Reverse(tables.order(us, board.threats(c))), c));
            cells.truncate(choices);
            let mv = *cells.get(self.random.below(cells.len().max(1)))?;
            if us == Color::Black && board.is_forbidden(mv) {
                return None;
            }
            board.play(mv);
            moves.push(mv);
            if is_decided(&board) {
                return None;
            }
        }
        let report = self.think(&board);
        let stones = moves.len();
        moves.push(report.best);
        Some(line(stones, "?", &moves, &[score_text(&report)]))
    }

    fn think(&mut self, board: &Board) -> Report {
        // A spread of node counts keeps games from repeating one another.
        let nodes = self.nodes * (80 + self.random.below(41) as u64) / 100;
        let limits = Limits { nodes, ..Limits::default() };
        let control = Control::new(Instant::now(), None);
        self.searcher.search(board, &limits, &control, &mut |_| ())
    }

    /// Returns an undecided position of a few random stones, black to move or white.
    fn opening(&mut self) -> (Board, Vec<Coord>) {
        loop {
            self.searcher.clear();
            let mut board = Board::new(self.size, self.rule);
            let mut moves = Vec::new();
            let count = 2 + self.random.below(7);
            let width = (4 + self.random.below(4) as u8).min(self.size.width());
            let [left, top] = [self.size.width(), self.size.height()]
                .map(|side| self.random.below((side - width + 1) as usize) as u8);
            let area: CellSet = self
                .size
                .cells()
                .filter(|c| c.x().wrapping_sub(left) < width && c.y().wrapping_sub(top) < width)
                .collect();
            while moves.len() < count {
                let free = area & *board.empty_cells();
                let Some(mv) = free.into_iter().nth(self.random.below(free.len().max(1))) else {
                    break;
                };
                if board.is_forbidden(mv) && board.side_to_move() == Color::Black
                    || board.makes_five(mv, board.side_to_move())
                {
                    break;
                }
                board.play(mv);
                moves.push(mv);
            }
            let report = self.think(&board);
            if let ScoreKind::Eval(value) = report.score.kind() {
                if moves.len() == count && value.abs() <= OPENING_LIMIT {
                    return (board, moves);
                }
            }
        }
    }
}

/// Returns true if the side to move wins by the threats on the board alone.
fn is_decided(board: &Board) -> bool {
    let (us, them) = (board.side_to_move(), !board.side_to_move());
    board.count(us, Threat::Five) > 0
        || board.count(them, Threat::Five) == 0 && board.count(us, Threat::OpenFour) > 0
}

fn score_text(report: &Report) -> String {
    match report.score.kind() {
        ScoreKind::Win(_) => "+".to_owned(),
        ScoreKind::Loss(_) => "-".to_owned(),
        ScoreKind::Eval(value) => value.to_string(),
    }
}

fn line(opening: usize, result: &str, moves: &[Coord], scores: &[String]) -> String {
    let moves: String = moves.iter().map(Coord::to_string).collect();
    format!("{opening} {result} {moves} {}", scores.join(","))
}
