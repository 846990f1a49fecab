//! What an engine can be asked, and what it tells.

use std::time::Duration;

use serde::Serialize;
use tengen_gomoku::record::Record;
use tengen_gomoku::types::{BoardSize, Color, Coord, Rule};

use crate::json::as_names;
use crate::review::Value;

/// A position as engines are asked about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    pub size: BoardSize,
    pub rule: Rule,
    /// All stones, in turns of black and white as far as there is such an order.
    pub stones: Vec<(Coord, Color)>,
    pub to_move: Color,
}

impl Position {
    pub fn of(record: &Record, rule: Rule) -> Position {
        let stones = record.alternating().unwrap_or_else(|| {
            // Engines take the owner of the first stone for black.
            let mut stones = record.stones().to_vec();
            stones.sort_by_key(|stone| stone.color == Color::White);
            stones
        });
        Position {
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

/// The time that a move may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    pub turn: Duration,
    /// For the game, and what is left of it, if that is limited.
    pub game: Option<(Duration, Duration)>,
    pub increment: Duration,
}

impl TimeControl {
    /// Returns the most that this move may take.
    pub fn most(&self) -> Duration {
        self.game.map_or(self.turn, |(_, left)| left.min(self.turn))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Nothing yet: be ready for a game of this kind.
    Prepare(Position),
    Move {
        position: Position,
        time: TimeControl,
        /// How strong, from 0 to 100.
        level: u8,
    },
    Analyse {
        position: Position,
        lines: usize,
        /// Those that are left out.
        blocked: Vec<Coord>,
        /// How long; until it is cancelled if `None`.
        time: Option<Duration>,
    },
    /// The next step of a swap2 opening.
    Swap2 {
        position: Position,
        time: TimeControl,
        /// How strong, from 0 to 100.
        level: u8,
    },
}

impl Task {
    pub fn position(&self) -> &Position {
        match self {
            Task::Prepare(position)
            | Task::Move { position, .. }
            | Task::Analyse { position, .. }
            | Task::Swap2 { position, .. } => position,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Ready,
    /// One free cell or several.
    Points(Vec<Coord>),
    Swap,
}

/// A line of play that begins with a move of the side to move.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Line {
    /// The moves, at least one.
    #[serde(rename = "pv", serialize_with = "as_names")]
    pub moves: Vec<Coord>,
    /// What they are worth, where the engine tells.
    #[serde(flatten)]
    pub value: Option<Value>,
    /// The same as the engine wrote it.
    pub text: String,
    /// Plies.
    pub depth: u32,
}

/// What is known of a running or finished search.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Thinking {
    /// The best lines, the best one first.
    pub lines: Vec<Line>,
    /// Plies.
    pub depth: u32,
    /// Plies of the longest line looked at.
    pub selective_depth: u32,
    pub nodes: u64,
    /// Nodes a second.
    pub speed: u64,
    /// Milliseconds.
    pub time: u64,
    /// The move that is looked at now.
    #[serde(serialize_with = "as_names")]
    pub searching: Option<Coord>,
    /// The moves that have been looked at in this iteration.
    #[serde(serialize_with = "as_names")]
    pub done: Vec<Coord>,
    #[serde(serialize_with = "as_names")]
    pub losing: Vec<Coord>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// Its name, and whether it knows the commands of analysis.
    Name(String, bool),
    /// It has been asked for a move: from now on it thinks.
    Asked,
    Thinking(Thinking),
    Answer(Answer, Duration),
    /// Something for people to read.
    Said(String),
    /// What went wrong. The task is begun anew, unless this is the end of it.
    Fault {
        fault: String,
        gives_up: bool,
    },
}
