//! Drives an engine: begins games, sends requests, waits for the answers, and restarts the program
//! if no answer comes.
//!
//! One task of the runtime for each engine; `answer` waits for answers. A request that fails is made
//! anew on a fresh process, three times in all. Invariant: the engine is asked one thing at a time,
//! and whatever it still says to something cancelled is dropped before the next request.

mod answer;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::OptionFuture;
use tengen_gomocup::manager::{self, Fault, MoveTime, shortened};
use tengen_gomocup::process::{Process, Program};
use tengen_gomocup::{About, Command, FileKind, Info, ListKind, Reply};
use tengen_gomoku::types::{BoardSize, Color, Coord, Rule};
use tengen_session::session::{
    EngineEvent, EngineQuery, EngineResources, Manner, NEUTRAL, Order, TRIES, Task, TaskKind,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};

/// The default level and style.
const FULL: Manner = Manner { level: 100, style: NEUTRAL };
const PAUSE: Duration = Duration::from_millis(200);
/// How soon after an answer an engine may be asked again; some still tidy up.
const REST: Duration = Duration::from_millis(10);
/// The time of one search of an engine that cannot analyse without end.
const SLICE: Duration = Duration::from_secs(10);
/// Lines for people that are passed on in a second.
const SAID_MAX: usize = 30;
/// How long an engine may take to tell its name, whether it can analyse, and to begin a game.
const ABOUT_TIME: Duration = Duration::from_secs(2);
const PROBE_TIME: Duration = Duration::from_secs(3);
const START_TIME: Duration = Duration::from_secs(15);

/// A program, with what its processes share.
#[derive(Clone, Debug)]
pub struct Profile {
    pub program: Program,
    /// True if it knows the commands of analysis, once that is known.
    pub can_analyse: Arc<OnceLock<bool>>,
    pub database: Option<PathBuf>,
}

pub struct Engine {
    orders: UnboundedSender<Order>,
    driver: JoinHandle<()>,
}

impl Engine {
    /// Starts the task that drives the program, and passes its events on to `tell`. The process
    /// starts with the first thing to think about.
    pub fn start(profile: Profile, tell: impl Fn(u64, EngineEvent) + Send + 'static) -> Engine {
        let (sender, orders) = unbounded_channel();
        let mut driver = Driver {
            profile,
            orders,
            tell,
            process: None,
            game: None,
            stones: Some(Vec::new()),
            is_probed: false,
            manner: FULL,
            has_excluded: false,
            has_database: false,
            task: 0,
            is_hurried: false,
            wish: None,
            answered: Instant::now(),
            said: (Instant::now(), 0),
        };
        let driver = tokio::spawn(async move {
            driver.run().await;
            if let Some(process) = &mut driver.process {
                process.end().await;
            }
        });
        Engine { orders: sender, driver }
    }

    pub fn tell(&self, order: Order) {
        let _ = self.orders.send(order);
    }

    pub async fn end(self) {
        drop(self.orders);
        let _ = self.driver.await;
    }
}

/// What is wanted instead of the task that runs.
enum Wish {
    Nothing,
    Other { number: u64, task: Task, is_hurried: bool },
    Leave,
}

enum Event {
    Reply(Reply),
    /// The task that runs, or the one that waits, is to be answered at once.
    MoveNow,
    Wish,
    Timeout,
}

/// Why a try ended without an answer: by this fault, or because something else is wanted.
type Stop = Option<Fault>;

struct Driver<T> {
    profile: Profile,
    orders: UnboundedReceiver<Order>,
    tell: T,
    process: Option<Process>,
    game: Option<(BoardSize, Rule, EngineResources)>,
    /// The stones on the engine's board; `None` where they are not known, as after a request
    /// without an answer.
    stones: Option<Vec<(Coord, Color)>>,
    is_probed: bool,
    /// How it was told to play.
    manner: Manner,
    /// Whether the last analysis excluded moves.
    has_excluded: bool,
    has_database: bool,
    task: u64,
    is_hurried: bool,
    wish: Option<Wish>,
    answered: Instant,
    /// Start of the current second, and the number of lines passed on to people since then.
    said: (Instant, usize),
}

impl<T: Fn(u64, EngineEvent)> Driver<T> {
    fn report(&self, event: EngineEvent) {
        (self.tell)(self.task, event);
    }

