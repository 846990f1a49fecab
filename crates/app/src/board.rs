//! A page on this machine to play, analyse and review with any engine.
//!
//! Starts the program, passes events to the session one by one, and sends its effects to engines
//! and pages. [`server`] answers the requests that [`guard`] admits with files of
//! [`web`](crate::web); [`engine`] drives an engine. When the program ends, no engine process is
//! left.

mod engine;
mod guard;
mod keeper;
mod server;

use std::collections::HashMap;
use std::fs;
use std::io::{Write, stdout};
use std::mem::take;
use std::net::Ipv4Addr;
use std::num::NonZero;
use std::path::{self, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use crate::typed;
use anyhow::{Context, Error, anyhow, bail, ensure};
use clap::Args;
use futures_util::future::OptionFuture;
use tengen::closed_output::note;
use tengen::database::Database;
use tengen::opening::swap2::stones;
use tengen::parallel::lock;
use tengen_gomocup::process::Program;
use tengen_gomoku::record::{self, ParsedGame, ReadOptions};
use tengen_gomoku::types::{BoardSize, Random, Rows};
use tengen_session::clock::Moment;
use tengen_session::session::{Effect, EngineResources, Role, Session};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::sleep_until;

use engine::{Engine, Profile};
use guard::Guard;
use keeper::Keeper;
use server::Feeds;

const ENGINES_MAX: usize = 2;
/// The largest file of games, in bytes.
const FILE_MAX: u64 = 64 << 20;
/// The most memory that an engine is given, in MiB.
const MEMORY_MAX: u64 = 1 << 16;
/// The game is kept when nothing has changed for so long: to write a large one takes time.
const KEEP_PAUSE: Duration = Duration::from_secs(1);
/// A change is kept after so long at the latest.
const KEEP_WAIT: Duration = Duration::from_secs(5);

const ABOUT: &str = "\
Serves a page on this machine alone, opens it in the browser, and plays, analyses and reviews with \
any engine of the Gomocup protocol. Without --engine that is Tengen.

Examples:
  tengen board
  tengen board game.sgf
  tengen board --engine ./pbrain-rapfi
  tengen board --engine ./pbrain-tengen --engine 'wine pbrain-yixin.exe'

The program ends by Ctrl-C, or a few seconds after its last page is closed. Started again without a
file, it goes on with the game and the settings that it had.";

/// What the arguments ask for.
#[derive(Clone, Debug, Args)]
#[command(after_help = ABOUT)]
pub struct Options {
    /// An engine: a program, or a command with arguments; a second one plays against the first
    #[arg(long = "engine", value_name = "COMMAND", value_parser = command)]
    pub engines: Vec<String>,
    /// The port of the page's address [default: any free one]
    #[arg(long, default_value = "0", hide_default_value = true)]
    pub port: u16,
    /// Analyse and review with what this database knows, and keep there what is found
    #[arg(long, value_name = "FILE")]
    pub database: Option<PathBuf>,
    /// The side from which rows are numbered: bottom or top
    #[arg(long, value_name = "SIDE", default_value = typed::ROWS,
        value_parser = typed::one_of::<Rows>(["bottom", "top"]), hide_possible_values = true)]
    pub rows: Rows,
    /// Print the address only, and open no browser
    #[arg(long)]
    pub no_open: bool,
    /// Go on after the last page is closed
    #[arg(long)]
    pub stay: bool,
    /// A game to show, in any format that Tengen reads
    pub file: Option<PathBuf>,
}

pub fn run(options: Options) -> anyhow::Result<()> {
    let commands = match options.engines.len() {
        0 => vec![String::new()],
        1..=ENGINES_MAX => options.engines.clone(),
        count => bail!("{count} engines cannot play one game"),
    };
    commands.iter().try_for_each(|command| self::command(command).map(drop)).map_err(Error::msg)?;
    let database = options.database.as_deref().map(|path| {
        // A file that is something else is told of here, and the engine has to open it.
        Database::open(path)?;
        path::absolute(path).with_context(|| path.display().to_string())
    });
    let database = database.transpose()?;
    let games = options.file.as_deref().map(|path| read_games(path, options.rows)).transpose()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot start")?;
    runtime.block_on(serve(&options, commands, database, games))
}

