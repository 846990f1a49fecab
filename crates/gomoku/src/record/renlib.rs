//! RenLib's libraries (.lib): trees of renju on a board of 15x15.
//!
//! The format: a header of 20 bytes, `FF` "RenLib" `FF`, the version's two numbers and ten times
//! `FF`; libraries from before version 3 have no header and begin with h8. Then node after node,
//! each with its children behind it. A node is the cell, `16 * row + column` with rows from 0 at
//! the top and columns from 1 (0 is a pass, and for the first node the empty board), and a byte of
//! flags. Behind them stand what flags announce: two bytes of further flags, the comment, the text
//! on the cell. A text ends with a zero, and with another one if its length would be odd. In a
//! comment, byte 8 separates the first line from the others.
//!
//! What is wrong is told with its place, and what is whole is read all the same. Texts are in UTF-8 or
//! in any code page; they keep their bytes as long as nobody changes them. New texts are written in
//! UTF-8. A library names no rule, but those that are written here do in a line of the root's
//! comment. Knows no files.

use std::fmt;
use std::path::Path;

use encoding_rs::Encoding;

use super::ParseErrorKind;
use super::text::decoded;
use super::tree::{Editor, GameTree, NodeId, Notes, RawText, Step};
use super::warning::{Place as FilePlace, Warning, WarningKind};
use crate::types::{BoardSize, Color, Coord, Rule};

/// The rule of libraries that name none: RenLib is a program for renju.
pub const RULE: Rule = Rule::Renju;
/// How the line of the root's comment begins that names the rule.
const RULE_LINE: &str = "Tengen: rule ";

/// The first bytes of a library.
pub const MAGIC: [u8; 8] = *b"\xFFRenLib\xFF";
/// The version that is written, and the last one that can be read.
const VERSION: [u8; 2] = [3, 4];
const HEADER_BYTES: usize = 20;
/// The first byte of a library without a header: h8.
const CENTER: u8 = 0x78;
const SIDE: u8 = 15;
/// Nodes of a line of play beyond which a library is not believed: passes could go on for ever.
const DEPTH_MAX: usize = 1_000;
/// Separates the first line of a comment from the others.
const SEPARATOR: u8 = 8;
/// Bytes that programs put behind the end of a file.
const PADDING: &[u8] = b"\0\r\n\x1a ";

/// A sibling follows the node's subtree.
const HAS_SIBLING: u8 = 0x80;
const HAS_NO_CHILD: u8 = 0x40;
/// A comment in the form of the first versions, whose last byte has its highest bit set.
const HAS_OLD_COMMENT: u8 = 0x20;
const HAS_MARK: u8 = 0x10;
const HAS_COMMENT: u8 = 0x08;
/// The node only has a text on its cell.
const IS_NO_MOVE: u8 = 0x02;
const HAS_MORE_FLAGS: u8 = 0x01;
/// Of the second byte of further flags.
const HAS_TEXT: u8 = 0x01;

/// What is wrong with a library, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The byte, counted from 0, at which the node or the text begins.
    pub offset: usize,
    /// What is wrong.
    pub kind: FaultKind,
}

/// What is wrong with a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The file does not begin as a library does.
    Header,
    /// A later RenLib wrote it.
    Version(u8, u8),
    /// The file ends inside a node, or before one that was announced.
    End,
    /// More follows the last node.
    Rest,
    /// The byte is no cell.
    Cell(u8),
    /// The move cannot be made. It is left out, with everything behind it.
    Move(ParseErrorKind),
    /// A line of play is too long. The rest of it is left out.
    Depth,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "byte {}: ", self.offset)?;
        match &self.kind {
            FaultKind::Header => f.write_str("this is no library of RenLib"),
            FaultKind::Version(major, minor) => {
                write!(f, "version {major}.{minor} of the format is not known")
            }
            FaultKind::End => f.write_str("the file ends here, in the middle of the library"),
            FaultKind::Rest => f.write_str("more follows the end of the library"),
            FaultKind::Cell(byte) => write!(f, "{byte:#04x} is no cell of the board"),
            FaultKind::Move(error) => error.fmt(f),
            FaultKind::Depth => write!(f, "a line of more than {DEPTH_MAX} moves"),
        }
    }
}

