use std::fmt::Display;

use super::super::Outcome;
use super::super::tree::{END_NAME, GameTree, NodeId, Notes, Setup, Step};
use super::{MARKS, QUALITIES};
use crate::types::{Color, Coord, Rule};

/// Nodes without notes in one line of a file.
const NODES_A_LINE: usize = 10;

pub fn write(tree: &GameTree) -> String {
    let mut text = String::new();
    // The first nodes of sequences, the next one last; `None` closes those of a variation.
    let mut pending = vec![Some(tree.root())];
    while let Some(next) = pending.pop() {
        let Some(first) = next else {
            text.push(')');
            continue;
        };
        text += if first == tree.root() { "(" } else { "\n(" };
        let mut id = first;
        let mut in_line = 0;
        loop {
            let is_noted = tree.notes(id).is_some_and(|notes| !notes.is_empty());
            if id != first && (in_line == 0 || is_noted) {
                text.push('\n');
                in_line = 0;
            }
            node(&mut text, tree, id);
            // A line ends after the root, and after notes.
            in_line = if id == tree.root() || is_noted { 0 } else { (in_line + 1) % NODES_A_LINE };
            let mut children: Vec<NodeId> = tree.children(id).collect();
            let has_end_mark = tree.has_end_mark(id);
            if let [only] = children[..]
                && !has_end_mark
            {
                id = only;
                continue;
            }
            if has_end_mark {
                text += &format!("\n(;N[{END_NAME}])");
            }
            children.reverse();
            pending.push(None);
            pending.extend(children.into_iter().map(Some));
            break;
        }
    }
    text + "\n"
}

fn node(text: &mut String, tree: &GameTree, id: NodeId) {
    text.push(';');
    if id == tree.root() {
        write_root(text, tree);
    }
    match tree.step(id) {
        Some(Step::Stone(color, c)) => property(text, letter(color), [point(c)]),
        Some(Step::Pass(color)) => property(text, letter(color), [""]),
        None => {}
    }
    if let Some(setup) = tree.setup(id) {
        write_setup(text, setup);
    }
    if let Some(notes) = tree.notes(id) {
        write_notes(text, notes);
    }
}

fn write_root(text: &mut String, tree: &GameTree) {
    *text += concat!("FF[4]GM[4]CA[UTF-8]AP[Tengen:", env!("CARGO_PKG_VERSION"), "]");
    let (width, height) = (tree.size().width(), tree.size().height());
    let is_square = width == height;
    property(text, "SZ", [if is_square { width.to_string() } else { format!("{width}:{height}") }]);
    // The file that was read may say more, in any node.
    let is_kept = |name: &str| {
        let mut notes = tree.preorder().filter_map(|id| tree.notes(id));
        notes.any(|notes| notes.properties.iter().any(|(kept, _)| kept == name))
    };
    property(text, "RU", tree.rule.filter(|_| !is_kept("RU")).map(Rule::name));
    for (name, player) in ["PB", "PW"].into_iter().zip(&tree.players) {
        property(text, name, Some(simple(player)).filter(|player| !player.is_empty()));
    }
    let outcome = tree.outcome.filter(|_| !is_kept("RE"));
    let result = outcome.map(|outcome| match outcome {
        Outcome::Won(color) => format!("{}+", letter(color)),
        Outcome::Drawn => "0".to_owned(),
    });
    property(text, "RE", result);
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
        property(text, name(run[0].1), run.iter().map(|&(c, _)| point(c)));
    }
    property(text, "PL", setup.to_move.map(letter));
}

fn write_notes(text: &mut String, notes: &Notes) {
    for (_, name, degree) in QUALITIES.into_iter().filter(|(own, ..)| notes.quality == Some(*own)) {
        property(text, name, [degree]);
    }
    property(text, "HO", notes.is_bookmark.then_some("1"));
    let label = |(c, label): &(Coord, String)| {
        format!("{}:{}", point(*c), simple(label).replace(':', "\\:"))
    };
    property(text, "LB", notes.labels.iter().map(label));
    for (mark, name) in MARKS {
        let cells = notes.marks.iter().filter(|(_, other)| *other == mark);
        property(text, name, cells.map(|&(c, _)| point(c)));
    }
    for (name, values) in &notes.properties {
        property(text, name, values);
    }
    let comment = Some(&notes.comment).filter(|comment| !comment.is_empty());
    property(text, "C", comment.map(|text| escaped(text, |c| c.is_control() && c != '\n')));
}

/// Writes a property, if it has values.
fn property(text: &mut String, name: &str, values: impl IntoIterator<Item = impl Display>) {
    for (i, value) in values.into_iter().enumerate() {
        let name = if i == 0 { name } else { "" };
        *text += &format!("{name}[{value}]");
    }
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
    text.replace(is_blank, " ").replace('\\', "\\\\").replace(']', "\\]")
}
