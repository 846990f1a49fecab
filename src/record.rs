//! Games as files keep them: Piskvork's .psq, SGF, and plain "pos" lines such as `h8i9h10`.
//!
//! A [`Record`] is what all three have in common: stones in the order in which they came, and who
//! moves next. Columns are counted from the left and rows from the top, as in both kinds of file,
//! so that `h8` is `8,8` in a .psq and `hh` in SGF. Invariant: stones stand on distinct cells of
//! the board. A [`tree::GameTree`] has variations and comments as well. `training` is apart from
//! it: the games that an evaluation is fitted to.

mod error;
mod psq;
pub mod renlib;
mod sgf;
mod sgf_writer;
pub mod training;
pub mod tree;

pub use error::{FileError, ParseError, ParseErrorKind};

use std::fmt;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use crate::board::Board;
use crate::board::notation::{parse_offsets, parse_points};
use crate::shape::Shape;
use crate::types::{BoardSize, CellSet, Color, Coord, Direction, Rule};
use crate::whole_file::{write_new, write_whole};
use error::FileErrorKind;
use tree::{GameTree, NodeId};

/// The name of a player who is no program.
pub const HUMAN: &str = "Human";

/// A stone of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stone {
    /// Where it stands.
    pub c: Coord,
    /// Whose it is.
    pub color: Color,
    /// How long its player thought, as far as it is known.
    pub time: Duration,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This colour won.
    Won(Color),
    /// Nobody won.
    Drawn,
}

/// Why the stones of a record end its game: at the first stone that does, or behind the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A five, or whatever else of this colour wins under the rule.
    Five(Color, CellSet),
    /// Black played on this forbidden point.
    Foul(Coord),
    /// No cell is free.
    Full,
    /// Black moves next, and every free cell is forbidden.
    NoMove,
}

impl fmt::Display for Ending {
    /// Writes the end in words, such as `black has won`.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Ending::Five(color, _) => write!(f, "{color} has won"),
            Ending::Foul(c) => write!(f, "white has won, {c} is forbidden for black"),
            Ending::Full => f.write_str("the board is full"),
            Ending::NoMove => f.write_str("white has won, black has no legal move"),
        }
    }
}

impl Ending {
    /// Returns who won.
    pub fn outcome(&self) -> Outcome {
        match self {
            Ending::Five(color, _) => Outcome::Won(*color),
            Ending::Foul(_) | Ending::NoMove => Outcome::Won(Color::White),
            Ending::Full => Outcome::Drawn,
        }
    }
}

/// Whether a file that is there already may be overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// It may.
    Yes,
    /// It must not.
    No,
}

/// A game or a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    size: BoardSize,
    stones: Vec<Stone>,
    /// So many of the stones stood before the first move.
    setup: usize,
    to_move: Color,
    /// The rule, where the file names it.
    pub rule: Option<Rule>,
    /// The players' names, black's first; empty if unknown.
    pub players: [String; 2],
    /// The result that the file names or is to name.
    pub outcome: Option<Outcome>,
}

impl Record {
    /// Returns the record of a game without stones.
    pub fn new(size: BoardSize) -> Record {
        Record {
            size,
            stones: Vec::new(),
            setup: 0,
            to_move: Color::Black,
            rule: None,
            players: [const { String::new() }; 2],
            outcome: None,
        }
    }

    /// Returns the size of the board.
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// Returns all stones in the order in which they came.
    pub fn stones(&self) -> &[Stone] {
        &self.stones
    }

    /// Returns the stones that were played, which are all but those set up before.
    pub fn moves(&self) -> &[Stone] {
        &self.stones[self.setup..]
    }

    /// Returns the colour that moves next.
    pub fn to_move(&self) -> Color {
        self.to_move
    }

    /// Returns true if the cell is free; it must be one of the board.
    pub fn is_empty(&self, c: Coord) -> bool {
        self.stones.iter().all(|stone| stone.c != c)
    }

    /// Plays a stone of the side to move.
    ///
    /// # Errors
    ///
    /// If the cell is off the board or taken.
    pub fn play(&mut self, c: Coord, time: Duration) -> Result<(), ParseErrorKind> {
        self.place(Stone { c, color: self.to_move, time })
    }

    /// Takes back the last move, if there is one.
    pub fn undo(&mut self) -> Option<Stone> {
        if self.moves().is_empty() {
            return None;
        }
        let stone = self.stones.pop()?;
        self.to_move = stone.color;
        Some(stone)
    }

