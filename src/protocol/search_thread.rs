//! The search thread: the searcher, which executes one task after another, and the database of its
//! searches.
//!
//! Tasks wait in a channel, so that a search may outlive its answer and the event loop never waits.
//! After a panic a supervisor starts a new thread with a new searcher for the remaining tasks. New
//! entries of the database are stored after the answer, by a task of their own.

#[cfg(feature = "database")]
mod database_task;
#[cfg(not(feature = "database"))]
mod database_task {
    use super::{Database, Mode, Path, Reply, Task};

    pub fn open(path: &Path, _: Mode) -> Result<(Database, Reply), Reply> {
        let name = path.display();
        Err(Reply::Error(format!("database {name}: this program is built without the database")))
    }

    pub fn execute(_: &Task, database: &Database) -> Vec<Reply> {
        match *database {}
    }
}

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::mem;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tengen_gomocup::{DatabaseCommand, Reply};
use tengen_gomoku::atomic_file::write_atomically;
use tengen_gomoku::board::Board;

use super::inbox::Event;
use super::task::{Purpose, Resources, SearchTask, Task};
use super::timing::FIRST_ROOT_MOVE;
use crate::database::probing::{self, NewEntries};
use crate::database::{Database, Mode};
use crate::eval::Style;
use crate::fault::{Fault, is_injected};
use crate::opening::{soosorv, swap2};
use crate::search::control::Control;
use crate::search::{Limits, Progress, Report, STACK_BYTES, Searcher, TABLE_MAGIC, Target, trace};

/// Stack of the supervisor.
const SUPERVISOR_STACK_BYTES: usize = 64 << 10;

/// What a task leaves.
#[derive(Default)]
pub struct Done {
    /// Of a search that found something.
    pub report: Option<Report>,
    /// Of a task with the table or the database.
    pub replies: Vec<Reply>,
    opened: Option<Database>,
    new_entries: NewEntries,
}

/// The searcher of a thread, created by the first task that needs it.
type Search = Option<Box<Searcher>>;

struct Job {
    end: Announcement,
    work: Box<dyn FnOnce(&mut Search) -> Done + Send>,
}

/// Announces the end of a task when dropped, even by a panic or without a thread.
struct Announcement {
    events: Sender<Event>,
    serial: u64,
    done: Option<Done>,
}

impl Drop for Announcement {
    fn drop(&mut self) {
        // The loop is gone only at the end of the program.
        let _ = self.events.send(Event::Finished(self.serial, self.done.take()));
    }
}

/// The event loop's end.
pub struct SearchThread {
    events: Sender<Event>,
    jobs: Sender<Job>,
    /// Of the last task.
    serial: u64,
    database: Option<Arc<Database>>,
    /// Of the last search.
    new_entries: NewEntries,
    /// The task that stores, until it has ended.
    storing: Option<u64>,
}

impl SearchThread {
    /// Returns a search thread without work, which sends events to `events`.
    pub fn new(events: Sender<Event>) -> io::Result<SearchThread> {
        let (jobs, queue) = channel();
        let thread = thread::Builder::new().name("supervisor".into());
        thread.stack_size(SUPERVISOR_STACK_BYTES).spawn(move || supervise(&Mutex::new(queue)))?;
        let (database, new_entries, storing) = (None, NewEntries::new(), None);
        Ok(SearchThread { events, jobs, serial: 0, database, new_entries, storing })
    }

    /// Starts a search and returns its number. `control` has its limits and receives the best move.
    /// [`Event::Finished`] follows in any case.
    pub fn start_search(
        &mut self,
        task: SearchTask,
        control: Arc<Control>,
        resources: Resources,
    ) -> u64 {
        let database = self.database.clone().filter(|_| task.database.is_some());
        let (serial, events) = (self.serial + 1, self.events.clone());
        self.start(move |search| {
            let mut announce = |progress: Progress| {
                let event = match progress {
                    Progress::Report(report) => Event::Report(serial, report.clone()),
                    _ => match task.detail.of_root_move(progress) {
                        Some(mark) if control.elapsed() >= FIRST_ROOT_MOVE => {
                            Event::RootMove(serial, mark)
                        }
                        _ => return,
                    },
                };
                let _ = events.send(event);
            };
            let searcher = searcher(search, resources);
            searcher.set_params(task.params);
            searcher.block(task.blocked);
            let (board, limits) = (&task.board, &task.limits);
            if let Some(database) = database {
                match probing::search(&database, searcher, board, limits, &control, &mut announce) {
                    Ok(report) => {
                        let new_entries = match (task.database, database.mode()) {
                            (Some(Mode::Write), Mode::Write) => {
                                probing::new_entries(searcher, board, limits, &report)
                            }
                            _ => NewEntries::new(),
                        };
                        return Done { report: Some(report), new_entries, ..Done::default() };
                    }
                    Err(error) => send_notice(&events, &error),
                }
            }
            let report = run_search(searcher, board, task.purpose, limits, &control, &mut announce);
            Done { report, ..Done::default() }
        })
    }

