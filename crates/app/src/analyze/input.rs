//! From arguments to queries: the positions of files, of arguments and of standard input.

use std::fmt::Display;
use std::io::{IsTerminal, Read, Write, stderr, stdin};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tengen_gomoku::record::tree::{GameTree, NodeId, Step};
use tengen_gomoku::record::{
    self, ParsedGame, ReadOptions, Record, first_of_each_kind, overridden,
};
use tengen_gomoku::types::Rule;

use super::Options;
use tengen_session::review::Review;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The one after the last move.
    Last,
    /// The one after this many moves, or after the last of a shorter game.
    After(usize),
    /// All, from the first to the last.
    Every,
    /// All, those of variations as well.
    Variations,
}

/// A game or a line of a file, with its variations.
pub(super) struct SourceGame {
    /// The file it comes from, or what it was typed as.
    pub source: String,
    pub line: usize,
    /// All of it that could be read.
    pub tree: Arc<GameTree>,
    /// The nodes of its main line, as far as that could be read.
    pub main_line: Vec<NodeId>,
    pub rule: Rule,
}

impl SourceGame {
    pub fn place(&self) -> String {
        let SourceGame { source, line, .. } = self;
        if source == "-" { format!("line {line}") } else { format!("{source}, line {line}") }
    }

    /// Returns the review of the game before anything is found.
    pub fn review(&self) -> Review {
        Review::new(Arc::clone(&self.tree), self.main_line.clone(), self.rule)
    }

    /// Returns the number of stones that are played on the main line.
    pub fn moves(&self) -> usize {
        self.main_line.iter().filter(|&&node| self.is_stone(node)).count()
    }

    /// Returns the last node of the main line with so many moves, or the last one of a shorter
    /// game.
    pub fn after(&self, moves: usize) -> NodeId {
        let mut left = moves;
        let within = self.main_line.iter().take_while(|&&node| {
            let is_stone = self.is_stone(node);
            let is_within = !is_stone || left > 0;
            left -= usize::from(is_stone && left > 0);
            is_within
        });
        within.last().copied().unwrap_or(self.tree.root())
    }

    fn is_stone(&self, node: NodeId) -> bool {
        matches!(self.tree.step(node), Some(Step::Stone(..)))
    }
}

#[derive(Clone)]
pub(super) struct Query {
    pub game: Arc<SourceGame>,
    pub node: NodeId,
}

impl Query {
    pub fn record(&self) -> Record {
        self.game.tree.record(self.node)
    }

    pub fn is_variation(&self) -> bool {
        // Parents have smaller numbers than their children.
        self.game.main_line.binary_search(&self.node).is_err()
    }
}

#[derive(Default)]
pub(super) struct Inputs {
    pub queries: Vec<Query>,
    /// What was read otherwise than it stands in a file, in words.
    pub warnings: Vec<String>,
    /// What could not be read, in words.
    pub faults: Vec<String>,
    /// The files in which something could not be read.
    pub faulty_files: Vec<PathBuf>,
}

pub(super) fn read(options: &Options) -> Inputs {
    let mut reader = Reader { options, found: Inputs::default() };
    if options.inputs.is_empty() {
        if stdin().is_terminal() {
            // Nobody may be left to read it.
            let _ = writeln!(
                stderr(),
                "Type positions such as h8i9h10, one a line, and end with Ctrl-D."
            );
        }
        reader.read_stdin();
    }
    for input in &options.inputs {
        let path = Path::new(input);
        if input == "-" {
            reader.read_stdin();
            continue;
        }
        let source = path.display().to_string();
        let typed = input.to_str().filter(|_| !path.exists());
        let typed = typed.map(|text| record::parse(text, options.size));
        let is_meant = |entries: &Vec<ParsedGame>| {
            looks_like_position(&source) || entries.iter().any(|entry| entry.faults.is_empty())
        };
        let faults_before = reader.found.faults.len();
        match typed.filter(is_meant) {
            Some(entries) => reader.take(&source, entries),
            None => match record::load(path, reader.reading()) {
                Ok(entries) => reader.take(&source, entries),
                Err(error) => reader.fail(error),
            },
        }
        if reader.found.faults.len() > faults_before {
            reader.found.faulty_files.push(path.to_owned());
        }
    }
    reader.found
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

struct Reader<'a> {
    options: &'a Options,
    found: Inputs,
}

impl Reader<'_> {
    fn reading(&self) -> ReadOptions {
        ReadOptions { size: self.options.size, encoding: self.options.encoding }
    }

    fn fail(&mut self, why: impl Display) {
        self.found.faults.push(why.to_string());
    }

    fn read_stdin(&mut self) {
        let mut bytes = Vec::new();
        if let Err(error) = stdin().lock().read_to_end(&mut bytes) {
            self.fail(format_args!("{STDIN}: {error}"));
        }
        if bytes.trim_ascii().is_empty() {
            return;
        }
        match record::parse_file(Path::new(STDIN), &bytes, self.reading()) {
            Ok(entries) => self.take("-", entries),
            Err(error) => self.fail(error),
        }
    }

    /// Notes what was read otherwise than it stands in a file, once for each kind.
    fn warn(&mut self, source: &str, entries: &[ParsedGame]) {
        let asked = self.options.rule;
        let warnings = entries.iter().flat_map(|entry| {
            let rule = entry.rule(asked, Rule::Freestyle);
            entry.warnings.iter().map(move |warning| (warning, rule))
        });
        let mut words = first_of_each_kind(warnings);
        let mut rules = entries.iter().filter_map(|entry| Some((entry, entry.tree.rule?, asked?)));
        if let Some((entry, named, asked)) = rules.find(|(_, named, asked)| named != asked) {
            words.push(format!("line {}: {}", entry.line, overridden(named, asked)));
        }
        self.found.warnings.extend(words.into_iter().map(|words| format!("{source}: {words}")));
    }

    fn take(&mut self, source: &str, entries: Vec<ParsedGame>) {
        self.warn(source, &entries);
        for entry in entries {
            let rule = entry.rule(self.options.rule, Rule::Freestyle);
            let ParsedGame { line, mut tree, end, faults, .. } = entry;
            for fault in &faults {
                let is_partly_read = fault.breaks_main_line && end != tree.root();
                let rest = if is_partly_read { "; what is before it is read" } else { "" };
                self.fail(format_args!("{source}: {}{rest}", fault.error));
            }
            let is_broken = faults.iter().any(|fault| fault.breaks_main_line);
            // Nothing of the game is whole.
            if is_broken && end == tree.root() {
                continue;
            }
            if tree.rule.is_some_and(|named| named != rule) {
                tree.override_rule(rule);
            }
            let main_line = tree.path(end);
            let (source, tree) = (source.to_owned(), Arc::new(tree));
            let game = Arc::new(SourceGame { source, line, tree, main_line, rule });
            let nodes: Vec<NodeId> = match self.options.selection() {
                Selection::After(moves) if is_broken && moves > game.moves() => Vec::new(),
                Selection::Last => vec![end],
                Selection::After(moves) => vec![game.after(moves)],
                Selection::Every => game.main_line.clone(),
                Selection::Variations => game.tree.preorder().collect(),
            };
            let is_single = nodes.len() == 1;
            let nodes = nodes.into_iter().filter(|&node| is_single || game.tree.is_position(node));
            self.found.queries.extend(nodes.map(|node| Query { game: Arc::clone(&game), node }));
        }
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
