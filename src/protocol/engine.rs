//! The main loop between the manager and the search.
//!
//! A reader thread and the search thread send events into one channel; the loop alone owns the
//! game, answers, and hands lines to the writer. It never waits for anything but that channel, so
//! that a stop, END and the deadline are always honoured, whatever the search or the pipe does.
//!
//! Lines read while a search runs are of two kinds. Those of the request's own burst are a script:
//! they wait for their turn. Those that come later act at once: a new limit or a stop reaches the
//! search, END leaves, and a command that changes the game cuts the search short and comes next.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use log::{debug, warn};

use super::burst::{End, Entry};
use super::command::{Command, Info};
use super::detail::{self, Detail};
use super::game::{Game, Purpose, Step, Task};
use super::output::Output;
use super::reply::Reply;
use super::request::{Lateness, Request};
use super::thinker::{Job, Memory, Product, Thinker};
use crate::search::clock::{Control, TimeControl};
use crate::search::{Limits, Override, Params, Report};
use crate::types::Coord;

/// What is read later than this after the request being thought about is no part of its script.
const SCRIPT_SPAN: Duration = Duration::from_millis(200);
/// What reaches the main loop.
pub enum Event {
    /// A line of input, or its end.
    Line(Entry),
    /// A search has finished an iteration.
    Iteration(u64, Report),
    /// A search is at a move of the root.
    RootMove(u64, Reply),
    /// A search has ended.
    Finished(u64),
}

/// The state of the main loop.
pub struct Engine {
    game: Game,
    thinker: Thinker,
    thinking: Option<Request>,
    /// The number of the work with the table that the lines wait for.
    table_task: Option<u64>,
    /// The search in the opponent's time.
    pondering: Option<Arc<Control>>,
    /// Lines not carried out yet, in order.
    queue: VecDeque<Entry>,
    /// Settings of the burst read last that acted at once on a search.
    informed: Vec<Entry>,
    /// When the last search was answered.
    idle_since: Instant,
    /// How late the loop was with the last answer.
    last_late: Duration,
    /// How late the answers were lately.
    lateness: Lateness,
    output: Output,
    /// How the input ends, once its end waits in the queue.
    end: Option<End>,
    inbox: Receiver<Event>,
    /// Goes when the end has been seen here, which tells the reader.
    end_unseen: Option<Sender<()>>,
    /// Counts the lines and events handled, which tells the reader that the loop gets on.
    progress: Arc<AtomicU64>,
    /// Beyond these no search goes.
    limits: Limits,
    /// Numbers of the search that differ from the defaults.
    overrides: Vec<Override>,
}

impl Engine {
    /// Returns an engine without a game, which hears of lines through `inbox` and of its own
    /// searches through `events` and `inbox`. It drops `end_unseen` when it sees the end of input
    /// and counts what it handles in `progress`; no search goes beyond `limits`, and all run with
    /// `overrides`.
    pub fn new(
        output: Output,
        events: Sender<Event>,
        inbox: Receiver<Event>,
        end_unseen: Sender<()>,
        progress: Arc<AtomicU64>,
        limits: Limits,
        overrides: Vec<Override>,
    ) -> Engine {
        Engine {
            game: Game::default(),
            thinker: Thinker::new(events),
            thinking: None,
            table_task: None,
            pondering: None,
            queue: VecDeque::new(),
            informed: Vec::new(),
            idle_since: Instant::now(),
            last_late: Duration::ZERO,
            lateness: Lateness::default(),
            output,
            end: None,
            inbox,
            end_unseen: Some(end_unseen),
            progress,
            limits,
            overrides,
        }
    }

    /// Runs until the end; returns what has yet to be written and how the input ended.
    pub fn run(&mut self) -> (&Output, End) {
        self.handle_events();
        self.stop_pondering();
        (&self.output, self.end.unwrap_or(End::Late))
    }

