//! The search thread: the searcher, which executes one task after another, and the database. Also
//! the events that the event loop receives from it and from the reader.
//!
//! Tasks wait in a channel, so that a search may outlive its answer and the event loop never waits.
//! After a panic the remaining tasks get a new searcher.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tengen_gomocup::{FileKind, Reply};

use super::input::InputLine;
use super::task::database_task::{self, Database, NewEntries};
use super::task::{Resources, SearchTask, Task, TaskResult, run_task, searcher};
use crate::fault::{InjectedFault, is_injected};
use crate::search::control::Control;
use crate::search::{Progress, Report, STACK_BYTES, Searcher};

/// What the event loop waits for.
pub enum Event {
    Line(InputLine),
    /// The PVs so far of the search with this number.
    Report(u64, Report),
    /// The mark of a root move of that search.
    RootMove(u64, Reply),
    /// For the manager, at any time.
    Notice(Reply),
    /// The task of this number has ended; `None` if it panicked or its thread did not start.
    Finished(u64, Option<TaskResult>),
}

type Job = Box<dyn FnOnce(&mut Option<Searcher>) -> TaskResult + Send>;

pub struct SearchThread {
    events: Sender<Event>,
    /// `None` before the first task, and while the thread cannot be started.
    jobs: Option<Sender<(u64, Job)>>,
    serial: u64,
    pub database: Option<Arc<Database>>,
    /// Of the last search.
    new_entries: NewEntries,
    /// The last task that has ended.
    finished: u64,
}

impl SearchThread {
    pub fn new(events: Sender<Event>) -> SearchThread {
        let (jobs, database, new_entries) = (None, None, NewEntries::new());
        SearchThread { events, jobs, serial: 0, database, new_entries, finished: 0 }
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
        let (database, events) = (self.database.clone(), self.events.clone());
        self.start(Box::new(move |search| {
            // Resize the table first: the budget now includes the database's cache.
            let searcher = searcher(search, resources);
            if let Some(database) = &database
                && let Err(error) = database_task::store_soon(database, NewEntries::new())
            {
                send_notice(&events, &error);
            }
            if let Task::File { kind: FileKind::Database, path, mode, .. } = &task {
                if database.is_some_and(|open| open.has_waiting()) {
                    // They would be lost with the open database.
                    let why =
                        "another program is writing to the open database, results wait for it";
                    let replies = vec![Reply::Error(why.to_owned())];
                    return TaskResult { replies, ..TaskResult::default() };
                }
                return database_task::open(path, *mode);
            }
            run_task(&task, searcher, database.as_deref())
        }))
    }

    /// Stores what the last search found, if it found anything.
    pub fn store_new_entries(&mut self) {
        if !self.new_entries.is_empty() {
            self.store();
        }
    }

    /// Stores the new entries, and those that still wait in the database.
    pub fn store(&mut self) {
        let new_entries = mem::take(&mut self.new_entries);
        let Some(database) = self.database.clone() else { return };
        let events = self.events.clone();
        self.start(Box::new(move |_| {
            if let Err(error) = database_task::store_soon(&database, new_entries) {
                send_notice(&events, &error);
            }
            TaskResult::default()
        }));
    }

    /// Returns true if something is to be stored.
    pub fn has_unstored(&self) -> bool {
        let has_waiting = |database: &Arc<Database>| database.has_waiting();
        !self.new_entries.is_empty() || self.database.as_ref().is_some_and(has_waiting)
    }

    /// Returns true if a task has not ended.
    pub fn is_busy(&self) -> bool {
        self.finished != self.serial
    }

    /// Takes the database and entries that a task left, and returns the rest; `None` after a panic.
    pub fn finish(&mut self, serial: u64, result: Option<TaskResult>) -> Option<TaskResult> {
        self.finished = serial;
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
        if self.jobs.is_none() && !is_injected(InjectedFault::SearchStart) {
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
            assert!(!is_injected(InjectedFault::EarlyPanic), "asked for");
            job(&mut search)
        }));
        if result.is_err() {
            search = None;
        }
        let _ = events.send(Event::Finished(serial, result.ok()));
    }
}

fn send_notice(events: &Sender<Event>, error: &anyhow::Error) {
    let _ = events.send(Event::Notice(Reply::Message(format!("the database {error}"))));
}

#[cfg(test)]
mod tests {
    use std::thread::ThreadId;

    use super::*;

    /// Starts a task that reports its thread, and whether it found a searcher there.
    fn start(thread: &mut SearchThread) -> Receiver<(ThreadId, bool)> {
        let (sender, receiver) = channel();
        let resources = Resources { table_bytes: 0, threads: 1, forget: false, keeps_size: false };
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
