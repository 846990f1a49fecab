//! The request that a search runs for: its control, its deadline, and what cuts the search short.
//!
//! Knows how long the loop waits for a search, which may fail to end in time. Knows no lines of
//! input and no game. Its times and the search's are measured from the same start.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tengen_gomocup::{Info, Reply};

use super::super::detail::Detail;
use super::super::task::{Asker, Purpose, SearchTask};
use crate::board::Board;
use crate::opening::soosorv::Step;
use crate::opening::swap2;
use crate::search::clock::{Budget, TimeControl};
use crate::search::control::Control;
use crate::search::{Limits, Placement, Report, TimeParams, Variation, fallback_move};
use crate::types::{CellSet, Coord};

/// How long a search that was told to stop may take before the loop answers in its place.
const STOP_GRACE: Duration = Duration::from_millis(20);
/// How long a search may overrun its hard limit before the loop answers: a part of the limit within
/// these bounds. It leaves most of the reserve to the answer's way to the manager.
const DEADLINE_GRACE: Duration = Duration::from_millis(1);
const DEADLINE_GRACE_MAX: Duration = Duration::from_millis(5);
const DEADLINE_GRACE_DIV: u32 = 200;

/// An analysis reports its time and nodes after so long a silence.
const TICK: Duration = Duration::from_secs(1);

/// How late the last answers were. On a busy machine the loop wakes some time after its deadline,
/// and will do so again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lateness(Duration);

impl Lateness {
    /// A longer delay comes from a machine that stood still, not from a busy one.
    const MAX: Duration = Duration::from_millis(50);

    /// Takes note of how late an answer was. The worst is forgotten by an eighth with each answer.
    pub fn note(&mut self, late: Duration) {
        self.0 = late.min(Lateness::MAX).max(self.0 * 7 / 8);
    }
}

/// A request that a search runs for.
pub struct Request {
    /// The number of its search.
    pub serial: u64,
    /// What the result is for.
    pub purpose: Purpose,
    /// Who asks.
    pub asker: Asker,
    /// What is told of the search, as it was set when it was asked for.
    pub detail: Detail,
    /// What the search and the loop share.
    pub control: Arc<Control>,
    /// When it was read.
    pub read_at: Instant,
    /// The batch in which it was read.
    pub batch: u64,
    /// When the loop itself answers.
    pub deadline: Option<Instant>,
    /// The last report that its search told of.
    pub told: Option<Report>,
    /// When an analysis tells of its time and nodes again.
    pub next_tick: Option<Instant>,
    /// True if a later command cuts the search short; settings behind that command wait for it.
    pub is_interrupted: bool,
    /// True if the last turn limit that came while it waited or ran asks for the move at once.
    pub is_hurried: bool,
    /// True if a command ended the search.
    pub is_stopped: bool,
    /// What its limits are shortened by.
    reserve: Lateness,
    /// The parameters by which its time is planned.
    params: TimeParams,
    /// The position, our side to move.
    board: Board,
    /// The number of stones at which the game is drawn.
    draw_at_stones: usize,
    /// Moves that must not be the answer, unless no other one is legal.
    excluded: CellSet,
}

impl Request {
    /// Returns the request of a task, whose clock runs since `start`, without limits and without a
    /// search. Its limits will be planned by `params` and shortened by `lateness`.
    pub fn new(
        task: &SearchTask,
        start: Instant,
        read_at: Instant,
        batch: u64,
        lateness: Lateness,
        params: TimeParams,
    ) -> Request {
        Request {
            serial: 0,
            purpose: task.purpose,
            asker: task.asker,
            detail: task.detail,
            control: Arc::new(Control::new(start, None)),
            read_at,
            batch,
            deadline: None,
            told: None,
            next_tick: (task.asker == Asker::Analysis).then(|| start + TICK),
            is_interrupted: false,
            is_hurried: false,
            is_stopped: false,
            reserve: lateness,
            params,
            board: task.board.clone(),
            draw_at_stones: task.limits.draw_rule.ahead_of(&task.board).moves,
            excluded: task.limits.root.excluded,
        }
    }

    /// Returns the moves to answer with, the best one first: the report's and the one that the
    /// search has published. Without a report the fallback move comes last, since the search may
    /// have failed before it published a move.
    pub fn moves(&self, report: Option<&Report>) -> Vec<Coord> {
        let published = self.control.best();
        let moves = match report {
            Some(report) => [Some(report.best), published],
            None => [published, fallback_move(&self.board, &self.excluded)],
        };
        moves.into_iter().flatten().collect()
    }

