//! Files of games in all formats: what these hold, how files are read as trees and written.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::ParseErrorKind::{self, Words};
use super::parsed::{ParsedGame, ReadOptions};
use super::text::decoded_text;
use super::tree::{Editor, GameTree, Step};
use super::{json, moves, playok, psq, renlib, sgf};
use crate::atomic_file::write_atomically;
use crate::types::{BoardSize, Rows, variants};

variants! {
    /// A format that files are written in. PlayOK's is read alone.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Format {
        Psq,
        Sgf,
        Library,
        Moves,
        Json,
    }
}

/// The test for the start of a text, the reader, and the side from which rows are counted. The size
/// is that of texts that name none.
type TextFormat = (fn(&str, BoardSize) -> bool, fn(&str, BoardSize) -> Vec<ParsedGame>, Rows);

/// The first format that accepts the start of a text reads it. Other texts are lines of moves.
const TEXT_FORMATS: [TextFormat; 4] = [
    (|start, _| start.starts_with(psq::MAGIC), psq::parse, Rows::Top),
    (|start, _| json::begins(start), json::parse, Rows::Bottom),
    (begins_sgf, sgf::parse, Rows::Top),
    (|start, _| playok::begins(start), playok::parse, Rows::Bottom),
];

/// SGF may have other text before its first game.
fn begins_sgf(start: &str, size: BoardSize) -> bool {
    start.starts_with('(') && !moves::begins_list(start)
        || sgf::holds_game(start) && !moves::begins_with_game(start, size)
}

impl Format {
    /// The extensions of all formats, in words.
    pub const EXTENSIONS: &str = ".psq, .sgf, .lib, .txt or .json";

    pub fn name(self) -> &'static str {
        self.of(["Piskvork", "SGF", "RenLib", "moves", "JSON"])
    }

    /// Returns the extension of files in this format.
    pub fn extension(self) -> &'static str {
        self.of(["psq", "sgf", "lib", "txt", "json"])
    }

    pub fn media_type(self) -> &'static str {
        match self {
            Format::Psq | Format::Moves => "text/plain; charset=utf-8",
            Format::Sgf => "application/x-go-sgf",
            Format::Library => "application/octet-stream",
            Format::Json => "application/json",
        }
    }

    /// Returns the format of files that are written under this name.
    pub fn of_name(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Format::ALL.into_iter().find(|format| format.extension() == extension)
    }

    /// Returns true for RenLib's libraries, by header, or by name: the oldest have no header.
    pub fn is_library(path: &Path, bytes: &[u8]) -> bool {
        Format::of_name(path) == Some(Format::Library) || bytes.starts_with(&renlib::MAGIC)
    }

    /// Returns the file of games as [`write`](Format::write) does; a library has them in one tree.
    pub fn write_all(self, trees: &[GameTree]) -> Result<Vec<u8>, String> {
        if self == Format::Library && trees.len() > 1 {
            return self.write(&renlib::merged(trees));
        }
        let files: Result<Vec<_>, _> = trees.iter().map(|tree| self.write(tree)).collect();
        Ok(files?.concat())
    }

    /// Returns the file of a tree, or why it cannot hold the moves. What else the format does not
    /// hold is left out; see [`lost`].
    pub fn write(self, tree: &GameTree) -> Result<Vec<u8>, String> {
        let tree = tree.counted_from(match self {
            Format::Moves => tree.rows,
            Format::Json => Rows::Bottom,
            Format::Psq | Format::Sgf | Format::Library => Rows::Top,
        });
        let text = match self {
            Format::Psq => psq::write(&tree),
            Format::Sgf => Some(sgf::write(&tree)),
            Format::Library => return renlib::write(&tree),
            Format::Moves => match tree.record(tree.end()).to_pos() {
                Some(moves) if moves.is_empty() => return Err(NO_MOVES.into()),
                moves => moves.map(|moves| moves + "\n"),
            },
            Format::Json => Some(json::write(&tree)),
        };
        text.map(String::into_bytes).ok_or(NO_TURNS.into())
    }
}

/// Why a tree cannot be written in most formats.
pub(super) const NO_TURNS: &str =
    "black and white do not take turns, which a file of this format cannot hold";
const NO_MOVES: &str = "there is no stone, and a file of this format holds stones alone";

/// Kinds of contents in words, with each content.
type Contents = BTreeSet<(&'static str, String)>;

/// Returns in words what the file of this name with these bytes does not hold of the games that were
/// written to it. Texts may still be in the encoding in which they were `read`.
pub fn lost(trees: &[GameTree], path: &Path, file: &[u8], read: ReadOptions) -> Vec<&'static str> {
    let games_in = |encoding| {
        let options = ReadOptions { size: renlib::SIZE, encoding, ..read };
        parse_file(path, file, options).unwrap_or_default()
    };
    let games = games_in(None);
    let mut held: Vec<Contents> = games.iter().map(|game| contents(&game.tree)).collect();
    let decoded = read.encoding.into_iter().flat_map(|encoding| games_in(Some(encoding)));
    held.iter_mut().zip(decoded).for_each(|(held, game)| held.append(&mut contents(&game.tree)));
    // Some formats hold set-up stones as moves.
    for (held, game) in held.iter_mut().zip(&games) {
        for stone in game.tree.record(game.tree.end()).moves() {
            held.insert(("set-up stones", format!("{} {:?}", stone.c, Some(stone.color))));
        }
    }
    let mut written: Vec<Contents> = trees.iter().map(contents).collect();
    if held.len() != written.len() {
        // A library holds all games in one tree.
        held = vec![held.into_iter().flatten().collect()];
        written = vec![written.into_iter().flatten().collect()];
    }
    let pairs = written.iter().zip(&held);
    let kinds = pairs.flat_map(|(written, held)| written.difference(held).map(|(kind, _)| *kind));
    let kinds: BTreeSet<&str> = kinds.collect();
    kinds.into_iter().collect()
}

