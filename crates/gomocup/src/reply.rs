//! A line of an engine: an answer of the Gomocup protocol, or what it says about a search. Each is
//! printed in the one form that every manager reads: a point is `x,y` without blanks.

pub mod search;

use std::fmt::{self, Write};

use tengen_gomoku::types::{BoardSize, Coord};

use super::words::{Point, split_word};
use search::{PvInfo, Realtime, Summary};

/// A line of an engine, without its end. Texts hold no line break, except comments of the database.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    Ok,
    /// A move, the points of a swap2 opening, or a pair of balanced stones.
    Points(Vec<Point>),
    Swap,
    Error(String),
    Unknown(String),
    About(About),
    Forbid(Vec<Coord>),
    /// `MESSAGE` and a text for people. `DEBUG` and `DETAIL` are read as the same.
    Message(String),
    /// `MESSAGE depth ...`: a variation of the search.
    Summary(Summary),
    /// `MESSAGE REALTIME ...`: a mark on the board.
    Realtime(Realtime),
    /// `INFO` and a number of a variation, for managers that asked for it.
    PvInfo(PvInfo),
    /// A line without meaning, such as a blank one or an `INFO` with an unknown key.
    Nothing,
    /// A line that is none of the protocol.
    Nonsense(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    pub name: String,
    pub version: String,
    pub author: String,
    pub country: String,
}

impl Reply {
    pub fn points(cells: impl IntoIterator<Item = Coord>) -> Reply {
        Reply::Points(cells.into_iter().map(Point::from).collect())
    }

    /// Returns true if the line answers a command, false if it is said beside the answers.
    pub fn is_answer(&self) -> bool {
        use Reply::{Message, Nothing, PvInfo, Realtime, Summary};
        !matches!(self, Message(_) | Summary(_) | Realtime(_) | PvInfo(_) | Nothing)
    }

    pub fn parse(line: &str) -> Reply {
        let line = line.trim();
        let (word, rest) = split_word(line);
        let text = || rest.to_owned();
        match word.to_ascii_uppercase().as_str() {
            "" => Reply::Nothing,
            "OK" => Reply::Ok,
            "SWAP" => Reply::Swap,
            "FORBID" => Reply::Forbid(forbidden(rest)),
            "ERROR" => Reply::Error(text()),
            "UNKNOWN" => Reply::Unknown(text()),
            "MESSAGE" => match split_word(rest) {
                ("REALTIME", mark) => Realtime::parse(mark).map_or(Reply::Nothing, Reply::Realtime),
                ("depth", _) => {
                    Summary::parse(rest).map_or_else(|| Reply::Message(text()), Reply::Summary)
                }
                _ => Reply::Message(text()),
            },
            "DEBUG" | "DETAIL" => Reply::Message(text()),
            "INFO" => PvInfo::parse(rest).map_or(Reply::Nothing, Reply::PvInfo),
            _ => match (points(line), About::parse(line)) {
                (Some(points), _) => Reply::Points(points),
                (None, Some(about)) => Reply::About(about),
                (None, None) => Reply::Nonsense(line.to_owned()),
            },
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Reply::Ok => f.write_str("OK"),
            Reply::Points(points) => {
                let points: Vec<String> = points.iter().map(Point::to_string).collect();
                f.write_str(&points.join(" "))
            }
            Reply::Swap => f.write_str("SWAP"),
            Reply::Error(why) => write!(f, "ERROR {why}"),
            Reply::Unknown(what) => write!(f, "UNKNOWN {what}"),
            Reply::About(about) => about.fmt(f),
            Reply::Forbid(points) => {
                f.write_str("FORBID ")?;
                points.iter().try_for_each(|c| write!(f, "{:02}{:02}", c.x(), c.y()))?;
                f.write_char('.')
            }
            Reply::Message(text) => write!(f, "MESSAGE {text}"),
            Reply::Summary(summary) => write!(f, "MESSAGE {summary}"),
            Reply::Realtime(mark) => write!(f, "MESSAGE REALTIME {mark}"),
            Reply::PvInfo(info) => write!(f, "INFO {info}"),
            Reply::Nothing => Ok(()),
            Reply::Nonsense(line) => f.write_str(line),
        }
    }
}

impl About {
    /// Reads `name="Tengen", version="1.0", ...`; all but the name may be missing.
    fn parse(text: &str) -> Option<About> {
        let field = |key: &str| {
            let (_, rest) = text.split_once(&format!("{key}=\""))?;
            rest.split_once('"').map(|(value, _)| value.trim().to_owned())
        };
        let or_nothing = |key| field(key).unwrap_or_default();
        Some(About {
            name: field("name")?,
            version: or_nothing("version"),
            author: or_nothing("author"),
            country: or_nothing("country"),
        })
    }
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let About { name, version, author, country } = self;
        write!(f, r#"name="{name}", version="{version}", author="{author}", country="{country}""#)
    }
}

