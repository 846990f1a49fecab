//! RenLib's libraries (.lib): trees of renju on a board of 15x15.
//!
//! The format: a header of 20 bytes, `FF` "RenLib" `FF`, the version's two numbers and ten times
//! `FF`; libraries from before version 3 have no header and begin with h8.
//!
//! Then node after node, each followed by its children. A node is the cell, `16 * row + column` with rows from 0 at the
//! top and columns from 1 (0 is a pass, and for the first node the empty board), and a byte of
//! flags. Then comes what the flags announce: two bytes of further flags, the comment, the text on
//! the cell. A text ends with a zero, and with another one if its length would be odd. In a
//! comment, byte 8 separates the first line from the others.
//!
//! Texts are in UTF-8 or in any code page, and keep their bytes as long as nobody changes them. A
//! library names no rule and no end of the main line, but those written here do in lines of comments.

mod reader;

pub use reader::parse;

use super::files::NO_TURNS;
use super::tree::{Editor, GameTree, NodeId, RawText, Step};
use crate::types::{BoardSize, Color, Coord, Rule};

/// The rule of libraries that name none: RenLib is a program for renju.
pub const RULE: Rule = Rule::Renju;
const RULE_LINE: &str = "Tengen: rule ";
/// A line of the comment where the main line ends although moves follow.
const END_LINE: &str = "Tengen: end of the main line";

/// The first bytes of a library.
#[doc(hidden)]
pub const MAGIC: [u8; 8] = *b"\xFFRenLib\xFF";
/// The version that is written, and the last one that can be read.
const VERSION: [u8; 2] = [3, 4];
const HEADER_BYTES: usize = 20;
/// The board of every library.
pub const SIZE: BoardSize = BoardSize::DEFAULT;
/// The first byte of a library without a header: h8.
const CENTER: u8 = 0x78;
/// The longest line of play: passes could go on for ever.
const DEPTH_MAX: usize = 1_000;
/// Separates the first line of a comment from the others.
const SEPARATOR: u8 = 8;

const HAS_SIBLING: u8 = 0x80;
const HAS_NO_CHILD: u8 = 0x40;
/// A comment in the form of the first versions.
const HAS_OLD_COMMENT: u8 = 0x20;
const HAS_MARK: u8 = 0x10;
const HAS_COMMENT: u8 = 0x08;
/// The node only has a text on its cell.
const IS_NO_MOVE: u8 = 0x02;
const HAS_MORE_FLAGS: u8 = 0x01;
/// Of the second byte of further flags.
const HAS_TEXT: u8 = 0x01;

fn point(byte: u8) -> Option<Coord> {
    SIZE.coord((byte & 15).checked_sub(1)?, byte >> 4)
}

fn byte_of(c: Coord) -> u8 {
    c.y() << 4 | (c.x() + 1)
}

/// Returns the bytes of a text: those that were read, or those of its lines. It is UTF-8 if it has
/// other letters, too.
fn encoded(text: &str, cell: Option<Coord>, raw: &[&RawText]) -> Vec<u8> {
    let known = |text: &str| {
        let raw = raw.iter().find(|raw| raw.cell == cell && raw.text == text);
        raw.map(|raw| raw.bytes.as_slice())
    };
    if let Some(bytes) = known(text) {
        return bytes.to_vec();
    }
    let is_mixed = text.split('\n').any(|line| !line.is_ascii() && known(line).is_none());
    let mut bytes = Vec::new();
    for (i, line) in text.split('\n').enumerate() {
        match i {
            0 => {}
            1 => bytes.push(SEPARATOR),
            _ => bytes.extend(b"\r\n"),
        }
        // What cannot be decoded stays as it was read.
        let stays = !is_mixed || line.contains(char::REPLACEMENT_CHARACTER);
        bytes.extend(known(line).filter(|_| stays).unwrap_or(line.as_bytes()));
    }
    bytes
}

