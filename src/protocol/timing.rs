//! The times of the protocol; `search::clock` plans those of a search.

use std::time::Duration;

use crate::fault::{InjectedFault, is_injected};

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// The largest gap between lines of a batch.
pub const BATCH_GAP: Duration = ms(20);
/// The same before END and the end of input.
pub const BATCH_GAP_END: Duration = ms(100);
/// A line later than this after a request or a task does not belong to its script.
pub const SCRIPT_SPAN: Duration = ms(200);

/// A stopped search may take so long before the loop answers.
pub const STOP_GRACE: Duration = ms(20);
/// A longer delay of an answer comes from a suspended machine, not a busy one.
pub const LATENESS_MAX: Duration = ms(50);
/// Silence after which an analysis reports time and nodes.
pub const TICK: Duration = ms(1_000);
/// Root moves are announced from this time on: before, nobody could follow.
pub const FIRST_ROOT_MOVE: Duration = ms(200);

/// Longest wait of the reader for a smaller backlog, so that it still reads END.
pub const BACKLOG_WAIT: Duration = ms(1_000);
/// Longest wait at the end for the database, during which answers are written too.
pub const STORING_GRACE: Duration = ms(300);
/// How long the last answers may wait for the writer if END or the end of input came late.
pub const GRACE_LATE: Duration = ms(60);
/// The same at the END of a script. Most managers wait half a
/// second for the program to exit; c-gomoku-cli waits without limit.
pub const GRACE_SCRIPT: Duration = ms(400);
/// The same at the end of a script without END, when answers may be read later.
pub const GRACE_INPUT: Duration = ms(10_000);

/// Returns the time of a move without a limit.
pub fn default_turn() -> Duration {
    if is_injected(InjectedFault::ShortTurn) { ms(1_000) } else { ms(5_000) }
}

/// Returns how long a search may overrun its hard limit before the loop answers. Most of the
/// reserve is left to the answer's way to the manager.
pub fn overrun(hard: Duration) -> Duration {
    (hard / 200).clamp(OVERRUN_MIN, 5 * OVERRUN_MIN)
}

pub const OVERRUN_MIN: Duration = ms(1);
