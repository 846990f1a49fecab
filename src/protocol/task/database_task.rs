//! The database at work for the manager: opened, asked, edited, and moved to other files and back.
//!
//! Answers have the form that Yixin-Board and Rapfi gave them. No other message begins with the
//! word `database`: Yixin-Board ignores case and reads numbers after `MESSAGE DATABASE`.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use anyhow::ensure;
use tengen_gomocup::{DatabaseCommand, DeleteFilter, FileKind, Reply, quoted};
use tengen_gomoku::board::Board;
use tengen_gomoku::record::Format;
use tengen_gomoku::types::{Coord, Rule};

use super::{DATABASE_CACHE_BYTES, SearchTask, Task, TaskResult};
use crate::database::entry::{DEPTH_MAX, DatabaseEntry, StoredScore};
use crate::database::position::{PositionKey, StoredPosition};
use crate::database::transfer::{self, LIBRARY};
use crate::database::{DatabaseTransaction, probing};
use crate::output_file::Kind;
use crate::score::{Bound, Score, ScoreKind};
use crate::search::control::Control;
use crate::search::{Listener, Searcher};

pub use crate::database::probing::{NewEntries, store_soon};
pub use crate::database::{Database, Mode};

/// Characters of a label in a reply: managers read lines below 1,000 bytes.
const LABEL_MAX: usize = 200;

const FAULTS_MAX: usize = 20;

/// Opens a database and reports its state. An open database is opened anew too, since its file may
/// have been replaced.
pub fn open(path: &Path, mode: Mode) -> TaskResult {
    let mut opened = None;
    let reply = Database::open_with(path, mode, DATABASE_CACHE_BYTES).and_then(|database| {
        let reply = state(&database)?;
        opened = Some(database);
        Ok(reply)
    });
    TaskResult { replies: vec![reply.unwrap_or_else(refused)], opened, ..TaskResult::default() }
}

/// Searches with the database. The result holds the entries that the database is to store.
pub fn search(
    database: &Database,
    task: &SearchTask,
    searcher: &mut Searcher,
    control: &Control,
    listener: Listener,
) -> anyhow::Result<TaskResult> {
    task.prepare(searcher);
    let mode = task.database.unwrap_or(Mode::ReadOnly);
    // One that cannot be written to is read.
    let opened = opened_for(mode, database).unwrap_or(None);
    let database = opened.as_ref().unwrap_or(database);
    let (board, limits) = (&task.board, &task.limits);
    let report = probing::search(database, searcher, board, limits, control, listener)?;
    let new_entries = match (mode, database.mode) {
        (Mode::Write, Mode::Write) => probing::new_entries(searcher, board, limits, &report),
        _ => NewEntries::new(),
    };
    Ok(TaskResult { report: Some(report), new_entries, opened, ..TaskResult::default() })
}

/// Opens a database again that was opened to be read and may be written to now.
fn opened_for(mode: Mode, database: &Database) -> anyhow::Result<Option<Database>> {
    let is_new = mode == Mode::Write && database.mode == Mode::ReadOnly;
    let open = || Database::open_with(&database.path, mode, DATABASE_CACHE_BYTES);
    is_new.then(open).transpose()
}

pub fn execute(task: &Task, database: &Database) -> TaskResult {
    match opened_for(task.database_mode(), database) {
        Ok(opened) => {
            let replies = replies_to(task, opened.as_ref().unwrap_or(database));
            TaskResult { replies, opened, ..TaskResult::default() }
        }
        Err(error) => TaskResult { replies: vec![refused(error)], ..TaskResult::default() },
    }
}

