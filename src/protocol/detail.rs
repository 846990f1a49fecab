//! Replies about a running search: the message that managers parse, and the details that
//! Yixin-Board and gomocalc ask for. A tournament manager never sees more than the message.

use std::time::Duration;

use tengen_gomocup::{Evaluation, PvInfo, Realtime, Reply, Summary, milliseconds};
use tengen_gomoku::types::{BoardSize, Coord, Rule};

use super::timing::FIRST_ROOT_MOVE;
use crate::eval::win_rate::win_rate;
use crate::score::{Score, ScoreKind};
use crate::search::{Progress, Report, Variation};

/// Moves of a PV in a message, which keeps it far below 1,000 bytes.
const PV_LENGTH: usize = 60;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// Marks on the board.
    pub realtime: bool,
    pub numbers: bool,
    /// The board size of Yixin-Board, which sends rows first and counts them from below in names.
    pub yixin_board: Option<BoardSize>,
    pub rule: Rule,
    /// True if several PVs are asked for, which are numbered then.
    pub is_multi_pv: bool,
}

impl Detail {
    /// Returns the lines about a report, without PVs in `known`.
    pub fn of_report(&self, report: &Report, known: &[Variation]) -> Vec<Reply> {
        let mut replies = self.of_variations(report, known);
        if self.realtime {
            let marks = [
                Realtime::Refresh,
                Realtime::Best(report.best.into()),
                Realtime::Value(report.score.value()),
                Realtime::Pv(self.named(&report.pv)),
            ];
            replies.extend(marks.map(Reply::Realtime));
        }
        replies
    }

    /// Returns the lines of a tick. A single PV is repeated with the new time and nodes. Of several
    /// PVs only those not in `known` are repeated, and a line without a PV has time and nodes: some
    /// clients take the first PV for a new list.
    pub fn of_tick(&self, report: &Report, known: &[Variation]) -> Vec<Reply> {
        let is_single = !self.is_numbered(report);
        let mut replies = self.of_variations(report, if is_single { &[] } else { known });
        if !is_single {
            let bare = Variation { score: report.score, pv: Vec::new(), depth: report.depth };
            let summary = self.summary(report, &bare, None);
            replies.push(Reply::Summary(Summary { evaluation: None, ..summary }));
        }
        replies
    }

    fn is_numbered(&self, report: &Report) -> bool {
        self.is_multi_pv || !report.others.is_empty()
    }

    fn of_variations(&self, report: &Report, known: &[Variation]) -> Vec<Reply> {
        let all: Vec<Variation> = report.variations().collect();
        let lines = || all.iter().enumerate().filter(|&(i, line)| known.get(i) != Some(line));
        let numbered = |i| self.is_numbered(report).then_some(i + 1);
        let summary = |(i, line)| Reply::Summary(self.summary(report, line, numbered(i)));
        let mut replies: Vec<Reply> = lines().map(summary).collect();
        if self.numbers {
            for (i, line) in lines() {
                let numbers = [
                    PvInfo::Index(i),
                    PvInfo::Count(all.len()),
                    PvInfo::Depth(depth(report, line)),
                    PvInfo::SelectiveDepth(selective_depth(report, line)),
                    PvInfo::Nodes(report.nodes),
                    PvInfo::TotalNodes(report.nodes),
                    PvInfo::Time(milliseconds(report.elapsed).unsigned_abs()),
                    PvInfo::Speed(speed(report)),
                    PvInfo::Evaluation(evaluation(line.score)),
                    PvInfo::WinRate(win_rate(self.rule, line.score)),
                    PvInfo::Moves(line.pv.iter().take(PV_LENGTH).copied().collect()),
                    PvInfo::Done,
                ];
                replies.extend(numbers.map(Reply::PvInfo));
            }
        }
        replies
    }

