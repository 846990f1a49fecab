//! The reader thread: from bytes of input to parsed [`InputLine`]s.
//!
//! Lines that arrive together are a batch: a script, whose lines wait for their turn. A later line
//! is the act of a manager or a person.

use std::io::{ErrorKind, Read};
use std::sync::{Arc, Condvar, Mutex};

use tengen_gomocup::{Command, LineSplitter, ParseError};

use super::timing::{
    BACKLOG_WAIT, BATCH_GAP, BATCH_GAP_END, GRACE_INPUT, GRACE_LATE, GRACE_SCRIPT,
};
use crate::parallel::lock;
use crate::time::{Duration, Instant};

const CHUNK_MAX: usize = 8 * 1024;

/// A line of input, or the end of input.
#[derive(Debug)]
pub struct InputLine {
    pub read_at: Instant,
    /// Without the line end; empty at the end of input.
    pub text: String,
    /// Not valid if the line belongs to a list or names a file; END at the end of input.
    pub command: Result<Command, ParseError>,
    pub batch: u64,
    /// Of the last line, END or the end of input: how long the last answers may take.
    pub grace: Option<Duration>,
    pub waiting: Option<Waiting>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    pub at: Instant,
    /// Empty at the end of input.
    pub bytes: Vec<u8>,
    /// True if they may have come earlier, while the reader waited.
    pub is_delayed: bool,
}

pub fn chunks(mut input: impl Read) -> impl FnMut() -> Chunk {
    let mut buffer = [0; CHUNK_MAX];
    move || loop {
        let length = match input.read(&mut buffer) {
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            // A manager that is gone can cause an error, too.
            Err(_) => 0,
        };
        let bytes = buffer[..length].to_vec();
        return Chunk { at: Instant::now(), bytes, is_delayed: false };
    }
}

/// Calls `handle` with each line until it returns false; the last one is the end of input.
pub fn read(mut receive: impl FnMut() -> Chunk, mut handle: impl FnMut(InputLine) -> bool) {
    let mut splitter = LineSplitter::default();
    let mut batches = Batches::default();
    loop {
        let chunk = receive();
        let is_end = chunk.bytes.is_empty();
        let last = if is_end { splitter.finish() } else { None };
        let lines = chunk.bytes.iter().filter_map(|&byte| splitter.push(byte));
        for text in lines.chain(last) {
            if !handle(batches.parse(&chunk, Some(text))) {
                return;
            }
        }
        if is_end {
            handle(batches.parse(&chunk, None));
            return;
        }
    }
}

#[derive(Default)]
struct Batches {
    /// Time and batch of the last line.
    last: Option<(Instant, u64)>,
}

impl Batches {
    /// Parses and numbers the next line. A delayed one belongs to the batch before it.
    fn parse(&mut self, chunk: &Chunk, text: Option<String>) -> InputLine {
        let &Chunk { at: read_at, is_delayed, .. } = chunk;
        let command = text.as_deref().map_or(Ok(Command::End), Command::parse);
        let is_end = command == Ok(Command::End);
        let gap = if is_end { BATCH_GAP_END } else { BATCH_GAP };
        let is_soon = |at| is_delayed || read_at.saturating_duration_since(at) <= gap;
        let follows = self.last.is_some_and(|(at, _)| is_soon(at));
        let batch = self.last.map_or(0, |(_, batch)| batch + u64::from(!follows));
        self.last = Some((read_at, batch));
        let grace = is_end.then_some(match text {
            _ if !follows => GRACE_LATE,
            Some(_) => GRACE_SCRIPT,
            None => GRACE_INPUT,
        });
        let text = text.unwrap_or_default();
        InputLine { read_at, text, command, batch, grace, waiting: None }
    }
}

/// The reader waits above this. A script of 100,000 lines is read without a pause.
const LARGE: usize = 32 << 20;
/// Of a line or an answer apart from its text, approximately.
const OVERHEAD: usize = 256;

/// The bytes of lines not executed and answers not written. If there are many, the reader nearly
/// stops, so that a manager fills the pipe and not the memory.
#[derive(Debug, Default)]
pub struct Backlog {
    bytes: Mutex<usize>,
    less: Condvar,
}

/// A part of the backlog, until dropped.
#[derive(Debug)]
pub struct Waiting {
    backlog: Arc<Backlog>,
    bytes: usize,
}

