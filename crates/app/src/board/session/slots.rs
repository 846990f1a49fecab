//! The engines of a session by what they are there for, and what each of them was asked.

use super::super::engine::{Engine, Task};
use super::Session;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Player(usize),
    /// It analyses the position shown, and gives hints.
    Analyst,
    Reviewer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sender {
    pub role: Role,
    pub program: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// To play in the position of this number.
    Move(u64),
    /// To analyse the position of this number, by the order of the second.
    Analysis(u64, u64),
    /// To look at the position after so many moves.
    Review(usize),
}

impl Asked {
    /// Returns true unless it is about a position after more than so many moves of the game.
    pub(super) fn is_of_first(self, moves: usize) -> bool {
        !matches!(self, Asked::Review(after) if after > moves)
    }
}

pub(super) struct Slot {
    pub(super) engine: Engine,
    pub(super) program: usize,
    /// Its task, as far as anybody waits for that.
    pub(super) asked: Option<(u64, Asked)>,
    /// True once it thinks about the move that is its task. Before that it may have to be started.
    pub(super) is_thinking: bool,
}

impl Session {
    pub(super) fn slot(&self, role: Role) -> Option<&Slot> {
        match role {
            Role::Player(player) => self.players[player].as_ref(),
            Role::Analyst => self.analyst.as_ref(),
            Role::Reviewer => self.reviewer.as_ref(),
        }
    }

    pub(super) fn slot_mut(&mut self, role: Role) -> &mut Option<Slot> {
        match role {
            Role::Player(player) => &mut self.players[player],
            Role::Analyst => &mut self.analyst,
            Role::Reviewer => &mut self.reviewer,
        }
    }

    pub(super) fn clear_task(&mut self, role: Role) {
        if let Some(slot) = self.slot_mut(role) {
            slot.asked = None;
        }
    }

    /// Gives the engine of a role a task, and starts it if need be.
    pub(super) fn give(&mut self, role: Role, program: usize, task: Task, asked: Option<Asked>) {
        self.dismiss_other(role, program);
        let slot = self.slot_mut(role).take();
        let mut slot = slot.unwrap_or_else(|| self.started(role, program));
        // Counted over all engines, so that no answer is taken for that of another one.
        self.task += 1;
        slot.engine.give(self.task, task);
        slot.asked = asked.map(|asked| (self.task, asked));
        slot.is_thinking = false;
        *self.slot_mut(role) = Some(slot);
    }

    /// Ends the engine of a role where that is another program.
    pub(super) fn dismiss_other(&mut self, role: Role, program: usize) {
        if self.slot(role).is_some_and(|slot| slot.program != program) {
            self.dismiss(role);
        }
    }

    /// Returns the new engine of a role.
    fn started(&mut self, role: Role, program: usize) -> Slot {
        let others = match role {
            Role::Player(_) => Vec::new(),
            // One of them may have the database open still.
            Role::Analyst | Role::Reviewer => std::mem::take(&mut self.leaving),
        };
        let (sender, reports) = (Sender { role, program }, self.reports.clone());
        let engine = Engine::start(self.programs[program].clone(), sender, reports, others);
        Slot { engine, program, asked: None, is_thinking: false }
    }

    /// Lets the engine of a role leave in its own time.
    pub(super) fn dismiss(&mut self, role: Role) {
        if let Some(slot) = self.slot_mut(role).take() {
            self.leaving.retain(|end| !end.is_finished());
            self.leaving.push(tokio::spawn(slot.engine.end()));
        }
    }

    /// Lets all engines leave in their own time.
    pub(super) fn dismiss_all(&mut self) {
        for role in [Role::Player(0), Role::Player(1), Role::Analyst, Role::Reviewer] {
            self.dismiss(role);
        }
    }
}
