//! What an engine says, line by line: the answers of the Gomocup protocol, and what Yixin-Board's
//! and gomocalc's engines tell of a running search.
//!
//! Pure parsing: a line in, an [`Output`] out. Points are as the engine wrote them and may lie off
//! the board.

use std::fmt;

use tengen::types::{BoardSize, Coord, sigmoid};

/// The evaluation at which an engine that tells no win rate is taken to win 1 - 1 / (1 + e) of its
/// games, about three of four.
const WIN_RATE_SCALE: f64 = 200.0;

/// A point as an engine writes it: column and row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    x: u32,
    y: u32,
}

impl Point {
    /// Returns the cell, if there is one on a board of this size.
    pub fn on(self, size: BoardSize) -> Option<Coord> {
        size.coord(u8::try_from(self.x).ok()?, u8::try_from(self.y).ok()?)
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

/// What an engine thinks of a move, for the side to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// As the engine wrote it.
    pub text: String,
    /// The share of games that it expects to win.
    pub win_rate: f64,
}

impl Value {
    /// Reads an evaluation: a number, or a win or loss such as `+M5`.
    fn parse(text: &str) -> Option<Value> {
        let win_rate = match text.trim_start_matches('+') {
            mate if mate.starts_with('M') => 1.0,
            mate if mate.starts_with("-M") => 0.0,
            number => {
                let value: f64 = number.parse().ok().filter(|value: &f64| value.is_finite())?;
                sigmoid(value / WIN_RATE_SCALE)
            }
        };
        Some(Value { text: text.to_owned(), win_rate })
    }
}

/// A line in words, such as `depth 12-20 multipv 1 ev 31 n 450K n/ms 900 tm 500 pv h8 i9`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Plies.
    pub depth: Option<u32>,
    /// Its number among several, from 0.
    pub index: usize,
    /// The evaluation.
    pub value: Option<Value>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// The moves, a letter for the column and a number for the row, counted from the top.
    pub line: Vec<Point>,
}

/// A number of a line that is thought about.
#[derive(Clone, Debug, PartialEq)]
pub enum Info {
    /// The line that the next numbers are of, from 0.
    Line(usize),
    /// The lines that there are.
    Lines(usize),
    /// Plies.
    Depth(u32),
    /// Plies of the longest line looked at.
    SelectiveDepth(u32),
    /// Nodes.
    Nodes(u64),
    /// Milliseconds.
    Time(u64),
    /// Nodes a second.
    Speed(u64),
    /// The evaluation.
    Value(Value),
    /// The share of games won.
    WinRate(f64),
    /// The moves.
    Moves(Vec<Point>),
    /// No more numbers of this line.
    Done,
}

/// What becomes of a move of the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A new search or iteration: the marks before say no more.
    Refresh,
    /// It is looked at now.
    Searching(Point),
    /// It has been looked at.
    Done(Point),
    /// It loses.
    Loses(Point),
    /// It is the best.
    Best(Point),
}

/// A line of an engine's output.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// `OK`.
    Ok,
    /// One point or several: a move, or stones of an opening.
    Points(Vec<Point>),
    /// `SWAP`.
    Swap,
    /// `FORBID` and its points.
    Forbid,
    /// `ERROR` and what it says.
    Error(String),
    /// `UNKNOWN` and what it says.
    Unknown(String),
    /// The name and version that `ABOUT` asks for.
    About(String),
    /// A number of a line.
    Info(Info),
    /// A mark on the board.
    Mark(Mark),
    /// A line in words.
    Summary(Summary),
    /// `MESSAGE` or `DEBUG`, said to people.
    Message(String),
    /// A line without meaning for a board, such as an `INFO` that it does not know.
    Nothing,
    /// Nothing that the protocol knows.
    Nonsense(String),
}

impl Output {
    /// Reads a line.
    pub fn parse(line: &str) -> Output {
        let line = line.trim();
        let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let rest = rest.trim();
        match word.to_ascii_uppercase().as_str() {
            "" => Output::Nothing,
            "OK" => Output::Ok,
            "SWAP" => Output::Swap,
            "FORBID" => Output::Forbid,
            "ERROR" => Output::Error(rest.to_owned()),
            "UNKNOWN" => Output::Unknown(rest.to_owned()),
            "MESSAGE" => message(rest),
            "DEBUG" | "DETAIL" => Output::Message(rest.to_owned()),
            "INFO" => info(rest).map_or(Output::Nothing, Output::Info),
            _ => match points(line) {
                Some(points) => Output::Points(points),
                None => about(line).unwrap_or_else(|| Output::Nonsense(line.to_owned())),
            },
        }
    }
}

