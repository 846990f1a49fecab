//! What pages are shown, as JSON: plain data, and how thoughts are made into it. The session fills
//! it in.

use crate::game::GameEnd;
use crate::json::GameMoves;
use crate::swap2::Stage;
use serde::Serialize;
use tengen_gomoku::types::Color;

use super::EngineInfo;
use super::command::Settings;
use super::study::Analysis;
use super::task::{Line, Thinking};

#[derive(Serialize)]
pub struct Player {
    pub name: String,
    pub engine: Option<usize>,
    /// Milliseconds left, where the game is limited.
    pub left: Option<u128>,
    pub acts: bool,
    pub is_timed: bool,
}

#[derive(Serialize)]
pub struct Swap2 {
    pub stage: Stage,
    pub is_person: bool,
    pub name: String,
}

/// Everything but thoughts and reviews.
#[derive(Serialize)]
pub struct State<'a> {
    pub id: u64,
    #[serde(flatten)]
    pub game: GameMoves,
    pub shown: usize,
    pub to_move: String,
    pub forbidden: Vec<String>,
    pub over: Option<GameEnd>,
    /// True if moves would be lost with the game.
    pub unsaved: bool,
    pub running: bool,
    pub may_play: bool,
    pub players: [Player; 2],
    pub swap2: Option<Swap2>,
    pub(super) engines: &'a [EngineInfo],
    pub settings: Settings,
    #[serde(flatten)]
    pub(super) analysis: &'a Analysis,
    /// True if that analysis has come to its end by itself.
    pub is_analysis_over: bool,
}

/// What an engine thinks of the position of this number.
#[derive(Serialize)]
pub struct Thought {
    pub id: u64,
    to_move: String,
    engine: String,
    #[serde(flatten)]
    thinking: Thinking,
}

impl Thought {
    pub fn new(thinking: &Thinking, id: u64, to_move: Color, engine: &str) -> Thought {
        // While the numbers of an iteration come, a move may have two places.
        let is_first = |&(i, line): &(usize, &Line)| {
            thinking.lines[..i].iter().all(|other| other.moves.first() != line.moves.first())
        };
        let lines = thinking.lines.iter().enumerate().filter(is_first);
        let lines = lines.map(|(_, line)| line.clone()).collect();
        let thinking = Thinking { lines, ..thinking.clone() };
        Thought { id, to_move: to_move.to_string(), engine: engine.to_owned(), thinking }
    }
}

#[derive(Default, Serialize)]
pub struct Thoughts {
    /// By the analysis of the position shown, which may be stopped.
    pub analysis: Option<Thought>,
    /// By black and white about their last moves or the next.
    pub players: [Option<Thought>; 2],
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Note {
    pub from: String,
    pub text: String,
    pub is_fault: bool,
}
