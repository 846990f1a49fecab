//! Plays a match between two programs through the Gomocup protocol, with the rules of the library,
//! so that all five rules have a referee.
//!
//! Every opening is played twice, each program having either colour once. Prints each game and the
//! score after it in the words of c-gomoku-cli, which `scripts/match.sh` reads. Here are the
//! command line and the match; `game` is one game and `program` a program in it.

mod game;
mod program;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::{Args, value_parser};
use tengen::parallel::in_order;
use tengen::record::{Outcome, Record, load};
use tengen::search::clock::TimeControl;
use tengen::typed;
use tengen::types::{BoardSize, Color, Random, Rule};

use self::game::{End, Player, Setting};

/// The stack of a thread that plays, which searches nothing.
const STACK_BYTES: usize = 1 << 20;
/// The names of the players, in the order of the command line.
const NAMES: [&str; 2] = ["first", "second"];

/// Plays a match between two programs by the rules of the library
#[derive(Args)]
pub struct Options {
    /// A program, with arguments if it takes any
    first: String,
    /// Its opponent
    second: String,
    /// freestyle, standard, renju, caro or caro-exact
    #[arg(long, default_value = "freestyle", value_parser = typed::rule)]
    rule: Rule,
    /// Of the board
    #[arg(long, default_value = "15", value_parser = typed::board_size)]
    size: BoardSize,
    /// Seconds for the game, none if 0, and for a move
    #[arg(long, value_name = "MATCH/TURN[+INC]", default_value = "0/0.1",
        value_parser = time_control)]
    tc: TimeControl,
    /// Nodes of a move, and no clock to speak of
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Games whose stones begin one; an empty board without
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Two for each opening
    #[arg(long, value_name = "NUMBER", default_value = "100",
        value_parser = value_parser!(u64).range(1..))]
    games: u64,
    /// max_memory
    #[arg(long, value_name = "MB", default_value = "350")]
    memory: u32,
    /// How long a late answer is waited for
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = typed::time)]
    tolerance: Duration,
    /// Of the order of the openings
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    seed: u64,
    /// Games at a time
    #[arg(long, value_name = "NUMBER", default_value = "1",
        value_parser = value_parser!(u16).range(1..))]
    concurrency: u16,
    /// A further INFO for the first program, such as strength=60
    #[arg(long, value_name = "KEY=VALUE")]
    first_info: Vec<String>,
    /// The same for the second
    #[arg(long, value_name = "KEY=VALUE")]
    second_info: Vec<String>,
    /// Keep the games there
    #[arg(long, value_name = "FILE")]
    sgf: Option<PathBuf>,
}

/// Reads a time control as c-gomoku-cli writes it.
fn time_control(text: &str) -> Result<TimeControl, &'static str> {
    let expected = "MATCH/TURN[+INCREMENT] in seconds expected";
    let (text, increment) = text.split_once('+').unwrap_or((text, "0"));
    let (limit, turn) = text.split_once('/').ok_or(expected)?;
    let time = |text| typed::time(text).map_err(|_| expected);
    let limited = |time: Duration| (!time.is_zero()).then_some(time);
    let (left, turn) = (limited(time(limit)?), limited(time(turn)?));
    Ok(TimeControl { turn, left, increment: time(increment)? })
}

pub fn run(options: Options) -> anyhow::Result<()> {
    let Options { rule, size, nodes, memory, tolerance, games, .. } = options;
    let time = if nodes.is_none() { options.tc } else { TimeControl::default() };
    let setting = Setting { rule, size, time, nodes, memory, tolerance };
    let player = |program, infos: Vec<String>| Player {
        program,
        infos: infos.iter().map(|info| info.replacen('=', " ", 1)).collect(),
    };
    let players =
        [player(options.first, options.first_info), player(options.second, options.second_info)];
    let mut openings = match &options.openings {
        Some(path) => openings(path, rule, size)?,
        None => vec![Record::new(size)],
    };
    Random::new(options.seed).shuffle(&mut openings);
    let threads = usize::from(options.concurrency);
    // Games that are there are not written over.
    let create = |path: &PathBuf| {
        File::create_new(path).with_context(|| format!("writing {}", path.display()))
    };
    let mut sgf = options.sgf.as_ref().map(create).transpose()?;
    let mut out = io::stdout().lock();
    let (mut score, mut number) = ([0; 3], 0);
    let mut result = Ok(());
    let worker = || {
        let (setting, players, openings) = (&setting, &players, &openings);
        move |number: u64| {
            let opening = &openings[(number / 2) as usize % openings.len()];
            let black = (number % 2) as usize;
            let seated = [&players[black], &players[1 - black]];
            let (mut record, end) = game::play(setting, opening, seated)?;
            record.players = [NAMES[black].to_owned(), NAMES[1 - black].to_owned()];
            record.outcome = Some(end.outcome());
            Ok((record, end))
        }
    };
    let take = |game: anyhow::Result<(Record, End)>| {
        number += 1;
        result = game.and_then(|(record, end)| {
            if let Some(file) = &mut sgf {
                file.write_all(record.to_sgf().as_bytes()).context("writing a game")?;
            }
            report(&mut out, number, &record, &end, &mut score)
        });
        result.is_ok()
    };
    in_order(0..games, threads, STACK_BYTES, worker, take)?;
    result
}

/// Reads the openings of a file, all of which leave a game to play.
fn openings(path: &Path, rule: Rule, size: BoardSize) -> anyhow::Result<Vec<Record>> {
    let mut openings = Vec::new();
    for entry in load(path, size)? {
        let place = || format!("{}, line {}", path.display(), entry.line);
        let record = entry.record.as_ref().map_err(Clone::clone).with_context(place)?;
        ensure!(record.size() == size, "{}: another size of the board", place());
        ensure!(record.ending(rule).is_none(), "{}: the game is over", place());
        openings.push(record.clone());
    }
    ensure!(!openings.is_empty(), "{} holds no opening", path.display());
    Ok(openings)
}

/// Counts a game and prints how it ended and the score: wins, losses and draws of the first
/// program.
fn report(
    out: &mut impl Write,
    number: u64,
    record: &Record,
    end: &End,
    score: &mut [u64; 3],
) -> anyhow::Result<()> {
    let first = if record.players[0] == NAMES[0] { Color::Black } else { Color::White };
    let (result, place) = match end.outcome() {
        Outcome::Won(winner) => {
            let result = if winner == Color::Black { "1-0" } else { "0-1" };
            (result, usize::from(winner != first))
        }
        Outcome::Drawn => ("1/2-1/2", 2),
    };
    score[place] += 1;
    let [wins, losses, draws] = *score;
    let [black, white] = &record.players;
    let share = (wins as f64 + draws as f64 / 2.0) / number as f64;
    writeln!(out, "Finished game {number} ({black} vs {white}): {result} {{{end}}}")?;
    writeln!(out, "Score of first vs second: {wins} - {losses} - {draws}  [{share:.3}] {number}")?;
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_are_read() {
        let control = time_control("10/0.5+0.1").unwrap();
        assert_eq!(control.left, Some(Duration::from_secs(10)));
        assert_eq!(control.turn, Some(Duration::from_millis(500)));
        assert_eq!(control.increment, Duration::from_millis(100));
        let turn = Some(Duration::from_millis(100));
        assert_eq!(time_control("0/0.1"), Ok(TimeControl { turn, ..TimeControl::default() }));
        for text in ["", "1", "/", "1/", "x/1", "1/1+", "-1/1"] {
            assert!(time_control(text).is_err(), "{text}");
        }
    }
}
