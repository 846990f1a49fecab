//! Faults on demand, for tests: the fault that `TENGEN_FAULT` names occurs.
//!
//! Only builds with debug assertions can be asked for a fault. A release has none of this, and
//! `scripts/check.sh` checks that it does not even hold the name.

/// A fault that a test can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The thread of a search does not start.
    SearchStart,
    /// A search panics before it has done anything.
    EarlyPanic,
    /// A thread of a search panics when it first looks at the limits.
    LatePanic,
    /// A helper of a search does not start.
    HelperStart,
    /// There is no memory for the transposition table but for one bucket.
    Table,
    /// A search ignores the stop and the clock, for a second each time.
    Deaf,
}

/// Ignores everything for a second, as often as [`Fault::Deaf`] is asked for.
pub fn stall() {
    while is_injected(Fault::Deaf) {
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
}

/// Returns true if this fault is to occur now. `TENGEN_FAULT` is the name of a fault, such as
/// `Table`, which occurs every time, or a name and a number, such as `Table 2`: that many times.
pub fn is_injected(fault: Fault) -> bool {
    #[cfg(debug_assertions)]
    return demand::is_injected(fault);
    #[cfg(not(debug_assertions))]
    {
        let _ = fault;
        false
    }
}

#[cfg(debug_assertions)]
mod demand {
    use std::env;
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::Fault;

    /// The name of the fault, and how often it is still to occur.
    static DEMAND: LazyLock<Option<(String, AtomicU64)>> = LazyLock::new(|| {
        let text = env::var("TENGEN_FAULT").ok()?;
        let (name, times) = text.split_once(' ').unwrap_or((&text, ""));
        Some((name.to_owned(), times.parse().unwrap_or(u64::MAX).into()))
    });

    pub fn is_injected(fault: Fault) -> bool {
        let Some((name, times)) = &*DEMAND else { return false };
        let fewer = |times: u64| times.checked_sub(1);
        *name == format!("{fault:?}") && times.fetch_update(Relaxed, Relaxed, fewer).is_ok()
    }
}
