//! The search thread: starts a search, and gets the searcher back when it has ended.
//!
//! There is at most one search that anybody waits for. One that outlives its answer is waited for
//! by the next search's own thread, never by the main loop. A panic in a search ends its thread
//! only; the next search starts with a new searcher.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};

use super::engine::Event;
use crate::board::Board;
use crate::search::clock::Control;
use crate::search::{Limits, Progress, Report, STACK_BYTES, Searcher};

/// All that one search needs.
pub struct Job {
    /// The position.
    pub board: Board,
    /// Depth and nodes.
    pub limits: Limits,
    /// Time, stop flag and the best move so far.
    pub control: Arc<Control>,
    /// Size of the transposition table.
    pub table_bytes: usize,
    /// Number of threads that search.
    pub threads: usize,
    /// True if earlier searches must not be remembered.
    pub forget: bool,
}

/// Where the searcher is.
enum Place {
    /// Not made yet, or lost in a panic.
    Nowhere,
    Here(Box<Searcher>),
    Searching(JoinHandle<(Box<Searcher>, Report)>),
}

/// Owner of the searcher and of the thread it works in.
pub struct Thinker {
    events: Sender<Event>,
    place: Place,
    /// Number of the search started last.
    serial: u64,
}

impl Thinker {
    /// Returns a thinker that announces what it does through `events`.
    pub fn new(events: Sender<Event>) -> Thinker {
        Thinker { events, place: Place::Nowhere, serial: 0 }
    }

    /// Starts a search and returns its number. Its end is announced in any case.
    pub fn start(&mut self, job: Job) -> u64 {
        self.serial += 1;
        let serial = self.serial;
        let events = self.events.clone();
        let place = std::mem::replace(&mut self.place, Place::Nowhere);
        let end = Announcement { events: events.clone(), serial };
        let thread = thread::Builder::new().name("search".into()).stack_size(STACK_BYTES);
        let result = thread.spawn(move || {
            let _end = end;
            let mut searcher = match place {
                Place::Nowhere => None,
                Place::Here(searcher) => Some(searcher),
                Place::Searching(thread) => thread.join().ok().map(|(searcher, _)| searcher),
            }
            .unwrap_or_else(|| Box::new(Searcher::new(job.table_bytes)));
            searcher.resize(job.table_bytes);
            searcher.set_threads(job.threads);
            if job.forget {
                searcher.clear();
            }
            let mut announce = |progress: Progress| {
                if let Progress::Iteration(report) = progress {
                    // Nobody listens any more only when the program ends.
                    let _ = events.send(Event::Iteration(serial, report.clone()));
                }
            };
            let report = searcher.search(&job.board, &job.limits, &job.control, &mut announce);
            (searcher, report)
        });
        // A thread that could not start has dropped, and so announced, its end.
        if let Ok(thread) = result {
            self.place = Place::Searching(thread);
        }
        serial
    }

    /// Takes the searcher back from search `serial`, which has announced its end, and returns the
    /// report; `None` if the search panicked or is not the last one.
    pub fn finish(&mut self, serial: u64) -> Option<Report> {
        if serial != self.serial {
            return None;
        }
        match std::mem::replace(&mut self.place, Place::Nowhere) {
            Place::Searching(thread) => {
                let (searcher, report) = thread.join().ok()?;
                self.place = Place::Here(searcher);
                Some(report)
            }
            place => {
                self.place = place;
                None
            }
        }
    }
}

/// Announces the end of a search when it is dropped: after a return as well as in a panic.
struct Announcement {
    events: Sender<Event>,
    serial: u64,
}

impl Drop for Announcement {
    fn drop(&mut self) {
        let _ = self.events.send(Event::Finished(self.serial));
    }
}