    /// Starts another task, as [`SearchThread::start_search`] does.
    pub fn start_task(&mut self, task: Task, resources: Resources) -> u64 {
        let database = self.database.clone();
        self.start(move |search| {
            // The table leaves memory for the database.
            let searcher = searcher(search, resources);
            let mut opened = None;
            let replies = match (&task, database) {
                (Task::TableUsage, _) => {
                    let usage = searcher.table_usage();
                    let text = format!("table {}.{} % full", usage / 10, usage % 10);
                    vec![Reply::Message(text)]
                }
                (Task::DumpTable(path), _) => vec![dump(searcher, path)],
                (Task::LoadTable(path), _) => vec![load(searcher, path)],
                (Task::TraceSearch(board), _) => {
                    let texts = trace::of_search(board, searcher.probe(board.key()));
                    texts.into_iter().map(Reply::Message).collect()
                }
                (Task::Open(path, mode), Some(open))
                    if open.is_of(path) && open.mode() == *mode =>
                {
                    database_task::execute(&Task::State, &open)
                }
                (Task::Open(path, mode), _) => match database_task::open(path, *mode) {
                    Ok((database, reply)) => {
                        opened = Some(database);
                        vec![reply]
                    }
                    Err(reply) => vec![reply],
                },
                (task, Some(database)) => database_task::execute(task, &database),
                (task, None) => replies_without_database(task),
            };
            Done { replies, opened, ..Done::default() }
        })
    }

    /// Starts to store what the last search found. A failure becomes a notice.
    pub fn store_new_entries(&mut self) {
        let entries = mem::take(&mut self.new_entries);
        let Some(database) = self.database.clone().filter(|_| !entries.is_empty()) else { return };
        let events = self.events.clone();
        self.storing = Some(self.start(move |_| {
            if let Err(error) = probing::store(&database, entries) {
                send_notice(&events, &error);
            }
            Done::default()
        }));
    }

    pub fn is_storing(&self) -> bool {
        self.storing.is_some()
    }

    pub fn has_database(&self) -> bool {
        self.database.is_some()
    }

    /// Takes the database and the entries that a finished task left, and returns the rest; `None`
    /// after a panic.
    pub fn finish(&mut self, serial: u64, done: Option<Done>) -> Option<Done> {
        self.storing.take_if(|storing| *storing == serial);
        let mut done = done?;
        self.database = done.opened.take().map(Arc::new).or(self.database.take());
        if !done.new_entries.is_empty() {
            self.new_entries = mem::take(&mut done.new_entries);
        }
        Some(done)
    }

    fn start(&mut self, work: impl FnOnce(&mut Search) -> Done + Send + 'static) -> u64 {
        self.serial += 1;
        let (events, serial) = (self.events.clone(), self.serial);
        let end = Announcement { events, serial, done: None };
        // A dropped job announces its end too.
        let _ = self.jobs.send(Job { end, work: Box::new(work) });
        serial
    }
}

/// Runs a search thread for the jobs, and another one after a panic, until the channel is closed.
/// If a thread cannot be started, its first job is dropped.
fn supervise(queue: &Mutex<Receiver<Job>>) {
    while let Some(first) = next(queue) {
        thread::scope(|scope| {
            if !is_injected(Fault::SearchStart) {
                let thread = thread::Builder::new().name("search".into()).stack_size(STACK_BYTES);
                // A panic only ends this thread.
                let _ =
                    thread.spawn_scoped(scope, || work(first, queue)).map(|thread| thread.join());
            }
        });
    }
}

fn work(first: Job, queue: &Mutex<Receiver<Job>>) {
    let mut search = None;
    let mut job = Some(first);
    while let Some(Job { mut end, work }) = job {
        assert!(!is_injected(Fault::EarlyPanic), "asked for");
        end.done = Some(work(&mut search));
        drop(end);
        job = next(queue);
    }
}