    /// Returns what is told last of the search: its own report, or without one the last that it
    /// told of, if there was any, with the move to be answered, the first of `moves`.
    pub fn last_report(&self, report: Option<&Report>, moves: &[Coord]) -> Option<Report> {
        let last = report.cloned().or_else(|| {
            let told = self.told.as_ref()?;
            match self.purpose {
                // The pair that it found is answered whole.
                Purpose::Balance(Placement::Two, _) => Some(told.clone()),
                _ => Some(told.clone().led_by(*moves.first()?)),
            }
        });
        match self.purpose {
            // The further variations are fifth moves, and no other choices of the fourth.
            Purpose::Soosorv(Step::Fourth) => {
                last.map(|last| Report { others: Vec::new(), ..last })
            }
            _ => last,
        }
    }

    /// Takes note of a setting that came while it waited or ran.
    pub fn hear(&mut self, info: Info) {
        match info {
            Info::TimeoutTurn(0) => self.is_hurried = true,
            Info::TimeoutTurn(1..) => self.is_hurried = false,
            _ => {}
        }
    }

    /// Sets the time limits, measured from the start of the search.
    pub fn set_budget(&mut self, time: TimeControl) {
        let turn = if self.is_hurried { Some(Duration::ZERO) } else { time.turn };
        let time = TimeControl { turn, ..time };
        let stones = self.board.stone_count();
        let moves_left = self.draw_at_stones.saturating_sub(stones).max(1);
        let free = self.board.empty_count().min(moves_left);
        let budget = time.budget(&self.params, stones, free);
        let budget = match self.purpose {
            Purpose::Move | Purpose::MoveOrSwap | Purpose::Defence | Purpose::Balance(..) => budget,
            Purpose::Swap2 | Purpose::Soosorv(_) => Some(swap2::budget(budget)),
        };
        let budget = budget.map(|budget| budget.less(self.reserve.0));
        self.control.set_budget(budget);
        if self.control.is_stopped() {
            return;
        }
        // A limit that lies in the past already still leaves the search a moment to notice.
        self.deadline = budget.and_then(|budget| deadline(self.control.start(), budget));
        self.deadline = self.deadline.map(|at| at.max(Instant::now() + DEADLINE_GRACE));
    }

    /// Limits nodes and depth besides the limits that the search began with.
    pub fn set_limits(&self, limits: &Limits) {
        self.control.set_node_limit(limits.nodes);
        self.control.set_depth_limit(limits.depth);
    }

    /// Takes note of a report that its search tells of, and returns the lines about it: in an
    /// analysis those that have changed, and none of a move that was not searched.
    pub fn note(&mut self, report: Report) -> Vec<Reply> {
        let lines = match &self.told {
            _ if report.depth == 0 => Vec::new(),
            Some(told) if self.next_tick.is_some() && told.depth > 0 => {
                let known: Vec<Variation> = told.variations().collect();
                self.detail.of_changes(&report, &known)
            }
            _ => self.detail.of_report(&report),
        };
        self.told = Some(report);
        if !lines.is_empty() {
            self.put_tick_off();
        }
        lines
    }

    /// Returns the last report once more if a tick of an analysis is due, with the time and the
    /// nodes as they are now.
    pub fn tick(&mut self) -> Vec<Reply> {
        if self.next_tick.is_none_or(|tick| tick > Instant::now()) {
            return Vec::new();
        }
        self.put_tick_off();
        let told = self.told.clone().map(|told| Report {
            nodes: self.control.nodes(),
            elapsed: self.control.elapsed(),
            ..told
        });
        told.map_or(Vec::new(), |told| self.detail.of_tick(&told))
    }

    /// Lets the next tick of an analysis come a whole interval from now.
    fn put_tick_off(&mut self) {
        self.next_tick = self.next_tick.map(|_| Instant::now() + TICK);
    }

    /// Returns when the loop has something to do for this request, if no event comes before.
    pub fn wake_at(&self) -> Option<Instant> {
        self.deadline.into_iter().chain(self.next_tick).min()
    }

