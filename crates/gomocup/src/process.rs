//! An engine's process: started in a group (on Windows a job) of its own, spoken to through pipes,
//! read in whole lines within limits, and ended with all that it has started.

use std::env;
use std::ffi::OsString;
use std::io;
use std::mem;
use std::path::{Path, PathBuf, absolute};
use std::process::Stdio;
use std::time::Duration;

#[cfg(unix)]
use process_wrap::tokio::ProcessGroup;
use process_wrap::tokio::{ChildWrapper, CommandWrap};
#[cfg(windows)]
use process_wrap::tokio::{JobObject, KillOnDrop};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::ChildStdin;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{Instant, sleep_until, timeout};

use super::LineSplitter;
use super::manager::Fault;

const CHUNK: usize = 64 << 10;
/// Bytes and lines in a second from which on an engine floods.
const FLOOD_BYTES: usize = 16 << 20;
const FLOOD_LINES: usize = 50_000;
/// Lines that may wait to be asked for; an engine that writes more has to wait.
const QUEUE: usize = 1_024;
/// How long an engine may let its input stand.
const WRITE_TIME: Duration = Duration::from_secs(2);
/// How long an engine that was told to leave may take.
const END_TIME: Duration = Duration::from_millis(700);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    path: PathBuf,
    arguments: Vec<OsString>,
    /// The working directory: that of the program, as match managers do, or ours if `None`.
    pub folder: Option<PathBuf>,
    pub name: String,
}

impl Program {
    /// Returns Tengen itself, which the running program holds.
    pub fn own() -> io::Result<Program> {
        let (path, arguments) = (env::current_exe()?, vec!["engine".into()]);
        Ok(Program { path, arguments, folder: None, name: "Tengen".into() })
    }

    /// Reads the path of a program, or a command with arguments, quoted as in a shell.
    pub fn parse(text: &str) -> Result<Program, String> {
        let (program, arguments) = if Path::new(text).is_file() {
            (text.to_owned(), Vec::new())
        } else {
            let mut words = split(text).ok_or("a quotation mark is not closed")?.into_iter();
            let program = words.next().ok_or("the command of an engine expected")?;
            (program, words.map(OsString::from).collect())
        };
        let path = Path::new(&program);
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_file() {
            let path = absolute(path).map_err(|error| error.to_string())?;
            let folder = path.parent().map(Path::to_owned);
            return Ok(Program { path, arguments, folder, name });
        }
        if path.components().count() > 1 {
            return Err(format!("there is no file {program}"));
        }
        // To be found by the system.
        Ok(Program { path: path.to_owned(), arguments, folder: None, name })
    }
}

/// Splits a command as the system's shell does; `None` if a quotation has no end.
fn split(text: &str) -> Option<Vec<String>> {
    #[cfg(windows)]
    return Some(winsplit::split(text));
    #[cfg(not(windows))]
    shlex::split(text)
}

pub struct Process {
    child: Box<dyn ChildWrapper>,
    is_killed: bool,
    stdin: Option<ChildStdin>,
    lines: Receiver<Result<Line, Fault>>,
    pub written: Instant,
}

pub type Line = (Instant, String);

