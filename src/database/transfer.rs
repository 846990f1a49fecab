//! Positions from one file into another: into the database, out of it, from database to database.
//!
//! Other files are lines of JSON, libraries of RenLib, and lines of moves.

use std::collections::HashSet;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::slice;

use anyhow::{Context, Error, bail, ensure};
use encoding_rs::{Encoding, UTF_8};
use tengen_gomoku::board::Board;
use tengen_gomoku::record::{Format, renlib, warnings_in_words};
use tengen_gomoku::types::{BoardSize, Coord, Rows, Rule};

use super::position::{PositionKey, StoredPosition};
use super::{Database, DatabaseTransaction, Mode, file, library, line, probing};
use crate::output_file::{Kind, OutputFile};

pub const LIBRARY: Kind = Kind::Game(Format::Library);
/// The cache of another database, of which each page is read once.
const OTHER_CACHE_BYTES: usize = 1 << 20;

/// Returns the file to write positions to in a form, as [`OutputFile::new`] does.
pub fn output(
    path: &Path,
    kind: Kind,
    inputs: &[impl AsRef<Path>],
    is_forced: bool,
) -> anyhow::Result<OutputFile> {
    ensure!(!file::is_store(path), "cannot write {}: this is a database", path.display());
    OutputFile::new(path, kind, inputs, is_forced)
}

pub struct Import<'a> {
    path: &'a Path,
    /// Positions that were read and are in the database.
    pub count: u64,
    /// What could not be read: the file, the place and the fault.
    pub faults: Vec<String>,
    /// What was read otherwise than it stands in the file: the file, the place and what was taken.
    pub warnings: Vec<String>,
}

impl Import<'_> {
    fn new(path: &Path) -> Import<'_> {
        Import { path, count: 0, faults: Vec::new(), warnings: Vec::new() }
    }

    fn told(&self, words: impl Display) -> String {
        format!("{}: {words}", self.path.display())
    }

    fn add_fault(&mut self, fault: impl Display) {
        self.faults.push(self.told(fault));
    }

    fn add_library(
        &mut self,
        database: &Database,
        (asked, default): (Option<Rule>, Rule),
        encoding: Option<&'static Encoding>,
    ) -> anyhow::Result<()> {
        let bytes = fs::read(self.path).with_context(|| unreadable(self.path))?;
        let game = match renlib::parse(&bytes, encoding) {
            Ok(game) => game.counted(Rows::Top, Rows::Bottom),
            Err(fault) => {
                self.add_fault(fault);
                return Ok(());
            }
        };
        let rule = asked.or(game.tree.rule).unwrap_or(default);
        let words = warnings_in_words(slice::from_ref(&game), asked, default);
        self.warnings = words.iter().map(|words| self.told(words)).collect();
        let entries = library::entries(&game.tree, rule);
        self.count = entries.len() as u64;
        probing::store(database, entries)?;
        game.faults.iter().for_each(|fault| self.add_fault(fault));
        Ok(())
    }

    fn add_lines(
        &mut self,
        writer: &mut DatabaseTransaction,
        mut input: impl BufRead,
        encoding: Option<&'static Encoding>,
    ) -> anyhow::Result<()> {
        let (mut bytes, mut number) = (Vec::new(), 0);
        while input.read_until(b'\n', &mut bytes).with_context(|| unreadable(self.path))? > 0 {
            number += 1;
            let (line, has_faults) = encoding.unwrap_or(UTF_8).decode_without_bom_handling(&bytes);
            let text = line.strip_prefix('\u{feff}').filter(|_| number == 1).unwrap_or(&line);
            if has_faults {
                self.add_fault(format_args!("line {number}: the text is in another encoding"));
            } else if !text.trim_ascii().is_empty() {
                match line::parse(text) {
                    Ok((position, entry)) => {
                        writer.merge(&position, entry)?;
                        self.count += 1;
                    }
                    Err(error) => self.add_fault(format_args!("line {number}: {error}")),
                }
            }
            ensure!(self.faults.len() < 100_000, "{}", self.told("too many faults"));
            bytes.clear();
        }
        Ok(())
    }
}

