//! The lines that a person types: edited and remembered at a terminal, plain from a pipe.
//!
//! A thread of its own reads, so that whoever waits for a line can give up at a deadline, or for the
//! end of a search. It reads only when a line is asked for: between lines the terminal is as it was.
//! At a terminal Ctrl-C is an event. A Windows console edits and remembers lines by itself.

use std::collections::VecDeque;
use std::env;
use std::io::{self, BufRead, IsTerminal, Read, Write, stdin, stdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Builder;
use tokio::signal::ctrl_c;

#[cfg(unix)]
use rustyline::error::ReadlineError;
#[cfg(unix)]
use rustyline::{Config, DefaultEditor, ExternalPrinter};

const PROMPT: &str = "> ";

/// Bytes of a line from a pipe at most: no command is so long.
const LINE_MAX: u64 = 1 << 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Line(String),
    Unreadable,
    End,
    /// Ctrl-C: a line that is being typed is gone.
    Interrupt,
    /// A [`Notice`] was dropped.
    Done,
    /// The deadline; the line is still being typed.
    Deadline,
}

pub struct Input {
    requests: Sender<()>,
    answers: Receiver<io::Result<Answer>>,
    notices: Sender<io::Result<Answer>>,
    /// What was typed while nobody waited for it.
    ahead: VecDeque<Event>,
    /// True from the request of a line until it has come.
    is_reading: bool,
    pub is_terminal: bool,
    pub columns: Option<usize>,
    /// Prints above the line that is being edited; `None` without an editor.
    printer: Option<Printer>,
}

/// An event, and the width of the terminal at that time if it is known.
type Answer = (Event, Option<usize>);
type Reader = Box<dyn FnMut() -> io::Result<Answer> + Send>;
type Printer = Box<dyn FnMut(String) -> io::Result<()>>;

/// Tells the input, when it is dropped, that somebody's work is done.
pub struct Notice(Sender<io::Result<Answer>>);

impl Drop for Notice {
    fn drop(&mut self) {
        let _ = self.0.send(Ok((Event::Done, None)));
    }
}

impl Input {
    /// Returns standard input, with an editor where both it and standard output are a terminal.
    pub fn open() -> io::Result<Input> {
        let (requests, asked) = channel();
        let (sender, answers) = channel();
        let is_terminal = stdin().is_terminal();
        let notices = sender.clone();
        if is_terminal {
            watch_interrupts(sender.clone())?;
        }
        let is_edited = is_terminal && stdout().is_terminal();
        let editor = if is_edited { editor(sender.clone()) } else { None };
        let (mut read, columns, printer) = match editor {
            Some((reader, columns, printer)) => (reader, columns, Some(printer)),
            // Where the terminal cannot be edited on, plain lines must do.
            None => (Box::new(read_plain) as Reader, columns_set(), None),
        };
        let run = move || while asked.recv().is_ok() && sender.send(read()).is_ok() {};
        thread::Builder::new().name("input".into()).spawn(run)?;
        let ahead = VecDeque::new();
        let is_reading = false;
        Ok(Input { requests, answers, notices, ahead, is_reading, is_terminal, columns, printer })
    }

    /// Waits for the next line, or until the deadline.
    pub fn read(&mut self, deadline: Option<Instant>) -> io::Result<Event> {
        if let Some(event) = self.ahead.pop_front() {
            return Ok(event);
        }
        self.request()?;
        self.receive(deadline)
    }

    pub fn notice(&self) -> Notice {
        Notice(self.notices.clone())
    }

    /// Waits until a notice is dropped. At a terminal Ctrl-C, the word stop and the end of the input
    /// call `stop` meanwhile, and other lines are kept for later.
    pub fn wait_for_notice(&mut self, stop: impl Fn()) -> io::Result<()> {
        loop {
            let is_over = self.ahead.contains(&Event::End);
            if self.is_terminal && !is_over {
                self.request()?;
            }
            match self.receive(None)? {
                Event::Done => return Ok(()),
                Event::Interrupt => stop(),
                Event::Line(line) if line.trim().eq_ignore_ascii_case("stop") => stop(),
                event => {
                    if event == Event::End {
                        stop();
                    }
                    self.ahead.push_back(event);
                }
            }
        }
    }

    /// Asks for a line, unless one is being typed.
    fn request(&mut self) -> io::Result<()> {
        if self.is_reading {
            return Ok(());
        }
        if self.is_terminal && self.printer.is_none() {
            write!(stdout(), "{PROMPT}")?;
        }
        stdout().flush()?;
        self.requests.send(()).map_err(|_| broken())?;
        self.is_reading = true;
        Ok(())
    }

