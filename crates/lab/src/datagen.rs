//! Plays games of the engine against itself and writes them as training data.
//!
//! A game depends on the plan, its seed and the game's
//! number alone, and games stand in the order of their numbers: the file is the same for every
//! number of threads, and a run that was killed goes on where its file ends. `plan` is
//! what is asked for, `self_play` a game, `inner_nodes` the positions that the search tree gives.

mod inner_nodes;
mod plan;
mod progress;
mod self_play;

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, anyhow, bail, ensure};
use clap::{Args, value_parser};
use tengen::closed_output::note;
use tengen::opening::generator::NoOpening;
use tengen::parallel::in_order;
use tengen::search::STACK_BYTES;
use tengen::typed;
use tengen::types::Rule;
use tengen_lab::{Reader, TrainingGame, Writer};

use self::plan::{Plan, Sizes};
use self::progress::Progress;
use self::self_play::{Player, opening_plans};

/// The plan counts as used up after so many openings in a row that the file already holds.
const MAX_REPEATED: u32 = 2_000;

/// Plays games of the engine against itself and writes them as training data.
///
/// A file that exists is gone on with, if it was made by the same options; more games may be asked
/// for. The games depend on neither the threads nor on how often the work was cut short.
#[derive(Args)]
pub struct Options {
    /// freestyle, standard, renju, caro or caro-exact
    #[arg(long, default_value = "freestyle", value_parser = typed::rule)]
    rule: Rule,
    /// Board sizes and how often, such as 15:9,20:6,13-14,16-19
    #[arg(long, value_name = "SIZES", value_parser = Sizes::parse)]
    size: Option<Sizes>,
    /// The games that the file is to hold
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..))]
    games: u32,
    /// Nodes of a search, a fifth more or less
    #[arg(long, value_name = "NUMBER", default_value = "2500",
        value_parser = value_parser!(u64).range(100..=1_000_000_000))]
    nodes: u64,
    /// Inner nodes looked for after each search, at most
    #[arg(long, value_name = "NUMBER", default_value = "4")]
    inner: u8,
    /// Chooses among all files of such games
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    seed: u64,
    /// Games played at a time [default: all cores]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The file of the games
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub fn run(options: Options) -> anyhow::Result<()> {
    let Options { rule, size, games, nodes, inner, seed, threads, out } = options;
    let sizes = size.unwrap_or_else(|| Sizes::usual(rule));
    let plan = Plan { rule, sizes, nodes, inner: inner.into(), seed };
    generate(&plan, games, crate::threads(threads), &out)
        .with_context(|| format!("cannot write the games of {}", out.display()))
}

/// Makes the file hold so many games of the plan.
fn generate(plan: &Plan, games: u32, threads: usize, path: &Path) -> anyhow::Result<()> {
    let OpenedFile { file, count, next, openings } = OpenedFile::open(plan, path)?;
    if count >= games {
        note(format_args!("{} holds {count} games already", path.display()));
        return Ok(());
    }
    let mut writer = Writer::after_header(file);
    let mut progress = Progress::new(count, games);
    let openings = Mutex::new(openings);
    let opening_plans = opening_plans(plan);
    let mut count = count;
    let mut repeated = 0;
    let mut result = Ok(());
    let worker = || {
        // An opening that is in the file already would be left out below: its game is not played.
        let is_known = |hash: u64| lock(&openings).contains(&hash);
        let mut player = Player::new(plan, &opening_plans);
        move |number| player.play(number as u32, &is_known)
    };
    let take = |game: Result<Option<TrainingGame>, NoOpening>| {
        let game = match game {
            Err(error) => {
                result = Err(anyhow!(error));
                return false;
            }
            Ok(game) => game.filter(|game| lock(&openings).insert(game.opening_hash())),
        };
        let Some(game) = game else {
            repeated += 1;
            if repeated == MAX_REPEATED {
                result = Err(anyhow!("there are no further openings"));
            }
            return repeated < MAX_REPEATED;
        };
        repeated = 0;
        count += 1;
        result = writer.write(&game).map_err(anyhow::Error::from);
        progress.add(&game);
        result.is_ok() && count < games
    };
    in_order(next.into()..u32::MAX.into(), threads, STACK_BYTES, worker, take)?;
    progress.finish();
    result?;
    ensure!(count == games, "there are no further games");
    Ok(())
}

fn lock(openings: &Mutex<HashSet<u64>>) -> MutexGuard<'_, HashSet<u64>> {
    openings.lock().unwrap_or_else(PoisonError::into_inner)
}

struct OpenedFile {
    /// The file, at its end.
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
        if has_no_whole_header(&mut file, plan)? {
            file.set_len(0)?;
            file.rewind()?;
            Writer::new(file, &plan.to_string())?;
            return Ok(opened);
        }
        let mut reader = Reader::new(BufReader::new(&file))?;
        if reader.made_by() != plan.to_string() {
            bail!("its games were made otherwise: {}, not {plan}", reader.made_by());
        }
        for game in &mut reader {
            let game = game?;
            ensure!(game.number >= opened.next, "its games are not in order");
            opened.openings.insert(game.opening_hash());
            opened.next = game.number + 1;
            opened.count += 1;
        }
        let (end, left_out) = (reader.position(), reader.left_out());
        let is_sound = left_out.records == 0 && !left_out.is_tail_damaged;
        ensure!(is_sound, "{left_out}: it is damaged");
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        Ok(opened)
    }
}

/// Returns true if the file is empty or ends within the header, as a run leaves it that was killed
/// at once. Leaves the file at its start.
fn has_no_whole_header(file: &mut File, plan: &Plan) -> io::Result<bool> {
    let mut header = Vec::new();
    Writer::new(&mut header, &plan.to_string())?;
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(header.len() as u64).read_to_end(&mut bytes)?;
    file.rewind()?;
    Ok(bytes.len() < header.len() && header.starts_with(&bytes))
}