/// Checks the command of an engine.
fn command(text: &str) -> Result<String, String> {
    program(text).map(|_| text.to_owned())
}

/// Returns the engine of a command; the empty one is Tengen's.
fn program(command: &str) -> Result<Program, String> {
    match command {
        "" => Program::own().map_err(|error| error.to_string()),
        command => Program::parse(command),
    }
}

/// Returns the engines of commands that were checked. The first one studies, with the database.
fn profiles(commands: &[String], database: Option<&Path>) -> Vec<Profile> {
    let profile = |(number, command): (usize, &String)| {
        let program = program(command).or_else(|_| program("")).ok()?;
        let database = database.filter(|_| number == 0).map(Path::to_owned);
        Some(Profile { program, can_analyse: Arc::default(), database })
    };
    commands.iter().enumerate().filter_map(profile).collect()
}

fn read_games(path: &Path, rows: Rows) -> anyhow::Result<Vec<ParsedGame>> {
    let length = fs::metadata(path).with_context(|| path.display().to_string())?.len();
    ensure!(length <= FILE_MAX, "{}: too large for a game", path.display());
    Ok(record::load(path, ReadOptions { rows, ..BoardSize::DEFAULT.into() })?)
}

async fn serve(
    options: &Options,
    commands: Vec<String>,
    database: Option<PathBuf>,
    games: Option<Vec<ParsedGame>>,
) -> anyhow::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await;
    let listener = listener.with_context(|| format!("cannot listen on port {}", options.port))?;
    let port = listener.local_addr().context("cannot listen")?.port();
    let guard = Guard::new(port).context("no random numbers")?;
    let mut seeds = Random::new(getrandom::u64().context("no random numbers")?);
    let ticket = (!options.no_open).then(|| guard.ticket_address()).transpose();
    let ticket = ticket.context("no random numbers")?;

    let profiles = profiles(&commands, database.as_deref());
    let names = profiles.iter().map(|profile| profile.program.name.clone());
    let programs = commands.into_iter().zip(names).collect();
    let openings = Box::new(move |size, rule| stones(size, rule, seeds.number()));
    let mut session = Session::new(programs, options.rows, options.stay, openings, Duration::ZERO);
    let threads = available_parallelism().map_or(1, NonZero::get) as u64;
    session.most = EngineResources { threads, memory: MEMORY_MAX };
    session.name_of = Some(|command| program(command).map(|program| program.name));
    let mut keeper = Keeper::new(games.is_some());
    if let Some((games, path)) = games.zip(options.file.as_deref()) {
        let notes = session.open_game(games, None);
        let notes = notes.map_err(|error| anyhow!("{}: {error}", path.display()))?;
        notes.iter().for_each(|words| note(format_args!("{}: {words}", path.display())));
    } else if let Some(kept) = keeper.as_ref().and_then(|keeper| keeper.newest.as_ref()) {
        session.restore(kept, Moment::ZERO);
    }
    keeper.iter_mut().for_each(|keeper| keeper.newest = Some(session.kept(Moment::ZERO)));
    let (engines, leaving, feeds) = (HashMap::new(), Vec::new(), Some(Feeds::new()));
    let start = Instant::now();
    let shared = Shared { session, profiles, database, engines, leaving, feeds, start, keeper };
    let shared = Mutex::new(shared);
    let app = Arc::new(AppState { guard, shared, change: Notify::new() });
    // Before a page is opened, so that it finds somebody.
    let server = tokio::spawn(server::serve(listener, Arc::clone(&app)));
    // Standard output may be closed: ignore the error.
    let _ = writeln!(stdout(), "The board is at {}\nCtrl-C ends it.", app.guard.address());
    if ticket.is_some_and(|ticket| open::that_detached(ticket).is_err()) {
        let _ = writeln!(stdout(), "No browser could be opened: please open that address in one.");
    }
    let result = tokio::select! {
        () = app.run() => Ok(()),
        result = server => {
            result.unwrap_or_else(|error| Err(error.into())).context("the server failed")
        }
        result = interrupt() => result.context("cannot hear Ctrl-C"),
    };
    app.end().await;
    result
}

