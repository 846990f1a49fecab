//! The writer thread, which alone writes to the manager, one write a line, so that a full pipe
//! stops neither the clock nor END. If the output is closed, the manager is gone and the program
//! exits.

use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tengen_gomocup::Reply;

use super::input::{Backlog, Waiting};
use crate::time::{Duration, Instant};

/// Messages are dropped while so many lines wait.
const MESSAGE_BACKLOG: usize = 16;

pub struct Output {
    lines: Sender<OutputLine>,
    /// The time of each line from here to the pipe.
    written: Receiver<Duration>,
    unwritten: usize,
    /// Of the last line.
    delay: Duration,
    backlog: Arc<Backlog>,
    exit: fn(),
}

struct OutputLine {
    text: String,
    handed_over: Instant,
    _waiting: Waiting,
}

impl Output {
    /// Starts the writer, which calls `exit` if `target` is closed.
    pub fn new(
        mut target: impl Write + Send + 'static,
        exit: fn(),
        backlog: Arc<Backlog>,
    ) -> std::io::Result<Output> {
        let (lines, receiver) = channel::<OutputLine>();
        let (sender, written) = channel();
        thread::Builder::new().name("writer".into()).spawn(move || {
            for line in receiver {
                if target.write_all(line.text.as_bytes()).and_then(|()| target.flush()).is_err() {
                    exit();
                }
                let _ = sender.send(line.handed_over.elapsed());
            }
        })?;
        let (unwritten, delay) = (0, Duration::ZERO);
        Ok(Output { lines, written, unwritten, delay, backlog, exit })
    }

    pub fn answer(&mut self, reply: &Reply) {
        self.count_written();
        self.unwritten += 1;
        let text = format!("{reply}\n");
        let _waiting = self.backlog.add(text.len());
        if self.lines.send(OutputLine { text, handed_over: Instant::now(), _waiting }).is_err() {
            (self.exit)();
        }
    }

    pub fn answers(&mut self, replies: &[Reply]) {
        replies.iter().for_each(|reply| self.answer(reply));
    }

    /// Writes lines that may be dropped, but only together. Returns true if they are written.
    pub fn messages(&mut self, replies: &[Reply]) -> bool {
        self.count_written();
        let has_room = self.unwritten < MESSAGE_BACKLOG;
        if has_room {
            self.answers(replies);
        }
        has_room
    }

    pub fn delay(&mut self) -> Duration {
        self.count_written();
        self.delay
    }

    fn count_written(&mut self) {
        for delay in self.written.try_iter() {
            self.delay = delay;
            self.unwritten -= 1;
        }
    }

    /// Waits until everything is written, or nothing has been written for `grace`.
    pub fn finish(&mut self, grace: Duration) {
        while self.unwritten > 0 && self.written.recv_timeout(grace).is_ok() {
            self.unwritten -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a line when it is told to.
    struct Slow(Receiver<()>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.recv().map_err(std::io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn messages_are_dropped_while_many_lines_wait_and_the_rest_is_waited_for() {
        let (go, wait) = channel();
        let mut output = Output::new(Slow(wait), || (), Arc::default()).unwrap();
        for number in 0..MESSAGE_BACKLOG + 9 {
            assert_eq!(output.messages(&[Reply::Ok]), number < MESSAGE_BACKLOG);
        }
        output.answers(&[Reply::Ok, Reply::Ok]);
        assert_eq!(output.unwritten, MESSAGE_BACKLOG + 2);
        output.finish(Duration::from_millis(1));
        assert_eq!(output.unwritten, MESSAGE_BACKLOG + 2);
        (0..MESSAGE_BACKLOG + 2).for_each(|_| go.send(()).unwrap());
        output.finish(Duration::from_secs(20));
        assert_eq!(output.unwritten, 0);
    }
}
