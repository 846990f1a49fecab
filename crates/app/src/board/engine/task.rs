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
    /// For this move.
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

/// Something to think about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Nothing yet: be ready for a game of this kind.
    Prepare(Position),
    /// A move.
    Move {
        /// Where.
        position: Position,
        /// How long.
        time: TimeControl,
        /// How strong, from 0 to 100.
        level: u8,
    },
    /// The best moves.
    Analyse {
        /// Where.
        position: Position,
        /// How many.
        lines: usize,
        /// Those that are left out.
        blocked: Vec<Coord>,
        /// How long; until it is cancelled if `None`.
        time: Option<Duration>,
    },
    /// The next step of a swap2 opening.
    Swap2 {
        /// The stones of the opening: none, three or five.
        position: Position,
        /// How long.
        time: TimeControl,
        /// How strong, from 0 to 100.
        level: u8,
    },
}

impl Task {
    /// Returns where.
    pub fn position(&self) -> &Position {
        match self {
            Task::Prepare(position)
            | Task::Move { position, .. }
            | Task::Analyse { position, .. }
            | Task::Swap2 { position, .. } => position,
        }
    }
}

/// What an engine answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is ready.
    Ready,
    /// One free cell or several.
    Points(Vec<Coord>),
    /// It changes sides.
    Swap,
}

/// What an engine tells.
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
    /// Something for people to read.
    Said(String),
    /// What went wrong. The task is begun anew, unless this is the end of it.
    Fault {
        /// What.
        fault: Fault,
        /// True if the task is given up.
        gives_up: bool,
    },
}

/// What an engine's task of the runtime is told.
pub enum Order {
    /// Think about this, by its number, instead of whatever there is.
    Do(u64, Task),
    /// Answer now.
    MoveNow,
    /// Think no more.
    Cancel,
}
