//! Plays games of the engine against itself and writes them as training data.
//!
//! A game depends on the plan, its seed and the game's number alone, and games stand in the order of
//! their numbers: the file is the same for every number of threads, and a run that was killed goes
//! on where its file ends.

mod self_play;

use std::collections::HashSet;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::{Args, value_parser};
use tengen::closed_output::note;
use tengen::eval;
use tengen::parallel::{self, in_order, lock};
use tengen::search::STACK_BYTES;
use tengen_gomoku::types::{BoardSize, Random, Rule};
use tengen_lab::{Reader, Source, TrainingGame, header, write_game};

use self::self_play::play;

/// The plan counts as used up after so many openings in a row that the file already holds.
const MAX_REPEATED: u32 = 2_000;
const NOTE_INTERVAL: Duration = Duration::from_secs(30);

/// Plays games of the engine against itself and writes them as training data.
///
/// An existing file is continued if it was made with the same options; a larger number of games may
/// be given. The games depend neither on the threads nor on interruptions.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    plan: Plan,
    /// The games that the file is to hold
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..))]
    games: u32,
    /// Games played at a time [default: all cores]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The file of the games
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// What games are asked for. Its text names all of it, the version and the evaluation, but not the
/// search: a program whose search has changed since would go on with other games.
#[derive(Args)]
struct Plan {
    /// freestyle, standard, renju, caro or caro-exact
    #[arg(long, default_value = "freestyle")]
    rule: Rule,
    /// Board sizes and how often, such as 15:9,20:6,13-14,16-19
    #[arg(long, value_name = "SIZES", value_parser = Sizes::parse)]
    size: Option<Sizes>,
    /// Nodes of a search, a fifth more or less
    #[arg(long, value_name = "NUMBER", default_value = "2500",
        value_parser = value_parser!(u64).range(100..=1_000_000_000))]
    nodes: u64,
    /// Inner nodes looked for after each search, at most
    #[arg(long, value_name = "NUMBER", default_value = "4")]
    inner: u8,
    /// Least depth of an inner node
    #[arg(long, value_name = "PLIES", default_value = "4",
        value_parser = value_parser!(i32).range(1..))]
    inner_depth: i32,
    /// Random seed of the games
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    seed: u64,
}

impl Plan {
    fn sizes(&self) -> Sizes {
        let usual = if self.rule == Rule::Freestyle { "13-14,15:9,16-19,20:6" } else { "15" };
        let usual = || Sizes::parse(usual).expect("invariant: the text is well-formed");
        self.size.clone().unwrap_or_else(usual)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Plan { rule, nodes, inner, inner_depth, seed, .. } = self;
        let (sizes, evaluation) = (self.sizes(), eval::fingerprint());
        write!(f, "datagen {}, {}, size {sizes}, ", env!("CARGO_PKG_VERSION"), rule.name())?;
        write!(f, "{nodes} nodes, {inner} inner nodes of depth {inner_depth}, ")?;
        write!(f, "seed {seed}, evaluation {evaluation:016x}")
    }
}

pub fn run(options: Options) -> anyhow::Result<()> {
    let Options { plan, games, threads, out } = options;
    generate(&plan, games, parallel::threads(threads), &out)
        .with_context(|| format!("cannot write the games of {}", out.display()))
}

fn generate(plan: &Plan, wanted: u32, threads: usize, path: &Path) -> anyhow::Result<()> {
    let OpenedFile { mut file, count, next, openings } = OpenedFile::open(plan, path)?;
    if count >= wanted {
        note(format_args!("{} holds {count} games already", path.display()));
        return Ok(());
    }
    let mut tally = Tally { before: count, games: 0, wanted, positions: 0, inner: 0 };
    let start = Instant::now();
    let mut noted = start;
    let openings = Mutex::new(openings);
    let mut repeated = 0;
    let worker = || {
        // The game of an opening that is in the file already would be left out below.
        let is_known = |hash: u64| lock(&openings).contains(&hash);
        move |number| play(plan, number as u32, &is_known)
    };
    let take = |game: anyhow::Result<Option<TrainingGame>>| {
        let Some(game) = game?.filter(|game| lock(&openings).insert(game.opening_hash())) else {
            repeated += 1;
            ensure!(repeated < MAX_REPEATED, "there are no further openings");
            return Ok(true);
        };
        repeated = 0;
        write_game(&mut file, &game)?;
        tally.add(&game);
        if noted.elapsed() >= NOTE_INTERVAL {
            noted = Instant::now();
            note(tally.line(start.elapsed()));
        }
        Ok(tally.left() > 0)
    };
    let numbers = next.into()..u32::MAX.into();
    let result = in_order(numbers, threads, STACK_BYTES, worker, take);
    note(tally.line(start.elapsed()));
    result?;
    ensure!(tally.left() == 0, "there are no further games");
    Ok(())
}

struct OpenedFile {
    file: File,
    count: u32,
    next: u32,
    openings: HashSet<u64>,
}

