//! What an engine says about a running search, in words, by numbers, and by marks on the board.

use std::fmt;
use std::str::FromStr;

use tengen_gomoku::board::notation::parse_points;
use tengen_gomoku::types::{BoardSize, Coord};

use super::super::words::{Point, split_word, words};
use super::point;

/// What an engine thinks of a variation, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evaluation {
    /// A score on the engine's own scale; 0 is even.
    Score(f64),
    Percent(f64),
    /// A win in so many plies; 0 if it is not known in how many.
    Win(u32),
    Loss(u32),
}

impl FromStr for Evaluation {
    type Err = ();

    /// Reads `31`, `+M5`, `-M4` or `56.5%`.
    fn from_str(text: &str) -> Result<Evaluation, ()> {
        let text = text.trim_start_matches('+');
        let plies = |digits: &str| digits.parse().unwrap_or(0);
        let number = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
        if let Some(digits) = text.strip_prefix('M') {
            Ok(Evaluation::Win(plies(digits)))
        } else if let Some(digits) = text.strip_prefix("-M") {
            Ok(Evaluation::Loss(plies(digits)))
        } else if let Some(percent) = text.strip_suffix('%') {
            number(percent).map(Evaluation::Percent).ok_or(())
        } else {
            number(text).map(Evaluation::Score).ok_or(())
        }
    }
}

impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Evaluation::Score(score) => write!(f, "{score}"),
            Evaluation::Percent(percent) => write!(f, "{percent}%"),
            Evaluation::Win(plies) => write!(f, "+M{plies}"),
            Evaluation::Loss(plies) => write!(f, "-M{plies}"),
        }
    }
}

/// A variation in words, as Rapfi writes it:
/// `depth 12-20 multipv 1 ev 31 n 450K n/ms 900 tm 500 pv h8 i9`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    pub depth: u32,
    /// Plies of the longest line looked at.
    pub selective_depth: Option<u32>,
    /// Its place among several variations, from 1.
    pub multi_pv: Option<usize>,
    pub evaluation: Option<Evaluation>,
    /// Nodes; on the line they are cut to five digits.
    pub nodes: Option<u64>,
    /// Nodes a millisecond.
    pub speed: Option<u64>,
    pub time: Option<u64>,
    pub pv: Vec<Coord>,
}

impl Summary {
    pub(super) fn parse(text: &str) -> Option<Summary> {
        let mut summary = Summary::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            if word == "pv" {
                summary.pv = named_cells(words);
                return Some(summary);
            }
            let value = words.next()?;
            match word {
                "depth" => {
                    let (depth, selective_depth) = value.split_once('-').unwrap_or((value, ""));
                    summary.depth = depth.parse().unwrap_or(0);
                    summary.selective_depth = selective_depth.parse().ok();
                }
                "multipv" => summary.multi_pv = Some(value.parse().ok().filter(|&i| i > 0)?),
                "ev" => summary.evaluation = value.parse().ok(),
                "n" => summary.nodes = parse_short(value),
                "n/ms" => summary.speed = value.parse().ok(),
                "tm" => summary.time = value.parse().ok(),
                _ => {}
            }
        }
        Some(summary)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Summary { depth, selective_depth, multi_pv, evaluation, nodes, speed, time, pv } = self;
        write!(f, "depth {depth}")?;
        selective_depth.iter().try_for_each(|depth| write!(f, "-{depth}"))?;
        multi_pv.iter().try_for_each(|place| write!(f, " multipv {place}"))?;
        evaluation.iter().try_for_each(|evaluation| write!(f, " ev {evaluation}"))?;
        nodes.iter().try_for_each(|&nodes| write!(f, " n {}", short(nodes)))?;
        speed.iter().try_for_each(|speed| write!(f, " n/ms {speed}"))?;
        time.iter().try_for_each(|time| write!(f, " tm {time}"))?;
        if !pv.is_empty() {
            f.write_str(" pv")?;
        }
        pv.iter().try_for_each(|c| write!(f, " {c}"))
    }
}