impl std::error::Error for Fault {}

/// What can be read of a library.
#[derive(Clone, Debug)]
pub struct Library {
    /// All that is whole.
    pub tree: GameTree,
    /// What is wrong with the rest.
    pub faults: Vec<Fault>,
    /// What was read otherwise than it stands there.
    pub warnings: Vec<Warning>,
}

impl Library {
    /// Returns what is there of a library that cannot be read.
    pub fn without(fault: Fault) -> Library {
        let tree = GameTree::new(board_size());
        Library { tree, faults: vec![fault], warnings: Vec::new() }
    }
}

/// Reads a library. `encoding` is that of its texts; by default they are in UTF-8, or else in
/// windows-1252.
///
/// # Errors
///
/// If it is no library.
pub fn parse(bytes: &[u8], encoding: Option<&'static Encoding>) -> Result<Library, Fault> {
    let fault = |kind| Fault { offset: 0, kind };
    let at = match bytes.first_chunk::<HEADER_BYTES>() {
        Some(header) if header.starts_with(&MAGIC) => {
            let [major, minor] = [header[8], header[9]];
            if [major, minor] > VERSION {
                return Err(fault(FaultKind::Version(major, minor)));
            }
            HEADER_BYTES
        }
        _ if bytes.first() == Some(&CENTER) => 0,
        _ => return Err(fault(FaultKind::Header)),
    };
    let editor = Editor::new(GameTree::new(board_size()));
    let mut reader = Reader {
        bytes,
        encoding,
        at,
        editor,
        faults: Vec::new(),
        warnings: Vec::new(),
        pending: Vec::new(),
    };
    if let Err(fault) = reader.read_nodes() {
        reader.faults.push(fault);
    }
    let Reader { editor, faults, warnings, .. } = reader;
    Ok(Library { tree: editor.into_tree(), faults, warnings })
}

/// Returns true if a file with this name and these bytes is meant as a library.
pub fn is_library(path: &Path, bytes: &[u8]) -> bool {
    has_name(path) || bytes.starts_with(&MAGIC)
}

/// Returns true if the name is that of a library.
pub fn has_name(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("lib"))
}

/// Returns the size of a library's board.
pub fn board_size() -> BoardSize {
    BoardSize::new(SIDE, SIDE).expect("invariant: 15 is a valid side")
}

/// A place in the tree that nodes are read into; `None` is inside what is left out.
type Place = Option<NodeId>;

struct Reader<'a> {
    bytes: &'a [u8],
    encoding: Option<&'static Encoding>,
    at: usize,
    editor: Editor,
    faults: Vec<Fault>,
    warnings: Vec<Warning>,
    /// The parents of the siblings that are announced, and how deep these stand.
    pending: Vec<(Place, usize)>,
}

