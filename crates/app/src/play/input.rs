//! The lines that a person types: edited and remembered at a terminal, plain from a pipe.
//!
//! A thread of its own reads, so that whoever waits for a line can give up at a deadline. It reads
//! only when a line is asked for: between lines the terminal is as it was. A Windows console edits
//! and remembers lines by itself.

#[cfg(unix)]
use std::collections::VecDeque;
use std::env;
use std::io::{self, BufRead, IsTerminal, Read, Write, stdin, stdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Instant;

#[cfg(unix)]
use rustyline::error::ReadlineError;
#[cfg(unix)]
use rustyline::{Config, DefaultEditor, ExternalPrinter};

const PROMPT: &str = "> ";

/// Bytes of a line from a pipe at most: no command is so long.
const LINE_MAX: u64 = 1 << 16;

/// What waiting for a line ended with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A line, without its end.
    Line(String),
    /// A line that is not UTF-8.
    Unreadable,
    /// The end of the input, or Ctrl-C.
    End,
    /// The deadline; the line is still being typed.
    Deadline,
}

pub struct Input {
    requests: Sender<()>,
    answers: Receiver<io::Result<Answer>>,
    /// True from the request of a line until it has come.
    is_reading: bool,
    pub is_terminal: bool,
    pub columns: Option<usize>,
    /// Prints above the line that is being edited; `None` without an editor.
    printer: Option<Printer>,
}

type Printer = Box<dyn FnMut(String) -> io::Result<()>>;

/// What the reading thread has read, and the columns of the terminal when it came.
struct Answer {
    event: Event,
    columns: Option<usize>,
}

impl Input {
    /// Returns standard input, with an editor where both it and standard output are a terminal.
    pub fn open() -> io::Result<Input> {
        let (requests, asked) = channel();
        let (sender, answers) = channel();
        let is_terminal = stdin().is_terminal();
        let editor = if is_terminal && stdout().is_terminal() { editor() } else { None };
        let (mut reader, printer) = match editor {
            Some((reader, printer)) => (reader, Some(printer)),
            // Where the terminal cannot be edited on, plain lines must do.
            None => (Reader::Plain, None),
        };
        let columns = reader.columns();
        thread::Builder::new().name("input".into()).spawn(move || {
            while asked.recv().is_ok() {
                let event = reader.read();
                let columns = reader.columns();
                if sender.send(event.map(|event| Answer { event, columns })).is_err() {
                    break;
                }
            }
        })?;
        Ok(Input { requests, answers, is_reading: false, is_terminal, columns, printer })
    }

    /// Waits for the next line, or until the deadline.
    pub fn read(&mut self, deadline: Option<Instant>) -> io::Result<Event> {
        let broken = || io::Error::from(io::ErrorKind::BrokenPipe);
        if !self.is_reading {
            if self.is_terminal && self.printer.is_none() {
                write!(stdout(), "{PROMPT}")?;
            }
            stdout().flush()?;
            self.requests.send(()).map_err(|_| broken())?;
            self.is_reading = true;
        }
        let answer = match deadline {
            None => self.answers.recv().map_err(|_| broken())?,
            Some(deadline) => {
                let time = deadline.saturating_duration_since(Instant::now());
                match self.answers.recv_timeout(time) {
                    Ok(answer) => answer,
                    Err(RecvTimeoutError::Timeout) => return Ok(Event::Deadline),
                    Err(RecvTimeoutError::Disconnected) => return Err(broken()),
                }
            }
        };
        self.is_reading = false;
        let Answer { event, columns } = answer?;
        self.columns = columns;
        Ok(event)
    }

    /// Prints lines while another one is being typed.
    pub fn print_meanwhile(&mut self, text: &str) -> io::Result<()> {
        match &mut self.printer {
            Some(print) => print(text.to_owned()),
            None => {
                let mut out = stdout();
                if self.is_terminal {
                    writeln!(out)?;
                }
                out.write_all(text.as_bytes())?;
                if self.is_terminal {
                    out.write_all(PROMPT.as_bytes())?;
                }
                out.flush()
            }
        }
    }
}

enum Reader {
    Plain,
    #[cfg(unix)]
    Editor {
        editor: Box<DefaultEditor>,
        /// Lines that were pasted together with an earlier one.
        pasted: VecDeque<String>,
    },
}

impl Reader {
    fn read(&mut self) -> io::Result<Event> {
        match self {
            Reader::Plain => {
                let mut line = Vec::new();
                let mut input = stdin().lock();
                if input.by_ref().take(LINE_MAX).read_until(b'\n', &mut line)? == 0 {
                    return Ok(Event::End);
                }
                if line.len() as u64 == LINE_MAX && line.last() != Some(&b'\n') {
                    input.skip_until(b'\n')?;
                }
                Ok(String::from_utf8(line).map_or(Event::Unreadable, |text| {
                    Event::Line(text.trim_end_matches(['\n', '\r']).to_owned())
                }))
            }
            #[cfg(unix)]
            Reader::Editor { editor, pasted } => {
                if let Some(line) = pasted.pop_front() {
                    return Ok(Event::Line(line));
                }
                match editor.readline(PROMPT) {
                    Ok(text) => {
                        let text = text.replace("\r\n", "\n");
                        // A line end at the end of what was pasted begins no further line.
                        let text = text.strip_suffix(['\n', '\r']).unwrap_or(&text);
                        let mut lines = text.split(['\n', '\r']).map(str::to_owned);
                        let line = lines.next().unwrap_or_default();
                        pasted.extend(lines);
                        Ok(Event::Line(line))
                    }
                    Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(Event::End),
                    Err(error) => match failure(error) {
                        // The editor drops what was typed so far.
                        error if error.kind() == io::ErrorKind::InvalidData => {
                            Ok(Event::Unreadable)
                        }
                        error => Err(error),
                    },
                }
            }
        }
    }

    fn columns(&mut self) -> Option<usize> {
        let told = match self {
            Reader::Plain => None,
            #[cfg(unix)]
            Reader::Editor { editor, .. } => {
                editor.dimensions().map(|(columns, _)| usize::from(columns))
            }
        };
        let set = || env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
        told.or_else(|| if stdout().is_terminal() { set() } else { None })
    }
}

#[cfg(unix)]
fn editor() -> Option<(Reader, Printer)> {
    let config = Config::builder().auto_add_history(true).build();
    let mut editor = DefaultEditor::with_config(config).ok()?;
    let mut printer = editor.create_external_printer().ok()?;
    let print = move |text| printer.print(text).map_err(failure);
    let pasted = VecDeque::new();
    Some((Reader::Editor { editor: Box::new(editor), pasted }, Box::new(print)))
}

#[cfg(not(unix))]
fn editor() -> Option<(Reader, Printer)> {
    None
}

#[cfg(unix)]
fn failure(error: ReadlineError) -> io::Error {
    match error {
        ReadlineError::Io(error) => error,
        error => io::Error::other(error),
    }
}
