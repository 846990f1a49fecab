//! The search thread: the searcher, which executes one task after another, and the database.
//!
//! Tasks wait in a channel, so that a search may outlive its answer and the event loop never waits.
//! After a panic the remaining tasks get a new searcher.

#[cfg(feature = "database")]
mod database_task;

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tengen_gomocup::{DatabaseCommand, FileKind, Reply};
use tengen_gomoku::atomic_file::write_atomically;
use tengen_gomoku::board::Board;
use tengen_gomoku::types::Rule;

use super::detail::Detail;
use super::inbox::Event;
use crate::eval::Style;
use crate::fault::{Fault, is_injected};
use crate::opening::soosorv::SoosorvStep;
use crate::opening::{soosorv, swap2};
use crate::search::control::Control;
use crate::search::{
    Blocked, Limits, Listener, Params, Placement, Progress, Report, STACK_BYTES, Searcher,
    TABLE_MAGIC, Target, trace,
};
use database_task::{Database, NewEntries};

pub use database_task::Mode;

/// The settings reserve memory for it.
pub const DATABASE_CACHE_BYTES: usize = 4 << 20;

pub struct SearchTask {
    /// Our side to move.
    pub board: Board,
    pub purpose: Purpose,
    pub limits: Limits,
    pub params: Params,
    /// Moves excluded in single positions of the tree.
    pub blocked: Blocked,
    pub detail: Detail,
    /// What may be done with the database; to write is to store what the search finds.
    pub database: Option<Mode>,
}

impl SearchTask {
    fn prepare(&self, searcher: &mut Searcher) {
        searcher.params = Some(self.params.clone());
        searcher.blocked = self.blocked.clone();
    }

