//! The engines of a session by what they are there for, and the task that each of them has.

use std::collections::HashMap;

use super::task::Task;
use super::{Effect, Session};

/// What an engine is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It plays for this player.
    Player(usize),
    /// It analyses the position shown, and gives hints.
    Analyst,
    /// It reviews the game.
    Reviewer,
}

/// A task that an engine has not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PendingTask {
    /// A move in the position of this number.
    Move(u64),
    /// The analysis of the position of this number, by the request of the second.
    Analysis(u64, u64),
    /// The review of the position after so many moves.
    Review(usize),
}

/// An engine that runs.
pub(super) struct EngineSlot {
    pub(super) program: usize,
    /// Its task and the number of that, until the answer has come or is not needed any more.
    pub(super) pending: Option<(u64, PendingTask)>,
    /// True once it searches for the move that is its task. Before that it may have to be started.
    pub(super) is_thinking: bool,
}

#[derive(Default)]
pub(super) struct Engines {
    pub(super) slots: HashMap<Role, EngineSlot>,
    /// The number of the last task, counted over all engines, so that no answer is taken for that
    /// of another one.
    last_task: u64,
}

impl Engines {
    /// Returns the task that the engine of a role has.
    pub(super) fn pending(&self, role: Role) -> Option<PendingTask> {
        self.slots.get(&role)?.pending.map(|(_, task)| task)
    }

    pub(super) fn clear_task(&mut self, role: Role) {
        if let Some(slot) = self.slots.get_mut(&role) {
            slot.pending = None;
        }
    }
}

impl Session {
    /// Gives the engine of a role a task, and starts it if need be.
    pub(super) fn give(
        &mut self,
        role: Role,
        program: usize,
        task: Task,
        pending: Option<PendingTask>,
    ) {
        self.dismiss_other(role, program);
        self.engines.last_task += 1;
        let number = self.engines.last_task;
        let pending = pending.map(|task| (number, task));
        let slot = EngineSlot { program, pending, is_thinking: false };
        self.engines.slots.insert(role, slot);
        self.effects.push(Effect::Give { role, program, number, task });
    }

    pub(super) fn cancel(&mut self, role: Role) {
        if self.engines.slots.contains_key(&role) {
            self.engines.clear_task(role);
            self.effects.push(Effect::Cancel(role));
        }
    }

    /// Ends the engine of a role where that is another program.
    pub(super) fn dismiss_other(&mut self, role: Role, program: usize) {
        if self.engines.slots.get(&role).is_some_and(|slot| slot.program != program) {
            self.dismiss(role);
        }
    }

    /// Lets the engine of a role leave in its own time.
    pub(super) fn dismiss(&mut self, role: Role) {
        if self.engines.slots.remove(&role).is_some() {
            self.effects.push(Effect::Dismiss(role));
        }
    }
}