/// Adds the comment of another node about the same position, without the lines that are there.
fn add_comment(comment: &mut String, more: &str) {
    if comment.is_empty() {
        return comment.push_str(more);
    }
    let mut new: Vec<&str> = more.lines().filter(|line| !line.is_empty()).collect();
    comment.lines().for_each(|known| new.retain(|line| *line != known));
    if !new.is_empty() {
        let lines = more.lines().filter(|line| line.is_empty() || new.contains(line));
        lines.for_each(|line| *comment += &format!("\n{line}"));
    }
}

/// Returns the tree as a library, without marks on cells and SGF properties. A node without a move
/// becomes part of its parent.
pub(super) fn write(tree: &GameTree) -> Result<Vec<u8>, String> {
    if tree.size() != SIZE {
        let size = tree.size();
        return Err(format!("RenLib has boards of 15x15 only, and this one is {size}"));
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION);
    bytes.resize(HEADER_BYTES, 0xFF);
    let end = tree.end();
    let mut root = OpenNode::new(tree, tree.root(), Color::Black, end)?;
    if let Some(rule) = tree.rule {
        add_line(&mut root.comment, &format!("{RULE_LINE}{rule}, {}", tree.size()));
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
                    _ => return Err(NO_TURNS.into()),
                };
                let child = OpenNode::new(tree, id, !to_move, end)?;
                child.write(&mut bytes, cell, has_sibling, label.as_deref());
                path.push(child);
            }
        }
    }
    Ok(bytes)
}

