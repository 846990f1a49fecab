//! Faults on demand, for tests: what `TENGEN_FAULT` names goes wrong.
//!
//! Only builds with debug assertions can be asked for a fault. In a release nothing here does
//! anything, and `scripts/check.sh` sees to it that the name is not even in the program.

/// Something that goes wrong.
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
    /// A search hears neither the stop nor the clock for a second.
    Deaf,
}

/// Returns true if this is to go wrong now. `TENGEN_FAULT` is the name of a fault, such as
/// `Table`, which goes wrong every time, or with a number, such as `Table 2`: that many times.
pub fn strikes(fault: Fault) -> bool {
    #[cfg(debug_assertions)]
    return demand::strikes(fault);
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

    /// What is asked for, and how often it is still to go wrong.
    static DEMAND: LazyLock<Option<(String, AtomicU64)>> = LazyLock::new(|| {
        let text = env::var("TENGEN_FAULT").ok()?;
        let (name, times) = text.split_once(' ').unwrap_or((&text, ""));
        Some((name.to_owned(), times.parse().unwrap_or(u64::MAX).into()))
    });

    pub fn strikes(fault: Fault) -> bool {
        let Some((name, times)) = &*DEMAND else { return false };
        let fewer = |times: u64| times.checked_sub(1);
        *name == format!("{fault:?}") && times.fetch_update(Relaxed, Relaxed, fewer).is_ok()
    }
}
