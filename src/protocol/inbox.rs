//! The event loop's inbox: lines of the reader thread and events of the search thread.
//!
//! At the end of input the reader watches the loop: one that executes a long script makes progress,
//! one that is stuck does not.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};

use tengen_gomocup::Reply;

use super::input::{End, InputLine};
use super::search_thread::Done;
use super::timing::{GRACE_INPUT, GRACE_LATE, GRACE_SCRIPT};
use crate::search::Report;
use crate::time::{Duration, Instant};

pub enum Event {
    /// A line, or the end of input.
    Line(InputLine),
    /// The PVs so far of the search with this number.
    Report(u64, Report),
    /// The mark of a root move of that search.
    RootMove(u64, Reply),
    /// For the manager, at any time.
    Notice(Reply),
    /// The task of this number has ended; `None` if it panicked or its thread did not start.
    Finished(u64, Option<Done>),
}

/// The event loop's end.
pub struct Inbox {
    events: Receiver<Event>,
    /// Set when the loop has received the end.
    pub end: Option<End>,
    /// Dropped then; the reader waits for it.
    end_unseen: Option<Sender<()>>,
    progress: Arc<AtomicU64>,
}

/// The reader's end.
pub struct LineSender {
    events: Sender<Event>,
    end_seen: Receiver<()>,
    progress: Arc<AtomicU64>,
}

/// Returns both ends, and the sender for other events.
pub fn channels() -> (Inbox, LineSender, Sender<Event>) {
    let ((sender, events), (end_unseen, end_seen)) = (channel(), channel());
    let progress = Arc::new(AtomicU64::new(0));
    let lines = LineSender { events: sender.clone(), end_seen, progress: Arc::clone(&progress) };
    (Inbox { events, end: None, end_unseen: Some(end_unseen), progress }, lines, sender)
}

impl Inbox {
    /// Waits for an event until the deadline.
    pub fn next(&mut self, deadline: Option<Instant>) -> Result<Event, RecvTimeoutError> {
        let event = match deadline {
            Some(deadline) => {
                self.events.recv_timeout(deadline.saturating_duration_since(Instant::now()))
            }
            None => self.events.recv().map_err(RecvTimeoutError::from),
        };
        if matches!(&event, Ok(Event::Line(line)) if line.end.is_some()) {
            self.end_unseen = None;
        }
        event
    }

    pub fn count_progress(&self) {
        self.progress.fetch_add(1, Ordering::Relaxed);
    }
}

impl LineSender {
    /// Sends a line; returns true if more may follow. After the end it waits until the loop has
    /// received that, and calls `exit` if the loop is stuck.
    pub fn send(&self, line: InputLine, exit: fn()) -> bool {
        let end = line.end;
        let is_received = self.events.send(Event::Line(line)).is_ok();
        let Some(end) = end else { return is_received };
        loop {
            let before = self.progress.load(Ordering::Relaxed);
            if self.end_seen.recv_timeout(grace(end)) != Err(RecvTimeoutError::Timeout) {
                return false;
            }
            if self.progress.load(Ordering::Relaxed) == before {
                exit();
                return false;
            }
        }
    }
}

pub fn grace(end: End) -> Duration {
    match end {
        End::Late => GRACE_LATE,
        End::Script => GRACE_SCRIPT,
        End::Input => GRACE_INPUT,
    }
}
