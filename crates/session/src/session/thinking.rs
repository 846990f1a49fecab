//! What an engine has told of a search so far: its lines, how far it came, and its marks.
//!
//! Gathers single replies; points off the board are dropped here.

use serde::Serialize;
use tengen_gomocup::{Evaluation, PvInfo, Realtime, Reply, Summary};
use tengen_gomoku::types::{BoardSize, Color, Coord};

use crate::review::Value;

/// The score at which an engine that reports no win rate is taken to win 1 - 1 / (1 + e) of its
/// games, about three of four.
const WIN_RATE_SCALE: f64 = 200.0;

const LINES_MAX: usize = 30;
/// The most moves of a line that are kept.
const LENGTH_MAX: usize = 60;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Line {
    /// At least one.
    #[serde(rename = "pv")]
    pub moves: Vec<Coord>,
    #[serde(flatten)]
    pub value: Option<Value>,
    /// The value as the engine wrote it.
    pub text: String,
    pub depth: u32,
}

/// What is known of a running or finished search. Depths are in plies, the time in milliseconds, the
/// speed in nodes a second.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Thinking {
    /// The best one first.
    pub lines: Vec<Line>,
    pub depth: u32,
    pub selective_depth: u32,
    pub nodes: u64,
    pub speed: u64,
    pub time: u64,
    /// The move that is looked at now, if any.
    pub searching: Vec<Coord>,
    /// The moves that were looked at in this iteration.
    pub done: Vec<Coord>,
    pub losing: Vec<Coord>,
}

/// What an engine thinks of the position of this number.
#[derive(Serialize)]
pub(super) struct Thought {
    pub(super) id: u64,
    to_move: Color,
    engine: String,
    #[serde(flatten)]
    pub(super) thinking: Thinking,
}

impl Thought {
    pub fn new(thinking: &Thinking, id: u64, to_move: Color, engine: &str) -> Thought {
        // While the numbers of an iteration come, a move may have two places.
        let is_first = |&(i, line): &(usize, &Line)| {
            thinking.lines[..i].iter().all(|other| other.moves.first() != line.moves.first())
        };
        let lines = thinking.lines.iter().enumerate().filter(is_first);
        let lines = lines.map(|(_, line)| line.clone()).collect();
        let thinking = Thinking { lines, ..thinking.clone() };
        Thought { id, to_move, engine: engine.to_owned(), thinking }
    }
}

/// A line whose `INFO` lines are still coming in.
#[derive(Default)]
struct PartialLine {
    moves: Vec<Coord>,
    evaluation: Option<Evaluation>,
    win_rate: Option<f64>,
    depth: u32,
}

impl PartialLine {
    fn into_line(self) -> Line {
        let plies = |count: u32| i32::try_from(count).unwrap_or(i32::MAX);
        let estimate = |win_rate: f64, score| {
            let win_rate = self.win_rate.unwrap_or(win_rate);
            Some(Value::Estimate { win_rate, score })
        };
        let value = match self.evaluation {
            Some(Evaluation::Win(count)) => Some(Value::Win(plies(count))),
            Some(Evaluation::Loss(count)) => Some(Value::Loss(plies(count))),
            Some(Evaluation::Score(score)) => {
                estimate(1.0 / (1.0 + (-score / WIN_RATE_SCALE).exp()), Some(score as i32))
            }
            Some(Evaluation::Percent(percent)) => estimate((percent / 100.0).clamp(0.0, 1.0), None),
            None => self.win_rate.and_then(|win_rate| estimate(win_rate, None)),
        };
        let text = self.evaluation.map_or(String::new(), |evaluation| evaluation.to_string());
        Line { moves: self.moves, value, text, depth: self.depth }
    }
}

pub struct Gatherer {
    size: BoardSize,
    pub thinking: Thinking,
    coming: PartialLine,
    index: usize,
    /// True once `INFO` lines came: from then on `MESSAGE` summaries only tell how far it has come.
    has_numbers: bool,
}

impl Gatherer {
    pub fn new(size: BoardSize) -> Gatherer {
        let (thinking, coming) = (Thinking::default(), PartialLine::default());
        Gatherer { size, thinking, coming, index: 0, has_numbers: false }
    }

