//! The Gomocup protocol, over standard input and output or any other reader and writer.
//!
//! Starts the reader thread, the writer thread and the event loop between them, and makes sure that
//! the program leaves when it is told to, whichever of them is stuck. Knows no command and no game.
//!
//! The way of a line such as `TURN 7,7`:
//! 1. `reading` makes bytes a line and `tengen_gomocup` the line a `Command`, in the reader thread;
//! 2. `event_loop` receives it, and executes it when its turn comes (`EventLoop::execute`);
//! 3. `game` places the stone and asks for a search (`Game::command`, a `task::SearchTask`);
//! 4. `search_thread` runs the search and sends an `event::Event` when it has ended;
//! 5. `EventLoop::answer` takes the report, or without one the best move known; `game::result`
//!    places our stone and makes it a `Reply`;
//! 6. `output` writes the reply, in the writer thread.

mod backlog;
mod detail;
mod event;
mod event_loop;
mod game;
mod output;
mod reading;
mod search_thread;
mod settings;
mod task;
mod trace;

use std::io::{IsTerminal, Write, stdin, stdout};
use std::panic;
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use tengen_gomocup::{About, Reply};

use crate::eval;
use crate::search::{Limits, Override};
use crate::whole_file::remove_parts;
use backlog::Backlog;
use event::Event;
use event_loop::EventLoop;
use output::Output;
use reading::{End, chunks};

pub use reading::Chunk;

/// How long the program may be stuck once the reader has read its end: first the loop, until it
/// receives the end, then the writer, until everything is written. This is the time at a late end,
/// where nobody waits for answers.
const GRACE_LATE: Duration = Duration::from_millis(60);
/// The same at the END of a script, whose answers may be read a little late. It is less than the
/// half second that managers grant a program to leave; one manager waits for ever.
const GRACE_SCRIPT: Duration = Duration::from_millis(400);
/// The same at the end of a script without END: nobody asked the program to leave, and its answers
/// may be read later. Even so a full pipe does not hold it for ever.
const GRACE_INPUT: Duration = Duration::from_secs(10);

const HELP: &str = "Tengen, for managers (START 15, END, ...). To play: tengen play";

/// Speaks the protocol over standard input and output until END or the end of input, and ends the
/// program. The searches run with these overrides.
///
/// # Errors
///
/// If a thread cannot be started.
pub fn run(overrides: Vec<Override>) -> anyhow::Result<()> {
    panic::set_hook(Box::new(|panic| log::error!("{panic}")));
    if stdin().is_terminal() {
        // Nobody may be left to be greeted.
        let _ = stdout().write_all(format!("{}\n", Reply::Message(HELP.into())).as_bytes());
    }
    serve(chunks(stdin()), stdout(), Limits::default(), overrides, leave)?;
    leave();
    Ok(())
}

/// Ends the program. The search may still run, and the table is not worth freeing; a file that is
/// being written goes.
fn leave() {
    remove_parts();
    exit(0)
}

/// Speaks the protocol until END or the end of input: `receive` returns the bytes that came next,
/// lines of answers go to `output`.
///
/// No search goes beyond `limits`, whatever the manager sets, and all run with `overrides`. `leave`
/// may end the program. Another thread calls it when the output is closed, or when the loop is
/// stuck after the end of input.
///
/// # Errors
///
/// If a thread cannot be started.
pub fn serve(
    mut receive: impl FnMut() -> Chunk + Send + 'static,
    output: impl Write + Send + 'static,
    limits: Limits,
    overrides: Vec<Override>,
    leave: fn(),
) -> anyhow::Result<()> {
    let backlog = Arc::new(Backlog::default());
    let output = Output::new(output, leave, Arc::clone(&backlog));
    let output = output.context("cannot start the writer")?;
    let (events, inbox) = channel();
    let (end_unseen, end_seen) = channel();
    let progress = Arc::new(AtomicU64::new(0));
    let (lines, count) = (events.clone(), Arc::clone(&progress));
    let read = move || {
        let receive = || {
            let is_delayed = backlog.wait_while_large();
            Chunk { is_delayed, ..receive() }
        };
        reading::read(receive, |mut line| {
            let end = line.end;
            line.waiting = Some(backlog.add(line.text.len()));
            let is_heard = lines.send(Event::Line(line)).is_ok();
            let Some(end) = end else { return is_heard };
            // A loop that executes a long script makes progress; one that is stuck does not.
            loop {
                let before = count.load(Ordering::Relaxed);
                let waited = end_seen.recv_timeout(grace(end));
                if waited != Err(RecvTimeoutError::Timeout) {
                    return false;
                }
                if count.load(Ordering::Relaxed) == before {
                    leave();
                    return false;
                }
            }
        });
    };
    thread::Builder::new().name("reader".into()).spawn(read).context("cannot start the reader")?;
    let mut event_loop =
        EventLoop::new(output, events, inbox, end_unseen, progress, limits, overrides);
    let (output, end, since) = event_loop.run();
    output.finish(grace(end).saturating_sub(since.elapsed()));
    Ok(())
}

/// Returns the line about the program, its version with the source of its evaluation.
fn about() -> Reply {
    let version = format!("{} ({:08x})", env!("CARGO_PKG_VERSION"), eval::fingerprint() >> 32);
    Reply::About(About {
        name: "Tengen".to_owned(),
        version,
        author: "Tengen developers".to_owned(),
        country: "Earth".to_owned(),
    })
}

/// Returns how long the program may be stuck at its end.
fn grace(end: End) -> Duration {
    match end {
        End::Late => GRACE_LATE,
        End::Script => GRACE_SCRIPT,
        End::Input => GRACE_INPUT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_is_a_list_of_pairs() {
        let about = about().to_string();
        assert!(about.starts_with("name=\"Tengen\", version=\""), "{about}");
        for pair in about.split(',') {
            let (_, value) = pair.split_once('=').unwrap();
            let value = value.strip_prefix('"').and_then(|v| v.strip_suffix('"')).unwrap();
            assert!(!value.contains(['"', '=']));
        }
    }
}
