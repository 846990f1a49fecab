//! The engines of a session by what they are there for, and what each of them was asked.

use super::task::Task;
use super::{Effect, Session};

/// What an engine is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It plays for this player.
    Player(usize),
    /// It analyses the position shown, and gives hints.
    Analyst,
    /// It looks through the game.
    Reviewer,
}

impl Role {
    pub const ALL: [Role; 4] = [Role::Player(0), Role::Player(1), Role::Analyst, Role::Reviewer];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Move(u64),
    /// To analyse the position of this number, by the order of the second.
    Analysis(u64, u64),
    Review(usize),
}

impl Asked {
    /// Returns true unless it is about a position after more than so many moves of the game.
    pub(super) fn is_of_first(self, moves: usize) -> bool {
        !matches!(self, Asked::Review(after) if after > moves)
    }
}

pub(super) struct Slot {
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
        // Counted over all engines, so that no answer is taken for that of another one.
        self.task += 1;
        let number = self.task;
        let asked = asked.map(|asked| (number, asked));
        *self.slot_mut(role) = Some(Slot { program, asked, is_thinking: false });
        self.effects.push(Effect::Give { role, program, number, task });
    }

    pub(super) fn cancel(&mut self, role: Role) {
        if self.slot(role).is_some() {
            self.clear_task(role);
            self.effects.push(Effect::Cancel(role));
        }
    }

    /// Ends the engine of a role where that is another program.
    pub(super) fn dismiss_other(&mut self, role: Role, program: usize) {
        if self.slot(role).is_some_and(|slot| slot.program != program) {
            self.dismiss(role);
        }
    }

    /// Lets the engine of a role leave in its own time.
    pub(super) fn dismiss(&mut self, role: Role) {
        if self.slot_mut(role).take().is_some() {
            self.effects.push(Effect::Dismiss(role));
        }
    }

    pub(super) fn dismiss_all(&mut self) {
        Role::ALL.into_iter().for_each(|role| self.dismiss(role));
    }
}
