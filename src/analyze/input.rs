//! From arguments to queries: the positions of files, of arguments and of standard input.
//!
//! Knows formats by `record` only, and nothing of searches.

use std::io::{IsTerminal, Read, stdin};
use std::path::Path;

use super::Options;
use crate::record::{self, Entry, Record};
use crate::types::Rule;

/// Which positions of a game are analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The one after the last move.
    Last,
    /// The one after this many moves, or after the last of a shorter game.
    After(usize),
    /// All, from the first to the last.
    Every,
}

/// A position to analyse, and where it comes from.
pub(super) struct Query {
    /// The file it comes from, or what it was typed as.
    pub source: String,
    /// Its line in the file, or that in which its game begins.
    pub line: usize,
    /// The game up to it.
    pub record: Record,
    /// The rule.
    pub rule: Rule,
}

/// Returns the positions of all inputs in order, and what is wrong with the rest.
pub(super) fn read(options: &Options) -> (Vec<Query>, Vec<String>) {
    let mut reader = Reader { options, queries: Vec::new(), faults: Vec::new() };
    if options.inputs.is_empty() {
        if stdin().is_terminal() {
            eprintln!("Type positions such as h8i9h10, one a line, and end with Ctrl-D.");
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
        match typed.filter(|entries| entries.iter().any(|entry| entry.record.is_ok())) {
            Some(entries) => reader.take(&source, entries),
            None => match record::load(path, options.size) {
                Ok(entries) => reader.take(&source, entries),
                Err(error) => reader.faults.push(error.to_string()),
            },
        }
    }
    (reader.queries, reader.faults)
}

struct Reader<'a> {
    options: &'a Options,
    queries: Vec<Query>,
    faults: Vec<String>,
}

impl Reader<'_> {
    fn read_stdin(&mut self) {
        let mut bytes = Vec::new();
        if let Err(error) = stdin().lock().read_to_end(&mut bytes) {
            self.faults.push(format!("standard input: {error}"));
        }
        let entries = record::parse(&String::from_utf8_lossy(&bytes), self.options.size);
        self.take("-", entries);
    }

    /// Takes over the selected positions of each game.
    fn take(&mut self, source: &str, entries: Vec<Entry>) {
        for Entry { line, record } in entries {
            let record = match record {
                Ok(record) => record,
                Err(error) => {
                    self.faults.push(format!("{source}: {error}"));
                    continue;
                }
            };
            let moves = record.moves().len();
            let numbers = match self.options.selection {
                Selection::Last => moves..=moves,
                Selection::After(number) => number.min(moves)..=number.min(moves),
                Selection::Every => 0..=moves,
            };
            self.queries.extend(numbers.map(|number| Query {
                source: source.to_owned(),
                line,
                record: record.after(number),
                rule: record.rule.unwrap_or(self.options.rule),
            }));
        }
    }
}
