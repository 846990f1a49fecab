//! What an engine can be asked, and what it tells.
//!
//! Plain data.

use std::time::Duration;

use tengen::types::Coord;

use super::super::position::Position;
use super::process::Fault;
use super::thinking::Thinking;

/// The time that a move may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    pub turn: Duration,
    /// For the game, and what is left of it, if that is limited.
    pub game: Option<(Duration, Duration)>,
    /// What each move adds to the game's time.
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
        blocked: Vec<Coord>,
        /// How long; until it is cancelled if `None`.
        time: Option<Duration>,
    },
    /// The next step of a swap2 opening.
    Swap2 {
        /// The stones of the opening: none, three or five.
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

#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// Its name, and whether it knows the commands of analysis.
    Name(String, bool),
    /// It has been asked for a move: from now on it thinks.
    Asked,
    /// What it thinks of its task so far.
    Thinking(Thinking),
    /// Its answer, and after how long.
    Answer(Answer, Duration),
    Said(String),
    /// What went wrong. The task is begun anew, unless this is the end of it.
    Fault {
        fault: Fault,
        /// True if the task is given up.
        gives_up: bool,
    },
}

/// What an engine's task of the runtime is told.
pub enum Order {
    /// Think about this, by its number, instead of whatever there is.
    Do(u64, Task),
    MoveNow,
    Cancel,
}
