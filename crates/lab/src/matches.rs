//! Matches between programs through the Gomocup protocol, by the rules of `tengen-gomoku`.
//!
//! Every opening is played twice, each program having either color once.

mod game;
pub mod statistics;

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, ensure};
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, value_parser};
use tengen::closed_output::note;
use tengen::parallel::in_order;
use tengen_gomocup::manager::MoveTime;
use tengen_gomocup::process::Program;
use tengen_gomoku::board::notation::parse_points;
use tengen_gomoku::board::symmetry::images;
use tengen_gomoku::record::load;
use tengen_gomoku::record::tree::{Editor, GameTree};
use tengen_gomoku::types::{BoardSize, Color, Random, Rule};

use self::game::{FREE_TURN, Played, Player, Setting};
use self::statistics::{Forfeits, MatchScore, Seats, Sprt, half_points};

/// The stack of a thread that plays, which searches nothing.
const STACK_BYTES: usize = 1 << 20;
/// Nodes of a move in a match between levels, so that it is the same on every machine.
const LEVEL_NODES: u64 = 30_000;

/// Plays matches between programs through the Gomocup protocol
///
/// The result is seen from the first program, with a 95 % confidence interval of its Elo from pairs
/// of games (pentanomial). Several opponents are a gauntlet.
#[derive(Args)]
pub struct Options {
    /// A program that speaks the protocol, with its arguments
    first: String,
    /// Its opponents
    #[arg(required_unless_present = "levels", conflicts_with = "levels")]
    second: Vec<String>,
    /// Play each level of INFO strength against the one so many below
    #[arg(long, value_name = "STEP", num_args = 0..=1, default_missing_value = "20",
        value_parser = value_parser!(u8).range(1..=100))]
    levels: Option<u8>,
    #[command(flatten)]
    setting: Setting,
    /// Seconds for the game, none if 0, and for a move
    #[arg(long, value_name = "MATCH/TURN[+INC]", default_value = "0/0.1",
        value_parser = time_control)]
    tc: Clock,
    /// The same for the second program, where it has another clock
    #[arg(long, value_name = "MATCH/TURN[+INC]", value_parser = time_control)]
    second_tc: Option<Clock>,
    /// Openings: games whose stones begin one [default: an empty board]
    #[arg(long, value_name = "FILE", env = "TENGEN_OPENINGS",
        value_parser = OsStringValueParser::new().map(PathBuf::from))]
    openings: Option<PathBuf>,
    /// Print what black scores from the openings of a table of swap2, such as
    /// src/opening/swap2.txt, in all their turns and reflections
    #[arg(long, value_name = "FILE",
        conflicts_with_all = ["levels", "swap2", "sprt", "sgf", "games"])]
    table: Option<PathBuf>,
    /// Maximum number of games; each opening is played twice [default: 100, or 20000 with --sprt]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// End when a sequential test of pairs has decided between these differences in Elo
    #[arg(long, value_name = "ELO0,ELO1", value_parser = hypotheses, allow_hyphen_values = true,
        conflicts_with = "levels")]
    sprt: Option<[f64; 2]>,
    /// Random seed of the order of the openings
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    seed: u64,
    /// Games at a time
    #[arg(long, value_name = "NUMBER", default_value = "1",
        value_parser = value_parser!(u16).range(1..))]
    concurrency: u16,
    /// A further INFO for the first program, such as strength=60
    #[arg(long, value_name = "KEY=VALUE", value_parser = info)]
    first_info: Vec<String>,
    /// The same for the second
    #[arg(long, value_name = "KEY=VALUE", value_parser = info)]
    second_info: Vec<String>,
    /// Keep the games there
    #[arg(long, value_name = "FILE")]
    sgf: Option<PathBuf>,
}

fn info(text: &str) -> Result<String, &'static str> {
    let key = text.split_once('=').map_or("", |(key, _)| key);
    let is_key = !key.is_empty() && !key.contains(' ');
    is_key.then(|| text.to_owned()).ok_or("KEY=VALUE expected")
}

