//! Fits the tables of the move order to games that `datagen` wrote.
//!
//! Reads games, plays them over under one rule, fits that rule's tables and replaces them in a file
//! (see `search::OrderTables` for its format). The games may have been played under a rule close to
//! it. One opening in twenty is held out with its games and only measured.

mod ordering;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::Args;
use tengen::closed_output::note;
use tengen::search::{CodeTable, Nearness, OrderTables};
use tengen_gomoku::board::Board;
use tengen_gomoku::shape::{ShapeCode, Threat};
use tengen_gomoku::types::{Color, Coord, Rule};
use tengen_lab::{Source, TrainingGame, read_files};

use self::ordering::Ordering;
use crate::fit::{Cases, Losses, Schedule, fit};

/// Ordering units of one unit of log odds.
const ORDER_SCALE: f64 = 32.0;
/// Places near the last stones count more in the order than the fit says: games want it so.
const NEAR_FACTOR: f64 = 1.5625;
const ENTRY_LIMIT: f64 = 8_000.0;
const MIN_GAMES: usize = 20;
const ORDERING_SCHEDULE: Schedule = Schedule {
    epochs: 12,
    batch: 1_024,
    rate: |progress| 0.02 * (1.0 - progress).powi(2) + 1e-5,
    seed: 2,
};

/// Fits the tables of the move order to games that datagen wrote
#[derive(Args)]
pub struct Options {
    /// The file of the tables, which is replaced
    #[arg(value_name = "TABLES")]
    path: PathBuf,
    /// freestyle, standard, renju, caro or caro-exact
    rule: Rule,
    /// Games of datagen
    #[arg(value_name = "GAMES", required = true)]
    files: Vec<PathBuf>,
}

pub fn run(options: Options) -> anyhow::Result<()> {
    let Options { path, rule, files } = options;
    let reading = || format!("reading {}", path.display());
    let mut tables = OrderTables::read(&fs::read(&path).with_context(reading)?)?;
    let (mut games, mut cases) = (0, Cases::default());
    read_files(&files, |game| {
        games += 1;
        order_cases(&game, rule).for_each(|case| cases.push(case, game.is_held_out()));
        Ok(())
    })?;
    ensure!(games >= MIN_GAMES, "too few games");
    note(format_args!("{games} games, {} moves", cases.len()));
    let mut ordering = Ordering::new(rule);
    let report = |epoch, Losses { training, held_out }| {
        note(format_args!("epoch {epoch}: loss {training:.4}, held out {held_out:.4}"));
    };
    fit(&mut ordering, &cases, &ORDERING_SCHEDULE, report).context("fitting the order")?;
    write_ordering(&mut tables[rule as usize], &ordering);
    crate::write_file(&path, &OrderTables::write(&tables))
}

fn write_ordering(tables: &mut OrderTables, ordering: &Ordering) {
    let order_entry = |value| entry(value, ORDER_SCALE);
    for color in Color::ALL {
        tables.attack[color] = CodeTable::from_fn(|code| order_entry(ordering.attack(color)[code]));
        tables.defend[color] = CodeTable::from_fn(|code| order_entry(ordering.defend(color)[code]));
    }
    for (near, &fitted) in tables.near.as_flattened_mut().iter_mut().zip(ordering.near()) {
        *near = entry(fitted, ORDER_SCALE * NEAR_FACTOR);
    }
}

fn entry(weight: f64, scale: f64) -> i16 {
    (weight * scale).round().clamp(-ENTRY_LIMIT, ENTRY_LIMIT) as i16
}

pub struct OrderCase {
    pub mover: Color,
    pub candidates: Vec<Candidate>,
    pub chosen: usize,
}

pub struct Candidate {
    /// The codes of its cell for the mover and for the opponent.
    pub codes: [ShapeCode; 2],
    /// Where it lies as seen from the last two stones: [`Nearness::index`].
    pub near: [usize; 2],
}

