//! The Gomocup protocol, over standard input and output or any other reader and writer.
//!
//! Starts the reader, the writer and the main loop between them, and sees to it that the program
//! leaves when it is told to, whatever stands still.

mod block;
mod burst;
mod command;
mod detail;
mod engine;
mod exclusions;
mod game;
mod input;
mod output;
mod position;
mod reply;
mod request;
mod row;
mod settings;
mod table_file;
mod thinker;
mod yixin;

use std::io::{IsTerminal, Write, stdin, stdout};
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::Context;

use crate::search::{Limits, Override};
use burst::{Bursts, End};
use engine::{Engine, Event};
use input::{chunks, read_lines};
use output::Output;
use reply::Reply;

pub use input::Chunk;

/// How long the program may stand still once its end was read: the loop before it sees the end,
/// then the writer before everything is written. At a late end nobody waits for answers.
const PATIENCE_LATE: Duration = Duration::from_millis(60);
/// The same at the END of a script, whose answers may be read a little late. But managers grant
/// half a second, and one of them waits for ever, for a program that was told to leave.
const PATIENCE_SCRIPT: Duration = Duration::from_millis(400);
/// The same at the end of a script without END: nobody asked the program to leave, and whoever
/// started it may read its answers later. Even so a full pipe does not hold it for ever.
const PATIENCE_INPUT: Duration = Duration::from_secs(10);

const HELP: &str = "Tengen, for managers (START 15, END, ...). To play: pbrain-tengen play";

/// Speaks the protocol over standard input and output until END or the end of input, and ends the
/// program. The searches run with these overrides.
///
/// # Errors
///
/// If a thread cannot be started.
pub fn run(overrides: Vec<Override>) -> anyhow::Result<()> {
    if stdin().is_terminal() {
        // Nobody may be left to be greeted.
        let _ = stdout().write_all(format!("{}\n", Reply::Message(HELP.into())).as_bytes());
    }
    serve(chunks(stdin()), stdout(), Limits::default(), overrides, || exit(0))?;
    // The search may still run, and the table is not worth freeing.
    exit(0)
}

/// Speaks the protocol until END or the end of input: `receive` returns the bytes that came next,
/// lines of answers go to `output`.
///
/// No search goes beyond `limits`, whatever the manager sets, and all run with `overrides`. `leave`
/// is called from another thread when nobody takes the output any more, or when the end of input was
/// received and the loop stands still; it may end the program.
///
/// # Errors
///
/// If a thread cannot be started.
pub fn serve(
    receive: impl FnMut() -> Chunk + Send + 'static,
    output: impl Write + Send + 'static,
    limits: Limits,
    overrides: Vec<Override>,
    leave: fn(),
) -> anyhow::Result<()> {
    let output = Output::new(output, leave).context("cannot start the writer")?;
    let (events, inbox) = channel();
    let (end_unseen, end_seen) = channel();
    let progress = Arc::new(AtomicU64::new(0));
    let (lines, count) = (events.clone(), Arc::clone(&progress));
    let read = move || {
        let mut bursts = Bursts::default();
        read_lines(receive, |line| {
            let entry = bursts.place(line);
            let end = entry.end;
            let is_heard = lines.send(Event::Line(entry)).is_ok();
            let Some(end) = end else { return is_heard };
            // A loop that is busy with a long script gets on; one that is stuck does not.
            loop {
                let before = count.load(Ordering::Relaxed);
                let waited = end_seen.recv_timeout(patience(end));
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
    let mut engine = Engine::new(output, events, inbox, end_unseen, progress, limits, overrides);
    let (output, end) = engine.run();
    output.finish(patience(end));
    Ok(())
}

/// Returns how long the program may stand still at its end.
fn patience(end: End) -> Duration {
    match end {
        End::Late => PATIENCE_LATE,
        End::Script => PATIENCE_SCRIPT,
        End::Input => PATIENCE_INPUT,
    }
}
