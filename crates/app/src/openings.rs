//! The `openings` command: prints balanced openings for matches, one a line, made by all cores.
//!
//! An opening depends on its seed and the plan alone, so the list is the same for every number of
//! threads; where a database is asked, it depends on that too.

use std::collections::BTreeSet;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum, value_parser};

use tengen::database::entry::{DatabaseEntry, StoredScore};
use tengen::database::position::StoredPosition;
use tengen::database::{Database, probing};
use tengen::opening::generator::{Generator, NO_OPENING, Opening, Plan};
use tengen::parallel::{self, in_order};
use tengen::score::{Bound, Score};
use tengen::search::STACK_BYTES;
use tengen_gomoku::board::Board;
use tengen_gomoku::board::notation::offsets;
use tengen_gomoku::board::symmetry::canonical;
use tengen_gomoku::types::random::mixed;
use tengen_gomoku::types::{BoardSize, Coord, Rule};

use crate::typed;

const TABLE_BYTES: usize = 16 << 20;
/// The list ends short after so many openings in a row that it already holds.
const MAX_REPEATED: u64 = 200;

const STONES_MAX: usize = 20;

const ABOUT: &str = "\
Makes openings for matches: stones scattered close together, and a last one after which a search \
sees neither side ahead. Prints one a line, no two alike. The list depends on the seed and the \
other options, not on the threads.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Notation {
    /// `h8i9h10`.
    Pos,
    /// `0,0, 1,1, 0,2`, counted from the centre, as the Gomocup writes openings.
    Offset,
}

/// What openings are wanted, and how.
#[derive(Clone, Debug, Args)]
#[command(after_help = ABOUT)]
pub struct Options {
    /// freestyle, standard, renju, caro or caro-exact
    #[arg(long, value_name = "RULE", default_value = Rule::Freestyle.name(),
        value_parser = typed::rule(), ignore_case = true, hide_possible_values = true)]
    rule: Rule,
    /// The size of the board, such as 15 or 20x15
    #[arg(long, value_name = "SIZE", default_value = "15")]
    size: BoardSize,
    /// How many openings
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=1_000_000), default_value = "10")]
    count: u64,
    /// Stones of an opening
    #[arg(long, value_name = "N or M-N", value_parser = stones, default_value = "3-8")]
    stones: RangeInclusive<usize>,
    /// Another seed makes another list
    #[arg(long, default_value = "1")]
    seed: u64,
    /// Nodes of the search for a last stone
    #[arg(long, value_parser = value_parser!(u64).range(1..), default_value = "100000")]
    nodes: u64,
    /// The largest score after the last stone
    #[arg(long, value_name = "SCORE", value_parser = value_parser!(i32).range(0..=10_000), default_value = "40")]
    window: i32,
    /// How openings are written: h8i9 or 0,0, 1,1
    #[arg(long, value_name = "pos|offset", hide_possible_values = true, default_value = "pos")]
    notation: Notation,
    /// Openings looked for at a time [default: all cores]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Begin with what this database knows, and keep there what is found
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
}

/// Reads a number of stones such as `5`, or a range such as `3-8`.
fn stones(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if 1 <= first && first <= last && last <= STONES_MAX => {
            Ok(first..=last)
        }
        _ => Err(format!("a number from 1 to {STONES_MAX} or a range such as 3-8 expected")),
    }
}