/// Returns games without set-up stones as lines of one tree, on the board and by the rule of the
/// first one, whose main line stays.
pub(super) fn merged(trees: &[GameTree]) -> GameTree {
    let mut tree = GameTree::new(SIZE);
    tree.rows = trees.first().map_or(tree.rows, |tree| tree.rows);
    tree.rule = trees.iter().find_map(|tree| tree.rule);
    let mut editor = Editor::new(tree);
    let mut end = None;
    for tree in trees {
        let tree = tree.counted_from(editor.tree.rows);
        let mut ids = vec![editor.tree.root(); tree.len()];
        for id in tree.preorder() {
            editor.go_to(tree.parent(id).map_or(tree.root(), |parent| ids[parent.index()]));
            if let Some(step) = tree.step(id) {
                editor.follow(step).expect("invariant: a line of the other tree can be played");
            }
            ids[id.index()] = editor.at();
            if let Some(mut notes) = tree.notes(id).cloned() {
                let own = editor.notes();
                add_comment(&mut own.comment, &notes.comment);
                notes.labels.retain(|label| !own.labels.contains(label));
                own.labels.extend(notes.labels);
                own.raw.extend(notes.raw);
                own.is_bookmark |= notes.is_bookmark;
            }
        }
        end.get_or_insert(ids[tree.end().index()]);
    }
    end.into_iter().for_each(|id| editor.tree.end_main_line(id));
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
    fn new(tree: &GameTree, id: NodeId, to_move: Color, end: NodeId) -> Result<OpenNode, String> {
        let (mut comment, mut is_bookmark, mut is_end) = (String::new(), false, false);
        let mut labels: Vec<(Coord, Vec<u8>)> = Vec::new();
        let mut raw: Vec<&RawText> = Vec::new();
        let mut moves = Vec::new();
        let mut nodes = vec![id];
        while let Some(node) = nodes.pop() {
            if node != id && tree.step(node).is_some() {
                moves.push(node);
                continue;
            }
            is_end |= node == end;
            if let Some(setup) = tree.setup(node) {
                if !setup.cells.is_empty() {
                    return Err("RenLib has no stones that were not played".into());
                }
                if setup.to_move.is_some_and(|color| color != to_move) {
                    return Err(NO_TURNS.into());
                }
            }
            if let Some(notes) = tree.notes(node) {
                add_comment(&mut comment, &notes.comment);
                is_bookmark |= notes.is_bookmark;
                let own_raw: Vec<&RawText> = notes.raw.iter().collect();
                let texts = notes.labels.iter().filter(|(_, text)| !text.is_empty());
                labels.extend(texts.map(|(c, text)| (*c, encoded(text, Some(*c), &own_raw))));
                raw.extend(own_raw);
            }
            let first = nodes.len();
            nodes.extend(tree.children(node));
            nodes[first..].reverse();
        }
        let mut comment = encoded(&comment, None, &raw);
        if is_end && !moves.is_empty() {
            add_line(&mut comment, END_LINE);
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
        bytes.extend(label.iter().flat_map(|_| [0, HAS_TEXT]));
        let comment = Some(self.comment.as_slice()).filter(|comment| !comment.is_empty());
        comment.into_iter().chain(label).for_each(|text| extend_by_text(bytes, text));
    }
}

fn add_line(comment: &mut Vec<u8>, line: &str) {
    match comment.as_slice() {
        [] => {}
        text if text.contains(&SEPARATOR) => comment.extend(b"\r\n"),
        _ => comment.push(SEPARATOR),
    }
    comment.extend(line.bytes());
}

fn extend_by_text(bytes: &mut Vec<u8>, text: &[u8]) {
    let start = bytes.len();
    bytes.extend(text.iter().filter(|&&byte| byte != 0));
    bytes.push(0);
    if !(bytes.len() - start).is_multiple_of(2) {
        bytes.push(0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::ParsedGame;
    use super::*;

    fn header() -> Vec<u8> {
        b"\xFFRenLib\xFF\x03\x04\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF".to_vec()
    }

    fn read(bytes: &[u8]) -> ParsedGame {
        parse(bytes, None).unwrap()
    }

    fn lines(tree: &GameTree) -> Vec<String> {
        let leaves = tree.preorder().filter(|&id| tree.children(id).next().is_none());
        leaves.map(|id| tree.record(id).to_pos().unwrap()).collect()
    }

    /// A library made by hand from the description of the format.
    fn small() -> Vec<u8> {
        let mut bytes = header();
        // The empty board; h8 with a comment of an odd length; i9, before a variation.
        bytes.extend([0, 0]);
        bytes.extend([0x78, HAS_COMMENT]);
        bytes.extend(b"one\x08two\r\nthree\0");
        bytes.extend(*b"\0");
        bytes.extend([0x89, HAS_SIBLING | HAS_NO_CHILD | HAS_MARK]);
        // The variation h9 with a text on its cell, and a text where there is no move.
        bytes.extend([0x88, HAS_SIBLING | HAS_NO_CHILD | HAS_MORE_FLAGS, 0, 1, b'A', 0]);
        bytes.extend([0x11, IS_NO_MOVE | HAS_NO_CHILD | HAS_MORE_FLAGS, 0, 1, b'B', b'C', 0, 0]);
        bytes
    }

    #[test]
    fn nodes_are_read_as_the_format_says() {
        let ParsedGame { tree, faults, warnings, .. } = read(&small());
        assert_eq!(warnings, []);
        assert_eq!(faults, []);
        assert_eq!(lines(&tree), ["h8i9", "h8h9"]);
        let first = tree.children(tree.root()).next().unwrap();
        let notes = tree.notes(first).unwrap();
        assert_eq!(notes.comment, "one\ntwo\nthree");
        let labels = [(Coord::new(7, 8), "A".to_owned()), (Coord::new(0, 1), "BC".to_owned())];
        assert_eq!(notes.labels, labels);
        let second = tree.children(first).next().unwrap();
        assert!(tree.notes(second).unwrap().is_bookmark);
        assert_eq!((tree.rule, tree.size()), (None, SIZE));
        let again = write(&tree).unwrap();
        assert_eq!(again, small());
    }

    #[test]
    fn libraries_of_the_first_versions_are_read() {
        let mut bytes = vec![0x78, HAS_OLD_COMMENT, b'o', b'k', b'}', b'\\' | 0x80];
        bytes.extend([0x89, HAS_NO_CHILD]);
        for encoding in [None, super::super::encoding_named("GBK")] {
            let ParsedGame { tree, faults, warnings, .. } = parse(&bytes, encoding).unwrap();
            assert_eq!((lines(&tree), faults, warnings), (vec!["h8i9".to_owned()], vec![], vec![]));
            let first = tree.children(tree.root()).next().unwrap();
            assert_eq!(tree.notes(first).unwrap().comment, "okåÖ");
        }
        // Without a header, and with one of zeros.
        bytes.splice(..0, [0; HEADER_BYTES]);
        assert_eq!(lines(&read(&bytes).tree), ["h8i9"]);
        assert!(parse(&[0; 40], None).is_err());
        // Text of an old Windows.
        let mut bytes = header();
        bytes.extend([0x78, HAS_COMMENT | HAS_NO_CHILD, b'n', 0xE9, b'e', 0]);
        let ParsedGame { tree, .. } = read(&bytes);
        let first = tree.children(tree.root()).next().unwrap();
        assert_eq!(tree.notes(first).unwrap().comment, "née");
    }

    #[test]
    fn faults_are_told_with_their_place_and_the_rest_is_read() {
        let fault = |bytes: &[u8]| parse(bytes, None).unwrap_err().to_string();
        assert_eq!(fault(b""), "byte 0: this is no library of RenLib");
        assert_eq!(fault(b"h8i9"), "byte 0: this is no library of RenLib");
        let mut later = header();
        later[8] = 4;
        assert_eq!(fault(&later), "byte 0: version 4.4 of the format is not known");
        let read_tail = |tail: &[u8]| {
            let ParsedGame { tree, faults, .. } = read(&[&header(), tail].concat());
            let faults: Vec<String> = faults.iter().map(|fault| fault.to_string()).collect();
            (lines(&tree).join(" "), faults.join("; "))
        };
        let (all, none) = (HAS_SIBLING | HAS_NO_CHILD, HAS_NO_CHILD);
        let end = "the file ends here, in the middle of the library";
        for (tail, tree, text) in [
            (&[][..], "", String::new()),
            (&[0x78], "", format!("byte 20: {end}")),
            (&[0x78, 0, 0x89, all], "h8i9", format!("byte 24: {end}")),
            (&[0x78, 0, 0x89, HAS_COMMENT, b'x', b'y'], "h8", format!("byte 24: {end}")),
            (
                &[0x78, 0, 0x89, none, 1, 1],
                "h8i9",
                "byte 24: more follows the end of the library".into(),
            ),
            (&[0x78, 0, 0x80, none], "h8", "byte 22: 0x80 is no cell of the board".into()),
            (&[0x78, 0, 0xF1, none], "h8", "byte 22: 0xf1 is no cell of the board".into()),
            // A line that was saved without the siblings of its nodes, and what follows it cut short.
            (&[0x78, 0, 0x89, HAS_SIBLING], "h8i9", String::new()),
            (&[0x78, 0, 0x89, HAS_SIBLING, 0x11, all, 0x12, none], "h8i9a2 h8i9b2", String::new()),
            (
                &[0x78, 0, 0x89, HAS_SIBLING, 0x11, all, 0x12, HAS_SIBLING],
                "h8i9a2 h8i9b2",
                format!("byte 28: {end}"),
            ),
            (
                &[0x78, 0, 0x89, HAS_SIBLING, 0x11, none, 0x12, HAS_SIBLING, 0x13, none],
                "h8i9a2 h8b2c2",
                format!("byte 30: {end}"),
            ),
            // A stone on a stone, with a line after it, beside a move that is right.
            (
                &[0x78, 0, 0x78, HAS_SIBLING, 0x89, none, 0x88, none],
                "h8h9",
                "byte 22: h8 is taken".into(),
            ),
            // The same move twice is one move.
            (
                &[0x78, 0, 0x89, HAS_SIBLING, 0x11, none, 0x89, 0, 0x12, none],
                "h8i9a2 h8i9b2",
                String::new(),
            ),
        ] {
            assert_eq!(read_tail(tail), (tree.to_owned(), text), "{tail:x?}");
        }
        let passes: Vec<u8> = [0, 0].repeat(2 * DEPTH_MAX);
        let faults = read(&[header(), passes].concat()).faults;
        assert_eq!(faults.len(), 1, "{faults:?}");
    }

    #[test]
    fn texts_keep_their_bytes() {
        // Latin-1, the same in UTF-8, a first line of its own, line ends of all kinds, two bytes that
        // are UTF-8 by chance, GBK, and what is no text in any encoding.
        let texts: [&[u8]; 8] = [
            b"\xE4",
            b"\xC3\xA4",
            b"\x08\xE4\r\n\xF6",
            b"a\nb\x08c",
            b"\xC6\xBD",
            b"\xBA\xC3\x08x",
            b"\xFF\x81",
            b"A",
        ];
        let mut bytes = header();
        bytes.extend([0, 0]);
        for (i, text) in texts.iter().enumerate() {
            let has_sibling = if i + 1 < texts.len() { HAS_SIBLING } else { 0 };
            let flags = has_sibling | HAS_NO_CHILD | HAS_COMMENT | HAS_MORE_FLAGS;
            bytes.extend([0x31 + i as u8, flags, 0, HAS_TEXT]);
            (0..2).for_each(|_| extend_by_text(&mut bytes, text));
        }
        for name in [None, Some("GBK"), Some("windows-1251")] {
            let encoding = name.and_then(super::super::encoding_named);
            let ParsedGame { mut tree, faults, warnings, .. } = parse(&bytes, encoding).unwrap();
            // Every byte is a letter in the last one.
            let is_quiet = name == Some("windows-1251");
            assert_eq!((faults.len(), warnings.is_empty()), (0, is_quiet), "{name:?}");
            assert_eq!(write(&tree).unwrap(), bytes, "{name:?}");
            let nodes: Vec<NodeId> = tree.children(tree.root()).collect();
            let comment = |i: usize| tree.notes(nodes[i]).unwrap().comment.as_str();
            let expected = match name {
                None => ["ä\nö", "ƽ", "ºÃ\nx"],
                Some("GBK") => ["\u{fffd}\n\u{fffd}", "平", "好\nx"],
                Some(_) => ["д\nц", "ЖЅ", "єГ\nx"],
            };
            assert_eq!([comment(2), comment(4), comment(5)], expected, "{name:?}");
            // The lines of a text stay when others come that are the same in any encoding.
            for (line, bytes) in [
                ("\nTengen: e", b"\xBA\xC3\x08x\r\nTengen: e\0".to_vec()),
                (
                    " é",
                    [expected[2].replace('\n', "\x08").as_bytes(), b"\r\nTengen: e \xC3\xA9\0"]
                        .concat(),
                ),
            ] {
                tree.notes_mut(nodes[5]).comment += line;
                let again = write(&tree).unwrap();
                assert!(again.windows(bytes.len()).any(|part| part == bytes), "{name:?}, {line}");
            }
        }
    }

    #[test]
    fn the_root_names_the_rule() {
        for comment in ["", "one", "one\ntwo", "\u{e9}"] {
            for rule in Rule::ALL {
                let mut tree = GameTree::new(SIZE);
                tree.rule = Some(rule);
                tree.notes_mut(tree.root()).comment = comment.to_owned();
                let bytes = write(&tree).unwrap();
                let words = format!("Tengen: rule {}, 15x15", rule.name());
                assert!(bytes.windows(words.len()).any(|part| part == words.as_bytes()));
                let ParsedGame { tree: again, faults, warnings, .. } = read(&bytes);
                assert_eq!((again.rule, faults.len(), warnings.len()), (Some(rule), 0, 0));
                let notes = again.notes(again.root());
                assert_eq!(notes.map_or("", |notes| &notes.comment), comment);
                assert_eq!(write(&again).unwrap(), bytes);
            }
        }
        let mut bytes = header();
        bytes.extend([0, HAS_COMMENT | HAS_NO_CHILD]);
        extend_by_text(&mut bytes, b"Tengen: rule go, 15x15\x08more");
        let ParsedGame { tree, warnings, .. } = read(&bytes);
        assert_eq!((tree.rule, warnings.len()), (None, 1));
        assert_eq!(tree.notes(tree.root()).unwrap().comment, "Tengen: rule go, 15x15\nmore");
    }

    #[test]
    fn a_stray_end_is_no_fault() {
        for tail in [&b"\x01"[..], b"\0", b"\r\n", b"\x1a\x1a\x1a\x1a"] {
            let ParsedGame { tree, faults, warnings, .. } = read(&[&small(), tail].concat());
            assert_eq!((tree.len(), faults.len(), warnings.len()), (4, 0, 1), "{tail:?}");
        }
        assert_eq!(read(&[&small()[..], b"more"].concat()).faults.len(), 1);
    }

    #[test]
    fn what_a_library_cannot_hold_is_refused() {
        let mut tree = GameTree::new(BoardSize::new(19, 19).unwrap());
        let refusal = |tree: &GameTree| write(tree).unwrap_err().to_string();
        assert_eq!(refusal(&tree), "RenLib has boards of 15x15 only, and this one is 19x19");
        tree = GameTree::new(SIZE);
        let mut editor = Editor::new(tree.clone());
        editor.set_up(Coord::new(3, 3), Some(Color::White)).unwrap();
        assert_eq!(refusal(&editor.tree), "RenLib has no stones that were not played");
        let mut editor = Editor::new(tree);
        editor.add(Some(Step::Stone(Color::White, Coord::new(3, 3)))).unwrap();
        assert!(refusal(&editor.tree).starts_with("black and white do not take turns"));
    }

    #[test]
    fn a_node_without_a_move_is_part_of_the_one_before() {
        let mut editor = Editor::new(GameTree::new(SIZE));
        let h8 = editor.add(Some(Step::Stone(Color::Black, Coord::new(7, 7)))).unwrap();
        editor.notes().comment = "one".into();
        editor.add(None).unwrap();
        editor.notes().comment = "two".into();
        editor.add(Some(Step::Stone(Color::White, Coord::new(8, 8)))).unwrap();
        editor.go_to(h8);
        editor.add(Some(Step::Stone(Color::White, Coord::new(7, 8)))).unwrap();
        let ParsedGame { tree, faults, .. } = read(&write(&editor.tree).unwrap());
        assert_eq!(faults, []);
        assert_eq!(lines(&tree), ["h8i9", "h8h9"]);
        let first = tree.children(tree.root()).next().unwrap();
        assert_eq!(tree.notes(first).unwrap().comment, "one\ntwo");
    }

    #[test]
    fn a_large_tree_goes_in_and_out_whole() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut editor = Editor::new(GameTree::new(SIZE));
        let mut ids = vec![editor.at()];
        while editor.tree.len() < 120_000 {
            editor.go_to(ids[rng.usize(..ids.len())]);
            for _ in 0..rng.usize(1..12) {
                let to_move = editor.to_move();
                let c = Coord::new(rng.u8(..15), rng.u8(..15));
                let step = match rng.u8(..200) {
                    0 => Step::Pass(to_move),
                    _ => Step::Stone(to_move, c),
                };
                let count = editor.tree.len();
                let Ok(id) = editor.follow(step) else { continue };
                if editor.tree.len() == count {
                    continue;
                }
                ids.push(id);
                let notes = editor.notes();
                match rng.u8(..8) {
                    0 => notes.comment = format!("node {id:?}\nwith a second line, 五目"),
                    1 => notes.comment = "x".repeat(rng.usize(1..9)),
                    2 => notes.is_bookmark = true,
                    _ => {}
                }
            }
            if rng.u8(..4) == 0 {
                let c = Coord::new(rng.u8(..15), rng.u8(..15));
                let labels = &mut editor.notes().labels;
                if labels.iter().all(|(other, _)| *other != c) {
                    labels.push((c, "ab".to_owned()));
                }
            }
        }
        let tree = editor.tree;
        let bytes = write(&tree).unwrap();
        let ParsedGame { tree: again, faults, .. } = read(&bytes);
        assert_eq!(faults, []);
        assert_eq!(again.len(), tree.len());
        assert!(again.len() >= 120_000);
        let said = |tree: &GameTree| -> Vec<_> {
            let notes = |id| {
                let mut notes = tree.notes(id).cloned().unwrap_or_default();
                notes.labels.sort();
                notes
            };
            tree.preorder().map(|id| (tree.step(id), notes(id), tree.path(id).len())).collect()
        };
        assert!(said(&again) == said(&tree), "the trees differ");
        assert_eq!(write(&again).unwrap().len(), bytes.len());
    }
}
