use encoding_rs::{Encoding, WINDOWS_1252};

use super::super::error::{Place, UNKNOWN_RULE, Warning};
use super::super::parsed::ParsedGame;
use super::super::text::decoded;
use super::super::tree::{Editor, GameTree, NodeId, RawText, Step};
use super::super::{ParseError, ParseErrorKind};
use super::{
    CENTER, DEPTH_MAX, END_LINE, HAS_COMMENT, HAS_MARK, HAS_MORE_FLAGS, HAS_NO_CHILD,
    HAS_OLD_COMMENT, HAS_SIBLING, HAS_TEXT, HEADER_BYTES, IS_NO_MOVE, MAGIC, RULE, RULE_LINE,
    SEPARATOR, SIZE, VERSION, add_comment, encoded, point,
};
use crate::types::Coord;

/// Reads what is whole of a library; an error if it is none at all. `encoding` is that of its texts,
/// by default UTF-8 or else windows-1252.
pub fn parse(bytes: &[u8], encoding: Option<&'static Encoding>) -> Result<ParsedGame, ParseError> {
    let at = match bytes.first_chunk::<HEADER_BYTES>() {
        Some(header) if header.starts_with(&MAGIC) => {
            let [major, minor] = [header[8], header[9]];
            if [major, minor] > VERSION {
                let words = format!("version {major}.{minor} of the format is not known");
                return Err(fault(0, words));
            }
            HEADER_BYTES
        }
        // Renjulibviewer writes zeros; a file of nothing else is no library.
        _ if bytes.starts_with(&[0; HEADER_BYTES]) && bytes.iter().any(|&b| b > 0) => HEADER_BYTES,
        _ if bytes.first() == Some(&CENTER) => 0,
        _ => return Err(fault(0, "this is no library of RenLib")),
    };
    let (editor, faults, warnings) = (Editor::new(GameTree::new(SIZE)), Vec::new(), Vec::new());
    let (pending, main_end) = (Vec::new(), None);
    let mut reader = Reader { bytes, encoding, at, editor, faults, warnings, pending, main_end };
    let end = reader.read_nodes().err();
    let Reader { editor, mut faults, warnings, main_end, .. } = reader;
    let mut tree = editor.tree;
    main_end.into_iter().for_each(|id| tree.end_main_line(id));
    faults.extend(end);
    Ok(ParsedGame { line: 1, tree, faults, warnings, default_rule: Some(RULE) })
}

const UNFINISHED: &str = "the file ends here, in the middle of the library";

fn fault(byte: usize, words: impl Into<String>) -> ParseError {
    fault_of(byte, ParseErrorKind::Words(words.into()))
}

fn fault_of(byte: usize, kind: ParseErrorKind) -> ParseError {
    ParseError { place: Place::Byte(byte), kind, breaks_main_line: false }
}

/// Bytes that programs put after the end of a file.
const PADDING: &[u8] = b"\0\r\n\x1a ";

/// Of the last byte of a comment in the form of the first versions.
const OLD_TEXT_END: u8 = 0x80;
/// Signs of such a comment, and the Swedish letters in windows-1252 that they stand for.
const OLD_LETTERS: (&[u8], &[u8]) = (b"}{|][\\", b"\xE5\xE4\xF6\xC5\xC4\xD6");

struct Reader<'a> {
    bytes: &'a [u8],
    encoding: Option<&'static Encoding>,
    at: usize,
    editor: Editor,
    faults: Vec<ParseError>,
    warnings: Vec<Warning>,
    /// The parents of the siblings that were announced, `None` inside what is left out, and how deep
    /// these are.
    pending: Vec<(Option<NodeId>, usize)>,
    /// The first node of the main line that ends it although moves follow.
    main_end: Option<NodeId>,
}

