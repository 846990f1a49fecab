//! Writes a library.

use super::super::Unwritable;
use super::super::tree::{Editor, GameTree, NodeId, RawText, Step};
use super::{
    HAS_COMMENT, HAS_MARK, HAS_MORE_FLAGS, HAS_NO_CHILD, HAS_SIBLING, HAS_TEXT, HEADER_BYTES,
    IS_NO_MOVE, MAGIC, RULE_LINE, SEPARATOR, VERSION, add_comment, board_size, byte_of, encoded,
};
use crate::types::{Color, Coord};

/// Returns the tree as a library, without marks on cells and SGF properties. A node without a move
/// becomes part of its parent.
pub fn write(tree: &GameTree) -> Result<Vec<u8>, Unwritable> {
    if tree.size() != board_size() {
        let size = tree.size();
        let words = format!("RenLib has boards of 15x15 only, and this one is {size}");
        return Err(Unwritable(words.into()));
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION);
    bytes.resize(HEADER_BYTES, 0xFF);
    let mut root = OpenNode::new(tree, tree.root(), Color::Black)?;
    if let Some(rule) = tree.rule {
        match root.comment.as_slice() {
            [] => {}
            comment if comment.contains(&SEPARATOR) => root.comment.extend(b"\r\n"),
            _ => root.comment.push(SEPARATOR),
        }
        root.comment.extend(format!("{RULE_LINE}{}, {}", rule.name(), tree.size()).bytes());
    }
    root.write(&mut bytes, 0, false, None);
    let mut path = vec![root];
    while let Some(frame) = path.last_mut() {
        let Some(item) = frame.items.next() else {
            path.pop();
            continue;
        };
        let has_sibling = frame.items.len() > 0;
        match item {
            Item::Label(c, text) => {
                let flags = IS_NO_MOVE | HAS_NO_CHILD | if has_sibling { HAS_SIBLING } else { 0 };
                bytes.extend([byte_of(c), flags | HAS_MORE_FLAGS, 0, HAS_TEXT]);
                extend_by_text(&mut bytes, &text);
            }
            Item::Child(id, label) => {
                let to_move = frame.to_move;
                let cell = match tree.step(id) {
                    Some(Step::Stone(color, c)) if color == to_move => byte_of(c),
                    Some(Step::Pass(color)) if color == to_move => 0,
                    _ => return Err(Unwritable::TURNS),
                };
                let child = OpenNode::new(tree, id, !to_move)?;
                child.write(&mut bytes, cell, has_sibling, label.as_deref());
                path.push(child);
            }
        }
    }
    Ok(bytes)
}

/// Returns games without set-up stones as lines of one tree, on the board and by the rule of the
/// first one.
pub fn merged(trees: &[&GameTree]) -> GameTree {
    let mut tree = GameTree::new(board_size());
    tree.rows = trees.first().map_or(tree.rows, |tree| tree.rows);
    tree.rule = trees.iter().find_map(|tree| tree.rule);
    let mut editor = Editor::new(tree);
    for tree in trees {
        let tree = tree.counted_from(editor.tree.rows);
        let mut ids = vec![editor.tree.root(); tree.len()];
        for id in tree.preorder() {
            editor.go_to(tree.parent(id).map_or(tree.root(), |parent| ids[parent.index()]));
            if let Some(step) = tree.step(id) {
                editor.follow(step).expect("invariant: a line of the other tree can be played");
            }
            ids[id.index()] = editor.at();
            if let Some(notes) = tree.notes(id).cloned() {
                let own = editor.notes();
                add_comment(&mut own.comment, &notes.comment);
                own.labels.extend(notes.labels);
                own.raw.extend(notes.raw);
                own.is_bookmark |= notes.is_bookmark;
            }
        }
    }
    editor.tree
}

enum Item {
    /// A node with the text on its cell.
    Child(NodeId, Option<Vec<u8>>),
    /// A text on a cell that no child plays on.
    Label(Coord, Vec<u8>),
}

/// A node on the path from the root to the one that is written, with what its descendants without
/// a move say.
struct OpenNode {
    comment: Vec<u8>,
    is_bookmark: bool,
    items: std::vec::IntoIter<Item>,
    to_move: Color,
}

impl OpenNode {
    fn new(tree: &GameTree, id: NodeId, to_move: Color) -> Result<OpenNode, Unwritable> {
        let (mut comment, mut is_bookmark) = (String::new(), false);
        let mut labels: Vec<(Coord, Vec<u8>)> = Vec::new();
        let mut raw: Vec<&RawText> = Vec::new();
        let mut moves = Vec::new();
        let mut nodes = vec![id];
        while let Some(id) = nodes.pop() {
            if let Some(setup) = tree.setup(id) {
                if !setup.cells.is_empty() {
                    return Err(Unwritable("RenLib has no stones that were not played".into()));
                }
                if setup.to_move.is_some_and(|color| color != to_move) {
                    return Err(Unwritable::TURNS);
                }
            }
            if let Some(notes) = tree.notes(id) {
                add_comment(&mut comment, &notes.comment);
                is_bookmark |= notes.is_bookmark;
                let own_raw: Vec<&RawText> = notes.raw.iter().collect();
                let texts = notes.labels.iter().filter(|(_, text)| !text.is_empty());
                labels.extend(texts.map(|(c, text)| (*c, encoded(text, Some(*c), &own_raw))));
                raw.extend(own_raw);
            }
            for child in tree.children(id) {
                if tree.step(child).is_some() { &mut moves } else { &mut nodes }.push(child);
            }
        }
        let mut items: Vec<Item> = Vec::new();
        for child in moves {
            let label = match tree.step(child) {
                Some(Step::Stone(_, c)) => labels.iter().position(|(cell, _)| *cell == c),
                _ => None,
            };
            items.push(Item::Child(child, label.map(|i| labels.remove(i).1)));
        }
        items.extend(labels.into_iter().map(|(c, text)| Item::Label(c, text)));
        let comment = if comment.is_empty() { Vec::new() } else { encoded(&comment, None, &raw) };
        Ok(OpenNode { comment, is_bookmark, items: items.into_iter(), to_move })
    }

    fn write(&self, bytes: &mut Vec<u8>, cell: u8, has_sibling: bool, label: Option<&[u8]>) {
        let flag = |is_set: bool, flag| if is_set { flag } else { 0 };
        let flags = flag(has_sibling, HAS_SIBLING)
            | flag(self.items.len() == 0, HAS_NO_CHILD)
            | flag(self.is_bookmark, HAS_MARK)
            | flag(!self.comment.is_empty(), HAS_COMMENT)
            | flag(label.is_some(), HAS_MORE_FLAGS);
        bytes.extend([cell, flags]);
        if label.is_some() {
            bytes.extend([0, HAS_TEXT]);
        }
        if !self.comment.is_empty() {
            extend_by_text(bytes, &self.comment);
        }
        if let Some(label) = label {
            extend_by_text(bytes, label);
        }
    }
}

pub fn extend_by_text(bytes: &mut Vec<u8>, text: &[u8]) {
    let start = bytes.len();
    bytes.extend(text.iter().filter(|&&byte| byte != 0));
    bytes.push(0);
    if !(bytes.len() - start).is_multiple_of(2) {
        bytes.push(0);
    }
}