    fn receive(&mut self, deadline: Option<Instant>) -> io::Result<Event> {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        let answer = match self.answers.recv_timeout(deadline.map_or(Duration::MAX, left)) {
            Err(RecvTimeoutError::Timeout) => return Ok(Event::Deadline),
            answer => answer.map_err(|_| broken())?,
        };
        let is_read = !matches!(answer, Ok((Event::Interrupt | Event::Done, _)));
        self.is_reading &= !is_read;
        let (event, columns) = answer?;
        if is_read {
            self.columns = columns;
        }
        Ok(event)
    }

    /// Prints what was written, and clears it.
    pub fn show(&mut self, text: &mut Vec<u8>) -> io::Result<()> {
        let shown = std::mem::take(text);
        if self.is_reading && !shown.is_empty() {
            return self.print_meanwhile(&String::from_utf8_lossy(&shown));
        }
        stdout().write_all(&shown)?;
        stdout().flush()
    }

    /// Prints lines while another one is being typed.
    pub fn print_meanwhile(&mut self, text: &str) -> io::Result<()> {
        if let Some(print) = &mut self.printer {
            return print(text.to_owned());
        }
        let (before, after) = if self.is_terminal { ("\n", PROMPT) } else { ("", "") };
        write!(stdout(), "{before}{text}{after}")?;
        stdout().flush()
    }
}

fn broken() -> io::Error {
    io::Error::from(io::ErrorKind::BrokenPipe)
}

/// Passes Ctrl-C on, which would end the program where no editor takes it.
fn watch_interrupts(sender: Sender<io::Result<Answer>>) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let watch = async move {
        while ctrl_c().await.is_ok() && sender.send(Ok((Event::Interrupt, None))).is_ok() {}
    };
    thread::Builder::new().name("interrupts".into()).spawn(move || runtime.block_on(watch))?;
    Ok(())
}

fn read_plain() -> io::Result<Answer> {
    let mut line = Vec::new();
    let mut input = stdin().lock();
    let event = if input.by_ref().take(LINE_MAX).read_until(b'\n', &mut line)? == 0 {
        Event::End
    } else {
        if line.len() as u64 == LINE_MAX && line.last() != Some(&b'\n') {
            input.skip_until(b'\n')?;
        }
        String::from_utf8(line).map_or(Event::Unreadable, |text| {
            Event::Line(text.trim_end_matches(['\n', '\r']).to_owned())
        })
    };
    Ok((event, columns_set()))
}

/// Returns the columns that the environment tells of the terminal.
fn columns_set() -> Option<usize> {
    let columns = env::var("COLUMNS").ok().filter(|_| stdout().is_terminal())?;
    columns.parse().ok()
}

#[cfg(unix)]
fn editor(sender: Sender<io::Result<Answer>>) -> Option<(Reader, Option<usize>, Printer)> {
    let config = Config::builder().auto_add_history(true).build();
    let mut editor = DefaultEditor::with_config(config).ok()?;
    let mut printer = editor.create_external_printer().ok()?;
    let columns = |editor: &mut DefaultEditor| {
        let told = editor.dimensions().map(|(columns, _)| usize::from(columns));
        told.or_else(columns_set)
    };
    let now = columns(&mut editor);
    let mut pasted = VecDeque::new();
    let interrupt = move || drop(sender.send(Ok((Event::Interrupt, None))));
    let read = move || Ok((edited(&mut editor, &mut pasted, &interrupt)?, columns(&mut editor)));
    Some((Box::new(read), now, Box::new(move |text| printer.print(text).map_err(failure))))
}

#[cfg(not(unix))]
fn editor(_: Sender<io::Result<Answer>>) -> Option<(Reader, Option<usize>, Printer)> {
    None
}

/// Reads a line in the editor; `pasted` are lines that came together with an earlier one. Ctrl-C
/// calls `interrupt` and clears the line.
#[cfg(unix)]
fn edited(
    editor: &mut DefaultEditor,
    pasted: &mut VecDeque<String>,
    interrupt: &dyn Fn(),
) -> io::Result<Event> {
    if let Some(line) = pasted.pop_front() {
        return Ok(Event::Line(line));
    }
    let result = loop {
        match editor.readline(PROMPT) {
            Err(ReadlineError::Interrupted) => interrupt(),
            result => break result,
        }
    };
    match result {
        Ok(text) => {
            let text = text.replace("\r\n", "\n");
            // A line end at the end of what was pasted begins no further line.
            let text = text.strip_suffix(['\n', '\r']).unwrap_or(&text);
            let mut lines = text.split(['\n', '\r']).map(str::to_owned);
            let line = lines.next().unwrap_or_default();
            pasted.extend(lines);
            Ok(Event::Line(line))
        }
        Err(ReadlineError::Eof) => Ok(Event::End),
        Err(error) => match failure(error) {
            // The editor drops what was typed so far.
            error if error.kind() == io::ErrorKind::InvalidData => Ok(Event::Unreadable),
            error => Err(error),
        },
    }
}

#[cfg(unix)]
fn failure(error: ReadlineError) -> io::Error {
    match error {
        ReadlineError::Io(error) => error,
        error => io::Error::other(error),
    }
}
