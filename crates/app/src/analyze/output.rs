//! What was found about a position: as text for people, and as a line of JSON for programs.

use std::collections::BTreeMap;
use std::ops::Not;

use serde::Serialize;
use serde_json::value::RawValue;

use super::finding::{Finding, proven_win};
use super::game::{Game, Query};
use super::review::{Review, Summary};
use super::verdict::Verdict;
use tengen::eval::win_rate::{percent, win_rate};
use tengen::record::Outcome;
use tengen::search::Report;
use tengen::types::{Color, Coord, Rule, Score, ScoreKind};

/// Returns the lines about a position, and an empty one.
pub(super) fn text(query: &Query, finding: &Finding, played: Option<&Verdict>) -> String {
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
        Finding::Best(report) => {
            let seconds = report.elapsed.as_secs_f64();
            let (depth, nodes) = (report.depth, report.nodes);
            let mut text = format!("{head}, {to_move} to move\n{judged}");
            let mut add = |word, score, pv: &[Coord]| {
                let (pv, words) = (names(pv), score_words(rule, score, to_move));
                text += &format!("  {word}  {}, {words}\n  line  {}\n", pv[0], pv.join(" "));
            };
            add("best", report.score, &report.pv);
            report.others.iter().for_each(|line| add("next", line.score, &line.pv));
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
pub(super) fn summary_text(review: &Review) -> String {
    let summaries = review.summaries();
    if summaries.iter().all(|summary| summary.moves == 0) {
        return String::new();
    }
    let [black, white] = summaries;
    format!("{}: review\n  black  {black}\n  white  {white}\n\n", review.game().place())
}

/// Returns the line of JSON about the moves of a game; nothing if none was judged.
pub(super) fn summary_json(review: &Review) -> String {
    let [black, white] = &review.summaries();
    if black.moves + white.moves == 0 {
        return String::new();
    }
    let summary = BTreeMap::from([("black", black), ("white", white)]);
    let Game { source, line, .. } = &**review.game();
    written(&SummaryLine { source, line: *line, summary })
}

/// Returns the score in words.
fn score_words(rule: Rule, score: Score, to_move: Color) -> String {
    proven_win(score, to_move).unwrap_or_else(|| {
        format!("score {:+}, wins {}", score.value(), percent(win_rate(rule, score)))
    })
}

/// Returns how far the search of a position has come, in about so many columns: depth, time, nodes,
/// score and as much as fits of the line or, where there are several, of their first moves and win
/// rates.
pub(super) fn status(rule: Rule, report: &Report, to_move: Color, columns: usize) -> String {
    let Report { depth, nodes, elapsed, .. } = report;
    let mut text = format!("depth {depth}, {} s, {nodes} nodes, ", elapsed.as_secs());
    text += &score_words(rule, report.score, to_move);
    text += ":";
    let parts = match report.others.is_empty() {
        true => names(&report.pv),
        false => (report.variations())
            .map(|line| format!("{} {}", line.pv[0], percent(win_rate(rule, line.score))))
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
    summary: BTreeMap<&'static str, &'a Summary>,
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
        line: Line,
        nodes: u64,
        milliseconds: u128,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        others: Vec<Line>,
    },
}

/// A best move, its score and its line.
#[derive(Serialize)]
struct Line {
    best: String,
    #[serde(flatten)]
    value: Value,
    win_rate: Box<RawValue>,
    pv: Vec<String>,
    depth: i32,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Value {
    Score(i32),
    WinIn(i32),
    LossIn(i32),
}

impl Line {
    fn new(rule: Rule, score: Score, pv: &[Coord], depth: i32) -> Line {
        let value = match score.kind() {
            ScoreKind::Eval(value) => Value::Score(value),
            ScoreKind::Win(plies) => Value::WinIn(plies),
            ScoreKind::Loss(plies) => Value::LossIn(plies),
        };
        let (pv, win_rate) = (names(pv), share(win_rate(rule, score)));
        Line { best: pv[0].clone(), value, win_rate, pv, depth }
    }
}

/// Returns the line of JSON about a position.
pub(super) fn json(query: &Query, finding: &Finding, played: Option<&Verdict>) -> String {
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
            Finding::Best(report) => Found::Best {
                line: Line::new(rule, report.score, &report.pv, report.depth),
                nodes: report.nodes,
                milliseconds: report.elapsed.as_millis(),
                others: (report.others.iter())
                    .map(|line| Line::new(rule, line.score, &line.pv, line.depth))
                    .collect(),
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