    /// Takes a reply in, and returns true if it told anything.
    pub fn take(&mut self, reply: &Reply) -> bool {
        match reply {
            Reply::PvInfo(info) => self.take_info(info),
            Reply::Realtime(mark) => self.take_mark(mark),
            // One without a line tells how far the search has come.
            Reply::Summary(summary) if !self.has_numbers || summary.pv.is_empty() => {
                self.take_summary(summary);
            }
            _ => return false,
        }
        true
    }

    fn take_info(&mut self, info: &PvInfo) {
        self.has_numbers = true;
        match info {
            &PvInfo::Index(index) => {
                self.index = index;
                self.coming = PartialLine::default();
            }
            &PvInfo::Count(count) => self.thinking.lines.truncate(count),
            &PvInfo::Depth(depth) => self.coming.depth = depth,
            &PvInfo::SelectiveDepth(depth) => self.thinking.selective_depth = depth,
            &PvInfo::TotalNodes(nodes) => self.thinking.nodes = nodes,
            &PvInfo::Time(time) => self.thinking.time = time,
            &PvInfo::Speed(speed) => self.thinking.speed = speed,
            &PvInfo::Evaluation(value) => self.coming.evaluation = Some(value),
            &PvInfo::WinRate(rate) => self.coming.win_rate = Some(rate),
            PvInfo::Moves(moves) => self.coming.moves = self.on_board(moves),
            PvInfo::Nodes(_) => {}
            PvInfo::Done => {
                let line = std::mem::take(&mut self.coming);
                self.set_line(self.index, line.into_line());
            }
        }
    }

    fn take_summary(&mut self, summary: &Summary) {
        let line = PartialLine {
            moves: self.on_board(&summary.pv),
            evaluation: summary.evaluation,
            win_rate: None,
            depth: summary.depth,
        };
        let thinking = &mut self.thinking;
        thinking.selective_depth = summary.selective_depth.unwrap_or(thinking.selective_depth);
        thinking.nodes = summary.nodes.unwrap_or(thinking.nodes);
        thinking.speed = summary.speed.map_or(thinking.speed, |speed| speed.saturating_mul(1_000));
        thinking.time = summary.time.unwrap_or(thinking.time);
        self.set_line(summary.multi_pv.map_or(0, |place| place - 1), line.into_line());
    }

    fn take_mark(&mut self, mark: &Realtime) {
        let size = self.size;
        match *mark {
            Realtime::Refresh => {
                self.thinking.searching.clear();
                self.thinking.done.clear();
                self.thinking.losing.clear();
            }
            Realtime::Searching(c) => self.thinking.searching = c.on(size).into_iter().collect(),
            Realtime::Done(c) => push_new(&mut self.thinking.done, c.on(size)),
            Realtime::Loses(c) => push_new(&mut self.thinking.losing, c.on(size)),
            Realtime::Best(c) => {
                // Some engines tell nothing else.
                let is_bare = |line: &Line| line.value.is_none() && line.depth == 0;
                if let (Some(c), true) = (c.on(size), self.thinking.lines.iter().all(is_bare)) {
                    self.thinking.lines = vec![Line { moves: vec![c], ..Line::default() }];
                }
            }
            Realtime::Value(_) | Realtime::Pv(_) => {}
        }
    }

    /// Puts a line in its place; one without moves, or ranked far below the others, is dropped.
    fn set_line(&mut self, index: usize, line: Line) {
        if line.moves.is_empty() || index > self.thinking.lines.len() || index >= LINES_MAX {
            return;
        }
        if index == 0 {
            self.thinking.depth = line.depth;
        }
        match self.thinking.lines.get_mut(index) {
            Some(old) => *old = line,
            None => self.thinking.lines.push(line),
        }
    }

    fn on_board(&self, moves: &[Coord]) -> Vec<Coord> {
        let on_board = |c: &Coord| self.size.coord(c.x(), c.y());
        moves.iter().map_while(on_board).take(LENGTH_MAX).collect()
    }
}