impl Reader<'_> {
    fn read_nodes(&mut self) -> Result<(), Fault> {
        let root = self.editor.at();
        let (mut place, mut depth) = (Some(root), 0);
        let mut is_first = true;
        // True if the next node must come: a sibling that was announced.
        let mut is_due = false;
        while self.at < self.bytes.len() {
            let start = self.at;
            let [cell, flags] = self.pair(start)?;
            let more = if flags & HAS_MORE_FLAGS != 0 { self.pair(start)?[1] } else { 0 };
            let mut comment = match flags {
                _ if flags & HAS_OLD_COMMENT != 0 => self.old_text()?,
                _ if flags & HAS_COMMENT != 0 => self.text()?,
                _ => Vec::new(),
            };
            let text = if more & HAS_TEXT != 0 { self.text()? } else { Vec::new() };
            if flags & HAS_SIBLING != 0 {
                self.pending.push((place, depth));
            }
            // The first node may be the empty board.
            if is_first && cell == 0 {
                self.take_rule(start, &mut comment);
            } else {
                place = self.enter(start, place, cell, flags & IS_NO_MOVE != 0, &text)?;
                depth += 1;
                if depth > DEPTH_MAX && place.is_some() {
                    self.faults.push(Fault { offset: start, kind: FaultKind::Depth });
                    place = None;
                }
            }
            (is_first, is_due) = (false, false);
            if let Some(id) = place {
                let is_marked = flags & HAS_MARK != 0;
                if !comment.is_empty() || is_marked {
                    let (comment, raw) = self.read_text(start, None, &comment);
                    let notes = self.editor.tree_mut().notes_mut(id);
                    notes.is_bookmark |= is_marked;
                    add_comment(&mut notes.comment, &comment);
                    notes.raw.extend(raw);
                }
            }
            if flags & HAS_NO_CHILD == 0 {
                continue;
            }
            match self.pending.pop() {
                Some(next) => ((place, depth), is_due) = (next, true),
                None if self.at == self.bytes.len() => return Ok(()),
                None if self.is_padding() => {
                    self.warn(self.at, WarningKind::Stray);
                    return Ok(());
                }
                None => return Err(Fault { offset: self.at, kind: FaultKind::Rest }),
            }
        }
        // RenLib leaves it open whether a line that was saved alone goes on.
        match is_due || !self.pending.is_empty() {
            true => Err(Fault { offset: self.at, kind: FaultKind::End }),
            false => Ok(()),
        }
    }

    /// Goes from a place to the node of a cell, and makes it if it is not there. A node that is no
    /// move stands for the place itself.
    fn enter(
        &mut self,
        start: usize,
        place: Place,
        cell: u8,
        is_no_move: bool,
        text: &[u8],
    ) -> Result<Place, Fault> {
        let fault = |kind| Fault { offset: start, kind };
        let c = match cell {
            0 => None,
            _ => Some(point(cell).ok_or_else(|| fault(FaultKind::Cell(cell)))?),
        };
        let Some(id) = place else { return Ok(None) };
        if let Some(c) = c.filter(|_| !text.is_empty()) {
            let (text, raw) = self.read_text(start, Some(c), text);
            let notes = self.editor.tree_mut().notes_mut(id);
            notes.labels.push((c, text));
            notes.raw.extend(raw);
        }
        if is_no_move {
            return Ok(place);
        }
        if self.editor.at() != id {
            self.editor.go_to(id);
        }
        let to_move = self.editor.to_move();
        let step = c.map_or(Step::Pass(to_move), |c| Step::Stone(to_move, c));
        match self.editor.follow(step) {
            Ok(id) => Ok(Some(id)),
            Err(error) => {
                self.faults.push(fault(FaultKind::Move(error)));
                Ok(None)
            }
        }
    }

    fn warn(&mut self, byte: usize, kind: WarningKind) {
        self.warnings.push(Warning { place: FilePlace::Byte(byte), kind });
    }

    /// Returns true if what is left holds no node.
    fn is_padding(&self) -> bool {
        let rest = &self.bytes[self.at..];
        rest.len() < 2 || rest.iter().all(|byte| PADDING.contains(byte))
    }

    /// Takes the line with the rule out of the root's comment.
    fn take_rule(&mut self, start: usize, comment: &mut Vec<u8>) {
        let is_end = |byte: &u8| [SEPARATOR, b'\r', b'\n'].contains(byte);
        let mut starts = (0..comment.len()).filter(|&i| i == 0 || is_end(&comment[i - 1]));
        let Some(first) = starts.find(|&i| comment[i..].starts_with(RULE_LINE.as_bytes())) else {
            return;
        };
        let line = comment[first..].split(is_end).next().unwrap_or_default();
        let name = String::from_utf8_lossy(&line[RULE_LINE.len()..]);
        let name = name.split(',').next().unwrap_or_default();
        let Some(rule) = Rule::from_name(name) else {
            return self.warn(start, WarningKind::Rule(name.to_owned()));
        };
        let mut cut = first..first + line.len();
        // With it goes the end of the line before it, or else its own.
        match &comment[..cut.start] {
            [.., b'\r', b'\n'] => cut.start -= 2,
            [.., _] => cut.start -= 1,
            [] if comment[cut.end..].starts_with(b"\r\n") => cut.end += 2,
            [] => cut.end = comment.len().min(cut.end + 1),
        }
        comment.drain(cut);
        self.editor.tree_mut().rule = Some(rule);
    }

    /// Returns a text of the node that began at `start`, and what of its bytes would be written
    /// otherwise.
    fn read_text(
        &mut self,
        start: usize,
        cell: Option<Coord>,
        bytes: &[u8],
    ) -> (String, Vec<RawText>) {
        let (decoded_text, words) = decoded(bytes, self.encoding);
        if let Some(words) = words {
            self.warn(start, WarningKind::Encoding(words));
        }
        let text = lines_of(&decoded_text);
        let raw_text = |text, bytes: &[u8]| RawText { cell, text, bytes: bytes.to_vec() };
        let mut raw = Vec::new();
        if cell.is_none() && decoded_text.as_bytes() != bytes {
            let lines = bytes.split(|byte| [SEPARATOR, b'\r', b'\n'].contains(byte));
            let lines = lines.filter(|line| !line.is_ascii() && line.len() < bytes.len());
            raw.extend(lines.map(|line| raw_text(decoded(line, self.encoding).0, line)));
        }
        if encoded(&text, cell, &[]) != bytes {
            raw.push(raw_text(text.clone(), bytes));
        }
        (text, raw)
    }

    /// Returns the next two bytes, of a node or a text that began at `start`.
    fn pair(&mut self, start: usize) -> Result<[u8; 2], Fault> {
        let pair = self.bytes[self.at..].first_chunk();
        let pair = *pair.ok_or(Fault { offset: start, kind: FaultKind::End })?;
        self.at += 2;
        Ok(pair)
    }

    fn text(&mut self) -> Result<Vec<u8>, Fault> {
        let start = self.at;
        let mut text = Vec::new();
        loop {
            for byte in self.pair(start)? {
                if byte == 0 {
                    return Ok(text);
                }
                text.push(byte);
            }
        }
    }

    fn old_text(&mut self) -> Result<Vec<u8>, Fault> {
        let start = self.at;
        let mut text = Vec::new();
        loop {
            for byte in self.pair(start)? {
                text.extend(Some(byte & 0x7f).filter(|&byte| byte != 0));
                if byte & 0x80 != 0 {
                    return Ok(text);
                }
            }
        }
    }
}

