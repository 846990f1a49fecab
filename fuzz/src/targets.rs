//! What is fuzzed: bytes in, and what must hold whatever they are.
//!
//! Nothing here knows how the bytes are chosen. The engine's own tests use these targets as well,
//! with the corpus and a little random change.

use std::io::Cursor;
use std::time::{Duration, Instant};

use tengen::board::Board;
use tengen::play::command::Command;
use tengen::record::{self, Entry, Record};
use tengen::search::clock::Control;
use tengen::search::{Limits, Searcher, TABLE_MAGIC};
use tengen::types::{BoardSize, Color, Coord, Rule};

use crate::in_process::{Fault, LATE, Part, converse, is_answer};

/// In an input of the protocol, what follows this byte comes late; what follows the second one
/// comes late and after a pause.
const LATE_MARK: u8 = 0x1E;
const PAUSE_MARK: u8 = 0x1F;
/// Means something at the very start alone.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
const PAUSE: Duration = Duration::from_micros(200);
/// Plays of a search at most.
const NODES: u64 = 60;

/// Something that takes bytes from strangers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The protocol's whole loop, from the bytes that are read to the lines that are written.
    Protocol,
    /// The files of games: .psq, SGF and "pos" lines. The first byte sets the board.
    Record,
    /// What a person types, a line an input.
    Typed,
    /// The file of a transposition table, which a search then believes.
    Table,
}

impl Target {
    pub const ALL: [Target; 4] = [Target::Protocol, Target::Record, Target::Typed, Target::Table];

    /// Returns the target of a name, which is that of its folder in the corpus.
    pub fn named(name: &str) -> Option<Target> {
        Target::ALL.into_iter().find(|target| target.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Target::Protocol => "protocol",
            Target::Record => "record",
            Target::Typed => "typed",
            Target::Table => "table",
        }
    }

    /// Returns words that mutation puts into inputs.
    pub fn words(self) -> &'static [&'static str] {
        match self {
            Target::Protocol => &[
                "START 15\n",
                "START 5\n",
                "RECTSTART 6,5\n",
                "RESTART\n",
                "BEGIN\n",
                "TURN 2,2\n",
                "TURN ",
                "PLAY ",
                "TAKEBACK ",
                "BOARD\n",
                "YXBOARD ",
                "SWAP2BOARD ",
                "DONE\n",
                "INFO ",
                "timeout_turn ",
                "timeout_match ",
                "time_left ",
                "max_memory ",
                "rule ",
                "max_depth ",
                "max_node ",
                "thread_num ",
                "hash_size ",
                "ABOUT\n",
                "END\n",
                "YXSTOP\n",
                "YXNBEST 1\n",
                "YXSHOWFORBID\n",
                "YXHASHCLEAR\n",
                "YXSHOWINFO\n",
                "YXSEARCHDEFEND\n",
                "YXBLOCK ",
                "YXBLOCKUNDO ",
                "YXBLOCKPATH ",
                "YXBLOCKRESET\n",
                "YXQUERYDATABASEALL\n",
                "YXSHOWHASHUSAGE\n",
                "YXSETDATABASE\n",
                "strength ",
                "style ",
                "show_detail ",
                "1,1,1 ",
                "2,2,2\n",
                "0,0,3 ",
                "4,4",
                "-1",
                "99999999999999999999",
                "\r",
                "\n",
                "\u{1E}",
                "\u{1F}",
                "\u{1E}TURN 0,0\n",
                "\u{FEFF}",
                ",",
                " ",
                "\t",
            ],
            Target::Record => &[
                "Piskvorky 15x15, 11:11, 0\n",
                "8,8,0\n",
                "-1\n",
                "(;FF[4]GM[4]",
                "SZ[15]",
                "SZ[9:7]",
                "RU[renju]",
                ";B[hh]",
                ";W[ii]",
                "AB[aa:cc]",
                "AW[dd]",
                "AE[bb]",
                "PL[W]",
                "RE[B+]",
                "PB[x\\]]",
                ";B[]",
                ";B[tt]",
                "(",
                ")",
                "[",
                "]",
                "\\",
                "h8i9h10",
                "a1",
                "v22",
                "#",
                "\r\n",
                "\n",
                "\u{FEFF}",
                "99999999999999999999",
                "-",
                "x",
                ",",
                ":",
                ";",
            ],
            Target::Typed => &[
                "undo",
                "hint",
                "swap",
                "level ",
                "time ",
                "rule renju",
                "size 20x15",
                "new",
                "save ",
                "load ",
                "board",
                "help",
                "quit",
                "h8",
                "a1",
                "v22",
                "1e9",
                "-0",
                "nan",
                "inf",
                " ",
                "x",
                "99999999999999999999",
                "é",
            ],
            Target::Table => &["TENGENT1", "\0\0\0\0\0\0\0\0", "\u{1}\0\0", "\u{4}"],
        }
    }

    /// Lets the target have the bytes.
    ///
    /// # Errors
    ///
    /// If something does not hold that must.
    ///
    /// # Panics
    ///
    /// Whenever the target panics.
    pub fn run(self, bytes: &[u8]) -> Result<(), String> {
        match self {
            Target::Protocol => protocol(bytes),
            Target::Record => record(bytes),
            Target::Typed => typed(bytes),
            Target::Table => table(bytes),
        }
    }
}

