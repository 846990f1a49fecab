//! What games hold beside their moves, and what of it a file does not.

use std::collections::BTreeSet;
use std::path::Path;

use super::tree::{GameTree, Step};
use super::{ReadOptions, parse_file, renlib};

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
    let mut add = |kind, content: String| contents.insert((kind, content));
    let named = tree.rule.map(|rule| ("rules", rule.to_string()));
    let ended = tree.outcome.map(|outcome| ("results", outcome.to_string()));
    named.into_iter().chain(ended).for_each(|(kind, content)| _ = add(kind, content));
    for name in tree.players.iter().filter(|name| !name.is_empty()) {
        add("names of players", name.clone());
    }
    if tree.len() > tree.main_line().count() {
        add("variations", String::new());
    }
    for id in tree.preorder() {
        if let Some(Step::Stone(_, c)) = tree.step(id)
            && !tree.time(id).is_zero()
        {
            add("times of moves", format!("{c} {:?}", tree.time(id)));
        }
        for &(c, color) in tree.setup(id).iter().flat_map(|setup| &setup.cells) {
            add("set-up stones", format!("{c} {color:?}"));
        }
        let Some(notes) = tree.notes(id) else { continue };
        for line in notes.comment.lines().filter(|line| !line.is_empty()) {
            add("comments", line.to_owned());
        }
        for (c, text) in &notes.labels {
            add("labels", format!("{c} {text}"));
        }
        for (c, mark) in &notes.marks {
            add("marks", format!("{c} {mark:?}"));
        }
        if let Some(quality) = notes.quality {
            add("judgements of moves", format!("{quality:?}"));
        }
        if notes.is_bookmark {
            add("bookmarks", String::new());
        }
        for (name, values) in &notes.properties {
            match name.as_str() {
                "RU" if tree.rule.is_some() => false,
                "RE" if tree.outcome.is_some() => false,
                "5A" => add("fifth moves", values.concat()),
                _ => add("other properties of SGF", name.clone()),
            };
        }
    }
    contents
}
