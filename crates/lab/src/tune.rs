//! Fits the tables of the move order to games that `datagen` wrote.
//!
//! Reads games, plays them over under one rule, fits that rule's tables and replaces them in a file
//! (see `search::OrderTables` for its format). The games may have been played under a rule close to
//! it. One opening in twenty is held out with its games and only measured.

mod cases;
mod code_table;
mod ordering;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::Args;
use tengen::closed_output::note;
use tengen::search::{CodeTable, OrderTables};
use tengen::typed;
use tengen::types::{Color, Rule};
use tengen_lab::read_file;

use self::cases::order_cases;
use self::ordering::Ordering;
use crate::fit::{Cases, Losses, Schedule, fit};

/// Ordering units of one unit of log odds.
const ORDER_SCALE: f64 = 32.0;
/// Places near the last stones count more in the order than the fit says: games want it so.
const NEAR_FACTOR: f64 = 1.5625;
/// The largest entry of a table.
const ENTRY_LIMIT: f64 = 8_000.0;
const MIN_GAMES: usize = 20;
/// Training cases of one step of Adam.
const BATCH: usize = 1_024;
/// Size of the steps at the end of a fit.
const LAST_RATE: f64 = 1e-5;

const ORDERING_SCHEDULE: Schedule = Schedule {
    epochs: 12,
    batch: BATCH,
    rate: |progress| 0.02 * (1.0 - progress).powi(2) + LAST_RATE,
    seed: 2,
};

/// Fits the tables of the move order to games that datagen wrote
#[derive(Args)]
pub struct Options {
    /// The file of the tables, which is replaced
    #[arg(value_name = "TABLES")]
    path: PathBuf,
    /// freestyle, standard, renju, caro or caro-exact
    #[arg(value_parser = typed::rule)]
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
    for file in files {
        read_file(&file, |game| {
            games += 1;
            order_cases(&game, rule).for_each(|case| cases.push(case, game.is_held_out()));
            Ok(())
        })?;
    }
    ensure!(games >= MIN_GAMES, "too few games");
    note(format_args!("{games} games, {} moves", cases.len()));
    let mut ordering = Ordering::new(rule);
    let report = |epoch, Losses { training, held_out }| {
        note(format_args!("epoch {epoch}: loss {training:.4}, held out {held_out:.4}"));
        Ok(())
    };
    fit(&mut ordering, &cases, &ORDERING_SCHEDULE, report).context("fitting the order")?;
    write_ordering(&mut tables[rule as usize], &ordering);
    crate::write_file(&path, &OrderTables::write(&tables))
}

/// Replaces the ordering scores in a rule's tables by what was fitted.
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

/// Returns a weight of log odds as an entry of a table.
fn entry(weight: f64, scale: f64) -> i16 {
    (weight * scale).round().clamp(-ENTRY_LIMIT, ENTRY_LIMIT) as i16
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