    pub fn of_root_move(&self, progress: Progress, elapsed: Duration) -> Option<Reply> {
        let mark = match progress {
            _ if !self.realtime || elapsed < FIRST_ROOT_MOVE => return None,
            Progress::Report(_) => return None,
            Progress::Entering(mv) => Realtime::Searching(mv.into()),
            Progress::Leaving { mv, loses: false } => Realtime::Done(mv.into()),
            Progress::Leaving { mv, loses: true } => Realtime::Loses(mv.into()),
        };
        Some(Reply::Realtime(mark))
    }

    fn summary(&self, report: &Report, line: &Variation, number: Option<usize>) -> Summary {
        Summary {
            depth: depth(report, line),
            selective_depth: Some(selective_depth(report, line)),
            multi_pv: number,
            evaluation: Some(evaluation(line.score)),
            nodes: Some(report.nodes),
            speed: Some(speed(report) / 1_000),
            time: Some(milliseconds(report.elapsed).unsigned_abs()),
            pv: self.named(&line.pv),
        }
    }

    /// Returns the first points as the manager names them. Yixin-Board's letters are our rows.
    fn named(&self, pv: &[Coord]) -> Vec<Coord> {
        let named = |&mv: &Coord| match self.yixin_board {
            None => mv,
            Some(size) => Coord::new(mv.y(), (size.width() - 1).saturating_sub(mv.x())),
        };
        pv.iter().take(PV_LENGTH).map(named).collect()
    }
}

fn evaluation(score: Score) -> Evaluation {
    match score.kind() {
        ScoreKind::Eval(value) => Evaluation::Score(value.into()),
        ScoreKind::Win(plies) => Evaluation::Win(plies.unsigned_abs()),
        ScoreKind::Loss(plies) => Evaluation::Loss(plies.unsigned_abs()),
    }
}

/// Returns the depth of the iteration, also for a line that it has not searched yet: clients take
/// the lines of one depth for a list, in which no move has two places.
fn depth(report: &Report, line: &Variation) -> u32 {
    report.depth.max(line.depth).unsigned_abs()
}

/// At least the depth, even if all lines ended before it.
fn selective_depth(report: &Report, line: &Variation) -> u32 {
    report.selective_depth.unsigned_abs().max(depth(report, line))
}

