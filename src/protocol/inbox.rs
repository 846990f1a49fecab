//! The event loop's inbox, for lines of input and for what the search thread has to say.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};

use tengen_gomocup::Reply;

use super::input::InputLine;
use super::task::TaskResult;
use crate::search::Report;
use crate::time::{Duration, Instant};

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

pub struct Inbox {
    events: Receiver<Event>,
    /// Set when the loop has received the end.
    pub grace: Option<Duration>,
}

pub fn channels() -> (Inbox, Sender<Event>) {
    let (sender, events) = channel();
    (Inbox { events, grace: None }, sender)
}

impl Inbox {
    /// Waits for an event until the deadline.
    pub fn next(&self, deadline: Option<Instant>) -> Result<Event, RecvTimeoutError> {
        match deadline {
            Some(deadline) => {
                self.events.recv_timeout(deadline.saturating_duration_since(Instant::now()))
            }
            None => self.events.recv().map_err(RecvTimeoutError::from),
        }
    }
}
