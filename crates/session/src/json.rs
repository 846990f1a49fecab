//! The JSON of a game and its review: one shape for the board's page, the page of a finished review
//! and `tengen analyze --json`. Points are names such as `h8`, shares have four decimal places.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use tengen_gomoku::record::tree::{NodeId, Step};
use tengen_gomoku::record::{Outcome, Record};
use tengen_gomoku::types::{Color, Coord, Rule};

use crate::game::GameEnd;
use crate::review::annotation::is_review_line;
use crate::review::verdict::{Severity, Verdict};
use crate::review::{Finding, Line, Review, Summary, Value};

/// Returns a share of games, with four decimal places.
fn share(share: f64) -> Box<RawValue> {
    RawValue::from_string(format!("{share:.4}")).expect("invariant: a share is a number")
}

/// Returns the names of points.
pub fn names<'a>(points: impl IntoIterator<Item = &'a Coord>) -> Vec<String> {
    points.into_iter().map(Coord::to_string).collect()
}

/// Serializes points, or the point that there may be, as a list of names.
pub(crate) fn as_names<'a, P, S: Serializer>(
    points: &'a P,
    serializer: S,
) -> Result<S::Ok, S::Error>
where
    &'a P: IntoIterator<Item = &'a Coord>,
{
    names(points).serialize(serializer)
}

/// Adds the score, or the plies to the five, and the win rate.
fn add_value<M: SerializeMap>(map: &mut M, value: Value) -> Result<(), M::Error> {
    match value {
        Value::Estimate { score: Some(score), .. } => map.serialize_entry("score", &score)?,
        Value::Estimate { score: None, .. } => {}
        Value::Win(plies) => map.serialize_entry("win_in", &plies)?,
        Value::Loss(plies) => map.serialize_entry("loss_in", &plies)?,
    }
    map.serialize_entry("win_rate", &share(value.win_rate()))
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        add_value(&mut map, *self)?;
        map.end()
    }
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let pv = names(&self.moves);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("best", &pv[0])?;
        add_value(&mut map, self.value)?;
        map.serialize_entry("pv", &pv)?;
        map.serialize_entry("depth", &self.depth)?;
        map.end()
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let played = self.played.map_or("pass".to_owned(), |c| c.to_string());
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("by", &self.color.to_string())?;
        map.serialize_entry("move", &played)?;
        map.serialize_entry("best", &self.best.to_string())?;
        map.serialize_entry("win_rate_before", &share(self.before))?;
        map.serialize_entry("win_rate_after", &share(self.after))?;
        map.serialize_entry("verdict", &self.to_string())?;
        map.serialize_entry("is_best", &self.is_best)?;
        map.serialize_entry("severity", &self.marked_severity().map(Severity::name))?;
        map.serialize_entry("marks", &self.marks())?;
        map.end()
    }
}

impl Serialize for GameEnd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let winner = match self.outcome() {
            Outcome::Won(color) => color.to_string(),
            Outcome::Drawn => "draw".to_owned(),
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("over", &winner)?;
        map.serialize_entry("text", &self.to_string())?;
        map.serialize_entry("five", &names(&self.five()))?;
        map.end()
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Finding::Evaluated(evaluation) => evaluation.best.serialize(serializer),
            Finding::Over(ending) => GameEnd::Stones(ending.clone(), 0).serialize(serializer),
        }
    }
}

impl Serialize for Summary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("moves", &self.moves)?;
        map.serialize_entry("best", &self.best)?;
        for (severity, count) in Severity::ALL.into_iter().zip(self.bad) {
            map.serialize_entry(severity.name(), &count)?;
        }
        map.serialize_entry("missed_wins", &self.missed_wins)?;
        map.serialize_entry("allowed_wins", &self.allowed_wins)?;
        map.serialize_entry("average_loss", &share(self.average_loss()))?;
        map.end()
    }
}

/// A position, the move that led to it, and what was found.
#[derive(Serialize)]
pub struct ReviewedPosition<'a> {
    to_move: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<Verdict>,
    #[serde(flatten)]
    finding: &'a Finding,
}

impl<'a> ReviewedPosition<'a> {
    /// Returns a position in which `to_move` moves.
    pub fn new(to_move: Color, played: Option<Verdict>, finding: &'a Finding) -> Self {
        ReviewedPosition { to_move: to_move.to_string(), played, finding }
    }
}