fn push_new(cells: &mut Vec<Coord>, c: Option<Coord>) {
    if let Some(c) = c.filter(|c| !cells.contains(c)) {
        cells.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gatherer(lines: &[&str]) -> Gatherer {
        let mut gatherer = Gatherer::new(BoardSize::new(15, 15).unwrap());
        for line in lines {
            gatherer.take(&Reply::parse(line));
        }
        gatherer
    }

    fn thinking(lines: &[&str]) -> Thinking {
        gatherer(lines).thinking
    }

    #[test]
    fn lines_are_made_of_numbers() {
        let all = [
            "MESSAGE depth 1-1 ev 99 n 5 n/ms 1 tm 0 pv a1",
            "INFO PV 0",
            "INFO NUMPV 2",
            "INFO DEPTH 9",
            "INFO SELDEPTH 14",
            "INFO TOTALNODES 1000",
            "INFO TOTALTIME 20",
            "INFO SPEED 50000",
            "INFO EVAL 31",
            "INFO WINRATE 0.6",
            "INFO BESTLINE 7,7 8,8 99,1 3,3",
            "INFO PV DONE",
            "INFO PV 1",
            "INFO DEPTH 8",
            "INFO EVAL -M6",
            "INFO BESTLINE 1,2",
            "INFO PV DONE",
            "MESSAGE depth 10-14 ev 99 n 5 n/ms 1 tm 0 pv a1",
        ];
        let thinking = thinking(&all);
        let [first, second] = thinking.lines.as_slice() else { panic!("{thinking:?}") };
        let estimate = Value::Estimate { win_rate: 0.6, score: Some(31) };
        assert_eq!((first.value, first.text.as_str()), (Some(estimate), "31"));
        assert_eq!(first.moves, [Coord::new(7, 7), Coord::new(8, 8)]);
        assert_eq!((second.value, second.depth), (Some(Value::Loss(6)), 8));
        assert_eq!((thinking.depth, thinking.selective_depth), (9, 14));
        assert_eq!((thinking.nodes, thinking.speed, thinking.time), (1_000, 50_000, 20));
    }

    #[test]
    fn words_do_where_there_are_no_numbers() {
        let thinking = thinking(&["MESSAGE depth 4-6 ev 50 n 2K n/ms 9 tm 3 pv h8 i9"]);
        assert_eq!(thinking.lines[0].moves, [Coord::new(7, 7), Coord::new(8, 8)]);
        assert_eq!((thinking.depth, thinking.selective_depth), (4, 6));
        assert_eq!((thinking.nodes, thinking.speed), (2_000, 9_000));
        assert!(thinking.lines[0].value.unwrap().win_rate() > 0.5);
    }

    #[test]
    fn the_last_best_move_does_where_nothing_else_is_told() {
        let mut lines = vec!["MESSAGE REALTIME BEST 1,1", "MESSAGE REALTIME BEST 2,2"];
        let best = Line { moves: vec![Coord::new(2, 2)], ..Line::default() };
        assert_eq!(thinking(&lines).lines, [best]);
        lines.extend(["MESSAGE depth 4-6 ev 50 n 2K n/ms 9 tm 3 pv h8 i9", lines[0]]);
        assert_eq!(thinking(&lines).lines[0].moves[0], Coord::new(7, 7));
    }

    #[test]
    fn marks_begin_anew_with_each_refresh() {
        let mut marks = vec!["MESSAGE REALTIME DONE 1,1", "MESSAGE REALTIME LOST 2,2"];
        marks.extend(["MESSAGE REALTIME LOST 2,2", "MESSAGE REALTIME POS 3,3"]);
        let before = thinking(&marks);
        assert_eq!((before.done.len(), before.losing.len()), (1, 1));
        assert_eq!(before.searching, [Coord::new(3, 3)]);
        marks.push("MESSAGE REALTIME REFRESH");
        let after = thinking(&marks);
        assert!(after.done.is_empty() && after.losing.is_empty() && after.searching.is_empty());
    }

    #[test]
    fn no_engine_fills_the_memory() {
        let mut gatherer = gatherer(&[]);
        for i in 0..1_000 {
            for line in [format!("INFO PV {i}"), "INFO BESTLINE 1,1".into(), "INFO PV DONE".into()]
            {
                gatherer.take(&Reply::parse(&line));
            }
        }
        assert_eq!(gatherer.thinking.lines.len(), LINES_MAX);
        let long = format!("INFO BESTLINE{}", " 1,1".repeat(500));
        for line in ["INFO PV 0", &long, "INFO PV DONE"] {
            gatherer.take(&Reply::parse(line));
        }
        assert_eq!(gatherer.thinking.lines[0].moves.len(), LENGTH_MAX);
    }
}
