//! What an engine has told of a search so far: its lines, how far it came, and its marks.
//!
//! Gathers single replies; points off the board are dropped here.

use tengen::types::{BoardSize, Coord, sigmoid};
use tengen_gomocup::{Evaluation, PvInfo, Realtime, Reply, Summary};

/// The score at which an engine that reports no win rate is taken to win 1 - 1 / (1 + e) of its
/// games, about three of four.
const WIN_RATE_SCALE: f64 = 200.0;

const LINES_MAX: usize = 30;
/// The most moves of a line that are kept.
const LENGTH_MAX: usize = 60;

/// A line of play that begins with a move of the side to move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// The moves; at least one.
    pub moves: Vec<Coord>,
    /// What the engine thinks of them.
    pub value: Option<Evaluation>,
    /// The share of games that the side to move is expected to win, where the engine tells.
    pub win_rate: Option<f64>,
    pub depth: u32,
}

impl Line {
    /// Returns true if the engine has proven that the side to move wins, false if it has proven
    /// that it loses.
    pub fn is_win(&self) -> Option<bool> {
        match self.value? {
            Evaluation::Win(_) => Some(true),
            Evaluation::Loss(_) => Some(false),
            Evaluation::Score(_) | Evaluation::Percent(_) => None,
        }
    }
}

/// What is known of a running or finished search.
#[derive(Clone, Debug, PartialEq)]
pub struct Thinking {
    size: BoardSize,
    /// The best lines, the best one first.
    pub lines: Vec<Line>,
    pub depth: u32,
    /// Plies of the longest line looked at.
    pub selective_depth: u32,
    pub nodes: u64,
    /// Nodes a second.
    pub speed: u64,
    /// Milliseconds.
    pub time: u64,
    /// The move that is looked at now.
    pub searching: Option<Coord>,
    /// The moves that have been looked at in this iteration.
    pub done: Vec<Coord>,
    pub losing: Vec<Coord>,
    /// The line whose numbers come.
    coming: Line,
    index: usize,
    /// True once numbers came, which are better than words.
    has_numbers: bool,
}

impl Thinking {
    /// Returns what is known before anything was told.
    pub fn new(size: BoardSize) -> Thinking {
        Thinking {
            size,
            lines: Vec::new(),
            depth: 0,
            selective_depth: 0,
            nodes: 0,
            speed: 0,
            time: 0,
            searching: None,
            done: Vec::new(),
            losing: Vec::new(),
            coming: Line::default(),
            index: 0,
            has_numbers: false,
        }
    }

    /// Takes a reply in, and returns true if it told anything.
    pub fn take(&mut self, reply: &Reply) -> bool {
        match reply {
            Reply::PvInfo(info) => self.take_info(info),
            Reply::Realtime(mark) => self.take_mark(mark),
            Reply::Summary(summary) if !self.has_numbers => self.take_summary(summary),
            _ => return false,
        }
        true
    }

    fn take_info(&mut self, info: &PvInfo) {
        self.has_numbers = true;
        match info {
            &PvInfo::Index(index) => {
                self.index = index;
                self.coming = Line::default();
            }
            &PvInfo::Count(count) => self.lines.truncate(count),
            &PvInfo::Depth(depth) => self.coming.depth = depth,
            &PvInfo::SelectiveDepth(depth) => self.selective_depth = depth,
            &PvInfo::TotalNodes(nodes) => self.nodes = nodes,
            &PvInfo::Time(time) => self.time = time,
            &PvInfo::Speed(speed) => self.speed = speed,
            &PvInfo::Evaluation(value) => {
                self.coming.value = Some(value);
                self.coming.win_rate.get_or_insert(win_rate(value));
            }
            &PvInfo::WinRate(rate) => self.coming.win_rate = Some(rate),
            PvInfo::Moves(moves) => self.coming.moves = self.on_board(moves),
            PvInfo::Nodes(_) => {}
            PvInfo::Done => {
                let line = std::mem::take(&mut self.coming);
                self.set_line(self.index, line);
            }
        }
    }

    fn take_summary(&mut self, summary: &Summary) {
        let line = Line {
            moves: self.on_board(&summary.pv),
            value: summary.evaluation,
            win_rate: summary.evaluation.map(win_rate),
            depth: summary.depth,
        };
        self.nodes = summary.nodes.unwrap_or(self.nodes);
        self.set_line(summary.multi_pv.map_or(0, |place| place - 1), line);
    }