impl Reader<'_> {
    fn read_nodes(&mut self) -> Result<(), ParseError> {
        let root = self.editor.at();
        let (mut place, mut depth) = (Some(root), 0);
        let mut is_first = true;
        // A sibling was announced, and must follow.
        let mut is_due = false;
        // Of those pending, how many need not follow: RenLib saves a line without its siblings, too.
        let (mut optional, mut is_first_line) = (0, true);
        while self.at < self.bytes.len() {
            let start = self.at;
            let [cell, flags] = self.pair(start)?;
            let more = if flags & HAS_MORE_FLAGS != 0 { self.pair(start)?[1] } else { 0 };
            let is_old = flags & HAS_OLD_COMMENT != 0;
            let has_comment = is_old || flags & HAS_COMMENT != 0;
            let mut comment = if has_comment { self.text(is_old)? } else { Vec::new() };
            let text = if more & HAS_TEXT != 0 { self.text(false)? } else { Vec::new() };
            is_first_line &= flags & HAS_NO_CHILD == 0;
            if flags & HAS_SIBLING != 0 {
                self.pending.push((place, depth));
                optional += usize::from(is_first_line);
            }
            // The first node may be the empty board.
            if is_first && cell == 0 {
                self.editor.tree.rule = take_line(&mut comment, |line| {
                    let name = line.strip_prefix(RULE_LINE)?.split(',').next()?;
                    name.parse().map_err(|_| self.warn(start, UNKNOWN_RULE, name)).ok()
                });
            } else {
                place = self.enter(start, place, cell, flags & IS_NO_MOVE != 0, &text)?;
                depth += 1;
                if depth > DEPTH_MAX && place.is_some() {
                    let words = format!("a line of more than {DEPTH_MAX} moves");
                    self.faults.push(fault(start, words));
                    place = None;
                }
            }
            (is_first, is_due) = (false, false);
            if let Some(id) = place {
                let is_end = |line: &str| (line == END_LINE).then_some(());
                if take_line(&mut comment, is_end).is_some()
                    && self.editor.tree.main_line().any(|node| node == id)
                {
                    self.main_end.get_or_insert(id);
                }
                let is_marked = flags & HAS_MARK != 0;
                if !comment.is_empty() || is_marked {
                    // The letters of old comments are known.
                    let encoding = if is_old { Some(WINDOWS_1252) } else { self.encoding };
                    let (comment, raw) = self.read_text(start, None, &comment, encoding);
                    let notes = self.editor.tree.notes_mut(id);
                    notes.is_bookmark |= is_marked;
                    add_comment(&mut notes.comment, &comment);
                    notes.raw.extend(raw);
                }
            }
            if flags & HAS_NO_CHILD == 0 {
                continue;
            }
            let rest = &self.bytes[self.at..];
            match self.pending.pop() {
                Some(next) => {
                    ((place, depth), is_due) = (next, self.pending.len() >= optional);
                    optional = optional.min(self.pending.len());
                }
                None if rest.is_empty() => return Ok(()),
                None if rest.len() < 2 || rest.iter().all(|byte| PADDING.contains(byte)) => {
                    self.warn(self.at, "what follows the end of the library is left out", "");
                    return Ok(());
                }
                None => return Err(fault(self.at, "more follows the end of the library")),
            }
        }
        // RenLib leaves it open whether such a line goes on.
        let is_whole = !is_due && self.pending.len() <= optional;
        is_whole.then_some(()).ok_or_else(|| fault(self.at, UNFINISHED))
    }

    /// Goes to the child that plays on the cell, and makes it if there is none. A node that is no
    /// move stands for its parent.
    fn enter(
        &mut self,
        start: usize,
        place: Option<NodeId>,
        cell: u8,
        is_no_move: bool,
        text: &[u8],
    ) -> Result<Option<NodeId>, ParseError> {
        let c = point(cell);
        if c.is_none() && cell != 0 {
            return Err(fault(start, format!("{cell:#04x} is no cell of the board")));
        }
        let Some(id) = place else { return Ok(None) };
        if let Some(c) = c.filter(|_| !text.is_empty()) {
            let (text, raw) = self.read_text(start, Some(c), text, self.encoding);
            let notes = self.editor.tree.notes_mut(id);
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
        let followed = self.editor.follow(step);
        Ok(followed.map_err(|kind| self.faults.push(fault_of(start, kind))).ok())
    }

    fn warn(&mut self, byte: usize, kind: &'static str, text: &str) {
        self.warnings.push(Warning::new(Place::Byte(byte), kind, text));
    }

    /// Returns a text of the node that began at `start`, and those of its bytes that would be written
    /// otherwise.
    fn read_text(
        &mut self,
        start: usize,
        cell: Option<Coord>,
        bytes: &[u8],
        encoding: Option<&'static Encoding>,
    ) -> (String, Vec<RawText>) {
        let (decoded_text, words) = decoded(bytes, encoding);
        let warning = |text| Warning { place: Place::Byte(start), kind: "{}", text };
        self.warnings.extend(words.map(warning));
        let text = lines_of(&decoded_text);
        let raw_text = |text, bytes: &[u8]| RawText { cell, text, bytes: bytes.to_vec() };
        let mut raw = Vec::new();
        if cell.is_none() && decoded_text.as_bytes() != bytes {
            let lines = bytes.split(is_line_end);
            let lines = lines.filter(|line| !line.is_ascii() && line.len() < bytes.len());
            raw.extend(lines.map(|line| raw_text(decoded(line, encoding).0, line)));
        }
        if encoded(&text, cell, &[]) != bytes {
            raw.push(raw_text(text.clone(), bytes));
        }
        (text, raw)
    }

    /// Returns the next two bytes, of a node or a text that began at `start`.
    fn pair(&mut self, start: usize) -> Result<[u8; 2], ParseError> {
        let pair = self.bytes[self.at..].first_chunk();
        let pair = *pair.ok_or_else(|| fault(start, UNFINISHED))?;
        self.at += 2;
        Ok(pair)
    }

    /// Returns the text that begins here, in the form of the first versions if it `is_old`.
    fn text(&mut self, is_old: bool) -> Result<Vec<u8>, ParseError> {
        let start = self.at;
        let letters = if is_old { OLD_TEXT_END - 1 } else { u8::MAX };
        let mut text = Vec::new();
        loop {
            for byte in self.pair(start)? {
                let letter = byte & letters;
                let old = OLD_LETTERS.0.iter().position(|&old| is_old && old == letter);
                let letter = old.map_or(letter, |i| OLD_LETTERS.1[i]);
                text.extend(Some(letter).filter(|&letter| letter != 0));
                if is_old && byte & OLD_TEXT_END != 0 || !is_old && byte == 0 {
                    return Ok(text);
                }
            }
        }
    }
}

/// Takes the first line out of a comment of which `read` returns something.
fn take_line<T>(comment: &mut Vec<u8>, mut read: impl FnMut(&str) -> Option<T>) -> Option<T> {
    let mut start = 0;
    let (found, mut cut) = comment.split(is_line_end).find_map(|line| {
        let cut = start..start + line.len();
        start = cut.end + 1;
        Some((read(str::from_utf8(line).ok()?)?, cut))
    })?;
    // With it goes the end of the line before it, or else its own.
    match &comment[..cut.start] {
        [.., b'\r', b'\n'] => cut.start -= 2,
        [.., _] => cut.start -= 1,
        [] if comment[cut.end..].starts_with(b"\r\n") => cut.end += 2,
        [] => cut.end = comment.len().min(cut.end + 1),
    }
    comment.drain(cut);
    Some(found)
}

fn is_line_end(byte: &u8) -> bool {
    [SEPARATOR, b'\r', b'\n'].contains(byte)
}

/// Returns a text with its lines separated as everywhere else.
fn lines_of(text: &str) -> String {
    let separator = char::from(SEPARATOR);
    let text = text.strip_prefix(separator).unwrap_or(text);
    text.replace("\r\n", "\n").replace(separator, "\n")
}