/// Returns the cases of a game that is played over under this rule: the positions in which a search
/// chose one of the candidates and threats decide nothing. Inner nodes are left out, since no
/// search chose a move there.
pub fn order_cases(game: &TrainingGame, rule: Rule) -> impl Iterator<Item = OrderCase> {
    game.examples().filter(|example| example.source != Some(Source::Inner)).filter_map(
        move |example| {
            let mut board = Board::new(game.size, rule);
            example.moves().for_each(|mv| board.play(mv));
            example.mv.filter(|_| is_open(&board)).and_then(|mv| order_case(&board, mv))
        },
    )
}

fn order_case(board: &Board, mv: Coord) -> Option<OrderCase> {
    let mover = board.side_to_move();
    let cells: Vec<Coord> = board.candidates().into_iter().collect();
    let chosen = cells.iter().position(|&c| c == mv)?;
    let candidate = |c: Coord| Candidate {
        codes: [mover, !mover].map(|color| board.threats(c).code(color)),
        near: [0, 1].map(|plies| Nearness::to(board.last_move(plies))[c.index()].index()),
    };
    let candidates = cells.into_iter().map(candidate).collect();
    Some(OrderCase { mover, candidates, chosen })
}

/// Returns true if the threats on the board neither decide the game nor force the next move.
fn is_open(board: &Board) -> bool {
    board.win_by_threats().is_none() && board.count(!board.side_to_move(), Threat::Five) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::score::{Bound, Score};
    use tengen_gomoku::board::notation::parse_points;
    use tengen_gomoku::record::Outcome;
    use tengen_gomoku::types::BoardSize;
    use tengen_lab::{Label, Sample};

    #[test]
    fn entries_are_rounded_and_bounded() {
        assert_eq!(entry(0.0174, 200.0), 3);
        assert_eq!(entry(1e6, ORDER_SCALE), 8_000);
        assert_eq!(entry(-1e6, ORDER_SCALE), -8_000);
    }

    #[test]
    fn every_entry_of_the_rule_is_replaced() {
        let mut tables = OrderTables::of(Rule::Renju).clone();
        write_ordering(&mut tables, &Ordering::new(Rule::Renju));
        let zeros = CodeTable::from_fn(|_| 0);
        let is_zero = |tables: &[CodeTable; 2]| tables.iter().all(|table| *table == zeros);
        assert!([&tables.attack, &tables.defend].into_iter().all(is_zero));
        assert!(tables.near.as_flattened().iter().all(|&entry| entry == 0));
    }

    /// Returns a drawn game that a search played from the `opening`th move on.
    fn game(moves: &str, opening: usize) -> TrainingGame {
        let size = BoardSize::new(15, 15).unwrap();
        let moves = parse_points(moves, size).unwrap();
        let label = Label { score: Score::DRAW, depth: 5, others: Vec::new() };
        TrainingGame {
            number: 0,
            rule: Rule::Freestyle,
            size,
            opening,
            outcome: Outcome::Drawn,
            labels: vec![label; moves.len() - opening],
            moves,
            samples: Vec::new(),
        }
    }

    #[test]
    fn forced_and_decided_positions_are_left_out() {
        // Black makes a four; white stops it; black makes an open four.
        let game = game("h8a1h9a2h10a3h11h12i8", 6);
        assert_eq!(order_cases(&game, Rule::Freestyle).count(), 0);
    }

    #[test]
    fn the_chosen_move_is_found_among_the_candidates() {
        // The corner is no candidate.
        let cases: Vec<_> = order_cases(&game("h8i9h9a15", 2), Rule::Renju).collect();
        let [OrderCase { mover, candidates, chosen }] = &cases[..] else { panic!() };
        assert_eq!((*mover, candidates[*chosen].near), (Color::Black, [0, 0]));
    }

    #[test]
    fn inner_nodes_are_left_out() {
        let mut game = game("h8i9", 2);
        let side = Sample {
            ply: 2,
            line: parse_points("j9", game.size).unwrap(),
            source: Source::Side,
            mv: parse_points("j10", game.size).unwrap().pop(),
            score: Score::DRAW,
            bound: Bound::Exact,
            depth: 4,
        };
        game.samples = vec![Sample { source: Source::Inner, ..side.clone() }, side];
        let movers = order_cases(&game, Rule::Freestyle).map(|case| case.mover);
        assert_eq!(movers.collect::<Vec<_>>(), [Color::White]);
    }
}
