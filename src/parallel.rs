//! Work in several threads whose results are taken in order.
//!
//! Knows nothing of what is worked on. A result never depends on the number of threads as long as
//! the work of a number does not depend on the numbers before it.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::thread;

/// Does the work of each number, and hands the results to `take` in the order of the numbers. Each
/// thread has a worker of its own. Once `take` returns false no further work is begun.
///
/// # Errors
///
/// If no thread can be started.
pub fn in_order<T: Send, W: FnMut(u64) -> T>(
    numbers: Range<u64>,
    threads: usize,
    stack_bytes: usize,
    worker: impl Fn() -> W + Sync,
    mut take: impl FnMut(T) -> bool,
) -> io::Result<()> {
    let Range { start, end } = numbers;
    let next = AtomicU64::new(start);
    let (sender, results) = channel();
    thread::scope(|scope| {
        let count = threads.min(usize::try_from(end - start).unwrap_or(usize::MAX)).max(1);
        for i in 0..count {
            let (sender, next, worker) = (sender.clone(), &next, &worker);
            let run = move || {
                let mut work = worker();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= end || sender.send((number, work(number))).is_err() {
                        return;
                    }
                }
            };
            let builder = thread::Builder::new().name(format!("worker {i}"));
            match builder.stack_size(stack_bytes).spawn_scoped(scope, run) {
                Err(error) if i == 0 => return Err(error),
                // Those that could be started do all of the work.
                Err(_) => break,
                Ok(_) => {}
            }
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut wanted = start;
        for (number, result) in results {
            waiting.insert(number, result);
            while let Some(result) = waiting.remove(&wanted) {
                wanted += 1;
                if !take(result) {
                    next.store(end, Ordering::Relaxed);
                    return Ok(());
                }
            }
        }
        Ok(())
    })
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
                    (0..number % 2 * 1_000).for_each(|_| thread::yield_now());
                    number * number
                }
            };
            let take = |result| {
                taken.push(result);
                true
            };
            in_order(3..20, threads, 1 << 16, worker, take).unwrap();
            assert_eq!(taken, (3..20).map(|number| number * number).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn nothing_is_begun_after_the_end() {
        let mut taken = 0;
        let take = |_: u64| {
            taken += 1;
            taken < 5
        };
        in_order(0..u64::MAX, 2, 1 << 16, || |number| number, take).unwrap();
        assert_eq!(taken, 5);
        in_order(4..4, 2, 1 << 16, || |_| panic!("no work"), |()| true).unwrap();
    }
}
