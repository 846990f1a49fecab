//! The bytes that wait in memory: lines not executed and answers not written. If there are many,
//! the reader nearly stops, so that a manager that sends without end, or never reads, fills the
//! pipe and not the memory.

use super::timing::BACKLOG_WAIT;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The reader waits above this. A script of 100,000 lines is read without a pause.
const LARGE: usize = 32 << 20;
/// Of a line or an answer apart from its text, approximately.
const OVERHEAD: usize = 256;

#[derive(Debug, Default)]
pub struct Backlog {
    bytes: Mutex<usize>,
    less: Condvar,
}

/// A part of the backlog, until dropped.
#[derive(Debug)]
pub struct Waiting {
    backlog: Arc<Backlog>,
    bytes: usize,
}

impl Backlog {
    /// Adds a line or an answer with so many bytes of text.
    pub fn add(self: &Arc<Backlog>, text: usize) -> Waiting {
        let bytes = text + OVERHEAD;
        *self.lock() += bytes;
        Waiting { backlog: Arc::clone(self), bytes }
    }

    /// Waits while the backlog is large, but not for ever; returns true if it was large.
    pub fn wait_while_large(&self) -> bool {
        let bytes = self.lock();
        let was_large = *bytes > LARGE;
        drop(self.less.wait_timeout_while(bytes, BACKLOG_WAIT, |bytes| *bytes > LARGE));
        was_large
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        // A number is valid even if a thread panicked with the lock held.
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut bytes = self.backlog.lock();
        *bytes -= self.bytes;
        // Only the crossing of the limit can end a wait.
        if *bytes <= LARGE && *bytes + self.bytes > LARGE {
            self.backlog.less.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_large_backlog_is_waited_for() {
        let backlog = Arc::new(Backlog::default());
        let most = backlog.add(LARGE - OVERHEAD);
        assert!(!backlog.wait_while_large());
        let one_more = backlog.add(0);
        let (sender, receiver) = channel();
        let shared = Arc::clone(&backlog);
        let waiter = thread::spawn(move || sender.send(shared.wait_while_large()).unwrap());
        assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err());
        drop(one_more);
        assert!(receiver.recv_timeout(Duration::from_secs(20)).unwrap());
        waiter.join().unwrap();
        drop(most);
        assert_eq!(*backlog.lock(), 0);
    }

    #[test]
    fn nothing_is_waited_for_without_end() {
        let backlog = Arc::new(Backlog::default());
        let _large = backlog.add(2 * LARGE);
        assert!(backlog.wait_while_large());
    }
}