fn seconds(text: &str) -> Result<Duration, &'static str> {
    let seconds = text.parse().ok().filter(|seconds| (0.0..=86_400.0).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or("seconds from 0 to 86400 expected")
}

/// A time control as c-gomoku-cli writes it, and what it says.
type Clock = (String, MoveTime);

fn time_control(text: &str) -> Result<Clock, &'static str> {
    let (limits, increment) = text.split_once('+').unwrap_or((text, "0"));
    let (left, turn) = limits.split_once('/').ok_or("MATCH/TURN[+INCREMENT] expected")?;
    let limit = |text| seconds(text).map(|time| (!time.is_zero()).then_some(time));
    let game = limit(left)?.map(|left| (left, left));
    let turn = limit(turn)?.unwrap_or(FREE_TURN);
    Ok((text.to_owned(), MoveTime { turn, game, increment: seconds(increment)? }))
}

pub fn hypotheses(text: &str) -> Result<[f64; 2], &'static str> {
    let elos = text.split_once(',').and_then(|(a, b)| Some([a.parse().ok()?, b.parse().ok()?]));
    elos.filter(|[elo0, elo1]: &[f64; 2]| elo0 < elo1 && elo0.abs().max(elo1.abs()) <= 1_000.0)
        .ok_or("two numbers such as 0,5 expected, the smaller one first")
}

pub fn run(options: &Options) -> anyhow::Result<()> {
    let is_gauntlet = options.second.len() > 1;
    ensure!(!is_gauntlet || options.sprt.is_none(), "a sequential test has one opponent");
    ensure!(!is_gauntlet || options.table.is_none(), "a table is measured with one opponent");
    let infos = [&options.first_info, &options.second_info].into_iter().flatten();
    let sets_strength = infos.clone().any(|info| info.starts_with("strength="));
    ensure!(options.levels.is_none() || !sets_strength, "--levels sets the strength");
    let table = if options.levels.is_some() {
        Some("| Level | Against | Wins, losses, draws | Elo (95 %) |\n| --- | --- | --- | --- |")
    } else if is_gauntlet {
        Some("| Opponent | Wins, losses, draws | Score | Elo (95 %) |\n| --- | --- | --- | --- |")
    } else {
        None
    };
    let mut plan = Plan::of(options)?;
    let mut out = io::stdout().lock();
    if let Some(path) = &options.table {
        return plan.measure(&pairings(options)[0].1, path, &mut out);
    }
    if let Some(head) = table {
        writeln!(out, "{head}")?;
    }
    for (names, players) in pairings(options) {
        let score = plan.play(&players, table.is_none().then_some(&mut out))?;
        if table.is_none() {
            writeln!(out, "\n{} against {names}\n{}\n{score}", options.first, plan.text())?;
            for (player, forfeits) in players.iter().zip(score.forfeits) {
                writeln!(out, "{}: {forfeits}", player.name)?;
            }
            write!(out, "{}", plan.seats)?;
            continue;
        }
        let counts = format!("{}-{}-{}", score.wins, score.losses, score.draws);
        let share = match options.levels {
            Some(_) => String::new(),
            None => format!(" {:.1} % |", 100.0 * score.share()),
        };
        writeln!(out, "| {names} | {counts} |{share} {} |", score.elo())?;
        note_forfeits(&names, &players, &score);
    }
    Ok(())
}

/// Prints the forfeits of a row's players on standard error.
fn note_forfeits(row: &str, players: &[Player; 2], score: &MatchScore) {
    for (player, forfeits) in players.iter().zip(score.forfeits) {
        if forfeits != Forfeits::default() {
            note(format_args!("{row}: {}: {forfeits}", player.name));
        }
    }
}

