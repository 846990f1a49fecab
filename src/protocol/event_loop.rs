//! The event loop between the manager and the search.
//!
//! The reader thread and the search thread send events into one channel. The loop alone owns the
//! game, answers, and hands lines to the writer thread. It waits for that channel only, so that a
//! stop, END and the deadline are always honoured, whatever the search or the pipe does.
//!
//! Lines read while a search runs are of two kinds. Lines of the request's own batch are a script:
//! they wait for their turn. Some later lines act at once: a limit or a stop reaches the search,
//! END ends the program, and a command that changes the game ends the search, as well as those that
//! the script begins before the command's turn.
//!
//! Here is which line is executed when. `line_queue` has the lines that wait, `request` what a
//! search runs for, `answering` how it is answered, `pondering` the search in the opponent's time.

mod answering;
mod line_queue;
mod pondering;
mod request;
mod search_log;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use log::{debug, warn};
use tengen_gomocup::{Command, Info, Reply};

use super::event::Event;
use super::game::{Action, Game};
use super::output::Output;
use super::reading::{End, InputLine};
use super::search_thread::SearchThread;
use super::task::{Asker, SearchTask};
use crate::search::clock::TimeControl;
use crate::search::{Limits, Override, Params};
use line_queue::{Effect, LineQueue};
use pondering::Pondering;
use request::{Lateness, Request};

/// A line read this much later than a request or a task is no part of its script.
const SCRIPT_SPAN: Duration = Duration::from_millis(200);

/// How long the end may wait for the database to take what the last search found. It counts as time
/// for the last answers, too.
const STORING_GRACE: Duration = Duration::from_millis(300);

/// A task that the lines behind it wait for.
struct AwaitedTask {
    serial: u64,
    /// When the line that asked for it was read.
    read_at: Instant,
    /// The batch of that line.
    batch: u64,
}

/// The state of the event loop.
pub struct EventLoop {
    game: Game,
    search_thread: SearchThread,
    /// The request that a search runs for.
    request: Option<Request>,
    /// The task with the table or the database that the lines wait for.
    awaited_task: Option<AwaitedTask>,
    /// The batch of the last such task, and when it ended.
    task_end: Option<(u64, Instant)>,
    /// The search in the opponent's time, once it has begun.
    pondering: Option<Pondering>,
    /// True after our move, until `YXSTOP`: an idle engine may search in the opponent's time.
    may_ponder: bool,
    /// Lines not executed yet, in order.
    queue: LineQueue,
    /// When the last search was answered.
    idle_since: Instant,
    /// How late the loop was with the last answer.
    last_lateness: Duration,
    /// How late the answers were lately.
    lateness: Lateness,
    output: Output,
    /// How the input ends, once its end waits in the queue.
    end: Option<End>,
    inbox: Receiver<Event>,
    /// Dropped when the loop has received the end of input; the reader waits for that.
    end_unseen: Option<Sender<()>>,
    /// The count of lines and events handled. The reader sees by it that the loop is not stuck.
    progress: Arc<AtomicU64>,
    /// The limits of every search, whatever the manager sets.
    limits: Limits,
    /// Parameters of the search that differ from the defaults.
    overrides: Vec<Override>,
}