fn unreadable(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

pub fn head(path: &Path) -> anyhow::Result<Vec<u8>> {
    file::head(path).with_context(|| unreadable(path))
}

/// Adds the positions of a file to a database, or none if something fails: of another database, of
/// a library, or of lines of JSON. A library has the rule that is asked for, or that it names, or the
/// default.
pub fn import<'a>(
    database: &Database,
    path: &'a Path,
    rules: (Option<Rule>, Rule),
    encoding: Option<&'static Encoding>,
) -> anyhow::Result<Import<'a>> {
    let mut import = Import::new(path);
    if file::is_store(path) {
        import.count = merge(database, path)?;
    } else if Format::is_library(path, &head(path)?) {
        import.add_library(database, rules, encoding)?;
    } else {
        let input = BufReader::new(File::open(path).with_context(|| unreadable(path))?);
        database.update(|writer| import.add_lines(writer, input, encoding))?;
        let head = String::from_utf8_lossy(&head(path)?).into_owned();
        let is_game = ["\"players\":", "\"nodes\":"].iter().any(|key| head.contains(key));
        let is_json = head.trim_ascii_start().starts_with('{');
        if import.count == 0 && !import.faults.is_empty() && (is_game || !is_json) {
            import.faults.clear();
            let what = if is_game { "this is a game" } else { "this format is not known" };
            let expected = "a database, a library of RenLib or lines of JSON expected";
            import.add_fault(format_args!("{what}; {expected}"));
        }
    }
    Ok(import)
}

/// Adds all positions of another database to this one, or none if something fails, and returns
/// their number. The other one stays as it is.
pub fn merge(database: &Database, path: &Path) -> anyhow::Result<u64> {
    ensure!(!database.is_of(path), "{}: this is the open database", path.display());
    let other = Database::open_with(path, Mode::ReadOnly, OTHER_CACHE_BYTES)?;
    let mut count = 0;
    database.update(|writer| {
        other.read(|reader| {
            reader.for_each(None, |key, entry| {
                count += 1;
                writer.merge(&StoredPosition::of(&key.board()), entry)
            })
        })
    })?;
    Ok(count)
}

/// Adds to the database of another file, which is made if it is not there, what this one has about
/// the position on the board, those on the way to it and those after it. Returns their number. After
/// an error the other file is as it was, but an empty one may have been made.
pub fn split(database: &Database, path: &Path, board: &Board) -> anyhow::Result<u64> {
    ensure!(!database.is_of(path), "{}: this is the open database", path.display());
    let other = Database::open_with(path, Mode::Write, OTHER_CACHE_BYTES)?;
    let mut count = 0;
    let mut copy = |reader: &DatabaseTransaction, writer: &mut DatabaseTransaction| {
        let mut copy = |board: &Board| -> anyhow::Result<()> {
            let position = StoredPosition::of(board);
            let Some(entry) = reader.get(&position)? else { return Ok(()) };
            count += 1;
            writer.merge(&position, entry)
        };
        let mut before = board.clone();
        while before.last_move(0).is_some() {
            before.undo();
            copy(&before)?;
        }
        visit_after(reader, &mut board.clone(), &mut HashSet::new(), &mut copy)
    };
    database.read(|reader| other.update(|writer| copy(reader, writer)))?;
    Ok(count)
}

/// Calls `visit` with the position on the board and all positions after it to which the database
/// knows the way, each one that is not `seen` yet. The board is as before when it returns.
fn visit_after(
    reader: &DatabaseTransaction,
    board: &mut Board,
    seen: &mut HashSet<PositionKey>,
    visit: &mut impl FnMut(&Board) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    if !seen.insert(StoredPosition::of(board).key.clone()) {
        return Ok(());
    }
    visit(board)?;
    for (mv, _) in reader.children(board)? {
        board.play(mv);
        visit_after(reader, board, seen, visit)?;
        board.undo();
    }
    Ok(())
}

