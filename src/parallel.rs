//! Work in several threads whose results are taken in order: independent of the number of threads.

use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
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

/// Does the work of each number in `threads` threads, and calls `take` with the results in order
/// until it returns false or an error. `worker` makes the function that works in one thread.
/// An error if no thread can be started; a panic of the work is passed on where its result would be
/// taken.
pub fn in_order<T: Send, W: FnMut(u64) -> T, E: From<io::Error>>(
    numbers: Range<u64>,
    threads: usize,
    stack_bytes: usize,
    worker: impl Fn() -> W + Sync,
    mut take: impl FnMut(T) -> Result<bool, E>,
) -> Result<(), E> {
    let take = |result: Option<T>| result.map_or(Ok(true), &mut take);
    in_order_with_ticks(numbers, threads, stack_bytes, worker, Duration::MAX, take)
}

/// Works as [`in_order`], with a tick, which is no result, after each result and each `interval`
/// without one.
pub fn in_order_with_ticks<T: Send, W: FnMut(u64) -> T, E: From<io::Error>>(
    numbers: Range<u64>,
    threads: usize,
    stack_bytes: usize,
    worker: impl Fn() -> W + Sync,
    interval: Duration,
    mut take: impl FnMut(Option<T>) -> Result<bool, E>,
) -> Result<(), E> {
    let Range { start, end } = numbers;
    let next = AtomicU64::new(start);
    // The results that are not taken yet, with their numbers.
    let (finished, has_more) = (Mutex::new(Vec::new()), Condvar::new());
    let run = || {
        let mut work = None;
        let following = |number| (number < end).then(|| number + 1);
        while let Ok(number) = next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, following) {
            let work = || work.get_or_insert_with(&worker)(number);
            let result = catch_unwind(AssertUnwindSafe(work));
            if result.is_err() {
                next.store(end, Ordering::Relaxed);
            }
            lock(&finished).push((number, result));
            has_more.notify_one();
        }
    };
    let mut take_all = || -> Result<(), E> {
        let _end = End { next: &next, end };
        let mut wanted = start;
        while wanted < end {
            let place = |finished: &[(u64, _)]| finished.iter().position(|done| done.0 == wanted);
            let is_missing = |finished: &mut Vec<_>| place(finished).is_none();
            let waited = has_more.wait_timeout_while(lock(&finished), interval, is_missing);
            let mut finished = waited.unwrap_or_else(PoisonError::into_inner).0;
            let result = place(&finished).map(|i| finished.swap_remove(i).1);
            drop(finished);
            if let Some(result) = result {
                wanted += 1;
                let result = result.unwrap_or_else(|panic| resume_unwind(panic));
                if !take(Some(result))? {
                    break;
                }
            }
            if !take(None)? {
                break;
            }
        }
        Ok(())
    };
    let threads = threads.max(1).min(usize::try_from(end - start).unwrap_or(usize::MAX));
    let mut taken = Ok(());
    run_beside(threads, stack_bytes, &run, &mut || taken = take_all())?;
    taken
}

/// Runs `work` in so many threads, or as many as can be started, beside `main`. It is compiled
/// once for all kinds of work.
fn run_beside(
    threads: usize,
    stack_bytes: usize,
    work: &(dyn Fn() + Sync),
    main: &mut dyn FnMut(),
) -> io::Result<()> {
    thread::scope(|scope| {
        for i in 0..threads {
            let builder = thread::Builder::new().name(format!("worker {i}"));
            match builder.stack_size(stack_bytes).spawn_scoped(scope, work) {
                Err(error) if i == 0 => return Err(error),
                Err(_) => break,
                Ok(_) => {}
            }
        }
        main();
        Ok(())
    })
}

/// Begins no further work when it is dropped, by a panic too.
struct End<'a> {
    next: &'a AtomicU64,
    end: u64,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.next.store(self.end, Ordering::Relaxed);
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
    fn ticks_come_after_each_result_and_while_there_is_none() {
        // The work waits for two ticks.
        let gate = Mutex::new(());
        let mut closed = Some(gate.lock().unwrap());
        let mut updates = Vec::new();
        let waiting = || |_| drop(gate.lock().unwrap());
        let take = |result: Option<()>| {
            updates.push(result);
            if updates == [None, None] {
                closed = None;
            }
            Ok::<_, io::Error>(true)
        };
        in_order_with_ticks(0..2, 1, 1 << 16, waiting, Duration::from_millis(5), take).unwrap();
        assert_eq!(updates[..2], [None, None]);
        let results: Vec<usize> = (0..updates.len()).filter(|&i| updates[i].is_some()).collect();
        assert_eq!(results.len(), 2);
        assert!(results.into_iter().all(|i| updates[i + 1].is_none()), "{updates:?}");
    }

    #[test]
    fn a_tick_can_end_the_work() {
        let take = |result: Option<()>| Ok::<_, io::Error>(result.is_some());
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