    /// Plays a stone again that was [taken back](Record::undo); `to_move` moves next.
    ///
    /// # Errors
    ///
    /// If the cell is off the board or taken.
    pub fn redo(&mut self, stone: Stone, to_move: Color) -> Result<(), ParseErrorKind> {
        self.place(stone)?;
        self.to_move = to_move;
        Ok(())
    }

    /// Returns the record as it was after its first `moves` moves.
    pub fn after(&self, moves: usize) -> Record {
        let mut record = Record { outcome: None, ..self.clone() };
        while record.moves().len() > moves {
            record.undo();
        }
        record
    }

    /// Returns the position.
    pub fn board(&self, rule: Rule) -> Board {
        self.board_of(&self.stones, rule, self.to_move)
    }

    fn board_of(&self, stones: &[Stone], rule: Rule, to_move: Color) -> Board {
        let cells: Vec<_> = stones.iter().map(|s| (s.c, s.color.cell())).collect();
        Board::from_cells(self.size, rule, &cells, to_move)
    }

    /// Returns why the game is over, if it is, and the number of the move that ended it.
    pub fn ending(&self, rule: Rule) -> Option<(Ending, usize)> {
        let (setup, moves) = self.stones.split_at(self.setup);
        let mut board = self.board_of(setup, rule, Color::Black);
        for (i, &Stone { c, color, .. }) in moves.iter().enumerate() {
            if board.side_to_move() != color {
                board = self.board_of(&self.stones[..self.setup + i], rule, color);
            }
            if board.makes_five(c, color) {
                return Some((Ending::Five(color, five_through(&board, c, color)), i + 1));
            }
            if color == Color::Black && board.is_forbidden(c) {
                return Some((Ending::Foul(c), i + 1));
            }
            board.play(c);
        }
        if board.empty_count() == 0 {
            return Some((Ending::Full, moves.len()));
        }
        (!self.board(rule).has_legal_move()).then_some((Ending::NoMove, moves.len()))
    }

    /// Returns the stones in an order in which black and white take turns, black first, if there
    /// is one that keeps the order of the moves.
    pub fn alternating(&self) -> Option<Vec<Stone>> {
        let (setup, moves) = self.stones.split_at(self.setup);
        let mut sets = Color::ALL.map(|color| setup.iter().filter(move |s| s.color == color));
        let mut stones: Vec<Stone> = Vec::with_capacity(self.stones.len());
        let turns = [Color::Black, Color::White].into_iter().cycle();
        stones.extend(turns.map_while(|color| sets[color].next()));
        if stones.len() < setup.len() {
            return None;
        }
        stones.extend(moves);
        let in_turn = |(i, stone): (usize, &Stone)| stone.color == Color::ALL[i % 2];
        let is_in_turn = stones.iter().enumerate().all(in_turn);
        (is_in_turn && self.to_move == Color::ALL[stones.len() % 2]).then_some(stones)
    }

    /// Returns the record as a "pos" line without its end, such as `h8i9h10`; `None` if the
    /// colours do not take turns.
    pub fn to_pos(&self) -> Option<String> {
        Some(self.alternating()?.iter().map(|stone| stone.c.to_string()).collect())
    }

    /// Returns the record as a .psq file; `None` if the colours do not take turns.
    pub fn to_psq(&self) -> Option<String> {
        psq::write(self)
    }

    /// Returns the record as an SGF file.
    pub fn to_sgf(&self) -> String {
        GameTree::from(self).to_sgf()
    }

    /// Writes the record to a file whose name ends with `.psq` or `.sgf`.
    ///
    /// # Errors
    ///
    /// If the name ends otherwise, the game does not fit the format, the file cannot be written, or
    /// it is there already and must not be overwritten ([`FileError::exists`]). A file that was there
    /// stays as it was.
    pub fn save(&self, path: &Path, overwrite: Overwrite) -> Result<(), FileError> {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        let text = match extension.to_str() {
            Some("psq") => self.to_psq().ok_or(FileErrorKind::Turns),
            Some("sgf") => Ok(self.to_sgf()),
            _ => Err(FileErrorKind::Extension),
        };
        let write = |text: String| {
            let write_text = |mut file: File| file.write_all(text.as_bytes());
            match overwrite {
                Overwrite::Yes => write_whole(path, write_text),
                Overwrite::No => write_new(path, write_text),
            }
        };
        text.and_then(|text| write(text).map_err(FileErrorKind::Io))
            .map_err(|kind| FileError { path: path.to_owned(), kind })
    }