impl Backlog {
    pub fn add(self: &Arc<Backlog>, text: usize) -> Waiting {
        let bytes = text + OVERHEAD;
        *lock(&self.bytes) += bytes;
        Waiting { backlog: Arc::clone(self), bytes }
    }

    /// Waits while the backlog is large, but not for ever; returns true if it was large.
    pub fn wait_while_large(&self) -> bool {
        let bytes = lock(&self.bytes);
        let was_large = *bytes > LARGE;
        drop(self.less.wait_timeout_while(bytes, BACKLOG_WAIT, |bytes| *bytes > LARGE));
        was_large
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        *lock(&self.backlog.bytes) -= self.bytes;
        self.backlog.less.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use tengen_gomocup::BAD_SIZE;

    use super::*;

    /// Returns the batches of lines read at these milliseconds, and the end of the last one.
    fn batches(lines: &[(u64, Option<&str>)]) -> (Vec<u64>, Option<Duration>) {
        let start = Instant::now();
        let mut batches = Batches::default();
        let lines = lines.iter().map(|&(at, text)| {
            let at = start + Duration::from_millis(at);
            let chunk = Chunk { at, bytes: Vec::new(), is_delayed: false };
            batches.parse(&chunk, text.map(str::to_owned))
        });
        let lines: Vec<InputLine> = lines.collect();
        (lines.iter().map(|line| line.batch).collect(), lines.last().unwrap().grace)
    }

    #[test]
    fn lines_that_come_soon_are_of_one_batch() {
        let line = Some("INFO rule 1");
        let lines = [(0, line), (20, line), (41, line), (41, line), (200, line), (205, line)];
        assert_eq!(batches(&lines), (vec![0, 0, 1, 1, 2, 2], None));
    }

    #[test]
    fn an_end_may_come_a_little_later() {
        let begin = (5, Some("BEGIN"));
        assert_eq!(batches(&[begin, (105, Some("end"))]), (vec![0, 0], Some(GRACE_SCRIPT)));
        assert_eq!(batches(&[begin, (105, None)]), (vec![0, 0], Some(GRACE_INPUT)));
        assert_eq!(batches(&[begin, (106, Some("END"))]), (vec![0, 1], Some(GRACE_LATE)));
        assert_eq!(batches(&[begin, (106, None)]), (vec![0, 1], Some(GRACE_LATE)));
        assert_eq!(batches(&[(0, None)]), (vec![0], Some(GRACE_LATE)));
    }

    #[test]
    fn the_end_of_input_is_an_end_without_text() {
        let mut lines = Vec::new();
        read(chunks(b"ABOUT\nSTART x".as_slice()), |line| {
            lines.push((line.text, line.command));
            true
        });
        let expected = [
            ("ABOUT".to_owned(), Ok(Command::About)),
            ("START x".to_owned(), Err(BAD_SIZE)),
            (String::new(), Ok(Command::End)),
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn reading_ends_when_nobody_listens() {
        let mut count = 0;
        read(chunks(b"a\nb\nc\n".as_slice()), |_| {
            count += 1;
            count < 2
        });
        assert_eq!(count, 2);
    }

    #[test]
    fn a_large_backlog_is_waited_for() {
        let backlog = Arc::new(Backlog::default());
        let most = backlog.add(LARGE - OVERHEAD);
        assert!(!backlog.wait_while_large());
        let one_more = backlog.add(0);
        let (sender, receiver) = channel();
        let shared = Arc::clone(&backlog);
        let waiter = thread::spawn(move || {
            sender.send(true).unwrap();
            sender.send(shared.wait_while_large()).unwrap();
        });
        assert!(receiver.recv().unwrap());
        assert!(receiver.recv_timeout(Duration::from_millis(200)).is_err());
        drop(one_more);
        assert!(receiver.recv_timeout(Duration::from_secs(20)).unwrap());
        waiter.join().unwrap();
        drop(most);
        assert_eq!(*lock(&backlog.bytes), 0);
    }

    #[test]
    fn nothing_is_waited_for_without_end() {
        let backlog = Arc::new(Backlog::default());
        let _large = backlog.add(2 * LARGE);
        assert!(backlog.wait_while_large());
    }
}