fn replies_to(task: &Task, database: &Database) -> Vec<Reply> {
    let replies = match task {
        Task::State => state(database).map(|reply| vec![reply]),
        Task::Check => check(database).map(|reply| vec![reply]),
        Task::Command { command, board } => on_position(command, board, database),
        Task::File { kind, path, rule, board, .. } => {
            let texts = match kind {
                FileKind::DatabaseImport => import(database, path, *rule),
                _ => with_file(*kind, path, board.as_deref(), database)
                    .map(|text| vec![format!("{text}: {}", path.display())]),
            };
            return match texts {
                Ok(texts) => texts.into_iter().map(Reply::Message).collect(),
                Err(error) => vec![Reply::Error(format!("{error:#}"))],
            };
        }
        // The search thread does the others itself.
        _ => Ok(Vec::new()),
    };
    replies.unwrap_or_else(|error| vec![refused(error)])
}

fn with_file(
    kind: FileKind,
    path: &Path,
    board: Option<&Board>,
    database: &Database,
) -> anyhow::Result<String> {
    let format = match (kind, board) {
        (FileKind::DatabaseMerge, _) => {
            return Ok(format!("{} positions merged", transfer::merge(database, path)?));
        }
        (FileKind::DatabaseSplit, Some(board)) => {
            return Ok(format!("{} positions copied", transfer::split(database, path, board)?));
        }
        (FileKind::DatabaseToLibrary, _) => LIBRARY,
        (FileKind::DatabaseToMoves, _) => Kind::Game(Format::Moves),
        _ => Kind::Positions,
    };
    let output = transfer::output(path, format, &[] as &[&Path], false)?;
    let of = board.map(|board| (board.rule(), board.size()));
    database.read(|reader| transfer::export(reader, &output, format, of))
}

fn refused(error: anyhow::Error) -> Reply {
    Reply::Error(format!("database {error}"))
}

fn message(text: &str) -> Reply {
    Reply::Message(format!("DATABASE {text}"))
}

/// Reports what is open. Whatever was confirmed is in the file.
fn state(database: &Database) -> anyhow::Result<Reply> {
    let count = database.count()?;
    Ok(Reply::Message(format!("{count} positions in {}", database.path.display())))
}

fn check(database: &Database) -> anyhow::Result<Reply> {
    let mut count = 0_u64;
    let add = |_, _| {
        count += 1;
        Ok(())
    };
    database.read(|reader| reader.for_each(None, add))?;
    Ok(Reply::Message(format!("{count} sound positions in {}", database.path.display())))
}

fn on_position(
    command: &DatabaseCommand,
    board: &Board,
    database: &Database,
) -> anyhow::Result<Vec<Reply>> {
    let position = StoredPosition::of(board);
    let change = |position: &StoredPosition, change: &dyn Fn(&mut DatabaseEntry)| {
        database.update(|writer| {
            let mut entry = writer.get(position)?.unwrap_or_default();
            change(&mut entry);
            writer.put(position, &entry)
        })
    };
    match command {
        DatabaseCommand::QueryAll | DatabaseCommand::QueryAllAndText => {
            return database.read(|reader| {
                let mut replies = query_all(reader, board)?;
                if *command == DatabaseCommand::QueryAllAndText {
                    replies.push(comment(reader.get(&position)?));
                }
                Ok(replies)
            });
        }
        DatabaseCommand::QueryOne => return Ok(vec![query_one(database, board)?]),
        DatabaseCommand::QueryText => return Ok(vec![comment(database.get(&position)?)]),
        DatabaseCommand::Edit { mark, value, depth } => {
            change(&position, &|entry| {
                entry.mark = mark.unwrap_or(entry.mark);
                if value.is_some() || depth.is_some() {
                    let unknown = StoredScore { score: Score::DRAW, bound: Bound::Exact, depth: 0 };
                    let old = entry.evaluation.unwrap_or(unknown);
                    entry.evaluation = Some(StoredScore {
                        // A person proves nothing by a number.
                        score: value.map_or(old.score, Score::eval),
                        bound: value.map_or(old.bound, |_| Bound::Exact),
                        depth: depth.map_or(old.depth, |depth| depth.clamp(0, DEPTH_MAX)),
                    });
                }
            })?;
            return Ok(vec![query_one(database, board)?]);
        }
        DatabaseCommand::EditText(text) => {
            change(&position, &|entry| entry.comment.clone_from(text))?;
        }
        DatabaseCommand::EditLabel(point, text) => {
            let place = match point {
                Some(point) => point.on(board.size()).map(|c| (position, c)),
                None => before_last_move(board),
            };
            let Some((position, c)) = place else { return Ok(vec![no_move()]) };
            change(&position, &|entry| {
                match text.is_empty() {
                    true => entry.labels.remove(&c),
                    false => entry.labels.insert(c, text.clone()),
                };
            })?;
        }
        DatabaseCommand::DeleteOne => {
            database.update(|writer| writer.remove(&position))?;
        }
        &DatabaseCommand::DeleteAll { filter, is_recursive } => {
            let mut seen = is_recursive.then(HashSet::new);
            let count = database
                .update(|writer| delete_after(writer, &mut board.clone(), filter, &mut seen))?;
            let mut replies = vec![Reply::Message(format!("{count} positions forgotten"))];
            replies.extend(database.read(|reader| query_all(reader, board))?);
            return Ok(replies);
        }
        DatabaseCommand::SetBest | DatabaseCommand::ClearBest => {
            let Some((before, last)) = before_last_move(board) else {
                return Ok(vec![no_move()]);
            };
            let best = (*command == DatabaseCommand::SetBest).then_some(last);
            change(&before, &|entry| entry.best = best)?;
        }
        DatabaseCommand::Malformed => {
            return Ok(vec![Reply::Error("bad values in a command for the database".to_owned())]);
        }
    }
    Ok(Vec::new())
}

