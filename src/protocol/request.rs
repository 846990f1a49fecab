//! A request of the manager that needs a search: its clock, what the search has told so far, and its
//! answers. Nobody relies on a search to end in time.

use std::sync::Arc;

use log::debug;
use tengen_gomocup::{Realtime, Reply};
use tengen_gomoku::types::Coord;

use super::detail::Detail;
use super::game::Game;
use super::input::InputLine;
use super::task::{Purpose, SearchTask};
use super::timing::{LATENESS_MAX, OVERRUN_MIN, SCRIPT_SPAN, STOP_GRACE, TICK, overrun};
use crate::opening::soosorv::SoosorvStep;
use crate::opening::swap2;
use crate::search::clock::{Budget, TimeControl};
use crate::search::control::Control;
use crate::search::{Placement, Report, RootOptions, Variation, fallback_move};
use crate::time::{Duration, Instant};

#[derive(Clone, Copy)]
pub struct Origin {
    pub read_at: Instant,
    pub batch: u64,
}

impl Origin {
    /// Returns true if a line is no part of the script of this one.
    pub fn is_before(self, line: &InputLine) -> bool {
        let span = line.read_at.saturating_duration_since(self.read_at);
        line.batch != self.batch || span > SCRIPT_SPAN
    }
}

/// The clocks of requests, and the reserve of their limits: on a busy machine the loop wakes up
/// late, and will do so again.
pub struct RequestClock {
    /// When the last search was answered.
    pub idle_since: Instant,
    /// Batch and end of the last task that was no search.
    pub task_end: Option<(u64, Instant)>,
    pub last_lateness: Duration,
    lateness: Duration,
}

impl RequestClock {
    pub fn new() -> RequestClock {
        let (last_lateness, lateness) = (Duration::ZERO, Duration::ZERO);
        RequestClock { idle_since: Instant::now(), task_end: None, last_lateness, lateness }
    }

    /// Returns when its line was read, or in a script when the search or task before it ended.
    pub fn start(&self, origin: Origin) -> Instant {
        let task_end = self.task_end.filter(|&(batch, _)| batch == origin.batch);
        task_end.map_or(origin.read_at, |(_, end)| end).max(origin.read_at).max(self.idle_since)
    }

    /// Returns the reserve of the next limits. `delay`: of the last line on its way to the manager.
    /// The worst lateness decays by an eighth with each answer.
    pub fn reserve(&mut self, delay: Duration) -> Duration {
        let late = (self.last_lateness + delay).min(LATENESS_MAX);
        self.lateness = late.max(self.lateness * 7 / 8);
        self.lateness
    }
}

pub struct Request {
    pub serial: u64,
    pub origin: Origin,
    pub purpose: Purpose,
    pub root: RootOptions,
    pub detail: Detail,
    pub control: Arc<Control>,
    pub deadline: Option<Instant>,
    pub last_iteration: Option<Report>,
    /// The PVs that an analysis has reported, and repeats only where they change.
    told: Vec<Variation>,
    /// When an analysis reports time and nodes again.
    pub next_tick: Option<Instant>,
    /// True if a later command ends the search; settings after that command wait.
    pub is_interrupted: bool,
    /// True if the last turn limit sent asks for the move at once.
    pub is_hurried: bool,
    reserve: Duration,
    stones: usize,
    moves_left: usize,
}

impl Request {
    /// Returns the request of a task, without limits, whose clock runs since `start`.
    pub fn new(task: &SearchTask, origin: Origin, start: Instant, reserve: Duration) -> Request {
        let SearchTask { board, purpose, limits, detail, .. } = task;
        let control = Control::new(start, None);
        if let Some(fallback) = fallback_move(board, &limits.root.excluded) {
            control.publish(fallback);
        }
        let stones = board.stone_count();
        let up_to_draw = limits.draw_rule.ahead_of(board).moves.saturating_sub(stones).max(1);
        Request {
            serial: 0,
            origin,
            purpose: *purpose,
            root: limits.root,
            detail: *detail,
            control: Arc::new(control),
            deadline: None,
            last_iteration: None,
            told: Vec::new(),
            next_tick: limits.root.is_analysis.then(|| start + TICK),
            is_interrupted: false,
            is_hurried: false,
            reserve,
            stones,
            moves_left: board.empty_count().min(up_to_draw),
        }
    }

