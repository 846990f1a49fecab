//! The search thread: starts a search or other work of the searcher, and gets it back at the end.
//!
//! There is at most one search that anybody waits for. One that outlives its answer is waited for
//! by the next search's own thread, never by the main loop. A panic in a search ends its thread
//! only; the next search starts with a new searcher.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::detail::Detail;
use super::engine::Event;
use super::game::Purpose;
use super::table_file::TableTask;
use crate::board::Board;
use crate::fault::{Fault, strikes};
use crate::opening::{soosorv, swap2};
use crate::search::clock::Control;
use crate::search::{Blocked, Limits, Params, Progress, Report, STACK_BYTES, Searcher, Target};

/// From this time of a search on its root moves are marked.
const FIRST_MARK: Duration = Duration::from_millis(200);

/// All that one search needs.
pub struct Job {
    /// The position.
    pub board: Board,
    /// What the result is for.
    pub purpose: Purpose,
    /// Depth and nodes.
    pub limits: Limits,
    /// The numbers of the search.
    pub params: Params,
    /// Moves that are left out of the lines that lead to them.
    pub blocked: Blocked,
    /// Time, stop flag and the best move so far.
    pub control: Arc<Control>,
    /// What the searcher may use.
    pub memory: Memory,
    /// What the manager wants to hear of it.
    pub detail: Detail,
}

/// What the searcher may use and remember.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Size of the search's tables.
    pub table_bytes: usize,
    /// Number of threads that search.
    pub threads: usize,
    /// True if earlier searches must not be remembered.
    pub forget: bool,
}

/// What came of the searcher's work.
pub enum Product {
    /// The result of a search.
    Report(Report),
    /// A search that found nothing.
    Nothing,
    /// What to tell of the table.
    Text(String),
}

/// Where the searcher is.
enum Place {
    /// Not made yet, or lost in a panic.
    Nowhere,
    Here(Box<Searcher>),
    Away(JoinHandle<(Box<Searcher>, Product)>),
}

/// Owner of the searcher and of the thread it works in.
pub struct Thinker {
    events: Sender<Event>,
    place: Place,
    /// Number of the work started last.
    serial: u64,
}

impl Thinker {
    /// Returns a thinker that announces what it does through `events`.
    pub fn new(events: Sender<Event>) -> Thinker {
        Thinker { events, place: Place::Nowhere, serial: 0 }
    }

    /// Starts a search and returns its number. Its end is announced in any case.
    pub fn start(&mut self, job: Job) -> u64 {
        let Job { board, purpose, limits, params, blocked, control, memory, detail } = job;
        self.work(memory, move |searcher, serial, events| {
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
                // Nobody listens any more only when the program ends.
                let _ = events.send(event);
            };
            searcher.set_params(params);
            searcher.block(blocked);
            let (limits, control) = (&limits, &*control);
            match purpose {
                Purpose::Swap2 => {
                    let report = swap2::judge(searcher, &board, limits, control, &mut announce);
                    Product::Report(report)
                }
                Purpose::Soosorv(step) => {
                    let listener = &mut announce;
                    let report = soosorv::judge(searcher, &board, step, limits, control, listener);
                    Product::Report(report)
                }
                Purpose::Balance(stones, score) => {
                    let target = Target { score, ..Target::LEVEL };
                    let report = searcher.balance(&board, stones, target, limits, control);
                    report.map_or(Product::Nothing, Product::Report)
                }
                Purpose::Move | Purpose::Defence => {
                    Product::Report(searcher.search(&board, limits, control, &mut announce))
                }
            }
        })
    }

    /// Starts what is to be done with the table and returns its number, which counts on from those
    /// of searches. Its end is announced in any case.
    pub fn start_table(&mut self, task: TableTask, memory: Memory) -> u64 {
        self.work(memory, move |searcher, _, _| Product::Text(task.carry_out(searcher)))
    }

    /// Does something with the searcher in a thread of its own.
    fn work(
        &mut self,
        memory: Memory,
        work: impl FnOnce(&mut Searcher, u64, &Sender<Event>) -> Product + Send + 'static,
    ) -> u64 {
        self.serial += 1;
        let serial = self.serial;
        let events = self.events.clone();
        let place = std::mem::replace(&mut self.place, Place::Nowhere);
        let end = Announcement { events: events.clone(), serial };
        if strikes(Fault::SearchStart) {
            return serial;
        }
        let thread = thread::Builder::new().name("search".into()).stack_size(STACK_BYTES);
        let result = thread.spawn(move || {
            let _end = end;
            assert!(!strikes(Fault::EarlyPanic), "asked for");
            let mut searcher = match place {
                Place::Nowhere => None,
                Place::Here(searcher) => Some(searcher),
                Place::Away(thread) => thread.join().ok().map(|(searcher, _)| searcher),
            }
            .unwrap_or_else(|| Box::new(Searcher::new(memory.table_bytes)));
            searcher.resize(memory.table_bytes);
            searcher.set_threads(memory.threads);
            if memory.forget {
                searcher.clear();
            }
            let product = work(&mut searcher, serial, &events);
            (searcher, product)
        });
        // A thread that could not start has dropped, and so announced, its end.
        if let Ok(thread) = result {
            self.place = Place::Away(thread);
        }
        serial
    }

    /// Takes the searcher back from work `serial`, which has announced its end, and returns what
    /// came of it; `None` if it panicked or is not the last one.
    pub fn finish(&mut self, serial: u64) -> Option<Product> {
        if serial != self.serial {
            return None;
        }
        match std::mem::replace(&mut self.place, Place::Nowhere) {
            Place::Away(thread) => {
                let (searcher, product) = thread.join().ok()?;
                self.place = Place::Here(searcher);
                Some(product)
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
