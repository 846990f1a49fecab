//! Writes a game tree as SGF.

use super::super::Outcome;
use super::super::tree::{GameTree, NodeId, Notes, Setup, Step};
use super::{MARKS, QUALITIES};
use crate::types::{Color, Coord};

/// Nodes without notes in one line of a file.
const NODES_A_LINE: usize = 10;

/// What is still to be written, the next thing last.
enum Pending {
    /// The sequence of nodes that begins so.
    Sequence(NodeId),
    Close,
}

/// Returns the text of a file.
pub fn write(tree: &GameTree) -> String {
    let mut text = String::new();
    let mut pending = vec![Pending::Sequence(tree.root())];
    while let Some(next) = pending.pop() {
        let Pending::Sequence(first) = next else {
            text.push(')');
            continue;
        };
        text += if first == tree.root() { "(" } else { "\n(" };
        let mut id = first;
        let mut in_line = 0;
        loop {
            let is_noted = tree.notes(id).is_some_and(|notes| !notes.is_empty());
            let is_first = id == first;
            if !is_first && (in_line == 0 || is_noted) {
                text.push('\n');
                in_line = 0;
            }
            node(&mut text, tree, id);
            // A line ends after the root, and after notes.
            in_line = if id == tree.root() || is_noted { 0 } else { (in_line + 1) % NODES_A_LINE };
            let mut children = tree.children(id);
            match (children.next(), children.next()) {
                (None, _) => {
                    text.push(')');
                    break;
                }
                (Some(only), None) => id = only,
                _ => {
                    pending.push(Pending::Close);
                    let start = pending.len();
                    pending.extend(tree.children(id).map(Pending::Sequence));
                    pending[start..].reverse();
                    break;
                }
            }
        }
    }
    text + "\n"
}

fn node(text: &mut String, tree: &GameTree, id: NodeId) {
    text.push(';');
    if id == tree.root() {
        root(text, tree);
    }
    match tree.step(id) {
        Some(Step::Stone(color, c)) => property(text, letter(color), &point(c)),
        Some(Step::Pass(color)) => property(text, letter(color), ""),
        None => {}
    }
    if let Some(setup) = tree.setup(id) {
        write_setup(text, setup);
    }
    if let Some(notes) = tree.notes(id) {
        write_notes(text, notes);
    }
}

fn root(text: &mut String, tree: &GameTree) {
    *text += "FF[4]GM[4]CA[UTF-8]";
    property(text, "AP", concat!("Tengen:", env!("CARGO_PKG_VERSION")));
    let (width, height) = (tree.size().width(), tree.size().height());
    let is_square = width == height;
    let size = if is_square { width.to_string() } else { format!("{width}:{height}") };
    property(text, "SZ", &size);
    // The file that was read may say more, in any node.
    let is_kept = |name: &str| {
        let mut notes = tree.preorder().filter_map(|id| tree.notes(id));
        notes.any(|notes| notes.properties.iter().any(|(kept, _)| kept == name))
    };
    if let Some(rule) = tree.rule.filter(|_| !is_kept("RU")) {
        property(text, "RU", rule.name());
    }
    for (name, player) in ["PB", "PW"].into_iter().zip(&tree.players) {
        if !player.is_empty() {
            property(text, name, &simple(player));
        }
    }
    if let Some(outcome) = tree.outcome.filter(|_| !is_kept("RE")) {
        property(
            text,
            "RE",
            match outcome {
                Outcome::Won(Color::Black) => "B+",
                Outcome::Won(Color::White) => "W+",
                Outcome::Drawn => "0",
            },
        );
    }
}

fn write_setup(text: &mut String, setup: &Setup) {
    let name = |color: Option<Color>| match color {
        Some(Color::Black) => "AB",
        Some(Color::White) => "AW",
        None => "AE",
    };
    let mut cells = setup.cells.clone();
    // Each property stands once, unless the order matters.
    let mut sorted: Vec<Coord> = cells.iter().map(|&(c, _)| c).collect();
    sorted.sort_unstable();
    if sorted.windows(2).all(|pair| pair[0] != pair[1]) {
        cells.sort_by_key(|&(_, color)| name(color));
    }
    for run in cells.chunk_by(|(_, a), (_, b)| a == b) {
        *text += name(run[0].1);
        run.iter().for_each(|&(c, _)| *text += &format!("[{}]", point(c)));
    }
    if let Some(color) = setup.to_move {
        property(text, "PL", letter(color));
    }
}

fn write_notes(text: &mut String, notes: &Notes) {
    for (_, name, degree) in QUALITIES.into_iter().filter(|(own, ..)| notes.quality == Some(*own)) {
        property(text, name, degree);
    }
    if notes.is_bookmark {
        *text += "HO[1]";
    }
    if !notes.labels.is_empty() {
        *text += "LB";
        for (c, label) in &notes.labels {
            *text += &format!("[{}:{}]", point(*c), simple(label).replace(':', "\\:"));
        }
    }
    for (mark, name) in MARKS {
        let mut cells = notes.marks.iter().filter(|(_, other)| *other == mark).peekable();
        if cells.peek().is_some() {
            *text += name;
        }
        cells.for_each(|&(c, _)| *text += &format!("[{}]", point(c)));
    }
    for (name, values) in &notes.properties {
        *text += name;
        values.iter().for_each(|value| *text += &format!("[{value}]"));
    }
    if !notes.comment.is_empty() {
        property(text, "C", &escaped(&notes.comment, |c| c.is_control() && c != '\n'));
    }
}

fn property(text: &mut String, name: &str, value: &str) {
    *text += &format!("{name}[{value}]");
}

fn letter(color: Color) -> &'static str {
    if color == Color::Black { "B" } else { "W" }
}

fn point(c: Coord) -> String {
    [b'a' + c.x(), b'a' + c.y()].map(char::from).iter().collect()
}

/// Returns a text of one line as it stands in a value.
fn simple(text: &str) -> String {
    escaped(text, char::is_control)
}

/// Returns the text with its brackets escaped, and some characters as blanks.
fn escaped(text: &str, is_blank: impl Fn(char) -> bool) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if matches!(c, '\\' | ']') {
            escaped.push('\\');
        }
        escaped.push(if is_blank(c) { ' ' } else { c });
    }
    escaped
}