/// Returns the players of each match, with the names that they have in a table.
fn pairings(options: &Options) -> Vec<(String, [Player; 2])> {
    let clocks = [options.tc.1, options.second_tc.as_ref().unwrap_or(&options.tc).1];
    let limited = options.setting.nodes.is_some() || options.levels.is_some();
    let free = MoveTime { turn: FREE_TURN, game: None, increment: Duration::ZERO };
    let player = |name: &str, program: &str, seat: usize, level: Option<u8>| {
        let infos = [&options.first_info, &options.second_info][seat].iter();
        let file = Program::parse(program).map_or_else(|_| program.to_owned(), |found| found.name);
        Player {
            name: name.to_owned(),
            title: format!("{file} ({name})"),
            program: program.to_owned(),
            infos: (level.map(|level| format!("strength {level}")).into_iter())
                .chain(infos.map(|info| info.replacen('=', " ", 1)))
                .collect(),
            time: if limited { free } else { clocks[seat] },
        }
    };
    let first = &options.first;
    if let Some(step) = options.levels {
        let pairing = |level: u8| {
            let levels = [level, level - step];
            let name = |seat: usize| format!("level {}", levels[seat]);
            let players = [0, 1].map(|seat| player(&name(seat), first, seat, Some(levels[seat])));
            (levels.map(|level| level.to_string()).join(" | "), players)
        };
        return (step..=100).step_by(step.into()).map(pairing).collect();
    }
    let is_gauntlet = options.second.len() > 1;
    let pairing = |second: &String| {
        let name = if is_gauntlet { second } else { "second" };
        let players = [player("first", first, 0, None), player(name, second, 1, None)];
        (second.clone(), players)
    };
    options.second.iter().map(pairing).collect()
}

/// Returns true if a program with these INFOs may play two games from one opening differently at
/// fixed nodes: if it has several threads, or a lower strength without a seed.
fn plays_at_random(infos: &[String]) -> bool {
    let value = |key: &str| {
        let pairs = infos.iter().rev().filter_map(|info| info.split_once('='));
        pairs.filter(|(name, _)| *name == key).map(|(_, value)| value).next()
    };
    let is_weak = value("strength").is_some_and(|strength| strength != "100");
    is_weak && value("seed").is_none() || value("thread_num").is_some_and(|threads| threads != "1")
}

struct Plan<'a> {
    options: &'a Options,
    setting: Setting,
    openings: Vec<GameTree>,
    games: u64,
    sgf: Option<File>,
    seats: Seats,
}

