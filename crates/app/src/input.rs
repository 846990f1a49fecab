//! The games of files, of arguments and of standard input.

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, IsTerminal, Read, stdin};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{bail, ensure};
use clap::Args;
use encoding_rs::Encoding;
use tengen::closed_output::note;
use tengen::output_file::OutputFile;
use tengen_gomoku::record::tree::{GameTree, NodeId, Step};
use tengen_gomoku::record::{self, ParsedGame, ReadOptions, warnings_in_words};
use tengen_gomoku::types::{BoardSize, Rows, Rule};

use crate::typed;

/// How games are read.
#[derive(Clone, Debug, Args)]
pub(crate) struct Reading {
    /// freestyle, standard, renju, caro or caro-exact, whatever a game names [default: what it
    /// names, or renju for libraries of RenLib, else freestyle]
    #[arg(long, value_name = "RULE", value_parser = typed::rule(), ignore_case = true, hide_possible_values = true)]
    pub rule: Option<Rule>,
    /// The board, such as 15 or 20x15, where a game names none
    #[arg(long, value_name = "SIZE", default_value = "15")]
    pub size: BoardSize,
    /// The encoding of texts, such as GBK, whatever a file names
    #[arg(long, value_name = "NAME", value_parser = typed::encoding)]
    pub encoding: Option<&'static Encoding>,
    /// The side from which rows are numbered: bottom or top
    #[arg(long, value_name = "SIDE", default_value = typed::ROWS,
        value_parser = typed::one_of::<Rows>(["bottom", "top"]), hide_possible_values = true)]
    pub rows: Rows,
}

impl Reading {
    pub fn options(&self) -> ReadOptions {
        ReadOptions { size: self.size, encoding: self.encoding, rows: self.rows }
    }
}

/// A game or a line of a file, with its variations.
pub(crate) struct SourceGame {
    /// The file it comes from, or what it was typed as.
    pub source: String,
    pub line: usize,
    /// All of it that could be read.
    pub tree: Arc<GameTree>,
    /// The nodes of its main line, as far as that could be read.
    pub main_line: Vec<NodeId>,
    pub rule: Rule,
    /// The rule of games of the format that name none.
    pub default_rule: Option<Rule>,
    /// The main line goes on after what could be read.
    pub is_broken: bool,
}

impl SourceGame {
    pub fn place(&self) -> String {
        let SourceGame { source, line, .. } = self;
        if source == "-" { format!("line {line}") } else { format!("{source}, line {line}") }
    }

    /// Returns the last node of the main line with so many moves, or the last one of a shorter game;
    /// `None` if that goes on after what could be read.
    pub fn after(&self, moves: usize) -> Option<NodeId> {
        let is_stone =
            |&i: &usize| matches!(self.tree.step(self.main_line[i]), Some(Step::Stone(..)));
        let stones: Vec<usize> = (0..self.main_line.len()).filter(is_stone).collect();
        let next = stones.get(moves).copied().unwrap_or(self.main_line.len());
        let is_known = !self.is_broken || moves <= stones.len();
        // The root comes first.
        is_known.then(|| self.main_line[next - 1])
    }
}

#[derive(Default)]
pub(crate) struct Inputs {
    pub games: Vec<Arc<SourceGame>>,
    /// What was read otherwise than it stands in a file, in words.
    warnings: Vec<String>,
    /// What could not be read, in words.
    pub faults: Vec<String>,
    /// The files in which something could not be read.
    faulty_files: Vec<PathBuf>,
}

/// Returns true for a text that is a position, perhaps with a mistake, rather than the name of a
/// file.
fn looks_like_position(text: &str) -> bool {
    let text = text.trim_start();
    let is_pos = |c: char| c.is_ascii_alphanumeric() || c.is_whitespace() || ",;-+_|".contains(c);
    let starts_with_point = matches!(text.as_bytes(), [b'a'..=b'z' | b'A'..=b'Z', b'0'..=b'9', ..]);
    let starts_with_offset =
        text.contains(',') && text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    text.starts_with('(') || text.chars().all(is_pos) && (starts_with_point || starts_with_offset)
}

const STDIN: &str = "standard input";