/// Returns the cell of its byte, which is not 0.
fn point(byte: u8) -> Option<Coord> {
    board_size().coord((byte & 15).checked_sub(1)?, byte >> 4)
}

fn byte_of(c: Coord) -> u8 {
    c.y() << 4 | (c.x() + 1)
}

/// Returns a text with its lines separated as everywhere else.
fn lines_of(text: &str) -> String {
    let separator = char::from(SEPARATOR);
    let text = text.strip_prefix(separator).unwrap_or(text);
    text.replace("\r\n", "\n").replace(separator, "\n")
}

/// Returns a text as it stands in a library: its own bytes there, or those of its lines, or UTF-8.
fn encoded(text: &str, cell: Option<Coord>, raw: &[&RawText]) -> Vec<u8> {
    let known = |text: &str| {
        let raw = raw.iter().find(|raw| raw.cell == cell && raw.text == text);
        raw.map(|raw| &raw.bytes)
    };
    if let Some(bytes) = known(text) {
        return bytes.clone();
    }
    let mut bytes = Vec::new();
    for (i, line) in text.split('\n').enumerate() {
        match i {
            0 => {}
            1 => bytes.push(SEPARATOR),
            _ => bytes.extend(b"\r\n"),
        }
        bytes.extend(known(line).map_or(line.as_bytes(), |line| line));
    }
    bytes
}

/// Adds what another node about the same position says.
fn add_comment(comment: &mut String, more: &str) {
    if comment != more && !more.is_empty() {
        if !comment.is_empty() {
            comment.push('\n');
        }
        comment.push_str(more);
    }
}

/// Why a tree cannot be written as a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwritable {
    /// The board is another one than 15x15.
    Size(BoardSize),
    /// Stones are set up instead of played.
    Setup,
    /// The colours do not take turns.
    Turns,
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unwritable::Size(size) => {
                write!(f, "RenLib knows boards of 15x15 only, and this one is {size}")
            }
            Unwritable::Setup => f.write_str("RenLib knows no stones that were not played"),
            Unwritable::Turns => f.write_str("in RenLib the colours take turns, black first"),
        }
    }
}

impl std::error::Error for Unwritable {}