impl Plan<'_> {
    fn of(options: &Options) -> anyhow::Result<Plan<'_>> {
        let mut setting = options.setting;
        setting.nodes = setting.nodes.or(options.levels.map(|_| LEVEL_NODES));
        let file = options.openings.as_deref().filter(|path| !path.as_os_str().is_empty());
        let mut openings = match file {
            Some(path) if !setting.swap2 && options.table.is_none() => {
                openings(path, setting.rule, setting.size)?
            }
            _ => vec![GameTree::new(setting.size)],
        };
        Random::new(options.seed).shuffle(&mut openings);
        let default_games = if options.sprt.is_some() { 20_000 } else { 100 };
        let mut games = options.games.unwrap_or(default_games);
        let is_random = options.levels.is_some()
            || setting.swap2
            || plays_at_random(&options.first_info)
            || plays_at_random(&options.second_info);
        let different = 2 * openings.len() as u64;
        if setting.nodes.is_some() && !is_random && options.table.is_none() && games > different {
            note(format_args!("at fixed nodes these openings make {different} games, not more"));
            games = different;
        }
        // Games that are there are not written over.
        let create = |path: &PathBuf| {
            File::create_new(path).with_context(|| format!("writing {}", path.display()))
        };
        let sgf = options.sgf.as_ref().map(create).transpose()?;
        Ok(Plan { options, setting, openings, games, sgf, seats: Seats::default() })
    }

    fn text(&self) -> String {
        let Setting { rule, size, memory, nodes, swap2, .. } = self.setting;
        let Options { tc: (tc, _), second_tc, openings, seed, .. } = self.options;
        let Options { first_info, second_info, .. } = self.options;
        let mut text = format!("{}, {size}, {memory} MB, ", rule.name());
        text += &match (nodes, second_tc) {
            (Some(nodes), _) => format!("{nodes} nodes a move"),
            (None, None) => format!("tc {tc}"),
            (None, Some((other, _))) => format!("tc {tc} to {other}"),
        };
        if swap2 {
            text += ", swap2";
        } else if let Some(name) = openings.as_deref().and_then(Path::file_name) {
            text += &format!(", openings {} (seed {seed})", name.display());
        }
        for (name, infos) in [("first", first_info), ("second", second_info)] {
            if !infos.is_empty() {
                text += &format!(", {name} with {}", infos.join(" "));
            }
        }
        text
    }

    /// Plays a match. `out` gets two lines for each game: how it ended, and the score.
    fn play(
        &mut self,
        players: &[Player; 2],
        mut out: Option<&mut impl Write>,
    ) -> anyhow::Result<MatchScore> {
        let Plan { options, setting, openings, games, sgf, seats } = self;
        let (setting, openings) = (&*setting, &*openings);
        let mut score = MatchScore::new(options.sprt.map(Sprt));
        let worker = || {
            move |number: u64| {
                let opening = &openings[(number / 2) as usize % openings.len()];
                let black = (number % 2) as usize;
                let seated = [&players[black], &players[1 - black]];
                let setting = if setting.swap2 { setting.varied(number) } else { *setting };
                game::play(&setting, opening, seated)
            }
        };
        let take = |game: anyhow::Result<Played>| -> anyhow::Result<bool> {
            let Played { game, end, forfeit } = &game?;
            // The first program is the first player of every other game.
            let first = (score.games() % 2) as usize;
            let player = |color| &players[game.player(color) ^ first];
            if let Some(file) = sgf {
                let titles = Color::ALL.map(|color| player(color).title.clone());
                let text = game.tree_for_file(titles).to_sgf();
                file.write_all(text.as_bytes()).context("writing a game")?;
            }
            score.add(game.color(first), end.outcome(), *forfeit);
            if let Some(decision) = game::decision(game) {
                seats.add(game.color(0), decision, end.outcome());
            }
            let Some(out) = &mut out else { return Ok(!score.is_decided()) };
            let [black, white] = Color::ALL.map(|color| &player(color).name);
            let won = ["0-1", "1/2-1/2", "1-0"][half_points(end.outcome(), Color::Black)];
            let MatchScore { wins, losses, draws, .. } = score;
            let (number, share) = (score.games(), score.share());
            let words = game::words(end, *forfeit);
            writeln!(out, "Finished game {number} ({black} vs {white}): {won} {{{words}}}")?;
            write!(out, "Score of {} vs {}: ", players[0].name, players[1].name)?;
            writeln!(out, "{wins} - {losses} - {draws}  [{share:.3}] {number}")?;
            Ok(!score.is_decided())
        };
        let played = in_order(0..*games, options.concurrency.into(), STACK_BYTES, worker, take);
        // A match that could not start leaves no empty file.
        if let (Err(_), Some(path)) = (&played, &options.sgf)
            && fs::metadata(path).is_ok_and(|file| file.len() == 0)
        {
            fs::remove_file(path)?;
        }
        played.and(Ok(score))
    }

    /// Prints the rows of a table that are of the rule and size, each with the points that black,
    /// the first player, scores in games from all images of its stones.
    fn measure(
        &self,
        players: &[Player; 2],
        path: &Path,
        out: &mut impl Write,
    ) -> anyhow::Result<()> {
        let Setting { rule, size, .. } = self.setting;
        let reading = || format!("reading {}", path.display());
        let text = fs::read_to_string(path).with_context(reading)?;
        ensure!(size.width() == size.height(), "tables are for square boards");
        let wanted = format!("{} {} ", rule.name(), size.width());
        let is_of_board = text.lines().any(|row| row.starts_with(&wanted));
        ensure!(is_of_board, "{}: no row begins with \"{wanted}\"", path.display());
        for row in text.lines() {
            let Some(points) = row.strip_prefix(&wanted) else { continue };
            let stones =
                parse_points(points, size).with_context(|| format!("{}: {row}", path.display()))?;
            let images: Vec<Vec<_>> = images(&stones, size).collect();
            let worker = || {
                let images = &images;
                move |number: u64| {
                    let mut editor = Editor::new(GameTree::new(size));
                    for &mv in &images[number as usize] {
                        editor.play(mv).map_err(|_| anyhow!("{row}: stones on one cell"))?;
                    }
                    game::play(&self.setting.varied(number), &editor.tree, players.each_ref())
                }
            };
            let mut score = MatchScore::default();
            let take = |game: anyhow::Result<Played>| -> anyhow::Result<bool> {
                let Played { end, forfeit, .. } = game?;
                score.add(Color::Black, end.outcome(), forfeit);
                Ok(true)
            };
            let threads = self.options.concurrency.into();
            in_order(0..images.len() as u64, threads, STACK_BYTES, worker, take)?;
            note_forfeits(row, players, &score);
            writeln!(out, "{row} {}", score.wins as f64 + score.draws as f64 / 2.0)?;
            out.flush()?;
        }
        Ok(())
    }
}

