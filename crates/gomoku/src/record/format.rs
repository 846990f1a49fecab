//! The formats of files with games: their names, what they hold, how they are found and written.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use super::tree::GameTree;
use super::{json, moves, playok, psq, renlib, sgf};
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
pub struct Traits {
    /// The name.
    pub name: &'static str,
    /// What names of files that are written may end with; none if none are.
    pub extensions: &'static [&'static str],
    /// The media type.
    pub media_type: &'static str,
    /// What is kept beside the moves, in words.
    pub holds: &'static str,
}

impl Format {
    /// All formats, in the order in which they are listed.
    pub const ALL: [Format; 6] =
        [Format::Psq, Format::Sgf, Format::Library, Format::PlayOk, Format::Moves, Format::Json];

    /// Returns the format's row in the table of formats.
    pub const fn traits(self) -> Traits {
        const TEXT: &str = "text/plain; charset=utf-8";
        match self {
            Format::Psq => Traits {
                name: "Piskvork",
                extensions: &["psq"],
                media_type: TEXT,
                holds: "several games, size, players, times, result, rule",
            },
            Format::Sgf => Traits {
                name: "SGF",
                extensions: &["sgf"],
                media_type: "application/x-go-sgf",
                holds: "several games, size, players, result, rule, set-up stones, variations, \
                        comments, labels, marks, fifth moves",
            },
            Format::Library => Traits {
                name: "RenLib",
                extensions: &["lib"],
                media_type: "application/octet-stream",
                holds: "rule, variations, comments, labels, bookmarks",
            },
            Format::PlayOk => Traits {
                name: "PlayOK",
                extensions: &[],
                media_type: TEXT,
                holds: "several games, size, players",
            },
            Format::Moves => Traits {
                name: "moves",
                extensions: &["txt"],
                media_type: TEXT,
                holds: "several games",
            },
            Format::Json => Traits {
                name: "JSON",
                extensions: &["json"],
                media_type: "application/json",
                holds: "several games, and all of the above",
            },
        }
    }

    /// Returns the extensions of all formats that are written, such as `.psq or .sgf`.
    pub fn all_extensions() -> String {
        let names = Format::ALL.iter().flat_map(|format| format.traits().extensions);
        let names: Vec<String> = names.map(|name| format!(".{name}")).collect();
        match names.split_last() {
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        }
    }

    /// Returns the format of files that are written under this name.
    pub fn of_name(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_ascii_lowercase();
        let has_name =
            |format: &Format| format.traits().extensions.iter().any(|name| extension == **name);
        Format::ALL.into_iter().find(has_name)
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
    ///
    /// # Errors
    ///
    /// If the format cannot hold the moves of a game.
    pub fn write_all(self, trees: &[&GameTree]) -> Result<Vec<u8>, Unwritable> {
        match (self, trees) {
            (Format::Library, [_, _, ..]) => self.write(&renlib::merged(trees)),
            _ => trees
                .iter()
                .map(|tree| self.write(tree))
                .collect::<Result<Vec<_>, _>>()
                .map(|files| files.concat()),
        }
    }

    /// Returns the file of a tree. What the format does not [hold](Traits::holds) is left out.
    ///
    /// # Errors
    ///
    /// If the format cannot hold the moves.
    pub fn write(self, tree: &GameTree) -> Result<Vec<u8>, Unwritable> {
        let tree = match self {
            Format::Moves => Cow::Borrowed(tree),
            Format::Psq | Format::Sgf | Format::Library | Format::PlayOk => {
                tree.counted_from(Rows::Top)
            }
            Format::Json => tree.counted_from(Rows::Bottom),
        };
        let record = || tree.record(tree.end());
        match self {
            Format::Psq => psq::write(&record()).map(String::into_bytes).ok_or(Unwritable::Turns),
            Format::Sgf => Ok(tree.to_sgf().into_bytes()),
            Format::Library => renlib::write(&tree),
            Format::PlayOk => Err(Unwritable::Format),
            Format::Moves => {
                let text = record().to_pos().ok_or(Unwritable::Turns)?;
                Ok((text + "\n").into_bytes())
            }
            Format::Json => Ok(json::write(&tree).into_bytes()),
        }
    }
}

/// Why a tree cannot be written in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words that are shown say it")]
pub enum Unwritable {
    Size(BoardSize),
    Setup,
    Turns,
    Format,
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Size(size) => {
                write!(f, "RenLib has boards of 15x15 only, and this one is {size}")
            }
            Self::Setup => f.write_str("RenLib has no stones that were not played"),
            Self::Turns => f.write_str(
                "black and white do not take turns, which .sgf and .json alone can hold",
            ),
            Self::Format => f.write_str("games of this format are read alone"),
        }
    }
}

impl std::error::Error for Unwritable {}
