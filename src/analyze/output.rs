//! What was found about a position: as text for people, and as a line of JSON for programs.
//!
//! Pure: returns texts and writes none.

use std::fmt::Write;

use super::Finding;
use super::input::Query;
use crate::record::{Ending, Outcome};
use crate::types::{Color, Coord, Score, ScoreKind};

/// Returns the lines about a position, and an empty one.
pub(super) fn text(query: &Query, finding: &Finding) -> String {
    let Query { source, line, record, rule } = query;
    let place =
        if source == "-" { format!("line {line}") } else { format!("{source}, line {line}") };
    let (to_move, count, size) = (record.to_move(), record.stones().len(), record.size());
    let stones = if count == 1 { "stone" } else { "stones" };
    let head = format!("{place}: {} {size}, {count} {stones}", rule.name());
    match finding {
        Finding::Over(ending) => {
            let how = match ending {
                Ending::Five(color, _) => format!("{color} has won"),
                Ending::Foul(c) => format!("white has won, {c} is forbidden for black"),
                Ending::Full => "the board is full".to_owned(),
            };
            format!("{head}, {how}\n\n")
        }
        Finding::Best(report) => {
            let seconds = report.elapsed.as_secs_f64();
            let (depth, nodes) = (report.depth, report.nodes);
            let mut text = format!("{head}, {to_move} to move\n");
            let mut add = |word, score, pv: &[Coord]| {
                let (pv, verdict) = (names(pv), verdict(score, to_move));
                text += &format!("  {word}  {}, {verdict}\n  line  {}\n", pv[0], pv.join(" "));
            };
            add("best", report.score, &report.pv);
            report.others.iter().for_each(|line| add("next", line.score, &line.pv));
            text + &format!("  depth {depth}, {nodes} nodes, {seconds:.2} s\n\n")
        }
    }
}

/// Returns the score in words.
fn verdict(score: Score, to_move: Color) -> String {
    // The winner plays every other ply, the last one included.
    let (winner, plies) = match score.kind() {
        ScoreKind::Win(plies) => (to_move, plies),
        ScoreKind::Loss(plies) => (!to_move, plies),
        ScoreKind::Eval(value) => return format!("score {value:+}"),
    };
    let moves = (plies + 1) / 2;
    let unit = if moves == 1 { "move" } else { "moves" };
    format!("{winner} wins in {moves} {unit}")
}

/// Returns the line of JSON about a position.
pub(super) fn json(query: &Query, finding: &Finding) -> String {
    let Query { source, line, record, rule } = query;
    let mut object = Object::new();
    object.string("source", source);
    object.number("line", line);
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
    match finding {
        Finding::Over(ending) => object.string(
            "over",
            &match ending.outcome() {
                Outcome::Won(color) => color.to_string(),
                Outcome::Drawn => "draw".to_owned(),
            },
        ),
        Finding::Best(report) => {
            object.line(report.score, &report.pv);
            object.number("depth", report.depth);
            object.number("nodes", report.nodes);
            object.number("milliseconds", report.elapsed.as_millis());
            if !report.others.is_empty() {
                object.objects(
                    "others",
                    report.others.iter().map(|line| {
                        let mut object = Object::new();
                        object.line(line.score, &line.pv);
                        object.number("depth", line.depth);
                        object
                    }),
                );
            }
        }
    }
    object.finish() + "\n"
}

fn names(points: &[Coord]) -> Vec<String> {
    points.iter().map(Coord::to_string).collect()
}

/// A JSON object in the making.
struct Object(String);

impl Object {
    fn new() -> Object {
        Object("{".to_owned())
    }

    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0 += &quoted(key);
        self.0.push(':');
    }

    fn string(&mut self, key: &str, value: &str) {
        self.key(key);
        self.0 += &quoted(value);
    }

    fn number(&mut self, key: &str, value: impl ToString) {
        self.key(key);
        self.0 += &value.to_string();
    }

    fn strings(&mut self, key: &str, values: &[String]) {
        self.key(key);
        let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
        self.0 += &format!("[{}]", values.join(","));
    }

    fn objects(&mut self, key: &str, values: impl Iterator<Item = Object>) {
        self.key(key);
        let values: Vec<String> = values.map(Object::finish).collect();
        self.0 += &format!("[{}]", values.join(","));
    }

    /// Adds a best move, its score and its line.
    fn line(&mut self, score: Score, pv: &[Coord]) {
        self.string("best", &pv[0].to_string());
        match score.kind() {
            ScoreKind::Eval(value) => self.number("score", value),
            ScoreKind::Win(plies) => self.number("win_in", plies),
            ScoreKind::Loss(plies) => self.number("loss_in", plies),
        }
        self.strings("pv", &names(pv));
    }

    fn finish(self) -> String {
        self.0 + "}"
    }
}

/// Returns the text as a JSON string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                // Writing to a string cannot fail, and control characters have four digits.
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_quoted() {
        assert_eq!(quoted("a\"b\\c\n\u{7f}é"), "\"a\\\"b\\\\c\\u000a\\u007fé\"");
    }

    #[test]
    fn objects_are_json() {
        let mut object = Object::new();
        object.string("a", "x");
        object.number("b", -1);
        object.strings("c", &[]);
        object.strings("d", &["y".to_owned(), "z".to_owned()]);
        let text = "{\"a\":\"x\",\"b\":-1,\"c\":[],\"d\":[\"y\",\"z\"]}";
        assert_eq!(object.finish(), text);
        let mut list = Object::new();
        let number = |n| {
            let mut object = Object::new();
            object.number("n", n);
            object
        };
        list.objects("list", [1, 2].map(number).into_iter());
        assert_eq!(list.finish(), "{\"list\":[{\"n\":1},{\"n\":2}]}");
    }
}
