//! What is fuzzed: bytes in, and what must hold whatever they are.
//!
//! The engine's own tests call these functions as well, with the corpus and a little random change.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;
use std::{env, fs, iter, process, thread};

use tengen::database::Database;
use tengen::database::entry::DatabaseEntry;
use tengen::database::library::entries;
use tengen::database::position::StoredPosition;
use tengen::search::control::Control;
use tengen::search::{Limits, Searcher};
use tengen_app::play::command::Command;
use tengen_gomoku::board::Board;
use tengen_gomoku::record::renlib;
use tengen_gomoku::record::tree::GameTree;
use tengen_gomoku::record::{self, Format, ParsedGame, Place, ReadOptions, Record};
use tengen_gomoku::types::{BoardSize, Color, Coord, Rows, Rule};

use crate::in_process::{Failure, LATE, Part, converse, is_answer};

/// In an input of the protocol, what follows this byte comes late; what follows the second one
/// comes late and after a pause.
const LATE_MARK: u8 = 0x1E;
const PAUSE_MARK: u8 = 0x1F;
/// Means something at the very start alone.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
const PAUSE: Duration = Duration::from_micros(200);
/// Nodes of a search, at most.
const NODES: u64 = 60;

/// Every session ends, without a panic, and with no more answers than lines.
pub fn protocol(bytes: &[u8]) -> Result<(), String> {
    // Random names are no names for files.
    let is_mark = |byte: &u8| [LATE_MARK, PAUSE_MARK].contains(byte);
    let upper: Vec<u8> =
        bytes.iter().filter(|byte| !is_mark(byte)).map(u8::to_ascii_uppercase).collect();
    let has = |word: &[u8]| upper.windows(word.len()).any(|part| part == word);
    let names_files = [&b"YXHASHDUMP"[..], b"YXHASHLOAD", b"YXDB", b"TODB", b"YXSETDATABASE"]
        .iter()
        .any(|word| has(word));
    if names_files || b" \t\x0C".iter().any(|&blank| has(&[b"DATABASE", &[blank][..]].concat())) {
        return Ok(());
    }
    // A large table would cost more than all the rest.
    let small = Part { bytes: b"INFO max_memory 1\n".to_vec(), ..Part::default() };
    let parts = bytes
        .chunk_by(|_, &next| next != LATE_MARK && next != PAUSE_MARK)
        .map(|bytes| match bytes {
            [LATE_MARK, rest @ ..] => Part { later: LATE, bytes: rest.to_vec(), ..Part::default() },
            [PAUSE_MARK, rest @ ..] => {
                Part { later: LATE, pause: PAUSE, bytes: rest.to_vec(), ..Part::default() }
            }
            _ => Part { bytes: bytes.to_vec(), ..Part::default() },
        })
        // No bytes would be the end.
        .filter(|part| !part.bytes.is_empty());
    let parts = [small].into_iter().filter(|_| !bytes.starts_with(BYTE_ORDER_MARK)).chain(parts);
    let lines = match converse(parts.collect(), NODES) {
        Ok(lines) => lines,
        // A hang cannot be gone on after.
        Err(Failure::Hang) => panic!("the session does not end"),
        Err(failure) => return Err(format!("{failure:?}")),
    };
    let answers = lines.iter().filter(|line| is_answer(line)).count();
    let sent = bytes.split(|byte| b"\r\n".contains(byte)).count();
    let message = || format!("{answers} answers to {sent} lines: {lines:#?}");
    if answers > sent { Err(message()) } else { Ok(()) }
}

/// What can be read can be played, judged and written, and read again, with variations and without.
/// The first byte sets the board.
pub fn record(bytes: &[u8]) -> Result<(), String> {
    let (first, text) = bytes.split_first().unwrap_or((&0, &[]));
    let (width, height) = (5 + first % 18, 5 + first / 18 * 17 / 14);
    let size = BoardSize::new(width, height).expect("a size from 5 to 22");
    let text = String::from_utf8_lossy(text);
    let rows = if first & 1 == 0 { Rows::Top } else { Rows::Bottom };
    for game in record::parse(&text, ReadOptions { rows, ..size.into() }) {
        examine_tree(&game)?;
        if let Ok(record) = game.record() {
            examine(&record, &game.tree, size)?;
        }
    }
    Ok(())
}

/// Nodes of a tree whose positions are looked at.
const TREE_NODES: usize = 40;

