//! The lines that wait for their turn, and their effects before it.

use std::collections::VecDeque;

use tengen_gomocup::{Command, Info};

use super::super::input::InputLine;
use super::super::request::Origin;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Waits for its turn.
    None,
    /// Changes a setting, and may act again in its turn.
    Set(Info),
    /// Stops the search, and has no turn.
    Stop,
    /// Ends the search, and waits for its turn.
    Interrupt,
    Exit,
}

struct Queued {
    line: InputLine,
    /// True if it has ended a search: it also ends each search of an earlier batch that starts before
    /// its turn.
    interrupts: bool,
    /// True if the line names a file, whatever command it looks like.
    is_name: bool,
}

#[derive(Default)]
pub struct LineQueue {
    lines: VecDeque<Queued>,
    /// Applied at once to the running search, and again before the next line of the batch: a time of
    /// 0 means something else there.
    early_settings: Vec<InputLine>,
}

impl LineQueue {
    pub fn pop(&mut self) -> Option<InputLine> {
        Some(self.lines.pop_front()?.line)
    }

    pub fn any(&self, holds: impl Fn(&InputLine) -> bool) -> bool {
        self.lines.iter().any(|queued| !queued.is_name && holds(&queued.line))
    }

    /// Removes a stop before any of these lines; returns true if there was one.
    pub fn take_stop_before(&mut self, is_other: impl Fn(&InputLine) -> bool) -> bool {
        let is_stop = |line: &InputLine| line.command == Ok(Command::Stop);
        let ends =
            |queued: &Queued| !queued.is_name && (is_stop(&queued.line) || is_other(&queued.line));
        let first = self.lines.iter().position(ends);
        let stop = first.filter(|&index| is_stop(&self.lines[index].line));
        stop.and_then(|index| self.lines.remove(index)).is_some()
    }

    /// Returns true if the next line names a file for a waiting command.
    pub fn expects_name(&self) -> bool {
        let Some(Queued { line, is_name: false, .. }) = self.lines.back() else { return false };
        matches!(&line.command, Ok(Command::File { name, .. }) if name.is_empty())
    }

    /// Adds a line after the early settings of its batch. `interrupts`: it has ended a search.
    pub fn push(&mut self, line: InputLine, interrupts: bool) {
        self.forget_settings_before(line.batch);
        for setting in std::mem::take(&mut self.early_settings) {
            self.enqueue(setting, false);
        }
        self.enqueue(line, interrupts);
    }

    pub fn push_early_setting(&mut self, line: InputLine) {
        self.forget_settings_before(line.batch);
        if self.lines.is_empty() {
            self.early_settings.push(line);
        } else {
            // It acts again after older settings of the script.
            self.enqueue(line, false);
        }
    }

    fn enqueue(&mut self, line: InputLine, interrupts: bool) {
        let is_name = self.expects_name();
        self.lines.push_back(Queued { line, interrupts, is_name });
    }

    fn forget_settings_before(&mut self, batch: u64) {
        self.early_settings.retain(|setting| setting.batch == batch);
    }

    /// Removes the lines that are no part of the script of a search that begins now. Returns each
    /// with true if it ends the search whatever it says.
    pub fn take_late(&mut self, origin: Origin) -> Vec<(InputLine, bool)> {
        let script = self.lines.partition_point(|queued| !origin.is_before(&queued.line));
        let late = self.lines.split_off(script).into_iter();
        late.map(|Queued { line, interrupts, .. }| (line, interrupts)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Instant;

    fn line(batch: u64, text: &str) -> InputLine {
        let (text, command) = (text.to_owned(), Command::parse(text));
        InputLine { read_at: Instant::now(), text, command, batch, grace: None, waiting: None }
    }

    fn texts(mut queue: LineQueue) -> Vec<String> {
        std::iter::from_fn(|| queue.pop()).map(|line| line.text).collect()
    }

    #[test]
    fn early_settings_act_again_ahead_of_the_next_line_of_their_batch() {
        for (batch, first) in [(1, 0), (2, 2)] {
            let mut queue = LineQueue::default();
            queue.push_early_setting(line(1, "INFO timeout_turn 100"));
            queue.push_early_setting(line(1, "INFO timeout_turn 200"));
            queue.push(line(batch, "BEGIN"), true);
            queue.push(line(batch, "ABOUT"), false);
            let all = ["INFO timeout_turn 100", "INFO timeout_turn 200", "BEGIN", "ABOUT"];
            assert_eq!(texts(queue), all[first..]);
        }
    }

    #[test]
    fn an_early_setting_acts_again_after_lines_that_wait() {
        let mut queue = LineQueue::default();
        queue.push(line(0, "INFO timeout_turn 100"), false);
        queue.push_early_setting(line(1, "INFO timeout_turn 200"));
        queue.push(line(2, "BEGIN"), false);
        assert_eq!(texts(queue), ["INFO timeout_turn 100", "INFO timeout_turn 200", "BEGIN"]);
    }

    #[test]
    fn late_lines_are_those_of_later_batches_and_may_have_ended_a_search() {
        let mut queue = LineQueue::default();
        queue.push(line(0, "BEGIN"), true);
        queue.push(line(1, "TURN 0,0"), true);
        queue.push(line(1, "ABOUT"), false);
        let origin = Origin { read_at: Instant::now(), batch: 0 };
        let late = queue.take_late(origin).into_iter().map(|(line, ends)| (line.text, ends));
        let expected = [("TURN 0,0".to_owned(), true), ("ABOUT".to_owned(), false)];
        assert_eq!(late.collect::<Vec<_>>(), expected);
        assert_eq!(texts(queue), ["BEGIN"]);
    }
}
