//! Analysis of the position shown, hints, and the review of the game.

use std::time::Duration;

use crate::review::scan::only_move;
use crate::review::{Evaluation, Finding, Line};

use super::Session;
use super::slots::{Asked, Role};
use super::task::{Answer, Position, Task, Thinking};
use super::view::Thought;

const PROGRAM: usize = 0;
/// So many positions without a value, and none with one, end a review.
const UNEVALUATED_MAX: usize = 3;
const HINT: Duration = Duration::from_secs(3);

impl Session {
    pub(super) fn position(&self) -> Position {
        Position::of(&self.game.record_shown(), self.game.rule())
    }

    pub(super) fn proceed_with_analysis(&mut self) {
        let is_wanted = (self.analysing || self.hinting) && self.game.end().is_none();
        let wanted = is_wanted.then_some(Asked::Analysis(self.id, self.order));
        let asked = self.analyst.as_ref().and_then(|slot| slot.asked).map(|(_, asked)| asked);
        if wanted == asked || wanted.is_some() && wanted == self.finished {
            return;
        }
        self.finished = None;
        match wanted {
            Some(_) => {
                let time = (!self.analysing).then(|| self.settings.turn().min(HINT));
                let task = Task::Analyse {
                    position: self.position(),
                    lines: if self.analysing { self.lines } else { 1 },
                    blocked: self.blocked.clone(),
                    time,
                };
                self.give(Role::Analyst, PROGRAM, task, wanted);
            }
            None => self.cancel(Role::Analyst),
        }
    }

    pub(super) fn take_thought(&mut self, asked: Asked, thinking: &Thinking) {
        match asked {
            Asked::Analysis(id, _) if id == self.id => {
                let name = &self.known[PROGRAM].name;
                let thought = Thought::new(thinking, id, self.game.to_move(), name);
                if self.analysing {
                    self.thoughts.analysis = Some(thought);
                }
            }
            Asked::Review(_) => self.look = Some(thinking.clone()),
            Asked::Analysis(..) | Asked::Move(_) => {}
        }
    }

    /// Takes the end of an analysis in: nothing more can be found, or a hint's time is over.
    pub(super) fn finish_analysis(&mut self, asked: Asked, answer: &Answer) {
        if asked != Asked::Analysis(self.id, self.order) {
            return;
        }
        if let (true, Answer::Points(points)) = (self.hinting, answer) {
            self.hint = points.first().copied();
        }
        self.hinting = false;
        // Asked once more it would find the same, or search as long again.
        self.finished = self.analysing.then_some(asked);
    }

    pub(super) fn proceed_with_review(&mut self) {
        let Some(time) = self.reviewing else {
            self.dismiss(Role::Reviewer);
            return;
        };
        let asked = self.reviewer.as_ref().and_then(|slot| slot.asked);
        loop {
            let Some(after) = self.review.next() else {
                self.reviewing = None;
                self.dismiss(Role::Reviewer);
                return;
            };
            if asked.is_some_and(|(_, asked)| asked == Asked::Review(after)) {
                return;
            }
            if let Some((ending, _)) = self.game.ending_after(after) {
                self.review.add(after, Finding::Over(ending));
                continue;
            }
            self.look = None;
            let position = Position::of(&self.game.record().after(after), self.game.rule());
            let task = Task::Analyse { position, lines: 1, blocked: Vec::new(), time: Some(time) };
            self.give(Role::Reviewer, PROGRAM, task, Some(Asked::Review(after)));
            return;
        }
    }

    pub(super) fn finish_look(&mut self, after: usize) {
        let look = self.look.take();
        let best = look.as_ref().and_then(|thinking| thinking.lines.first());
        let Some((best, value)) = best.and_then(|line| Some((line, line.value?))) else {
            self.review.skip(after);
            if self.review.unevaluated() >= UNEVALUATED_MAX {
                self.note_of(PROGRAM, "gives no evaluation, and cannot review", true);
                self.reviewing = None;
            }
            return;
        };
        let board = self.game.record().after(after).board(self.game.rule());
        let others_lose = only_move(&board) == Some(best.moves[0]);
        let depth = i32::try_from(best.depth).unwrap_or(i32::MAX);
        let best = Line { moves: best.moves.clone(), value, depth };
        let evaluation = Evaluation { best, others: Vec::new(), others_lose };
        self.review.add(after, Finding::Evaluated(evaluation));
    }
}