fn message(text: &str) -> Output {
    let mut words = text.split_whitespace();
    match words.next() {
        Some("REALTIME") => {
            let mark = words.next().unwrap_or_default();
            let point = words.next().and_then(point);
            let mark = match (mark, point) {
                ("REFRESH", _) => Mark::Refresh,
                ("POS", Some(point)) => Mark::Searching(point),
                ("DONE", Some(point)) => Mark::Done(point),
                ("LOSE" | "LOST", Some(point)) => Mark::Loses(point),
                ("BEST", Some(point)) => Mark::Best(point),
                _ => return Output::Nothing,
            };
            Output::Mark(mark)
        }
        Some("depth") => match summary(text) {
            Some(summary) => Output::Summary(summary),
            None => Output::Message(text.to_owned()),
        },
        _ => Output::Message(text.to_owned()),
    }
}

/// Reads words and values in turns up to the moves.
fn summary(text: &str) -> Option<Summary> {
    let mut summary = Summary::default();
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        if word == "pv" {
            summary.line = words.map_while(named_point).collect();
            return Some(summary);
        }
        let value = words.next()?;
        match word {
            "depth" => summary.depth = value.split('-').next()?.parse().ok(),
            "multipv" => summary.index = value.parse::<usize>().ok()?.checked_sub(1)?,
            "ev" => summary.value = Value::parse(value),
            "n" => summary.nodes = short_number(value),
            _ => {}
        }
    }
    None
}