words! {
    /// A number of a variation, as gomocalc reads it.
    #[derive(Clone, Debug, PartialEq)]
    pub enum PvInfo {
        "PV" => Index(usize): "the numbers that follow are of this variation, counted from 0",
        "NUMPV" => Count(usize): "the number of variations",
        "DEPTH" => Depth(u32): "plies",
        "SELDEPTH" => SelectiveDepth(u32): "plies of the longest line looked at",
        "NODES" => Nodes(u64): "nodes of the variation",
        "TOTALNODES" => TotalNodes(u64): "nodes of the search",
        "TOTALTIME" => Time(u64): "milliseconds",
        "SPEED" => Speed(u64): "nodes a second",
        "EVAL" => Evaluation(Evaluation): "the evaluation",
    }
    more {
        /// `WINRATE`: the share of games won, from 0 to 1, with four decimals.
        WinRate(f64),
        Moves(Vec<Coord>),
        /// `PV DONE`: no more numbers of this variation.
        Done,
    }
}

impl PvInfo {
    pub(super) fn parse(text: &str) -> Option<PvInfo> {
        match split_word(&text.to_ascii_uppercase()) {
            ("PV", "DONE") => Some(PvInfo::Done),
            ("WINRATE", share) => {
                let share = share.parse().ok().filter(|share: &f64| !share.is_nan())?;
                Some(PvInfo::WinRate(share.clamp(0.0, 1.0)))
            }
            ("BESTLINE", moves) => {
                let cell = |word| point(word)?.on(BoardSize::LARGEST);
                Some(PvInfo::Moves(moves.split_whitespace().map_while(cell).collect()))
            }
            (key, value) => PvInfo::read_word(key, value),
        }
    }
}

impl fmt::Display for PvInfo {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            PvInfo::Done => f.write_str("PV DONE"),
            PvInfo::WinRate(share) => write!(f, "WINRATE {share:.4}"),
            PvInfo::Moves(moves) => {
                f.write_str("BESTLINE")?;
                moves.iter().try_for_each(|&c| write!(f, " {}", Point::from(c)))
            }
            word => word.write_word(f),
        }
    }
}

words! {
    /// A mark on Yixin-Board's board.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum Realtime {
        "REFRESH" => Refresh: "a new search or iteration; the marks before say no more",
        "POS" => Searching(Point): "the move that is searched now",
        "DONE" => Done(Point): "a move that has been searched",
        "LOST" | "LOSE" => Loses(Point): "a move that loses",
        "BEST" => Best(Point): "the best move",
        "VAL" => Value(i32): "the score",
    }
    more {
        Pv(Vec<Coord>),
    }
}

impl Realtime {
    pub(super) fn parse(text: &str) -> Option<Realtime> {
        match split_word(text) {
            ("PV", moves) => Some(Realtime::Pv(named_cells(moves.split_whitespace()))),
            (mark, value) => Realtime::read_word(mark, value),
        }
    }
}

impl fmt::Display for Realtime {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Realtime::Pv(pv) => {
                f.write_str("PV")?;
                pv.iter().try_for_each(|c| write!(f, " {c}"))
            }
            word => word.write_word(f),
        }
    }
}

/// Returns the number with at most five digits and a unit.
fn short(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..10_000_000 => format!("{}K", number / 1_000),
        10_000_000..100_000_000_000 => format!("{}M", number / 1_000_000),
        _ => format!("{}G", number / 1_000_000_000),
    }
}

fn parse_short(text: &str) -> Option<u64> {
    let units = [('K', 1_000), ('M', 1_000_000), ('G', 1_000_000_000)];
    let unit =
        units.into_iter().find(|(unit, _)| text.ends_with([*unit, unit.to_ascii_lowercase()]));
    let digits = if unit.is_some() { &text[..text.len() - 1] } else { text };
    digits.parse::<u64>().ok()?.checked_mul(unit.map_or(1, |(_, factor)| factor))
}