impl Process {
    pub fn start(program: &Program) -> io::Result<Process> {
        let mut command = CommandWrap::with_new(&program.path, |command| {
            command
                .args(&program.arguments)
                .env_remove("RUST_LOG")
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .kill_on_drop(true);
            if let Some(folder) = &program.folder {
                command.current_dir(folder);
            }
        });
        // A key that interrupts us does not reach the engine, which is told to leave.
        #[cfg(unix)]
        command.wrap(ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(KillOnDrop).wrap(JobObject);
        let mut child = command.spawn()?;
        let (sender, lines) = channel(QUEUE);
        if let Some(stdout) = child.stdout().take() {
            tokio::spawn(read_lines(stdout, sender));
        }
        let stdin = child.stdin().take();
        Ok(Process { child, is_killed: false, stdin, lines, written: Instant::now() })
    }

    /// Writes lines, each of which ends here. Fails if the engine is gone, or does not read.
    pub async fn send(&mut self, lines: &[String]) -> Result<(), Fault> {
        let Some(stdin) = &mut self.stdin else { return Err(Fault::Deaf) };
        let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        let write = async {
            stdin.write_all(text.as_bytes()).await?;
            stdin.flush().await
        };
        let result = timeout(WRITE_TIME, write).await;
        self.written = Instant::now();
        match result {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(self.death().await),
            Err(_) => {
                // A part of the text may be in the pipe: nothing can follow it.
                self.stdin = None;
                Err(Fault::Deaf)
            }
        }
    }

    /// Returns the next line, or why there will be none. Nothing is lost where this is cancelled.
    pub async fn line(&mut self) -> Result<Line, Fault> {
        match self.lines.recv().await {
            Some(line) => line,
            None => Err(self.death().await),
        }
    }

    pub fn waiting_line(&mut self) -> Option<Result<Line, Fault>> {
        self.lines.try_recv().ok()
    }

    async fn death(&mut self) -> Fault {
        let end = timeout(END_TIME, self.child.wait()).await;
        self.kill();
        match end {
            Ok(Ok(status)) => Fault::Died(status.to_string()),
            Ok(Err(error)) => Fault::Died(error.to_string()),
            Err(_) => Fault::Died("its output is closed".into()),
        }
    }

    pub async fn end(&mut self) {
        // One that is gone or does not listen is killed all the same.
        let _ = self.send(&["END".into()]).await;
        self.stdin = None;
        let deadline = Instant::now() + END_TIME;
        // The output ends when the engine and all processes that it started have exited.
        loop {
            tokio::select! {
                line = self.lines.recv() => if line.is_none() { break },
                () = sleep_until(deadline) => break,
            }
        }
        self.kill();
        let _ = timeout(END_TIME, self.child.wait()).await;
    }

    fn kill(&mut self) {
        // Kill only once: when the group is empty, the system may reuse its number.
        if !mem::replace(&mut self.is_killed, true) {
            let _ = self.child.start_kill();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Reads whole lines until the end of the output, or until it floods.
async fn read_lines(mut output: impl AsyncRead + Unpin, lines: Sender<Result<Line, Fault>>) {
    let mut splitter = LineSplitter::default();
    let mut buffer = vec![0; CHUNK];
    let mut second = Instant::now();
    let (mut bytes, mut count) = (0, 0);
    while let Ok(length @ 1..) = output.read(&mut buffer).await {
        let read = &buffer[..length];
        if second.elapsed() >= Duration::from_secs(1) {
            (second, bytes, count) = (Instant::now(), 0, 0);
        }
        bytes += length;
        count += read.iter().filter(|&&byte| byte == b'\n').count();
        if bytes > FLOOD_BYTES || count > FLOOD_LINES {
            let _ = lines.send(Err(Fault::Flood)).await;
            return;
        }
        let at = Instant::now();
        for text in read.iter().filter_map(|&byte| splitter.push(byte)) {
            if lines.send(Ok((at, text))).await.is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
    }

    #[test]
    fn commands_are_paths_or_words() {
        assert!(Program::parse("/no/such/engine").is_err());
        assert!(Program::parse("").is_err());
        let program = Program::parse("engine --fast \"a b\"").unwrap();
        assert_eq!(program.arguments, ["--fast", "a b"].map(OsString::from));
        if cfg!(windows) {
            assert_eq!(Program::parse(r"engine C:\x\e.exe").unwrap().arguments, [r"C:\x\e.exe"]);
        } else {
            assert!(Program::parse("a 'b").is_err());
        }
        assert_eq!((program.name.as_str(), program.folder), ("engine", None));
        let own = env::current_exe().unwrap();
        let program = Program::parse(own.to_str().unwrap()).unwrap();
        assert_eq!(program.folder.as_deref(), own.parent());
    }

    #[test]
    fn lines_are_whole_and_never_too_long() {
        runtime().block_on(async {
            let (sender, mut lines) = channel(QUEUE);
            let long = "x".repeat(3 * CHUNK);
            let text = format!("one\r\n\ntwo\n{long}\nno end");
            read_lines(text.as_bytes(), sender).await;
            let mut next = async || lines.recv().await.map(|line| line.unwrap().1);
            assert_eq!(next().await.as_deref(), Some("one"));
            assert_eq!(next().await.as_deref(), Some("two"));
            assert!(next().await.unwrap().len() < 2 * CHUNK);
            assert_eq!(next().await, None);
        });
    }

    #[test]
    fn a_flood_ends_the_reading() {
        runtime().block_on(async {
            let (sender, mut lines) = channel(QUEUE);
            tokio::spawn(read_lines(tokio::io::repeat(b'\n'), sender));
            assert_eq!(lines.recv().await, Some(Err(Fault::Flood)));
            assert_eq!(lines.recv().await, None);
        });
    }

    #[cfg(unix)]
    fn shell(script: &str) -> Process {
        let (path, arguments) = ("/bin/sh".into(), vec!["-c".into(), script.into()]);
        Process::start(&Program { path, arguments, folder: None, name: String::new() }).unwrap()
    }

    #[cfg(unix)]
    #[test]
    fn an_engine_is_heard_and_its_death_is_told() {
        runtime().block_on(async {
            let mut process = shell("read line; echo \"heard $line\"; exit 3");
            process.send(&["hello".into()]).await.unwrap();
            assert_eq!(process.line().await.unwrap().1, "heard hello");
            assert_eq!(process.line().await, Err(Fault::Died("exit status: 3".into())));
        });
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_left_of_an_engine_and_its_children() {
        runtime().block_on(async {
            // The shell ignores END, its child ignores everything but the kill.
            let mut process = shell("trap '' TERM HUP; sleep 1000 & echo $!; wait");
            let child: i32 = process.line().await.unwrap().1.parse().unwrap();
            assert!(lives(child));
            process.end().await;
            assert_ends(child).await;
        });
    }

    #[cfg(unix)]
    #[test]
    fn the_children_of_an_engine_that_died_are_killed() {
        runtime().block_on(async {
            let mut process = shell("sleep 1000 > /dev/null 2>&1 & echo $!; exit 3");
            let child: i32 = process.line().await.unwrap().1.parse().unwrap();
            assert!(lives(child));
            assert_eq!(process.line().await, Err(Fault::Died("exit status: 3".into())));
            assert_ends(child).await;
        });
    }

    #[cfg(unix)]
    fn lives(id: i32) -> bool {
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), None).is_ok() && !is_zombie(id)
    }

    #[cfg(unix)]
    async fn assert_ends(id: i32) {
        let deadline = Instant::now() + Duration::from_secs(5);
        while lives(id) && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert!(!lives(id));
    }

    /// Returns true if the process is dead and only waits to be collected, which is init's affair.
    #[cfg(unix)]
    fn is_zombie(id: i32) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        status.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
    }
}