/// Reads a number that may end with K, M or G.
fn short_number(text: &str) -> Option<u64> {
    let (digits, unit) = match text.as_bytes().last()?.to_ascii_uppercase() {
        b'K' => (&text[..text.len() - 1], 1_000),
        b'M' => (&text[..text.len() - 1], 1_000_000),
        b'G' => (&text[..text.len() - 1], 1_000_000_000),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

fn info(text: &str) -> Option<Info> {
    let (key, value) = text.split_once(' ').unwrap_or((text, ""));
    let value = value.trim();
    Some(match key.to_ascii_uppercase().as_str() {
        "PV" if value.eq_ignore_ascii_case("DONE") => Info::Done,
        "PV" => Info::Line(value.parse().ok()?),
        "NUMPV" => Info::Lines(value.parse().ok()?),
        "DEPTH" => Info::Depth(value.parse().ok()?),
        "SELDEPTH" => Info::SelectiveDepth(value.parse().ok()?),
        "TOTALNODES" => Info::Nodes(value.parse().ok()?),
        "TOTALTIME" => Info::Time(value.parse().ok()?),
        "SPEED" => Info::Speed(value.parse().ok()?),
        "EVAL" => Info::Value(Value::parse(value)?),
        "WINRATE" => {
            let rate: f64 = value.parse().ok()?;
            Info::WinRate(if rate.is_nan() { return None } else { rate.clamp(0.0, 1.0) })
        }
        "BESTLINE" => Info::Moves(value.split_whitespace().map_while(point).collect()),
        _ => return None,
    })
}

/// Reads `x,y`.
fn point(text: &str) -> Option<Point> {
    let (x, y) = text.split_once(',')?;
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if digits { text.parse().ok() } else { None }
    };
    Some(Point { x: number(x)?, y: number(y)? })
}

/// Reads points with blanks between them, or with a blank inside a single one.
fn points(text: &str) -> Option<Vec<Point>> {
    let single = text.split(',').map(str::trim).collect::<Vec<&str>>().join(",");
    point(&single).map(|point| vec![point]).or_else(|| text.split_whitespace().map(point).collect())
}

/// Reads `h8`, row 1 at the top.
fn named_point(text: &str) -> Option<Point> {
    let letter = text.bytes().next()?.to_ascii_lowercase();
    let row: u32 = text.get(1..)?.parse().ok()?;
    letter.is_ascii_lowercase().then_some(())?;
    Some(Point { x: u32::from(letter - b'a'), y: row.checked_sub(1)? })
}

/// Reads `name="Tengen", version="0.1", ...`.
fn about(text: &str) -> Option<Output> {
    const LENGTH_MAX: usize = 30;
    let field = |key: &str| {
        let (_, rest) = text.split_once(&format!("{key}=\""))?;
        rest.split_once('"').map(|(value, _)| value.trim())
    };
    let name = field("name")?;
    // What it was built with is of no interest here.
    let version = field("version").unwrap_or_default().split(" (").next().unwrap_or_default();
    let text = format!("{name} {version}");
    Some(Output::About(text.trim().chars().take(LENGTH_MAX).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: u32, y: u32) -> Point {
        Point { x, y }
    }

    #[test]
    fn answers_of_the_protocol_are_known() {
        for (line, output) in [
            ("OK", Output::Ok),
            ("ok\r", Output::Ok),
            ("7,8", Output::Points(vec![at(7, 8)])),
            (" 10 , 8 ", Output::Points(vec![at(10, 8)])),
            ("1,2 3,4 5,6", Output::Points(vec![at(1, 2), at(3, 4), at(5, 6)])),
            ("SWAP", Output::Swap),
            ("FORBID 0102.", Output::Forbid),
            ("FORBID .", Output::Forbid),
            ("ERROR bad size", Output::Error("bad size".into())),
            ("UNKNOWN command", Output::Unknown("command".into())),
            ("MESSAGE hello", Output::Message("hello".into())),
            ("DEBUG x", Output::Message("x".into())),
            ("", Output::Nothing),
            ("INFO FOO 3", Output::Nothing),
            ("INFO DEPTH x", Output::Nothing),
        ] {
            assert_eq!(Output::parse(line), output, "{line}");
        }
    }

    #[test]
    fn what_is_no_answer_is_nonsense() {
        for line in ["hello", "7", "7,", ",7", "7,8,9", "-1,3", "7;8", "+7,8", "7,8 x", "name=x"] {
            assert_eq!(Output::parse(line), Output::Nonsense(line.into()), "{line}");
        }
        // A point off the board is a point all the same.
        assert_eq!(at(4_000, 0).on(BoardSize::new(15, 15).unwrap()), None);
    }

    #[test]
    fn numbers_come_as_gomocalc_reads_them() {
        let value = |text: &str, win_rate| Value { text: text.into(), win_rate };
        for (line, info) in [
            ("INFO PV 1", Info::Line(1)),
            ("INFO PV DONE", Info::Done),
            ("INFO NUMPV 3", Info::Lines(3)),
            ("INFO TOTALNODES 12", Info::Nodes(12)),
            ("INFO EVAL +M5", Info::Value(value("+M5", 1.0))),
            ("INFO EVAL -M4", Info::Value(value("-M4", 0.0))),
            ("INFO EVAL 0", Info::Value(value("0", 0.5))),
            ("INFO WINRATE 0.5387", Info::WinRate(0.5387)),
            ("INFO WINRATE 7", Info::WinRate(1.0)),
            ("INFO BESTLINE 7,7 8,8", Info::Moves(vec![at(7, 7), at(8, 8)])),
        ] {
            assert_eq!(Output::parse(line), Output::Info(info), "{line}");
        }
        for line in ["INFO EVAL nan", "INFO WINRATE NaN", "INFO EVAL inf"] {
            assert_eq!(Output::parse(line), Output::Nothing, "{line}");
        }
    }

    #[test]
    fn marks_come_as_yixin_board_reads_them() {
        for (line, mark) in [
            ("MESSAGE REALTIME REFRESH", Mark::Refresh),
            ("MESSAGE REALTIME POS 3,4", Mark::Searching(at(3, 4))),
            ("MESSAGE REALTIME DONE 3,4", Mark::Done(at(3, 4))),
            ("MESSAGE REALTIME LOSE 3,4", Mark::Loses(at(3, 4))),
            ("MESSAGE REALTIME LOST 3,4", Mark::Loses(at(3, 4))),
            ("MESSAGE REALTIME BEST 3,4", Mark::Best(at(3, 4))),
        ] {
            assert_eq!(Output::parse(line), Output::Mark(mark), "{line}");
        }
        assert_eq!(Output::parse("MESSAGE REALTIME PV h8 i9"), Output::Nothing);
        assert_eq!(Output::parse("MESSAGE REALTIME POS x"), Output::Nothing);
    }

    #[test]
    fn a_line_in_words_is_read() {
        let line = "MESSAGE depth 12-20 multipv 2 ev 0 n 450K n/ms 900 tm 500 pv h8 i9";
        let expected = Summary {
            depth: Some(12),
            index: 1,
            value: Some(Value { text: "0".into(), win_rate: 0.5 }),
            nodes: Some(450_000),
            line: vec![at(7, 7), at(8, 8)],
        };
        assert_eq!(Output::parse(line), Output::Summary(expected));
        let text = "depth of thought is 3";
        assert_eq!(Output::parse(&format!("MESSAGE {text}")), Output::Message(text.into()));
    }

    #[test]
    fn a_name_is_read_from_about() {
        let line = r#"name="Tengen", version="0.1.0", author="x", country="Earth""#;
        assert_eq!(Output::parse(line), Output::About("Tengen 0.1.0".into()));
        let line = r#"name="Other", version="1.2 (g++ on Linux)""#;
        assert_eq!(Output::parse(line), Output::About("Other 1.2".into()));
    }
}
