//! The `openings` command: prints balanced openings for matches, one a line, made by all cores.
//!
//! An opening depends on its seed and the plan alone, so the list is the same for every number of
//! threads; where a database is asked, it depends on that too. An opening that is a rotation or
//! reflection of an earlier one is left out. What makes an opening balanced is the business of
//! `opening::generator`.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{Write, stdout};
use std::path::PathBuf;

use anyhow::Context;

use crate::board::Board;
use crate::board::notation::offsets;
use crate::board::symmetry::canonical;
use crate::database::entry::{Entry, Evaluation};
use crate::database::position::Position;
use crate::database::{Database, DatabaseError, probing};
use crate::opening::generator::{Generator, NoOpening, Opening, Plan};
use crate::parallel::in_order;
use crate::search::STACK_BYTES;
use crate::types::random::mixed;
use crate::types::{BoardSize, Bound, Coord, Score};

/// Memory of each thread's transposition table.
const TABLE_BYTES: usize = 16 << 20;
/// The list ends short after so many openings in a row that it already holds.
const MAX_REPEATED: u64 = 200;

/// How an opening is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `h8i9h10`.
    Pos,
    /// `0,0, 1,1, 0,2`, counted from the centre, as the Gomocup writes openings.
    Offset,
}

/// What openings are wanted, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of openings.
    pub count: u64,
    /// What they are like.
    pub plan: Plan,
    /// The seed: each one makes another list.
    pub seed: u64,
    /// How they are written.
    pub notation: Notation,
    /// Threads, each of which looks for an opening of its own.
    pub threads: usize,
    /// The database that knows positions better than the search for a last stone.
    pub database: Option<PathBuf>,
}

/// Prints the openings, each as soon as it is there.
///
/// # Errors
///
/// If there are not as many, no thread can be started, or the output fails.
pub fn run(options: &Options) -> anyhow::Result<()> {
    print(options, &mut stdout().lock())
}

fn print(options: &Options, out: &mut impl Write) -> anyhow::Result<()> {
    let size = options.plan.size;
    let database = options.database.as_deref().map(Database::open).transpose()?;
    let database = database.as_ref();
    let worker = || {
        let mut generator = Generator::new(&options.plan, TABLE_BYTES);
        move |number| {
            let fault = RefCell::new(None);
            let known = |board: &Board| {
                let result = database.map_or(Ok(None), |database| known_score(database, board));
                result.unwrap_or_else(|error| fault.replace(Some(error)).and(None))
            };
            let opening = generator.judged_opening(mixed(options.seed) ^ number, &known);
            match fault.take() {
                Some(error) => Err(anyhow::Error::from(error)),
                None => Ok(opening?),
            }
        }
    };
    let mut known = BTreeSet::new();
    let mut first = 0;
    let mut repeated = 0;
    while (known.len() as u64) < options.count {
        let missing = options.count - known.len() as u64;
        let mut result = Ok(());
        let take = |opening: anyhow::Result<Opening>| {
            result = opening.and_then(|opening| {
                let stones = &opening.stones;
                if known.insert(canonical(stones, size)) {
                    repeated = 0;
                    if let Some(database) = database {
                        store(database, &options.plan, &opening)?;
                    }
                    let text = written(stones, size, options.notation);
                    let result = writeln!(out, "{text}").and_then(|()| out.flush());
                    return result.context("cannot write an opening");
                }
                repeated += 1;
                anyhow::ensure!(repeated < MAX_REPEATED, NoOpening);
                Ok(())
            });
            result.is_ok()
        };
        in_order(first..first + missing, options.threads, STACK_BYTES, worker, take)
            .context("cannot make openings")?;
        result?;
        first += missing;
    }
    Ok(())
}

/// Returns the score of a position that the database knows, and the depth behind it.
fn known_score(database: &Database, board: &Board) -> Result<Option<(Score, i32)>, DatabaseError> {
    let entry = database.read()?.get(&Position::of(board))?;
    let evaluation = entry.and_then(|entry| entry.evaluation);
    let evaluation = evaluation.filter(|evaluation| evaluation.bound == Bound::Exact);
    Ok(evaluation.map(|evaluation| (evaluation.score, evaluation.depth)))
}

/// Stores the score of an opening, unless a better one is known.
fn store(database: &Database, plan: &Plan, opening: &Opening) -> Result<(), DatabaseError> {
    let mut board = Board::new(plan.size, plan.rule);
    opening.stones.iter().for_each(|&mv| board.play(mv));
    let Opening { score, depth, .. } = *opening;
    let evaluation = Some(Evaluation { score, bound: Bound::Exact, depth });
    let entry = Entry { evaluation, ..Entry::default() };
    probing::store(database, vec![(Position::of(&board), entry)])
}

fn written(stones: &[Coord], size: BoardSize, notation: Notation) -> String {
    match notation {
        Notation::Pos => stones.iter().map(Coord::to_string).collect(),
        Notation::Offset => offsets(stones, size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::notation::parse_points;
    use crate::types::Rule;

    fn options(count: u64, threads: usize) -> Options {
        let size = BoardSize::new(15, 15).unwrap();
        let plan = Plan { size, rule: Rule::Freestyle, stones: 3..=5, nodes: 1_000, window: 80 };
        Options { count, plan, seed: 3, notation: Notation::Pos, threads, database: None }
    }

    fn printed(options: &Options) -> Vec<String> {
        let mut out = Vec::new();
        print(options, &mut out).unwrap();
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
        options.plan.stones = 1..=1;
        options.plan.size = BoardSize::new(9, 9).unwrap();
        options.plan.window = 10_000;
        let result = print(&options, &mut Vec::new());
        assert!(result.is_err_and(|error| error.is::<NoOpening>()));
        options.plan.stones = 2..=2;
        let list = printed(&options);
        let points = |text: &String| parse_points(text, options.plan.size).unwrap();
        let known: BTreeSet<_> =
            list.iter().map(|text| canonical(&points(text), options.plan.size)).collect();
        assert_eq!((list.len(), known.len()), (12, 12));
    }
}