/// Returns the tree as a library. Marks on cells and SGF properties are left out; a node without a
/// move is part of the one before it.
///
/// # Errors
///
/// If the tree is none that a library can hold.
pub fn write(tree: &GameTree) -> Result<Vec<u8>, Unwritable> {
    if tree.size() != board_size() {
        return Err(Unwritable::Size(tree.size()));
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION);
    bytes.resize(HEADER_BYTES, 0xFF);
    let mut root = Frame::new(tree, tree.root(), Color::Black)?;
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
                let child = Frame::new(tree, id, !to_move)?;
                child.write(&mut bytes, cell, has_sibling, label.as_deref());
                path.push(child);
            }
        }
    }
    Ok(bytes)
}

/// A part of what follows a node in a library.
enum Item {
    /// A node with the text on its cell.
    Child(NodeId, Option<Vec<u8>>),
    /// A text on a cell that no child plays on.
    Label(Coord, Vec<u8>),
}

/// A node on the path from the root to the one that is written, with what the nodes behind it say
/// that have no move of their own.
struct Frame {
    comment: Vec<u8>,
    is_bookmark: bool,
    /// What is still to be written behind the node.
    items: std::vec::IntoIter<Item>,
    to_move: Color,
}

impl Frame {
    fn new(tree: &GameTree, id: NodeId, to_move: Color) -> Result<Frame, Unwritable> {
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
        Ok(Frame { comment, is_bookmark, items: items.into_iter(), to_move })
    }

    /// Writes the node with its comment and the text on its cell.
    fn write(&self, bytes: &mut Vec<u8>, cell: u8, has_sibling: bool, label: Option<&[u8]>) {
        let Frame { comment, is_bookmark, items, .. } = self;
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

/// Adds a text with its end.
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
    use super::*;

    fn header() -> Vec<u8> {
        b"\xFFRenLib\xFF\x03\x04\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF".to_vec()
    }

    fn read(bytes: &[u8]) -> Library {
        parse(bytes, None).unwrap()
    }

    fn lines(tree: &GameTree) -> Vec<String> {
        let leaves = tree.preorder().filter(|&id| tree.children(id).next().is_none());
        leaves.map(|id| tree.record(id).to_pos().unwrap()).collect()
    }

    /// A library made by hand from the description of the format.
    fn small() -> Vec<u8> {
        let mut bytes = header();
        // The empty board; h8 with a comment of an odd length; i9, behind which a variation comes.
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
        let Library { tree, faults, warnings } = read(&small());
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
        assert_eq!((tree.rule, tree.size()), (None, board_size()));
        let again = write(&tree).unwrap();
        assert_eq!(again, small());
    }

    #[test]
    fn libraries_of_the_first_versions_are_read() {
        let mut bytes = vec![0x78, HAS_OLD_COMMENT, b'o', b'k' | 0x80];
        bytes.extend([0x89, HAS_NO_CHILD]);
        let Library { tree, faults, .. } = read(&bytes);
        assert_eq!((lines(&tree), faults), (vec!["h8i9".to_owned()], vec![]));
        let first = tree.children(tree.root()).next().unwrap();
        assert_eq!(tree.notes(first).unwrap().comment, "ok");
        // Text of an old Windows.
        let mut bytes = header();
        bytes.extend([0x78, HAS_COMMENT | HAS_NO_CHILD, b'n', 0xE9, b'e', 0]);
        let Library { tree, .. } = read(&bytes);
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
            let Library { tree, faults, .. } = read(&[&header(), tail].concat());
            let faults: Vec<String> = faults.iter().map(Fault::to_string).collect();
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
            // A stone on a stone, with a line behind it, beside a move that is right.
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
            let Library { mut tree, faults, warnings } = parse(&bytes, encoding).unwrap();
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
            // The lines of a text stay when others come.
            tree.notes_mut(nodes[5]).comment += "\nTengen: é";
            let again = write(&tree).unwrap();
            let line = b"\xBA\xC3\x08x\r\nTengen: \xC3\xA9\0";
            assert!(again.windows(line.len()).any(|part| part == line), "{name:?}");
        }
    }

