//! What was found about a position: as text for people, and as a line of JSON for programs.

use std::collections::BTreeMap;
use std::ops::Not;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::input::{Query, SourceGame};
use super::{Cost, Reviewed, value};
use tengen::record::Outcome;
use tengen::search::Report;
use tengen::types::{Color, Coord, Rule};
use tengen_session::review::verdict::{Severity, Verdict};
use tengen_session::review::{Finding, Line, Summary, Value, percent};

/// Returns the lines about a position, and an empty one.
pub(super) fn text(
    query: &Query,
    finding: &Finding,
    cost: Cost,
    played: Option<&Verdict>,
) -> String {
    let (record, rule) = (query.record(), query.game.rule);
    let mut place = query.game.place();
    if query.is_variation() {
        place += ", variation";
    }
    let judged = played.map_or(String::new(), move_text);
    let (to_move, count, size) = (record.to_move(), record.stones().len(), record.size());
    let stones = if count == 1 { "stone" } else { "stones" };
    let head = format!("{place}: {} {size}, {count} {stones}", rule.name());
    match finding {
        Finding::Over(ending) => format!("{head}, {ending}\n{judged}\n"),
        Finding::Evaluated(evaluation) => {
            let seconds = cost.elapsed.as_secs_f64();
            let (depth, nodes) = (evaluation.best.depth, cost.nodes);
            let mut text = format!("{head}, {to_move} to move\n{judged}");
            let mut add = |word, line: &Line| {
                let (pv, words) = (names(&line.moves), value_words(line.value, to_move));
                text += &format!("  {word}  {}, {words}\n  line  {}\n", pv[0], pv.join(" "));
            };
            add("best", &evaluation.best);
            evaluation.others.iter().for_each(|line| add("next", line));
            text + &format!("  depth {depth}, {nodes} nodes, {seconds:.2} s\n\n")
        }
    }
}

/// Returns the line about the move that led to a position.
fn move_text(verdict: &Verdict) -> String {
    let Verdict { color, played, best, before, after, .. } = verdict;
    let played = played.map_or("passes".to_owned(), |c| c.to_string());
    let best = if verdict.is_best { String::new() } else { format!("; best was {best}") };
    let (before, after) = (percent(*before), percent(*after));
    format!("  move  {color} {played}, {verdict}: win rate {before} before, {after} after{best}\n")
}

/// Returns the lines about the moves of a game, and an empty one; nothing if none was judged.
pub(super) fn summary_text(reviewed: &Reviewed) -> String {
    let summaries = reviewed.review.summaries();
    if summaries.iter().all(|summary| summary.moves == 0) {
        return String::new();
    }
    let [black, white] = summaries;
    format!("{}: review\n  black  {black}\n  white  {white}\n\n", reviewed.game.place())
}

/// Returns the line of JSON about the moves of a game; nothing if none was judged.
pub(super) fn summary_json(reviewed: &Reviewed) -> String {
    let [black, white] = &reviewed.review.summaries();
    if black.moves + white.moves == 0 {
        return String::new();
    }
    let summary = BTreeMap::from([("black", SideSummary(black)), ("white", SideSummary(white))]);
    let SourceGame { source, line, .. } = &*reviewed.game;
    written(&SummaryLine { source, line: *line, summary })
}

fn value_words(value: Value, to_move: Color) -> String {
    match value {
        Value::Estimate { win_rate, score } => {
            format!("score {:+}, wins {}", score.unwrap_or_default(), percent(win_rate))
        }
        _ => value.proof(to_move).unwrap_or_default(),
    }
}

/// Returns how far the search of a position has come, in about so many columns: depth, time, nodes,
/// score and as much as fits of the line or, where there are several, of their first moves and win
/// rates.
pub(super) fn status(rule: Rule, report: &Report, to_move: Color, columns: usize) -> String {
    let Report { depth, nodes, elapsed, .. } = report;
    let mut text = format!("depth {depth}, {} s, {nodes} nodes, ", elapsed.as_secs());
    text += &value_words(value(rule, report.score), to_move);
    text += ":";
    let parts = match report.others.is_empty() {
        true => names(&report.pv),
        false => (report.variations())
            .map(|line| format!("{} {}", line.pv[0], percent(value(rule, line.score).win_rate())))
            .collect(),
    };
    for part in parts {
        if text.len() + 1 + part.len() > columns {
            break;
        }
        text += " ";
        text += &part;
    }
    text
}

/// A line of JSON about the moves of a game.
#[derive(Serialize)]
struct SummaryLine<'a> {
    source: &'a str,
    line: usize,
    summary: BTreeMap<&'static str, SideSummary<'a>>,
}