    async fn run(&mut self) {
        loop {
            match self.wish.take() {
                Some(Wish::Leave) => return,
                Some(Wish::Other { number, task, is_hurried }) => {
                    (self.task, self.is_hurried) = (number, is_hurried);
                    self.carry_out(&task).await;
                }
                Some(Wish::Nothing) | None => match self.event(None).await {
                    Ok(Event::Reply(reply)) => self.pass_on(reply),
                    Ok(_) => {}
                    // It is started again when it is needed.
                    Err(fault) => {
                        self.process = None;
                        self.report(EngineEvent::Fault { fault, gives_up: false });
                    }
                },
            }
        }
    }

    async fn carry_out(&mut self, task: &Task) {
        for left in (0..TRIES).rev() {
            let fault = match self.attempt(task).await {
                Ok((answer, time)) => return self.report(EngineEvent::Answer(answer, time)),
                Err(None) => return,
                Err(Some(fault)) => fault,
            };
            // It is killed with all that it has started.
            self.process = None;
            // Nobody waits for what was cancelled.
            if self.wish.is_some() {
                return;
            }
            self.report(EngineEvent::Fault { fault, gives_up: left == 0 });
            sleep(PAUSE).await;
        }
    }

    /// Returns the next thing that happens, at last that the time is over.
    async fn event(&mut self, until: Option<Instant>) -> Result<Event, Fault> {
        let output = OptionFuture::from(self.process.as_mut().map(Process::line));
        let timeout = OptionFuture::from(until.map(sleep_until));
        tokio::select! {
            biased;
            order = self.orders.recv(), if !matches!(self.wish, Some(Wish::Leave)) => {
                self.wish = Some(match order {
                    Some(Order::MoveNow) => {
                        match &mut self.wish {
                            // It is meant for the task that waits, not for the one that ends.
                            Some(Wish::Other { is_hurried, .. }) => *is_hurried = true,
                            _ => self.is_hurried = true,
                        }
                        return Ok(Event::MoveNow);
                    }
                    Some(Order::Do(number, task)) => Wish::Other { number, task, is_hurried: false },
                    Some(Order::Cancel) => Wish::Nothing,
                    None => Wish::Leave,
                });
                Ok(Event::Wish)
            }
            Some(line) = output => Ok(Event::Reply(Reply::parse(&line?.1))),
            Some(()) = timeout => Ok(Event::Timeout),
        }
    }

    /// Passes on what people may want to read, within limits.
    fn pass_on(&mut self, reply: Reply) {
        let text = match reply {
            Reply::Message(text) | Reply::Nonsense(text) => text,
            Reply::Error(text) => format!("ERROR {text}"),
            Reply::Unknown(text) => format!("UNKNOWN {text}"),
            _ => return,
        };
        if self.said.0.elapsed() > Duration::from_secs(1) {
            self.said = (Instant::now(), 0);
        }
        self.said.1 += 1;
        if self.said.1 <= SAID_MAX {
            self.report(EngineEvent::Said(shortened(&text)));
        }
    }

    async fn send(&mut self, lines: &[String]) -> Result<(), Fault> {
        match &mut self.process {
            Some(process) => process.send(lines).await,
            None => Err(Fault::Deaf),
        }
    }

    /// Waits for a line that `wanted` chooses, while wishes are only noted.
    async fn expect<O>(
        &mut self,
        what: &'static str,
        time: Duration,
        wanted: impl Fn(&Reply) -> Option<Result<O, Fault>>,
    ) -> Result<O, Stop> {
        let until = Instant::now() + time;
        loop {
            match self.event(Some(until)).await? {
                Event::Reply(reply) => match wanted(&reply) {
                    Some(result) => return Ok(result?),
                    None => self.pass_on(reply),
                },
                Event::Wish if matches!(self.wish, Some(Wish::Leave)) => return Err(None),
                // The request comes after this.
                Event::Wish | Event::MoveNow => {}
                Event::Timeout => return Err(Fault::Hung(what).into()),
            }
        }
    }

