//! The request being thought about: its search's control, its time, and what cuts it short.
//!
//! Knows how long the loop waits for a search, which may fail to end in time; knows no lines of
//! input. All times are measured from the start that the search itself measures from.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::game::Purpose;
use crate::board::Board;
use crate::opening;
use crate::search::clock::{Budget, Control, TimeControl};
use crate::search::fallback_move_outside;
use crate::types::{CellSet, Coord};

/// How long a search that was told to stop may take before the loop answers in its place.
const STOP_GRACE: Duration = Duration::from_millis(20);
/// How long a search may overrun its hard limit before the loop answers: a part of the reserve.
const DEADLINE_GRACE: Duration = Duration::from_millis(1);
const DEADLINE_GRACE_MAX: Duration = Duration::from_millis(10);

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
    /// True if a later command cuts the search short; settings behind that command wait for it.
    pub is_interrupted: bool,
    stones: usize,
    free: usize,
}

impl Request {
    /// Returns a request for a move on `board`, outside of `excluded`, whose clock runs since `start`, without limits and
    /// without a search.
    pub fn new(
        board: &Board,
        purpose: Purpose,
        excluded: &CellSet,
        start: Instant,
        read_at: Instant,
        burst: u64,
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
            is_interrupted: false,
            stones: board.stone_count(),
            free: board.empty_count(),
        }
    }

    /// Sets the time limits, measured from the start of the search.
    pub fn set_budget(&mut self, time: TimeControl) {
        let budget = time.budget(self.stones, self.free);
        let budget = match self.purpose {
            Purpose::Move | Purpose::Defence => budget,
            Purpose::Swap2 => Some(opening::swap2_budget(budget)),
        };
        self.control.set_budget(budget);
        if self.control.is_stopped() {
            return;
        }
        // A limit that lies in the past already still leaves the search a moment to notice.
        self.deadline = budget.and_then(|budget| deadline(self.control.start(), budget));
        self.deadline = self.deadline.map(|at| at.max(Instant::now() + DEADLINE_GRACE));
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
    let grace = (budget.hard / 100).clamp(DEADLINE_GRACE, DEADLINE_GRACE_MAX);
    start.checked_add(budget.hard + grace)
}
