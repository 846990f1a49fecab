//! The search thread: the searcher, which works in a thread of its own on one task at a time, and
//! the database that its searches know.
//!
//! Knows tasks and events, and neither the game nor the event loop. The loop waits for one task at
//! most. A search may outlive its answer: then the thread of the next task waits for it, never the
//! loop. A panic ends only the thread; the next task gets a new searcher.

#[cfg(feature = "database")]
mod database_task;
mod findings;
mod table_file;
mod without_database;

use std::mem;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tengen_gomocup::Reply;

use super::event::Event;
use super::task::{Access, DatabaseTask, Purpose, Resources, SearchTask, TableTask};
use super::trace;
use crate::board::Board;
use crate::database::Database;
use crate::database::probing::{self, NewEntries};
use crate::fault::{Fault, strikes};
use crate::opening::{soosorv, swap1, swap2};
use crate::search::control::Control;
use crate::search::{Limits, Params, Progress, Report, STACK_BYTES, Searcher, Target};
use findings::Findings;
#[cfg(not(feature = "database"))]
use without_database as database_task;

/// Root moves are announced from this time of a search on.
const FIRST_MARK: Duration = Duration::from_millis(200);

/// What came of a task.
pub enum Outcome {
    /// The result of a search.
    Report(Report),
    /// A search that found nothing.
    Nothing,
    /// What the table or the database says.
    Replies(Vec<Reply>),
}

/// An outcome, and what the next tasks have of it.
struct Done {
    outcome: Outcome,
    /// A database that was opened.
    opened: Option<Arc<Database>>,
    /// What the database is to store.
    new_entries: NewEntries,
}

impl From<Outcome> for Done {
    fn from(outcome: Outcome) -> Done {
        Done { outcome, opened: None, new_entries: NewEntries::new() }
    }
}

/// Where the searcher is.
enum State {
    /// Not made yet, or lost in a panic.
    None,
    /// Here, without work.
    Idle(Box<Searcher>),
    /// In its thread, which gives it back.
    Working(JoinHandle<(Box<Searcher>, Done)>),
}

/// Owner of the searcher and of the thread it works in.
pub struct SearchThread {
    events: Sender<Event>,
    state: State,
    /// Number of the task started last.
    serial: u64,
    database: Option<Arc<Database>>,
    findings: Findings,
}

impl SearchThread {
    /// Returns a search thread without work, which will send its news to `events`.
    pub fn new(events: Sender<Event>) -> SearchThread {
        SearchThread {
            events,
            state: State::None,
            serial: 0,
            database: None,
            findings: Findings::new(),
        }
    }

    /// Starts a search with these parameters and returns its number. `control` holds its time and
    /// its stop flag, and receives the best move so far. [`Event::Finished`] follows in any case.
    pub fn start_search(
        &mut self,
        task: SearchTask,
        params: Params,
        control: Arc<Control>,
        resources: Resources,
    ) -> u64 {
        let SearchTask { board, purpose, limits, blocked, detail, database: access, .. } = task;
        let database = self.database.clone().filter(|_| access != Access::None);
        self.start(resources, database.is_some(), move |searcher, serial, events| {
            let mut announce = |progress: Progress| {
                let event = match progress {
                    Progress::Report(report) => Event::Report(serial, report.clone()),
                    _ => match detail.of_root_move(progress) {
                        // In the first moments nobody could follow.
                        Some(mark) if control.elapsed() >= FIRST_MARK => {
                            Event::RootMove(serial, mark)
                        }
                        _ => return,
                    },
                };
                // The loop is gone only when the program ends.
                let _ = events.send(event);
            };
            searcher.set_params(params);
            searcher.block(blocked);
            let Some(database) = database else {
                return search(searcher, &board, purpose, &limits, &control, &mut announce).into();
            };
            match probing::search(&database, searcher, &board, &limits, &control, &mut announce) {
                Ok(report) => {
                    let new_entries = match access {
                        Access::Write => probing::new_entries(searcher, &board, &limits, &report),
                        Access::None | Access::Read => NewEntries::new(),
                    };
                    Done { new_entries, ..Outcome::Report(report).into() }
                }
                Err(error) => {
                    let _ =
                        events.send(Event::Notice(Reply::Message(format!("the database {error}"))));
                    search(searcher, &board, purpose, &limits, &control, &mut announce).into()
                }
            }
        })
    }

    /// Starts a task with the table and returns its number; searches and these are numbered
    /// together. [`Event::Finished`] follows in any case.
    pub fn start_table_task(&mut self, task: TableTask, resources: Resources) -> u64 {
        self.start(resources, false, move |searcher, _, _| {
            let texts = tell(&task, searcher);
            Outcome::Replies(texts.into_iter().map(Reply::Message).collect()).into()
        })
    }

