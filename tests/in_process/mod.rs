//! The protocol in process: bytes in, lines out, and a clock that the caller sets.
//!
//! Each part of the input carries its own time of arrival, so that nothing waits: a dialogue with
//! late lines takes no longer than its searches. Three failures are noticed here: a panic in any
//! thread of a session, though the engine survives most of them; a session that does not end; and
//! output that is no whole line of a known form.

#![allow(dead_code, reason = "every user uses a part of this module")]

pub mod model;

use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};
use std::{io, panic, thread};

use crate::reply_form::is_reply;
use tengen::protocol::{Chunk, serve};
use tengen::search::Limits;
use tengen_gomocup::Reply;

/// A line this much later than the one before is of another batch.
pub const LATE: Duration = Duration::from_millis(150);
/// A session that takes longer hangs, however busy the machine is.
const HANGS: Duration = Duration::from_secs(60);

/// Bytes that come in together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The time of arrival, counted from that of the part before.
    pub later: Duration,
    /// The pause before it comes in, in real time.
    pub pause: Duration,
    /// The number of answers that are waited for first, for a while at most.
    pub answers: usize,
    /// The bytes; none are the end of input, which also comes with the last part.
    pub bytes: Vec<u8>,
}

/// What went wrong with a session, apart from its answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It did not end.
    Hang,
    /// One of its threads panicked, with these words.
    Panic(String),
    /// Something else than whole lines of a form that managers know came out.
    Form(String),
}

/// Runs a session and returns the lines that came out, messages included. Each search ends after
/// `nodes` nodes, at the latest.
///
/// # Errors
///
/// If something goes wrong that must never happen, whatever comes in.
pub fn converse(parts: Vec<Part>, nodes: u64) -> Result<Vec<String>, Failure> {
    record_panics();
    let mut at = Instant::now();
    let output = Output::default();
    let (target, written) = (output.clone(), output.clone());
    let mut parts = parts.into_iter();
    let receive = move || {
        let part = parts.next().unwrap_or_default();
        thread::sleep(part.pause);
        written.await_answers(part.answers);
        at += part.later;
        Chunk { at, bytes: part.bytes, is_delayed: false }
    };
    let limits = Limits { nodes, ..Limits::default() };
    let (sender, ended) = channel();
    let session = move || {
        let result = serve(receive, target, limits, Vec::new(), || ());
        let _ = sender.send(result.map_err(|error| error.to_string()));
    };
    thread::Builder::new().name("session".into()).spawn(session).expect("a thread starts");
    match ended.recv_timeout(HANGS) {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(Failure::Panic(error)),
        Err(RecvTimeoutError::Timeout) => return Err(Failure::Hang),
        // What it panicked with follows.
        Err(RecvTimeoutError::Disconnected) => {}
    }
    if let Some(panic) = lock(&PANICS).drain(..).next() {
        return Err(Failure::Panic(panic));
    }
    let writes = std::mem::take(&mut *lock(&output.0));
    let lines = writes.iter().map(|write| {
        let line = String::from_utf8(write.clone()).ok()?.strip_suffix('\n')?.to_owned();
        // Of the parser nothing may be lost; the forms themselves are those of `reply_form`.
        let is_parsed = Reply::parse(&line).to_string() == line.trim_end();
        (is_reply(&line) && is_parsed).then_some(line)
    });
    lines.collect::<Option<_>>().ok_or_else(|| {
        Failure::Form(format!(
            "{:?}",
            writes.iter().map(|write| write.escape_ascii()).collect::<Vec<_>>()
        ))
    })
}

/// Returns true for a line that answers a request: no message, and nothing of the details that only
/// those hear who asked for them.
pub fn is_answer(line: impl AsRef<[u8]>) -> bool {
    let line = line.as_ref();
    !line.starts_with(b"MESSAGE ") && !line.starts_with(b"INFO ")
}

/// Where a session's output goes, write by write.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<Vec<u8>>>>);

impl Output {
    fn await_answers(&self, count: usize) {
        let end = Instant::now() + HANGS / 3;
        let answers = || lock(&self.0).iter().filter(|write| is_answer(write)).count();
        while count > 0 && answers() < count {
            if Instant::now() >= end {
                return;
            }
            thread::sleep(Duration::from_micros(50));
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&self.0).push(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The panics of sessions that nobody has been told of.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Keeps what the threads of sessions say when they panic; others speak as ever.
fn record_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            let thread = thread::current();
            let name = thread.name().unwrap_or_default();
            let is_ours = matches!(name, "session" | "reader" | "writer" | "search");
            if is_ours || name.starts_with("helper ") {
                lock(&PANICS).push(format!("{name}: {panic}"));
            } else {
                usual(panic);
            }
        }));
    });
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
