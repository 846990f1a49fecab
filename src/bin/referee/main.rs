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
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use tengen::argument::value;
use tengen::parallel::in_order;
use tengen::record::{Outcome, Record, load};
use tengen::search::clock::TimeControl;
use tengen::types::{BoardSize, Color, Random, Rule};
use tengen::{closed_output, typed};

use game::{End, Player, Setting};

/// The stack of a thread that plays, which searches nothing.
const STACK_BYTES: usize = 1 << 20;
/// The names of the players, in the order of the command line.
const NAMES: [&str; 2] = ["first", "second"];

fn main() -> anyhow::Result<()> {
    closed_output::ignore_broken_pipe(run(&parser().get_matches()))
}

fn parser() -> Command {
    let option =
        |name: &'static str, value, help| Arg::new(name).long(name).value_name(value).help(help);
    let program = |name: &'static str, value| {
        Arg::new(name).value_name(value).required(true).value_parser(value_parser!(PathBuf))
    };
    let info = |name, help| option(name, "KEY=VALUE", help).action(ArgAction::Append);
    Command::new("referee")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Plays a match between two programs by the rules of the library")
        .args([
            program("first", "FIRST").help("A program"),
            program("second", "SECOND").help("Its opponent"),
            option("rule", "RULE", "freestyle, standard, renju, caro or caro-exact")
                .value_parser(typed::rule)
                .default_value("freestyle"),
            option("size", "SIZE", "Of the board")
                .value_parser(typed::board_size)
                .default_value("15"),
            option("tc", "MATCH/TURN[+INC]", "Seconds for the game, none if 0, and for a move")
                .value_parser(time_control)
                .default_value("0/0.1"),
            option("nodes", "NUMBER", "Nodes of a move, and no clock to speak of")
                .value_parser(value_parser!(u64).range(1..)),
            option("openings", "FILE", "Games whose stones begin one; an empty board without")
                .value_parser(value_parser!(PathBuf)),
            option("games", "NUMBER", "Two for each opening")
                .value_parser(value_parser!(u64).range(1..))
                .default_value("100"),
            option("memory", "MB", "max_memory")
                .value_parser(value_parser!(u32))
                .default_value("350"),
            option("tolerance", "SECONDS", "How long a late answer is waited for")
                .value_parser(typed::time)
                .default_value("2"),
            option("seed", "NUMBER", "Of the order of the openings")
                .value_parser(value_parser!(u64))
                .default_value("1"),
            option("concurrency", "NUMBER", "Games at a time")
                .value_parser(value_parser!(u16).range(1..))
                .default_value("1"),
            info("first-info", "A further INFO for the first program, such as strength=60"),
            info("second-info", "The same for the second"),
            option("sgf", "FILE", "Keep the games there").value_parser(value_parser!(PathBuf)),
        ])
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

fn run(matches: &ArgMatches) -> anyhow::Result<()> {
    let nodes: Option<u64> = matches.get_one("nodes").copied();
    let setting = Setting {
        rule: value(matches, "rule"),
        size: value(matches, "size"),
        time: if nodes.is_none() { value(matches, "tc") } else { TimeControl::default() },
        nodes,
        memory: value(matches, "memory"),
        tolerance: value(matches, "tolerance"),
    };
    let infos = |name| -> Vec<String> {
        let infos = matches.get_many::<String>(name).unwrap_or_default();
        infos.map(|info| info.replacen('=', " ", 1)).collect()
    };
    let player = |name, option| Player { program: value(matches, name), infos: infos(option) };
    let players = [player("first", "first-info"), player("second", "second-info")];
    let mut openings = match matches.get_one::<PathBuf>("openings") {
        Some(path) => openings(path, setting.rule, setting.size)?,
        None => vec![Record::new(setting.size)],
    };
    Random::new(value(matches, "seed")).shuffle(&mut openings);
    let games: u64 = value(matches, "games");
    let threads = usize::from(value::<u16>(matches, "concurrency"));
    let sgf: Option<&PathBuf> = matches.get_one("sgf");
    // Games that are there are not written over.
    let create = |path: &PathBuf| {
        File::create_new(path).with_context(|| format!("writing {}", path.display()))
    };
    let mut sgf = sgf.map(create).transpose()?;
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