fn next(queue: &Mutex<Receiver<Job>>) -> Option<Job> {
    // A channel is valid even if a thread panicked with the lock held.
    queue.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

fn searcher(search: &mut Search, resources: Resources) -> &mut Searcher {
    let searcher = search.get_or_insert_with(|| Box::new(Searcher::new(resources.table_bytes)));
    searcher.resize(resources.table_bytes);
    searcher.set_threads(resources.threads);
    if resources.forget {
        searcher.clear();
    }
    searcher
}

fn send_notice(events: &Sender<Event>, error: &impl fmt::Display) {
    let _ = events.send(Event::Notice(Reply::Message(format!("the database {error}"))));
}

/// Writes the table to a file, whole or not at all. Only another table is overwritten.
fn dump(searcher: &Searcher, path: &Path) -> Reply {
    let written = || {
        if path.exists() && !is_table(path) {
            let error = "another file has this name";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, error));
        }
        write_atomically(path, |file| {
            let mut out = BufWriter::new(file);
            let count = searcher.write_table(&mut out)?;
            out.flush()?;
            Ok(count)
        })
    };
    let name = path.display();
    Reply::Message(match written() {
        Ok(count) => format!("table written to {name}, {count} entries"),
        Err(error) => format!("table not written to {name}: {error}"),
    })
}

fn load(searcher: &mut Searcher, path: &Path) -> Reply {
    let read = open_file(path).and_then(|file| searcher.read_table(&mut BufReader::new(file)));
    let name = path.display();
    Reply::Message(match read {
        Ok(count) => format!("table read from {name}, {count} entries"),
        Err(error) => format!("table not read from {name}: {error}"),
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
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is no file"));
    }
    File::open(path)
}

fn replies_without_database(task: &Task) -> Vec<Reply> {
    match task {
        Task::Command {
            command: DatabaseCommand::QueryAll | DatabaseCommand::QueryAllAndText,
            ..
        } => ["REFRESH", "DONE"].map(|word| Reply::Message(format!("DATABASE {word}"))).into(),
        Task::Command { command, .. } if command.is_query() => Vec::new(),
        Task::State | Task::Check => Vec::new(),
        _ => vec![Reply::Error("no database is open, INFO database FILE opens one".to_owned())],
    }
}

fn run_search(
    searcher: &mut Searcher,
    board: &Board,
    purpose: Purpose,
    limits: &Limits,
    control: &Control,
    listener: &mut dyn FnMut(Progress),
) -> Option<Report> {
    Some(match purpose {
        Purpose::Move | Purpose::Defence => searcher.search(board, limits, control, listener),
        Purpose::MoveOrSwap => {
            // A style would shift the score.
            let limits = Limits { style: Style::NEUTRAL, ..*limits };
            searcher.search(board, &limits, control, listener)
        }
        Purpose::Swap2 | Purpose::Swap2Step => {
            swap2::judge(searcher, board, limits, control, listener)
        }
        Purpose::Soosorv(step) => soosorv::judge(searcher, board, step, limits, control, listener),
        Purpose::Balance(stones, score) => {
            let target = Target { score, ..Target::balanced(stones) };
            return searcher.balance(board, target, limits, control, listener);
        }
    })
}

#[cfg(test)]
mod tests {
    use std::thread::ThreadId;

    use super::*;

    /// Starts a task that reports its thread, and whether it found a searcher there.
    fn start(thread: &mut SearchThread) -> Receiver<(ThreadId, bool)> {
        let (sender, receiver) = channel();
        let resources = Resources { table_bytes: 0, threads: 1, forget: false };
        thread.start(move |search| {
            sender.send((thread::current().id(), search.is_some())).unwrap();
            searcher(search, resources);
            Done::default()
        });
        receiver
    }

    #[test]
    fn one_thread_executes_all_tasks_and_a_panic_costs_no_other() {
        let (events, inbox) = channel();
        let mut thread = SearchThread::new(events).unwrap();
        let (go, wait) = channel::<()>();
        let before = [start(&mut thread), start(&mut thread)].map(|told| told.recv().unwrap());
        assert_eq!((before[0].0, before.map(|(_, found)| found)), (before[1].0, [false, true]));
        thread.start(move |_| {
            wait.recv().unwrap();
            panic!("meant to happen");
        });
        // These wait in the channel at the panic.
        let after = [start(&mut thread), start(&mut thread)];
        go.send(()).unwrap();
        let after = after.map(|told| told.recv().unwrap());
        assert_eq!((after[0].0, after.map(|(_, found)| found)), (after[1].0, [false, true]));
        assert_ne!(after[0].0, before[0].0);
        let ends = inbox.iter().take(5).map(|event| match event {
            Event::Finished(serial, done) => (serial, thread.finish(serial, done).is_some()),
            _ => panic!("no end of a task"),
        });
        let expected = [(1, true), (2, true), (3, false), (4, true), (5, true)];
        assert_eq!(ends.collect::<Vec<_>>(), expected);
    }
}
