//! The engines of a session: what each is there for, what it can be asked, what it tells, and what
//! those that play do to the game.

use std::mem::take;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tengen_gomocup::manager::{Fault, MoveTime};
use tengen_gomoku::record::Record;
use tengen_gomoku::record::tree::NodeId;
use tengen_gomoku::types::{BoardSize, Color, Coord, Rule};

use super::thinking::Thinking;
use super::{Effect, Session};
use crate::opening::{Choice, Opening, OpeningState, Stage, are_symmetric};
use crate::review::Value;

/// How often an engine may fail at a task before it is given up.
pub const TRIES: usize = 3;
/// The least time between two reports of what an engine thinks.
pub const THINKING_GAP: Duration = Duration::from_millis(60);

/// A position as engines are asked about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineQuery {
    pub size: BoardSize,
    pub rule: Rule,
    /// All stones, alternating from black if the counts and the order of the moves allow it.
    pub stones: Vec<(Coord, Color)>,
    pub to_move: Color,
}

impl EngineQuery {
    pub fn of(record: &Record, rule: Rule) -> EngineQuery {
        let stones = record.alternating().unwrap_or_else(|| {
            // Engines take the owner of the first stone for black.
            let mut stones = record.stones().to_vec();
            stones.sort_by_key(|stone| stone.color == Color::White);
            stones
        });
        EngineQuery {
            size: record.size(),
            rule,
            stones: stones.iter().map(|stone| (stone.c, stone.color)).collect(),
            to_move: record.to_move(),
        }
    }

    pub fn is_empty(&self, c: Coord) -> bool {
        self.stones.iter().all(|&(stone, _)| stone != c)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Begin this task and drop any other one. Its number comes back with each event.
    Do(u64, Task),
    MoveNow,
    /// End the task without an answer.
    Cancel,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    pub position: EngineQuery,
    pub kind: TaskKind,
    pub resources: EngineResources,
}

/// The resources that an engine may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EngineResources {
    pub threads: u64,
    /// In MiB.
    pub memory: u64,
}

/// The style that prefers neither attack nor defence.
pub const NEUTRAL: u8 = 50;

/// How many of the best moves an engine is asked for in an opening of renju.
const OPENING_LINES: usize = 20;

/// How an engine plays: level and style from 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manner {
    pub level: u8,
    pub style: u8,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskKind {
    // Nothing yet: be ready for a game of this kind.
    Prepare,
    Move(MoveTime, Manner),
    // The next step of a swap2 opening.
    Swap2(MoveTime, Manner),
    // Until it is cancelled, if there is no time.
    Analyse { lines: usize, excluded: Vec<Coord>, time: Option<Duration> },
}

/// What an engine reports while it works on a task.
#[derive(Clone, Debug, PartialEq)]
pub enum EngineEvent {
    // Its name, and whether it knows the commands of analysis.
    Name(String, bool),
    // It has been asked for a move: from now on it thinks.
    Asked,
    Thinking(Thinking),
    // Free cells, none for `SWAP`, and the time that it took.
    Answer(Vec<Coord>, Duration),
    Said(String),
    // What went wrong. The task is begun anew, unless this is the end of it.
    Fault { fault: Fault, gives_up: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Player(usize),
    /// It analyses the position shown, and gives hints.
    Analyst,
    Reviewer,
}

impl Role {
    pub const ALL: [Role; 4] = [Role::Player(0), Role::Player(1), Role::Analyst, Role::Reviewer];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PendingTask {
    /// A move in the position of this number.
    Move(u64),
    /// The analysis of the position of this number, by the request of the second.
    Analysis(u64, u64),
    Review(NodeId),
}

pub(super) struct EngineSlot {
    pub(super) program: usize,
    pub(super) first_task: u64,
    /// Its task and the number of that, until the answer has come or is not needed any more.
    pub(super) pending: Option<(u64, PendingTask)>,
    /// True once it searches for the move that is its task. Before that it may have to be started.
    pub(super) is_thinking: bool,
}

impl Session {
    pub(super) fn pending(&self, role: Role) -> Option<PendingTask> {
        self.slots.get(&role)?.pending.map(|(_, task)| task)
    }

    /// Gives the engine of a role a task, and starts it if need be.
    pub(super) fn give(
        &mut self,
        role: Role,
        program: usize,
        task: Task,
        pending: Option<PendingTask>,
    ) {
        self.dismiss_other(role, program);
        self.last_task += 1;
        let number = self.last_task;
        let pending = pending.map(|task| (number, task));
        let first_task = self.slots.get(&role).map_or(number, |slot| slot.first_task);
        let slot = EngineSlot { program, first_task, pending, is_thinking: false };
        if self.slots.insert(role, slot).is_none() {
            self.effects.push(Effect::Start(role, program));
        }
        self.effects.push(Effect::Tell(role, Order::Do(number, task)));
    }

    pub(super) fn cancel(&mut self, role: Role) {
        if let Some(slot) = self.slots.get_mut(&role) {
            slot.pending = None;
            self.effects.push(Effect::Tell(role, Order::Cancel));
        }
    }

    pub(super) fn dismiss_other(&mut self, role: Role, program: usize) {
        if self.slots.get(&role).is_some_and(|slot| slot.program != program) {
            self.dismiss(role);
        }
    }

    pub(super) fn dismiss(&mut self, role: Role) {
        if self.slots.remove(&role).is_some() {
            self.effects.push(Effect::Dismiss(role));
        }
    }

