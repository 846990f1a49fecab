//! What searches have found, on its way into the database: a thread of its own stores it, so that
//! no answer waits for a disk.
//!
//! Knows entries and the database, no task.

use std::mem;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tengen_gomocup::Reply;

use super::super::event::Event;
use crate::database::Database;
use crate::database::probing::{self, NewEntries};

/// What the last search found, and the thread that stores what others did.
pub struct Findings {
    entries: NewEntries,
    storing: Storing,
}

/// The thread that stores, if there is one.
#[derive(Clone, Default)]
pub struct Storing(Option<Arc<JoinHandle<()>>>);

impl Storing {
    /// Waits until everything is stored, but no longer than this.
    pub fn wait(&self, longest: Duration) {
        let start = Instant::now();
        // However the thread ends.
        while self.0.iter().any(|thread| !thread.is_finished()) && start.elapsed() < longest {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Findings {
    /// Returns the findings before the first search.
    pub fn new() -> Findings {
        Findings { entries: NewEntries::new(), storing: Storing::default() }
    }

    /// Takes what the last search found.
    pub fn take(&mut self, entries: NewEntries) {
        self.entries = entries;
    }

    /// Stores what the last search found behind what is still being stored; without a database it
    /// is dropped. A failure is told as a notice.
    pub fn store(&mut self, database: Option<&Arc<Database>>, events: &Sender<Event>) {
        let entries = mem::take(&mut self.entries);
        let Some(database) = database.filter(|_| !entries.is_empty()).cloned() else { return };
        let (events, before) = (events.clone(), mem::take(&mut self.storing));
        let store = move || {
            before.wait(Duration::MAX);
            if let Err(error) = probing::store(&database, entries) {
                let _ = events.send(Event::Notice(Reply::Message(format!("the database {error}"))));
            }
        };
        // What could not be stored is found again.
        let thread = thread::Builder::new().name("database".into()).spawn(store);
        self.storing = Storing(thread.ok().map(Arc::new));
    }

    /// Returns what to wait for until everything is stored.
    pub fn storing(&self) -> Storing {
        self.storing.clone()
    }
}