    /// Returns the last report of the search to print, led by the first of `moves`.
    pub fn last_report(&self, report: Option<&Report>, moves: &[Coord]) -> Option<Report> {
        let last = report.cloned().or_else(|| {
            let last = self.last_iteration.as_ref()?;
            match self.purpose {
                // The pair is answered whole.
                Purpose::Balance(Placement::Two, _) => Some(last.clone()),
                _ => Some(last.clone().led_by(*moves.first()?)),
            }
        });
        match self.purpose {
            // The other PVs are fifth moves.
            Purpose::Soosorv(SoosorvStep::Fourth) => {
                last.map(|last| Report { others: Vec::new(), ..last })
            }
            _ => last,
        }
    }

    pub fn set_budget(&mut self, time: TimeControl) {
        let turn = if self.is_hurried { Some(Duration::ZERO) } else { time.turn };
        let time = TimeControl { turn, ..time };
        let budget = time.budget(self.stones, self.moves_left);
        let is_opening =
            matches!(self.purpose, Purpose::Swap2 | Purpose::Swap2Step | Purpose::Soosorv(_));
        let budget = if is_opening { Some(swap2::budget(budget)) } else { budget };
        let budget = budget.map(|budget| budget.less(self.reserve));
        self.control.set_budget(budget);
        if self.control.is_stopped() {
            return;
        }
        // A limit in the past leaves the search a moment to notice.
        let deadline = |Budget { hard, .. }| self.control.start.checked_add(hard + overrun(hard));
        let soonest = Instant::now() + OVERRUN_MIN;
        self.deadline = budget.and_then(deadline).map(|deadline| deadline.max(soonest));
    }

    /// Stores an iteration, and returns the lines about it: in an analysis those that changed, and
    /// none about a move that was not searched.
    pub fn note(&mut self, report: Report) -> Vec<Reply> {
        let lines = match report.depth {
            0 => Vec::new(),
            _ => self.detail.of_report(&report, &self.told),
        };
        self.last_iteration = Some(report);
        if !lines.is_empty() {
            self.put_tick_off();
        }
        lines
    }

    /// Notes that the lines about the last iteration were written.
    pub fn set_told(&mut self) {
        let is_told = |last: &&Report| self.next_tick.is_some() && last.depth > 0;
        let last = self.last_iteration.as_ref().filter(is_told);
        self.told = last.into_iter().flat_map(Report::variations).collect();
    }

    /// Returns the last report with new time and nodes, and lines that were dropped, if a tick is due.
    pub fn tick(&mut self) -> Vec<Reply> {
        if self.next_tick.is_none_or(|tick| tick > Instant::now()) {
            return Vec::new();
        }
        self.put_tick_off();
        let searched = self.last_iteration.clone().filter(|last| last.depth > 0);
        let Some(last) = searched else { return Vec::new() };
        let (nodes, elapsed) = (self.control.nodes(), self.control.elapsed());
        self.detail.of_tick(&Report { nodes, elapsed, ..last }, &self.told)
    }

    fn put_tick_off(&mut self) {
        self.next_tick = self.next_tick.map(|_| Instant::now() + TICK);
    }

    pub fn stop(&mut self) {
        self.control.stop();
        let soon = Instant::now() + STOP_GRACE;
        self.deadline = Some(self.deadline.map_or(soon, |deadline| deadline.min(soon)));
    }

