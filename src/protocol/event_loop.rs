//! The event loop between the manager and the search.
//!
//! The reader thread and the search thread send events into one channel. The loop alone owns the
//! game and answers. It waits for that channel only, so that a stop, END and the deadline act in
//! time, whatever the search or the pipe does.
//!
//! Lines of the request's own batch are a script, and wait for their turn. Of later lines some act
//! at once: a limit or a stop reaches the search, END ends the program, and a command that changes
//! the game ends the search, and also searches that begin before the command's turn.
//!
//! This file decides which line is executed when. `line_queue` has the waiting lines, `answering`
//! what comes back from the search thread.

mod answering;
mod line_queue;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};

use log::{debug, warn};

use tengen_gomocup::{Command, Info, Reply};
use tengen_gomoku::board::zobrist::Key;

use super::game::{Action, Game};
use super::input::InputLine;
use super::output::Output;
use super::request::{Origin, Request, RequestClock};
use super::search_thread::{Event, SearchThread};
use super::settings::Settings;
use super::task::SearchTask;
use super::timing::{GRACE_LATE, STORING_GRACE};
use crate::search::control::Control;
use crate::search::{Blocked, Limits};
use crate::time::{Duration, Instant};
use line_queue::{Effect, LineQueue};

#[derive(Default)]
enum State {
    /// None, or the rest of an answered search.
    #[default]
    None,
    Pondering(Arc<Control>, PonderKey),
    /// A task with the table or the database, by number; later lines wait for it.
    Task(u64, Origin),
    Search(Box<Request>),
}

/// What a search in the opponent's time depends on.
type PonderKey = (Key, Limits, Blocked);

pub struct EventLoop {
    game: Game,
    search_thread: SearchThread,
    state: State,
    /// True after our move, until `YXSTOP`.
    may_ponder: bool,
    queue: LineQueue,
    clock: RequestClock,
    events: Receiver<Event>,
    /// How long the last answers may take; `None` until END or the end of input.
    grace: Option<Duration>,
    output: Output,
}

impl EventLoop {
    pub fn new(
        game: Game,
        search_thread: SearchThread,
        events: Receiver<Event>,
        output: Output,
    ) -> EventLoop {
        EventLoop {
            game,
            search_thread,
            state: State::None,
            may_ponder: false,
            queue: LineQueue::default(),
            clock: RequestClock::new(),
            events,
            grace: None,
            output,
        }
    }

    pub fn run(&mut self) {
        self.handle_events();
        let end = Instant::now();
        self.stop_pondering();
        self.finish_storing();
        let grace = self.grace.unwrap_or(GRACE_LATE);
        self.output.finish(grace.saturating_sub(end.elapsed()));
    }

    /// Ends a search and waits for a moment until the database has what it found.
    fn finish_storing(&mut self) {
        if self.search_thread.database.is_none() {
            return;
        }
        if let State::Search(request) = &self.state {
            request.control.stop();
        }
        let deadline = Instant::now() + STORING_GRACE;
        loop {
            if !self.search_thread.is_busy() {
                if !self.search_thread.has_unstored() {
                    return;
                }
                self.search_thread.store();
            }
            match self.next_event(Some(deadline)) {
                Ok(Event::Finished(serial, result)) => {
                    _ = self.search_thread.finish(serial, result);
                }
                Ok(_) => {}
                Err(_) => return warn!("the database does not have the last results"),
            }
        }
    }

