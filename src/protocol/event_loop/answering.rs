//! The answers of the event loop: the result of a search or a task when it ends, or the best move
//! known if the search is late.
//!
//! Extends [`EventLoop`], which decides when; knows no lines of input.

use std::time::Instant;

use log::debug;
use tengen_gomocup::Reply;

use super::super::detail;
use super::super::search_thread::Outcome;
use super::super::task::Purpose;
use super::request::Request;
use super::{EventLoop, search_log};
use crate::search::Report;

impl EventLoop {
    /// Returns the request, if its search has this number.
    pub(super) fn current(&mut self, serial: u64) -> Option<&mut Request> {
        self.request.as_mut().filter(|request| request.serial == serial)
    }

    /// Takes what came of a task that has ended, and answers whoever waits for it.
    pub(super) fn finish(&mut self, serial: u64) {
        let outcome = self.search_thread.finish(serial);
        if self.search_thread.has_database() {
            self.game.reserve_database_memory();
        }
        if let Some(task) = self.awaited_task.take_if(|task| task.serial == serial) {
            self.task_end = Some((task.batch, Instant::now()));
            let replies = match outcome {
                Some(Outcome::Replies(replies)) => replies,
                _ => vec![Reply::Message("the task failed".to_owned())],
            };
            replies.iter().for_each(|reply| self.output.answer(reply));
        } else if self.current(serial).is_some() {
            self.answer(match outcome {
                Some(Outcome::Report(report)) => Some(report),
                _ => None,
            });
        } else if self.request.is_none() {
            // A search that was answered before it ended has found something all the same.
            self.search_thread.store_findings();
        }
    }

    /// Answers the request, with its search's report if there is one.
    pub(super) fn answer(&mut self, report: Option<Report>) {
        let Some(request) = self.request.take() else { return };
        request.control.stop();
        // Once the manager has the answer it may stop this process: its clock is read before.
        let (overdue, elapsed) = (request.overdue(), request.control.elapsed());
        // A search stopped before its first iteration knows less than the fallback move.
        let report = report.filter(|report| report.depth > 0);
        let moves = request.moves(report.as_ref());
        if let Some(report) = &report {
            debug!("{}", search_log::line(report, &request.control));
        }
        self.tell_notice();
        if let Some(last) = request.last_report(report.as_ref(), &moves) {
            self.output.answers(&request.detail.of_report(&last));
        }
        // A late search has no report: the last one that it told of takes its place.
        let known = report.as_ref().or(request.told.as_ref());
        if let Some(report) = known.filter(|_| request.purpose == Purpose::Defence) {
            detail::losing_moves(report).for_each(|mark| self.output.answer(&mark));
        }
        for reply in self.game.answers(request.purpose, &moves, known) {
            self.output.answer(&reply);
            debug!("> {reply}");
        }
        self.last_lateness = overdue;
        self.game.settings_mut().clock_mut().spend(elapsed);
        self.idle_since = Instant::now();
        self.search_thread.store_findings();
        self.may_ponder = request.purpose == Purpose::Move && !request.is_stopped;
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::mpsc::{Receiver, channel};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use super::super::super::event::Event;
    use super::super::tests::{event_loop_to, receive};
    use super::*;
    use crate::search::Variation;
    use crate::types::{Coord, Score};

    /// A manager that reads nothing until it is told to.
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
            let request = event_loop.request.as_mut().unwrap();
            request.control.commit(told.best);
            request.told = Some(told);
            event_loop.answer(None);
            start.0.send(()).unwrap();
            event_loop.output.finish(Duration::from_secs(20));
            assert_eq!(read.lock().unwrap().lines().last(), Some(answer));
        }
    }

    /// Returns what is said if the last of these lines asks for a search that does not end in time,
    /// and has told of such an iteration.
    fn answer_to_late_search(lines: &[&str], told: Option<Report>) -> Vec<String> {
        let (start, read) = (channel(), Arc::default());
        let reader = LateReader { start: Some(start.1), read: Arc::clone(&read) };
        let mut event_loop = event_loop_to(reader);
        receive(&mut event_loop, 0, Instant::now(), lines);
        event_loop.request.as_mut().unwrap().told = told;
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
        let marks: Vec<&String> = said.iter().filter(|line| line.contains("LOSE")).collect();
        assert_eq!(marks, ["MESSAGE REALTIME LOSE 1,2"]);
    }

    #[test]
    fn the_last_report_of_a_search_is_what_is_answered_and_is_not_lost() {
        let (c, d, e) = (Coord::new(3, 4), Coord::new(5, 6), Coord::new(9, 9));
        let next = Variation { score: Score::eval(-9), pv: vec![d], depth: 2 };
        let report = Report { depth: 2, others: vec![next], ..Report::unsearched(c) };
        // The search's own report, and none, where it published another line or no line at all.
        for (ends, published, moves) in
            [(true, c, [c, d]), (false, c, [c, d]), (false, d, [d, c]), (false, e, [e, c])]
        {
            let (start, read) = (channel(), Arc::default());
            let reader = LateReader { start: Some(start.1), read: Arc::clone(&read) };
            let mut event_loop = event_loop_to(reader);
            let lines = ["START 15", "INFO timeout_turn 30000", "INFO show_detail 3", "TURN 7,7"];
            receive(&mut event_loop, 0, Instant::now(), &lines);
            let serial = event_loop.request.as_ref().unwrap().serial;
            let (events, inbox) = channel();
            event_loop.inbox = inbox;
            for _ in 0..100 {
                events.send(Event::Report(serial, report.clone())).unwrap();
            }
            drop(events);
            // Ends when nobody is left to send an event.
            event_loop.handle_events();
            event_loop.request.as_ref().unwrap().control.publish(published);
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