/// The summary of one side's moves.
pub(super) struct SideSummary<'a>(pub &'a Summary);

impl Serialize for SideSummary<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let SideSummary(summary) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("moves", &summary.moves)?;
        map.serialize_entry("best", &summary.best)?;
        for (severity, count) in Severity::ALL.into_iter().zip(summary.bad) {
            map.serialize_entry(severity.name(), &count)?;
        }
        map.serialize_entry("missed_wins", &summary.missed_wins)?;
        map.serialize_entry("allowed_wins", &summary.allowed_wins)?;
        map.serialize_entry("average_loss", &share(summary.average_loss()))?;
        map.end()
    }
}

/// A line of JSON about a position.
#[derive(Serialize)]
struct PositionLine<'a> {
    source: &'a str,
    line: usize,
    #[serde(skip_serializing_if = "Not::not")]
    variation: bool,
    rule: &'static str,
    size: String,
    #[serde(flatten)]
    stones: Stones,
    to_move: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<Played>,
    #[serde(flatten)]
    found: Found,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Stones {
    InTurn { position: String },
    Placed { black: Vec<String>, white: Vec<String> },
}

/// What the move was worth that led to a position.
#[derive(Serialize)]
struct Played {
    by: String,
    #[serde(rename = "move")]
    played: String,
    best: String,
    win_rate_before: Box<RawValue>,
    win_rate_after: Box<RawValue>,
    marks: Vec<&'static str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Found {
    Over {
        over: String,
    },
    Best {
        #[serde(flatten)]
        line: LineData,
        nodes: u64,
        milliseconds: u128,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        others: Vec<LineData>,
    },
}

/// A best move, its score and its line.
#[derive(Serialize)]
struct LineData {
    best: String,
    #[serde(flatten)]
    value: ValueData,
    win_rate: Box<RawValue>,
    pv: Vec<String>,
    depth: i32,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum ValueData {
    Score(i32),
    WinIn(i32),
    LossIn(i32),
}

impl From<&Line> for LineData {
    fn from(line: &Line) -> LineData {
        let value = match line.value {
            Value::Estimate { score, .. } => ValueData::Score(score.unwrap_or_default()),
            Value::Win(plies) => ValueData::WinIn(plies),
            Value::Loss(plies) => ValueData::LossIn(plies),
        };
        let (pv, win_rate) = (names(&line.moves), share(line.value.win_rate()));
        LineData { best: pv[0].clone(), value, win_rate, pv, depth: line.depth }
    }
}

/// Returns the line of JSON about a position.
pub(super) fn json(
    query: &Query,
    finding: &Finding,
    cost: Cost,
    played: Option<&Verdict>,
) -> String {
    let (record, rule) = (query.record(), query.game.rule);
    let of = |color| {
        let stones = record.stones().iter().filter(|stone| stone.color == color);
        names(&stones.map(|stone| stone.c).collect::<Vec<_>>())
    };
    written(&PositionLine {
        source: &query.game.source,
        line: query.game.line,
        variation: query.is_variation(),
        rule: rule.name(),
        size: record.size().to_string(),
        stones: match record.to_pos() {
            Some(position) => Stones::InTurn { position },
            None => Stones::Placed { black: of(Color::Black), white: of(Color::White) },
        },
        to_move: record.to_move().to_string(),
        played: played.map(|verdict| Played {
            by: verdict.color.to_string(),
            played: verdict.played.map_or("pass".to_owned(), |c| c.to_string()),
            best: verdict.best.to_string(),
            win_rate_before: share(verdict.before),
            win_rate_after: share(verdict.after),
            marks: verdict.marks(),
        }),
        found: match finding {
            Finding::Over(ending) => Found::Over {
                over: match ending.outcome() {
                    Outcome::Won(color) => color.to_string(),
                    Outcome::Drawn => "draw".to_owned(),
                },
            },
            Finding::Evaluated(evaluation) => Found::Best {
                line: LineData::from(&evaluation.best),
                nodes: cost.nodes,
                milliseconds: cost.elapsed.as_millis(),
                others: evaluation.others.iter().map(LineData::from).collect(),
            },
        },
    })
}

fn written(line: &impl Serialize) -> String {
    serde_json::to_string(line).expect("invariant: texts and numbers can always be written") + "\n"
}

/// Returns a share of games as JSON, with four decimal places.
pub(super) fn share(share: f64) -> Box<RawValue> {
    RawValue::from_string(format!("{share:.4}")).expect("invariant: a share is a number")
}

pub(super) fn names(points: &[Coord]) -> Vec<String> {
    points.iter().map(Coord::to_string).collect()
}
