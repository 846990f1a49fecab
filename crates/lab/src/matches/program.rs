//! A program that speaks the Gomocup protocol, as a child process behind two pipes.
//!
//! Whatever it does, nobody waits for it longer than its deadline.

use std::fmt::Display;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use tengen_gomocup::Reply;

/// How long a program may take to leave after END, and how often it is looked at.
const END_TIME: Duration = Duration::from_secs(2);
const END_INTERVAL: Duration = Duration::from_millis(1);
/// Bytes of a line that are read; no answer is as long.
const LINE_MAX: usize = 4096;
/// Lines that are kept until they are asked for; a program that says more has to wait.
const LINES_MAX: usize = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Late,
    /// Its answer is no legal move.
    Illegal,
    /// It has ended, or said that something is wrong.
    Crashed,
}

pub struct Program {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
}

impl Program {
    pub fn start(command: &str) -> anyhow::Result<Program> {
        // The name of a file may have blanks.
        let words = if Path::new(command).is_file() { None } else { shlex::split(command) };
        let words = words.unwrap_or_else(|| vec![command.to_owned()]);
        let (program, arguments) = words.split_first().context("a program is missing")?;
        let mut process = Command::new(program);
        process.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = process.spawn().with_context(|| format!("starting {program}"))?;
        let stdin = child.stdin.take();
        let (sender, lines) = sync_channel(LINES_MAX);
        let stdout = child.stdout.take().context("the program has no output")?;
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            let mut line = Vec::new();
            // Output that is no text, a line without end among it, is a line like any other.
            while let Ok(true) = read_line(&mut stdout, &mut line) {
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                line.clear();
                if sender.send((Instant::now(), text)).is_err() {
                    return;
                }
            }
        });
        Ok(Program { child, stdin, lines })
    }

    pub fn send(&mut self, line: impl Display) {
        if let Some(stdin) = &mut self.stdin {
            let _ = stdin.write_all(format!("{line}\n").as_bytes());
        }
    }

    /// Returns the next line that is an answer, and when it came.
    pub fn answer(&mut self, deadline: Instant) -> Result<(Instant, Reply), Fault> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let (at, line) = self.lines.recv_timeout(left).map_err(|error| match error {
                RecvTimeoutError::Timeout => Fault::Late,
                RecvTimeoutError::Disconnected => Fault::Crashed,
            })?;
            // The deadline holds for a program that sends messages without end, too.
            if at > deadline {
                return Err(Fault::Late);
            }
            match Reply::parse(&line) {
                reply if !reply.is_answer() => {}
                Reply::Error(_) | Reply::Unknown(_) => return Err(Fault::Crashed),
                reply => return Ok((at, reply)),
            }
        }
    }
}

/// Reads a line, or as much of it as counts. Returns false at the end of the output.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    loop {
        let bytes = input.fill_buf()?;
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let count = end.map_or(bytes.len(), |end| end + 1);
        if count == 0 {
            return Ok(!line.is_empty());
        }
        let room = LINE_MAX.saturating_sub(line.len());
        line.extend(&bytes[..count.min(room)]);
        input.consume(count);
        if end.is_some() {
            return Ok(true);
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.send("END");
        self.stdin = None;
        let start = Instant::now();
        while start.elapsed() < END_TIME && matches!(self.child.try_wait(), Ok(None)) {
            thread::sleep(END_INTERVAL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_where_they_are_too_long() {
        let text = [b"7,7\r\n".as_slice(), &[b'x'; 3 * LINE_MAX], b"\n\nlast"].concat();
        let mut input = BufReader::with_capacity(100, text.as_slice());
        let mut lines = Vec::new();
        let mut line = Vec::new();
        while read_line(&mut input, &mut line).unwrap() {
            lines.push(std::mem::take(&mut line));
        }
        assert_eq!(lines.len(), 4);
        assert_eq!((lines[0].as_slice(), lines[1].len()), (b"7,7\r\n".as_slice(), LINE_MAX));
        assert_eq!(
            (lines[2].as_slice(), lines[3].as_slice()),
            (b"\n".as_slice(), b"last".as_slice())
        );
    }
}
