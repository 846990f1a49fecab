//! An engine: begins games, asks, hears the answer, sees to it that one comes, and starts the
//! program again where none does.
//!
//! Here are the orders, the tries and the requests; `setup` begins games, `answer` waits for
//! answers. One task of the runtime for each engine. A request that fails is made anew on a fresh
//! process, three times in all. Invariant: the engine is asked one thing at a time, and whatever it
//! still says to something cancelled is dropped before the next request.

mod answer;
mod setup;
mod thinking;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tengen_gomocup::manager::{self, Fault, shortened};
use tengen_gomocup::process::{Process, Program};
use tengen_gomocup::{Command, Info, ListKind, Reply};
use tengen_gomoku::types::{BoardSize, Color, Coord, Rule};
use tengen_session::session::{Answer, News, Position, Task, TimeControl};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};

const TRIES: usize = 3;
const PAUSE: Duration = Duration::from_millis(200);
/// How soon after an answer an engine may be asked again; some still tidy up.
const REST: Duration = Duration::from_millis(10);
/// The time of one search of an engine that cannot analyse without end.
const SLICE: Duration = Duration::from_secs(10);
/// Lines for people that are passed on in a second.
const SAID_MAX: usize = 30;

/// A program, with what its processes share.
#[derive(Clone, Debug)]
pub struct Profile {
    pub program: Program,
    /// True if it knows the commands of analysis, once that is known.
    can_analyse: Arc<OnceLock<bool>>,
    pub database: Option<PathBuf>,
}

impl Profile {
    pub fn new(program: Program) -> Profile {
        Profile { program, can_analyse: Arc::default(), database: None }
    }
}

pub enum Order {
    /// Think about this, by its number, instead of whatever there is. The news have that number.
    Do(u64, Task),
    MoveNow,
    Cancel,
}

pub struct Engine {
    orders: UnboundedSender<Order>,
    driver: JoinHandle<()>,
}