impl Inputs {
    /// Reads files, or positions themselves; `-` is standard input, which is read if there are none.
    pub fn read(reading: &Reading, inputs: &[OsString]) -> Inputs {
        let mut found = Inputs::default();
        if inputs.is_empty() {
            if stdin().is_terminal() {
                let end = if cfg!(windows) { "Ctrl-Z and Enter" } else { "Ctrl-D" };
                note(format_args!(
                    "Type positions such as h8i9h10, one a line, and end with {end}."
                ));
            }
            found.read_stdin(reading);
        }
        for input in inputs {
            let path = Path::new(input);
            if input == "-" {
                found.read_stdin(reading);
                continue;
            }
            let source = path.display().to_string();
            let typed = input.to_str().filter(|_| !path.exists());
            let typed = typed.map(|text| record::parse(text, reading.options()));
            let is_meant = |games: &Vec<ParsedGame>| {
                looks_like_position(&source) || games.iter().any(|game| game.faults.is_empty())
            };
            let typed = typed.filter(is_meant);
            let faults_before = found.faults.len();
            let games = typed.map_or_else(|| record::load(path, reading.options()), Ok);
            found.take(reading, &source, games);
            if found.faults.len() > faults_before {
                found.faulty_files.push(path.to_owned());
            }
        }
        found
    }

    /// Prints warnings and faults; an error if an output would delete the faulty part of its own
    /// input.
    pub fn tell(&self, outputs: &[&OutputFile]) -> anyhow::Result<()> {
        tell(&self.warnings, &self.faults);
        for file in outputs {
            let is_faulty = self.faulty_files.iter().any(|path| file.is_at(path));
            ensure!(!is_faulty, "{file} is not replaced, since not all of it could be read");
        }
        Ok(())
    }

    pub fn fail(&mut self, why: impl Display) {
        self.faults.push(why.to_string());
    }

    fn read_stdin(&mut self, reading: &Reading) {
        let mut bytes = Vec::new();
        if let Err(error) = stdin().lock().read_to_end(&mut bytes) {
            self.fail(format_args!("{STDIN}: {error}"));
        }
        if bytes.trim_ascii().is_empty() {
            return;
        }
        let games = record::parse_file(Path::new(STDIN), &bytes, reading.options());
        self.take(reading, "-", games);
    }

    fn take(&mut self, reading: &Reading, source: &str, games: io::Result<Vec<ParsedGame>>) {
        let games = match games {
            Ok(games) => games,
            Err(error) => return self.fail(error),
        };
        let words = warnings_in_words(&games, reading.rule, Rule::Freestyle);
        self.warnings.extend(words.into_iter().map(|words| format!("{source}: {words}")));
        for game in games {
            let rule = game.rule(reading.rule, Rule::Freestyle);
            let ParsedGame { line, mut tree, faults, default_rule, .. } = game;
            let end = tree.end();
            for fault in &faults {
                let is_partly_read = fault.breaks_main_line && end != tree.root();
                let rest = if is_partly_read { "; what is before it is read" } else { "" };
                self.fail(format_args!("{source}: {fault}{rest}"));
            }
            let is_broken = faults.iter().any(|fault| fault.breaks_main_line);
            // Nothing of the game is whole.
            if is_broken && end == tree.root() {
                continue;
            }
            reading.rule.into_iter().for_each(|rule| tree.override_rule(rule));
            let main_line = tree.path(end);
            let (source, tree) = (source.to_owned(), Arc::new(tree));
            let game = SourceGame { source, line, tree, main_line, rule, default_rule, is_broken };
            self.games.push(Arc::new(game));
        }
    }
}

/// Prints what was read otherwise, and what could not be read.
pub(crate) fn tell(warnings: &[String], faults: &[String]) {
    warnings.iter().for_each(|warning| note(format_args!("tengen: warning: {warning}")));
    faults.iter().for_each(|fault| note(format_args!("tengen: {fault}")));
}

/// Returns the error of so many parts of the inputs that could not be read.
pub(crate) fn check_whole(faults: usize) -> anyhow::Result<()> {
    match faults {
        0 => Ok(()),
        1 => bail!("one part of the input could not be read"),
        count => bail!("{count} parts of the input could not be read"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_with_mistakes_are_no_files() {
        for text in ["h8,i9", "h8i99", "h8 i9 zz", "H8-I9", "0,0, 1", "-1,2, x,3", "(;B[hh]"] {
            assert!(looks_like_position(text), "{text}");
        }
        for text in ["game.sgf", "games/h8", "h8i9.txt", "missing", "2024", "-x", "C:\\h8", ""] {
            assert!(!looks_like_position(text), "{text}");
        }
    }
}