/// Returns the openings of a file without duplicates. An opening after which the game is over is an
/// error.
pub fn openings(path: &Path, rule: Rule, size: BoardSize) -> anyhow::Result<Vec<GameTree>> {
    let (mut openings, mut known) = (Vec::new(), HashSet::new());
    for game in load(path, size)? {
        let place = || format!("{}, line {}", path.display(), game.line);
        let record = game.record().with_context(place)?;
        ensure!(record.size() == size, "{}: another size of the board", place());
        ensure!(record.ending(rule).is_none(), "{}: the game is over", place());
        let stones: Vec<_> = record.stones().iter().map(|stone| (stone.c, stone.color)).collect();
        if known.insert(stones) {
            openings.push(game.tree);
        }
    }
    Ok(openings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_are_read() {
        let (_, control) = time_control("10/0.5+0.1").unwrap();
        assert_eq!(control.game, Some((Duration::from_secs(10), Duration::from_secs(10))));
        assert_eq!(control.turn, Duration::from_millis(500));
        assert_eq!(control.increment, Duration::from_millis(100));
        let turn = Duration::from_millis(100);
        let expected = MoveTime { turn, game: None, increment: Duration::ZERO };
        assert_eq!(time_control("0/0.1"), Ok(("0/0.1".to_owned(), expected)));
        for text in ["", "1", "/", "1/", "x/1", "1/1+", "-1/1"] {
            assert!(time_control(text).is_err(), "{text}");
        }
    }

    #[test]
    fn weaker_play_without_a_seed_and_threads_are_random() {
        for (infos, is_random) in [
            ("", false),
            ("strength=100", false),
            ("strength=50", true),
            ("strength=50 seed=1", false),
            ("strength=50 strength=100", false),
            ("thread_num=2", true),
        ] {
            let infos: Vec<String> = infos.split_whitespace().map(str::to_owned).collect();
            assert_eq!(plays_at_random(&infos), is_random, "{infos:?}");
        }
        assert!(
            info("a=b c").is_ok()
                && ["strength", "=5", "a b=5"].iter().all(|text| info(text).is_err())
        );
    }

    #[test]
    fn hypotheses_are_read() {
        assert_eq!(hypotheses("-5,0.5"), Ok([-5.0, 0.5]));
        for text in ["", "5", "5,0", "0,0", "0,x", "nan,1", "0,inf", "0,5,9"] {
            assert!(hypotheses(text).is_err(), "{text}");
        }
    }
}