fn examine_tree(game: &ParsedGame) -> Result<(), String> {
    let ParsedGame { line, tree, faults, warnings, .. } = game;
    if let Some(warning) = warnings.iter().find(|w| w.words(Rule::Renju).contains('\n')) {
        return Err(format!("{warning:?} in several lines"));
    }
    for fault in faults {
        let is_after = matches!(fault.place, Place::Line(at) if at >= *line);
        if !is_after || fault.to_string().contains('\n') {
            return Err(format!("{} of {line}", fault));
        }
    }
    for id in tree.preorder().take(TREE_NODES).chain([tree.end()]) {
        let record = tree.record(id);
        let board = record.board(Rule::Freestyle);
        if board.stone_count() != record.stones().len() {
            return Err(format!("not the board of {record:?}"));
        }
    }
    // Writing leaves out empty nodes and what no file can hold; what is written stays as it is.
    let read = |tree: &GameTree, format: Format| {
        let file = format.write(tree).map_err(|why| format!("{why}: {tree:?}"))?;
        let text = String::from_utf8_lossy(&file);
        let options = ReadOptions { rows: tree.rows, ..tree.size().into() };
        match record::parse(&text, options).as_slice() {
            [ParsedGame { tree, faults, .. }] if faults.is_empty() => Ok(tree.clone()),
            found => Err(format!("{text:?} is {found:?}")),
        }
    };
    for format in [Format::Sgf, Format::Json] {
        let written = read(tree, format)?;
        let again = read(&written, format)?;
        if again != written {
            return Err(format!("{written:?} is {again:?}"));
        }
    }
    Ok(())
}

fn examine(record: &Record, tree: &GameTree, size: BoardSize) -> Result<(), String> {
    let rule = tree.rule.unwrap_or(Rule::ALL[record.stones().len() % Rule::ALL.len()]);
    let board = record.board(rule);
    if board.stone_count() != record.stones().len() || board.side_to_move() != record.to_move() {
        return Err(format!("{rule:?}: not the board of {record:?}"));
    }
    if let Some((ending, moves)) = record.ending(rule)
        && moves > record.moves().len()
    {
        return Err(format!("{ending:?} after {moves} moves of {record:?}"));
    }
    let stones = |record: &Record| -> Vec<_> {
        record.stones().iter().map(|stone| (stone.c, stone.color == Color::Black)).collect()
    };
    let same = |text: &str| {
        let options = ReadOptions { rows: tree.rows, ..record.size().into() };
        let games = record::parse(text, options);
        match games.iter().map(ParsedGame::record).collect::<Vec<_>>().as_slice() {
            [Ok(again)]
                if again.size() == record.size()
                    && again.to_move() == record.to_move()
                    && sorted(stones(again)) == sorted(stones(record)) =>
            {
                Ok(())
            }
            _ => Err(format!("{text:?} of {record:?} is {games:?} on {size}")),
        }
    };
    for format in [Format::Sgf, Format::Psq, Format::Moves, Format::Json] {
        let file = format.write(tree).ok().filter(|file| !file.trim_ascii().is_empty());
        file.map_or(Ok(()), |file| same(&String::from_utf8_lossy(&file)))?;
    }
    Ok(())
}

/// Files keep the order of moves, but set-up stones by their colours.
fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable();
    items
}

/// Any line is understood or refused in one line.
pub fn typed(bytes: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(bytes);
    for text in text.lines() {
        let size = BoardSize::new(15, 15).expect("a size from 5 to 22");
        if let Err(refusal) = Command::parse(text, size)
            && refusal.to_string().lines().count() != 1
        {
            return Err(format!("{refusal} about {text:?}"));
        }
    }
    Ok(())
}

/// What can be read as a table changes what a search thinks, but neither its rules nor its manners.
///
/// The first bytes are moves, the rest is the file: once as it stands, once behind the head of a
/// table, and once as entries of eight bytes for the positions that the search meets first, without
/// a generation and with a bound, so that many of them are read.
pub fn table(bytes: &[u8]) -> Result<(), String> {
    let (moves, file) = bytes.split_at(bytes.len().min(8));
    let size = BoardSize::new(7, 7).expect("a size from 5 to 22");
    let rule = Rule::ALL[bytes.len() % Rule::ALL.len()];
    let mut board = Board::new(size, rule);
    for &byte in moves {
        let c = Coord::new(byte % 7, byte / 7 % 7);
        if board.is_empty(c) {
            board.play(c);
        }
    }
    let root = [board.key()].into_iter();
    let keys = root.chain(board.empty_cells().into_iter().map(|c| board.key_after(c)));
    let mut head = Vec::new();
    let written = Searcher::new(1 << 12).table.write(&mut head);
    written.map_err(|error| format!("an empty table cannot be written: {error}"))?;
    let behind_head = [&head, file].concat();
    let mut entries = head;
    for (key, data) in keys.zip(file.chunks_exact(8)) {
        let data = data.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
        let data = (data & (u64::MAX >> 12)) | 1 << 50;
        entries.extend(key.to_le_bytes());
        entries.extend(data.to_le_bytes());
    }
    for file in [file, &behind_head, &entries] {
        let mut searcher = Searcher::new(1 << 12);
        let count = searcher.table.read(&mut Cursor::new(file)).unwrap_or(0);
        let limits = Limits { nodes: 2 * NODES, ..Limits::default() };
        let control = Control::untimed();
        let report = searcher.search(&board, &limits, &control, &mut |_| ());
        let mut after = board.clone();
        for &mv in iter::once(&report.best).chain(report.pv.iter().skip(1)) {
            let us = after.side_to_move();
            if !after.is_legal(mv, us) && after.has_legal_move() {
                return Err(format!("{mv} after {count} entries: {report:?}"));
            }
            after.play(mv);
        }
    }
    Ok(())
}