    /// Starts the engines that are going to play, so that their first move is not kept waiting.
    pub(super) fn prepare(&mut self) {
        for player in 0..2 {
            let Some(program) = self.seat(player) else { continue };
            if self.pending(Role::Player(player)).is_none() {
                let (position, resources) = (self.position(), self.resources());
                let task = Task { position, kind: TaskKind::Prepare, resources };
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
            match (actor == Some(player), self.pending(Role::Player(player))) {
                (true, Some(PendingTask::Move(id))) if id == self.id => {}
                (true, _) => {
                    let task = self.task(player, program);
                    let pending = PendingTask::Move(self.id);
                    self.give(Role::Player(player), program, task, Some(pending));
                }
                (false, Some(_)) => self.cancel(Role::Player(player)),
                (false, None) => {}
            }
        }
    }

    fn task(&self, player: usize, program: usize) -> Task {
        let left = self.clock.left(player, self.now);
        let time = MoveTime {
            turn: self.settings.turn(),
            game: self.clock.limit.zip(left),
            increment: self.clock.increment,
        };
        let mut manner = self.settings.manner(player);
        if !self.programs[program].command.is_empty() {
            manner.style = NEUTRAL;
        }
        let kind = match self.game.opening_state {
            None => TaskKind::Move(time, manner),
            Some(opening_state) if opening_state.rule == Opening::Swap2 => {
                TaskKind::Swap2(time, manner)
            }
            Some(opening_state) => {
                let (game, record) = (&self.game, self.game.record_shown());
                let is_out = |&c: &Coord| record.is_empty(c) && game.check_move(c).is_err();
                let excluded =
                    game.size().cells().filter(|c| opening_state.is_placing() && is_out(c));
                // There is one first move; several steps have to fit into a game's time.
                let left = if record.moves().is_empty() { Some(Duration::ZERO) } else { left };
                let time = left.map_or(time.turn, |left| time.turn.min(left / 20));
                TaskKind::Analyse {
                    lines: OPENING_LINES,
                    excluded: excluded.collect(),
                    time: Some(time.max(Duration::from_millis(50))),
                }
            }
        };
        Task { position: self.position(), kind, resources: self.resources() }
    }

    /// Plays what an engine answers in the position shown.
    pub(super) fn take_move(&mut self, points: &[Coord], time: Duration) {
        let Some(player) = self.actor() else { return };
        self.clock.run(Some(player), self.now);
        let mut used = time;
        let (choice, points) = match self.game.opening_state {
            Some(opening_state) if opening_state.rule != Opening::Swap2 => {
                self.next_step(opening_state, points)
            }
            // There is no choice where stones are to be placed.
            opening_state => (opening_state.and(Choice::of(points.len())), points.to_vec()),
        };
        if let Some(choice) = choice {
            let _ = self.decide(choice);
        }
        for c in points {
            // Several stones took the time together.
            if let Err(refusal) = self.game.place(c, take(&mut used)) {
                self.note(None, refusal.into(), true);
            }
        }
        self.end_step(time);
        if self.game.opening_state.is_none() && !self.keeps_moves() {
            self.game.promote();
        }
        self.moves_changed();
    }

    /// Returns what an engine chooses in an opening of renju, or the stones that it places, offers or
    /// takes: a level move, black's best ones, or the worst of those.
    fn next_step(
        &self,
        opening_state: OpeningState,
        points: &[Coord],
    ) -> (Option<Choice>, Vec<Coord>) {
        let (game, stones) = (&self.game, self.game.shown());
        let thought = self.thoughts.players[game.color(game.to_act())].as_ref();
        let thought = thought.filter(|thought| thought.id == self.id);
        let lines = thought.map_or(&[][..], |thought| &thought.thinking.lines).iter();
        let lines = lines.map(|line| (line.moves[0], line.value.map(Value::win_rate)));
        let mut cells: Vec<Coord> = game.size().cells().collect();
        cells.sort_by_key(|c| c.distance(game.size().center()));
        let others = points.iter().chain(&cells).map(|&c| (c, None));
        let mut moves: Vec<(Coord, Option<f64>)> = Vec::new();
        for (c, rate) in lines.chain(others) {
            let is_symmetric = |&(other, _): &_| are_symmetric(&game.moves()[..stones], other, c);
            let is_allowed = !opening_state.is_placing() || game.check_move(c).is_ok();
            if is_allowed && !moves.iter().any(is_symmetric) {
                moves.push((c, rate));
            }
        }
        let rates: Vec<f64> = moves.iter().filter_map(|&(_, rate)| rate).collect();
        match opening_state.stage {
            Stage::Swap | Stage::Number => {
                return (Some(opening_state.best_choice(&rates, stones)), Vec::new());
            }
            Stage::Offer => {}
            // What an analysis leaves out loses.
            Stage::Take => moves.reverse(),
            _ => {
                let distance = |rate: Option<f64>| rate.map_or(1.0, |rate| (rate - 0.5).abs());
                moves.sort_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
                // Which opening it is, is left to chance.
                let chance = if stones < 3 { self.now.subsec_micros() as usize } else { 0 };
                moves.drain(..chance % rates.len().clamp(1, 8));
            }
        }
        let count = if opening_state.stage == Stage::Offer { opening_state.fifths } else { 1 };
        (None, moves.into_iter().map(|(c, _)| c).take(count).collect())
    }
}