fn contents(tree: &GameTree) -> Contents {
    let mut contents = Contents::from([("sizes of boards", tree.size().to_string())]);
    // Formats may hold control characters as blanks.
    let mut add = |kind, content: String| {
        let content = content.replace(char::is_control, " ");
        contents.insert((kind, content.trim_end().to_owned()));
    };
    tree.rule.iter().for_each(|rule| add("rules", rule.to_string()));
    tree.outcome.iter().for_each(|outcome| add("results", outcome.to_string()));
    let code = tree.psq_code.filter(|_| tree.outcome.is_none());
    code.iter().for_each(|code| add("results", code.to_string()));
    let named = tree.players.iter().filter(|name| !name.is_empty());
    named.for_each(|name| add("names of players", name.clone()));
    if tree.preorder().count() > tree.main_line().count() {
        add("variations", String::new());
    }
    for id in tree.preorder() {
        let time = tree.time(id);
        if let Some(Step::Stone(_, c)) = tree.step(id)
            && !time.is_zero()
        {
            add("times of moves", format!("{c} {time:?}"));
        }
        if let Some(Step::Pass(_)) = tree.step(id) {
            add("passes", String::new());
        }
        let cells = tree.setup(id).into_iter().flat_map(|setup| &setup.cells);
        cells.for_each(|(c, color)| add("set-up stones", format!("{c} {color:?}")));
        let Some(notes) = tree.notes(id) else { continue };
        let lines = notes.comment.lines().filter(|line| !line.is_empty());
        lines.for_each(|line| add("comments", line.to_owned()));
        notes.labels.iter().for_each(|(c, text)| add("labels", format!("{c} {text}")));
        notes.marks.iter().for_each(|(c, mark)| add("marks", format!("{c} {mark:?}")));
        notes.quality.iter().for_each(|quality| add("judgements of moves", format!("{quality:?}")));
        if notes.is_bookmark {
            add("bookmarks", String::new());
        }
        for (name, values) in &notes.properties {
            match name.as_str() {
                "RU" if tree.rule.is_some() => {}
                "RE" if tree.outcome.is_some() => {}
                "5A" => add("fifth moves", values.concat()),
                _ => add("other properties of SGF", name.clone()),
            }
        }
    }
    contents
}

/// Reads the games of a file of any format. An error means that the file cannot be read; each game
/// reports what is wrong with itself.
pub fn load(path: &Path, options: impl Into<ReadOptions>) -> io::Result<Vec<ParsedGame>> {
    let bytes = fs::read(path).map_err(|error| file_error(path, error.kind(), error))?;
    parse_file(path, &bytes, options.into())
}

/// Reads the bytes of a file of this name as [`load`] does. They may be empty, or neither a text nor
/// a library.
pub fn parse_file(path: &Path, bytes: &[u8], options: ReadOptions) -> io::Result<Vec<ParsedGame>> {
    if Format::is_library(path, bytes) {
        let unreadable = |error| {
            ParsedGame::of_line(1, Editor::new(GameTree::new(renlib::SIZE)), Some(error), vec![])
        };
        let library = renlib::parse(bytes, options.encoding).unwrap_or_else(unreadable);
        return Ok(vec![library.counted(Rows::Top, options.rows)]);
    }
    let text = decoded_text(bytes, options.encoding);
    let invalid = |words| file_error(path, io::ErrorKind::InvalidData, words);
    let (text, warning) = text.ok_or_else(|| invalid("the file is not a text"))?;
    if text.trim().is_empty() {
        return Err(invalid("the file is empty"));
    }
    let mut games = parse(&text, options);
    games[0].warnings.extend(warning);
    Ok(games)
}

/// Reads the games of a text of any format, of which there is at least a faulty one.
pub fn parse(text: &str, options: impl Into<ReadOptions>) -> Vec<ParsedGame> {
    let ReadOptions { size, rows, .. } = options.into();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let unreadable = |kind| vec![ParsedGame::unreadable(1, size, kind)];
    let start = text.trim_start();
    let games = match TEXT_FORMATS.iter().find(|(begins, ..)| begins(start, size)) {
        Some((_, parse, from)) => {
            parse(text, size).into_iter().map(|game| game.counted(*from, rows)).collect()
        }
        None if start.starts_with(['<', '{']) => unreadable(ParseErrorKind::Format),
        None => moves::parse(text, size, rows),
    };
    if games.is_empty() { unreadable(Words("there is no game in it".into())) } else { games }
}

fn file_error(path: &Path, kind: io::ErrorKind, words: impl Display) -> io::Error {
    io::Error::new(kind, format!("{}: {words}", path.display()))
}

/// Writes a game to a file, in the format that the end of its name stands for. After an error a file
/// that was there is as it was; [`io::ErrorKind::AlreadyExists`] if it must not be overwritten.
pub fn save(tree: &GameTree, path: &Path, overwrites: bool) -> io::Result<()> {
    let invalid = |words: String| file_error(path, io::ErrorKind::InvalidInput, words);
    let format = Format::of_name(path);
    let format = format
        .ok_or_else(|| invalid(format!("a file to save to ends with {}", Format::EXTENSIONS)))?;
    let bytes = format.write(tree).map_err(invalid)?;
    let write = |mut file: File| file.write_all(&bytes);
    let written = if overwrites {
        write_atomically(path, write)
    } else {
        File::create_new(path)
            .and_then(|file| write(file).inspect_err(|_| _ = fs::remove_file(path)))
    };
    written.map_err(|error| file_error(path, error.kind(), error))
}
