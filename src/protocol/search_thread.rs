//! The search thread: the searcher, which works in a thread of its own on one task at a time.
//!
//! Knows tasks and events, and neither the game nor the event loop. The loop waits for one task at
//! most. A search may outlive its answer: then the thread of the next task waits for it, never the
//! loop. A panic ends only the thread; the next task gets a new searcher.

mod table_file;

use std::mem;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::event::Event;
use super::task::{Purpose, Resources, SearchTask, TableTask};
use crate::board::Board;
use crate::fault::{Fault, strikes};
use crate::opening::{soosorv, swap2};
use crate::search::clock::Control;
use crate::search::{Limits, Params, Progress, Report, STACK_BYTES, Searcher, Target};

/// Root moves are announced from this time of a search on.
const FIRST_MARK: Duration = Duration::from_millis(200);

/// What came of a task.
pub enum Outcome {
    /// The result of a search.
    Report(Report),
    /// A search that found nothing.
    Nothing,
    /// A sentence about the table.
    Text(String),
}

/// Where the searcher is.
enum State {
    /// Not made yet, or lost in a panic.
    None,
    /// Here, without work.
    Idle(Box<Searcher>),
    /// In its thread, which gives it back.
    Working(JoinHandle<(Box<Searcher>, Outcome)>),
}

/// Owner of the searcher and of the thread it works in.
pub struct SearchThread {
    events: Sender<Event>,
    state: State,
    /// Number of the task started last.
    serial: u64,
}

impl SearchThread {
    /// Returns a search thread without work, which will send its news to `events`.
    pub fn new(events: Sender<Event>) -> SearchThread {
        SearchThread { events, state: State::None, serial: 0 }
    }

    /// Starts a search by these numbers and returns its own. `control` holds its time and its stop flag, and
    /// receives the best move so far. [`Event::Finished`] follows in any case.
    pub fn start_search(
        &mut self,
        task: SearchTask,
        params: Params,
        control: Arc<Control>,
        resources: Resources,
    ) -> u64 {
        let SearchTask { board, purpose, limits, blocked, detail } = task;
        self.start(resources, move |searcher, serial, events| {
            let mut announce = |progress: Progress| {
                let event = match progress {
                    Progress::Iteration(report) => Event::Iteration(serial, report.clone()),
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
            search(searcher, &board, purpose, &limits, &control, &mut announce)
        })
    }

    /// Starts a task with the table and returns its number; searches and these are numbered
    /// together. [`Event::Finished`] follows in any case.
    pub fn start_table_task(&mut self, task: TableTask, resources: Resources) -> u64 {
        self.start(resources, move |searcher, _, _| {
            Outcome::Text(table_file::execute(&task, searcher))
        })
    }

    /// Starts a thread that does `work` with the searcher.
    fn start(
        &mut self,
        resources: Resources,
        work: impl FnOnce(&mut Searcher, u64, &Sender<Event>) -> Outcome + Send + 'static,
    ) -> u64 {
        self.serial += 1;
        let serial = self.serial;
        let events = self.events.clone();
        let state = mem::replace(&mut self.state, State::None);
        let end = Announcement { events: events.clone(), serial };
        if strikes(Fault::SearchStart) {
            return serial;
        }
        let thread = thread::Builder::new().name("search".into()).stack_size(STACK_BYTES);
        let result = thread.spawn(move || {
            let _end = end;
            assert!(!strikes(Fault::EarlyPanic), "asked for");
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
            let outcome = work(&mut searcher, serial, &events);
            (searcher, outcome)
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
                let (searcher, outcome) = thread.join().ok()?;
                self.state = State::Idle(searcher);
                Some(outcome)
            }
            state => {
                self.state = state;
                None
            }
        }
    }
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
        Purpose::Swap2 => swap2::judge(searcher, board, limits, control, listener),
        Purpose::Soosorv(step) => soosorv::judge(searcher, board, step, limits, control, listener),
        Purpose::Balance(stones, score) => {
            let target = Target { score, ..Target::LEVEL };
            let report = searcher.balance(board, stones, target, limits, control);
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
