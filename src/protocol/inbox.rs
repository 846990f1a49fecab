//! The event loop's inbox: lines from the reader thread, news from the search thread.
//!
//! The reader watches whether the loop receives the end. A loop that executes a long script makes
//! progress until then; one that is stuck does not.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use tengen_gomocup::Reply;

use super::input::{End, InputLine};
use super::search_thread::Done;
use super::timing::{GRACE_INPUT, GRACE_LATE, GRACE_SCRIPT};
use crate::search::Report;

/// What reaches the event loop.
pub enum Event {
    /// A line of input, or its end.
    Line(InputLine),
    /// The variations so far of the search of this number.
    Report(u64, Report),
    /// The search of this number begins or ends a move of the root.
    RootMove(u64, Reply),
    /// A line for the manager, whatever it waits for.
    Notice(Reply),
    /// The task of this number has ended. It left nothing if it panicked or its thread did not start.
    Finished(u64, Option<Done>),
}

/// The event loop's end of the channel.
pub struct Inbox {
    events: Receiver<Event>,
    /// How the input ends, once the loop has received its end.
    pub end: Option<End>,
    /// Dropped when the loop has received the end; the reader waits for that.
    end_unseen: Option<Sender<()>>,
    progress: Arc<AtomicU64>,
}

/// The reader's end of the channel.
pub struct LineSender {
    events: Sender<Event>,
    end_seen: Receiver<()>,
    progress: Arc<AtomicU64>,
}

/// Returns both ends, and what else sends events.
pub fn channels() -> (Inbox, LineSender, Sender<Event>) {
    let ((sender, events), (end_unseen, end_seen)) = (channel(), channel());
    let progress = Arc::new(AtomicU64::new(0));
    let lines = LineSender { events: sender.clone(), end_seen, progress: Arc::clone(&progress) };
    (Inbox { events, end: None, end_unseen: Some(end_unseen), progress }, lines, sender)
}

impl Inbox {
    /// Waits for an event, at most until the deadline.
    pub fn next(&self, deadline: Option<Instant>) -> Result<Event, RecvTimeoutError> {
        match deadline {
            Some(deadline) => {
                self.events.recv_timeout(deadline.saturating_duration_since(Instant::now()))
            }
            None => self.events.recv().map_err(RecvTimeoutError::from),
        }
    }

    /// Counts something that the loop has done.
    pub fn count_progress(&self) {
        self.progress.fetch_add(1, Ordering::Relaxed);
    }

    /// Tells the reader that a line was received, if it is the end.
    pub fn acknowledge(&mut self, line: &InputLine) {
        if line.end.is_some() {
            self.end_unseen = None;
        }
    }
}

impl LineSender {
    /// Sends a line and returns true if more may follow. After the end it waits until the loop has
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

/// Returns how long the program may be stuck at its end.
pub fn grace(end: End) -> Duration {
    match end {
        End::Late => GRACE_LATE,
        End::Script => GRACE_SCRIPT,
        End::Input => GRACE_INPUT,
    }
}