    pub fn run(
        &self,
        searcher: &mut Searcher,
        control: &Control,
        listener: Listener,
    ) -> Option<Report> {
        self.prepare(searcher);
        let (board, limits) = (&self.board, &self.limits);
        Some(match self.purpose {
            Purpose::Move | Purpose::Defence => searcher.search(board, limits, control, listener),
            Purpose::MoveOrSwap => {
                // A style would shift the score.
                let limits = Limits { style: Style::NEUTRAL, ..*limits };
                searcher.search(board, &limits, control, listener)
            }
            Purpose::Swap2 | Purpose::Swap2Step => {
                swap2::judge(searcher, board, limits, control, listener)
            }
            Purpose::Soosorv(step) => {
                soosorv::judge(searcher, board, step, limits, control, listener)
            }
            Purpose::Balance(stones, score) => {
                let target = Target { score, ..Target::balanced(stones) };
                return searcher.balance(board, target, limits, control, listener);
            }
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Move,
    /// A move, or SWAP if the other color is better.
    MoveOrSwap,
    /// A move, and all moves that lose.
    Defence,
    /// The choice of color in a swap2 opening.
    Swap2,
    /// The same for Yixin-Board, by messages and without a change of the game.
    Swap2Step,
    /// Stones for which the score is nearest to this.
    Balance(Placement, i32),
    Soosorv(SoosorvStep),
}

#[cfg_attr(not(feature = "database"), expect(dead_code, reason = "there is none to do it with"))]
pub enum Task {
    TableUsage,
    TraceSearch(Box<Board>),
    State,
    Check,
    /// On the position after moves from an empty board.
    Command {
        command: DatabaseCommand,
        board: Box<Board>,
    },
    File {
        kind: FileKind,
        path: PathBuf,
        rule: Rule,
        mode: Mode,
        /// The position, where its own rule and size or the moves that lead to it matter.
        board: Option<Box<Board>>,
    },
}

#[derive(Clone, Copy, Debug)]
pub struct Resources {
    pub table_bytes: usize,
    pub threads: usize,
    pub forget: bool,
}

/// What a task leaves.
#[derive(Default)]
pub struct TaskResult {
    /// Of a search that found something.
    pub report: Option<Report>,
    /// Of a task with the table or the database.
    pub replies: Vec<Reply>,
    opened: Option<Database>,
    new_entries: NewEntries,
}

type Job = Box<dyn FnOnce(&mut Option<Searcher>) -> TaskResult + Send>;

/// The event loop's end.
pub struct SearchThread {
    events: Sender<Event>,
    /// `None` before the first task, and while the thread cannot be started.
    jobs: Option<Sender<(u64, Job)>>,
    serial: u64,
    pub database: Option<Arc<Database>>,
    /// Of the last search.
    new_entries: NewEntries,
    /// The task that stores, until it has ended.
    pub storing: Option<u64>,
}

impl SearchThread {
    /// Returns a search thread without work, which sends events to `events`.
    pub fn new(events: Sender<Event>) -> SearchThread {
        let (jobs, database, storing) = (None, None, None);
        SearchThread { events, jobs, serial: 0, database, new_entries: NewEntries::new(), storing }
    }

    /// Starts a search and returns its number; [`Event::Finished`] follows in any case.
    pub fn start_search(
        &mut self,
        task: SearchTask,
        control: Arc<Control>,
        resources: Resources,
    ) -> u64 {
        let database = self.database.clone().filter(|_| task.database.is_some());
        let (serial, events) = (self.serial + 1, self.events.clone());
        self.start(Box::new(move |search| {
            let mut announce = |progress: Progress| {
                let event = match progress {
                    Progress::Report(report) => Event::Report(serial, report.clone()),
                    _ => match task.detail.of_root_move(progress, control.elapsed()) {
                        Some(mark) => Event::RootMove(serial, mark),
                        None => return,
                    },
                };
                let _ = events.send(event);
            };
            let searcher = searcher(search, resources);
            if let Some(database) = database {
                match database_task::search(&database, &task, searcher, &control, &mut announce) {
                    Ok(result) => return result,
                    Err(error) => send_notice(&events, &error),
                }
            }
            let report = task.run(searcher, &control, &mut announce);
            TaskResult { report, ..TaskResult::default() }
        }))
    }

    pub fn start_task(&mut self, task: Task, resources: Resources) -> u64 {
        let database = self.database.clone();
        self.start(Box::new(move |search| {
            // Resize the table first: the budget now includes the database's cache.
            let searcher = searcher(search, resources);
            let replies = match (&task, database) {
                (Task::File { kind: FileKind::Database, path, mode, .. }, open) => {
                    return database_task::open(path, *mode, open.as_deref());
                }
                (Task::File { kind: FileKind::HashDump | FileKind::HashLoad, .. }, _)
                | (Task::TableUsage | Task::TraceSearch(_), _)
                | (_, None) => run_task(&task, searcher),
                (task, Some(database)) => database_task::execute(task, &database),
            };
            TaskResult { replies, ..TaskResult::default() }
        }))
    }

    pub fn store_new_entries(&mut self) {
        let entries = mem::take(&mut self.new_entries);
        let Some(database) = self.database.clone().filter(|_| !entries.is_empty()) else { return };
        let events = self.events.clone();
        self.storing = Some(self.start(Box::new(move |_| {
            if let Err(error) = database_task::store(&database, entries) {
                send_notice(&events, &error);
            }
            TaskResult::default()
        })));
    }

    /// Takes the database and entries that a task left, and returns the rest; `None` after a panic.
    pub fn finish(&mut self, serial: u64, result: Option<TaskResult>) -> Option<TaskResult> {
        self.storing.take_if(|storing| *storing == serial);
        let mut result = result?;
        self.database = result.opened.take().map(Arc::new).or(self.database.take());
        if !result.new_entries.is_empty() {
            self.new_entries = mem::take(&mut result.new_entries);
        }
        Some(result)
    }

    /// Hands a task to the thread, or announces its end if the thread cannot be started.
    fn start(&mut self, job: Job) -> u64 {
        self.serial += 1;
        let serial = self.serial;
        if self.jobs.is_none() && !is_injected(Fault::SearchStart) {
            let ((jobs, queue), events) = (channel(), self.events.clone());
            let thread = thread::Builder::new().name("search".into()).stack_size(STACK_BYTES);
            let started = thread.spawn(move || execute(queue, &events));
            self.jobs = started.is_ok().then_some(jobs);
        }
        if self.jobs.as_ref().is_none_or(|jobs| jobs.send((serial, job)).is_err()) {
            self.jobs = None;
            let _ = self.events.send(Event::Finished(serial, None));
        }
        serial
    }
}

fn execute(queue: Receiver<(u64, Job)>, events: &Sender<Event>) {
    let mut search = None;
    for (serial, job) in queue {
        let result = catch_unwind(AssertUnwindSafe(|| {
            assert!(!is_injected(Fault::EarlyPanic), "asked for");
            job(&mut search)
        }));
        if result.is_err() {
            search = None;
        }
        let _ = events.send(Event::Finished(serial, result.ok()));
    }
}

/// Returns the searcher of a thread, created by the first task that needs it.
pub fn searcher(search: &mut Option<Searcher>, resources: Resources) -> &mut Searcher {
    let searcher = search.get_or_insert_with(|| Searcher::new(resources.table_bytes));
    searcher.resize(resources.table_bytes);
    searcher.set_threads(resources.threads);
    if resources.forget {
        searcher.clear();
    }
    searcher
}

fn send_notice(events: &Sender<Event>, error: &anyhow::Error) {
    let _ = events.send(Event::Notice(Reply::Message(format!("the database {error}"))));
}

/// Writes the table to a file, whole or not at all. Only another table is overwritten.
fn dump(searcher: &Searcher, path: &Path) -> Reply {
    let write = |file| {
        let mut out = BufWriter::new(file);
        let count = searcher.table.write(&mut out)?;
        out.flush()?;
        Ok(count)
    };
    let written = match path.exists() && !is_table(path) {
        true => Err(io::Error::other("another file has this name")),
        false => write_atomically(path, write),
    };
    table_reply("written to", path, written)
}

fn load(searcher: &mut Searcher, path: &Path) -> Reply {
    let read = open_file(path).and_then(|file| searcher.table.read(&mut BufReader::new(file)));
    table_reply("read from", path, read)
}

fn table_reply(done: &str, path: &Path, count: io::Result<u64>) -> Reply {
    let name = path.display();
    Reply::Message(match count {
        Ok(count) => format!("table {done} {name}, {count} entries"),
        Err(error) => format!("table not {done} {name}: {error}"),
    })
}

fn is_table(path: &Path) -> bool {
    let mut head = [0; TABLE_MAGIC.len()];
    let read = open_file(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == TABLE_MAGIC
}

/// Opening a pipe would wait for its writer.
fn open_file(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("this is no file"));
    }
    File::open(path)
}

/// Executes a task where no database is open.
pub fn run_task(task: &Task, searcher: &mut Searcher) -> Vec<Reply> {
    match task {
        Task::TableUsage => {
            let usage = searcher.table.usage();
            vec![Reply::Message(format!("table {}.{} % full", usage / 10, usage % 10))]
        }
        Task::File { kind: FileKind::HashDump, path, .. } => vec![dump(searcher, path)],
        Task::File { kind: FileKind::HashLoad, path, .. } => vec![load(searcher, path)],
        Task::TraceSearch(board) => {
            let texts = trace::of_search(board, searcher.table.probe(board.key()));
            texts.into_iter().map(Reply::Message).collect()
        }
        Task::Command {
            command: DatabaseCommand::QueryAll | DatabaseCommand::QueryAllAndText,
            ..
        } => ["REFRESH", "DONE"].map(|word| Reply::Message(format!("DATABASE {word}"))).into(),
        Task::Command { command, .. } if command.is_query() => Vec::new(),
        Task::State | Task::Check => Vec::new(),
        _ => vec![Reply::Error("no database is open, INFO database FILE opens one".to_owned())],
    }
}

/// A program that is built without the database has none, and opens none.
#[cfg(not(feature = "database"))]
mod database_task {
    use super::{Control, Listener, Path, Reply, SearchTask, Searcher, Task, TaskResult};
    use std::convert::Infallible;

    pub enum Database {}

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Mode {
        Write,
        ReadOnly,
    }

    pub type NewEntries = Vec<Infallible>;

    pub fn open(path: &Path, _: Mode, _: Option<&Database>) -> TaskResult {
        let name = path.display();
        let text = format!("database {name}: this program is built without the database");
        TaskResult { replies: vec![Reply::Error(text)], ..TaskResult::default() }
    }

    pub fn execute(_: &Task, database: &Database) -> Vec<Reply> {
        match *database {}
    }

    pub fn search(
        database: &Database,
        _: &SearchTask,
        _: &mut Searcher,
        _: &Control,
        _: Listener,
    ) -> anyhow::Result<TaskResult> {
        match *database {}
    }

    pub fn store(database: &Database, _: NewEntries) -> anyhow::Result<()> {
        match *database {}
    }
}

#[cfg(test)]
mod tests {
    use std::thread::ThreadId;

    use super::*;

    /// Starts a task that reports its thread, and whether it found a searcher there.
    fn start(thread: &mut SearchThread) -> Receiver<(ThreadId, bool)> {
        let (sender, receiver) = channel();
        let resources = Resources { table_bytes: 0, threads: 1, forget: false };
        thread.start(Box::new(move |search| {
            sender.send((thread::current().id(), search.is_some())).unwrap();
            searcher(search, resources);
            TaskResult::default()
        }));
        receiver
    }

    #[test]
    fn one_thread_executes_all_tasks_and_a_panic_costs_the_searcher_alone() {
        let (events, inbox) = channel();
        let mut thread = SearchThread::new(events);
        let (go, wait) = channel::<()>();
        let before = [start(&mut thread), start(&mut thread)].map(|told| told.recv().unwrap());
        thread.start(Box::new(move |_| {
            wait.recv().unwrap();
            panic!("meant to happen");
        }));
        // These wait in the channel at the panic.
        let after = [start(&mut thread), start(&mut thread)];
        go.send(()).unwrap();
        let after = after.map(|told| told.recv().unwrap());
        for told in [before, after] {
            assert_eq!(told.map(|(_, found)| found), [false, true]);
            assert_eq!(told.map(|(id, _)| id), [before[0].0; 2]);
        }
        let ends = inbox.iter().take(5).map(|event| match event {
            Event::Finished(serial, result) => (serial, thread.finish(serial, result).is_some()),
            _ => panic!("no end of a task"),
        });
        let expected = [(1, true), (2, true), (3, false), (4, true), (5, true)];
        assert_eq!(ends.collect::<Vec<_>>(), expected);
    }
}
