//! Analysis of the position shown, hints, and the review of the game.

use std::time::Duration;

use tengen_gomoku::types::Coord;

use crate::game::Game;
use crate::review::scan::{Scan, only_move};
use crate::review::{Evaluation, Finding, Line};

use super::Session;
use super::engines::{Answer, PendingTask, Position, Role, Task, Thinking};
use super::show::Thought;

const PROGRAM: usize = 0;
/// So many positions without a value, and none with one, end a review.
const UNEVALUATED_MAX: usize = 3;
const HINT: Duration = Duration::from_secs(3);

/// The analysis of the position shown, and hints.
#[derive(Default)]
pub(super) struct Analysis {
    pub(super) is_on: bool,
    pub(super) lines: usize,
    pub(super) blocked: Vec<Coord>,
    pub(super) hinting: bool,
    pub(super) hint: Option<Coord>,
    /// The number of the last request of a page.
    pub(super) request: u64,
    /// The analysis that came to its end by itself.
    pub(super) finished: Option<PendingTask>,
}

impl Analysis {
    /// Returns the task of the analyst for the position of this number.
    pub(super) fn task(&self, id: u64) -> PendingTask {
        PendingTask::Analysis(id, self.request)
    }
}

pub(super) struct Reviewing {
    pub(super) scan: Scan,
    /// The time for each position while the review goes on.
    pub(super) time: Option<Duration>,
    /// What is known so far of the position that is searched.
    thinking: Option<Thinking>,
}

impl Reviewing {
    pub(super) fn new(game: &Game) -> Reviewing {
        Reviewing { scan: Scan::new(game.record(), game.rule()), time: None, thinking: None }
    }
}

impl Session {
    pub(super) fn position(&self) -> Position {
        Position::of(&self.game.record_shown(), self.game.rule())
    }

    pub(super) fn proceed_with_analysis(&mut self) {
        let Analysis { is_on, hinting, .. } = self.analysis;
        let is_wanted = (is_on || hinting) && self.game.end().is_none();
        let wanted = is_wanted.then_some(self.analysis.task(self.id));
        let pending = self.engines.pending(Role::Analyst);
        if wanted == pending || wanted.is_some() && wanted == self.analysis.finished {
            return;
        }
        self.analysis.finished = None;
        match wanted {
            Some(_) => {
                let time = (!is_on).then(|| self.settings.turn().min(HINT));
                let task = Task::Analyse {
                    position: self.position(),
                    lines: if is_on { self.analysis.lines } else { 1 },
                    blocked: self.analysis.blocked.clone(),
                    time,
                };
                self.give(Role::Analyst, PROGRAM, task, wanted);
            }
            None => self.cancel(Role::Analyst),
        }
    }

    pub(super) fn take_thought(&mut self, task: PendingTask, thinking: &Thinking) {
        match task {
            PendingTask::Analysis(id, _) if id == self.id => {
                let name = &self.programs[PROGRAM].name;
                let thought = Thought::new(thinking, id, self.game.to_move(), name);
                if self.analysis.is_on {
                    self.thoughts.analysis = Some(thought);
                }
            }
            PendingTask::Review(_) => self.review.thinking = Some(thinking.clone()),
            PendingTask::Analysis(..) | PendingTask::Move(_) => {}
        }
    }

    /// Takes the end of an analysis in: nothing more can be found, or a hint's time is over.
    pub(super) fn finish_analysis(&mut self, task: PendingTask, answer: &Answer) {
        if task != self.analysis.task(self.id) {
            return;
        }
        let analysis = &mut self.analysis;
        if let (true, Answer::Points(points)) = (analysis.hinting, answer) {
            analysis.hint = points.first().copied();
        }
        analysis.hinting = false;
        // Asked once more it would find the same, or search as long again.
        analysis.finished = analysis.is_on.then_some(task);
    }

    pub(super) fn proceed_with_review(&mut self) {
        let Some(time) = self.review.time else {
            self.dismiss(Role::Reviewer);
            return;
        };
        loop {
            let Some(after) = self.review.scan.next() else {
                self.review.time = None;
                self.dismiss(Role::Reviewer);
                return;
            };
            let pending = PendingTask::Review(after);
            if self.engines.pending(Role::Reviewer) == Some(pending) {
                return;
            }
            if let Some((ending, _)) = self.game.ending_after(after) {
                self.review.scan.add(after, Finding::Over(ending));
                continue;
            }
            self.review.thinking = None;
            let position = Position::of(&self.game.record().after(after), self.game.rule());
            let task = Task::Analyse { position, lines: 1, blocked: Vec::new(), time: Some(time) };
            self.give(Role::Reviewer, PROGRAM, task, Some(pending));
            return;
        }
    }

    pub(super) fn finish_reviewed_position(&mut self, after: usize) {
        let thinking = self.review.thinking.take();
        let best = thinking.as_ref().and_then(|thinking| thinking.lines.first());
        let Some((best, value)) = best.and_then(|line| Some((line, line.value?))) else {
            self.review.scan.skip(after);
            if self.review.scan.unevaluated() >= UNEVALUATED_MAX {
                self.note_of(PROGRAM, "gives no evaluation, and cannot review", true);
                self.review.time = None;
            }
            return;
        };
        let board = self.game.record().after(after).board(self.game.rule());
        let others_lose = only_move(&board) == Some(best.moves[0]);
        let depth = i32::try_from(best.depth).unwrap_or(i32::MAX);
        let best = Line { moves: best.moves.clone(), value, depth };
        let evaluation = Evaluation { best, others: Vec::new(), others_lose };
        self.review.scan.add(after, Finding::Evaluated(evaluation));
    }
}
