//! What was found about a position: as text for people, and as a line of JSON for programs.
//!
//! Pure: returns texts and writes none.

use super::finding::{Finding, proven_win};
use super::game::Query;
use super::json::Object;
use super::review::Review;
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
    let summaries = review.summaries();
    if summaries.iter().all(|summary| summary.moves == 0) {
        return String::new();
    }
    let mut object = Object::new();
    object.string("source", &review.game().source);
    object.number("line", review.game().line);
    let mut sides = Object::new();
    for (color, summary) in Color::ALL.into_iter().zip(&summaries) {
        sides.object(&color.to_string(), summary.json());
    }
    object.object("summary", sides);
    object.finish() + "\n"
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

/// Returns the line of JSON about a position.
pub(super) fn json(query: &Query, finding: &Finding, played: Option<&Verdict>) -> String {
    let (record, rule) = (query.record(), query.game.rule);
    let mut object = Object::new();
    object.string("source", &query.game.source);
    object.number("line", query.game.line);
    if query.is_variation() {
        object.flag("variation");
    }
    object.string("rule", rule.name());
    object.string("size", &record.size().to_string());
    match record.to_pos() {
        Some(pos) => object.string("position", &pos),
        None => {
            for color in Color::ALL {
                let stones = record.stones().iter().filter(|stone| stone.color == color);
                let points: Vec<Coord> = stones.map(|stone| stone.c).collect();
                object.strings(&color.to_string(), &names(&points));
            }
        }
    }
    object.string("to_move", &record.to_move().to_string());
    if let Some(verdict) = played {
        object.object("played", judged(verdict));
    }
    match finding {
        Finding::Over(ending) => object.string(
            "over",
            &match ending.outcome() {
                Outcome::Won(color) => color.to_string(),
                Outcome::Drawn => "draw".to_owned(),
            },
        ),
        Finding::Best(report) => {
            add_line(&mut object, rule, report.score, &report.pv);
            object.number("depth", report.depth);
            object.number("nodes", report.nodes);
            object.number("milliseconds", report.elapsed.as_millis());
            if !report.others.is_empty() {
                object.objects(
                    "others",
                    report.others.iter().map(|line| {
                        let mut object = Object::new();
                        add_line(&mut object, rule, line.score, &line.pv);
                        object.number("depth", line.depth);
                        object
                    }),
                );
            }
        }
    }
    object.finish() + "\n"
}

/// Returns what the move was worth that led to a position.
fn judged(verdict: &Verdict) -> Object {
    let mut object = Object::new();
    object.string("by", &verdict.color.to_string());
    object.string("move", &verdict.played.map_or("pass".to_owned(), |c| c.to_string()));
    object.string("best", &verdict.best.to_string());
    object.share("win_rate_before", verdict.before);
    object.share("win_rate_after", verdict.after);
    object.strings("marks", &verdict.marks());
    object
}

fn names(points: &[Coord]) -> Vec<String> {
    points.iter().map(Coord::to_string).collect()
}

/// Adds a best move, its score and its line.
fn add_line(object: &mut Object, rule: Rule, score: Score, pv: &[Coord]) {
    object.string("best", &pv[0].to_string());
    match score.kind() {
        ScoreKind::Eval(value) => object.number("score", value),
        ScoreKind::Win(plies) => object.number("win_in", plies),
        ScoreKind::Loss(plies) => object.number("loss_in", plies),
    }
    object.share("win_rate", win_rate(rule, score));
    object.strings("pv", &names(pv));
}
