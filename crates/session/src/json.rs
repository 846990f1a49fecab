//! The JSON of a game and its review: one shape for the board's page, the page of a finished review
//! and `tengen analyze --json`. Points are names such as `h8`, shares have four decimal places.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};
use tengen_gomoku::record::tree::{GameTree, NodeId, Step};
use tengen_gomoku::record::{Ending, Stone};
use tengen_gomoku::types::Color;

use crate::game::GameEnd;
use crate::review::annotation::is_review_line;
use crate::review::verdict::{Severity, Verdict};
use crate::review::{Finding, Line, Review, Summary, Value, share};

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
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("best", &self.moves[0])?;
        add_value(&mut map, self.value)?;
        map.serialize_entry("pv", &self.moves)?;
        map.serialize_entry("depth", &self.depth)?;
        map.end()
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let played = self.played.map_or(json!("pass"), |c| json!(c));
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("by", &self.color)?;
        map.serialize_entry("move", &played)?;
        map.serialize_entry("best", &self.best)?;
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
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("over", &self.outcome().to_string())?;
        map.serialize_entry("by", self.cause())?;
        if let GameEnd::Stones(Ending::Foul(c), _) = self {
            map.serialize_entry("at", c)?;
        }
        map.serialize_entry("text", &self.to_string())?;
        map.serialize_entry("five", &self.five())?;
        map.end()
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Finding::Evaluated { lines, .. } => lines[0].serialize(serializer),
            Finding::Over(ending) => GameEnd::Stones(ending.clone(), 0).serialize(serializer),
        }
    }
}

#[derive(Serialize)]
pub struct ReviewedPosition<'a> {
    pub to_move: Color,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub played: Option<Verdict>,
    #[serde(flatten)]
    pub finding: &'a Finding,
}

/// Returns a finished review of the positions at these nodes as pages show it, with comments.
pub fn reviewed_game(review: &Review, nodes: &[NodeId]) -> Json {
    let position = |&node| {
        let known = review.findings.get(&node)?;
        let mut position = json!(ReviewedPosition {
            to_move: known.to_move,
            played: review.verdict(node),
            finding: &known.finding,
        });
        let comment = review.tree.notes(node).map_or("", |notes| &notes.comment);
        let lines: Vec<&str> = comment.lines().filter(|line| !is_review_line(line)).collect();
        if !lines.is_empty() {
            position["comment"] = lines.join("\n").into();
        }
        Some(position)
    };
    let positions: Vec<Option<Json>> = nodes.iter().map(position).collect();
    let (total, summary) = (nodes.len(), summary(review));
    json!({
        "running": false, "done": total, "total": total, "summary": summary, "positions": positions,
    })
}

pub fn summary(review: &Review) -> BTreeMap<&'static str, Summary> {
    ["black", "white"].into_iter().zip(review.summaries()).collect()
}

/// Returns stones with the milliseconds that their players thought.
pub fn stones(stones: &[Stone]) -> Vec<Json> {
    let of = |stone: &Stone| json!({ "at": stone.c, "color": stone.color, "time": stone.time.as_millis() });
    stones.iter().map(of).collect()
}

/// Returns what leads to the position at a node from the one before: a stone, a pass, or all stones
/// of a position that is set up.
pub fn step(tree: &GameTree, node: NodeId) -> Json {
    match tree.step(node).filter(|_| tree.setup(node).is_none()) {
        Some(Step::Stone(color, c)) => json!({ "at": c, "color": color }),
        Some(Step::Pass(color)) => json!({ "color": color }),
        None => json!({ "stones": stones(tree.record(node).stones()) }),
    }
}