impl OpenedFile {
    /// Opens the file, begins it if there is nothing in it, and cuts off what a killed run left
    /// unfinished. It is locked as long as it is open: two runs would write over each other.
    fn open(plan: &Plan, path: &Path) -> anyhow::Result<OpenedFile> {
        let mut options = OpenOptions::new();
        let mut file = options.read(true).write(true).create(true).truncate(false).open(path)?;
        crate::lock(&file, path)?;
        let mut opened =
            OpenedFile { file: file.try_clone()?, count: 0, next: 0, openings: HashSet::new() };
        let header = header(&plan.to_string())?;
        let mut start = Vec::new();
        (&file).take(header.len() as u64).read_to_end(&mut start)?;
        file.rewind()?;
        // Empty, or as a run leaves it that was killed at once.
        if start.len() < header.len() && header.starts_with(&start) {
            file.set_len(0)?;
            file.write_all(&header)?;
            return Ok(opened);
        }
        let mut reader = Reader::new(BufReader::new(&file))?;
        let made_by = &reader.made_by;
        let is_same = *made_by == plan.to_string();
        ensure!(is_same, "its games were made otherwise: {made_by}, not {plan}");
        for game in &mut reader {
            let game = game?;
            ensure!(game.number >= opened.next, "its games are not in order");
            opened.openings.insert(game.opening_hash());
            opened.next = game.number + 1;
            opened.count += 1;
        }
        let (end, left_out) = (reader.position, reader.left_out);
        ensure!(left_out.records == 0, "{left_out}: it is damaged");
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        Ok(opened)
    }
}

/// Sizes of square boards, each as often as it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sizes(Vec<BoardSize>);

impl Sizes {
    /// Reads a list such as `15:9,20:6,13-14`: lengths or ranges of them, and after a colon how
    /// often each is drawn, once if nothing is said.
    fn parse(text: &str) -> Result<Sizes, String> {
        let mut sizes = Vec::new();
        for part in text.split(',') {
            let wrong = || format!("'{part}' is no size from 5 to 22, range or size:times");
            let (range, times) = part.split_once(':').unwrap_or((part, "1"));
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let [first, last] = [first, last].map(|side| side.trim().parse::<u8>());
            let (Ok(first), Ok(last), Ok(times)) = (first, last, times.trim().parse::<u16>())
            else {
                return Err(wrong());
            };
            if first > last || times == 0 {
                return Err(wrong());
            }
            for side in first..=last {
                let size = BoardSize::new(side, side).ok_or_else(wrong)?;
                sizes.extend(iter::repeat_n(size, times.into()));
            }
        }
        Ok(Sizes(sizes))
    }

    fn draw(&self, random: &mut Random) -> BoardSize {
        self.0[random.below(self.0.len())]
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let same = self.0.chunk_by(|a, b| a == b);
        let times = same.map(|sizes| format!("{}:{}", sizes[0].width(), sizes.len()));
        f.write_str(&times.collect::<Vec<String>>().join(","))
    }
}

struct Tally {
    before: u32,
    games: u32,
    wanted: u32,
    /// Positions that a search of their own judged.
    positions: u64,
    inner: u64,
}

impl Tally {
    fn add(&mut self, game: &TrainingGame) {
        let inner = game.samples.iter().filter(|sample| sample.source == Source::Inner).count();
        self.games += 1;
        self.positions += (game.labels.len() + game.samples.len() - inner) as u64;
        self.inner += inner as u64;
    }

    fn left(&self) -> u32 {
        self.wanted - self.before - self.games
    }

    fn line(&self, elapsed: Duration) -> String {
        let Tally { before, games, wanted, positions, inner } = *self;
        let seconds = elapsed.as_secs_f64().max(0.001);
        let rate = (positions as f64 / seconds).round();
        let left = (f64::from(self.left()) / f64::from(games.max(1)) * seconds).ceil() as u64;
        let (hours, minutes, seconds) = (left / 3600, left / 60 % 60, left % 60);
        format!(
            "{} of {wanted} games, {positions} positions, {inner} inner nodes, {rate} positions/s, \
             {hours}:{minutes:02}:{seconds:02} left",
            before + games
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_drawn_as_often_as_they_say() {
        let sizes = Sizes::parse("13-14,15:6, 20:2").unwrap();
        assert_eq!(sizes.to_string(), "13:1,14:1,15:6,20:2");
        let mut random = Random::new(1);
        let mut counts = [0; 23];
        (0..10_000).for_each(|_| counts[sizes.draw(&mut random).width() as usize] += 1);
        for (side, expected) in [(13, 1_000), (14, 1_000), (15, 6_000), (20, 2_000)] {
            assert!((expected * 9 / 10..expected * 11 / 10).contains(&counts[side]), "{counts:?}");
        }
        assert_eq!(counts.iter().sum::<i32>(), 10_000);
        for wrong in ["", "4", "23", "15-14", "15:0", "15:x", "15,", "13-", "13-23", "-3"] {
            assert!(Sizes::parse(wrong).is_err(), "{wrong}");
        }
    }

    const PLAN: Plan =
        Plan { rule: Rule::Freestyle, size: None, nodes: 100, inner: 4, inner_depth: 4, seed: 1 };

    #[test]
    fn freestyle_is_played_on_13_to_20() {
        let usual = |rule| Plan { rule, ..PLAN }.sizes();
        assert_eq!(usual(Rule::Freestyle).to_string(), "13:1,14:1,15:9,16:1,17:1,18:1,19:1,20:6");
        assert_eq!(usual(Rule::Renju), Sizes::parse("15").unwrap());
    }

    #[test]
    fn the_line_counts_this_run_only() {
        let tally = Tally { before: 40, games: 10, wanted: 1050, positions: 300, inner: 900 };
        let expected = "50 of 1050 games, 300 positions, 900 inner nodes, 10 positions/s, \
                        0:50:00 left";
        assert_eq!(tally.line(Duration::from_secs(30)), expected);
    }
}
