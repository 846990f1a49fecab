//! The formats of files with games: their names, what they hold, how they are found and written.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use super::tree::{GameTree, Step};
use super::{ReadOptions, json, moves, parse_file, playok, psq, renlib, sgf};
use crate::types::{BoardSize, Rows};

/// A format of files with games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Piskvork's file of a game.
    Psq,
    /// The Smart Game Format.
    Sgf,
    /// RenLib's library.
    Library,
    /// Texts of PlayOK, which are read alone.
    PlayOk,
    /// Lines of moves, such as `h8i9h10`.
    Moves,
    /// Trees as JSON.
    Json,
}

/// What is known of a format.
#[derive(Clone, Copy)]
pub struct Traits {
    /// The name.
    pub name: &'static str,
    /// What names of files that are written end with; `None` if none are.
    pub extension: Option<&'static str>,
    /// The media type.
    pub media_type: &'static str,
    /// What is kept beside the moves, in words.
    pub holds: &'static str,
}

const TEXT: &str = "text/plain; charset=utf-8";
const ROWS: [(&str, Option<&str>, &str, &str); 6] = [
    ("Piskvork", Some("psq"), TEXT, "several games, size, players, times, result, rule"),
    (
        "SGF",
        Some("sgf"),
        "application/x-go-sgf",
        "several games, size, players, result, rule, set-up stones, variations, comments, labels, \
         marks, fifth moves",
    ),
    (
        "RenLib",
        Some("lib"),
        "application/octet-stream",
        "rule, variations, comments, labels, bookmarks",
    ),
    ("PlayOK", None, TEXT, "several games, size, players"),
    ("moves", Some("txt"), TEXT, "several games"),
    ("JSON", Some("json"), "application/json", "several games, and all of the above"),
];

impl Format {
    /// All formats, in the order in which they are listed.
    pub const ALL: [Format; 6] =
        [Format::Psq, Format::Sgf, Format::Library, Format::PlayOk, Format::Moves, Format::Json];

    /// The extensions of all formats that are written, in words.
    pub const EXTENSIONS: &str = ".psq, .sgf, .lib, .txt or .json";

    /// Returns the format's row in the table of formats.
    pub fn traits(self) -> Traits {
        let (name, extension, media_type, holds) = ROWS[self as usize];
        Traits { name, extension, media_type, holds }
    }

    /// Returns the format of files that are written under this name.
    pub fn of_name(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Format::ALL.into_iter().find(|format| format.traits().extension == Some(extension.as_str()))
    }

    /// Returns true if a file of this name with these bytes is meant as a library. The name counts,
    /// since the oldest libraries have no header.
    pub fn is_library(path: &Path, bytes: &[u8]) -> bool {
        Format::of_name(path) == Some(Format::Library) || bytes.starts_with(&renlib::MAGIC)
    }

    /// Returns the format of a text; `size` is the board of games that name none. SGF may have other
    /// text before its first game.
    pub fn of_text(text: &str, size: BoardSize) -> Option<Format> {
        let start = text.trim_start();
        if start.starts_with(psq::MAGIC) {
            Some(Format::Psq)
        } else if start.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with('"')) {
            Some(Format::Json)
        } else if start.starts_with('(') && !moves::begins_list(start)
            || sgf::holds_game(start) && !moves::begins_with_game(start, size)
        {
            Some(Format::Sgf)
        } else if playok::is_text(start) {
            Some(Format::PlayOk)
        } else if start.starts_with(['<', '{']) {
            None
        } else {
            Some(Format::Moves)
        }
    }

    /// Returns the file of games as [`write`](Format::write) does; a library has them in one tree.
    pub fn write_all(self, trees: &[&GameTree]) -> Result<Vec<u8>, Unwritable> {
        if self == Format::Library && trees.len() > 1 {
            return self.write(&renlib::merged(trees));
        }
        let files: Result<Vec<_>, _> = trees.iter().map(|tree| self.write(tree)).collect();
        Ok(files?.concat())
    }

    /// Returns the file of a tree, or why it cannot hold the moves. What the format does not
    /// [hold](Traits::holds) is left out.
    pub fn write(self, tree: &GameTree) -> Result<Vec<u8>, Unwritable> {
        let tree = tree.counted_from(match self {
            Format::Moves => tree.rows,
            Format::Json => Rows::Bottom,
            Format::Psq | Format::Sgf | Format::Library | Format::PlayOk => Rows::Top,
        });
        let record = || tree.record(tree.end());
        match self {
            Format::Psq => psq::write(&record()).map(String::into_bytes).ok_or(Unwritable::TURNS),
            Format::Sgf => Ok(sgf::write(&tree).into_bytes()),
            Format::Library => renlib::write(&tree),
            Format::PlayOk => Err(Unwritable("games of this format are read alone".into())),
            Format::Moves => {
                record().to_pos().map(|text| (text + "\n").into_bytes()).ok_or(Unwritable::TURNS)
            }
            Format::Json => Ok(json::write(&tree).into_bytes()),
        }
    }
}

/// Why a tree cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritable(pub(super) Cow<'static, str>);

impl Unwritable {
    pub(super) const TURNS: Unwritable = Unwritable(Cow::Borrowed(
        "black and white do not take turns, which .sgf and .json alone can hold",
    ));
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unwritable {}

/// Kinds of contents in words, with each content.
type Contents = BTreeSet<(&'static str, String)>;

/// Returns in words what the file of this name with these bytes does not hold of the games that were
/// written to it.
pub fn lost(trees: &[&GameTree], path: &Path, file: &[u8]) -> Vec<&'static str> {
    let rows = trees.first().map(|tree| tree.rows).unwrap_or_default();
    let options = ReadOptions { rows, ..renlib::board_size().into() };
    let read = parse_file(path, file, options).unwrap_or_default();
    let held: Contents = read.iter().flat_map(|game| contents(&game.tree)).collect();
    let written: Contents = trees.iter().flat_map(|tree| contents(tree)).collect();
    let mut kinds: Vec<&str> = written.difference(&held).map(|(kind, _)| *kind).collect();
    kinds.dedup();
    kinds
}

fn contents(tree: &GameTree) -> Contents {
    let mut contents = Contents::from([("sizes of boards", tree.size().to_string())]);
    let mut add = |kind, content| _ = contents.insert((kind, content));
    tree.rule.iter().for_each(|rule| add("rules", rule.to_string()));
    tree.outcome.iter().for_each(|outcome| add("results", outcome.to_string()));
    let named = tree.players.iter().filter(|name| !name.is_empty());
    named.for_each(|name| add("names of players", name.clone()));
    if tree.len() > tree.main_line().count() {
        add("variations", String::new());
    }
    for id in tree.preorder() {
        let time = tree.time(id);
        if let Some(Step::Stone(_, c)) = tree.step(id)
            && !time.is_zero()
        {
            add("times of moves", format!("{c} {time:?}"));
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