    fn take_mark(&mut self, mark: &Realtime) {
        let cell = |c: Coord| self.size.coord(c.x(), c.y());
        match *mark {
            Realtime::Refresh => {
                self.searching = None;
                self.done.clear();
                self.losing.clear();
            }
            Realtime::Searching(c) => self.searching = cell(c),
            Realtime::Done(c) => push_new(&mut self.done, cell(c)),
            Realtime::Loses(c) => push_new(&mut self.losing, cell(c)),
            Realtime::Best(c) => {
                // Some engines tell nothing else.
                let is_bare = |line: &Line| line.value.is_none() && line.depth == 0;
                if let (Some(c), true) = (cell(c), self.lines.iter().all(is_bare)) {
                    self.lines = vec![Line { moves: vec![c], ..Line::default() }];
                }
            }
            Realtime::Value(_) | Realtime::Pv(_) => {}
        }
    }

    /// Puts a line in its place; one without moves, or far behind the others, is dropped.
    fn set_line(&mut self, index: usize, line: Line) {
        if line.moves.is_empty() || index > self.lines.len() || index >= LINES_MAX {
            return;
        }
        if index == 0 {
            self.depth = line.depth;
        }
        match self.lines.get_mut(index) {
            Some(old) => *old = line,
            None => self.lines.push(line),
        }
    }

    fn on_board(&self, moves: &[Coord]) -> Vec<Coord> {
        let on_board = |c: &Coord| self.size.coord(c.x(), c.y());
        moves.iter().map_while(on_board).take(LENGTH_MAX).collect()
    }
}

/// Returns the share of games that an evaluation promises.
fn win_rate(value: Evaluation) -> f64 {
    match value {
        Evaluation::Score(score) => sigmoid(score / WIN_RATE_SCALE),
        Evaluation::Percent(percent) => (percent / 100.0).clamp(0.0, 1.0),
        Evaluation::Win(_) => 1.0,
        Evaluation::Loss(_) => 0.0,
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

    fn thinking(lines: &[&str]) -> Thinking {
        let mut thinking = Thinking::new(BoardSize::new(15, 15).unwrap());
        for line in lines {
            thinking.take(&Reply::parse(line));
        }
        thinking
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
        assert_eq!((first.win_rate, first.value), (Some(0.6), Some(Evaluation::Score(31.0))));
        assert_eq!(first.moves, [Coord::new(7, 7), Coord::new(8, 8)]);
        assert_eq!((second.win_rate, second.depth), (Some(0.0), 8));
        assert_eq!((thinking.depth, thinking.selective_depth), (9, 14));
        assert_eq!((thinking.nodes, thinking.speed, thinking.time), (1_000, 50_000, 20));
    }

    #[test]
    fn words_do_where_there_are_no_numbers() {
        let thinking = thinking(&["MESSAGE depth 4-6 ev 50 n 2K n/ms 9 tm 3 pv h8 i9"]);
        assert_eq!(thinking.lines[0].moves, [Coord::new(7, 7), Coord::new(8, 8)]);
        assert_eq!((thinking.depth, thinking.nodes), (4, 2_000));
        assert!(thinking.lines[0].win_rate.unwrap() > 0.5);
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
        let mut marks = vec!["MESSAGE REALTIME DONE 1,1", "MESSAGE REALTIME LOSE 2,2"];
        marks.extend(["MESSAGE REALTIME LOSE 2,2", "MESSAGE REALTIME POS 3,3"]);
        let before = thinking(&marks);
        assert_eq!((before.done.len(), before.losing.len()), (1, 1));
        assert_eq!(before.searching, Some(Coord::new(3, 3)));
        marks.push("MESSAGE REALTIME REFRESH");
        let after = thinking(&marks);
        assert!(after.done.is_empty() && after.losing.is_empty() && after.searching.is_none());
    }

    #[test]
    fn no_engine_fills_the_memory() {
        let mut thinking = thinking(&[]);
        for i in 0..1_000 {
            for line in [format!("INFO PV {i}"), "INFO BESTLINE 1,1".into(), "INFO PV DONE".into()]
            {
                thinking.take(&Reply::parse(&line));
            }
        }
        assert_eq!(thinking.lines.len(), LINES_MAX);
        let long = format!("INFO BESTLINE{}", " 1,1".repeat(500));
        for line in ["INFO PV 0", &long, "INFO PV DONE"] {
            thinking.take(&Reply::parse(line));
        }
        assert_eq!(thinking.lines[0].moves.len(), LENGTH_MAX);
    }
}