    /// Starts a task with the database and returns its number, as with the table.
    pub fn start_database_task(&mut self, task: DatabaseTask, resources: Resources) -> u64 {
        let database = self.database.clone();
        self.start(resources, true, move |_, _, _| match (&task, database) {
            (DatabaseTask::Open(path), open) => {
                let same = open.filter(|open| open.is_of(path));
                let replies = |reply| Outcome::Replies(vec![reply]);
                match same {
                    Some(open) => {
                        Outcome::Replies(database_task::execute(&DatabaseTask::State, &open)).into()
                    }
                    None => match database_task::open(path) {
                        Ok((database, reply)) => {
                            Done { opened: Some(Arc::new(database)), ..replies(reply).into() }
                        }
                        Err(reply) => replies(reply).into(),
                    },
                }
            }
            (task, Some(database)) => {
                Outcome::Replies(database_task::execute(task, &database)).into()
            }
            (task, None) => Outcome::Replies(without_database::replies(task)).into(),
        })
    }

    /// Returns true if a database is open.
    pub fn has_database(&self) -> bool {
        self.database.is_some()
    }

    /// Stores in the database what the last search found, in a thread of its own.
    pub fn store_findings(&mut self) {
        self.findings.store(self.database.as_ref(), &self.events);
    }

    /// Waits until the database has what the last search found, but no longer than this.
    pub fn finish_storing(&self, grace: Duration) {
        self.findings.storing().wait(grace);
    }

    /// Starts a thread that does `work` with the searcher; if it `uses_database`, only after
    /// what the last search found is stored.
    fn start(
        &mut self,
        resources: Resources,
        uses_database: bool,
        work: impl FnOnce(&mut Searcher, u64, &Sender<Event>) -> Done + Send + 'static,
    ) -> u64 {
        self.serial += 1;
        let serial = self.serial;
        let events = self.events.clone();
        let state = mem::replace(&mut self.state, State::None);
        let storing = self.findings.storing();
        let end = Announcement { events: events.clone(), serial };
        if strikes(Fault::SearchStart) {
            return serial;
        }
        let thread = thread::Builder::new().name("search".into()).stack_size(STACK_BYTES);
        let result = thread.spawn(move || {
            let _end = end;
            assert!(!strikes(Fault::EarlyPanic), "asked for");
            if uses_database {
                storing.wait(Duration::MAX);
            }
            let mut searcher = match state {
                State::None => None,
                State::Idle(searcher) => Some(searcher),
                State::Working(thread) => thread.join().ok().map(|(searcher, _)| searcher),
            }
            .unwrap_or_else(|| Box::new(Searcher::new(resources.table_bytes)));
            searcher.resize(resources.table_bytes);
            searcher.set_threads(resources.threads);
            if resources.forget {
                searcher.clear();
            }
            let done = work(&mut searcher, serial, &events);
            (searcher, done)
        });
        // A thread that could not start has dropped `end`, and so announced its end.
        if let Ok(thread) = result {
            self.state = State::Working(thread);
        }
        serial
    }

    /// Takes the searcher back from task `serial`, which has announced its end, and returns what
    /// came of it; `None` if it panicked or is not the last task.
    pub fn finish(&mut self, serial: u64) -> Option<Outcome> {
        if serial != self.serial {
            return None;
        }
        match mem::replace(&mut self.state, State::None) {
            State::Working(thread) => {
                let (searcher, done) = thread.join().ok()?;
                self.state = State::Idle(searcher);
                self.database = done.opened.or(self.database.take());
                self.findings.take(done.new_entries);
                Some(done.outcome)
            }
            state => {
                self.state = state;
                None
            }
        }
    }
}

/// Executes a task with the table and returns the sentences that tell what came of it.
fn tell(task: &TableTask, searcher: &mut Searcher) -> Vec<String> {
    let text = match task {
        TableTask::Usage => {
            let usage = searcher.table_usage();
            format!("table {}.{} % full", usage / 10, usage % 10)
        }
        TableTask::Dump(path) => table_file::write(searcher, path),
        TableTask::Load(path) => table_file::read(searcher, path),
        TableTask::Trace(board) => return trace::of_search(board, searcher.probe(board.key())),
    };
    vec![text]
}

/// Runs the search that the purpose needs.
fn search(
    searcher: &mut Searcher,
    board: &Board,
    purpose: Purpose,
    limits: &Limits,
    control: &Control,
    listener: &mut dyn FnMut(Progress),
) -> Outcome {
    let report = match purpose {
        Purpose::Move | Purpose::Defence => searcher.search(board, limits, control, listener),
        Purpose::MoveOrSwap => swap1::judge(searcher, board, limits, control, listener),
        Purpose::Swap2 => swap2::judge(searcher, board, limits, control, listener),
        Purpose::Soosorv(step) => soosorv::judge(searcher, board, step, limits, control, listener),
        Purpose::Balance(stones, score) => {
            let target = Target { score, ..Target::BALANCED };
            let report = searcher.balance(board, stones, target, limits, control, listener);
            return report.map_or(Outcome::Nothing, Outcome::Report);
        }
    };
    Outcome::Report(report)
}

/// Announces the end of a task when it is dropped: after a return as well as in a panic.
struct Announcement {
    events: Sender<Event>,
    serial: u64,
}

impl Drop for Announcement {
    fn drop(&mut self) {
        let _ = self.events.send(Event::Finished(self.serial));
    }
}