    /// Puts a stone down as a move.
    fn place(&mut self, stone: Stone) -> Result<(), ParseErrorKind> {
        self.check(stone.c)?;
        self.stones.push(stone);
        self.to_move = !stone.color;
        Ok(())
    }

    /// Sets a stone up, which makes all stones before it part of the set-up.
    fn set_up(&mut self, c: Coord, color: Color) -> Result<(), ParseErrorKind> {
        self.check(c)?;
        self.stones.push(Stone { c, color, time: Duration::ZERO });
        self.setup = self.stones.len();
        Ok(())
    }

    /// Takes the stone of a cell away, if there is one, which makes the others the set-up.
    fn clear(&mut self, c: Coord) {
        self.stones.retain(|stone| stone.c != c);
        self.setup = self.stones.len();
    }

    fn check(&self, c: Coord) -> Result<(), ParseErrorKind> {
        if self.size.coord(c.x(), c.y()).is_none() {
            return Err(ParseErrorKind::OffBoard(c));
        }
        if self.is_empty(c) { Ok(()) } else { Err(ParseErrorKind::Taken(c)) }
    }

    /// Lets the side move that is due by the numbers of stones: black unless he has more.
    fn turn_by_count(&mut self) {
        let blacks = self.stones.iter().filter(|stone| stone.color == Color::Black).count();
        let is_due = 2 * blacks <= self.stones.len();
        self.to_move = if is_due { Color::Black } else { Color::White };
    }
}

/// Returns the stones of the rows that a stone of `color` on the empty cell `c` makes a five of.
fn five_through(board: &Board, c: Coord, color: Color) -> CellSet {
    let mut cells: CellSet = [c].into_iter().collect();
    for direction in Direction::ALL {
        if board.threats(c).shape(color, direction) != Shape::Five {
            continue;
        }
        for step in [-1, 1] {
            let mut next = c.step(direction, step);
            while board.stone(next) == Some(color) {
                cells.insert(next);
                next = next.step(direction, step);
            }
        }
    }
    cells
}

/// One game or line of a file: where it begins, and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its first line, counted from 1.
    pub line: usize,
    /// The game, or why it cannot be read.
    pub record: Result<Record, ParseError>,
}

/// One game or line of a file as a tree: where it begins, and what of it can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// Its first line, counted from 1.
    pub line: usize,
    /// All that is whole.
    pub tree: GameTree,
    /// The last node of the main line, or the last one before its fault.
    pub end: NodeId,
    /// What could not be read.
    pub faults: Vec<TreeFault>,
}

/// What is wrong with a part of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFault {
    /// The fault and its line.
    pub error: ParseError,
    /// True if the main line ends there, before its own end.
    pub breaks_main_line: bool,
}

impl TreeEntry {
    /// Returns the entry of a game without variations.
    fn of_entry(entry: Entry, size: BoardSize) -> TreeEntry {
        let fault = |error| TreeFault { error, breaks_main_line: true };
        let (tree, faults) = match entry.record {
            Ok(record) => (GameTree::from(&record), Vec::new()),
            Err(error) => (GameTree::new(size), vec![fault(error)]),
        };
        let end = tree.main_line().last().unwrap_or(tree.root());
        TreeEntry { line: entry.line, tree, end, faults }
    }

    /// Returns the entry of a library of RenLib.
    fn of_library(bytes: &[u8]) -> TreeEntry {
        let (tree, faults) = match renlib::parse(bytes) {
            Ok((tree, faults)) => (tree, faults.into_iter().map(|fault| (fault, false)).collect()),
            Err(fault) => (GameTree::new(renlib::board_size()), vec![(fault, true)]),
        };
        let fault = |(fault, breaks_main_line): (renlib::Fault, bool)| {
            let error = ParseError { line: 1, kind: ParseErrorKind::Bytes(fault.to_string()) };
            TreeFault { error, breaks_main_line }
        };
        let faults = faults.into_iter().map(fault).collect();
        let end = tree.main_line().last().unwrap_or(tree.root());
        TreeEntry { line: 1, tree, end, faults }
    }

    /// Returns the main line.
    fn into_entry(self) -> Entry {
        let fault = self.faults.into_iter().find(|fault| fault.breaks_main_line);
        let record = fault.map_or_else(|| Ok(self.tree.record(self.end)), |fault| Err(fault.error));
        Entry { line: self.line, record }
    }
}