fn speed(report: &Report) -> u64 {
    let speed = u128::from(report.nodes) * 1_000_000 / report.elapsed.as_micros().max(1);
    u64::try_from(speed).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        Report {
            best: Coord::new(7, 7),
            score: Score::eval(31),
            depth: 12,
            selective_depth: 20,
            nodes: 450_000,
            elapsed: Duration::from_millis(500),
            pv: vec![Coord::new(7, 7), Coord::new(8, 8)],
            ..Report::unsearched(Coord::new(7, 7))
        }
    }

    fn lines(detail: Detail, report: &Report) -> Vec<String> {
        detail.of_report(report, &[]).iter().map(Reply::to_string).collect()
    }

    #[test]
    fn progress_has_the_form_that_managers_parse() {
        let mut report = report();
        let text = "MESSAGE depth 12-20 ev 31 n 450K n/ms 900 tm 500 pv h8 i9";
        assert_eq!(lines(Detail::default(), &report), [text]);
        for (nodes, milliseconds, numbers) in [
            (0, 0, "n 0 n/ms 0 tm 0"),
            (9_999, 10, "n 9999 n/ms 999 tm 10"),
            (10_000, 9, "n 10K n/ms 1111 tm 9"),
            (99_999_999_999, 1_000_000, "n 99999M n/ms 99999 tm 1000000"),
            (100_000_000_000, 1_000_000, "n 100G n/ms 100000 tm 1000000"),
        ] {
            report.nodes = nodes;
            report.elapsed = Duration::from_millis(milliseconds);
            let text = format!("MESSAGE depth 12-20 ev 31 {numbers} pv h8 i9");
            assert_eq!(lines(Detail::default(), &report), [text]);
        }
        report.pv = vec![Coord::new(21, 21); 484];
        report.nodes = u64::MAX;
        report.elapsed = Duration::ZERO;
        assert!(lines(Detail::default(), &report)[0].len() < 1_000);
    }

    #[test]
    fn the_selective_depth_is_never_below_the_depth() {
        let report = Report { depth: 6, selective_depth: 5, ..report() };
        let detail = Detail { numbers: true, ..Detail::default() };
        let lines = lines(detail, &report);
        assert!(lines[0].starts_with("MESSAGE depth 6-6 "), "{lines:?}");
        assert!(lines.contains(&"INFO SELDEPTH 6".to_owned()), "{lines:?}");
    }

    #[test]
    fn every_line_has_its_number_where_there_are_several() {
        let mut report = report();
        let pv = vec![Coord::new(0, 1)];
        report.others = vec![Variation { score: Score::loss_in(8), pv, depth: 11 }];
        let expected = [
            "MESSAGE depth 12-20 multipv 1 ev 31 n 450K n/ms 900 tm 500 pv h8 i9",
            "MESSAGE depth 12-20 multipv 2 ev -M8 n 450K n/ms 900 tm 500 pv a2",
        ];
        assert_eq!(lines(Detail::default(), &report), expected);
    }

    #[test]
    fn marks_come_in_the_form_of_yixin_board() {
        let mut report = report();
        report.pv[1] = Coord::new(0, 3);
        let size = BoardSize::new(15, 15).unwrap();
        let detail = Detail { realtime: true, yixin_board: Some(size), ..Detail::default() };
        let expected = [
            "MESSAGE depth 12-20 ev 31 n 450K n/ms 900 tm 500 pv h8 d15",
            "MESSAGE REALTIME REFRESH",
            "MESSAGE REALTIME BEST 7,7",
            "MESSAGE REALTIME VAL 31",
            "MESSAGE REALTIME PV h8 d15",
        ];
        assert_eq!(lines(detail, &report), expected);
        let mv = Coord::new(3, 4);
        let moves = [
            (Progress::Entering(mv), "MESSAGE REALTIME POS 3,4"),
            (Progress::Leaving { mv, loses: false }, "MESSAGE REALTIME DONE 3,4"),
            (Progress::Leaving { mv, loses: true }, "MESSAGE REALTIME LOST 3,4"),
        ];
        for (progress, text) in moves {
            let mark = |detail: Detail, elapsed| detail.of_root_move(progress, elapsed);
            assert_eq!(mark(detail, FIRST_ROOT_MOVE).unwrap().to_string(), text);
            assert_eq!(mark(detail, FIRST_ROOT_MOVE / 2), None);
            assert_eq!(mark(Detail::default(), FIRST_ROOT_MOVE), None);
        }
    }

    #[test]
    fn numbers_come_in_the_form_of_gomocalc() {
        let mut report = report();
        report.others =
            vec![Variation { score: Score::win_in(5), pv: vec![Coord::new(1, 2)], depth: 11 }];
        let detail = Detail { numbers: true, ..Detail::default() };
        let known: Vec<Variation> = report.variations().collect();
        let tick: Vec<_> = detail.of_tick(&report, &known).iter().map(Reply::to_string).collect();
        assert_eq!(tick, ["MESSAGE depth 12-20 n 450K n/ms 900 tm 500"]);
        let lines = lines(detail, &report);
        let expected = [
            "INFO PV 0",
            "INFO NUMPV 2",
            "INFO DEPTH 12",
            "INFO SELDEPTH 20",
            "INFO NODES 450000",
            "INFO TOTALNODES 450000",
            "INFO TOTALTIME 500",
            "INFO SPEED 900000",
            "INFO EVAL 31",
            "INFO WINRATE 0.5452",
            "INFO BESTLINE 7,7 8,8",
            "INFO PV DONE",
        ];
        assert_eq!(lines[2..14], expected);
        assert!(lines[14..].iter().any(|line| line == "INFO EVAL +M5"));
        assert!(lines[14..].iter().any(|line| line == "INFO WINRATE 1.0000"));
        assert_eq!(lines.len(), 26);
    }
}