    /// Returns true if the loop should have answered by now.
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| deadline <= Instant::now())
    }

    /// Returns how long ago the loop should have answered.
    pub fn overdue(&self) -> Duration {
        self.deadline.map_or(Duration::ZERO, |deadline| deadline.elapsed())
    }

    /// Tells the search to end now, because a command waits for it.
    pub fn interrupt(&mut self) {
        self.is_interrupted = true;
        self.stop();
    }

    /// Tells the search to end now.
    pub fn stop(&mut self) {
        self.is_stopped = true;
        self.control.stop();
        let soon = Instant::now() + STOP_GRACE;
        self.deadline = Some(self.deadline.map_or(soon, |deadline| deadline.min(soon)));
    }
}

/// Returns when the loop answers in the place of a search that ignores its hard limit.
fn deadline(start: Instant, budget: Budget) -> Option<Instant> {
    let grace = (budget.hard / DEADLINE_GRACE_DIV).clamp(DEADLINE_GRACE, DEADLINE_GRACE_MAX);
    start.checked_add(budget.hard + grace)
}

#[cfg(test)]
mod tests {
    use super::super::super::detail::Detail;
    use super::super::super::task::Access;
    use super::*;
    use crate::search::{Blocked, DrawRule};
    use crate::types::{Rule, Score};

    fn request(moves: &str, asker: Asker, limits: Limits) -> Request {
        let task = SearchTask {
            board: Board::after(15, Rule::Freestyle, moves),
            purpose: Purpose::Move,
            asker,
            limits,
            blocked: Blocked::default(),
            detail: Detail::default(),
            database: Access::None,
        };
        let (now, params) = (Instant::now(), TimeParams::of(Rule::Freestyle));
        Request::new(&task, now, now, 0, Lateness::default(), params)
    }

    #[test]
    fn a_game_beyond_its_draw_is_planned_up_to_a_full_board() {
        let planned = |moves| {
            let draw_rule = DrawRule { moves, winner: None };
            let limits = Limits { draw_rule, ..Limits::default() };
            let mut request = request("h8h9i9i8g7f6j7k7", Asker::Game, limits);
            let left = Some(Duration::from_secs(20));
            request.set_budget(TimeControl { left, ..TimeControl::default() });
            request.control.soft()
        };
        let whole = planned(usize::MAX);
        assert!(whole.is_some() && [4, 8].map(planned) == [whole; 2]);
        assert!(planned(9) > whole);
    }

    #[test]
    fn an_analysis_tells_what_has_changed_and_ticks() {
        let line =
            |x, depth| Variation { score: Score::eval(9), pv: vec![Coord::new(x, 0)], depth };
        let report = |depth, second: Variation| Report {
            score: Score::eval(10),
            depth,
            others: vec![second],
            ..Report::unsearched(Coord::new(0, 0))
        };
        let places = |lines: Vec<Reply>| -> Vec<String> {
            let place = |line: &Reply| line.to_string().split(' ').nth(4).unwrap().to_owned();
            lines.iter().map(place).collect()
        };
        for asker in [Asker::Analysis, Asker::Game] {
            let is_analysis = asker == Asker::Analysis;
            let mut request = request("h8i9", asker, Limits::default());
            assert!(request.tick().is_empty());
            let unsearched = Report::unsearched(Coord::new(7, 7));
            assert!(request.note(unsearched).is_empty());
            assert_eq!(places(request.note(report(4, line(1, 4)))), ["1", "2"]);
            let changed = places(request.note(report(5, line(1, 4))));
            assert_eq!(changed, if is_analysis { vec!["1"] } else { vec!["1", "2"] });
            let changed = places(request.note(report(5, line(2, 5))));
            assert_eq!(changed, if is_analysis { vec!["2"] } else { vec!["1", "2"] });
            assert_eq!(request.wake_at().is_some(), is_analysis);
            let Some(tick) = &mut request.next_tick else { continue };
            assert!(*tick > Instant::now());
            *tick = Instant::now();
            request.control.count(1_234);
            let [Reply::Message(text)] = &request.tick()[..] else { panic!("one line") };
            assert!(text.starts_with("depth 5-5 multipv 1 ev 10 n 1234 "), "{text}");
            assert!(request.tick().is_empty() && !request.is_late());
        }
    }

    #[test]
    fn lateness_fades_and_has_a_limit() {
        let ms = Duration::from_millis;
        let mut lateness = Lateness::default();
        lateness.note(ms(8));
        assert_eq!(lateness, Lateness(ms(8)));
        lateness.note(ms(0));
        assert_eq!(lateness, Lateness(ms(7)));
        lateness.note(ms(10_000));
        assert_eq!(lateness, Lateness(Lateness::MAX));
    }
}
