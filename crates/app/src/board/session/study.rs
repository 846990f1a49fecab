//! Analysis of the position shown, hints, and the review of the game.

use std::time::Duration;

use tengen::record::{Ending, Outcome};
use tengen::types::Color;

use super::super::engine::{Answer, Task, Thinking};
use super::super::review::Judgement;
use super::super::view::Thought;
use super::Session;
use super::slots::{Asked, Role};

const PROGRAM: usize = 0;
/// So many positions without a value, and none with one, end a review.
const VAIN_MAX: usize = 3;
const HINT: Duration = Duration::from_secs(3);

impl Session {
    pub(super) fn proceed_with_analysis(&mut self) {
        let is_wanted = (self.analysing || self.hinting) && self.game.over().is_none();
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
                    position: self.game.position(),
                    lines: if self.analysing { self.lines } else { 1 },
                    blocked: self.blocked.clone(),
                    time,
                };
                self.end_analyst_without_database();
                self.give(Role::Analyst, PROGRAM, task, wanted);
            }
            None => {
                if let Some(slot) = &mut self.analyst {
                    slot.engine.cancel();
                    slot.asked = None;
                }
            }
        }
    }

    /// Ends the analyst if it has no database although the reviewer has left it. Before a new one
    /// starts, stores whether the reviewer has the database.
    fn end_analyst_without_database(&mut self) {
        let is_taken = self.programs[PROGRAM].database.is_some() && self.reviewer.is_some();
        if self.is_analyst_without_database && !is_taken {
            self.dismiss(Role::Analyst);
        }
        if self.analyst.is_none() {
            self.is_analyst_without_database = is_taken;
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
            if let Some(ending) = self.game.ending_after(after) {
                self.review.judge(after, of_ending(&ending), false);
                continue;
            }
            self.look = None;
            let is_free = self.reviewer.is_none() && !self.analysing && !self.hinting;
            if is_free && self.programs[PROGRAM].database.is_some() {
                // It is open in one process at a time.
                self.dismiss(Role::Analyst);
            }
            let position = self.game.position_after(after);
            let task = Task::Analyse { position, lines: 1, blocked: Vec::new(), time: Some(time) };
            self.give(Role::Reviewer, PROGRAM, task, Some(Asked::Review(after)));
            return;
        }
    }

    /// Takes over what was found of the position after so many moves.
    pub(super) fn finish_look(&mut self, after: usize) {
        let look = self.look.take();
        let best = look.as_ref().and_then(|thinking| thinking.lines.first());
        let Some((best, rate)) = best.and_then(|line| Some((line, line.win_rate?))) else {
            self.review.skip(after);
            if self.review.vain() >= VAIN_MAX {
                self.note_of(PROGRAM, "gives no evaluation, and cannot review", true);
                self.reviewing = None;
            }
            return;
        };
        let to_move = self.game.position_after(after).to_move;
        let black = match to_move {
            Color::Black => rate,
            Color::White => 1.0 - rate,
        };
        let winner = best.is_win().map(|wins| if wins { to_move } else { !to_move });
        let (line, depth) = (best.moves.clone(), best.depth);
        let judgement = Judgement { black, winner, line, depth };
        self.review.judge(after, judgement, self.game.is_forced_after(after));
    }
}

/// Returns the judgement of a position in which the game is over.
fn of_ending(ending: &Ending) -> Judgement {
    let (black, winner) = match ending.outcome() {
        Outcome::Won(Color::Black) => (1.0, Some(Color::Black)),
        Outcome::Won(Color::White) => (0.0, Some(Color::White)),
        Outcome::Drawn => (0.5, None),
    };
    Judgement { black, winner, line: Vec::new(), depth: 0 }
}
