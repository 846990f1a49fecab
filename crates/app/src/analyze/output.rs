//! What was found: about a position as text for people and as a line of JSON for programs, about
//! games as one page for a browser, the board's page with finished games instead of a program.

use std::collections::BTreeMap;
use std::ops::Not;

use serde::Serialize;
use serde_json::{Value as Json, json};
use tengen_gomoku::board::notation::names;
use tengen_gomoku::record::Outcome;
use tengen_gomoku::record::tree::NodeId;
use tengen_gomoku::types::{BoardSize, Color, Coord, Rule};

use super::{Cost, Query, Reviewed, value};
use crate::input::SourceGame;
use crate::web;
use tengen::search::Report;
use tengen_session::json::{ReviewedPosition, reviewed_game, step, stones, summary};
use tengen_session::review::verdict::Verdict;
use tengen_session::review::{Finding, Line, Summary, Value, percent};

/// Returns the lines about a position, and an empty one.
pub fn text(query: &Query, finding: &Finding, cost: Cost, played: Option<&Verdict>) -> String {
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
        Finding::Evaluated { lines, .. } => {
            let seconds = cost.milliseconds as f64 / 1000.0;
            let (depth, nodes) = (lines[0].depth, cost.nodes);
            let mut text = format!("{head}, {to_move} to move\n{judged}");
            for (i, line) in lines.iter().enumerate() {
                let word = if i == 0 { "best" } else { "next" };
                let (pv, words) = (names(&line.moves), value_words(line.value, to_move));
                text += &format!("  {word}  {}, {words}\n  line  {}\n", pv[0], pv.join(" "));
            }
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

/// Returns the summary of a game's review as text, with an empty line after it.
pub fn summary_text(reviewed: &Reviewed) -> String {
    let [black, white] = reviewed.review.summaries();
    format!("{}: review\n  black  {black}\n  white  {white}\n\n", reviewed.game.place())
}

/// Returns the summary of a game's review as a line of JSON.
pub fn summary_json(reviewed: &Reviewed) -> String {
    let SourceGame { source, line, .. } = &*reviewed.game;
    written(&SummaryLine { source, line: *line, summary: summary(&reviewed.review) })
}

pub(crate) fn value_words(value: Value, to_move: Color) -> String {
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
pub fn status(rule: Rule, report: &Report, to_move: Color, columns: usize) -> String {
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

#[derive(Serialize)]
struct SummaryLine<'a> {
    source: &'a str,
    line: usize,
    summary: BTreeMap<&'static str, Summary>,
}

#[derive(Serialize)]
struct PositionLine<'a> {
    source: &'a str,
    line: usize,
    #[serde(skip_serializing_if = "Not::not")]
    variation: bool,
    rule: Rule,
    size: BoardSize,
    #[serde(flatten)]
    stones: Stones,
    #[serde(flatten)]
    position: ReviewedPosition<'a>,
    #[serde(flatten)]
    cost: Option<Cost>,
    #[serde(skip_serializing_if = "<[Line]>::is_empty")]
    others: &'a [Line],
}

#[derive(Serialize)]
#[serde(untagged)]
enum Stones {
    InTurn { position: String },
    Placed { black: Vec<Coord>, white: Vec<Coord> },
}

pub fn json(query: &Query, finding: &Finding, cost: Cost, played: Option<&Verdict>) -> String {
    let (record, rule) = (query.record(), query.game.rule);
    let lines = match finding {
        Finding::Evaluated { lines, .. } => lines.as_slice(),
        Finding::Over(_) => &[],
    };
    let of = |color| {
        let stones = record.stones().iter().filter(|stone| stone.color == color);
        stones.map(|stone| stone.c).collect()
    };
    written(&PositionLine {
        source: &query.game.source,
        line: query.game.line,
        variation: query.is_variation(),
        rule,
        size: record.size(),
        stones: match record.to_pos() {
            Some(position) => Stones::InTurn { position },
            None => Stones::Placed { black: of(Color::Black), white: of(Color::White) },
        },
        position: ReviewedPosition { to_move: record.to_move(), played: played.cloned(), finding },
        cost: lines.first().map(|_| cost),
        others: lines.get(1..).unwrap_or_default(),
    })
}

fn written(line: &impl Serialize) -> String {
    serde_json::to_string(line).expect("invariant: texts and numbers can always be written") + "\n"
}

pub fn page(reviews: &[Reviewed]) -> String {
    let games: Vec<Json> = reviews.iter().map(page_game).collect();
    web::report(&json!({ "version": env!("CARGO_PKG_VERSION"), "games": games }).to_string())
}

fn page_game(Reviewed { game, review }: &Reviewed) -> Json {
    let tree = &game.tree;
    let result = review.outcome().map(|outcome| match outcome {
        Outcome::Won(color) => format!("{color} won"),
        Outcome::Drawn => "draw".to_owned(),
    });
    let is_found = |node: &NodeId| review.finding(*node).is_some();
    let nodes: Vec<NodeId> = game.main_line.iter().copied().filter(is_found).collect();
    json!({
        "place": game.place(),
        "players": tree.players,
        "result": result,
        "rule": game.rule,
        "size": [tree.size().width(), tree.size().height()],
        "rows": tree.rows.name(),
        "set_up": nodes.first().map(|&node| stones(tree.record(node).stones())),
        "moves": nodes.iter().skip(1).map(|&node| step(tree, node)).collect::<Vec<Json>>(),
        "review": reviewed_game(review, &nodes),
    })
}
