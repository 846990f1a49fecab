//! The state that a running search shares with the thread that asked for it.
//!
//! The calling thread may change the limits on time, nodes and depth and set the stop flag at any
//! moment; the search publishes its depth and its best move.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU16, AtomicU64, Ordering};

use tengen_gomoku::types::Coord;

use super::clock::Budget;
use super::limits::Limits;
use crate::parallel::lock;
use crate::time::{Duration, Instant};

/// The shared state of the searches of one decision (several if moves are forced).
#[derive(Debug)]
pub struct Control {
    pub start: Instant,
    budget: Mutex<Option<Budget>>,
    /// Limits of every search of the decision, beside its own.
    node_limit: AtomicU64,
    depth_limit: AtomicI32,
    depth: AtomicI32,
    nodes: AtomicU64,
    stopped: AtomicBool,
    best: AtomicU16,
    is_committed: AtomicBool,
}

impl Control {
    pub fn new(start: Instant, budget: Option<Budget>) -> Control {
        Control {
            start,
            budget: Mutex::new(budget),
            node_limit: AtomicU64::new(u64::MAX),
            depth_limit: AtomicI32::new(i32::MAX),
            depth: AtomicI32::new(0),
            nodes: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            best: AtomicU16::new(0),
            is_committed: AtomicBool::new(false),
        }
    }

    pub fn untimed() -> Control {
        Control::new(Instant::now(), None)
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    pub fn budget(&self) -> Option<Budget> {
        *lock(&self.budget)
    }

    pub fn soft(&self) -> Option<Duration> {
        self.budget()?.soft
    }

    pub fn hard(&self) -> Option<Duration> {
        self.budget().map(|budget| budget.hard)
    }

    pub fn set_budget(&self, budget: Option<Budget>) {
        *lock(&self.budget) = budget;
    }

    pub fn drop_soft_limit(&self) {
        self.set_budget(self.hard().map(|hard| Budget { soft: None, hard }));
    }

    pub fn set_limits(&self, limits: &Limits) {
        self.node_limit.store(limits.nodes, Ordering::Relaxed);
        self.depth_limit.store(limits.depth, Ordering::Relaxed);
    }

    pub fn node_limit(&self) -> u64 {
        self.node_limit.load(Ordering::Relaxed)
    }

    /// Sets the depth of the last finished iteration, 0 before the first.
    pub fn set_depth(&self, depth: i32) {
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
            assert_eq!(control.budget().map(Budget::planned), soft.or(control.hard()));
        }
        control.publish(Coord::new(7, 9));
        control.stop();
        assert_eq!((control.best(), control.must_stop()), (Some(Coord::new(7, 9)), true));
    }

    #[test]
    fn a_late_depth_limit_counts_the_iterations_of_the_search_that_runs() {
        let control = Control::untimed();
        control.set_depth(9);
        control.set_depth(0);
        control.set_limits(&Limits { depth: 5, ..Limits::default() });
        assert!(!control.must_stop());
        control.set_depth(5);
        assert!(control.must_stop() && !control.is_stopped());
        control.set_depth(0);
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