    /// Waits for something that an engine may leave unanswered.
    async fn ask<O>(
        &mut self,
        time: Duration,
        wanted: impl Fn(&Reply) -> Option<O>,
    ) -> Result<Option<O>, Stop> {
        match self.expect("", time, |reply| wanted(reply).map(Ok)).await {
            Ok(found) => Ok(Some(found)),
            Err(Some(Fault::Hung(_))) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    fn check_wish(&self) -> Result<(), Stop> {
        if self.wish.is_some() { Err(None) } else { Ok(()) }
    }

    /// Returns the points of the answer, and the time that the engine took.
    async fn attempt(&mut self, task: &Task) -> Result<(Vec<Coord>, Duration), Stop> {
        sleep_until(self.answered + REST).await;
        // What was said before the request is no answer to it.
        while let Some(line) = self.process.as_mut().and_then(Process::waiting_line) {
            self.pass_on(Reply::parse(&line?.1));
        }
        let position = &task.position;
        let &EngineQuery { rule, ref stones, to_move, .. } = position;
        self.begin_game(task).await?;
        self.check_wish()?;
        match &task.kind {
            TaskKind::Prepare => Ok((Vec::new(), Duration::ZERO)),
            TaskKind::Move(time, manner) => {
                // All stones but the last may be on its board already.
                let is_known = matches!(stones.as_slice(), [before @ .., _]
                    if !before.is_empty() && Some(before) == self.stones.as_deref());
                if !is_known {
                    self.clear_board(task).await?;
                }
                self.set_time_and_manner(time, *manner).await?;
                self.request(&manager::move_request(rule, stones, to_move, is_known)).await?;
                self.report(EngineEvent::Asked);
                let (points, used) = self.answer(task, Some(time.most())).await?;
                let played = points.iter().map(|&c| (c, to_move));
                self.stones = Some(stones.iter().copied().chain(played).collect());
                Ok((points, used))
            }
            TaskKind::Analyse { lines, excluded, time } if self.can_analyse() => {
                self.open_database().await?;
                self.check_wish()?;
                let mut text = manager::settings(manager::analysis_times(*time));
                text.extend(manager::analysis(rule, stones, to_move, *lines, excluded));
                self.has_excluded = !excluded.is_empty();
                self.request(&text).await?;
                self.answer(task, *time).await
            }
            TaskKind::Analyse { time, .. } => {
                // A game move is all that such an engine can be asked for.
                let time = Some(time.unwrap_or(SLICE));
                self.clear_board(task).await?;
                let mut text = manager::settings(manager::analysis_times(time));
                text.extend(manager::position(&ListKind::Board, rule, stones, to_move));
                self.request(&text).await?;
                self.answer(task, time).await
            }
            TaskKind::Swap2(time, manner) => {
                self.clear_board(task).await?;
                self.set_time_and_manner(time, *manner).await?;
                self.swap2(task, time.most()).await
            }
        }
    }

    /// Asks for an answer, after which it is not known what stands on the engine's board.
    async fn request(&mut self, lines: &[String]) -> Result<(), Fault> {
        self.stones = None;
        self.send(lines).await
    }

    /// Sends the time limits. Sends level and style only if they differ from the defaults, or did
    /// before: an engine may not know these keys.
    async fn set_time_and_manner(&mut self, time: &MoveTime, manner: Manner) -> Result<(), Stop> {
        let old = std::mem::replace(&mut self.manner, manner);
        let strength =
            (manner.level < 100 || old.level < 100).then(|| Info::Strength(manner.level.into()));
        let style = (manner.style != NEUTRAL || old.style != NEUTRAL)
            .then(|| Info::Style(manner.style.into()));
        let infos = time.infos().into_iter().chain(strength).chain(style);
        Ok(self.send(&manager::settings(infos)).await?)
    }

    /// Restarts the engine unless it is known to have an empty board. If a wish arrives meanwhile,
    /// the task stops here: once the search runs, only a newer wish would end it.
    async fn clear_board(&mut self, task: &Task) -> Result<(), Stop> {
        if self.stones.as_ref().is_none_or(|stones| !stones.is_empty()) {
            match self.restart(Command::Restart).await {
                // An engine need not know RESTART. A new process has an empty board, too.
                Err(Some(Fault::Refused(_))) => {
                    if let Some(mut process) = self.process.take() {
                        process.end().await;
                    }
                    self.begin_game(task).await?;
                }
                result => result?,
            }
        }
        // It keeps excluded moves from game to game.
        if std::mem::take(&mut self.has_excluded) {
            self.send(&[Command::ExcludeReset.to_string()]).await?;
        }
        self.check_wish()
    }

    /// Asks for a step of a swap2 opening; once more where the engine wants stones with owners.
    async fn swap2(&mut self, task: &Task, time: Duration) -> Result<(Vec<Coord>, Duration), Stop> {
        let &EngineQuery { rule, ref stones, to_move, .. } = &task.position;
        let owned = || manager::position(&ListKind::Swap2, rule, stones, to_move);
        let owned = (!stones.is_empty()).then(owned);
        let mut count = 0;
        for lines in [Some(manager::swap2(stones)), owned].into_iter().flatten() {
            self.request(&lines).await?;
            self.report(EngineEvent::Asked);
            let (points, used) = self.answer(task, Some(time)).await?;
            count = points.len();
            let fits = match stones.len() {
                0 => count == 3,
                3 => count <= 2,
                _ => count <= 1,
            };
            if fits {
                return Ok((points, used));
            }
        }
        Err(Fault::Nonsense(format!("{count} points in a swap2 opening")).into())
    }

    /// Sees to it that the engine runs and has begun a game of this kind.
    async fn begin_game(&mut self, task: &Task) -> Result<(), Stop> {
        let Task { position, resources, .. } = task;
        let is_new = self.process.is_none();
        if is_new {
            self.game = None;
            self.manner = FULL;
            self.has_database = false;
            let started = Process::start(&self.profile.program);
            self.process = Some(started.map_err(|error| Fault::Start(error.to_string()))?);
            self.send(&[Command::About.to_string()]).await?;
            let name = self.ask(ABOUT_TIME, |reply| match reply {
                Reply::About(about) => Some(full_name(about)),
                Reply::Unknown(_) | Reply::Error(_) => Some(String::new()),
                _ => None,
            });
            if let Some(name) = name.await?.filter(|name| !name.is_empty()) {
                self.profile.program.name = name;
            }
        }
        let game = (position.size, position.rule, *resources);
        if self.game == Some(game) {
            return Ok(());
        }
        self.restart(Command::start(position.size)).await?;
        if is_new {
            self.probe().await?;
            if self.can_analyse() {
                self.send(&[Command::Info(Info::ShowDetail(3)).to_string()]).await?;
            }
            self.report(EngineEvent::Name(self.profile.program.name.clone(), self.can_analyse()));
        }
        let memory = manager::game(position.rule, resources.memory << 20);
        let infos = memory.into_iter().chain([Info::ThreadNum(resources.threads)]);
        self.send(&manager::settings(infos)).await?;
        self.game = Some(game);
        Ok(())
    }

    async fn restart(&mut self, command: Command) -> Result<(), Stop> {
        self.send(&[command.to_string()]).await?;
        self.stones = Some(Vec::new());
        self.expect("the start of a game", START_TIME, manager::started).await
    }

    /// Finds out whether the engine knows the commands of analysis, by one that changes nothing.
    async fn probe(&mut self) -> Result<(), Stop> {
        // An engine that dies of it is not asked again.
        if self.is_probed || self.profile.can_analyse.get().is_some() {
            return Ok(());
        }
        self.is_probed = true;
        self.send(&[Command::ShowForbid.to_string()]).await?;
        let answer = self.ask(PROBE_TIME, |reply| match reply {
            Reply::Forbid(_) => Some(true),
            Reply::Unknown(_) | Reply::Error(_) => Some(false),
            _ => None,
        });
        if let Some(can_analyse) = answer.await? {
            // Another process of the program may have told the same meanwhile.
            let _ = self.profile.can_analyse.set(can_analyse);
        }
        Ok(())
    }

    /// Sees to it that the engine has opened the database. One that cannot goes without.
    async fn open_database(&mut self) -> Result<(), Stop> {
        let Some(path) = self.profile.database.as_ref().filter(|_| !self.has_database) else {
            return Ok(());
        };
        let name = path.display().to_string();
        let open = Command::File { kind: FileKind::Database, name };
        self.has_database = true;
        // Engines say in their own words what came of it, or nothing; the name comes after that.
        self.send(&[open, Command::About].map(|command| command.to_string())).await?;
        let named = |reply: &Reply| matches!(reply, Reply::About(_)).then_some(());
        self.ask(START_TIME, named).await?;
        Ok(())
    }

    fn can_analyse(&self) -> bool {
        self.profile.can_analyse.get() == Some(&true)
    }
}

fn full_name(about: &About) -> String {
    const LENGTH_MAX: usize = 30;
    // What it was built with is of no interest here.
    let version = about.version.split(" (").next().unwrap_or_default();
    format!("{} {version}", about.name).trim().chars().take(LENGTH_MAX).collect()
}

#[cfg(all(test, unix))]
mod tests;
