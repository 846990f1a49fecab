//! The engine as a manager sees it: a child process behind three pipes.
//!
//! Every line that comes out is checked to be whole, to end with LF alone and to have one of the
//! forms that managers know, and nothing may ever come out of stderr. Waiting always has
//! a deadline; the process is killed when it is dropped.
//!
//! The program is Cargo's own unless `TENGEN_ENGINE` names a file. Where `TENGEN_RUNNER` names a
//! program that runs it (Wine, an emulator), times say little: limits are wider, and a test that
//! measures nothing but what the runner adds declares itself with [`is_skipped`].

#![allow(dead_code, reason = "no test crate uses all of it")]

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf, absolute};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use crate::reply_form::COMMENT;
pub use crate::reply_form::{is_reply, parse_point};

/// Returns the delay that a busy machine may add to each answer. The tests run several engines at a
/// time; scripts measure exact times on the release program.
pub fn slack() -> Duration {
    if runner().is_some() { ms(2_000) } else { ms(500) }
}

/// The longest wait for an answer: a test that waits longer fails.
pub const LONG: Duration = Duration::from_secs(20);

pub const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Returns the program that runs the engine, if it does not run by itself.
fn runner() -> Option<OsString> {
    env::var_os("TENGEN_RUNNER").filter(|runner| !runner.is_empty())
}

/// Returns the path of the engine's program.
pub fn program() -> PathBuf {
    let own = || env!("CARGO_BIN_EXE_pbrain-tengen").into();
    let named = env::var_os("TENGEN_ENGINE").filter(|engine| !engine.is_empty());
    absolute(named.unwrap_or_else(own)).unwrap()
}

/// Puts the engine's program into a folder under another name, and returns its path.
pub fn program_in(folder: &Path, name: &str) -> PathBuf {
    let original = program();
    let mut path = folder.join(name).into_os_string();
    if let Some(extension) = original.extension() {
        path.push(".");
        path.push(extension);
    }
    // A link cannot be found open for writing in a child that another test has just forked.
    if fs::hard_link(&original, &path).is_err() {
        fs::copy(&original, &path).unwrap();
    }
    path.into()
}

/// Returns the command that runs an engine's program.
pub fn command(program: &Path) -> Command {
    let mut command = match runner() {
        Some(runner) => {
            LazyLock::force(&FIRST);
            run_by(&runner, program)
        }
        None => Command::new(program),
    };
    command.env_remove("RUST_LOG");
    command
}

fn run_by(runner: &OsStr, program: &Path) -> Command {
    let mut command = Command::new(runner);
    // Wine would write a log of its own to the engine's stderr, and knows paths beyond ASCII only
    // under a UTF-8 locale.
    command.envs([("WINEDEBUG", "-all"), ("LC_ALL", "C.UTF-8")]).arg(program);
    command
}

/// An engine that runs as long as the tests do. Wine's first program starts a server for all later
/// ones, and the server inherits its pipes. The pipes of a test would never end so.
static FIRST: LazyLock<Option<Child>> = LazyLock::new(|| {
    let mut command = run_by(&runner()?, &program());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("TENGEN_RUNNER runs");
    child.stdin.as_mut().unwrap().write_all(b"ABOUT\n").expect("the engine takes input");
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).expect("an answer");
    assert!(line.starts_with("name="), "TENGEN_RUNNER cannot run TENGEN_ENGINE: {line:?}");
    Some(child)
});

/// Returns true, and says so past the capture of the test's output, if a runner makes the test
/// meaningless because it measures `what`.
pub fn is_skipped(what: &str) -> bool {
    let skipped = runner().is_some();
    if skipped {
        skip(&format!("under TENGEN_RUNNER it measures {what}"));
    }
    skipped
}

/// Says past the capture of the test's output why it is skipped.
pub fn skip(why: &str) {
    let test = thread::current().name().unwrap_or_default().to_owned();
    let _ = writeln!(std::io::stderr(), "skipped: {test}, {why}");
}

/// A running engine.
pub struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
    stderr: Receiver<Vec<u8>>,
    /// MESSAGE lines that were skipped.
    pub messages: Vec<String>,
    /// INFO lines that were skipped, where somebody asked for them; others are an error.
    pub infos: Option<Vec<String>>,
}

impl Engine {
    /// Starts the engine.
    pub fn new() -> Engine {
        Engine::of(command(&program()))
    }

    /// Starts an engine with a fault of `src/fault.rs` injected. A release ignores the fault.
    pub fn with_fault(fault: &str) -> Engine {
        let mut command = command(&program());
        command.env("TENGEN_FAULT", fault);
        Engine::of(command)
    }

    /// Starts the engine and sends `START n`.
    pub fn with_board(side: u8) -> Engine {
        let mut engine = Engine::new();
        engine.send(&format!("START {side}"));
        engine.expect("OK");
        engine
    }

    /// Starts a copy of the engine's program with `folder` as its working folder and as the place
    /// of everything that the environment offers to programs for their files.
    pub fn in_folder(program: &Path, folder: &Path) -> Engine {
        let mut command = command(program);
        command.current_dir(folder);
        for name in ["TMP", "TEMP", "XDG_CACHE_HOME", "XDG_DATA_HOME", "APPDATA"] {
            command.env(name, folder);
        }
        // Wine needs these two itself; a Windows program does not see them.
        if runner().is_none() {
            command.envs([("HOME", folder), ("TMPDIR", folder)]);
        }
        Engine::of(command)
    }

    /// Starts the engine by this command.
    pub fn of(command: Command) -> Engine {
        let (mut engine, stdout) = Engine::spawn(command);
        engine.read(stdout);
        engine
    }