/// The session with what is around it, shared by pages, engines and the timer.
struct AppState {
    guard: Guard,
    shared: Mutex<Shared>,
    /// Notified after each change, since the next deadline may be another one.
    change: Notify,
}

/// What one lock protects.
struct Shared {
    session: Session,
    profiles: Vec<Profile>,
    database: Option<PathBuf>,
    engines: HashMap<Role, Engine>,
    leaving: Vec<JoinHandle<()>>,
    /// `None` once the program ends.
    feeds: Option<Feeds>,
    /// The origin of the session's moments.
    start: Instant,
    keeper: Option<Keeper>,
}

impl AppState {
    fn shared(&self) -> MutexGuard<'_, Shared> {
        lock(&self.shared)
    }

    /// Lets the session take an event in, does what it wants then, and shows how things stand.
    fn handle<T>(self: &Arc<AppState>, event: impl FnOnce(&mut Session, Moment) -> T) -> T {
        let mut shared = self.shared();
        let Shared { session, profiles, database, engines, leaving, feeds, start, keeper } =
            &mut *shared;
        let result = event(session, start.elapsed());
        for effect in take(&mut session.effects) {
            let Some(open_feeds) = feeds else { break };
            match effect {
                Effect::Start(role, program) => {
                    engines.insert(role, self.start(role, profiles[program].clone()));
                }
                Effect::Engines(commands) => {
                    *profiles = self::profiles(&commands, database.as_deref());
                }
                Effect::Tell(role, order) => engines[&role].tell(order),
                Effect::Dismiss(role) => {
                    leaving.retain(|end| !end.is_finished());
                    let engine = engines.remove(&role);
                    leaving.extend(engine.map(|engine| tokio::spawn(engine.end())));
                }
                Effect::Note(note) => open_feeds.tell_note(&note),
                Effect::Exit => *feeds = None,
            }
        }
        if let Some(feeds) = feeds {
            if take(&mut session.has_changed) {
                feeds.tell("state", &session.state());
                feeds.tell("review", &session.review());
                keeper.iter_mut().for_each(|keeper| keeper.shows_file &= !session.is_unsaved());
                self.change.notify_one();
            }
            feeds.tell("thoughts", &session.thoughts);
        }
        result
    }

    fn start(self: &Arc<AppState>, role: Role, profile: Profile) -> Engine {
        let app = Arc::clone(self);
        Engine::start(profile, move |task, event| {
            app.handle(|session, now| session.engine_event(role, task, event, now));
        })
    }

    fn keep(&self) {
        let Shared { keeper, session, start, .. } = &mut *self.shared();
        keeper.iter_mut().for_each(|keeper| keeper.keep(session.kept(start.elapsed())));
    }

    /// Tells the session when a time is over, and keeps the game, until the program ends.
    async fn run(self: &Arc<AppState>) {
        let mut keep_by = None;
        while self.shared().feeds.is_some() {
            let deadline = {
                let shared = self.shared();
                shared.session.deadline().map(|at| shared.start + at)
            };
            let timer = OptionFuture::from(deadline.map(|at| sleep_until(at.into())));
            let pause = keep_by.map(|by| sleep_until((Instant::now() + KEEP_PAUSE).min(by).into()));
            tokio::select! {
                Some(()) = timer => self.handle(Session::time_passed),
                Some(()) = OptionFuture::from(pause) => {
                    self.keep();
                    keep_by = None;
                }
                () = self.change.notified() => {
                    keep_by.get_or_insert_with(|| Instant::now() + KEEP_WAIT);
                }
            }
        }
    }

    /// Keeps the game, and ends the streams of all pages, and then the engines.
    async fn end(&self) {
        self.keep();
        let leaving = {
            let mut shared = self.shared();
            shared.feeds = None;
            let engines = take(&mut shared.engines).into_values();
            let mut leaving = take(&mut shared.leaving);
            leaving.extend(engines.map(|engine| tokio::spawn(engine.end())));
            leaving
        };
        for end in leaving {
            let _ = end.await;
        }
    }
}

/// Waits for Ctrl-C, or for whatever else tells a program to end.
async fn interrupt() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hang_up = signal(SignalKind::hangup())?;
        tokio::select! {
            result = tokio::signal::ctrl_c() => return result,
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
        Ok(())
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