/// Writes the positions of a database to a file and returns a sentence about it: those of a rule
/// and a size, or all of them where nothing is named. A library needs both. If the database has
/// positions, but none of the rule and the size, that is an error.
pub fn export(
    reader: &DatabaseTransaction,
    output: &OutputFile,
    kind: Kind,
    of: Option<(Rule, BoardSize)>,
) -> anyhow::Result<String> {
    let failed = || format!("cannot write {output}");
    let others = of.map_or(Ok(0), |of| others(reader, of)).with_context(failed)?;
    let (mut count, mut left_out) = (0, 0);
    let what = match kind {
        LIBRARY => {
            let of = of.context("a library is of one rule and size");
            let (rule, size) = of.with_context(failed)?;
            let (tree, skipped) = library::tree(reader, rule, size)?;
            let bytes = Format::Library.write(&tree).map_err(Error::msg).with_context(failed)?;
            output.write(|mut file| Ok(file.write_all(&bytes)?))?;
            (count, left_out) = (tree.len() as u64, skipped);
            "nodes"
        }
        Kind::Positions | Kind::Game(Format::Moves) => {
            output.write(|file| {
                let mut out = BufWriter::new(file);
                reader.for_each(of, |key, entry| -> anyhow::Result<()> {
                    let line = match kind {
                        Kind::Positions => Some(line::json(&key, &entry)),
                        _ => key.moves().map(|moves| moves.iter().map(Coord::to_string).collect()),
                    };
                    match line {
                        Some(line) => {
                            count += 1;
                            writeln!(out, "{line}")?;
                        }
                        None => left_out += 1,
                    }
                    Ok(())
                })?;
                Ok(out.flush()?)
            })?;
            "positions"
        }
        _ => bail!("{}: positions are no game", failed()),
    };
    let mut text = format!("{count} {what} written");
    for (left_out, why) in
        [(left_out, "no play leads to them"), (others, "of other rules or sizes")]
    {
        if left_out > 0 {
            text += &format!(", {left_out} positions left out ({why})");
        }
    }
    Ok(text)
}

/// Counts the positions that will be left out; an error if there is nothing else.
fn others(reader: &DatabaseTransaction, (rule, size): (Rule, BoardSize)) -> anyhow::Result<u64> {
    let name = format!("{} on {size}", rule.name());
    let counts = reader.counts()?;
    let (of, others): (Vec<_>, Vec<_>) = counts.into_iter().partition(|(other, _)| *other == name);
    let names: Vec<&str> = others.iter().map(|(other, _)| other.as_str()).collect();
    let names = names.join(", ");
    let has_some = others.is_empty() || !of.is_empty();
    ensure!(has_some, "the database has positions of {names}, none of {name}");
    Ok(others.iter().map(|(_, count)| count).sum())
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};
    use std::{env, process};

    use super::*;

    /// A disk that cannot be read.
    struct Broken;

    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::Other.into())
        }
    }

    #[test]
    fn lines_of_which_some_cannot_be_read_change_nothing() {
        let path = env::temp_dir().join(format!("tengen-transfer-{}.db", process::id()));
        let database = Database::open(&path).unwrap();
        let line = r#"{"rule":"renju","size":"15x15","to_move":"white","black":["h8"],"white":[]}"#;
        let lines = format!("{line}\n").repeat(20_000);
        let import = |input: &mut dyn BufRead| {
            let mut import = Import::new(&path);
            let result = database.update(|writer| import.add_lines(writer, input, None));
            (result.ok().map(|()| import.count), database.count().unwrap())
        };
        let mut torn = BufReader::new(lines.as_bytes().chain(Broken));
        assert_eq!(import(&mut torn), (None, 0));
        assert_eq!(import(&mut lines.as_bytes()), (Some(20_000), 1));
        drop(database);
        fs::remove_file(&path).unwrap();
    }
}
