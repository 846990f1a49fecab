//! The request being thought about: its search's control, its time, and what cuts it short.
//!
//! Knows how long the loop waits for a search, which may fail to end in time; knows no lines of
//! input. All times are measured from the start that the search itself measures from.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::game::Purpose;
use crate::board::Board;
use crate::opening::swap2;
use crate::search::clock::{Budget, Control, TimeControl};
use crate::search::{Params, TimeParams, fallback_move_outside};
use crate::types::{CellSet, Coord};

/// How long a search that was told to stop may take before the loop answers in its place.
const STOP_GRACE: Duration = Duration::from_millis(20);
/// How long a search may overrun its hard limit before the loop answers: a part of the limit, which
/// leaves most of the reserve to the answer's way to the manager.
const DEADLINE_GRACE: Duration = Duration::from_millis(1);
const DEADLINE_GRACE_MAX: Duration = Duration::from_millis(5);
const DEADLINE_GRACE_DIV: u32 = 200;

/// How late the answers were lately: on a busy machine the loop wakes some time after its deadline,
/// and will again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lateness(Duration);

impl Lateness {
    /// More than this tells of a machine that stood still, not of one that is busy.
    const MAX: Duration = Duration::from_millis(50);

    /// Takes note of how late an answer was. The worst is forgotten by an eighth with each answer.
    pub fn note(&mut self, late: Duration) {
        self.0 = late.min(Lateness::MAX).max(self.0 * 7 / 8);
    }
}

/// The request being thought about.
pub struct Request {
    /// The number of its search.
    pub serial: u64,
    /// What the result is for.
    pub purpose: Purpose,
    /// What the search and the loop share.
    pub control: Arc<Control>,
    /// A move that is sound without any search.
    pub fallback: Option<Coord>,
    /// When it was read.
    pub read_at: Instant,
    /// The burst in which it was read.
    pub burst: u64,
    /// When the loop itself answers.
    pub deadline: Option<Instant>,
    /// What is kept back from its limits besides.
    lateness: Lateness,
    /// True if a later command cuts the search short; settings behind that command wait for it.
    pub is_interrupted: bool,
    params: TimeParams,
    stones: usize,
    free: usize,
}

impl Request {
    /// Returns a request for a move on `board`, outside of `excluded`, whose clock runs since
    /// `start`, without limits and without a search. `lateness` will be kept back from its limits.
    pub fn new(
        board: &Board,
        purpose: Purpose,
        excluded: &CellSet,
        start: Instant,
        read_at: Instant,
        burst: u64,
        lateness: Lateness,
    ) -> Request {
        let control = Arc::new(Control::new(start, None));
        let fallback = fallback_move_outside(board, excluded);
        if let Some(mv) = fallback {
            control.publish(mv);
        }
        Request {
            serial: 0,
            purpose,
            control,
            fallback,
            read_at,
            burst,
            deadline: None,
            lateness,
            is_interrupted: false,
            params: Params::of(board.rule()).time,
            stones: board.stone_count(),
            free: board.empty_count(),
        }
    }

    /// Sets the time limits, measured from the start of the search.
    pub fn set_budget(&mut self, time: TimeControl) {
        let budget = time.budget(&self.params, self.stones, self.free);
        let budget = match self.purpose {
            Purpose::Move | Purpose::Defence | Purpose::Balance(..) => budget,
            Purpose::Swap2 | Purpose::Soosorv(_) => Some(swap2::budget(budget)),
        };
        let budget = budget.map(|budget| budget.less(self.lateness.0));
        self.control.set_budget(budget);
        if self.control.is_stopped() {
            return;
        }
        // A limit that lies in the past already still leaves the search a moment to notice.
        self.deadline = budget.and_then(|budget| deadline(self.control.start(), budget));
        self.deadline = self.deadline.map(|at| at.max(Instant::now() + DEADLINE_GRACE));
    }

    /// Returns how long ago the loop should have answered.
    pub fn lateness(&self) -> Duration {
        self.deadline.map_or(Duration::ZERO, |deadline| deadline.elapsed())
    }

    /// Tells the search to end now, because a command waits for it.
    pub fn interrupt(&mut self) {
        self.is_interrupted = true;
        self.stop();
    }

    /// Tells the search to end now.
    pub fn stop(&mut self) {
        self.control.stop();
        let soon = Instant::now() + STOP_GRACE;
        self.deadline = Some(self.deadline.map_or(soon, |deadline| deadline.min(soon)));
    }
}

/// Returns when the loop answers in the place of a search that ignores its hard limit.
fn deadline(start: Instant, budget: Budget) -> Option<Instant> {
    let grace = (budget.hard / DEADLINE_GRACE_DIV).clamp(DEADLINE_GRACE, DEADLINE_GRACE_MAX);
    start.checked_add(budget.hard + grace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lateness_fades_and_has_a_limit() {
        let ms = Duration::from_millis;
        let mut lateness = Lateness::default();
        lateness.note(ms(8));
        assert_eq!(lateness, Lateness(ms(8)));
        lateness.note(ms(0));
        assert_eq!(lateness, Lateness(ms(7)));
        lateness.note(ms(10_000));
        assert_eq!(lateness, Lateness(Lateness::MAX));
    }
}
