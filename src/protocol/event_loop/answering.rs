//! The answers of the [`EventLoop`]: the result of a search or task, or the best move so far.

use std::mem;

use log::debug;

use tengen_gomocup::Reply;

use super::super::request::Request;
use super::super::task::{Purpose, TaskResult};
use super::{EventLoop, State};
use crate::search::Report;
use crate::search::control::Control;
use crate::time::{Duration, Instant};

impl EventLoop {
    pub(super) fn current(&mut self, serial: u64) -> Option<&mut Request> {
        self.request().filter(|request| request.serial == serial)
    }

    pub(super) fn finish(&mut self, serial: u64, result: Option<TaskResult>) {
        let result = self.search_thread.finish(serial, result);
        if self.search_thread.database.is_some() {
            // Not before: the table would lose entries for a database that fails to open.
            self.game.settings.memory.has_database = true;
        }
        match &self.state {
            State::Task(awaited, origin) if *awaited == serial => {
                self.clock.task_end = Some((origin.batch, Instant::now()));
                self.state = State::None;
                match result {
                    Some(result) => self.output.answers(&result.replies),
                    None => self.output.answer(&Reply::Message("the task failed".to_owned())),
                }
            }
            State::Search(request) if request.serial == serial => {
                self.answer(result.and_then(|result| result.report));
            }
            State::Search(_) => {}
            // A search that was answered before its end may have found entries.
            _ => self.search_thread.store_new_entries(),
        }
    }

    pub(super) fn answer(&mut self, report: Option<Report>) {
        let request = match mem::take(&mut self.state) {
            State::Search(request) => request,
            other => return self.state = other,
        };
        let (control, purpose) = (&request.control, request.purpose);
        let is_stopped = control.is_stopped();
        control.stop();
        // Read first: after the answer the manager may suspend this process.
        let overdue = request.deadline.map_or(Duration::ZERO, |deadline| deadline.elapsed());
        let elapsed = control.elapsed();
        if let Some(report) = &report {
            log_search(report, control);
        }
        self.write_notice();
        self.output.answers(&request.answers(&mut self.game, report));
        self.clock.last_lateness = overdue;
        self.clock.idle_since = Instant::now();
        self.game.settings.clock.spend(elapsed);
        self.search_thread.store_new_entries();
        self.may_ponder = purpose == Purpose::Move && !is_stopped;
    }
}

