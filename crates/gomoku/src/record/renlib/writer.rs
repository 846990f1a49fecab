//! Writes a library.

use super::super::Unwritable;
use super::super::tree::{Editor, GameTree, NodeId, Notes, RawText, Step};
use super::{
    HAS_COMMENT, HAS_MARK, HAS_MORE_FLAGS, HAS_NO_CHILD, HAS_SIBLING, HAS_TEXT, HEADER_BYTES,
    IS_NO_MOVE, MAGIC, RULE_LINE, SEPARATOR, VERSION, add_comment, board_size, byte_of, encoded,
};
use crate::types::{Color, Coord};

/// Returns the tree as a library, without marks on cells and SGF properties. A node without a move
/// becomes part of its parent.
pub fn write(tree: &GameTree) -> Result<Vec<u8>, Unwritable> {
    if tree.size() != board_size() {
        return Err(Unwritable::Size(tree.size()));
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
                    _ => return Err(Unwritable::Turns),
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
    tree.rows = trees.iter().map(|tree| tree.rows).next().unwrap_or_default();
    tree.rule = trees.iter().find_map(|tree| tree.rule);
    let mut editor = Editor::new(tree);
    for tree in trees {
        let tree = tree.counted_from(editor.tree().rows);
        let mut ids = vec![editor.tree().root(); tree.len()];
        for id in tree.preorder() {
            if let Some(parent) = tree.parent(id) {
                editor.go_to(ids[parent.index()]);
            }
            if let Some(step) = tree.step(id) {
                editor
                    .follow(step)
                    .expect("invariant: the same line of the other tree can be played");
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
        editor.go_to(editor.tree().root());
    }
    editor.into_tree()
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
        let mut labels: Vec<(Coord, &str, &Notes)> = Vec::new();
        let mut raw: Vec<&RawText> = Vec::new();
        let mut moves = Vec::new();
        let mut nodes = vec![id];
        while let Some(id) = nodes.pop() {
            if let Some(setup) = tree.setup(id) {
                if !setup.cells.is_empty() {
                    return Err(Unwritable::Setup);
                }
                if setup.to_move.is_some_and(|color| color != to_move) {
                    return Err(Unwritable::Turns);
                }
            }
            if let Some(notes) = tree.notes(id) {
                add_comment(&mut comment, &notes.comment);
                is_bookmark |= notes.is_bookmark;
                raw.extend(&notes.raw);
                let texts = notes.labels.iter().map(|(c, text)| (*c, text.as_str(), notes));
                labels.extend(texts.filter(|(_, text, _)| !text.is_empty()));
            }
            for child in tree.children(id) {
                if tree.step(child).is_some() { &mut moves } else { &mut nodes }.push(child);
            }
        }
        let label_bytes =
            |c, text: &str, notes: &Notes| encoded(text, Some(c), &Vec::from_iter(&notes.raw));
        let mut items: Vec<Item> = Vec::new();
        for child in moves {
            let mut label = None;
            if let Some(Step::Stone(_, c)) = tree.step(child)
                && let Some(i) = labels.iter().position(|&(cell, ..)| cell == c)
            {
                let (_, text, notes) = labels.remove(i);
                label = Some(label_bytes(c, text, notes));
            }
            items.push(Item::Child(child, label));
        }
        let label = |(c, text, notes)| Item::Label(c, label_bytes(c, text, notes));
        items.extend(labels.into_iter().map(label));
        let comment = if comment.is_empty() { Vec::new() } else { encoded(&comment, None, &raw) };
        Ok(OpenNode { comment, is_bookmark, items: items.into_iter(), to_move })
    }

    fn write(&self, bytes: &mut Vec<u8>, cell: u8, has_sibling: bool, label: Option<&[u8]>) {
        let OpenNode { comment, is_bookmark, items, .. } = self;
        let flag = |is_set: bool, flag| if is_set { flag } else { 0 };
        bytes.push(cell);
        bytes.push(
            flag(has_sibling, HAS_SIBLING)
                | flag(items.len() == 0, HAS_NO_CHILD)
                | flag(*is_bookmark, HAS_MARK)
                | flag(!comment.is_empty(), HAS_COMMENT)
                | flag(label.is_some(), HAS_MORE_FLAGS),
        );
        if label.is_some() {
            bytes.extend([0, HAS_TEXT]);
        }
        if !comment.is_empty() {
            extend_by_text(bytes, comment);
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
