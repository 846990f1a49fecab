//! Plays games of the engine against itself and writes them as training data.
//!
//! Usage: `datagen RULE SIZE GAMES NODES SEED > FILE`, with RULE one of freestyle, standard,
//! renju, caro, caro-exact. `record::TrainingGame` tells what the lines hold. A game ends when the
//! threats on the board decide it at a glance. Openings are random stones close together after
//! which neither side has a proved win and neither is far ahead.
//!
//! A search evaluates more positions that nobody would play than positions of games. So every game
//! is followed by positions that a few hasty moves lead to from it, with the move that the search
//! chose there and its score. Public interface of the engine only.

use std::cmp::Reverse;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::time::Instant;

use anyhow::{Context, bail};
use tengen::board::Board;
use tengen::closed_output;
use tengen::eval::EvalTables;
use tengen::record::{Outcome, TrainingGame};
use tengen::search::clock::Control;
use tengen::search::{Limits, Report, Searcher};
use tengen::types::{BoardSize, CellSet, Color, Coord, Random, Rule, ScoreKind};

/// Memory of the search's tables.
const TABLE_BYTES: usize = 16 << 20;
/// Stones of an opening.
const OPENING_STONES: RangeInclusive<usize> = 2..=8;
/// Sides of the square in which they lie.
const OPENING_SIDES: RangeInclusive<usize> = 4..=7;
/// Evaluations beyond this make an opening too uneven to learn from.
const OPENING_LIMIT: i32 = 400;
/// A search's nodes in percent of those asked for: a spread keeps games from repeating one another.
const NODES_PERCENT: RangeInclusive<usize> = 80..=120;
/// A win by threats within so many plies ends a game: a five or an open four.
const DECIDED_PLIES: i32 = 3;
/// Games that are not decided by then are draws.
const MAX_STONES_PERCENT: usize = 80;
/// One in so many positions of a game is left by hasty moves too.
const SIDE_INTERVAL: usize = 3;
/// Hasty moves of one side position.
const HASTY_MOVES: RangeInclusive<usize> = 1..=3;
/// A hasty move is one of the first two of the static order, or of twice as many, up to so often.
const HASTY_CHOICES: usize = 2;
const HASTY_DOUBLINGS: RangeInclusive<usize> = 0..=4;

fn main() -> anyhow::Result<()> {
    closed_output::is_no_failure(run())
}