/// Logs nodes and time of a search for `scripts/dev/clock_use.py`.
fn log_search(report: &Report, control: &Control) {
    let limit = |time: Option<Duration>| time.map_or("none".into(), |t| t.as_millis().to_string());
    debug!(
        "search depth {} tree {} threats {} tests {} ms {} soft {} hard {}",
        report.depth,
        report.tree_nodes,
        report.threat_nodes,
        report.nodes.saturating_sub(report.tree_nodes + report.threat_nodes),
        report.elapsed.as_millis(),
        limit(control.soft()),
        limit(control.hard()),
    );
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::mpsc::{Receiver, channel};
    use std::sync::{Arc, Mutex};

    use super::super::super::search_thread::Event;
    use super::super::tests::{event_loop_to, receive};
    use super::*;
    use crate::score::Score;
    use crate::search::Variation;
    use tengen_gomoku::types::Coord;

    /// A manager that reads nothing until `start`.
    struct LateReader {
        start: Option<Receiver<()>>,
        read: Arc<Mutex<String>>,
    }

    impl Write for LateReader {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if let Some(start) = self.start.take() {
                let _ = start.recv();
            }
            self.read.lock().unwrap().push_str(str::from_utf8(bytes).unwrap());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_late_search_of_an_opening_chooses_by_its_last_iteration() {
        for (score, answer) in [(-40, "SWAP"), (40, "3,4")] {
            let (start, read) = (channel(), Arc::default());
            let reader = LateReader { start: Some(start.1), read: Arc::clone(&read) };
            let mut event_loop = event_loop_to(reader);
            let lines =
                ["START 15", "INFO timeout_turn 30000", "SWAP2BOARD 7,7 8,8 9,7 1,1 2,2 DONE"];
            receive(&mut event_loop, 0, Instant::now(), &lines);
            let report = Report::unsearched(Coord::new(3, 4));
            let told = Report { depth: 9, score: Score::eval(score), ..report };
            let request = event_loop.request().unwrap();
            request.control.commit(told.best);
            request.last_iteration = Some(told);
            event_loop.answer(None);
            start.0.send(()).unwrap();
            event_loop.output.finish(Duration::from_secs(20));
            assert_eq!(read.lock().unwrap().lines().last(), Some(answer));
        }
    }

    /// Returns the output if the last line asks for a search that is late, and has reported this
    /// iteration.
    fn answer_to_late_search(lines: &[&str], told: Option<Report>) -> Vec<String> {
        let (start, read) = (channel(), Arc::default());
        let reader = LateReader { start: Some(start.1), read: Arc::clone(&read) };
        let mut event_loop = event_loop_to(reader);
        receive(&mut event_loop, 0, Instant::now(), lines);
        event_loop.request().unwrap().last_iteration = told;
        event_loop.answer(None);
        start.0.send(()).unwrap();
        event_loop.output.finish(Duration::from_secs(20));
        let read = read.lock().unwrap();
        read.lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_late_search_for_a_pair_answers_that_of_its_last_iteration() {
        let lines = [
            "START 15",
            "INFO timeout_turn 30000",
            "INFO show_detail 1",
            "YXBOARD 7,7,1 8,8,2 DONE",
            "YXBALANCETWO 0",
        ];
        let pair = vec![Coord::new(3, 4), Coord::new(5, 6)];
        let told = Report { depth: 3, pv: pair.clone(), ..Report::unsearched(pair[0]) };
        let said = answer_to_late_search(&lines, Some(told));
        assert_eq!(said.last().unwrap(), "3,4 5,6");
        let line = said.iter().rfind(|line| line.contains(" pv ")).unwrap();
        assert!(line.ends_with("pv d5 f7"), "{line}");
        // Without an iteration both stones are near the others.
        let said = answer_to_late_search(&lines, None);
        let numbers =
            said.last().unwrap().split([' ', ',']).map(|text| text.parse::<u8>().unwrap());
        assert!(numbers.into_iter().all(|number| (4..=11).contains(&number)), "{said:?}");
    }

    #[test]
    fn a_late_search_for_defences_marks_the_losing_moves_of_its_last_iteration() {
        let lines = ["START 15", "INFO timeout_turn 30000", "YXBOARD 7,7,2 DONE", "YXSEARCHDEFEND"];
        let loser = Variation { score: Score::loss_in(6), pv: vec![Coord::new(1, 2)], depth: 4 };
        let report = Report::unsearched(Coord::new(6, 7));
        let told = Report { depth: 4, others: vec![loser], ..report };
        let said = answer_to_late_search(&lines, Some(told));
        let marks: Vec<&String> = said.iter().filter(|line| line.contains("LOST")).collect();
        assert_eq!(marks, ["MESSAGE REALTIME LOST 1,2"]);
    }

    #[test]
    fn the_last_report_of_a_search_is_what_is_answered_and_is_not_lost() {
        let (c, d, e) = (Coord::new(3, 4), Coord::new(5, 6), Coord::new(9, 9));
        let next = Variation { score: Score::eval(-9), pv: vec![d], depth: 2 };
        let report = Report { depth: 2, others: vec![next], ..Report::unsearched(c) };
        // With the search's own report; and without one, for three published moves.
        for (ends, published, moves) in
            [(true, c, [c, d]), (false, c, [c, d]), (false, d, [d, c]), (false, e, [e, c])]
        {
            let (start, read) = (channel(), Arc::default());
            let reader = LateReader { start: Some(start.1), read: Arc::clone(&read) };
            let mut event_loop = event_loop_to(reader);
            let lines = ["START 15", "INFO timeout_turn 30000", "INFO show_detail 3", "TURN 7,7"];
            receive(&mut event_loop, 0, Instant::now(), &lines);
            let serial = event_loop.request().unwrap().serial;
            let (sender, events) = channel();
            event_loop.events = events;
            for _ in 0..100 {
                sender.send(Event::Report(serial, report.clone())).unwrap();
            }
            drop(sender);
            // Ends because no sender is left.
            event_loop.handle_events();
            event_loop.request().unwrap().control.publish(published);
            event_loop.answer(ends.then(|| report.clone()));
            start.0.send(()).unwrap();
            event_loop.output.finish(Duration::from_secs(20));
            let read = read.lock().unwrap();
            let lines: Vec<&str> = read.lines().collect();
            assert!(lines.len() < 200, "messages before the last ones are dropped");
            let [x, y] = [moves[0].x(), moves[0].y()];
            assert_eq!(lines.last(), Some(&format!("{x},{y}").as_str()));
            let last = |head: &str| lines.iter().rfind(|line| line.contains(head)).unwrap();
            for (number, mv) in moves.iter().enumerate() {
                let line = last(&format!(" multipv {} ", number + 1));
                assert!(line.ends_with(&format!(" pv {mv}")), "{line}");
            }
            assert_eq!(*last("REALTIME BEST"), format!("MESSAGE REALTIME BEST {x},{y}"));
            assert_eq!(
                *last("INFO BESTLINE"),
                format!("INFO BESTLINE {},{}", moves[1].x(), moves[1].y())
            );
        }
    }
}
