//! A program in a game, as a child process. Nobody waits for it longer than its deadline.

use std::sync::LazyLock;
use std::time::Duration;

use anyhow::Context;
use tengen_gomocup::Reply;
use tengen_gomocup::manager::Fault;
use tengen_gomocup::process::{self, Process};
use tokio::runtime::Runtime;
use tokio::time::{Instant, timeout_at};

/// Reads what all programs write.
static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Runtime::new().expect("invariant: the system has threads and pipes"));

pub struct Program {
    process: Process,
}

impl Program {
    pub fn start(command: &str) -> anyhow::Result<Program> {
        let mut program = process::Program::parse(command).map_err(anyhow::Error::msg)?;
        // It runs here, where its arguments may name files.
        program.folder = None;
        let process = RUNTIME.block_on(async { Process::start(&program) });
        Ok(Program { process: process.with_context(|| program.name)? })
    }

    pub fn send(&mut self, lines: &[String]) {
        // What is wrong with one that does not listen shows in its next answer.
        let _ = RUNTIME.block_on(self.process.send(lines));
    }

    /// Sends a request, and returns the answer with the time that it took.
    pub fn ask(&mut self, lines: &[String], most: Duration) -> Result<(Reply, Duration), Fault> {
        let start = Instant::now();
        self.send(lines);
        RUNTIME.block_on(async {
            loop {
                let line = timeout_at(start + most, self.process.line()).await;
                let (at, line) = line.map_err(|_| Fault::Hung("a request"))??;
                // The deadline holds for a program that sends messages without end, too.
                if at > start + most {
                    return Err(Fault::Hung("a request"));
                }
                match Reply::parse(&line) {
                    reply if !reply.is_answer() => {}
                    Reply::Error(text) | Reply::Unknown(text) => return Err(Fault::Refused(text)),
                    reply => return Ok((reply, at.saturating_duration_since(start))),
                }
            }
        })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        RUNTIME.block_on(self.process.end());
    }
}
