//! Fits the evaluation and ordering tables to games that `datagen` wrote.
//!
//! Reads games, plays them over under one rule, fits that rule's tables and replaces them in a file
//! (see `eval::EvalTables` for its format). The games may have been played under a rule close to
//! it.
//!
//! Both fits are linear in the tables and move their weights by Adam: `evaluation` is a logistic
//! regression on results and scores, `ordering` a softmax regression on the moves that searches
//! chose. One opening in twenty is held out with its games and only measured.

mod cases;
mod code_table;
mod evaluation;
mod ordering;

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::{Arg, Command, value_parser};
use tengen::argument::value;
use tengen::closed_output::note;
use tengen::eval::network::EVAL_SCALE;
use tengen::eval::{EvalTables, PerCode};
use tengen::record::training::read_file;
use tengen::tuning::fit::{self, Cases, Losses, Model, Schedule};
use tengen::typed::{self, Expected};
use tengen::types::{Color, Rule};
use tengen::whole_file::write_whole;

use cases::GameCases;
use evaluation::Evaluation;
use ordering::Ordering;

/// Ordering units of one unit of log odds.
const ORDER_SCALE: f64 = 32.0;
/// Places near the last stones count more in the order than the fit says: games want it so.
const NEAR_FACTOR: f64 = 1.5625;
/// The largest entry of a table.
const ENTRY_LIMIT: f64 = 8_000.0;
/// The least number of games: fewer are taken for a mistake.
const MIN_GAMES: usize = 20;
/// Training cases of one step of Adam.
const BATCH: usize = 1_024;
/// Size of the steps at the end of a fit.
const LAST_RATE: f64 = 1e-5;

const EXPECTED_TARGET: Expected = Expected("a percentage or `order`");

const EVALUATION_SCHEDULE: Schedule = Schedule {
    epochs: 24,
    batch: BATCH,
    rate: |progress| 0.01 * (1.0 - progress).powi(2) + LAST_RATE,
    seed: 1,
};
const ORDERING_SCHEDULE: Schedule = Schedule {
    epochs: 12,
    batch: BATCH,
    rate: |progress| 0.02 * (1.0 - progress).powi(2) + LAST_RATE,
    seed: 2,
};

fn main() -> anyhow::Result<()> {
    let matches = parser().get_matches();
    let (path, rule): (PathBuf, Rule) = (value(&matches, "tables"), value(&matches, "rule"));
    let Target(outcome_percent) = value(&matches, "target");
    let reading = || format!("reading {}", path.display());
    let mut tables = EvalTables::read(&fs::read(&path).with_context(reading)?)?;
    let mut cases = GameCases::new(rule, outcome_percent.unwrap_or_default() / 100.0);
    let mut games = 0;
    for file in matches.get_many::<PathBuf>("files").unwrap_or_default() {
        read_file(file, |game| {
            games += 1;
            cases.add(&game, game.is_held_out());
            Ok(())
        })?;
    }
    ensure!(games >= MIN_GAMES, "too few games");
    let GameCases { evaluations, orders, .. } = cases;
    note(format_args!("{games} games, {} evaluations, {} moves", evaluations.len(), orders.len()));
    let fitted = &mut tables[rule as usize];
    if outcome_percent.is_some() {
        let mut evaluation = Evaluation::new(rule);
        fit(&mut evaluation, &evaluations, &EVALUATION_SCHEDULE, "evaluation")?;
        write_evaluation(fitted, &evaluation);
    }
    let mut ordering = Ordering::new(rule);
    fit(&mut ordering, &orders, &ORDERING_SCHEDULE, "order")?;
    write_ordering(fitted, &ordering);
    let bytes = EvalTables::write(&tables);
    write_whole(&path, |mut file| file.write_all(&bytes))
        .with_context(|| format!("writing {}", path.display()))
}

/// What is fitted: evaluation and move order, the evaluation to so many percent of results and the
/// rest of scores; or, if there is no percentage, the move order alone.
#[derive(Clone, Copy)]
struct Target(Option<f64>);

