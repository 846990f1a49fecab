//! The state that a running search shares with the thread that asked for it.
//!
//! The calling thread may change the limits on time, nodes and depth and set the stop flag at any
//! moment; the search publishes its depth and its best move. All but the start is atomic, so that
//! no thread waits for another.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU16, AtomicU64, Ordering};

use tengen_gomoku::types::Coord;

use super::clock::Budget;
use super::limits::Limits;
use crate::time::{Duration, Instant};

/// The shared state of the searches of one decision (several if moves are forced).
#[derive(Debug)]
pub struct Control {
    start: Instant,
    soft: AtomicU64,
    hard: AtomicU64,
    node_limit: AtomicU64,
    /// Of every search of the decision.
    decision_node_limit: AtomicU64,
    /// Set while a search runs; `i32::MAX` for none.
    depth_limit: AtomicI32,
    depth: AtomicI32,
    nodes: AtomicU64,
    stopped: AtomicBool,
    best: AtomicU16,
    is_committed: AtomicBool,
}

const NO_LIMIT: u64 = u64::MAX;

impl Control {
    pub fn new(start: Instant, budget: Option<Budget>) -> Control {
        let control = Control {
            start,
            soft: AtomicU64::new(NO_LIMIT),
            hard: AtomicU64::new(NO_LIMIT),
            node_limit: AtomicU64::new(NO_LIMIT),
            decision_node_limit: AtomicU64::new(NO_LIMIT),
            depth_limit: AtomicI32::new(i32::MAX),
            depth: AtomicI32::new(0),
            nodes: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            best: AtomicU16::new(0),
            is_committed: AtomicBool::new(false),
        };
        control.set_budget(budget);
        control
    }

    pub fn untimed() -> Control {
        Control::new(Instant::now(), None)
    }

    pub fn start(&self) -> Instant {
        self.start
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    pub fn soft(&self) -> Option<Duration> {
        load(&self.soft)
    }

    pub fn hard(&self) -> Option<Duration> {
        load(&self.hard)
    }

    /// Returns the soft limit, or the hard one if that is earlier; `None` without a time limit.
    pub fn planned(&self) -> Option<Duration> {
        self.hard().map(|hard| Budget { soft: self.soft(), hard }.planned())
    }

    pub fn set_budget(&self, budget: Option<Budget>) {
        let store = |to: &AtomicU64, time: Option<Duration>| {
            to.store(time.map_or(NO_LIMIT, nanoseconds), Ordering::Relaxed);
        };
        store(&self.soft, budget.and_then(|budget| budget.soft));
        store(&self.hard, budget.map(|budget| budget.hard));
    }

    /// Sets node and depth limits of every search of the decision, beside its own.
    pub fn set_limits(&self, limits: &Limits) {
        self.decision_node_limit.store(limits.nodes, Ordering::Relaxed);
        self.depth_limit.store(limits.depth, Ordering::Relaxed);
    }

    pub fn begin_search(&self, limits: &Limits) {
        self.node_limit.store(limits.nodes, Ordering::Relaxed);
        self.depth.store(0, Ordering::Relaxed);
    }

    pub fn node_limit(&self) -> u64 {
        let decision = self.decision_node_limit.load(Ordering::Relaxed);
        self.node_limit.load(Ordering::Relaxed).min(decision)
    }

    pub fn finish_iteration(&self, depth: i32) {
        self.depth.store(depth, Ordering::Relaxed);
    }

    pub fn count(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Ordering::Relaxed);
    }

    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Reads the clock.
    pub fn must_stop(&self) -> bool {
        let depth = self.depth.load(Ordering::Relaxed);
        self.is_stopped()
            || depth >= self.depth_limit.load(Ordering::Relaxed)
            || self.hard().is_some_and(|hard| self.elapsed() >= hard)
    }

    /// Makes `mv` the move to play if nothing better comes, unless one is
    /// [committed](Control::commit).
    pub fn publish(&self, mv: Coord) {
        if !self.is_committed.load(Ordering::Relaxed) {
            self.best.store(mv.index() as u16, Ordering::Relaxed);
        }
    }

    /// Makes `mv` the move to play, whatever is published later: further searches are of positions
    /// after it.
    pub fn commit(&self, mv: Coord) {
        self.publish(mv);
        self.is_committed.store(true, Ordering::Relaxed);
    }

    pub fn best(&self) -> Option<Coord> {
        match self.best.load(Ordering::Relaxed) {
            0 => None,
            index => Some(Coord::from_index(index as usize)),
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(NO_LIMIT).min(NO_LIMIT - 1)
}

fn load(time: &AtomicU64) -> Option<Duration> {
    match time.load(Ordering::Relaxed) {
        NO_LIMIT => None,
        nanoseconds => Some(Duration::from_nanos(nanoseconds)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn control_sees_new_budgets_stops_and_moves() {
        let control = Control::untimed();
        assert_eq!((control.hard(), control.best(), control.must_stop()), (None, None, false));
        control.set_budget(Some(Budget { soft: None, hard: ms(0) }));
        assert!(control.must_stop() && !control.is_stopped());
        for soft in [Some(ms(7)), None] {
            control.set_budget(Some(Budget { soft, hard: ms(3_600_000) }));
            assert_eq!((control.soft(), control.must_stop()), (soft, false));
            assert_eq!(control.planned(), soft.or(control.hard()));
        }
        control.publish(Coord::new(7, 9));
        control.stop();
        assert_eq!((control.best(), control.must_stop()), (Some(Coord::new(7, 9)), true));
    }

    #[test]
    fn a_late_depth_limit_counts_the_iterations_of_the_search_that_runs() {
        let control = Control::untimed();
        control.finish_iteration(9);
        control.begin_search(&Limits::default());
        control.set_limits(&Limits { depth: 5, ..Limits::default() });
        assert!(!control.must_stop());
        control.finish_iteration(5);
        assert!(control.must_stop() && !control.is_stopped());
        control.begin_search(&Limits::default());
        assert!(!control.must_stop());
    }

    #[test]
    fn a_committed_move_stays() {
        let control = Control::untimed();
        control.publish(Coord::new(7, 9));
        control.commit(Coord::new(3, 4));
        control.publish(Coord::new(1, 1));
        assert_eq!(control.best(), Some(Coord::new(3, 4)));
    }
}
