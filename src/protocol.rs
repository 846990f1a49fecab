//! The Gomocup protocol, over standard input and output or any other reader and writer.
//!
//! Starts the reader thread, the writer thread and the event loop between them. The way of a line
//! such as `TURN 7,7`:
//! 1. `input` turns bytes into a line, `tengen_gomocup` the line into a `Command` (reader thread);
//! 2. `event_loop` receives it, and executes it in its turn (`EventLoop::execute`);
//! 3. `game` places the stone and asks for a search (`Game::command`, a `SearchTask`);
//! 4. `search_thread` runs the search and sends an `Event` at its end;
//! 5. `EventLoop::answer` takes the report, or without one the best move so far; `game::result`
//!    places our stone and returns a `Reply`;
//! 6. `output` writes the reply (writer thread).

mod detail;
mod event_loop;
mod game;
mod inline;
mod input;
mod output;
mod request;
mod search_thread;
mod settings;
mod task;
mod timing;

use std::io::{IsTerminal, Write, stdin, stdout};
use std::panic;
use std::process;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;

use anyhow::Context;
use tengen_gomocup::{About, Reply};
use tengen_gomoku::atomic_file::remove_parts;

use crate::eval;
use crate::search::{Limits, Override};
use event_loop::EventLoop;
use game::Game;
use input::{Backlog, chunks};
use output::Output;
use search_thread::{Event, SearchThread};
use settings::return_freed_memory;

pub use inline::{Host, InlineEngine};
pub use input::Chunk;

const HELP: &str = "Tengen, for managers (START 15, END, ...). To play: tengen play";

/// Speaks the protocol over standard input and output, and ends the program.
pub fn run(overrides: Vec<Override>) -> anyhow::Result<()> {
    panic::set_hook(Box::new(|panic| log::error!("{panic}")));
    return_freed_memory();
    if stdin().is_terminal() {
        // The terminal may be gone.
        let _ = stdout().write_all(format!("{}\n", Reply::Message(HELP.into())).as_bytes());
    }
    serve(chunks(stdin()), stdout(), Limits::default(), overrides, exit)?;
    exit();
    Ok(())
}

/// Ends the program without waiting for a search or freeing the table; removes half-written files.
fn exit() {
    remove_parts();
    process::exit(0)
}

/// Speaks the protocol until END or the end of input.
///
/// No search exceeds `bounds`, whatever the manager sets. `exit` may end the program; another
/// thread calls it if the output is closed.
pub fn serve(
    mut receive: impl FnMut() -> Chunk + Send + 'static,
    output: impl Write + Send + 'static,
    bounds: Limits,
    overrides: Vec<Override>,
    exit: fn(),
) -> anyhow::Result<()> {
    let backlog = Arc::new(Backlog::default());
    let output = Output::new(output, exit, Arc::clone(&backlog));
    let output = output.context("cannot start the writer")?;
    let (sender, events) = channel();
    let lines = sender.clone();
    let read = move || {
        let receive = || {
            let is_delayed = backlog.wait_while_large();
            Chunk { is_delayed, ..receive() }
        };
        input::read(receive, |mut line| {
            line.waiting = Some(backlog.add(line.text.len()));
            let is_last = line.grace.is_some();
            lines.send(Event::Line(line)).is_ok() && !is_last
        });
    };
    thread::Builder::new().name("reader".into()).spawn(read).context("cannot start the reader")?;
    let game = Game::new(bounds, overrides);
    let mut event_loop = EventLoop::new(game, SearchThread::new(sender), events, output);
    event_loop.run();
    Ok(())
}

/// Returns the answer to ABOUT; the version names the networks.
fn about() -> Reply {
    let version = format!("{} ({:08x})", env!("CARGO_PKG_VERSION"), eval::fingerprint() >> 32);
    Reply::About(About {
        name: "Tengen".to_owned(),
        version,
        author: "Tengen developers".to_owned(),
        country: "Earth".to_owned(),
    })
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