/// Reads a target.
///
/// # Errors
///
/// If it is neither a percentage nor `order`.
fn target(text: &str) -> Result<Target, Expected> {
    let percent = || text.parse().ok().filter(|percent| (0.0..=100.0).contains(percent));
    match text {
        "order" => Ok(Target(None)),
        _ => percent().map(|percent| Target(Some(percent))).ok_or(EXPECTED_TARGET),
    }
}

fn parser() -> Command {
    let argument = |name: &'static str, value, help| {
        Arg::new(name).value_name(value).help(help).required(true)
    };
    Command::new("tune")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Fits evaluation and ordering tables to games that datagen wrote")
        .args([
            argument("tables", "TABLES", "The file of the tables, which is replaced")
                .value_parser(value_parser!(PathBuf)),
            argument("rule", "RULE", "freestyle, standard, renju, caro or caro-exact")
                .value_parser(typed::rule),
            argument(
                "target",
                "OUTCOME_PERCENT|order",
                "The weight of results against scores, or the move order alone",
            )
            .value_parser(target),
            argument("files", "GAMES", "Games of datagen")
                .num_args(1..)
                .value_parser(value_parser!(PathBuf)),
        ])
}

/// Fits a model and prints the losses of each epoch.
fn fit<C, M: Model<C>>(
    model: &mut M,
    cases: &Cases<C>,
    schedule: &Schedule,
    name: &str,
) -> anyhow::Result<()> {
    let report = |epoch, Losses { training, held_out }| {
        note(format_args!("{name}, epoch {epoch}: loss {training:.4}, held out {held_out:.4}"));
        Ok(())
    };
    fit::fit(model, cases, schedule, report).with_context(|| format!("fitting the {name}"))?;
    Ok(())
}

/// Replaces the evaluation in a rule's tables by what was fitted.
fn write_evaluation(tables: &mut EvalTables, evaluation: &Evaluation) {
    let eval_entry = |value| entry(value, f64::from(EVAL_SCALE));
    for color in Color::ALL {
        tables.cell[color] = PerCode::from_fn(|code| eval_entry(evaluation.cell(color)[code]));
        tables.tempo[color] = std::array::from_fn(|mask| eval_entry(evaluation.tempo(color, mask)));
    }
}

/// Replaces the ordering scores in a rule's tables by what was fitted.
fn write_ordering(tables: &mut EvalTables, ordering: &Ordering) {
    let order_entry = |value| entry(value, ORDER_SCALE);
    for color in Color::ALL {
        tables.own[color] = PerCode::from_fn(|code| order_entry(ordering.own(color)[code]));
        tables.other[color] = PerCode::from_fn(|code| order_entry(ordering.other(color)[code]));
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
    use tengen::eval::TEMPO_ENTRIES;

    #[test]
    fn entries_are_rounded_and_bounded() {
        assert_eq!(entry(0.0174, f64::from(EVAL_SCALE)), 3);
        assert_eq!(entry(1e6, ORDER_SCALE), 8_000);
        assert_eq!(entry(-1e6, ORDER_SCALE), -8_000);
    }

    #[test]
    fn every_entry_of_the_rule_is_replaced() {
        let mut tables = EvalTables::of(Rule::Renju).clone();
        write_evaluation(&mut tables, &Evaluation::new(Rule::Renju));
        write_ordering(&mut tables, &Ordering::new(Rule::Renju));
        let zeros = PerCode::from_fn(|_| 0);
        let is_zero = |tables: &[PerCode; 2]| tables.iter().all(|table| *table == zeros);
        assert!([&tables.cell, &tables.own, &tables.other].into_iter().all(is_zero));
        assert_eq!(tables.tempo, [[0; TEMPO_ENTRIES]; 2]);
        assert!(tables.near.as_flattened().iter().all(|&entry| entry == 0));
    }
}