    fn handle_events(&mut self) {
        while self.execute_queue() {
            self.ponder_if_idle();
            // A task that runs, such as pondering, comes before another attempt.
            let stores = self.search_thread.has_unstored() && !self.search_thread.is_busy();
            let deadline = match self.request() {
                Some(request) => request.deadline.into_iter().chain(request.next_tick).min(),
                None => stores.then(|| Instant::now() + STORING_GRACE),
            };
            match self.next_event(deadline) {
                Ok(Event::Line(line)) => {
                    if !self.receive(line) {
                        return;
                    }
                }
                Ok(Event::Report(serial, report)) => {
                    if let Some(request) = self.current(serial) {
                        let lines = request.note(report);
                        self.tell(&lines);
                    }
                }
                Ok(Event::RootMove(serial, mark)) => {
                    if self.current(serial).is_some() {
                        self.output.messages(&[mark]);
                    }
                }
                Ok(Event::Notice(notice)) => {
                    self.output.messages(&[notice]);
                }
                Ok(Event::Finished(serial, result)) => self.finish(serial, result),
                Err(RecvTimeoutError::Timeout) => self.wake(),
                // Cannot happen: the search thread holds a sender.
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn next_event(&self, deadline: Option<Instant>) -> Result<Event, RecvTimeoutError> {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        self.events.recv_timeout(deadline.map_or(Duration::MAX, left))
    }

    fn request(&mut self) -> Option<&mut Request> {
        match &mut self.state {
            State::Search(request) => Some(request),
            _ => None,
        }
    }

    fn is_idle(&self) -> bool {
        matches!(self.state, State::None | State::Pondering(..))
    }

    /// Executes waiting lines up to the first that starts a task. Returns false at the end.
    fn execute_queue(&mut self) -> bool {
        while self.is_idle() {
            let Some(line) = self.queue.pop() else { break };
            if !self.execute(line) {
                return false;
            }
        }
        true
    }

    /// Answers a request whose search is late, or reports the progress of an analysis.
    fn wake(&mut self) {
        let Some(request) = self.request() else { return self.search_thread.store() };
        if request.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            warn!("the search is late");
            self.answer(None);
        } else {
            let lines = request.tick();
            self.tell(&lines);
        }
    }

    /// Writes lines about the last iteration. If they are dropped, the next tick writes them again.
    fn tell(&mut self, lines: &[Reply]) {
        if self.output.messages(lines)
            && let Some(request) = self.request()
        {
            request.set_told();
        }
    }

    /// Queues a line, or lets it act at once. Returns false at the end of the program.
    fn receive(&mut self, line: InputLine) -> bool {
        let effect = self.effect(&line);
        if effect == Effect::Exit {
            if let Some(request) = self.request() {
                request.control.stop();
            }
            return false;
        }
        self.act(line, effect);
        true
    }

    fn act(&mut self, line: InputLine, effect: Effect) {
        let State::Search(request) = &mut self.state else { return self.enqueue(line) };
        match effect {
            Effect::Set(info) => {
                let before = (request.is_hurried, self.game.settings.time_control(&request.root));
                self.game.set(info, Settings::apply_during_search);
                match info {
                    Info::TimeoutTurn(0) => request.is_hurried = true,
                    Info::TimeoutTurn(1..) => request.is_hurried = false,
                    _ => {}
                }
                let settings = &self.game.settings;
                let time = settings.time_control(&request.root);
                if matches!(info, Info::MaxNode(_) | Info::MaxDepth(_)) {
                    request.control.set_limits(&settings.limits());
                } else if (request.is_hurried, time) != before {
                    request.set_budget(time);
                }
                if info != Info::Ignored {
                    self.queue.push_early_setting(line);
                }
            }
            Effect::Stop => request.stop(),
            Effect::Interrupt => {
                request.is_interrupted = true;
                request.stop();
                self.queue.push(line, true);
            }
            Effect::None | Effect::Exit => self.enqueue(line),
        }
    }

    /// Queues a line. If it is the end of input or a further request of the script, the running
    /// search gets the limits of one that nobody can stop.
    fn enqueue(&mut self, line: InputLine) {
        self.grace = line.grace;
        let is_waited_for = line.grace.is_some() || ends_search(&self.game, &line);
        self.queue.push(line, false);
        if let State::Search(request) = &mut self.state
            && is_waited_for
        {
            request.set_budget(self.game.settings.unattended_time_control(&request.root));
        }
    }

    fn effect(&self, line: &InputLine) -> Effect {
        let (request, origin) = match &self.state {
            State::Search(request) => (Some(request), request.origin),
            State::Task(_, origin) => (None, *origin),
            State::None | State::Pondering(..) => return Effect::None,
        };
        let is_late = origin.is_before(line);
        if is_late && line.grace.is_some() {
            return Effect::Exit;
        }
        let request = request.filter(|_| !self.queue.expects_name());
        let Some(request) = request else { return Effect::None };
        let is_endless = || {
            self.game.settings.is_endless(&request.root)
                && !self.queue.any(|line| ends_search(&self.game, line))
        };
        match line.command {
            // In a script a stop is meant for the endless search before it.
            Ok(Command::Stop) if !is_late && is_endless() => Effect::Stop,
            _ if !is_late => Effect::None,
            // The search is stopped already: these are meant for the next one.
            Ok(Command::Info(_) | Command::Stop) if request.is_interrupted => Effect::None,
            Ok(Command::Info(info)) => Effect::Set(info),
            Ok(Command::Stop) => Effect::Stop,
            Ok(_) if ends_search(&self.game, line) => Effect::Interrupt,
            _ => Effect::None,
        }
    }

    /// Executes a line in its turn. Returns false at the end of the program.
    fn execute(&mut self, line: InputLine) -> bool {
        let InputLine { read_at, text, command, batch, .. } = line;
        let origin = Origin { read_at, batch };
        debug!("< {text}");
        self.may_ponder &= command != Ok(Command::Stop);
        let action = self.game.execute(&text, command);
        if !matches!(action, Action::Nothing | Action::Answer(_)) {
            self.stop_pondering();
        }
        if !matches!(action, Action::Nothing | Action::Exit) {
            self.write_notice();
        }
        match action {
            Action::Nothing => {}
            Action::Answer(replies) => {
                self.output.answers(&replies);
                // A stone placed without a search.
                let is_move = |reply: &Reply| matches!(reply, Reply::Points(p) if p.len() == 1);
                self.may_ponder |= replies.iter().any(is_move);
            }
            Action::Search(task) => self.search(*task, origin),
            Action::Task(task) => {
                let resources = self.game.task_resources(&task);
                let serial = self.search_thread.start_task(task, resources);
                self.state = State::Task(serial, origin);
            }
            Action::Exit => return false,
        }
        true
    }

    fn write_notice(&mut self) {
        self.game.take_notice().iter().for_each(|notice| self.output.answer(notice));
    }

    fn search(&mut self, task: SearchTask, origin: Origin) {
        let start = self.clock.start(origin);
        let reserve = self.clock.reserve(self.output.delay());
        let mut request = Box::new(Request::new(&task, origin, start, reserve));
        // Before late lines: a later setting clears the tables for the next search, not this.
        let resources = self.game.take_resources();
        let (root, control) = (request.root, Arc::clone(&request.control));
        let late = self.queue.take_late(origin);
        let settings = &self.game.settings;
        let ends_search = |line: &InputLine| ends_search(&self.game, line);
        let is_unattended = self.grace.is_some() || self.queue.any(ends_search);
        request.set_budget(match is_unattended {
            true => settings.unattended_time_control(&root),
            false => settings.time_control(&root),
        });
        if settings.is_endless(&root) && self.queue.take_stop_before(ends_search) {
            request.stop();
        }
        self.state = State::Search(request);
        // What came while the request waited for a task acts as if it came now.
        for (line, interrupts) in late {
            let effect = if interrupts { Effect::Interrupt } else { self.effect(&line) };
            self.act(line, effect);
        }
        let serial = self.search_thread.start_search(task, control, resources);
        if let Some(request) = self.request() {
            request.serial = serial;
        }
    }

    /// Searches in the opponent's time if nothing else is to do, for what it leaves in the table.
    fn ponder_if_idle(&mut self) {
        if !self.is_idle() {
            return;
        }
        let is_due = self.may_ponder && self.grace.is_none();
        let Some(task) = is_due.then(|| self.game.ponder_task()).flatten() else {
            return self.stop_pondering();
        };
        let key = (task.board.key(), task.limits, task.blocked.clone());
        if matches!(&self.state, State::Pondering(_, known) if *known == key) {
            return;
        }
        self.stop_pondering();
        let control = Arc::new(Control::untimed());
        self.state = State::Pondering(Arc::clone(&control), key);
        let resources = self.game.take_resources();
        self.search_thread.start_search(task, control, resources);
    }

    fn stop_pondering(&mut self) {
        if let State::Pondering(control, _) = &self.state {
            control.stop();
            self.state = State::None;
        }
    }
}

fn ends_search(game: &Game, line: &InputLine) -> bool {
    line.command.as_ref().is_ok_and(|command| game.ends_search(command))
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::mpsc::channel;

    use super::super::timing::{GRACE_INPUT, GRACE_SCRIPT, SCRIPT_SPAN};
    use super::*;
    use crate::search::RootOptions;

    /// Stops a search that a test leaves behind: it would slow the other tests.
    impl Drop for EventLoop {
        fn drop(&mut self) {
            self.stop_pondering();
            if let Some(request) = self.request() {
                request.stop();
            }
        }
    }

    fn event_loop() -> EventLoop {
        event_loop_to(io::sink())
    }

    pub(super) fn event_loop_to(target: impl Write + Send + 'static) -> EventLoop {
        let output = Output::new(target, || (), Arc::default()).unwrap();
        let (sender, events) = channel();
        let mut game = Game::default();
        // A small table: a search of half a minute would fill hundreds of megabytes.
        game.settings.memory.hash_kilobytes = 1024;
        EventLoop::new(game, SearchThread::new(sender), events, output)
    }

    /// Receives and executes lines of a batch.
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
                grace: None,
                waiting: None
            }));
            assert!(event_loop.execute_queue());
        }
    }

    fn finish_task(event_loop: &mut EventLoop) {
        let Ok(Event::Finished(serial, result)) = event_loop.next_event(None) else {
            panic!("no task")
        };
        event_loop.finish(serial, result);
    }

    #[test]
    fn time_left_is_not_charged_for_the_search_it_ended() {
        let second = Duration::from_secs(1);
        let now = Instant::now();
        let mut event_loop = event_loop();
        event_loop.clock.idle_since = now - 3 * second;
        let opening = ["START 15", "INFO timeout_turn 30000", "TURN 7,7"];
        receive(&mut event_loop, 0, now - 3 * second, &opening);
        receive(&mut event_loop, 1, now, &["INFO time_left 3000"]);
        // The search stops at once; the rest of the batch is read after its answer.
        event_loop.answer(None);
        receive(&mut event_loop, 1, now, &["TURN 0,0"]);
        assert_eq!(
            event_loop.game.settings.time_control(&RootOptions::default()).left,
            Some(3 * second)
        );
        // Without a request in the batch the time is that of the running search.
        event_loop.answer(None);
        event_loop.clock.idle_since = now - second;
        receive(&mut event_loop, 2, now - second, &["TURN 14,14"]);
        receive(&mut event_loop, 3, now, &["INFO time_left 3000"]);
        event_loop.answer(None);
        receive(&mut event_loop, 4, now, &["ABOUT"]);
        assert!(
            event_loop.game.settings.time_control(&RootOptions::default()).left
                < Some(2 * second + second / 2)
        );
    }

    #[test]
    fn a_request_after_a_task_of_its_script_has_its_whole_time() {
        let second = Duration::from_secs(1);
        // The task's batch waited for it; for a later one the manager's clock runs.
        for (batch, is_late) in [(0, false), (1, true)] {
            let begin = Instant::now() - 3 * second;
            let mut event_loop = event_loop();
            event_loop.clock.idle_since = begin;
            let script = ["START 15", "INFO timeout_turn 2000", "YXHASHLOAD /no such/file"];
            receive(&mut event_loop, 0, begin, &script);
            receive(&mut event_loop, batch, begin, &["TURN 7,7"]);
            assert!(event_loop.request().is_none());
            finish_task(&mut event_loop);
            assert!(event_loop.execute_queue());
            let request = event_loop.request().unwrap();
            assert_eq!(request.control.elapsed() > 2 * second, is_late);
        }
    }

    #[test]
    fn what_is_sent_while_a_request_waits_for_a_task_acts_on_its_search() {
        let later: [(&[&str], _, _); 7] = [
            (&["YXSTOP"], true, 30),
            (&["INFO timeout_turn 500", "START 15"], true, 0),
            (&["START 15", "INFO timeout_turn 500"], true, 30),
            (&["INFO timeout_turn 500"], false, 0),
            (&["YXHASHDUMP", "stop", "INFO timeout_turn 500", "BEGIN"], false, 0),
            (&["YXSTOP", "START 15"], true, 30),
            (&["ABOUT"], false, 30),
        ];
        for (lines, stops, seconds) in later {
            // The request comes with the task or after it.
            for batch in [0, 1] {
                let now = Instant::now();
                let mut event_loop = event_loop();
                let script =
                    ["START 15", "INFO timeout_turn 30000", "YXHASHLOAD /no such/file", "ABOUT"];
                receive(&mut event_loop, 0, now, &script);
                receive(&mut event_loop, batch, now, &["TURN 7,7"]);
                receive(&mut event_loop, 2, now, lines);
                finish_task(&mut event_loop);
                assert!(event_loop.execute_queue());
                let control = Arc::clone(&event_loop.request().unwrap().control);
                assert_eq!(control.is_stopped(), stops, "{lines:?}");
                let planned = control.hard().unwrap().as_secs_f64().round();
                assert_eq!(planned, f64::from(seconds), "{lines:?}");
            }
        }
    }

    #[test]
    fn a_stop_long_after_a_request_in_a_stream_of_lines_is_late() {
        for (span, is_late) in
            [(SCRIPT_SPAN, false), (SCRIPT_SPAN + Duration::from_millis(1), true)]
        {
            let now = Instant::now();
            let mut event_loop = event_loop();
            let script =
                ["START 15", "INFO timeout_turn 30000", "YXHASHLOAD /no such/file", "ABOUT"];
            receive(&mut event_loop, 0, now, &script);
            receive(&mut event_loop, 0, now, &["TURN 7,7"]);
            // A batch without end, as of a moving mouse.
            receive(&mut event_loop, 0, now + span, &["YXSTOP"]);
            finish_task(&mut event_loop);
            assert!(event_loop.execute_queue());
            assert_eq!(event_loop.request().unwrap().control.is_stopped(), is_late);
        }
    }

    #[test]
    fn the_name_of_a_file_is_no_command() {
        let now = Instant::now();
        let mut event_loop = event_loop();
        receive(&mut event_loop, 0, now, &["START 15", "INFO timeout_turn 30000", "TURN 7,7"]);
        receive(&mut event_loop, 1, now, &["YXHASHLOAD", "stop"]);
        assert!(!event_loop.request().unwrap().control.is_stopped());
        receive(&mut event_loop, 1, now, &["stop"]);
        assert!(event_loop.request().unwrap().control.is_stopped());
    }

    #[test]
    fn a_stop_ends_one_search_that_waited_for_a_task() {
        let now = Instant::now();
        let mut event_loop = event_loop();
        let script = ["START 15", "INFO timeout_turn 30000", "YXHASHLOAD /no such/file", "ABOUT"];
        receive(&mut event_loop, 0, now, &script);
        receive(&mut event_loop, 1, now, &["TURN 7,7", "YXNBEST 1"]);
        receive(&mut event_loop, 2, now, &["YXSTOP"]);
        finish_task(&mut event_loop);
        for is_stopped in [true, false] {
            assert!(event_loop.execute_queue());
            let request = event_loop.request().unwrap();
            assert_eq!(request.control.is_stopped(), is_stopped);
            event_loop.answer(None);
        }
    }

    #[test]
    fn a_stop_after_a_command_that_ends_a_search_is_meant_for_its_own() {
        let now = Instant::now();
        let mut event_loop = event_loop();
        let script = ["START 15", "INFO timeout_turn 30000", "TURN 7,7"];
        receive(&mut event_loop, 0, now, &script);
        receive(&mut event_loop, 1, now, &["TURN 0,0"]);
        receive(&mut event_loop, 2, now, &["YXSTOP"]);
        event_loop.answer(None);
        assert!(event_loop.execute_queue());
        let request = event_loop.request().unwrap();
        assert_eq!((request.origin.batch, request.control.is_stopped()), (1, true));
    }

    #[test]
    fn the_end_of_a_later_batch_does_not_wait_for_a_task() {
        for (batch, goes_on) in [(0, true), (1, false)] {
            for grace in [GRACE_SCRIPT, GRACE_INPUT, GRACE_LATE] {
                let read_at = Instant::now();
                let mut event_loop = event_loop();
                let script = ["START 15", "YXHASHLOAD /no such/file", "ABOUT"];
                receive(&mut event_loop, 0, read_at, &script);
                let (text, command) = ("END".to_owned(), Command::parse("END"));
                let line =
                    InputLine { read_at, text, command, batch, grace: Some(grace), waiting: None };
                assert_eq!(event_loop.receive(line), goes_on, "{batch} {grace:?}");
            }
        }
    }

    #[test]
    fn a_command_ends_a_search_that_its_game_made_possible_after_a_task() {
        let now = Instant::now();
        let mut event_loop = event_loop();
        receive(&mut event_loop, 0, now, &["YXHASHLOAD /no such/file", "ABOUT"]);
        receive(&mut event_loop, 1, now, &["START 15", "TURN 7,7"]);
        receive(&mut event_loop, 2, now, &["RESTART"]);
        finish_task(&mut event_loop);
        assert!(event_loop.execute_queue());
        assert!(event_loop.request().unwrap().control.is_stopped());
    }

    #[test]
    fn a_late_setting_outlives_older_ones_of_a_waiting_script() {
        let mut event_loop = event_loop();
        let turn = |event_loop: &EventLoop| {
            event_loop.game.settings.time_control(&RootOptions::default()).turn
        };
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
