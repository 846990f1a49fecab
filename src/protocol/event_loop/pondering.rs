//! The search in the opponent's time: what is searched, and whether that is still what is wanted.
//!
//! Knows tasks and controls, and neither the game nor the search thread.

use std::sync::Arc;

use super::super::task::SearchTask;
use crate::board::zobrist::Key;
use crate::search::control::Control;
use crate::search::{Blocked, Limits};

/// A search in the opponent's time.
pub struct Pondering {
    control: Arc<Control>,
    position: Key,
    limits: Limits,
    blocked: Blocked,
}

impl Pondering {
    /// Returns the pondering of a task that begins now.
    pub fn new(task: &SearchTask) -> Pondering {
        Pondering {
            control: Arc::new(Control::untimed()),
            position: task.board.key(),
            limits: task.limits,
            blocked: task.blocked.clone(),
        }
    }

    /// Returns the control that the search runs with.
    pub fn control(&self) -> Arc<Control> {
        Arc::clone(&self.control)
    }

    /// Returns true if this search is of the same position, within the same limits and without the
    /// same moves as the task.
    pub fn is_of(&self, task: &SearchTask) -> bool {
        let SearchTask { board, limits, blocked, .. } = task;
        (self.position, &self.limits, &self.blocked) == (board.key(), limits, blocked)
    }

    /// Tells the search to end now.
    pub fn stop(&self) {
        self.control.stop();
    }
}