fn before_last_move(board: &Board) -> Option<(StoredPosition, Coord)> {
    let last = board.last_move(0)?;
    let mut before = board.clone();
    before.undo();
    Some((StoredPosition::of(&before), last))
}

fn no_move() -> Reply {
    Reply::Error("bad row, a move is expected".to_owned())
}

fn query_all(reader: &DatabaseTransaction, board: &Board) -> anyhow::Result<Vec<Reply>> {
    let mut children = reader.children(board)?.into_iter().peekable();
    let labels = reader.get(&StoredPosition::of(board))?.unwrap_or_default().labels;
    let mut replies = vec![message("REFRESH")];
    for c in board.empty_cells() {
        let entry = children.next_if(|(mv, _)| *mv == c).map(|(_, entry)| entry);
        let label = labels.get(&c);
        if entry.is_none() && label.is_none() {
            continue;
        }
        let entry = entry.unwrap_or_default();
        let number = |tag: String| tag.bytes().fold(0, |sum, byte| sum << 8 | i32::from(byte));
        let tag = entry.tag(board.rule()).map_or(-1, number);
        let label = label.map_or(String::new(), |label| {
            let label: String = label.chars().take(LABEL_MAX).collect();
            format!(" {}", label.replace(char::is_control, " "))
        });
        let has_comment = u8::from(!entry.comment.is_empty());
        let numbers = numbers(&entry);
        let (x, y) = (c.x(), c.y());
        replies.push(message(&format!("{x} {y} {tag} {numbers} {has_comment}{label}")));
    }
    replies.push(message("DONE"));
    Ok(replies)
}

/// Returns value, depth and bound: 1 for at most, 2 for at least, 3 for exact, 0 for nothing.
fn numbers(entry: &DatabaseEntry) -> String {
    match entry.evaluation {
        Some(StoredScore { score, bound, depth }) => {
            format!("{} {depth} {}", score.value(), bound as u8)
        }
        None => "0 0 0".to_owned(),
    }
}