impl Engine {
    /// Starts the task that drives the program, and passes its news on to `tell`. The process starts
    /// with the first thing to think about.
    pub fn start(profile: Profile, tell: impl Fn(u64, News) + Send + 'static) -> Engine {
        let (sender, orders) = unbounded_channel();
        let mut driver = Driver {
            profile,
            orders,
            tell,
            process: None,
            game: None,
            stones: Some(Vec::new()),
            is_probed: false,
            is_weakened: false,
            has_database: false,
            task: 0,
            is_hurried: false,
            wish: Wish::None,
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
    None,
    Nothing,
    Other {
        number: u64,
        task: Task,
        /// True if it is to be answered at once.
        is_hurried: bool,
    },
    Leave,
}

enum Event {
    Reply(Reply),
    /// The task that runs, or the one that waits, is to be answered at once.
    MoveNow,
    Wish,
    Timeout,
}

/// Why a try ended without an answer.
enum Stop {
    Fault(Fault),
    Wish,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

struct Driver<T> {
    profile: Profile,
    orders: UnboundedReceiver<Order>,
    tell: T,
    process: Option<Process>,
    game: Option<(BoardSize, Rule)>,
    /// The stones on the engine's board; `None` where they are not known, as after a request
    /// without an answer.
    stones: Option<Vec<(Coord, Color)>>,
    /// True if it was asked whether it knows the commands of analysis.
    is_probed: bool,
    /// True if it was told a level below the highest.
    is_weakened: bool,
    /// True if it was told of the database, if there is one.
    has_database: bool,
    task: u64,
    /// True if the task is to be answered at once.
    is_hurried: bool,
    wish: Wish,
    answered: Instant,
    /// Since when so many lines for people were passed on.
    said: (Instant, usize),
}

impl<T: Fn(u64, News)> Driver<T> {
    fn news(&self, news: News) {
        (self.tell)(self.task, news);
    }

    async fn run(&mut self) {
        loop {
            match std::mem::replace(&mut self.wish, Wish::None) {
                Wish::Leave => return,
                Wish::Other { number, task, is_hurried } => {
                    (self.task, self.is_hurried) = (number, is_hurried);
                    self.carry_out(&task).await;
                }
                Wish::None | Wish::Nothing => self.idle().await,
            }
        }
    }

    /// Waits for something to do. An engine that dies meanwhile is started again when it is needed.
    async fn idle(&mut self) {
        while !matches!(self.wish, Wish::Other { .. } | Wish::Leave) {
            match self.event(None).await {
                Ok(Event::Reply(reply)) => self.pass_on(reply),
                Ok(_) => {}
                Err(fault) => {
                    self.process = None;
                    self.news(News::Fault { fault: fault.to_string(), gives_up: false });
                }
            }
        }
    }

    async fn carry_out(&mut self, task: &Task) {
        for left in (0..TRIES).rev() {
            let fault = match self.attempt(task).await {
                Ok((answer, time)) => return self.news(News::Answer(answer, time)),
                Err(Stop::Wish) => return,
                Err(Stop::Fault(fault)) => fault,
            };
            // It is killed with all that it has started.
            self.process = None;
            if self.has_wish() {
                return;
            }
            self.news(News::Fault { fault: fault.to_string(), gives_up: left == 0 });
            sleep(PAUSE).await;
        }
    }

    /// Returns the next thing that happens, at last that the time is over.
    async fn event(&mut self, until: Option<Instant>) -> Result<Event, Fault> {
        let output = async {
            match &mut self.process {
                Some(process) => process.line().await,
                None => std::future::pending().await,
            }
        };
        let timeout = async {
            match until {
                Some(until) => sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            order = self.orders.recv(), if !matches!(self.wish, Wish::Leave) => {
                self.wish = match order {
                    Some(Order::MoveNow) => {
                        match &mut self.wish {
                            // It is meant for the task that waits, not for the one that ends.
                            Wish::Other { is_hurried, .. } => *is_hurried = true,
                            _ => self.is_hurried = true,
                        }
                        return Ok(Event::MoveNow);
                    }
                    Some(Order::Do(number, task)) => Wish::Other { number, task, is_hurried: false },
                    Some(Order::Cancel) => Wish::Nothing,
                    None => Wish::Leave,
                };
                Ok(Event::Wish)
            }
            line = output => Ok(Event::Reply(Reply::parse(&line?.1))),
            () = timeout => Ok(Event::Timeout),
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
            self.news(News::Said(shortened(&text)));
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
                Event::Wish if matches!(self.wish, Wish::Leave) => return Err(Stop::Wish),
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
            Err(Stop::Fault(Fault::Hung(_))) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    fn has_wish(&self) -> bool {
        !matches!(self.wish, Wish::None)
    }

    async fn attempt(&mut self, task: &Task) -> Result<(Answer, Duration), Stop> {
        sleep_until(self.answered + REST).await;
        // What was said before the request is no answer to it.
        while let Some(line) = self.process.as_mut().and_then(Process::waiting_line) {
            self.pass_on(Reply::parse(&line?.1));
        }
        self.begin_game(task.position()).await?;
        if self.has_wish() {
            return Err(Stop::Wish);
        }
        match task {
            Task::Prepare(_) => Ok((Answer::Ready, Duration::ZERO)),
            Task::Move { position, time, level } => {
                let lines = self.move_request(position).await?;
                self.set_time_and_level(time, *level).await?;
                self.stones = None;
                self.send(&lines).await?;
                self.news(News::Asked);
                let (answer, used) = self.answer(task, Some(time.most())).await?;
                let mut stones = position.stones.clone();
                if let Answer::Points(points) = &answer {
                    stones.extend(points.iter().map(|&c| (c, position.to_move)));
                }
                self.stones = Some(stones);
                Ok((answer, used))
            }
            Task::Analyse { position, lines, blocked, time } if self.can_analyse() => {
                self.open_database().await?;
                if self.has_wish() {
                    return Err(Stop::Wish);
                }
                let Position { stones, to_move, .. } = position;
                let mut text = manager::settings(manager::analysis_times(*time));
                text.extend(manager::analysis(stones, *to_move, *lines, blocked));
                self.stones = None;
                self.send(&text).await?;
                self.answer(task, *time).await
            }
            Task::Analyse { position, time, .. } => {
                // A game move is all that such an engine can be asked for.
                let time = time.unwrap_or(SLICE);
                self.clear_board(position).await?;
                let Position { stones, to_move, .. } = position;
                let mut text = manager::settings(manager::analysis_times(Some(time)));
                text.extend(manager::position(&ListKind::Board, stones, *to_move));
                self.stones = None;
                self.send(&text).await?;
                self.answer(task, Some(time)).await
            }
            Task::Swap2 { position, time, level } => {
                self.clear_board(position).await?;
                self.set_time_and_level(time, *level).await?;
                self.stones = None;
                self.swap2(task, position, time.most()).await
            }
        }
    }

    /// Tells the engine how long and how well it is to think about a move.
    async fn set_time_and_level(&mut self, time: &TimeControl, level: u8) -> Result<(), Stop> {
        let strength = (level < 100 || self.is_weakened).then_some(Info::Strength(level.into()));
        self.is_weakened = level < 100;
        let times = manager::times(time.turn, time.game, time.increment);
        Ok(self.send(&manager::settings(times.into_iter().chain(strength))).await?)
    }

    /// Returns the lines that ask for a move, after whatever must come before them.
    async fn move_request(&mut self, position: &Position) -> Result<Vec<String>, Stop> {
        let before = position.stones.split_last().map(|(_, before)| before);
        let is_known =
            before.is_some_and(|before| !before.is_empty()) && before == self.stones.as_deref();
        if !is_known {
            self.clear_board(position).await?;
        }
        Ok(manager::move_request(&position.stones, position.to_move, is_known))
    }

    /// Restarts the engine unless it is known to have an empty board. If a wish arrives meanwhile,
    /// the task stops here: once the search runs, only a newer wish would end it.
    async fn clear_board(&mut self, position: &Position) -> Result<(), Stop> {
        if self.stones.as_ref().is_none_or(|stones| !stones.is_empty()) {
            match self.restart(Command::Restart).await {
                // An engine need not know RESTART. A new process has an empty board, too.
                Err(Stop::Fault(Fault::Refused(_))) => {
                    if let Some(mut process) = self.process.take() {
                        process.end().await;
                    }
                    self.begin_game(position).await?;
                }
                result => result?,
            }
        }
        if self.has_wish() { Err(Stop::Wish) } else { Ok(()) }
    }

    /// Asks for a step of a swap2 opening; once more where the engine wants stones with owners.
    async fn swap2(
        &mut self,
        task: &Task,
        position: &Position,
        time: Duration,
    ) -> Result<(Answer, Duration), Stop> {
        let mut with_owners = false;
        loop {
            let Position { stones, to_move, .. } = position;
            let lines = match with_owners {
                true => manager::position(&ListKind::Swap2, stones, *to_move),
                false => manager::swap2(stones),
            };
            self.send(&lines).await?;
            self.news(News::Asked);
            let (answer, used) = self.answer(task, Some(time)).await?;
            let points = match &answer {
                Answer::Points(points) => points.len(),
                _ => 0,
            };
            let fits = match stones.len() {
                0 => points == 3,
                3 => points <= 2,
                _ => points <= 1,
            };
            if fits {
                return Ok((answer, used));
            }
            if with_owners || stones.is_empty() {
                return Err(Fault::Nonsense(format!("{points} points in a swap2 opening")).into());
            }
            with_owners = true;
        }
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Profile {
        Profile::new(Program::shell(script))
    }

    /// An engine that plays a1, b1 and so on, with this in the place of its answers.
    fn engine(answer: &str) -> Profile {
        let script = r#"
            n=0
            while read -r word rest; do
                case "$word" in
                    START | RESTART) echo OK ;;
                    ABOUT) echo 'name="Stub", version="1"' ;;
                    YXSHOWFORBID) echo UNKNOWN ;;
                    BEGIN | TURN | DONE) ANSWER ;;
                    END) exit ;;
                esac
            done"#;
        shell(&script.replace("ANSWER", answer))
    }

    const GOOD: &str = r#"echo "MESSAGE it is $word"; echo "$n,0"; n=$((n+1))"#;

    fn task(stones: &[(u8, u8)], turn: u64) -> Task {
        let colors = [Color::Black, Color::White].into_iter().cycle();
        let stones: Vec<_> = stones.iter().map(|&(x, y)| Coord::new(x, y)).zip(colors).collect();
        let to_move = if stones.len() % 2 == 0 { Color::Black } else { Color::White };
        let size = BoardSize::new(15, 15).unwrap();
        let position = Position { size, rule: Rule::Freestyle, stones, to_move };
        let turn = Duration::from_millis(turn);
        let time = TimeControl { turn, game: None, increment: Duration::ZERO };
        Task::Move { position, time, level: 100 }
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(future)
    }

    fn start(profile: Profile) -> (Engine, UnboundedReceiver<(u64, News)>) {
        let (sender, reports) = unbounded_channel();
        let tell = move |task, news| drop(sender.send((task, news)));
        (Engine::start(profile, tell), reports)
    }

    /// Returns the next answer, and the number of its task.
    async fn answer(reports: &mut UnboundedReceiver<(u64, News)>) -> (u64, Answer) {
        loop {
            let (task, news) = reports.recv().await.unwrap();
            if let News::Answer(answer, _) = news {
                return (task, answer);
            }
        }
    }

    /// Returns the words of all news up to the end of the last of these tasks.
    fn news(profile: Profile, tasks: &[Task]) -> Vec<String> {
        block_on(async {
            let (engine, mut reports) = start(profile);
            let mut found = Vec::new();
            for (number, task) in (1..).zip(tasks) {
                engine.tell(Order::Do(number, task.clone()));
                while let Some((_, news)) = reports.recv().await {
                    let (text, is_last) = match news {
                        News::Thinking(_) | News::Asked => continue,
                        News::Name(name, _) => (name, false),
                        News::Said(text) => (text, false),
                        News::Answer(answer, _) => (format!("{answer:?}"), true),
                        News::Fault { fault, gives_up } => (fault, gives_up),
                    };
                    found.push(text);
                    if is_last {
                        break;
                    }
                }
            }
            engine.end().await;
            found
        })
    }

    #[test]
    fn moves_follow_one_another_where_they_can() {
        let tasks = [
            task(&[], 1_000),
            task(&[(0, 0), (5, 5)], 1_000),
            // Another position, and one move after that.
            task(&[(7, 7)], 1_000),
            task(&[(7, 7), (2, 0), (8, 8)], 1_000),
            // A new game.
            task(&[], 1_000),
        ];
        let expected = [
            "Stub 1",
            "it is BEGIN",
            "Points([a1])",
            "it is TURN",
            "Points([b1])",
            "it is DONE",
            "Points([c1])",
            "it is TURN",
            "Points([d1])",
            "it is BEGIN",
            "Points([e1])",
        ];
        assert_eq!(news(engine(GOOD), &tasks), expected);
    }

    #[test]
    fn the_database_is_opened_once_and_for_analysis_alone() {
        let script = r#"
            while read -r word rest; do
                case "$word" in
                    START) echo OK ;;
                    ABOUT) echo 'name="Stub", version="1"' ;;
                    YXSHOWFORBID) echo FORBID . ;;
                    INFO) case "$rest" in database*) echo "ERROR $rest" ;; esac ;;
                    BEGIN) echo 7,7 ;;
                    YXNBEST) echo 8,8 ;;
                    END) exit ;;
                esac
            done"#;
        let mut profile = shell(script);
        profile.database = Some("/games/my games.db".into());
        let played = task(&[], 1_000);
        let position = played.position().clone();
        let time = Some(Duration::from_secs(1));
        let analysed = Task::Analyse { position, lines: 1, blocked: Vec::new(), time };
        let expected = [
            "Stub 1",
            "Points([h8])",
            "ERROR database /games/my games.db",
            "Points([i9])",
            "Points([i9])",
        ];
        assert_eq!(news(profile, &[played, analysed.clone(), analysed]), expected);
    }

    #[test]
    fn an_engine_that_dies_is_started_again_three_times() {
        let found = news(engine("exit 3"), &[task(&[], 1_000)]);
        let died = "ended unexpectedly (exit status: 3)";
        assert_eq!(found, ["Stub 1", died, "Stub 1", died, "Stub 1", died]);
    }

    #[test]
    fn an_engine_that_fails_once_goes_on() {
        let file = std::env::temp_dir().join(format!("tengen-board-{}", std::process::id()));
        let once = format!("[ -e {0} ] && {{ rm {0}; BAD; }} || {{ {GOOD}; }}", file.display());
        for (bad, told) in [
            ("exit 1", "ended unexpectedly (exit status: 1)"),
            ("echo 77,77", "played an illegal move: 77,77"),
            ("echo 3,3 4,4", "answered nonsense: 3,3 4,4"),
            ("echo hello", "answered nonsense: hello"),
            ("sleep 60", "did not answer a request in time"),
            ("yes MESSAGE", "flooded its output"),
        ] {
            std::fs::write(&file, "").unwrap();
            let found = news(engine(&once.replace("BAD", bad)), &[task(&[], 50)]);
            let told_at = found.iter().position(|text| text == told);
            assert!(told_at.is_some() && !file.exists(), "{bad}: {found:?}");
            assert_eq!(found.last().map(String::as_str), Some("Points([a1])"), "{bad}: {found:?}");
        }
    }

    #[test]
    fn a_program_that_is_none_is_told_of() {
        let program = Program::parse("no-such-engine-anywhere").unwrap();
        let found = news(Profile::new(program), &[task(&[], 1_000)]);
        assert_eq!(found.len(), TRIES);
        assert!(found[0].starts_with("could not be started"), "{found:?}");
    }

    #[test]
    fn another_task_takes_the_place_of_the_first() {
        // It thinks until it is told to answer.
        let mut slow = engine("read -r word rest; echo 9,9");
        slow.program.name = "Slow".into();
        block_on(async {
            let (engine, mut reports) = start(slow);
            engine.tell(Order::Do(1, task(&[], 60_000)));
            sleep(Duration::from_millis(300)).await;
            engine.tell(Order::Do(2, task(&[(7, 7)], 60_000)));
            sleep(Duration::from_millis(300)).await;
            engine.tell(Order::MoveNow);
            let expected = (2, Answer::Points(vec![Coord::new(9, 9)]));
            assert_eq!(answer(&mut reports).await, expected);
            engine.end().await;
        });
    }

    #[test]
    fn a_move_can_be_hurried_before_the_engine_has_begun() {
        // It begins slowly, and thinks until it is told to answer.
        let script = r#"
            while read -r word rest; do
                case "$word" in
                    START) sleep 0.5; echo OK ;;
                    ABOUT) echo 'name="Stub", version="1"' ;;
                    YXSHOWFORBID) echo UNKNOWN ;;
                    BEGIN) read -r word rest; echo 7,7 ;;
                    END) exit ;;
                esac
            done"#;
        block_on(async {
            let (engine, mut reports) = start(shell(script));
            let begin = Instant::now();
            let hurried = task(&[], 60_000);
            // The second time it begins a game of another size for another task still.
            let other =
                Position { size: BoardSize::new(20, 20).unwrap(), ..hurried.position().clone() };
            for (number, before) in [(1, None), (3, Some(Task::Prepare(other)))] {
                if let Some(before) = before {
                    engine.tell(Order::Do(number - 1, before));
                    sleep(Duration::from_millis(100)).await;
                }
                engine.tell(Order::Do(number, hurried.clone()));
                sleep(Duration::from_millis(100)).await;
                engine.tell(Order::MoveNow);
                let expected = (number, Answer::Points(vec![Coord::new(7, 7)]));
                assert_eq!(answer(&mut reports).await, expected);
            }
            assert!(begin.elapsed() < Duration::from_secs(30));
            engine.end().await;
        });
    }

    #[test]
    fn a_cancelled_move_is_not_counted_on() {
        // After a move by TURN it thinks until it is told to answer.
        let script = r#"
            while read -r word rest; do
                case "$word" in
                    START | RESTART) echo OK ;;
                    ABOUT) echo 'name="Stub", version="1"' ;;
                    YXSHOWFORBID) echo UNKNOWN ;;
                    BEGIN) echo 7,7 ;;
                    TURN) read -r word rest; echo 8,8 ;;
                    DONE) echo 9,9 ;;
                    END) exit ;;
                esac
            done"#;
        block_on(async {
            let (engine, mut reports) = start(shell(script));
            engine.tell(Order::Do(1, task(&[], 60_000)));
            let expected = (1, Answer::Points(vec![Coord::new(7, 7)]));
            assert_eq!(answer(&mut reports).await, expected);
            engine.tell(Order::Do(2, task(&[(7, 7), (6, 6)], 60_000)));
            sleep(Duration::from_millis(300)).await;
            engine.tell(Order::Cancel);
            // The engine may have its own move of the cancelled task on its board.
            engine.tell(Order::Do(3, task(&[(7, 7), (5, 5)], 60_000)));
            let expected = (3, Answer::Points(vec![Coord::new(9, 9)]));
            assert_eq!(answer(&mut reports).await, expected);
            engine.end().await;
        });
    }
}
