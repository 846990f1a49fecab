//! Tasks: searches, and work with the table of the search and with the database.

#[cfg(feature = "database")]
pub mod database_task;

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use tengen_gomocup::{DatabaseCommand, FileKind, Reply};
use tengen_gomoku::atomic_file::write_atomically;
use tengen_gomoku::board::Board;
use tengen_gomoku::types::Rule;

use super::detail::Detail;
use crate::eval::Style;
use crate::opening::soosorv::SoosorvStep;
use crate::opening::{soosorv, swap2};
use crate::search::control::Control;
use crate::search::{
    Blocked, Limits, Listener, Params, Placement, Report, Searcher, TABLE_MAGIC, Target, trace,
};
use database_task::{Database, NewEntries};

pub use database_task::Mode;

/// The settings reserve memory for it.
pub const DATABASE_CACHE_BYTES: usize = 4 << 20;

pub struct SearchTask {
    /// Our side to move.
    pub board: Board,
    pub purpose: Purpose,
    pub limits: Limits,
    pub params: Params,
    /// Moves excluded in single positions of the tree.
    pub blocked: Blocked,
    pub detail: Detail,
    /// What may be done with the database; to write is to store what the search finds.
    pub database: Option<Mode>,
}

impl SearchTask {
    fn prepare(&self, searcher: &mut Searcher) {
        searcher.params = Some(self.params.clone());
        searcher.blocked = self.blocked.clone();
    }