fn query_one(database: &Database, board: &Board) -> anyhow::Result<Reply> {
    let Some(entry) = database.get(&StoredPosition::of(board))? else {
        return Ok(message("ONE 0 0 0 0"));
    };
    let proof = entry.evaluation.filter(StoredScore::is_proof);
    // Seen by the one who moved last, as on the board.
    let label = match (entry.mark, proof) {
        (Some(mark), _) => i32::from(mark),
        (None, Some(proof)) => i32::from(if proof.score.is_win() { b'l' } else { b'w' }),
        (None, None) => -1,
    };
    let tag = entry.tag(board.rule()).map_or(String::new(), |tag| format!(" {tag}"));
    Ok(message(&format!("ONE {label} {}{tag}", numbers(&entry))))
}

/// Returns all of the comment: Yixin-Board writes back what it has read.
fn comment(entry: Option<DatabaseEntry>) -> Reply {
    message(&format!("TEXT {}", quoted(&entry.unwrap_or_default().comment)))
}

/// Deletes the positions after this one that a filter names, with all after them, and returns their
/// number. `seen` is for recursive filters, which also look at the positions after one that stays:
/// those that were looked at already. Other filters have `None`.
fn delete_after(
    writer: &mut DatabaseTransaction,
    board: &mut Board,
    filter: DeleteFilter,
    seen: &mut Option<HashSet<PositionKey>>,
) -> anyhow::Result<u64> {
    let mut count = 0;
    for (mv, entry) in writer.children(board)? {
        board.play(mv);
        let position = StoredPosition::of(board);
        let is_deleted = names(filter, &entry);
        // An image of it may be gone already.
        if is_deleted && writer.remove(&position)? {
            count += 1 + delete_after(writer, board, DeleteFilter::All, seen)?;
        } else if !is_deleted
            && let Some(seen_keys) = seen
            && seen_keys.insert(position.key.clone())
        {
            count += delete_after(writer, board, filter, seen)?;
        }
        board.undo();
    }
    Ok(count)
}

/// Returns true if a filter names a position; its results are those of the last player.
fn names(filter: DeleteFilter, entry: &DatabaseEntry) -> bool {
    let proof = entry.evaluation.filter(StoredScore::is_proof).map(|proof| proof.score.kind());
    let is_won = entry.mark == Some(b'w') || matches!(proof, Some(ScoreKind::Loss(_)));
    let is_lost = entry.mark == Some(b'l') || matches!(proof, Some(ScoreKind::Win(_)));
    let is_finished = is_won || is_lost || entry.mark == Some(b'd');
    // The move itself is a step.
    let steps = match proof {
        Some(ScoreKind::Win(plies) | ScoreKind::Loss(plies)) => Some(i64::from(plies) + 1),
        _ => None,
    };
    match filter {
        DeleteFilter::All => true,
        DeleteFilter::Won => is_won,
        DeleteFilter::Lost => is_lost,
        DeleteFilter::Decided => is_won || is_lost,
        DeleteFilter::Open => !is_won && !is_lost,
        DeleteFilter::Finished => is_finished,
        DeleteFilter::Unfinished => !is_finished,
        DeleteFilter::DecidedWithoutSteps => (is_won || is_lost) && steps.is_none(),
        DeleteFilter::DecidedWithin(most) => steps.is_some_and(|steps| steps <= most),
    }
}

fn import(database: &Database, path: &Path, rule: Rule) -> anyhow::Result<Vec<String>> {
    // The opening of a pipe would wait for its writer, and a device has no end.
    let is_other = fs::metadata(path).is_ok_and(|file| !file.is_file());
    ensure!(!is_other, "cannot read {}: this is no file", path.display());
    let import = transfer::import(database, path, (None, rule), None)?;
    let further = import.faults.len().saturating_sub(FAULTS_MAX);
    let mut texts = import.warnings;
    let faults = import.faults.into_iter().take(FAULTS_MAX);
    texts.extend(faults.map(|fault| format!("fault in {fault}")));
    if further > 0 {
        texts.push(format!("and {further} further faults"));
    }
    texts.push(format!("{} positions read: {}", import.count, path.display()));
    Ok(texts)
}