pub fn run(options: &Options, out: &mut impl Write) -> anyhow::Result<()> {
    let Options { size, rule, nodes, window, .. } = *options;
    let plan = &Plan { size, rule, stones: options.stones.clone(), nodes, window };
    let threads = parallel::threads(options.threads);
    let database = options.database.as_deref().map(Database::open).transpose()?;
    let database = database.as_ref();
    let worker = || {
        let mut generator = Generator::new(plan, TABLE_BYTES);
        let known =
            move |board: &Board| database.map_or(Ok(None), |database| known_score(database, board));
        move |number| generator.judged_opening(mixed(options.seed) ^ number, &known)
    };
    let mut known = BTreeSet::new();
    let mut first = 0;
    let mut repeated = 0;
    while (known.len() as u64) < options.count {
        let missing = options.count - known.len() as u64;
        let take = |opening: anyhow::Result<Opening>| {
            let opening = opening?;
            let stones = &opening.stones;
            if !known.insert(canonical(stones, size)) {
                repeated += 1;
                ensure!(repeated < MAX_REPEATED, NO_OPENING);
                return Ok(true);
            }
            repeated = 0;
            let text = match options.notation {
                Notation::Pos => stones.iter().map(Coord::to_string).collect(),
                Notation::Offset => offsets(stones, size),
            };
            let written = writeln!(out, "{text}").and_then(|()| out.flush());
            written.context("cannot write an opening")?;
            if let Some(database) = database {
                probing::store_soon(database, vec![new_entry(plan, &opening)])?;
            }
            Ok(true)
        };
        let done = in_order(first..first + missing, threads, STACK_BYTES, worker, take);
        if let Some(database) = database {
            probing::store(database, Vec::new())?;
        }
        done?;
        first += missing;
    }
    Ok(())
}

fn known_score(database: &Database, board: &Board) -> anyhow::Result<Option<(Score, i32)>> {
    let found = database.get(&StoredPosition::of(board))?.and_then(|entry| entry.evaluation);
    let exact = found.filter(|found| found.bound == Bound::Exact);
    Ok(exact.map(|exact| (exact.score, exact.depth)))
}

/// Returns the score of an opening for a database.
fn new_entry(plan: &Plan, opening: &Opening) -> (StoredPosition, DatabaseEntry) {
    let board = Board::from_moves(plan.size, plan.rule, opening.stones.iter().copied());
    let Opening { score, depth, .. } = *opening;
    let evaluation = Some(StoredScore { score, bound: Bound::Exact, depth });
    (StoredPosition::of(&board), DatabaseEntry { evaluation, ..DatabaseEntry::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::board::notation::parse_points;

    fn options(count: u64, threads: u16) -> Options {
        Options {
            rule: Rule::Freestyle,
            size: BoardSize::new(15, 15).unwrap(),
            count,
            stones: 3..=5,
            seed: 3,
            nodes: 1_000,
            window: 80,
            notation: Notation::Pos,
            threads: Some(threads),
            database: None,
        }
    }

    #[test]
    fn stones_are_a_number_or_a_range() {
        assert_eq!((stones("5"), stones("3-8")), (Ok(5..=5), Ok(3..=8)));
        for text in ["", "0", "21", "8-3", "3-21", "3-", "-3", "x", "3-4-5"] {
            assert!(stones(text).is_err(), "{text}");
        }
    }

    fn printed(options: &Options) -> Vec<String> {
        let mut out = Vec::new();
        run(options, &mut out).unwrap();
        String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_list_does_not_depend_on_the_threads() {
        let list = printed(&options(6, 1));
        assert_eq!(list.len(), 6);
        assert_eq!(printed(&options(6, 3)), list);
        assert_eq!(printed(&options(4, 2)), list[..4]);
        assert_ne!(printed(&Options { seed: 4, ..options(6, 2) }), list);
    }

    #[test]
    fn no_opening_comes_twice() {
        // Few openings of one stone differ by more than a symmetry.
        let mut options = options(12, 2);
        options.stones = 1..=1;
        options.size = BoardSize::new(9, 9).unwrap();
        options.window = 10_000;
        let result = run(&options, &mut Vec::new());
        assert!(result.is_err_and(|error| error.to_string() == NO_OPENING));
        options.stones = 2..=2;
        let list = printed(&options);
        let points = |text: &String| parse_points(text, options.size).unwrap();
        let known: BTreeSet<_> =
            list.iter().map(|text| canonical(&points(text), options.size)).collect();
        assert_eq!((list.len(), known.len()), (12, 12));
    }
}