    #[test]
    fn the_root_names_the_rule() {
        for comment in ["", "one", "one\ntwo", "\u{e9}"] {
            for rule in Rule::ALL {
                let mut tree = GameTree::new(board_size());
                tree.rule = Some(rule);
                tree.notes_mut(tree.root()).comment = comment.to_owned();
                let bytes = write(&tree).unwrap();
                let words = format!("Tengen: rule {}, 15x15", rule.name());
                assert!(bytes.windows(words.len()).any(|part| part == words.as_bytes()));
                let Library { tree: again, faults, warnings } = read(&bytes);
                assert_eq!((again.rule, faults.len(), warnings.len()), (Some(rule), 0, 0));
                let notes = again.notes(again.root());
                assert_eq!(notes.map_or("", |notes| &notes.comment), comment);
                assert_eq!(write(&again).unwrap(), bytes);
            }
        }
        let mut bytes = header();
        bytes.extend([0, HAS_COMMENT | HAS_NO_CHILD]);
        extend_by_text(&mut bytes, b"Tengen: rule go, 15x15\x08more");
        let Library { tree, warnings, .. } = read(&bytes);
        assert_eq!((tree.rule, warnings.len()), (None, 1));
        assert_eq!(tree.notes(tree.root()).unwrap().comment, "Tengen: rule go, 15x15\nmore");
    }

    #[test]
    fn a_stray_end_is_no_fault() {
        for tail in [&b"\x01"[..], b"\0", b"\r\n", b"\x1a\x1a\x1a\x1a"] {
            let Library { tree, faults, warnings } = read(&[&small(), tail].concat());
            assert_eq!((tree.len(), faults.len(), warnings.len()), (4, 0, 1), "{tail:?}");
        }
        assert_eq!(read(&[&small()[..], b"more"].concat()).faults.len(), 1);
    }

    #[test]
    fn what_a_library_cannot_hold_is_refused() {
        let mut tree = GameTree::new(BoardSize::new(19, 19).unwrap());
        assert_eq!(write(&tree), Err(Unwritable::Size(tree.size())));
        tree = GameTree::new(board_size());
        let mut editor = Editor::new(tree.clone());
        editor.set_up(Coord::new(3, 3), Some(Color::White)).unwrap();
        assert_eq!(write(editor.tree()), Err(Unwritable::Setup));
        let mut editor = Editor::new(tree);
        editor.add(Some(Step::Stone(Color::White, Coord::new(3, 3)))).unwrap();
        assert_eq!(write(editor.tree()), Err(Unwritable::Turns));
    }

    #[test]
    fn a_node_without_a_move_is_part_of_the_one_before() {
        let mut editor = Editor::new(GameTree::new(board_size()));
        let h8 = editor.add(Some(Step::Stone(Color::Black, Coord::new(7, 7)))).unwrap();
        editor.notes().comment = "one".into();
        editor.add(None).unwrap();
        editor.notes().comment = "two".into();
        editor.add(Some(Step::Stone(Color::White, Coord::new(8, 8)))).unwrap();
        editor.go_to(h8);
        editor.add(Some(Step::Stone(Color::White, Coord::new(7, 8)))).unwrap();
        let Library { tree, faults, .. } = read(&write(editor.tree()).unwrap());
        assert_eq!(faults, []);
        assert_eq!(lines(&tree), ["h8h9", "h8i9"]);
        let first = tree.children(tree.root()).next().unwrap();
        assert_eq!(tree.notes(first).unwrap().comment, "one\ntwo");
    }

    #[test]
    fn a_large_tree_goes_in_and_out_whole() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut editor = Editor::new(GameTree::new(board_size()));
        let mut ids = vec![editor.at()];
        while editor.tree().len() < 120_000 {
            editor.go_to(ids[rng.usize(..ids.len())]);
            for _ in 0..rng.usize(1..12) {
                let to_move = editor.to_move();
                let c = Coord::new(rng.u8(..15), rng.u8(..15));
                let step = match rng.u8(..200) {
                    0 => Step::Pass(to_move),
                    _ => Step::Stone(to_move, c),
                };
                let count = editor.tree().len();
                let Ok(id) = editor.follow(step) else { continue };
                if editor.tree().len() == count {
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
        let tree = editor.into_tree();
        let bytes = write(&tree).unwrap();
        let Library { tree: again, faults, .. } = read(&bytes);
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