    pub fn run(
        &self,
        searcher: &mut Searcher,
        control: &Control,
        listener: Listener,
    ) -> Option<Report> {
        self.prepare(searcher);
        let (board, limits) = (&self.board, &self.limits);
        // A style would shift the score.
        let neutral = Limits { style: Style::NEUTRAL, ..*limits };
        Some(match self.purpose {
            Purpose::Move | Purpose::Defence => searcher.search(board, limits, control, listener),
            Purpose::MoveOrSwap => searcher.search(board, &neutral, control, listener),
            Purpose::Swap2 | Purpose::Swap2Step => {
                swap2::judge(searcher, board, limits, control, listener)
            }
            Purpose::Soosorv(step) => {
                soosorv::judge(searcher, board, step, limits, control, listener)
            }
            Purpose::Balance(stones, score) => {
                let target = Target { score, ..Target::balanced(stones) };
                return searcher.balance(board, target, &neutral, control, listener);
            }
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Move,
    /// A move, or SWAP if the other color is better.
    MoveOrSwap,
    /// A move, and all moves that lose.
    Defence,
    /// The choice of color in a swap2 opening.
    Swap2,
    /// The same for Yixin-Board, by messages and without a change of the game.
    Swap2Step,
    /// Stones for which the score is nearest to this.
    Balance(Placement, i32),
    Soosorv(SoosorvStep),
}

#[cfg_attr(not(feature = "database"), expect(dead_code, reason = "there is none to do it with"))]
pub enum Task {
    TableUsage,
    TraceSearch(Box<Board>),
    State,
    Check,
    /// On the position after moves from an empty board.
    Command {
        command: DatabaseCommand,
        board: Box<Board>,
    },
    File {
        kind: FileKind,
        path: PathBuf,
        rule: Rule,
        mode: Mode,
        /// The position, where its own rule and size or the moves that lead to it matter.
        board: Option<Box<Board>>,
    },
}

impl Task {
    pub fn looks_at_table(&self) -> bool {
        let is_dump = matches!(self, Task::File { kind: FileKind::HashDump, .. });
        is_dump || matches!(self, Task::TableUsage | Task::TraceSearch(_))
    }

    /// Returns what it does with the open database.
    #[cfg(feature = "database")]
    fn database_mode(&self) -> Mode {
        let writes = match self {
            Task::Command { command, .. } => !command.is_query(),
            Task::File { kind, .. } => {
                matches!(kind, FileKind::DatabaseImport | FileKind::DatabaseMerge)
            }
            Task::TableUsage | Task::TraceSearch(_) | Task::State | Task::Check => false,
        };
        if writes { Mode::Write } else { Mode::ReadOnly }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Resources {
    pub table_bytes: usize,
    pub threads: usize,
    pub forget: bool,
    /// True if a searcher that is there keeps its table and threads.
    pub keeps_size: bool,
}

#[derive(Default)]
pub struct TaskResult {
    /// Of a search that found something.
    pub report: Option<Report>,
    /// Of a task with the table or the database.
    pub replies: Vec<Reply>,
    pub opened: Option<Database>,
    pub new_entries: NewEntries,
}

/// Returns the searcher of a thread, created by the first task that needs it.
pub fn searcher(search: &mut Option<Searcher>, resources: Resources) -> &mut Searcher {
    let searcher = search.get_or_insert_with(|| Searcher::new(resources.table_bytes));
    if !resources.keeps_size {
        searcher.resize(resources.table_bytes);
        searcher.set_threads(resources.threads);
    }
    if resources.forget {
        searcher.clear();
    }
    searcher
}

/// Writes the table to a file, whole or not at all. Only another table is overwritten.
fn dump(searcher: &Searcher, path: &Path) -> Reply {
    let write = |file| {
        let mut out = BufWriter::new(file);
        let count = searcher.table.write(&mut out)?;
        if count == 0 {
            return Err(io::Error::other("it has no entry"));
        }
        out.flush()?;
        Ok(count)
    };
    let written = match path.exists() && !is_table(path) {
        true => Err(io::Error::other("another file has this name")),
        false => write_atomically(path, write),
    };
    table_reply("written to", path, written)
}

fn load(searcher: &mut Searcher, path: &Path) -> Reply {
    let read = open_file(path).and_then(|file| searcher.read_table(&mut BufReader::new(file)));
    table_reply("read from", path, read)
}

fn table_reply(done: &str, path: &Path, count: io::Result<u64>) -> Reply {
    let name = path.display();
    Reply::Message(match count {
        Ok(count) => format!("table {done} {name}, {count} entries"),
        Err(error) => format!("table not {done} {name}: {error}"),
    })
}

fn is_table(path: &Path) -> bool {
    let mut head = [0; TABLE_MAGIC.len()];
    let read = open_file(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == TABLE_MAGIC
}

/// Opening a pipe would wait for its writer.
fn open_file(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("this is no file"));
    }
    File::open(path)
}

/// Executes a task, with the database if one is open.
pub fn run_task(task: &Task, searcher: &mut Searcher, database: Option<&Database>) -> TaskResult {
    let replies = match (task, database) {
        (Task::TableUsage, _) => {
            let usage = searcher.table.usage();
            vec![Reply::Message(format!("table {}.{} % full", usage / 10, usage % 10))]
        }
        (Task::File { kind: FileKind::HashDump, path, .. }, _) => vec![dump(searcher, path)],
        (Task::File { kind: FileKind::HashLoad, path, .. }, _) => vec![load(searcher, path)],
        (Task::TraceSearch(board), _) => {
            let texts = trace::of_search(board, searcher.table.probe(board.key()));
            texts.into_iter().map(Reply::Message).collect()
        }
        (task, Some(database)) => return database_task::execute(task, database),
        (Task::Command { command, .. }, None) if command.is_query() => match command {
            DatabaseCommand::QueryAll | DatabaseCommand::QueryAllAndText => {
                ["REFRESH", "DONE"].map(|word| Reply::Message(format!("DATABASE {word}"))).into()
            }
            _ => Vec::new(),
        },
        (Task::State | Task::Check, None) => Vec::new(),
        _ => vec![Reply::Error("no database is open, INFO database FILE opens one".to_owned())],
    };
    TaskResult { replies, ..TaskResult::default() }
}

/// A program that is built without the database has none, and opens none.
#[cfg(not(feature = "database"))]
pub mod database_task {
    use super::{Control, Listener, Path, Reply, SearchTask, Searcher, Task, TaskResult};
    use std::convert::Infallible;

    pub enum Database {}

    impl Database {
        pub fn has_waiting(&self) -> bool {
            match *self {}
        }
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Mode {
        Write,
        ReadOnly,
    }

    pub type NewEntries = Vec<Infallible>;

    pub fn open(path: &Path, _: Mode) -> TaskResult {
        let name = path.display();
        let text = format!("database {name}: this program is built without the database");
        TaskResult { replies: vec![Reply::Error(text)], ..TaskResult::default() }
    }

    pub fn execute(_: &Task, database: &Database) -> TaskResult {
        match *database {}
    }

    pub fn search(
        database: &Database,
        _: &SearchTask,
        _: &mut Searcher,
        _: &Control,
        _: Listener,
    ) -> anyhow::Result<TaskResult> {
        match *database {}
    }

    pub fn store_soon(database: &Database, _: NewEntries) -> anyhow::Result<()> {
        match *database {}
    }
}
