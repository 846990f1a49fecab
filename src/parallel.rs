//! Work in several threads whose results are taken in order: independent of the number of threads.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Returns the number of threads that was asked for, or that of the cores.
pub fn threads(asked: Option<u16>) -> usize {
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(cores, usize::from)
}

/// Locks what cannot be left half changed.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update<T> {
    Result(T),
    /// The number of results, also of those ahead of their turn.
    Tick(u64),
}

/// Does the work of each number in `threads` threads, and calls `take` with the results in order
/// until it returns false or an error. `worker` makes the function that works in one thread.
/// An error if no thread can be started; a panic of the work is passed on.
pub fn in_order<T: Send, W: FnMut(u64) -> T, E: From<io::Error>>(
    numbers: Range<u64>,
    threads: usize,
    stack_bytes: usize,
    worker: impl Fn() -> W + Sync,
    mut take: impl FnMut(T) -> Result<bool, E>,
) -> Result<(), E> {
    let take = |update| match update {
        Update::Result(result) => take(result),
        Update::Tick(_) => Ok(true),
    };
    in_order_with_ticks(numbers, threads, stack_bytes, worker, Duration::MAX, take)
}

/// Works as [`in_order`], with an [`Update::Tick`] after each result and each `interval` without
/// one.
pub fn in_order_with_ticks<T: Send, W: FnMut(u64) -> T, E: From<io::Error>>(
    numbers: Range<u64>,
    threads: usize,
    stack_bytes: usize,
    worker: impl Fn() -> W + Sync,
    interval: Duration,
    mut take: impl FnMut(Update<T>) -> Result<bool, E>,
) -> Result<(), E> {
    if numbers.is_empty() {
        return Ok(());
    }
    let Range { start, end } = numbers;
    let next = AtomicU64::new(start);
    let (sender, results) = channel();
    thread::scope(|scope| {
        let count = threads.clamp(1, usize::try_from(end - start).unwrap_or(usize::MAX));
        for i in 0..count {
            let (sender, next, worker) = (sender.clone(), &next, &worker);
            let run = move || {
                let _guard = EndOnPanic { next, end };
                let mut work = worker();
                loop {
                    let number = next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| {
                        (next < end).then(|| next + 1)
                    });
                    let Ok(number) = number else { return };
                    if sender.send((number, work(number))).is_err() {
                        return;
                    }
                }
            };
            let builder = thread::Builder::new().name(format!("worker {i}"));
            match builder.stack_size(stack_bytes).spawn_scoped(scope, run) {
                Err(error) if i == 0 => return Err(error.into()),
                Err(_) => break,
                Ok(_) => {}
            }
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut wanted = start;
        let mut finished = 0;
        let mut take_all = || loop {
            match results.recv_timeout(interval) {
                Ok((number, result)) => {
                    waiting.insert(number, result);
                    finished += 1;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            while let Some(result) = waiting.remove(&wanted) {
                wanted += 1;
                if !take(Update::Result(result))? {
                    return Ok(());
                }
            }
            if !take(Update::Tick(finished))? {
                return Ok(());
            }
        };
        let taken = take_all();
        next.store(end, Ordering::Relaxed);
        // A thread that has a result to send ends too.
        drop(results);
        taken
    })
}

/// Stops all work after a panic: the result of this thread would never come.
struct EndOnPanic<'a> {
    next: &'a AtomicU64,
    end: u64,
}

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.next.store(self.end, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_the_threads() {
        for threads in [1, 2, 7] {
            let mut taken = Vec::new();
            let worker = || {
                |number: u64| {
                    // The even ones take longer.
                    thread::sleep(Duration::from_millis(1 - number % 2));
                    number * number
                }
            };
            let take = |result| {
                taken.push(result);
                Ok::<_, io::Error>(true)
            };
            in_order(3..20, threads, 1 << 16, worker, take).unwrap();
            assert_eq!(taken, (3..20).map(|number| number * number).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn nothing_is_begun_after_the_end() {
        for ends_well in [true, false] {
            let mut taken = 0;
            let take = |_: u64| {
                taken += 1;
                if taken < 5 || ends_well { Ok(taken < 5) } else { Err(io::Error::other("meant")) }
            };
            let result = in_order(0..u64::MAX, 2, 1 << 16, || |number| number, take);
            assert_eq!((taken, result.is_ok()), (5, ends_well));
        }
        let take = |()| Ok::<_, io::Error>(true);
        in_order(4..4, 2, 1 << 16, || |_| panic!("no work"), take).unwrap();
    }

    #[test]
    fn ticks_count_what_is_finished_and_come_while_nothing_is() {
        // The work waits for two ticks.
        let gate = Mutex::new(());
        let mut closed = Some(gate.lock().unwrap());
        let mut updates = Vec::new();
        let waiting = || |_| drop(gate.lock().unwrap());
        let take = |update: Update<()>| {
            updates.push(update);
            if updates == [Update::Tick(0), Update::Tick(0)] {
                closed = None;
            }
            Ok::<_, io::Error>(true)
        };
        in_order_with_ticks(0..2, 1, 1 << 16, waiting, Duration::from_millis(5), take).unwrap();
        assert_eq!(updates[..2], [Update::Tick(0), Update::Tick(0)]);
        let results = updates.iter().filter(|&&update| update == Update::Result(()));
        assert_eq!((results.count(), updates.last()), (2, Some(&Update::Tick(2))));
    }

    #[test]
    fn a_tick_can_end_the_work() {
        let take = |update: Update<()>| Ok::<_, io::Error>(update == Update::Result(()));
        let sleepy = || |_| thread::sleep(Duration::from_millis(1));
        in_order_with_ticks(0..u64::MAX, 2, 1 << 16, sleepy, Duration::MAX, take).unwrap();
    }

    #[test]
    fn a_panic_ends_the_work() {
        let begun = AtomicU64::new(0);
        let worker = || {
            |number: u64| {
                begun.fetch_add(1, Ordering::Relaxed);
                assert!(number != 3, "meant to happen");
                thread::sleep(Duration::from_millis(1));
            }
        };
        let all = || in_order(0..1_000_000, 2, 1 << 16, worker, |()| Ok::<_, io::Error>(true));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(all)).is_err());
        assert!(begun.load(Ordering::Relaxed) < 1_000);
    }
}