/// What is whole in a library is a tree of legal stones, which comes back from what is written of
/// it.
pub fn library(bytes: &[u8]) -> Result<(), String> {
    // Most inputs should get beyond the head.
    let mut head = renlib::MAGIC.to_vec();
    head.extend([3, 4]);
    head.resize(20, 0xFF);
    for bytes in [bytes, &[&head, bytes].concat()] {
        let tree = match renlib::parse(bytes, None) {
            Ok(ParsedGame { tree, faults, .. }) => {
                let is_inside =
                    |place| matches!(place, Place::Byte(offset) if offset <= bytes.len());
                if let Some(fault) = faults.iter().find(|fault| !is_inside(fault.place)) {
                    return Err(format!("{fault:?}, and there are {} bytes", bytes.len()));
                }
                tree
            }
            Err(fault) if fault.to_string().contains('\n') => return Err(format!("{fault}")),
            Err(_) => continue,
        };
        let written = Format::Library.write(&tree).map_err(|why| format!("{why}: {tree:?}"))?;
        match renlib::parse(&written, None) {
            Ok(ParsedGame { tree: again, faults, .. })
                if faults.is_empty()
                    && again.len() == tree.len()
                    && Format::Library.write(&again).as_ref() == Ok(&written) => {}
            other => return Err(format!("{other:?} of {tree:?}")),
        }
        for (position, entry) in entries(&tree, Rule::Renju) {
            if let Some((c, _)) = entry.labels.iter().next()
                && position.key.size.coord(c.x(), c.y()).is_none()
            {
                return Err(format!("a label off the board: {entry:?}"));
            }
        }
    }
    Ok(())
}

/// A file that is no sound database is refused and stays as it was.
///
/// The bytes are the file, and then damage to a sound one: each three of them are a place and what
/// is there, and a rest of two bytes cuts the file off.
pub fn database(bytes: &[u8]) -> Result<(), String> {
    static SOUND: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let path = database_file("sound");
        let _ = fs::remove_file(&path);
        let database = Database::open(&path).expect("a new database");
        let mut board = Board::new(BoardSize::new(9, 9).expect("a size"), Rule::Standard);
        for i in 0..60 {
            board.play(Coord::new(i % 9, i / 9));
            let comment = "x".repeat(usize::from(i) * 20);
            let entry = DatabaseEntry { comment, ..DatabaseEntry::default() };
            let put = database.update(|writer| writer.put(&StoredPosition::of(&board), &entry));
            put.expect("a database that can be written");
        }
        drop(database);
        let bytes = fs::read(&path).expect("the file is there");
        let _ = fs::remove_file(&path);
        bytes
    });
    let mut damaged = SOUND.clone();
    let (changes, rest) = bytes.as_chunks::<3>();
    for &[high, low, value] in changes {
        // The head of the file is the most interesting part.
        let place = usize::from(high) << 8 | usize::from(low);
        let place = if high < 128 { place % 512 } else { place * 13 % damaged.len() };
        damaged[place] = value;
    }
    if let [_, last] = rest {
        damaged.truncate(damaged.len() * usize::from(*last) / 256);
    }
    for file in [bytes, &damaged] {
        // An empty file becomes a database.
        if file.is_empty() {
            continue;
        }
        let path = database_file(&format!("{:?}", thread::current().id()));
        fs::write(&path, file).map_err(|error| error.to_string())?;
        let opened = Database::open(&path);
        let result = opened
            .and_then(|database| database.read(|reader| reader.for_each(None, |_, _| Ok(()))));
        if let Err(error) = result {
            if error.to_string().contains('\n') {
                return Err(format!("{error}"));
            }
            if fs::read(&path).is_ok_and(|after| after != file) {
                return Err(format!("{error}, and the file is another one now"));
            }
        }
        let _ = fs::remove_file(&path);
    }
    Ok(())
}

fn database_file(name: &str) -> PathBuf {
    env::temp_dir().join(format!("tengen-fuzz-{}-{name}.db", process::id()))
}