/// Reads names such as `h8` on any board, row 1 at the top, up to what is none.
fn named_cells<'a>(words: impl Iterator<Item = &'a str>) -> Vec<Coord> {
    words.map_while(|word| parse_points(word, BoardSize::LARGEST).ok()).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::super::Reply;
    use super::*;

    #[test]
    fn numbers_come_as_gomocalc_reads_them() {
        for (line, info) in [
            ("INFO PV 1", PvInfo::Index(1)),
            ("INFO PV DONE", PvInfo::Done),
            ("INFO NUMPV 3", PvInfo::Count(3)),
            ("INFO TOTALNODES 12", PvInfo::TotalNodes(12)),
            ("INFO EVAL +M5", PvInfo::Evaluation(Evaluation::Win(5))),
            ("INFO EVAL -M4", PvInfo::Evaluation(Evaluation::Loss(4))),
            ("INFO EVAL 0", PvInfo::Evaluation(Evaluation::Score(0.0))),
            ("INFO EVAL -0.35", PvInfo::Evaluation(Evaluation::Score(-0.35))),
            ("INFO WINRATE 0.5387", PvInfo::WinRate(0.5387)),
            ("INFO BESTLINE 7,7 8,8", PvInfo::Moves(vec![Coord::new(7, 7), Coord::new(8, 8)])),
        ] {
            assert_eq!(Reply::parse(line), Reply::PvInfo(info.clone()), "{line}");
            assert_eq!(Reply::PvInfo(info).to_string(), line);
        }
        assert_eq!(Reply::parse("INFO WINRATE 7"), Reply::PvInfo(PvInfo::WinRate(1.0)));
        for line in ["INFO EVAL nan", "INFO WINRATE NaN", "INFO EVAL inf"] {
            assert_eq!(Reply::parse(line), Reply::Nothing, "{line}");
        }
    }

    #[test]
    fn evaluations_are_read_as_engines_write_them() {
        for (text, evaluation) in [
            ("M5", Evaluation::Win(5)),
            ("+M", Evaluation::Win(0)),
            ("+31", Evaluation::Score(31.0)),
            ("56.5%", Evaluation::Percent(56.5)),
        ] {
            assert_eq!(text.parse(), Ok(evaluation), "{text}");
        }
        for text in ["", "x", "%", "-", "m5"] {
            assert_eq!(text.parse::<Evaluation>(), Err(()), "{text}");
        }
    }

    #[test]
    fn marks_come_as_yixin_board_reads_them() {
        let c = Point { x: 3, y: 4 };
        for (line, mark) in [
            ("MESSAGE REALTIME REFRESH", Realtime::Refresh),
            ("MESSAGE REALTIME POS 3,4", Realtime::Searching(c)),
            ("MESSAGE REALTIME DONE 3,4", Realtime::Done(c)),
            ("MESSAGE REALTIME LOST 3,4", Realtime::Loses(c)),
            ("MESSAGE REALTIME BEST 3,4", Realtime::Best(c)),
            ("MESSAGE REALTIME VAL -31", Realtime::Value(-31)),
            ("MESSAGE REALTIME PV h8 i9", Realtime::Pv(vec![Coord::new(7, 7), Coord::new(8, 8)])),
        ] {
            assert_eq!(Reply::parse(line), Reply::Realtime(mark.clone()), "{line}");
            assert_eq!(Reply::Realtime(mark).to_string(), line);
        }
        let lost = Reply::parse("MESSAGE REALTIME LOSE 3,4");
        assert_eq!(lost, Reply::Realtime(Realtime::Loses(c)));
        assert_eq!(Reply::parse("MESSAGE REALTIME POS x"), Reply::Nothing);
    }

    #[test]
    fn a_variation_in_words_is_read() {
        let line = "MESSAGE depth 12-20 multipv 2 ev 0 n 450K n/ms 900 tm 500 pv h8 i9";
        let summary = Summary {
            depth: 12,
            selective_depth: Some(20),
            multi_pv: Some(2),
            evaluation: Some(Evaluation::Score(0.0)),
            nodes: Some(450_000),
            speed: Some(900),
            time: Some(500),
            pv: vec![Coord::new(7, 7), Coord::new(8, 8)],
        };
        assert_eq!(Reply::parse(line), Reply::Summary(summary.clone()));
        assert_eq!(Reply::Summary(summary).to_string(), line);
        for text in ["depth of thought is 3", "depth 3 multipv 0 pv a1"] {
            assert_eq!(Reply::parse(&format!("MESSAGE {text}")), Reply::Message(text.into()));
        }
    }

    #[test]
    fn nodes_have_at_most_five_digits() {
        for (number, text) in [
            (0, "0"),
            (9_999, "9999"),
            (10_999, "10K"),
            (99_999_999_999, "99999M"),
            (100_000_000_000, "100G"),
        ] {
            assert_eq!(short(number), text);
        }
        for (text, number) in [("2k", Some(2_000)), ("K", None), ("18446744074G", None), ("", None)]
        {
            assert_eq!(parse_short(text), number, "{text}");
        }
    }
}