impl EventLoop {
    /// Returns an event loop without a game. `inbox` receives its events, and `events` sends to
    /// `inbox`. The loop drops `end_unseen` when it receives the end of input, and counts what it
    /// handles in `progress`. No search goes beyond `limits`, and all run with `overrides`.
    pub fn new(
        output: Output,
        events: Sender<Event>,
        inbox: Receiver<Event>,
        end_unseen: Sender<()>,
        progress: Arc<AtomicU64>,
        limits: Limits,
        overrides: Vec<Override>,
    ) -> EventLoop {
        EventLoop {
            game: Game::default(),
            search_thread: SearchThread::new(events),
            request: None,
            awaited_task: None,
            task_end: None,
            pondering: None,
            may_ponder: false,
            queue: LineQueue::default(),
            idle_since: Instant::now(),
            last_lateness: Duration::ZERO,
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

    /// Runs until the end; returns what has yet to be written, how the input ended, and when.
    pub fn run(&mut self) -> (&Output, End, Instant) {
        self.handle_events();
        let end = Instant::now();
        self.stop_pondering();
        self.search_thread.finish_storing(STORING_GRACE);
        (&self.output, self.end.unwrap_or(End::Late), end)
    }

    fn handle_events(&mut self) {
        while self.execute_queue() {
            self.progress.fetch_add(1, Ordering::Relaxed);
            self.ponder_if_idle();
            match self.next_event() {
                Ok(Event::Line(line)) => {
                    if !self.receive(line) {
                        return;
                    }
                }
                Ok(Event::Report(serial, report)) => {
                    if let Some(request) = self.current(serial) {
                        let lines = request.note(report);
                        self.output.messages(&lines);
                    }
                }
                Ok(Event::RootMove(serial, mark)) => {
                    if self.current(serial).is_some() {
                        self.output.messages(&[mark]);
                    }
                }
                Ok(Event::Notice(notice)) => self.output.messages(&[notice]),
                Ok(Event::Finished(serial)) => self.finish(serial),
                Err(RecvTimeoutError::Timeout) => self.wake(),
                // Cannot happen: the search thread holds a sender.
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Executes the lines that wait, up to the first that starts a task. Returns false if the
    /// program ends.
    fn execute_queue(&mut self) -> bool {
        while self.request.is_none() && self.awaited_task.is_none() {
            let Some(line) = self.queue.pop() else { break };
            if !self.execute(line) {
                return false;
            }
        }
        true
    }

    /// Answers a request whose search is late, or lets an analysis tick.
    fn wake(&mut self) {
        let Some(request) = &mut self.request else { return };
        if request.is_late() {
            warn!("the search is late");
            self.answer(None);
        } else {
            let lines = request.tick();
            self.output.messages(&lines);
        }
    }

    /// Waits for an event, at most until the request needs the loop.
    fn next_event(&self) -> Result<Event, RecvTimeoutError> {
        match self.request.as_ref().and_then(Request::wake_at) {
            Some(deadline) => {
                self.inbox.recv_timeout(deadline.saturating_duration_since(Instant::now()))
            }
            None => self.inbox.recv().map_err(RecvTimeoutError::from),
        }
    }

    /// Puts a line into the queue, or lets it act at once. Returns false if the program ends.
    fn receive(&mut self, line: InputLine) -> bool {
        if line.end.is_some() {
            self.end_unseen = None;
        }
        match (self.effect(&line), &mut self.request) {
            (Effect::Leave, request) => {
                request.iter().for_each(|request| request.control.stop());
                return false;
            }
            (Effect::Set(info), Some(request)) => {
                let before = (request.is_hurried, self.game.settings().time_control(request.asker));
                self.game.inform(info);
                request.hear(info);
                let settings = self.game.settings();
                let time = settings.time_control(request.asker);
                if matches!(info, Info::MaxNode(_) | Info::MaxDepth(_)) {
                    request.set_limits(&settings.limits());
                } else if (request.is_hurried, time) != before {
                    request.set_budget(time);
                }
                if info != Info::Ignored {
                    self.queue.push_early_setting(line);
                }
            }
            (Effect::Stop, Some(request)) => request.stop(),
            (Effect::Interrupt, Some(request)) => {
                request.interrupt();
                self.queue.push(line, true);
            }
            _ => self.enqueue(line),
        }
        true
    }

    /// Puts a line into the queue. At the end of input, and where the script goes on with another
    /// request, a running search gets the limits of one that nobody can stop.
    fn enqueue(&mut self, line: InputLine) {
        self.end = line.end;
        let is_waited_for = line.end.is_some() || ends_search(&self.game, &line);
        self.queue.push(line, false);
        if let Some(request) = self.request.as_mut().filter(|_| is_waited_for) {
            request.set_budget(self.game.settings().unattended_time_control(request.asker));
        }
    }

    /// Returns true if nobody is left to stop a search: at the end of input, and where the lines
    /// that wait for the search end others.
    fn is_unattended(&self) -> bool {
        self.end.is_some() || self.queue.any(|line| ends_search(&self.game, line))
    }

    /// Returns what a line does now that it comes.
    fn effect(&self, line: &InputLine) -> Effect {
        let (batch, read_at) = match (&self.request, &self.awaited_task) {
            (Some(request), _) => (request.batch, request.read_at),
            (None, Some(task)) => (task.batch, task.read_at),
            (None, None) => return Effect::None,
        };
        if !is_late(line, batch, read_at) {
            // A script that stops a search without any limit means that one.
            let is_meant = |request: &Request| {
                line.command == Ok(Command::Stop)
                    && self.game.settings().is_endless(request.asker)
                    && !self.queue.expects_name()
                    && !self.queue.any(|line| ends_search(&self.game, line))
            };
            return match &self.request {
                Some(request) if is_meant(request) => Effect::Stop,
                _ => Effect::None,
            };
        }
        match &self.request {
            _ if line.end.is_some() => Effect::Leave,
            Some(request) if !self.queue.expects_name() => {
                match effect_on_search(&self.game, line) {
                    // It has been stopped already: both are meant for the next search.
                    Effect::Set(_) | Effect::Stop if request.is_interrupted => Effect::None,
                    effect => effect,
                }
            }
            _ => Effect::None,
        }
    }

    /// Returns the time limits of a request as they stand now.
    fn time_control(&self, asker: Asker) -> TimeControl {
        let settings = self.game.settings();
        match self.is_unattended() {
            true => settings.unattended_time_control(asker),
            false => settings.time_control(asker),
        }
    }

    /// Executes a line in its turn. Returns false if the program ends.
    fn execute(&mut self, line: InputLine) -> bool {
        self.progress.fetch_add(1, Ordering::Relaxed);
        let InputLine { read_at, text, command, batch, .. } = line;
        debug!("< {text}");
        self.may_ponder &= command != Ok(Command::Stop);
        let action = self.game.execute(&text, command);
        if !matches!(action, Action::Nothing | Action::Answer(_)) {
            self.stop_pondering();
        }
        if !matches!(action, Action::Nothing | Action::End) {
            self.tell_notice();
        }
        match action {
            Action::Nothing => {}
            Action::Answer(replies) => {
                self.output.answers(&replies);
                // A stone placed without a search.
                let is_move = |reply: &Reply| matches!(reply, Reply::Points(p) if p.len() == 1);
                self.may_ponder |= replies.iter().any(is_move);
            }
            Action::Search(task) => self.search(*task, read_at, batch),
            Action::Table(task) => {
                let resources = self.game.take_resources();
                let serial = self.search_thread.start_table_task(task, resources);
                self.awaited_task = Some(AwaitedTask { serial, read_at, batch });
            }
            Action::Database(task) => {
                let resources = self.game.take_resources();
                let serial = self.search_thread.start_database_task(task, resources);
                self.awaited_task = Some(AwaitedTask { serial, read_at, batch });
            }
            Action::End => return false,
        }
        true
    }

    /// Tells the manager, ahead of an answer, what it has to know.
    fn tell_notice(&mut self) {
        self.game.take_notice().iter().for_each(|notice| self.output.answer(notice));
    }

    /// Starts the search of a request that was read at this time, in a batch of this number.
    fn search(&mut self, mut task: SearchTask, read_at: Instant, batch: u64) {
        // The time of a request begins when its line was read. In a script it begins when the
        // search or the task before it has ended, if that is later.
        let task_end = self.task_end.filter(|&(of, _)| of == batch).map(|(_, end)| end);
        let start = read_at.max(self.idle_since).max(task_end.unwrap_or(read_at));
        self.lateness.note(self.last_lateness + self.output.delay());
        let params = Params::with_overrides(task.board.rule(), &self.overrides);
        let mut request =
            Request::new(&task, start, read_at, batch, self.lateness, params.time.clone());
        // Taken first: a setting that came later clears the tables for the next search, not this.
        let resources = self.game.take_resources();
        self.apply_late_lines(&mut request);
        task.limits = task.limits.within(&self.limits);
        let control = Arc::clone(&request.control);
        request.serial = self.search_thread.start_search(task, params, control, resources);
        self.request = Some(request);
    }

    /// Sets the time limits of a request, by all that came while it waited for a task: the settings
    /// up to the first line that ends its search, and that line. Settings act again in their turn.
    fn apply_late_lines(&mut self, request: &mut Request) {
        let (batch, read_at) = (request.batch, request.read_at);
        let is_late = |line: &InputLine| is_late(line, batch, read_at);
        let effects =
            self.queue.take_late_effects(is_late, |line| effect_on_search(&self.game, line));
        for effect in &effects {
            if let &Effect::Set(info) = effect {
                self.game.inform(info);
                request.hear(info);
                request.set_limits(&self.game.settings().limits());
            }
        }
        request.set_budget(self.time_control(request.asker));
        match effects.last() {
            Some(Effect::Stop) => request.stop(),
            Some(Effect::Interrupt) => request.interrupt(),
            _ if self.game.settings().is_endless(request.asker)
                && self.queue.take_stop_before(|line| ends_search(&self.game, line)) =>
            {
                request.stop();
            }
            _ => {}
        }
    }

    /// Searches in the opponent's time if that is wanted and nothing else is to do. The result
    /// stays in the table. A line that changes nothing of what is pondered does not disturb the
    /// search.
    fn ponder_if_idle(&mut self) {
        if self.request.is_some() || self.awaited_task.is_some() {
            return;
        }
        let is_due = self.may_ponder && self.end.is_none();
        let Some(mut task) = is_due.then(|| self.game.ponder_task()).flatten() else {
            self.stop_pondering();
            return;
        };
        task.limits = task.limits.within(&self.limits);
        if self.pondering.as_ref().is_some_and(|pondering| pondering.is_of(&task)) {
            return;
        }
        self.stop_pondering();
        let control = self.pondering.insert(Pondering::new(&task)).control();
        let resources = self.game.take_resources();
        let params = Params::with_overrides(task.board.rule(), &self.overrides);
        self.search_thread.start_search(task, params, control, resources);
    }

    fn stop_pondering(&mut self) {
        if let Some(pondering) = self.pondering.take() {
            pondering.stop();
        }
    }
}

/// Returns true if a line is no part of the script of a line that was read at this time, in a batch
/// of this number.
fn is_late(line: &InputLine, batch: u64, read_at: Instant) -> bool {
    line.batch != batch || line.read_at.saturating_duration_since(read_at) > SCRIPT_SPAN
}

/// Returns true if a line is a command that ends a running search.
fn ends_search(game: &Game, line: &InputLine) -> bool {
    line.command.as_ref().is_ok_and(|command| game.ends_search(command))
}

/// Returns what a late line does to a running search.
fn effect_on_search(game: &Game, line: &InputLine) -> Effect {
    match line.command {
        Ok(Command::Info(info)) => Effect::Set(info),
        Ok(Command::Stop) => Effect::Stop,
        Ok(_) if ends_search(game, line) => Effect::Interrupt,
        _ => Effect::None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::mpsc::channel;

    use super::*;

    fn event_loop() -> EventLoop {
        event_loop_to(io::sink())
    }

    pub(super) fn event_loop_to(target: impl Write + Send + 'static) -> EventLoop {
        let output = Output::new(target, || (), Arc::default()).unwrap();
        let (events, inbox) = channel();
        EventLoop::new(
            output,
            events,
            inbox,
            channel().0,
            Arc::default(),
            Limits::default(),
            Vec::new(),
        )
    }

    /// Lets lines of one batch come in.
    pub(super) fn receive(
        event_loop: &mut EventLoop,
        batch: u64,
        read_at: Instant,
        lines: &[&str],
    ) {
        for &text in lines {
            let (text, command) = (text.to_owned(), Command::parse(text));
            assert!(event_loop.receive(InputLine {
                read_at,
                text,
                command,
                batch,
                end: None,
                waiting: None
            }));
            assert!(event_loop.execute_queue());
        }
    }

    #[test]
    fn time_left_is_not_charged_for_the_search_it_ended() {
        let second = Duration::from_secs(1);
        let now = Instant::now();
        let mut event_loop = event_loop();
        event_loop.idle_since = now - 3 * second;
        let opening = ["START 15", "INFO timeout_turn 30000", "TURN 7,7"];
        receive(&mut event_loop, 0, now - 3 * second, &opening);
        receive(&mut event_loop, 1, now, &["INFO time_left 3000"]);
        // The search stops at once, and the rest of the batch is read after its answer.
        event_loop.answer(None);
        receive(&mut event_loop, 1, now, &["TURN 0,0"]);
        assert_eq!(event_loop.game.settings().time_control(Asker::Game).left, Some(3 * second));
        // Without a request in the same batch the search was what the time is left for.
        event_loop.answer(None);
        event_loop.idle_since = now - second;
        receive(&mut event_loop, 2, now - second, &["TURN 14,14"]);
        receive(&mut event_loop, 3, now, &["INFO time_left 3000"]);
        event_loop.answer(None);
        receive(&mut event_loop, 4, now, &["ABOUT"]);
        assert!(
            event_loop.game.settings().time_control(Asker::Game).left
                < Some(2 * second + second / 2)
        );
    }

    #[test]
    fn a_request_behind_a_task_of_its_script_has_its_whole_time() {
        let second = Duration::from_secs(1);
        // The task's own batch has waited for it; of a later one the manager's clock runs.
        for (batch, is_late) in [(0, false), (1, true)] {
            let begin = Instant::now() - 3 * second;
            let mut event_loop = event_loop();
            event_loop.idle_since = begin;
            let script = ["START 15", "INFO timeout_turn 2000", "YXHASHLOAD /no such/file"];
            receive(&mut event_loop, 0, begin, &script);
            receive(&mut event_loop, batch, begin, &["TURN 7,7"]);
            assert!(event_loop.request.is_none());
            let Ok(Event::Finished(serial)) = event_loop.next_event() else { panic!("no task") };
            event_loop.finish(serial);
            assert!(event_loop.execute_queue());
            let request = event_loop.request.as_ref().unwrap();
            assert_eq!(request.control.elapsed() > 2 * second, is_late);
        }
    }

    #[test]
    fn what_is_sent_while_a_request_waits_for_a_task_acts_on_its_search() {
        let later: [(&[&str], _, _); 5] = [
            (&["YXSTOP"], true, 30),
            (&["INFO timeout_turn 500", "START 15"], true, 0),
            (&["START 15", "INFO timeout_turn 500"], true, 30),
            (&["INFO timeout_turn 500"], false, 0),
            (&["ABOUT"], false, 30),
        ];
        for (lines, stops, seconds) in later {
            // The request comes with the task, and behind it.
            for batch in [0, 1] {
                let now = Instant::now();
                let mut event_loop = event_loop();
                let script =
                    ["START 15", "INFO timeout_turn 30000", "YXHASHLOAD /no such/file", "ABOUT"];
                receive(&mut event_loop, 0, now, &script);
                receive(&mut event_loop, batch, now, &["TURN 7,7"]);
                receive(&mut event_loop, 2, now, lines);
                let Ok(Event::Finished(serial)) = event_loop.next_event() else { panic!("none") };
                event_loop.finish(serial);
                assert!(event_loop.execute_queue());
                let control = &event_loop.request.as_ref().unwrap().control;
                assert_eq!(control.is_stopped(), stops, "{lines:?}");
                let planned = control.hard().unwrap().as_secs_f64().round();
                assert_eq!(planned, f64::from(seconds), "{lines:?}");
            }
        }
    }

    #[test]
    fn a_stop_far_behind_a_request_in_a_stream_of_lines_is_late() {
        for (span, is_late) in
            [(SCRIPT_SPAN, false), (SCRIPT_SPAN + Duration::from_millis(1), true)]
        {
            let now = Instant::now();
            let mut event_loop = event_loop();
            let script =
                ["START 15", "INFO timeout_turn 30000", "YXHASHLOAD /no such/file", "ABOUT"];
            receive(&mut event_loop, 0, now, &script);
            receive(&mut event_loop, 0, now, &["TURN 7,7"]);
            // The batch goes on and on, as that of a moving mouse.
            receive(&mut event_loop, 0, now + span, &["YXSTOP"]);
            let Ok(Event::Finished(serial)) = event_loop.next_event() else { panic!("no task") };
            event_loop.finish(serial);
            assert!(event_loop.execute_queue());
            assert_eq!(event_loop.request.as_ref().unwrap().control.is_stopped(), is_late);
        }
    }

    #[test]
    fn the_name_of_a_file_is_no_command() {
        let now = Instant::now();
        let mut event_loop = event_loop();
        receive(&mut event_loop, 0, now, &["START 15", "INFO timeout_turn 30000", "TURN 7,7"]);
        receive(&mut event_loop, 1, now, &["YXHASHLOAD", "stop"]);
        assert!(!event_loop.request.as_ref().unwrap().control.is_stopped());
        receive(&mut event_loop, 1, now, &["stop"]);
        assert!(event_loop.request.as_ref().unwrap().control.is_stopped());
    }

    #[test]
    fn a_stop_ends_one_search_that_waited_for_a_task() {
        let now = Instant::now();
        let mut event_loop = event_loop();
        let script = ["START 15", "INFO timeout_turn 30000", "YXHASHLOAD /no such/file", "ABOUT"];
        receive(&mut event_loop, 0, now, &script);
        receive(&mut event_loop, 1, now, &["TURN 7,7", "YXNBEST 1"]);
        receive(&mut event_loop, 2, now, &["YXSTOP"]);
        let Ok(Event::Finished(serial)) = event_loop.next_event() else { panic!("no task") };
        event_loop.finish(serial);
        for is_stopped in [true, false] {
            assert!(event_loop.execute_queue());
            let request = event_loop.request.as_ref().unwrap();
            assert_eq!(request.control.is_stopped(), is_stopped);
            event_loop.answer(None);
        }
    }

    #[test]
    fn a_stop_behind_a_command_that_ends_a_search_is_meant_for_its_own() {
        let now = Instant::now();
        let mut event_loop = event_loop();
        let script = ["START 15", "INFO timeout_turn 30000", "TURN 7,7"];
        receive(&mut event_loop, 0, now, &script);
        receive(&mut event_loop, 1, now, &["TURN 0,0"]);
        receive(&mut event_loop, 2, now, &["YXSTOP"]);
        event_loop.answer(None);
        assert!(event_loop.execute_queue());
        let request = event_loop.request.as_ref().unwrap();
        assert_eq!((request.batch, request.control.is_stopped()), (1, true));
    }

    #[test]
    fn the_end_of_a_later_batch_does_not_wait_for_a_task() {
        for (batch, goes_on) in [(0, true), (1, false)] {
            for end in [End::Script, End::Input, End::Late] {
                let read_at = Instant::now();
                let mut event_loop = event_loop();
                let script = ["START 15", "YXHASHLOAD /no such/file", "ABOUT"];
                receive(&mut event_loop, 0, read_at, &script);
                let (text, command) = ("END".to_owned(), Command::parse("END"));
                let line =
                    InputLine { read_at, text, command, batch, end: Some(end), waiting: None };
                assert_eq!(event_loop.receive(line), goes_on, "{batch} {end:?}");
            }
        }
    }

    #[test]
    fn a_command_ends_a_search_that_its_game_made_possible_behind_a_task() {
        let now = Instant::now();
        let mut event_loop = event_loop();
        receive(&mut event_loop, 0, now, &["YXHASHLOAD /no such/file", "ABOUT"]);
        receive(&mut event_loop, 1, now, &["START 15", "TURN 7,7"]);
        receive(&mut event_loop, 2, now, &["RESTART"]);
        let Some(AwaitedTask { serial, .. }) = event_loop.awaited_task else { panic!("no task") };
        event_loop.finish(serial);
        assert!(event_loop.execute_queue());
        assert!(event_loop.request.as_ref().unwrap().control.is_stopped());
    }

    #[test]
    fn a_late_setting_outlives_older_ones_of_a_waiting_script() {
        let mut event_loop = event_loop();
        let turn =
            |event_loop: &EventLoop| event_loop.game.settings().time_control(Asker::Game).turn;
        let begin = Instant::now() - Duration::from_secs(1);
        let second = Duration::from_secs(1);
        let script = ["START 15", "INFO timeout_turn 30000", "TURN 7,7", "INFO timeout_turn 20000"];
        receive(&mut event_loop, 0, begin, &script);
        receive(&mut event_loop, 1, Instant::now(), &["INFO timeout_turn 10000"]);
        assert_eq!(turn(&event_loop), Some(10 * second));
        event_loop.answer(None);
        assert!(event_loop.execute_queue());
        assert_eq!(turn(&event_loop), Some(10 * second));
    }
}
