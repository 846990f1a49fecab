//! What engines that play are asked, and what their answers do to the game.

use std::time::Duration;

use crate::swap2::Choice;

use super::engines::{Answer, PendingTask, Role, Task, Thinking, TimeControl};
use super::show::Thought;
use super::{Session, sentence};

impl Session {
    /// Starts the engines that are going to play, so that their first move is not kept waiting.
    pub(super) fn prepare(&mut self) {
        for player in 0..2 {
            let Some(program) = self.seat(player) else { continue };
            if self.engines.pending(Role::Player(player)).is_none() {
                let task = Task::Prepare(self.position());
                self.give(Role::Player(player), program, task, None);
            }
        }
    }

    pub(super) fn proceed_with_players(&mut self, actor: Option<usize>) {
        for player in 0..2 {
            let Some(program) = self.seat(player) else {
                self.dismiss(Role::Player(player));
                continue;
            };
            self.dismiss_other(Role::Player(player), program);
            match (actor == Some(player), self.engines.pending(Role::Player(player))) {
                (true, Some(PendingTask::Move(id))) if id == self.id => {}
                (true, _) => {
                    let (task, pending) = (self.task(player), PendingTask::Move(self.id));
                    self.give(Role::Player(player), program, task, Some(pending));
                }
                (false, Some(_)) => self.cancel(Role::Player(player)),
                (false, None) => {}
            }
        }
    }

    fn task(&self, player: usize) -> Task {
        let left = self.clock.left(player, self.now);
        let time = TimeControl {
            turn: self.settings.turn(),
            game: self.clock.limit().zip(left),
            increment: self.clock.increment(),
        };
        let (position, level) = (self.position(), self.settings.level);
        match self.game.swap2() {
            Some(_) => Task::Swap2 { position, time, level },
            None => Task::Move { position, time, level },
        }
    }

    pub(super) fn take_players_thought(&mut self, role: Role, id: u64, thinking: &Thinking) {
        let Role::Player(player) = role else { return };
        let Some(program) = self.seat(player) else { return };
        let (color, to_move) = (self.game.color(player), self.game.to_move());
        let thought = Thought::new(thinking, id, to_move, &self.programs[program].name);
        self.thoughts.players[color] = Some(thought);
    }

    /// Plays what an engine answers in the position shown.
    pub(super) fn take_move(&mut self, answer: &Answer, time: Duration) {
        let Some(player) = self.actor() else { return };
        self.clock.run(Some(player), self.now);
        self.clock.charge(Some(time), self.now);
        let points = match answer {
            Answer::Points(points) => points.as_slice(),
            Answer::Swap | Answer::Ready => &[],
        };
        if let (Some(_), Some(choice)) = (self.game.swap2(), Choice::of(points.len())) {
            // There is none where stones are to be placed.
            let _ = self.decide(choice);
        }
        for &c in points {
            if let Err(refusal) = self.game.place(c, time) {
                self.note("Board", &sentence(refusal), true);
            }
        }
        self.moves_changed();
    }
}
