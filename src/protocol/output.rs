//! The writer thread, which alone writes to the manager, one write a line.
//!
//! The event loop only queues lines, so that a full pipe stops neither the clock nor END. Answers
//! and the last messages of a search wait in order; other messages are dropped while many lines
//! wait. If the output is closed, the manager is gone and the program exits.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use tengen_gomocup::Reply;

use super::backlog::{Backlog, Waiting};
use crate::time::{Duration, Instant};

/// Messages are dropped while so many lines wait.
const MESSAGE_BACKLOG: usize = 16;

pub struct Output {
    lines: Sender<Line>,
    unwritten: Arc<Unwritten>,
    backlog: Arc<Backlog>,
    exit: fn(),
}

struct Line {
    text: String,
    handed_over: Instant,
    _waiting: Waiting,
}

/// The number of lines not yet written.
#[derive(Default)]
struct Unwritten {
    count: Mutex<usize>,
    changed: Condvar,
    /// Nanoseconds from queue to pipe of the last line.
    delay: AtomicU64,
}

impl Unwritten {
    fn lock(&self) -> MutexGuard<'_, usize> {
        // A number is valid even if a thread panicked with the lock held.
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Output {
    /// Starts the writer, which calls `exit` if `target` is closed.
    pub fn new(
        mut target: impl Write + Send + 'static,
        exit: fn(),
        backlog: Arc<Backlog>,
    ) -> std::io::Result<Output> {
        let (lines, receiver) = channel::<Line>();
        let unwritten = Arc::new(Unwritten::default());
        let shared = Arc::clone(&unwritten);
        thread::Builder::new().name("writer".into()).spawn(move || {
            for line in receiver {
                if target.write_all(line.text.as_bytes()).and_then(|()| target.flush()).is_err() {
                    exit();
                }
                let delay = line.handed_over.elapsed().as_nanos() as u64;
                shared.delay.store(delay, Ordering::Relaxed);
                *shared.lock() -= 1;
                shared.changed.notify_all();
            }
        })?;
        Ok(Output { lines, unwritten, backlog, exit })
    }

    /// Writes a line that must not be lost.
    pub fn answer(&self, reply: &Reply) {
        *self.unwritten.lock() += 1;
        let text = format!("{reply}\n");
        let _waiting = self.backlog.add(text.len());
        if self.lines.send(Line { text, handed_over: Instant::now(), _waiting }).is_err() {
            (self.exit)();
        }
    }

    pub fn answers(&self, replies: &[Reply]) {
        replies.iter().for_each(|reply| self.answer(reply));
    }

    /// Writes lines that may be dropped, but only together.
    pub fn messages(&self, replies: &[Reply]) {
        if *self.unwritten.lock() < MESSAGE_BACKLOG {
            self.answers(replies);
        }
    }

    /// Returns the time of the last line from here to the pipe.
    pub fn delay(&self) -> Duration {
        Duration::from_nanos(self.unwritten.delay.load(Ordering::Relaxed))
    }

    /// Waits until everything is written, or nothing has been written for `grace`.
    pub fn finish(&self, grace: Duration) {
        let mut count = self.unwritten.lock();
        while *count > 0 {
            let before = *count;
            let (next, _) = self
                .unwritten
                .changed
                .wait_timeout_while(count, grace, |count| *count == before)
                .unwrap_or_else(PoisonError::into_inner);
            if *next == before {
                return;
            }
            count = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_poisoned_lock_is_taken_all_the_same() {
        let output = Output::new(std::io::sink(), || (), Arc::default()).unwrap();
        let unwritten = Arc::clone(&output.unwritten);
        let poison = move || {
            let _count = unwritten.count.lock();
            panic!("meant to happen");
        };
        assert!(thread::spawn(poison).join().is_err() && output.unwritten.count.is_poisoned());
        output.answer(&Reply::Ok);
        output.messages(&[Reply::Ok]);
        output.finish(Duration::from_secs(20));
        assert_eq!(*output.unwritten.lock(), 0, "everything was written");
    }
}