    /// Starts the engine with nobody reading its output.
    pub fn unread() -> (Engine, ChildStdout) {
        Engine::spawn(command(&program()))
    }

    fn spawn(mut command: Command) -> (Engine, ChildStdout) {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = child.stdout.take().unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let (sender, complaints) = channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            stderr.read_to_end(&mut bytes).unwrap();
            let _ = sender.send(bytes);
        });
        let stdin = child.stdin.take();
        let (_, lines) = channel();
        let messages = Vec::new();
        let engine = Engine { child, stdin, lines, stderr: complaints, messages, infos: None };
        (engine, stdout)
    }

    /// Starts to read the output.
    pub fn read(&mut self, stdout: ChildStdout) {
        let (sender, lines) = channel();
        self.lines = lines;
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            let mut line = Vec::new();
            while stdout.read_until(b'\n', &mut line).unwrap_or(0) > 0 {
                if line.starts_with(COMMENT.as_bytes()) && !line.ends_with(b"\"\n") {
                    continue;
                }
                let text = String::from_utf8(std::mem::take(&mut line)).unwrap();
                if sender.send((Instant::now(), text)).is_err() {
                    return;
                }
            }
        });
    }

    /// Returns the process's number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the largest resident memory that the process has had, in kilobytes.
    #[cfg(target_os = "linux")]
    pub fn peak_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        peak.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Sends one line.
    pub fn send(&mut self, line: &str) {
        self.write(format!("{line}\n").as_bytes());
    }

    /// Sends bytes in one write. An engine that has left already is no error here.
    pub fn write(&mut self, bytes: &[u8]) {
        if let Some(stdin) = &mut self.stdin {
            let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
        }
    }

    /// Closes the engine's input.
    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// Returns the next line that is no message, if one comes in time.
    pub fn line(&mut self, deadline: Duration) -> Option<String> {
        self.timed_line(deadline).map(|(_, line)| line)
    }

    /// Returns the messages that came, up to this one. Whatever else comes before it is a failure.
    pub fn messages_to(&mut self, last: &str) -> Vec<String> {
        self.messages.clear();
        while self.messages.last().is_none_or(|message| message != last) {
            let message = self.next_message();
            self.messages.push(message);
        }
        self.messages.clone()
    }

    /// Returns the next line, which must be a message.
    pub fn next_message(&mut self) -> String {
        let (_, line) = self.lines.recv_timeout(LONG).expect("a message");
        let text = reply(&line);
        assert!(text.starts_with("MESSAGE "), "{text}");
        text.to_owned()
    }

    /// Returns the next line that is no message, and when it came.
    pub fn timed_line(&mut self, deadline: Duration) -> Option<(Instant, String)> {
        let end = Instant::now() + deadline;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let (at, line) = match self.lines.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
            };
            let text = reply(&line);
            if let (Some(infos), Some(info)) = (&mut self.infos, text.strip_prefix("INFO ")) {
                infos.push(info.to_owned());
                continue;
            }
            assert!(!text.starts_with("INFO "), "{line:?}");
            if text.starts_with("MESSAGE ") {
                self.messages.push(text.to_owned());
            } else {
                return Some((at, text.to_owned()));
            }
        }
    }

    /// Expects exactly this line.
    pub fn expect(&mut self, expected: &str) {
        let line = self.line(LONG);
        assert_eq!(line.as_deref(), Some(expected));
    }

    /// Expects one ERROR line.
    pub fn expect_error(&mut self) {
        let line = self.line(LONG).expect("an error");
        assert!(line.starts_with("ERROR "), "{line}");
    }

    /// Expects a move.
    pub fn expect_move(&mut self) -> (u8, u8) {
        let line = self.line(LONG).expect("a move");
        parse_point(&line).unwrap_or_else(|| panic!("no move: {line}"))
    }

    /// Sends a line and returns the move that answers it, with the time it took.
    pub fn ask(&mut self, line: &str) -> ((u8, u8), Duration) {
        let start = Instant::now();
        self.send(line);
        let (at, line) = self.timed_line(LONG).expect("a move");
        (parse_point(&line).unwrap_or_else(|| panic!("no move: {line}")), at - start)
    }

    /// Expects that nothing but messages comes for some time.
    pub fn expect_silence(&mut self, time: Duration) {
        assert_eq!(self.line(time), None);
    }

    /// Expects the engine to leave with exit code 0 within `limit`, and nothing more to come but
    /// messages. Returns the time it took.
    pub fn expect_exit(&mut self, limit: Duration) -> Duration {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < limit + slack(), "still running");
            sleep(ms(1));
        };
        let time = start.elapsed();
        assert_eq!(status.code(), Some(0));
        self.expect_silence(ms(500));
        let stderr = self.stderr.recv_timeout(LONG).expect("the end of stderr");
        assert_eq!(String::from_utf8_lossy(&stderr), "");
        time
    }

    /// Sends END and expects the engine to leave.
    pub fn end(mut self) {
        self.send("END");
        self.expect_exit(ms(300));
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the reply that a line is, which must be whole and of a form that managers know.
fn reply(line: &str) -> &str {
    let text = line.strip_suffix('\n').expect("a whole line");
    assert!(is_reply(text), "{line:?}");
    text
}

/// Runs the engine on a script that arrives in one write, and returns its answers.
pub fn run_script(script: &str) -> Vec<String> {
    let mut engine = Engine::new();
    engine.write(script.as_bytes());
    engine.close();
    let mut answers = Vec::new();
    while let Some(line) = engine.line(LONG) {
        answers.push(line);
    }
    engine.expect_exit(ms(300));
    answers
}