fn point(text: &str) -> Option<Point> {
    let (x, y) = text.split_once(',')?;
    let number = |text: &str| {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        if digits { text.parse::<u32>().ok().map(i64::from) } else { None }
    };
    Some(Point { x: number(x)?, y: number(y)? })
}

/// Reads points with blanks between them, or with blanks inside a single one.
fn points(text: &str) -> Option<Vec<Point>> {
    let single = text.split(',').map(str::trim).collect::<Vec<&str>>().join(",");
    point(&single).map(|point| vec![point]).or_else(|| text.split_whitespace().map(point).collect())
}

/// Reads two digits for each coordinate, up to the final point or to what is no cell.
fn forbidden(text: &str) -> Vec<Coord> {
    let number = |digits: &[u8]| str::from_utf8(digits).ok()?.parse::<u8>().ok();
    let cell =
        |digits: &[u8]| BoardSize::LARGEST.coord(number(&digits[..2])?, number(&digits[2..])?);
    text.as_bytes().chunks_exact(4).map_while(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: i64, y: i64) -> Point {
        Point { x, y }
    }

    #[test]
    fn replies_have_their_exact_form() {
        let (a, b) = (Coord::new(7, 8), Coord::new(19, 0));
        assert_eq!(Reply::Ok.to_string(), "OK");
        assert_eq!(Reply::points([a]).to_string(), "7,8");
        assert_eq!(Reply::points([a, b]).to_string(), "7,8 19,0");
        assert_eq!(Reply::Forbid(vec![]).to_string(), "FORBID .");
        assert_eq!(Reply::Forbid(vec![a, b]).to_string(), "FORBID 07081900.");
        assert_eq!(Reply::Unknown("command".into()).to_string(), "UNKNOWN command");
        let [name, version, author, country] = ["A", "1.0 (b)", "C d", "E"].map(str::to_owned);
        let about = About { name, version, author, country };
        let text = r#"name="A", version="1.0 (b)", author="C d", country="E""#;
        assert_eq!(about.to_string(), text);
    }

    #[test]
    fn answers_of_the_protocol_are_known() {
        for (line, reply) in [
            ("OK", Reply::Ok),
            ("ok\r", Reply::Ok),
            ("7,8", Reply::Points(vec![at(7, 8)])),
            (" 10 , 8 ", Reply::Points(vec![at(10, 8)])),
            ("1,2 3,4 5,6", Reply::Points(vec![at(1, 2), at(3, 4), at(5, 6)])),
            ("SWAP", Reply::Swap),
            ("FORBID 0102.", Reply::Forbid(vec![Coord::new(1, 2)])),
            ("FORBID 0102é3040404.", Reply::Forbid(vec![Coord::new(1, 2)])),
            ("FORBID .", Reply::Forbid(vec![])),
            ("ERROR bad size", Reply::Error("bad size".into())),
            ("UNKNOWN command", Reply::Unknown("command".into())),
            ("MESSAGE hello", Reply::Message("hello".into())),
            ("DEBUG x", Reply::Message("x".into())),
            ("", Reply::Nothing),
            ("INFO FOO 3", Reply::Nothing),
            ("INFO DEPTH x", Reply::Nothing),
        ] {
            assert_eq!(Reply::parse(line), reply, "{line}");
        }
    }

    #[test]
    fn what_is_no_answer_is_nonsense() {
        for line in ["hello", "7", "7,", ",7", "7,8,9", "-1,3", "7;8", "+7,8", "7,8 x", "name=x"] {
            assert_eq!(Reply::parse(line), Reply::Nonsense(line.into()), "{line}");
        }
        // A point off the board is a point all the same.
        assert_eq!(Reply::parse("4000,0"), Reply::Points(vec![at(4_000, 0)]));
    }

    #[test]
    fn a_name_is_read_from_about() {
        let line = r#"name="Tengen", version="0.1.0", author="x", country="Earth""#;
        let Reply::About(about) = Reply::parse(line) else { panic!("{line}") };
        assert_eq!((about.name.as_str(), about.country.as_str()), ("Tengen", "Earth"));
        let Reply::About(about) = Reply::parse(r#"name="Other""#) else { panic!("a name") };
        assert_eq!(about, About { name: "Other".into(), ..About::default() });
    }
}
