//! The writer thread: from replies to the manager. Nothing else writes to the output.
//!
//! Each line is one write. The event loop only hands lines over, so that a full pipe stops neither
//! the clock nor END: answers wait in order, and so do the last messages of a search; its messages
//! before are dropped while the pipe is behind. When the other end is closed, the manager is gone
//! and the program may leave. Knows no game.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::reply::Reply;

/// Lines that may wait before a message is dropped.
const MESSAGE_BACKLOG: usize = 16;

/// The lines on their way to the manager.
pub struct Output {
    lines: Sender<(Instant, String)>,
    waiting: Arc<Waiting>,
    leave: fn(),
}

/// The number of lines handed over and not yet written.
#[derive(Default)]
struct Waiting {
    count: Mutex<usize>,
    changed: Condvar,
    /// Nanoseconds that the last line written had waited.
    delay: AtomicU64,
}

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, usize> {
        // A number is sound even if another thread panicked with the lock held.
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Output {
    /// Starts the writer, which writes to `target` and calls `leave` when that takes no more.
    ///
    /// # Errors
    ///
    /// If the thread cannot be started.
    pub fn new(mut target: impl Write + Send + 'static, leave: fn()) -> std::io::Result<Output> {
        let (lines, receiver) = channel::<(Instant, String)>();
        let waiting = Arc::new(Waiting::default());
        let shared = Arc::clone(&waiting);
        thread::Builder::new().name("writer".into()).spawn(move || {
            for (handed_over, line) in receiver {
                if target.write_all(line.as_bytes()).and_then(|()| target.flush()).is_err() {
                    leave();
                }
                shared.delay.store(handed_over.elapsed().as_nanos() as u64, Ordering::Relaxed);
                *shared.lock() -= 1;
                shared.changed.notify_all();
            }
        })?;
        Ok(Output { lines, waiting, leave })
    }

    /// Writes a line that must not be lost.
    pub fn answer(&self, reply: &Reply) {
        *self.waiting.lock() += 1;
        if self.lines.send((Instant::now(), format!("{reply}\n"))).is_err() {
            (self.leave)();
        }
    }

    /// Writes lines that must not be lost, in this order.
    pub fn answers(&self, replies: &[Reply]) {
        replies.iter().for_each(|reply| self.answer(reply));
    }

    /// Writes lines that may be lost, but only together.
    pub fn messages(&self, replies: &[Reply]) {
        if *self.waiting.lock() < MESSAGE_BACKLOG {
            self.answers(replies);
        }
    }

    /// Returns how long the last line took from here to the manager's pipe.
    pub fn delay(&self) -> Duration {
        Duration::from_nanos(self.waiting.delay.load(Ordering::Relaxed))
    }

    /// Waits until everything is written, or until nothing has been written for `grace`.
    pub fn finish(&self, grace: Duration) {
        let mut count = self.waiting.lock();
        while *count > 0 {
            let before = *count;
            let (next, _) = self
                .waiting
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
        let output = Output::new(std::io::sink(), || ()).unwrap();
        let waiting = Arc::clone(&output.waiting);
        let poison = move || {
            let _count = waiting.count.lock();
            panic!("meant to happen");
        };
        assert!(thread::spawn(poison).join().is_err() && output.waiting.count.is_poisoned());
        output.answer(&Reply::Ok);
        output.messages(&[Reply::Ok]);
        output.finish(Duration::from_secs(20));
        assert_eq!(*output.waiting.lock(), 0, "everything was written");
    }
}
