//! The times of the protocol. Those of a search are planned in `search::clock`.

use std::time::Duration;

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// A line at most this much later than the one before belongs to the same batch.
pub const BATCH_GAP: Duration = ms(20);
/// The same for END and the end of input.
pub const BATCH_GAP_END: Duration = ms(100);
/// A line this much later than a request or a task is no part of its script.
pub const SCRIPT_SPAN: Duration = ms(200);

/// The time for a move if no limit was ever sent.
pub const DEFAULT_TURN: Duration = ms(5_000);
/// How long a stopped search may take before the loop answers in its place.
pub const STOP_GRACE: Duration = ms(20);
/// A longer delay of an answer comes from a machine that stood still, not from a busy one.
pub const LATENESS_MAX: Duration = ms(50);
/// An analysis reports its time and nodes after so long a silence.
pub const TICK: Duration = ms(1_000);
/// Root moves are announced from this time of a search on: before, nobody could follow.
pub const FIRST_ROOT_MOVE: Duration = ms(200);

/// How long the reader waits at most for a smaller backlog: an END after many lines is still seen.
pub const BACKLOG_WAIT: Duration = ms(1_000);
/// How long the end may wait until the database has what the searches found. It counts as time for
/// the last answers, too.
pub const STORING_GRACE: Duration = ms(300);
/// How long the program may be stuck once the reader has read its end: first the loop, until it
/// receives the end, then the writer. This is the time at a late end, where nobody waits for
/// answers.
pub const GRACE_LATE: Duration = ms(60);
/// The same at the END of a script, whose answers may be read a little late. It is less than the
/// half second that managers grant a program to leave; one manager waits for ever.
pub const GRACE_SCRIPT: Duration = ms(400);
/// The same at the end of a script without END, whose answers may be read later. Even so a full
/// pipe does not hold the program for ever.
pub const GRACE_INPUT: Duration = ms(10_000);

/// Returns how long a search may overrun its hard limit before the loop answers in its place. Most
/// of the reserve is left to the answer's way to the manager.
pub fn overrun(hard: Duration) -> Duration {
    (hard / 200).clamp(OVERRUN_MIN, 5 * OVERRUN_MIN)
}

/// The least overrun.
pub const OVERRUN_MIN: Duration = ms(1);