fn run() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [rule, size, games, nodes, seed] = args.as_slice() else {
        bail!("usage: datagen RULE SIZE GAMES NODES SEED");
    };
    let size: u8 = size.parse().context("the size is a number")?;
    let games: u64 = games.parse().context("the games are a number")?;
    let mut generator = Generator::new(
        Rule::from_name(rule).with_context(|| format!("unknown rule {rule}"))?,
        BoardSize::new(size, size).context("the size is 5 to 22")?,
        nodes.parse().context("the nodes are a number")?,
        seed.parse().context("the seed is a number")?,
    );
    let mut output = io::stdout().lock();
    for _ in 0..games {
        for game in generator.play() {
            writeln!(output, "{game}")?;
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
    fn new(rule: Rule, size: BoardSize, nodes: u64, seed: u64) -> Generator {
        let (random, searcher) = (Random::new(seed), Searcher::new(TABLE_BYTES));
        Generator { rule, size, nodes, random, searcher }
    }

    /// Plays one game and returns it with its side positions behind it.
    fn play(&mut self) -> Vec<TrainingGame> {
        let (mut board, mut moves) = self.opening();
        let opening = moves.len();
        let mut scores = Vec::new();
        let mut sides = Vec::new();
        let last = self.size.area() * MAX_STONES_PERCENT / 100;
        let result = loop {
            let us = board.side_to_move();
            if is_decided(&board) {
                break Outcome::Won(us);
            }
            if board.stone_count() >= last {
                break Outcome::Drawn;
            }
            if self.random.below(SIDE_INTERVAL) == 0 {
                sides.extend(self.side_position(&board, &moves));
            }
            let report = self.think(&board);
            moves.push(report.best);
            scores.push(report.score.into());
            board.play(report.best);
        };
        let (rule, size) = (self.rule, self.size);
        let game = TrainingGame { rule, size, opening, result: Some(result), moves, scores };
        [game].into_iter().chain(sides).collect()
    }

    /// Returns a position a few hasty moves away from a game's, unless one of them decides the
    /// game.
    fn side_position(&mut self, board: &Board, moves: &[Coord]) -> Option<TrainingGame> {
        let tables = EvalTables::of(self.rule);
        let (mut board, mut moves) = (board.clone(), moves.to_vec());
        let choices = HASTY_CHOICES << self.draw(HASTY_DOUBLINGS);
        for _ in 0..self.draw(HASTY_MOVES) {
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
        let (rule, size, opening) = (self.rule, self.size, moves.len());
        moves.push(report.best);
        let scores = vec![report.score.into()];
        Some(TrainingGame { rule, size, opening, result: None, moves, scores })
    }

    fn think(&mut self, board: &Board) -> Report {
        let nodes = self.nodes * self.draw(NODES_PERCENT) as u64 / 100;
        let limits = Limits { nodes, ..Limits::default() };
        let control = Control::new(Instant::now(), None);
        self.searcher.search(board, &limits, &control, &mut |_| ())
    }

    /// Returns an undecided position of a few random stones, black to move or white.
    fn opening(&mut self) -> (Board, Vec<Coord>) {
        loop {
            self.searcher.clear();
            let count = self.draw(OPENING_STONES);
            let Some((board, moves)) = self.scatter(count) else { continue };
            let report = self.think(&board);
            if let ScoreKind::Eval(value) = report.score.kind() {
                if value.abs() <= OPENING_LIMIT {
                    return (board, moves);
                }
            }
        }
    }

    /// Returns so many random stones in a square, if none of them wins or is forbidden.
    fn scatter(&mut self, count: usize) -> Option<(Board, Vec<Coord>)> {
        let mut board = Board::new(self.size, self.rule);
        let mut moves = Vec::with_capacity(count);
        let width = (self.draw(OPENING_SIDES) as u8).min(self.size.width());
        let [left, top] = [self.size.width(), self.size.height()]
            .map(|side| self.random.below((side - width + 1) as usize) as u8);
        let area: CellSet = self
            .size
            .cells()
            .filter(|c| c.x().wrapping_sub(left) < width && c.y().wrapping_sub(top) < width)
            .collect();
        while moves.len() < count {
            let free = area & *board.empty_cells();
            let mv = free.into_iter().nth(self.random.below(free.len().max(1)))?;
            let is_foul = board.side_to_move() == Color::Black && board.is_forbidden(mv);
            if is_foul || board.makes_five(mv, board.side_to_move()) {
                return None;
            }
            board.play(mv);
            moves.push(mv);
        }
        Some((board, moves))
    }

    fn draw(&mut self, numbers: RangeInclusive<usize>) -> usize {
        let (first, last) = numbers.into_inner();
        first + self.random.below(last - first + 1)
    }
}

/// Returns true if the side to move wins so soon that the rest of the game teaches nothing.
fn is_decided(board: &Board) -> bool {
    board.win_by_threats().is_some_and(|plies| plies <= DECIDED_PLIES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(rule: Rule, size: u8, count: usize) -> Vec<Vec<TrainingGame>> {
        let size = BoardSize::new(size, size).unwrap();
        let mut generator = Generator::new(rule, size, 300, 5);
        (0..count).map(|_| generator.play()).collect()
    }

    #[test]
    fn games_are_legal_and_end_as_they_say() {
        for rule in Rule::ALL {
            for games in games(rule, 15, 3) {
                let (game, sides) = games.split_first().unwrap();
                let mut board = Board::new(game.size, rule);
                for &mv in &game.moves {
                    assert!(!is_decided(&board) && board.is_empty(mv), "{game}");
                    assert!(board.side_to_move() == Color::White || !board.is_forbidden(mv));
                    board.play(mv);
                }
                let winner = is_decided(&board).then(|| Outcome::Won(board.side_to_move()));
                assert_eq!(game.result, winner.or(Some(Outcome::Drawn)), "{game}");
                for side in sides {
                    assert_eq!((side.result, side.moves.len()), (None, side.opening + 1));
                    assert!(side.moves.starts_with(&game.moves[..game.opening]), "{side}");
                }
            }
        }
    }

    #[test]
    fn lines_are_read_as_they_were_written() {
        let games = games(Rule::Renju, 15, 4).concat();
        let text: String = games.iter().map(|game| format!("{game}\n")).collect();
        let read = TrainingGame::parse_all(&text).unwrap();
        assert!(games.len() > 4 && read.into_iter().map(|(game, _)| game).eq(games));
    }

    #[test]
    fn the_smallest_board_is_played_to_its_end() {
        let drawn = games(Rule::Freestyle, 5, 5).concat();
        assert!(drawn.iter().any(|game| game.result == Some(Outcome::Drawn)));
    }
}