impl GameTree {
    /// Returns the tree as an SGF file.
    pub fn to_sgf(&self) -> String {
        sgf_writer::write(self)
    }
}

/// Reads the main lines of a file of any of the three kinds, which its text tells. `size` is the
/// board of "pos" lines, and of SGF that names none.
///
/// # Errors
///
/// If the file cannot be read. What is wrong with a game in it, its entry says.
pub fn load(path: &Path, size: BoardSize) -> Result<Vec<Entry>, FileError> {
    text_in(path, &bytes_of(path)?).map(|text| parse(&text, size))
}

/// Reads a file of any of the three kinds as [`load`] does, with all variations, or a library of
/// RenLib.
///
/// # Errors
///
/// If the file cannot be read. What is wrong with a game in it, its entry says.
pub fn load_trees(path: &Path, size: BoardSize) -> Result<Vec<TreeEntry>, FileError> {
    let bytes = bytes_of(path)?;
    if renlib::is_library(path, &bytes) {
        return Ok(vec![TreeEntry::of_library(&bytes)]);
    }
    text_in(path, &bytes).map(|text| parse_trees(&text, size))
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, FileError> {
    let failed = |error| FileError { path: path.to_owned(), kind: FileErrorKind::Io(error) };
    fs::read(path).map_err(failed)
}

/// Returns the text that a file's bytes are.
fn text_in(path: &Path, bytes: &[u8]) -> Result<String, FileError> {
    let text = match text_of(bytes) {
        None => Err(FileErrorKind::Binary),
        Some(text) if text.trim().is_empty() => Err(FileErrorKind::Empty),
        Some(text) => Ok(text),
    };
    text.map_err(|kind| FileError { path: path.to_owned(), kind })
}

/// Returns the bytes as text, or `None` if they hold a control character that no text has.
pub fn text_of(bytes: &[u8]) -> Option<String> {
    // A Ctrl-Z ends files of old programs.
    const CTRL_Z: u8 = 0x1a;
    let is_text = |b: &u8| !b.is_ascii_control() || b.is_ascii_whitespace() || *b == CTRL_Z;
    bytes.iter().all(is_text).then(|| String::from_utf8_lossy(bytes).into_owned())
}

/// The kinds of text.
enum Format {
    Psq,
    Sgf,
    Pos,
}

/// Returns the text without its byte order mark, and its kind.
fn format(text: &str) -> (&str, Format) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let start = text.trim_start();
    let format = if start.starts_with(psq::MAGIC) {
        Format::Psq
    } else if start.starts_with('(') {
        Format::Sgf
    } else {
        Format::Pos
    };
    (text, format)
}

/// Reads the main lines of the text of a file of any of the three kinds. A "pos" line may hold
/// offsets from the centre instead, such as `0,0, -1,2`. Blank lines, and what follows a `#` in
/// one, are skipped.
pub fn parse(text: &str, size: BoardSize) -> Vec<Entry> {
    let (text, format) = format(text);
    match format {
        Format::Psq => vec![Entry { line: 1, record: psq::parse(text) }],
        Format::Sgf => sgf::parse(text, size).into_iter().map(TreeEntry::into_entry).collect(),
        Format::Pos => {
            let lines = text.lines().enumerate();
            lines.filter_map(|(i, line)| parse_line(line, i + 1, size)).collect()
        }
    }
}

/// Reads the text of a file of any of the three kinds as [`parse`] does, with all variations.
pub fn parse_trees(text: &str, size: BoardSize) -> Vec<TreeEntry> {
    match format(text) {
        (text, Format::Sgf) => sgf::parse(text, size),
        _ => {
            let entries = parse(text, size).into_iter();
            entries.map(|entry| TreeEntry::of_entry(entry, size)).collect()
        }
    }
}

fn parse_line(text: &str, line: usize, size: BoardSize) -> Option<Entry> {
    let text = text.split('#').next().unwrap_or_default();
    if text.trim().is_empty() {
        return None;
    }
    let mut record = Record::new(size);
    let is_offsets = text.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let points = if is_offsets { parse_offsets(text, size) } else { parse_points(text, size) };
    let points = points.map_err(ParseErrorKind::Notation);
    let result = points
        .and_then(|points| points.into_iter().try_for_each(|c| record.play(c, Duration::ZERO)));
    let record = result.map(|()| record).map_err(|kind| ParseError { line, kind });
    Some(Entry { line, record })
}
