//! The command line: from the arguments of the program to a call of the library.
//!
//! Knows options and defaults, and nothing of what is done with them. Without arguments the program
//! speaks the protocol at once; the parser is built only if there is something to parse.

use std::env;
use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::panic;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::Context;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use encoding_rs::Encoding;

use crate::analyze::{self, Selection};
use crate::argument::value;
use crate::closed_output;
use crate::eval::Style;
use crate::opening::generator::Plan;
use crate::opening_list::{self, Notation};
use crate::play::{self, Opening, Players};
use crate::search::{Limits, MAX_DEPTH, Override, RootOptions, Strength};
use crate::types::{BoardSize, Color, Rule};
use crate::{bench, exchange, parameter_list, protocol, typed};

const ABOUT: &str = "\
Tengen plays Gomoku and Renju: under a manager such as Piskvork, against you at a terminal, \
and over the positions of a file.

Without a command it speaks the Gomocup protocol on its standard input and output, which is what \
managers want.";

const EXAMPLES: &str = "\
Examples:
  pbrain-tengen play --rule renju --level 60
  pbrain-tengen play --white game.psq
  pbrain-tengen analyze --time 5 --lines 3 game.sgf
  pbrain-tengen analyze --every --json games/*.psq > games.jsonl
  pbrain-tengen analyze --html review.html --sgf reviewed.sgf game.sgf
  echo h8i9h10 | pbrain-tengen analyze --nodes 1000000
  pbrain-tengen openings --count 50 --rule standard --stones 4-7 > openings.txt

RUST_LOG=debug writes a log to standard error. NO_COLOR=1 turns the colours of play off.";

const PLAY: &str = "\
Plays a game with you at the terminal. Type a move such as h8: a letter for the column and a \
number for the row. Type help for everything else: undo, hint, swap, level, time, rule, size, new, \
save, load, moves, resign, quit and more.";

const ANALYZE: &str = "\
Reads positions and prints the best move, its score and line of play for each, or with --lines \
the N best ones; forced wins are played out. A position is a line such as h8i9h10 or 0,0, 1,-1, \
0,2 (counted from the centre), or a game as .psq (Piskvork), SGF or, from a file, a library of \
RenLib (.lib), of which the last position is analysed. Each core works on a position of its own, \
or all on one where there are fewer positions than cores. At a score of 200 the side to move is \
expected to win about seven games of ten, at 0 half.";

const OPENINGS: &str = "\
Makes openings for matches: stones scattered close together, and a last one after which a search \
sees neither side ahead. Prints one a line, no two alike. The list depends on the seed and the \
other options, not on the threads.";

const DATABASE: &str = "\
Opens the database of a file and tells how many positions it holds. Files whose names end with .lib \
are libraries of RenLib, all others lines of JSON. --import adds the positions of a file, which may \
be another database, and makes the database if it is not there; what is known better stays. --export \
writes all positions, to a library those of --rule on 15x15.";

const BENCH: &str = "\
Searches fixed positions to a fixed depth and prints the nodes of each. The total is the same on \
every machine, and a signature of the search.";

const PARAMS: &str = "\
Prints name, default, range and meaning of each parameter. Before the protocol and behind bench, \
--param NAME=VALUE sets one, under every rule, as often as needed: \
pbrain-tengen --param killer_score=20 speaks the protocol so.";

/// The rule where nothing names another.
const RULE: Rule = Rule::Freestyle;
/// The most stones of an opening.
const OPENING_STONES_MAX: usize = 20;

/// Does what the program's arguments ask for.
///
/// # Errors
///
/// If that fails. A wrong argument is told on standard error, and ends the program.
pub fn run() -> anyhow::Result<()> {
    let mut arguments = env::args_os();
    if arguments.len() <= 1 {
        return speak(Vec::new());
    }
    let matches = parser().get_matches_from(&mut arguments);
    let result = match matches.subcommand() {
        Some(("play", matches)) => play::run(play_options(matches)),
        Some(("analyze", matches)) => analyze::run(&analyze_options(matches)),
        Some(("openings", matches)) => opening_list::run(&openings_options(matches)),
        Some(("database", matches)) => exchange::run(&database_options(matches)),
        Some(("params", _)) => parameter_list::run(),
        Some((_, matches)) => {
            let times_moves = matches.get_flag("moves");
            bench::run(&overrides(matches), times_moves).context("cannot run the bench")
        }
        None => speak(overrides(&matches)),
    };
    closed_output::ignore_broken_pipe(result)
}

/// Speaks the protocol.
fn speak(overrides: Vec<Override>) -> anyhow::Result<()> {
    panic::set_hook(Box::new(|panic| log::error!("{panic}")));
    protocol::run(overrides).context("cannot speak the protocol")
}

/// Returns the parser of the arguments. Its manual page and shell completions are made from it too.
pub fn parser() -> Command {
    Command::new("pbrain-tengen")
        .bin_name("pbrain-tengen")
        .version(env!("CARGO_PKG_VERSION"))
        .display_name("Tengen")
        .about(ABOUT)
        .after_help(EXAMPLES)
        .args_conflicts_with_subcommands(true)
        .arg(param_argument())
        .subcommand(
            Command::new("play").about("Play a game against Tengen").after_help(PLAY).args([
                rule_argument(
                    "freestyle, standard, renju, caro or caro-exact, whatever a game names \
                     [default: what it names, or freestyle]",
                ),
                size_argument("The size of the board, such as 15 or 20x15"),
                option("level", "0-100", "How strong Tengen plays")
                    .value_parser(typed::level)
                    .default_value("100"),
                option(
                    "seed",
                    "SEED",
                    "Place the same stones of swap2, and below level 100 play the same games, as \
                     with this seed before",
                )
                .value_parser(value_parser!(u64)),
                option("time", "SECONDS", "How long Tengen may think about a move")
                    .value_parser(typed::time)
                    .default_value("2"),
                option(
                    "style",
                    "0-100",
                    "Tengen minds your chances (0) or thinks of its own (100)",
                )
                .value_parser(typed::style)
                .default_value("50"),
                option("clock", "TIME", "Clocks of a game: 5m, 90s, or 5m+3 with 3 s more a move")
                    .value_parser(typed::clock),
                flag("white", "Take the white stones; Tengen has black").conflicts_with("players"),
                option("players", "1|2", "How many persons play; with 2, Tengen gives hints")
                    .value_parser(typed::persons)
                    .default_value("1"),
                flag("swap2", "Begin with swap2: three stones, and a choice of colours"),
                database_argument(),
                Arg::new("file")
                    .value_name("FILE")
                    .help(
                        "A game to go on with, as .psq or .sgf; without --white you play the side \
                         to move",
                    )
                    .conflicts_with("swap2")
                    .value_parser(value_parser!(PathBuf)),
            ]),
        )
        .subcommand(
            Command::new("analyze")
                .about("Print the best moves of the positions of files")
                .after_help(ANALYZE)
                .args([
                    rule_argument(
                        "freestyle, standard, renju, caro or caro-exact, whatever a game names \
                         [default: what it names, or renju for libraries of RenLib, else freestyle]",
                    ),
                    size_argument("The board, such as 15 or 20x15, where a game names none"),
                    encoding_argument(),
                    option(
                        "time",
                        "SECONDS",
                        "Time for each position [default: 1, or none with --depth or --nodes]",
                    )
                    .value_parser(typed::time),
                    option("depth", "PLIES", "Depth of each search")
                        .value_parser(value_parser!(i32).range(1..=i64::from(MAX_DEPTH))),
                    option("nodes", "NODES", "Nodes of each search")
                        .value_parser(value_parser!(u64).range(1..)),
                    option("lines", "N", "Print the N best moves of each position")
                        .value_parser(value_parser!(u16).range(1..))
                        .default_value("1"),
                    option("after", "MOVES", "Analyse the position after so many moves of a game")
                        .value_parser(value_parser!(usize))
                        .conflicts_with("every"),
                    flag("every", "Analyse every position of a game, and judge its moves"),
                    flag("variations", "The same for the variations of a game as well")
                        .conflicts_with("after"),
                    option(
                        "sgf",
                        "FILE",
                        "Write the games with their reviews as SGF; implies --every",
                    )
                    .value_parser(value_parser!(PathBuf))
                    .conflicts_with("after"),
                    option(
                        "lib",
                        "FILE",
                        "Write the game with its review as a library of RenLib; implies --every",
                    )
                    .value_parser(value_parser!(PathBuf))
                    .conflicts_with("after"),
                    option(
                        "html",
                        "FILE",
                        "Write the reviews as a page for a browser; implies --every",
                    )
                    .value_parser(value_parser!(PathBuf))
                    .conflicts_with("after"),
                    force_argument(),
                    flag("json", "Print one JSON object a line"),
                    option("style", "0-100", "Attack against defence, for the side to move")
                        .value_parser(typed::style)
                        .default_value("50"),
                    option(
                        "threads",
                        "N",
                        "Positions or parts of a search at a time [default: all cores]",
                    )
                    .value_parser(value_parser!(u16).range(1..)),
                    option("memory", "MB", "Memory for each position analysed at a time")
                        .value_parser(value_parser!(u16).range(1..))
                        .default_value("64"),
                    database_argument(),
                    Arg::new("inputs")
                        .value_name("FILE")
                        .help("Files, or positions themselves; - is standard input, the default")
                        .action(ArgAction::Append)
                        .num_args(0..)
                        .value_parser(value_parser!(OsString)),
                ]),
        )
        .subcommand(
            Command::new("openings")
                .about("Print balanced openings for matches")
                .after_help(OPENINGS)
                .args([
                    rule_argument("freestyle, standard, renju, caro or caro-exact")
                        .default_value(RULE.name()),
                    size_argument("The size of the board, such as 15 or 20x15"),
                    option("count", "N", "How many openings")
                        .value_parser(value_parser!(u64).range(1..=1_000_000))
                        .default_value("10"),
                    option("stones", "N or M-N", "Stones of an opening")
                        .value_parser(stones)
                        .default_value("3-8"),
                    option("seed", "SEED", "Another seed makes another list")
                        .value_parser(value_parser!(u64))
                        .default_value("1"),
                    option("nodes", "NODES", "Nodes of the search for a last stone")
                        .value_parser(value_parser!(u64).range(1..))
                        .default_value("100000"),
                    option("window", "SCORE", "The largest score after the last stone")
                        .value_parser(value_parser!(i32).range(0..=10_000))
                        .default_value("40"),
                    option("notation", "pos|offset", "How openings are written: h8i9 or 0,0, 1,1")
                        .value_parser(["pos", "offset"])
                        .default_value("pos"),
                    option("threads", "N", "Openings looked for at a time [default: all cores]")
                        .value_parser(value_parser!(u16).range(1..)),
                    database_argument(),
                ]),
        )
        .subcommand(
            Command::new("database")
                .about("Read files into a database of positions, and write it to files")
                .after_help(DATABASE)
                .args([
                    rule_argument(
                        "The rule of libraries, whatever they say: freestyle, standard, renju, caro \
                         or caro-exact [default: what they say, or renju]",
                    ),
                    encoding_argument(),
                    force_argument(),
                    path_option("import", "Add the positions of a file, first of all")
                        .action(ArgAction::Append),
                    path_option("export", "Write the positions to a file"),
                    Arg::new("database")
                        .value_name("DATABASE")
                        .help("The file of the database")
                        .required(true)
                        .value_parser(value_parser!(PathBuf)),
                ]),
        )
        .subcommand(
            Command::new("bench")
                .about("Measure speed and print a signature")
                .after_help(BENCH)
                .arg(param_argument())
                .arg(flag("moves", "Also measure how fast stones are played and taken back")),
        )
        .subcommand(
            Command::new("params").about("List the search's tunable parameters").after_help(PARAMS),
        )
}

fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    // A negative number is a wrong value, not an unknown option.
    Arg::new(name).long(name).value_name(value).help(help).allow_negative_numbers(true)
}

fn path_option(name: &'static str, help: &'static str) -> Arg {
    option(name, "FILE", help).value_parser(value_parser!(PathBuf))
}

fn database_argument() -> Arg {
    path_option("database", "Begin with what this database knows, and keep there what is found")
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).help(help).action(ArgAction::SetTrue)
}

fn param_argument() -> Arg {
    option("param", "NAME=VALUE", "Set a parameter of the search; see params")
        .action(ArgAction::Append)
        .value_parser(|text: &str| text.parse::<Override>())
        .hide(true)
}

fn overrides(matches: &ArgMatches) -> Vec<Override> {
    matches.get_many("param").unwrap_or_default().copied().collect()
}

fn rule_argument(help: &'static str) -> Arg {
    option("rule", "RULE", help).value_parser(typed::rule)
}

fn size_argument(help: &'static str) -> Arg {
    option("size", "SIZE", help).value_parser(typed::board_size).default_value("15")
}

fn encoding_argument() -> Arg {
    option("encoding", "NAME", "The encoding of texts, such as GBK, whatever a file names")
        .value_parser(typed::encoding)
}

fn force_argument() -> Arg {
    flag("force", "Replace files even if they are inputs or of another kind")
}

fn encoding(matches: &ArgMatches) -> Option<&'static Encoding> {
    matches.get_one("encoding").copied()
}

fn play_options(matches: &ArgMatches) -> play::Options {
    play::Options {
        rule: matches.get_one("rule").copied(),
        size: value::<BoardSize>(matches, "size"),
        level: value::<Strength>(matches, "level"),
        seed: matches.get_one("seed").copied(),
        time: value::<Duration>(matches, "time"),
        style: value::<Style>(matches, "style"),
        clock: matches.get_one("clock").copied(),
        players: match value::<u8>(matches, "players") {
            1 => matches.get_flag("white").then_some(Players::Person(Color::White)),
            _ => Some(Players::TwoPersons),
        },
        opening: if matches.get_flag("swap2") { Opening::Swap2 } else { Opening::Free },
        file: matches.get_one::<PathBuf>("file").cloned(),
        database: database(matches),
    }
}

/// Returns the database that is asked for.
fn database(matches: &ArgMatches) -> Option<PathBuf> {
    matches.get_one::<PathBuf>("database").cloned()
}

fn database_options(matches: &ArgMatches) -> exchange::Options {
    exchange::Options {
        database: value::<PathBuf>(matches, "database"),
        imports: matches.get_many("import").unwrap_or_default().cloned().collect(),
        export: matches.get_one::<PathBuf>("export").cloned(),
        rule: matches.get_one("rule").copied(),
        encoding: encoding(matches),
        is_forced: matches.get_flag("force"),
    }
}

fn analyze_options(matches: &ArgMatches) -> analyze::Options {
    let (depth, nodes) = (matches.get_one("depth").copied(), matches.get_one("nodes").copied());
    let default_time = (depth, nodes) == (None, None);
    let default_time = default_time.then_some(Duration::from_secs(1));
    let no_limits = Limits::default();
    analyze::Options {
        inputs: matches.get_many("inputs").unwrap_or_default().cloned().collect(),
        selection: match matches.get_one("after") {
            Some(&moves) => Selection::After(moves),
            None if matches.get_flag("variations") => Selection::Variations,
            None if ["sgf", "html", "lib"].iter().any(|name| matches.contains_id(name)) => {
                Selection::Every
            }
            None if matches.get_flag("every") => Selection::Every,
            None => Selection::Last,
        },
        rule: matches.get_one("rule").copied(),
        encoding: encoding(matches),
        is_forced: matches.get_flag("force"),
        size: value::<BoardSize>(matches, "size"),
        limits: Limits {
            depth: depth.unwrap_or(no_limits.depth),
            nodes: nodes.unwrap_or(no_limits.nodes),
            root: RootOptions {
                multi_pv: value::<u16>(matches, "lines").into(),
                is_analysis: true,
                ..no_limits.root
            },
            style: value::<Style>(matches, "style"),
            ..no_limits
        },
        time: matches.get_one("time").copied().or(default_time),
        threads: threads(matches),
        table_bytes: usize::from(value::<u16>(matches, "memory")) << 20,
        json: matches.get_flag("json"),
        sgf: matches.get_one("sgf").cloned(),
        html: matches.get_one("html").cloned(),
        library: matches.get_one("lib").cloned(),
        database: database(matches),
    }
}

fn openings_options(matches: &ArgMatches) -> opening_list::Options {
    opening_list::Options {
        count: value::<u64>(matches, "count"),
        plan: Plan {
            size: value::<BoardSize>(matches, "size"),
            rule: value::<Rule>(matches, "rule"),
            stones: value::<RangeInclusive<usize>>(matches, "stones"),
            nodes: value::<u64>(matches, "nodes"),
            window: value::<i32>(matches, "window"),
        },
        seed: value::<u64>(matches, "seed"),
        notation: match value::<String>(matches, "notation").as_str() {
            "offset" => Notation::Offset,
            _ => Notation::Pos,
        },
        threads: threads(matches),
        database: database(matches),
    }
}

/// Returns the number of threads that is asked for, by default one for each core.
fn threads(matches: &ArgMatches) -> usize {
    let cores = || available_parallelism().map_or(1, usize::from);
    matches.get_one::<u16>("threads").map_or_else(cores, |&n| n.into())
}

/// Reads a number of stones such as `5`, or a range such as `3-8`.
fn stones(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if 1 <= first && first <= last && last <= OPENING_STONES_MAX => {
            Ok(first..=last)
        }
        _ => {
            Err(format!("a number from 1 to {OPENING_STONES_MAX} or a range such as 3-8 expected"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parser_is_sound() {
        parser().debug_assert();
    }

    #[test]
    fn stones_are_a_number_or_a_range() {
        assert_eq!((stones("5"), stones("3-8")), (Ok(5..=5), Ok(3..=8)));
        for text in ["", "0", "21", "8-3", "3-21", "3-", "-3", "x", "3-4-5"] {
            assert!(stones(text).is_err(), "{text}");
        }
        let arguments = ["pbrain-tengen", "openings", "--size", "20x15", "--notation", "offset"];
        let matches = parser().get_matches_from(arguments);
        let options = openings_options(matches.subcommand_matches("openings").unwrap());
        assert_eq!((options.plan.stones, options.notation), (3..=8, Notation::Offset));
    }

    #[test]
    fn defaults_are_there() {
        let matches = parser().get_matches_from(["pbrain-tengen", "play"]);
        let options = play_options(matches.subcommand_matches("play").unwrap());
        assert_eq!((options.level, options.players), (Strength::FULL, None));
        let options = |arguments: &[&str]| {
            let matches =
                parser().get_matches_from([&["pbrain-tengen", "analyze"], arguments].concat());
            analyze_options(matches.subcommand_matches("analyze").unwrap())
        };
        assert_eq!(options(&[]).time, Some(Duration::from_secs(1)));
        assert_eq!(options(&["--nodes", "5"]).time, None);
        assert_eq!(options(&[]).rule, None);
        assert_eq!(options(&["--rule", "caro"]).rule, Some(Rule::Caro));
        assert_eq!(options(&["--encoding", "gb2312"]).encoding.unwrap().name(), "GBK");
        let analysis = RootOptions { is_analysis: true, ..RootOptions::default() };
        assert_eq!(options(&[]).limits.root, analysis);
        assert_eq!(options(&["--lines", "3"]).limits.root.multi_pv, 3);
        let limited = options(&["--depth", "3", "--time", "0.5", "--every", "a", "-"]);
        assert_eq!((limited.limits.depth, limited.limits.nodes), (3, u64::MAX));
        assert_eq!((limited.selection, limited.inputs.len()), (Selection::Every, 2));
    }
}