#[derive(Serialize)]
struct CommentedPosition<'a> {
    #[serde(flatten)]
    position: ReviewedPosition<'a>,
    #[serde(skip_serializing_if = "String::is_empty")]
    comment: String,
}

/// A review, finished or not: what it found about each side and each position.
#[derive(Serialize)]
pub struct ReviewedGame<'a> {
    /// True while positions are looked at.
    pub running: bool,
    /// The number of positions that were looked at.
    pub done: usize,
    total: usize,
    /// The moves of black and white.
    summary: BTreeMap<&'static str, Summary>,
    /// The positions, null where nothing was found.
    positions: Vec<Option<CommentedPosition<'a>>>,
}

impl<'a> ReviewedGame<'a> {
    /// Returns the finished review of the positions at these nodes.
    pub fn new(review: &'a Review, nodes: impl IntoIterator<Item = NodeId>) -> ReviewedGame<'a> {
        let position = |node| {
            let (finding, to_move) = review.finding_and_side(node)?;
            let position = ReviewedPosition::new(to_move, review.verdict(node), finding);
            let comment = review.tree.notes(node).map_or("", |notes| &notes.comment);
            let lines: Vec<&str> = comment.lines().filter(|line| !is_review_line(line)).collect();
            Some(CommentedPosition { position, comment: lines.join("\n") })
        };
        let positions: Vec<_> = nodes.into_iter().map(position).collect();
        let total = positions.len();
        ReviewedGame { running: false, done: total, total, summary: summary(review), positions }
    }
}

/// Returns what the moves of each side were worth.
pub fn summary(review: &Review) -> BTreeMap<&'static str, Summary> {
    ["black", "white"].into_iter().zip(review.summaries()).collect()
}

/// A stone.
#[derive(Serialize)]
struct Stone {
    at: String,
    color: String,
    /// Milliseconds that its player thought.
    time: u128,
}

impl From<&tengen_gomoku::record::Stone> for Stone {
    fn from(stone: &tengen_gomoku::record::Stone) -> Stone {
        let (at, color) = (stone.c.to_string(), stone.color.to_string());
        Stone { at, color, time: stone.time.as_millis() }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Move {
    Stone(Stone),
    Pass {
        color: String,
    },
    /// All stones of a position that is set up within a game.
    SetUp {
        stones: Vec<Stone>,
    },
}

/// The moves of a game.
#[derive(Serialize)]
pub struct GameMoves {
    size: [u8; 2],
    rule: &'static str,
    /// Stones that stood before the first move.
    set_up: Vec<Stone>,
    moves: Vec<Move>,
}

impl GameMoves {
    fn new(record: &Record, rule: Rule, set_up: usize) -> GameMoves {
        let (set_up, moves) = record.stones().split_at(set_up);
        GameMoves {
            size: [record.size().width(), record.size().height()],
            rule: rule.name(),
            set_up: set_up.iter().map(Stone::from).collect(),
            moves: moves.iter().map(|stone| Move::Stone(stone.into())).collect(),
        }
    }

    /// Returns the moves of a record, with their times.
    pub fn of(record: &Record, rule: Rule) -> GameMoves {
        GameMoves::new(record, rule, record.stones().len() - record.moves().len())
    }

    /// Returns what leads from each of these positions of a game, at least one, to the next.
    pub fn between(review: &Review, nodes: &[NodeId]) -> GameMoves {
        let tree = &review.tree;
        let first = tree.record(nodes[0]);
        let step = |&node: &NodeId| match tree.step(node).filter(|_| tree.setup(node).is_none()) {
            Some(Step::Stone(color, c)) => {
                Move::Stone(Stone { at: c.to_string(), color: color.to_string(), time: 0 })
            }
            Some(Step::Pass(color)) => Move::Pass { color: color.to_string() },
            None => {
                Move::SetUp { stones: tree.record(node).stones().iter().map(Stone::from).collect() }
            }
        };
        let moves = nodes[1..].iter().map(step).collect();
        GameMoves { moves, ..GameMoves::new(&first, review.rule, first.stones().len()) }
    }
}
