//! The engines of a session by what they are there for, and the task that each of them has.

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

impl Role {
    pub const ALL: [Role; 4] = [Role::Player(0), Role::Player(1), Role::Analyst, Role::Reviewer];
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
    players: [Option<EngineSlot>; 2],
    analyst: Option<EngineSlot>,
    reviewer: Option<EngineSlot>,
    /// The number of the last task, counted over all engines, so that no answer is taken for that
    /// of another one.
    last_task: u64,
}

impl Engines {
    pub(super) fn get(&self, role: Role) -> Option<&EngineSlot> {
        match role {
            Role::Player(player) => self.players[player].as_ref(),
            Role::Analyst => self.analyst.as_ref(),
            Role::Reviewer => self.reviewer.as_ref(),
        }
    }

    fn slot(&mut self, role: Role) -> &mut Option<EngineSlot> {
        match role {
            Role::Player(player) => &mut self.players[player],
            Role::Analyst => &mut self.analyst,
            Role::Reviewer => &mut self.reviewer,
        }
    }

    pub(super) fn get_mut(&mut self, role: Role) -> Option<&mut EngineSlot> {
        self.slot(role).as_mut()
    }

    /// Returns the task that the engine of a role has.
    pub(super) fn pending(&self, role: Role) -> Option<PendingTask> {
        self.get(role)?.pending.map(|(_, task)| task)
    }

    pub(super) fn clear_task(&mut self, role: Role) {
        if let Some(slot) = self.get_mut(role) {
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
        *self.engines.slot(role) = Some(EngineSlot { program, pending, is_thinking: false });
        self.effects.push(Effect::Give { role, program, number, task });
    }

    pub(super) fn cancel(&mut self, role: Role) {
        if self.engines.get(role).is_some() {
            self.engines.clear_task(role);
            self.effects.push(Effect::Cancel(role));
        }
    }

    /// Ends the engine of a role where that is another program.
    pub(super) fn dismiss_other(&mut self, role: Role, program: usize) {
        if self.engines.get(role).is_some_and(|slot| slot.program != program) {
            self.dismiss(role);
        }
    }

    /// Lets the engine of a role leave in its own time.
    pub(super) fn dismiss(&mut self, role: Role) {
        if self.engines.slot(role).take().is_some() {
            self.effects.push(Effect::Dismiss(role));
        }
    }

    pub(super) fn dismiss_all(&mut self) {
        Role::ALL.into_iter().for_each(|role| self.dismiss(role));
    }
}
