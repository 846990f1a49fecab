//! What pages are shown, as JSON: plain data, and how thoughts are made into it. The session fills
//! it in.

use serde::Serialize;
use tengen::opening::swap2_procedure;
use tengen::types::{Color, Coord};

use super::command::Settings;
use super::engine::{Line, Thinking};

pub type Point = [u8; 2];

/// Returns a cell as pages know it.
pub fn point(c: Coord) -> Point {
    [c.x(), c.y()]
}

/// Returns cells as pages know them.
pub fn points(cells: &[Coord]) -> Vec<Point> {
    cells.iter().copied().map(point).collect()
}

pub fn color(color: Color) -> &'static str {
    match color {
        Color::Black => "black",
        Color::White => "white",
    }
}

#[derive(Serialize)]
pub struct Stone {
    pub at: Point,
    pub color: &'static str,
    /// Milliseconds that its player thought.
    pub time: u128,
}

#[derive(Serialize)]
pub struct Player {
    pub name: String,
    /// The number of its engine, if it is one.
    pub engine: Option<usize>,
    /// Milliseconds left, where the game is limited.
    pub left: Option<u128>,
    pub acts: bool,
    pub is_timed: bool,
}

#[derive(Serialize)]
pub struct Engine {
    pub name: String,
    /// True if it can be asked for several lines, and blocked moves; unknown before it ran.
    pub can_analyse: Option<bool>,
}

#[derive(Serialize)]
#[serde(remote = "swap2_procedure::Stage", rename_all = "snake_case")]
enum Stage {
    PlaceThree,
    ChooseOfThree,
    PlaceTwo,
    ChooseOfFive,
}

/// A swap2 opening that is being played.
#[derive(Serialize)]
pub struct Swap2 {
    #[serde(with = "Stage")]
    pub stage: swap2_procedure::Stage,
    /// True if a person is to do it.
    pub is_person: bool,
    pub name: String,
}

#[derive(Serialize)]
pub struct Over {
    pub text: String,
    pub five: Vec<Point>,
}

/// Everything but thoughts and reviews.
#[derive(Serialize)]
pub struct State {
    pub id: u64,
    pub size: Point,
    pub rule: &'static str,
    /// Stones that stood before the first move.
    pub set_up: Vec<Stone>,
    pub moves: Vec<Stone>,
    /// How many of them are shown.
    pub shown: usize,
    /// Who moves next in the position shown.
    pub to_move: &'static str,
    pub forbidden: Vec<Point>,
    /// How the game ended, if it is over in the position shown.
    pub over: Option<Over>,
    /// True if moves would be lost with the game.
    pub unsaved: bool,
    /// True if the players play, false in a pause.
    pub running: bool,
    /// True if a page may play a move now.
    pub may_play: bool,
    pub players: [Player; 2],
    pub swap2: Option<Swap2>,
    pub engines: Vec<Engine>,
    pub settings: Settings,
    pub analysing: bool,
    /// True if that analysis has come to its end by itself.
    pub is_analysis_over: bool,
    /// The number of lines of an analysis.
    pub lines: usize,
    pub blocked: Vec<Point>,
    /// True while a hint is thought about.
    pub hinting: bool,
    pub hint: Option<Point>,
}

#[derive(Serialize)]
pub struct ThoughtLine {
    pub moves: Vec<Point>,
    /// As the engine wrote it.
    pub value: String,
    /// The share of games that the side to move wins.
    pub win_rate: Option<f64>,
    pub depth: u32,
}

#[derive(Serialize)]
pub struct Thought {
    pub id: u64,
    pub to_move: &'static str,
    pub engine: String,
    pub lines: Vec<ThoughtLine>,
    pub depth: u32,
    /// Plies of the longest line looked at.
    pub selective_depth: u32,
    pub nodes: u64,
    /// Nodes a second.
    pub speed: u64,
    /// Milliseconds.
    pub time: u64,
    /// The move that is looked at now.
    pub searching: Option<Point>,
    /// Moves that have been looked at.
    pub done: Vec<Point>,
    pub losing: Vec<Point>,
}

impl Thought {
    /// Returns what an engine of this name thinks of the position of this number.
    pub fn new(thinking: &Thinking, id: u64, to_move: Color, engine: &str) -> Thought {
        let line = |line: &Line| ThoughtLine {
            moves: points(&line.moves),
            value: line.value.map_or(String::new(), |value| value.to_string()),
            win_rate: line.win_rate,
            depth: line.depth,
        };
        // While the numbers of an iteration come, a move may have two places.
        let is_first = |&(i, line): &(usize, &Line)| {
            thinking.lines[..i].iter().all(|other| other.moves.first() != line.moves.first())
        };
        let lines = thinking.lines.iter().enumerate().filter(is_first);
        Thought {
            id,
            to_move: color(to_move),
            engine: engine.to_owned(),
            lines: lines.map(|(_, of)| line(of)).collect(),
            depth: thinking.depth,
            selective_depth: thinking.selective_depth,
            nodes: thinking.nodes,
            speed: thinking.speed,
            time: thinking.time,
            searching: thinking.searching.map(point),
            done: points(&thinking.done),
            losing: points(&thinking.losing),
        }
    }
}

/// What is thought just now.
#[derive(Default, Serialize)]
pub struct Thoughts {
    /// By the analysis of the position shown, which may be stopped.
    pub analysis: Option<Thought>,
    /// By black and white about their last moves or the next.
    pub players: [Option<Thought>; 2],
}

/// What a review found of a position.
#[derive(Serialize)]
pub struct Judgement {
    /// The share of games that black wins.
    pub black: f64,
    pub line: Vec<Point>,
    pub depth: u32,
    /// How bad the move is that comes next, as `Severity` names it.
    pub mistake: Option<&'static str>,
}

#[derive(Default, Serialize)]
pub struct Review {
    pub running: bool,
    pub done: usize,
    pub total: usize,
    /// The positions, after no move, after one and so on.
    pub positions: Vec<Option<Judgement>>,
}

#[derive(Serialize)]
pub struct Note {
    pub from: String,
    pub text: String,
    pub is_fault: bool,
}
