//! What a search found, as a review takes it.

use tengen::eval::win_rate::win_rate;
use tengen::search::Report;
use tengen::types::{Coord, Rule, Score, ScoreKind};
use tengen_session::review::{Evaluation, Line, Value};

pub(super) fn value(rule: Rule, score: Score) -> Value {
    match score.kind() {
        ScoreKind::Eval(value) => {
            Value::Estimate { win_rate: win_rate(rule, score), score: Some(value) }
        }
        ScoreKind::Win(plies) => Value::Win(plies),
        ScoreKind::Loss(plies) => Value::Loss(plies),
    }
}

pub(super) fn evaluation(rule: Rule, report: Report) -> Evaluation {
    let line = |score, moves: Vec<Coord>, depth| Line { moves, value: value(rule, score), depth };
    let others = report.others.into_iter().map(|other| line(other.score, other.pv, other.depth));
    Evaluation {
        others: others.collect(),
        best: line(report.score, report.pv, report.depth),
        others_lose: report.others_lose,
    }
}