    /// Plays what was found, or else the best move so far, and returns the answers.
    pub fn answers(&self, game: &mut Game, report: Option<Report>) -> Vec<Reply> {
        // Before the first iteration the fallback move is better.
        let report = report.filter(|report| report.depth > 0);
        let best = report.as_ref().map(|report| report.best);
        let moves: Vec<Coord> = best.into_iter().chain(self.control.best()).collect();
        let last = self.last_report(report.as_ref(), &moves);
        let mut replies = last.map_or(Vec::new(), |last| self.detail.of_report(&last, &[]));
        let known = report.as_ref().or(self.last_iteration.as_ref());
        if let Some(report) = known.filter(|_| self.purpose == Purpose::Defence) {
            let losers = report.variations().filter(|line| line.score.is_loss());
            replies.extend(losers.map(|line| Reply::Realtime(Realtime::Loses(line.pv[0].into()))));
        }
        for reply in game.answers(self.purpose, &moves, known) {
            debug!("> {reply}");
            replies.push(reply);
        }
        replies
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Score;
    use crate::search::{Blocked, DrawRule, Limits, Params};
    use tengen_gomoku::board::Board;
    use tengen_gomoku::types::Rule;

    fn request(moves: &str, limits: Limits) -> Request {
        let task = SearchTask {
            board: Board::after(15, Rule::Freestyle, moves),
            purpose: Purpose::Move,
            limits,
            params: Params::of(Rule::Freestyle),
            blocked: Blocked::default(),
            detail: Detail::default(),
            database: None,
        };
        let now = Instant::now();
        Request::new(&task, Origin { read_at: now, batch: 0 }, now, Duration::ZERO)
    }

    #[test]
    fn a_game_beyond_its_draw_is_planned_up_to_a_full_board() {
        let planned = |moves| {
            let draw_rule = DrawRule { moves, winner: None };
            let limits = Limits { draw_rule, ..Limits::default() };
            let mut request = request("h8h9i9i8g7f6j7k7", limits);
            let left = Some(Duration::from_secs(20));
            request.set_budget(TimeControl { left, ..TimeControl::default() });
            request.control.soft()
        };
        let whole = planned(usize::MAX);
        assert!(whole.is_some() && [4, 8].map(planned) == [whole; 2]);
        assert!(planned(9) > whole);
    }

    #[test]
    fn an_analysis_reports_what_has_changed_and_ticks() {
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
        for is_analysis in [true, false] {
            let root = RootOptions { is_analysis, ..RootOptions::default() };
            let mut request = request("h8i9", Limits { root, ..Limits::default() });
            assert!(request.tick().is_empty());
            let unsearched = Report::unsearched(Coord::new(7, 7));
            assert!(request.note(unsearched).is_empty());
            request.set_told();
            assert_eq!(places(request.note(report(4, line(1, 4)))), ["1", "2"]);
            request.set_told();
            let changed = places(request.note(report(5, line(1, 4))));
            assert_eq!(changed, if is_analysis { vec!["1"] } else { vec!["1", "2"] });
            request.set_told();
            let changed = places(request.note(report(5, line(2, 5))));
            assert_eq!(changed, if is_analysis { vec!["2"] } else { vec!["1", "2"] });
            assert_eq!(request.next_tick.is_some(), is_analysis);
            let Some(tick) = &mut request.next_tick else { continue };
            assert!(*tick > Instant::now());
            *tick = Instant::now();
            request.control.count(1_234);
            // The last lines were not written. Time and nodes follow.
            assert_eq!(places(request.tick()), ["2", "1234"]);
            request.set_told();
            request.next_tick = Some(Instant::now());
            let [line] = &request.tick()[..] else { panic!("one line") };
            let text = line.to_string();
            assert!(text.starts_with("MESSAGE depth 5-5 n 1234 n/ms "), "{text}");
            assert!(request.tick().is_empty() && request.deadline.is_none());
        }
    }

    #[test]
    fn lateness_fades_and_has_a_limit() {
        let ms = Duration::from_millis;
        let mut clock = RequestClock::new();
        clock.last_lateness = ms(3);
        assert_eq!(clock.reserve(ms(5)), ms(8));
        clock.last_lateness = ms(0);
        assert_eq!(clock.reserve(ms(0)), ms(7));
        assert_eq!(clock.reserve(ms(10_000)), LATENESS_MAX);
    }
}