/// Every session ends, without a panic, and with no more answers than lines.
fn protocol(bytes: &[u8]) -> Result<(), String> {
    // Random names are no names for files.
    let upper = bytes.to_ascii_uppercase();
    if [&b"YXHASHDUMP"[..], b"YXHASHLOAD"].iter().any(|word| upper.windows(10).any(|w| w == *word))
    {
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
        Err(Fault::Hang) => panic!("the session does not end"),
        Err(fault) => return Err(format!("{fault:?}")),
    };
    let answers = lines.iter().filter(|line| is_answer(line)).count();
    let sent = bytes.split(|byte| b"\r\n".contains(byte)).count();
    let message = || format!("{answers} answers to {sent} lines: {lines:#?}");
    if answers > sent { Err(message()) } else { Ok(()) }
}

/// What can be read can be played, judged and written, and read again.
fn record(bytes: &[u8]) -> Result<(), String> {
    let (first, text) = bytes.split_first().unwrap_or((&0, &[]));
    let (width, height) = (5 + first % 18, 5 + first / 18);
    let size = BoardSize::new(width, height.min(22)).expect("a size from 5 to 22");
    for Entry { line, record } in record::parse(&String::from_utf8_lossy(text), size) {
        match record {
            Ok(record) => examine(&record, size)?,
            Err(error) if error.to_string().contains('\n') => return Err(format!("{error}")),
            Err(error) if error.line < line => return Err(format!("{error} of {line}")),
            Err(_) => {}
        }
    }
    Ok(())
}

fn examine(record: &Record, size: BoardSize) -> Result<(), String> {
    let rule = record.rule.unwrap_or(Rule::ALL[record.stones().len() % Rule::ALL.len()]);
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
        let entries = record::parse(text, record.size());
        match entries.as_slice() {
            [Entry { record: Ok(again), .. }]
                if again.size() == record.size()
                    && again.to_move() == record.to_move()
                    && sorted(stones(again)) == sorted(stones(record)) =>
            {
                Ok(())
            }
            _ => Err(format!("{text:?} of {record:?} is {entries:?} on {size}")),
        }
    };
    same(&record.to_sgf())?;
    if let Some(text) = record.to_psq() {
        same(&text)?;
    }
    match record.to_pos() {
        Some(text) if !text.is_empty() => same(&text),
        _ => Ok(()),
    }
}

/// Files keep the order of moves, but set-up stones by their colours.
fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable();
    items
}

/// Any line is understood or refused in one line.
fn typed(bytes: &[u8]) -> Result<(), String> {
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
/// The first bytes are moves, the rest is the file: once as it stands, and once as entries of eight
/// bytes for the positions that the search meets first, without a stamp and with a bound, so that
/// many of them are read.
fn table(bytes: &[u8]) -> Result<(), String> {
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
    let mut entries = TABLE_MAGIC.to_vec();
    for (key, data) in keys.zip(file.chunks_exact(8)) {
        let data = data.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
        let data = (data & (u64::MAX >> 12)) | 1 << 50;
        entries.extend(key.bits().to_le_bytes());
        entries.extend(data.to_le_bytes());
    }
    for file in [file, &entries] {
        let mut searcher = Searcher::new(1 << 12);
        let count = searcher.read_table(&mut Cursor::new(file)).unwrap_or(0);
        let limits = Limits { nodes: 2 * NODES, ..Limits::default() };
        let control = Control::new(Instant::now(), None);
        let report = searcher.search(&board, &limits, &control, &mut |_| ());
        if !board.is_empty(report.best) {
            return Err(format!("{} after {count} entries: {report:?}", report.best));
        }
        let mut after = board.clone();
        for &mv in &report.pv {
            if !after.is_empty(mv) {
                return Err(format!("{mv} in a line after {count} entries: {report:?}"));
            }
            after.play(mv);
        }
    }
    Ok(())
}