    fn handle_events(&mut self) {
        while self.carry_out_queue() {
            self.progress.fetch_add(1, Ordering::Relaxed);
            match self.next_event() {
                Ok(Event::Line(entry)) => {
                    if !self.sort_in(entry) {
                        return;
                    }
                }
                Ok(Event::Iteration(serial, report)) => {
                    if self.thinking.as_ref().is_some_and(|t| t.serial == serial) {
                        self.output.messages(&self.game.detail().of_report(&report));
                    }
                }
                Ok(Event::RootMove(serial, mark)) => {
                    if self.thinking.as_ref().is_some_and(|t| t.serial == serial) {
                        self.output.messages(&[mark]);
                    }
                }
                Ok(Event::Finished(serial)) => self.take_product(serial),
                Err(RecvTimeoutError::Timeout) => {
                    warn!("the search is late");
                    self.conclude(None);
                }
                // The thinker holds a sender.
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Takes what came of the thinker's work.
    fn take_product(&mut self, serial: u64) {
        let product = self.thinker.finish(serial);
        if self.table_task == Some(serial) {
            self.table_task = None;
            let text = match product {
                Some(Product::Text(text)) => text,
                _ => "the table could not be used".to_owned(),
            };
            self.output.answer(&Reply::Message(text));
        } else if self.thinking.as_ref().is_some_and(|thinking| thinking.serial == serial) {
            self.conclude(match product {
                Some(Product::Report(report)) => Some(report),
                _ => None,
            });
        }
    }

    /// Carries out the lines that wait, up to one to think about. Returns false if the program
    /// ends.
    fn carry_out_queue(&mut self) -> bool {
        while self.thinking.is_none() && self.table_task.is_none() {
            let Some(entry) = self.queue.pop_front() else { break };
            if !self.carry_out(entry) {
                return false;
            }
        }
        true
    }

    /// Waits for an event, at most until the deadline of the request being thought about.
    fn next_event(&self) -> Result<Event, RecvTimeoutError> {
        match self.thinking.as_ref().and_then(|thinking| thinking.deadline) {
            Some(deadline) => {
                self.inbox.recv_timeout(deadline.saturating_duration_since(Instant::now()))
            }
            None => self.inbox.recv().map_err(RecvTimeoutError::from),
        }
    }

    /// Puts a line into the queue, or lets it act at once. Returns false if the program ends.
    fn sort_in(&mut self, mut entry: Entry) -> bool {
        if entry.end.is_some() {
            self.end_unseen = None;
        }
        if self.informed.last().is_some_and(|info| info.burst != entry.burst) {
            self.informed.clear();
        }
        if let Some(thinking) = &mut self.thinking {
            let age = entry.line.at.saturating_duration_since(thinking.read_at);
            if entry.burst != thinking.burst || age > SCRIPT_SPAN {
                let text = entry.line.text.as_deref().unwrap_or_default();
                match Command::parse(text) {
                    _ if entry.end.is_some() => {
                        thinking.control.stop();
                        return false;
                    }
                    Ok(Command::Info(info)) if !thinking.is_interrupted => {
                        self.game.inform(info);
                        thinking.set_budget(self.game.settings().time_control());
                        if info != Info::Ignored {
                            self.informed.push(entry);
                        }
                        return true;
                    }
                    Ok(Command::Stop) => {
                        thinking.stop();
                        return true;
                    }
                    Ok(command) if self.game.would_change(&command) => {
                        thinking.interrupt();
                        entry.interrupts = true;
                        // What was set just ahead of a command is meant for it: set it again then.
                        self.queue.extend(self.informed.drain(..));
                    }
                    _ => {}
                }
            }
        } else if self.table_task.is_some() && entry.end == Some(End::Late) {
            return false;
        } else {
            // It may have ended the search before the command was read.
            self.queue.extend(self.informed.drain(..));
        }
        self.end = entry.end;
        self.queue.push_back(entry);
        let time = self.time_control();
        if let Some(thinking) = self.thinking.as_mut().filter(|_| self.end.is_some()) {
            thinking.set_budget(time);
        }
        true
    }

    /// Returns the time limits of a request as they stand now.
    fn time_control(&self) -> TimeControl {
        let settings = self.game.settings();
        match self.end {
            // Nobody is left to stop a search.
            Some(_) => settings.unattended_time_control(),
            None => settings.time_control(),
        }
    }

    /// Carries out a line in its turn. Returns false if the program ends.
    fn carry_out(&mut self, entry: Entry) -> bool {
        self.progress.fetch_add(1, Ordering::Relaxed);
        self.stop_pondering();
        let Some(text) = &entry.line.text else { return false };
        debug!("< {text}");
        match self.game.carry_out(text) {
            Step::Nothing => {}
            Step::Answer(replies) => {
                replies.iter().for_each(|reply| self.output.answer(reply));
            }
            Step::Think(task) => self.think(*task, &entry),
            Step::Table(task) => {
                let memory = self.memory();
                self.table_task = Some(self.thinker.start_table(task, memory));
            }
            Step::End => return false,
        }
        true
    }

    /// Returns what the searcher may use from now on.
    fn memory(&mut self) -> Memory {
        let settings = self.game.settings();
        let memory = settings.memory();
        let (threads, table_bytes) = (memory.threads(), memory.table_bytes());
        Memory { table_bytes, threads, forget: self.game.take_forget() }
    }

    /// Starts a search.
    fn think(&mut self, task: Task, entry: &Entry) {
        let Task { board, root, blocked, purpose } = task;
        let read_at = entry.line.at;
        // A line of a script has its time from the end of the one before.
        let start = read_at.max(self.idle_since);
        self.lateness.note(self.last_late + self.output.delay());
        let (excluded, burst) = (&root.excluded, entry.burst);
        let mut thinking =
            Request::new(&board, purpose, excluded, start, read_at, burst, self.lateness);
        let params = Params::with_overrides(board.rule(), &self.overrides);
        thinking.params = params.time.clone();
        let control = Arc::clone(&thinking.control);
        thinking.set_budget(self.time_control());
        if self.queue.iter().any(|later| later.interrupts && later.burst != entry.burst) {
            thinking.interrupt();
        }
        let settings = self.game.settings();
        let limits = Limits { root, ..settings.limits().within(&self.limits) };
        let (memory, detail) = (self.memory(), self.game.detail());
        let job = Job { board, purpose, limits, params, blocked, control, memory, detail };
        thinking.serial = self.thinker.start(job);
        self.thinking = Some(thinking);
    }

    /// Answers the request being thought about, with the search's report if there is one.
    fn conclude(&mut self, report: Option<Report>) {
        let Some(thinking) = self.thinking.take() else { return };
        thinking.control.stop();
        // A search stopped before its first iteration knows less than the fallback move.
        let report = report.filter(|report| report.depth > 0);
        if let Some(report) = &report {
            self.output.messages(&self.game.detail().of_report(report));
            if thinking.purpose == Purpose::Defence {
                detail::losing_moves(report).for_each(|mark| self.output.answer(&mark));
            }
        }
        let candidates =
            [report.as_ref().map(|report| report.best), thinking.control.best(), thinking.fallback];
        let candidates: Vec<Coord> = candidates.into_iter().flatten().collect();
        for reply in self.game.answers(thinking.purpose, &candidates, report.as_ref()) {
            self.output.answer(&reply);
            debug!("> {reply}");
        }
        self.last_late = thinking.lateness();
        self.game.settings_mut().clock_mut().spend(thinking.control.elapsed());
        self.idle_since = Instant::now();
        if self.queue.is_empty() && self.end.is_none() && thinking.purpose == Purpose::Move {
            self.ponder();
        }
    }

    /// Goes on to think in the opponent's time, if that is wanted. What comes of it is in the
    /// table; the next line ends it.
    fn ponder(&mut self) {
        let limits = self.game.settings().limits();
        let Some(board) = self.game.position_to_ponder().filter(|_| limits.strength.is_full())
        else {
            return;
        };
        let control = Arc::new(Control::new(Instant::now(), None));
        let limits = Limits { style: limits.style, ..Limits::default() }.within(&self.limits);
        let (memory, detail) = (self.memory(), Detail::default());
        let (blocked, purpose) = (self.game.blocked(), Purpose::Move);
        self.pondering = Some(Arc::clone(&control));
        let params = Params::with_overrides(board.rule(), &self.overrides);
        self.thinker.start(Job {
            board,
            purpose,
            limits,
            params,
            blocked,
            control,
            memory,
            detail,
        });
    }

    fn stop_pondering(&mut self) {
        if let Some(control) = self.pondering.take() {
            control.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::super::input::Line;
    use super::*;

    fn engine() -> Engine {
        let output = Output::new(std::io::sink(), || ()).unwrap();
        let (events, inbox) = channel();
        Engine::new(
            output,
            events,
            inbox,
            channel().0,
            Arc::default(),
            Limits::default(),
            Vec::new(),
        )
    }

    /// Lets lines of one burst come in.
    fn burst(engine: &mut Engine, burst: u64, at: Instant, lines: &[&str]) {
        for &text in lines {
            let line = Line { at, text: Some(text.to_owned()) };
            assert!(engine.sort_in(Entry { line, burst, end: None, interrupts: false }));
            assert!(engine.carry_out_queue());
        }
    }

    #[test]
    fn time_left_is_not_charged_for_the_search_it_ended() {
        let second = Duration::from_secs(1);
        let now = Instant::now();
        let mut engine = engine();
        engine.idle_since = now - 3 * second;
        let opening = ["START 15", "INFO timeout_turn 30000", "TURN 7,7"];
        burst(&mut engine, 0, now - 3 * second, &opening);
        burst(&mut engine, 1, now, &["INFO time_left 3000"]);
        // The search stops at once, and the rest of the burst is read after its answer.
        engine.conclude(None);
        burst(&mut engine, 1, now, &["TURN 0,0"]);
        assert_eq!(engine.game.settings().time_control().left, Some(3 * second));
        // Without a request in the same burst the search was what the time is left for.
        engine.conclude(None);
        engine.idle_since = now - second;
        burst(&mut engine, 2, now - second, &["TURN 14,14"]);
        burst(&mut engine, 3, now, &["INFO time_left 3000"]);
        engine.conclude(None);
        burst(&mut engine, 4, now, &["ABOUT"]);
        assert!(engine.game.settings().time_control().left < Some(2 * second + second / 2));
    }
}
