//! Faults on demand, for tests: the fault that `TENGEN_FAULT` names occurs, in builds with debug
//! assertions only. `scripts/check.sh` checks that a release does not even contain the name.

use std::env;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InjectedFault {
    SearchStart,
    EarlyPanic,
    /// A thread panics at its first check of limits.
    LatePanic,
    HelperStart,
    /// Memory suffices for one bucket of the transposition table.
    Table,
    /// A search ignores stop and clock, for a second each time.
    Deaf,
    /// A move without a limit has a second, so that tests wait for less.
    ShortTurn,
}

/// Returns true if this fault occurs now. `TENGEN_FAULT` is the name of a fault, such as `Table`,
/// or a name and a number of times, such as `Table 2`.
pub fn is_injected(fault: InjectedFault) -> bool {
    static DEMAND: LazyLock<Option<(String, AtomicU64)>> = LazyLock::new(|| {
        let text = env::var("TENGEN_FAULT").ok()?;
        let (name, times) = text.split_once(' ').unwrap_or((&text, ""));
        Some((name.to_owned(), times.parse().unwrap_or(u64::MAX).into()))
    });
    if !cfg!(debug_assertions) {
        return false;
    }
    let Some((name, times)) = &*DEMAND else { return false };
    let fewer = |times: u64| times.checked_sub(1);
    *name == format!("{fault:?}") && times.fetch_update(Relaxed, Relaxed, fewer).is_ok()
}
