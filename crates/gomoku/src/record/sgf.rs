//! Reads SGF, the Smart Game Format, for Gomoku and Renju: FF[4] GM[4] as on
//! <https://www.red-bean.com/sgf/>, all games of a collection with their variations.
//!
//! An error ends its variation, and the rest is read. Older files write several moves in one node,
//! or names such as White. What other programs are known to write against the standard is read with
//! a warning, and properties without a meaning here are kept. A point is a letter for the column and
//! one for the row, from the upper left corner. The openings of Gomoku Quest are the properties `QPR`
//! and `QSLB` or `QSLW`: lists of stones, by turns.

mod scanner;
mod writer;

pub(super) use writer::write;

use std::mem::{replace, take};

use super::ParseErrorKind::{self, Words};
use super::error::{Place, REST, UNKNOWN_RULE, Warning, line};
use super::parsed::ParsedGame;
use super::text::{is_renju_title, rule_in_title, rule_named};
use super::tree::{Editor, GameTree, Mark, NodeId, Notes, Quality, Step};
use super::{Outcome, ParseError};
use crate::board::notation::parse_point;
use crate::types::{BoardSize, Color, Coord, Rows, Rule};
use scanner::{Scanner, is_name, text};

/// The number of Gomoku and Renju among SGF's games.
const GAME: &str = "4";
/// Numbers that programs for Gomoku write instead: Go's, and those of other games.
const OTHER_GAMES: [&str; 3] = ["1", "5", "11"];
/// Properties whose values are no texts.
const PLAIN: [&str; 19] = [
    "B", "W", "AB", "AW", "AE", "PL", "SZ", "GM", "FF", "CR", "MA", "SQ", "TR", "SL", "5A", "QPR",
    "QSLB", "QSLW", "HO",
];
const MARKS: [(Mark, &str); 5] = [
    (Mark::Circle, "CR"),
    (Mark::Cross, "MA"),
    (Mark::Square, "SQ"),
    (Mark::Triangle, "TR"),
    (Mark::Selected, "SL"),
];
/// The properties of what an annotator thinks, with their values.
const QUALITIES: [(Quality, &str, &str); 6] = [
    (Quality::VeryGood, "TE", "2"),
    (Quality::Good, "TE", "1"),
    (Quality::Interesting, "IT", ""),
    (Quality::Doubtful, "DO", ""),
    (Quality::Bad, "BM", "1"),
    (Quality::VeryBad, "BM", "2"),
];
/// On boards up to this length `tt` is a pass, as older files write it.
const OLD_PASS_MAX: u8 = 19;

/// Returns true if a node may have this property; the tree keeps its text unchanged.
pub(super) fn is_property(name: &str, values: &[String], size: BoardSize) -> bool {
    let written: String = values.iter().map(|value| format!("[{value}]")).collect();
    let games = parse(&format!("(;{name}{written})"), size);
    let [ParsedGame { tree, faults, .. }] = games.as_slice() else { return false };
    let is_kept = |notes: &Notes| notes.properties == [(name.to_owned(), values.to_vec())];
    faults.is_empty() && tree.len() == 1 && tree.notes(tree.root()).is_some_and(is_kept)
}

impl GameTree {
    /// Returns the tree as an SGF file, which can hold all of it but times.
    pub fn to_sgf(&self) -> String {
        write(&self.counted_from(Rows::Top))
    }
}

pub(super) fn holds_game(text: &str) -> bool {
    Scanner::new(text).skip_to_game()
}

/// Reads a collection of games; `size` is the board of those that name none.
pub(super) fn parse(text: &str, size: BoardSize) -> Vec<ParsedGame> {
    let mut scanner = Scanner::new(text);
    let mut entries = Vec::new();
    while scanner.skip_to_game() {
        let line = scanner.line;
        let mut game = GameReader {
            scanner,
            editor: Editor::new(GameTree::new(root_size(scanner).unwrap_or(size))),
            branches: Vec::new(),
            is_fresh: false,
            notes: Notes::default(),
            end: None,
            title: None,
            faults: Vec::new(),
            warnings: Vec::new(),
        };
        game.read();
        game.read_title();
        scanner = game.scanner;
        let mut next = scanner;
        next.skip_to_game();
        if let Some(word) = scanner.word_before(&next) {
            game.warn(REST, word);
        }
        let end = game.end.unwrap_or(game.editor.at());
        let GameReader { editor, faults, warnings, .. } = game;
        let mut tree = editor.tree;
        tree.end_main_line(end);
        tree.take_end_mark();
        entries.push(ParsedGame { line, tree, faults, warnings, default_rule: None });
    }
    entries
}

struct GameReader<'a> {
    scanner: Scanner<'a>,
    editor: Editor,
    /// The node before each open bracket.
    branches: Vec<NodeId>,
    /// A node has begun that is not in the tree yet: its move is still to come.
    is_fresh: bool,
    notes: Notes,
    /// The last node of the main line, once it has ended.
    end: Option<NodeId>,
    title: Option<(usize, String)>,
    faults: Vec<ParseError>,
    warnings: Vec<Warning>,
}

impl GameReader<'_> {
    fn read(&mut self) {
        let mut is_root = true;
        while let Some(sign) = self.scanner.peek_nonblank() {
            if b"();".contains(&sign) {
                self.finish_node();
                self.scanner.next();
            }
            match sign {
                b'(' => {
                    self.branches.push(self.editor.at());
                    self.is_fresh = true;
                }
                b')' => {
                    let start = self.branches.pop();
                    let is_over = self.branches.is_empty();
                    // A branch without a node is none, and the next one is the main line.
                    if is_over || start != Some(self.editor.at()) {
                        self.end.get_or_insert(self.editor.at());
                    }
                    if is_over {
                        return;
                    }
                    while Some(self.editor.at()) != start && self.editor.leave() {}
                    self.is_fresh = true;
                }
                b';' => self.is_fresh = !replace(&mut is_root, false),
                _ => {
                    if take(&mut is_root) {
                        self.warn("the game begins without ';', which is added", "");
                        self.is_fresh = false;
                    }
                    if let Err(kind) = self.property(sign) {
                        self.fail(kind, self.end.is_none());
                        // The bracket that closes this branch, if any, is dealt with above.
                        self.notes = Notes::default();
                        self.is_fresh = false;
                        self.scanner.skip_branch();
                    }
                }
            }
        }
        self.finish_node();
        // An earlier fault says enough.
        if self.end.is_none() || self.faults.is_empty() {
            self.fail(unfinished(), self.end.is_none());
        }
    }

    fn fail(&mut self, kind: ParseErrorKind, breaks_main_line: bool) {
        if breaks_main_line {
            self.end = Some(self.editor.at());
        }
        let place = Place::Line(self.scanner.line);
        self.faults.push(ParseError { place, kind, breaks_main_line });
    }

    fn warn(&mut self, kind: &'static str, text: &str) {
        self.warn_at(self.scanner.line, kind, text);
    }

    fn warn_at(&mut self, line: usize, kind: &'static str, text: &str) {
        self.warnings.push(Warning::new(Place::Line(line), kind, text));
    }

    /// Takes the rule from the name of the game, if nothing else names one.
    fn read_title(&mut self) {
        let Some((line, title)) = self.title.take() else { return };
        if self.editor.tree.rule.is_some() {
            return;
        }
        let name = rule_in_title(&title).unwrap_or_default();
        if rule_named(name).is_none() && is_renju_title(&title) {
            self.editor.tree.rule = Some(Rule::Renju);
            let kind = "the rule is taken to be renju from the game's name '{}'";
            self.warn_at(line, kind, &title);
        } else {
            self.set_rule(name, line);
        }
    }

    fn set_rule(&mut self, name: &str, line: usize) {
        match rule_named(name) {
            Some(rule) => self.editor.tree.rule = Some(rule),
            None if name.trim().is_empty() => {}
            None => self.warn_at(line, UNKNOWN_RULE, name),
        }
    }

    /// Reads the property that begins here, with all its values.
    fn property(&mut self, sign: u8) -> Result<(), ParseErrorKind> {
        let start = self.scanner;
        let name = self.scanner.name();
        let end = self.scanner;
        let is_property = sign.is_ascii_alphabetic() || is_name(&name);
        if self.scanner.peek_nonblank() != Some(b'[') || !is_property {
            let found = self.scanner.peek_char();
            return Err(found.map_or_else(unfinished, |c| Words(format!("unexpected {c:?}"))));
        }
        let mut rest = Vec::new();
        let mut has_point = false;
        while self.scanner.peek_nonblank() == Some(b'[') {
            let value = value_of(&mut self.scanner, &name);
            let (value, has_bracket) = value.ok_or_else(unfinished)?;
            if has_bracket {
                self.warn("a ']' without '\\' before it is taken for a part of the text", "");
            }
            if ["B", "W"].contains(&name.as_str()) && replace(&mut has_point, true) {
                self.warn("a move has one point, '{}' is read as one more move", value);
            }
            if !self.value(&name, value)? {
                rest.push(with_escapes(value));
            }
        }
        if !is_name(&name) {
            // Old names without capital letters cannot be written again.
            let word = start.word_before(&end).unwrap_or_default();
            self.warn("the property '{}' is left out", word);
        } else if !rest.is_empty() {
            self.notes.properties.push((name, rest));
        }
        Ok(())
    }

    /// Takes a value of a property; returns false if it is to be kept as it stands.
    fn value(&mut self, name: &str, value: &str) -> Result<bool, ParseErrorKind> {
        let size = self.editor.tree.size();
        match name {
            "GM" if OTHER_GAMES.contains(&value.trim()) => {
                self.warn("GM[{}] is not Gomoku, GM[4]; it is read as Gomoku", value);
            }
            "GM" if value.trim() != GAME => {
                return Err(Words(format!("GM[{}] is not Gomoku or Renju, GM[4]", line(value))));
            }
            "SZ" if board_size(value).is_none() => return Err(ParseErrorKind::Size(value.into())),
            "SZ" if board_size(value) != Some(size) => {
                let text = line(value);
                return Err(Words(format!("SZ[{text}] is not the size of this game's board")));
            }
            // What every file that is written gets anew.
            "GM" | "SZ" | "FF" | "CA" | "AP" => {}
            "PB" | "PW" => self.editor.tree.players[color_of(name)] = text(value),
            "RU" => {
                self.set_rule(&text(value), self.scanner.line);
                return Ok(false);
            }
            "GN" => {
                self.title = Some((self.scanner.line, text(value)));
                return Ok(false);
            }
            "QPR" | "QSLB" | "QSLW" => {
                for place in value.split(',').filter(|place| !place.trim().is_empty()) {
                    self.play(self.editor.to_move(), place)?;
                }
            }
            "RE" => {
                // Only the main line holds the result of the game.
                if self.end.is_none() {
                    self.editor.tree.outcome = outcome(&text(value));
                }
                return Ok(false);
            }
            "B" | "W" => self.play(color_of(name), value)?,
            "AB" | "AW" => self.set_up(value, Some(color_of(name)))?,
            "AE" => self.set_up(value, None)?,
            "PL" => {
                let color = match value.trim() {
                    "B" | "b" | "black" => Color::Black,
                    "W" | "w" | "white" => Color::White,
                    // An unknown value is kept as text and sets no color.
                    _ => return Ok(false),
                };
                self.open_setup()?;
                self.editor.set_to_move(color);
            }
            "C" => {
                let comment = &mut self.notes.comment;
                if !comment.is_empty() {
                    comment.push('\n');
                }
                *comment += &text(value);
            }
            // Any other text is no sign of a good move: c-gomoku-cli writes here how a game ended.
            "TE" if !matches!(value.trim(), "" | "1" | "2") => return Ok(false),
            "TE" | "BM" | "IT" | "DO" => {
                let degree = if value.trim() == "2" { "2" } else { "1" };
                let is_this = |&&(_, own, own_degree): &&(Quality, &str, &str)| {
                    own == name && (own_degree.is_empty() || own_degree == degree)
                };
                self.notes.quality = QUALITIES.iter().find(is_this).map(|&(quality, ..)| quality);
            }
            "HO" => self.notes.is_bookmark = true,
            "LB" => {
                let (place, label) = value.split_once(':').unwrap_or((value, ""));
                match self.point(place) {
                    Ok(c) => self.notes.labels.push((c, text(label))),
                    Err(kind) => self.fail(kind, false),
                }
            }
            _ => {
                let mark = MARKS.iter().find(|(_, own)| *own == name);
                let Some(&(mark, _)) = mark else { return Ok(false) };
                match self.rectangle(value) {
                    Ok(cells) => self.notes.marks.extend(cells.map(|c| (c, mark))),
                    Err(kind) => self.fail(kind, false),
                }
            }
        }
        Ok(true)
    }

    fn play(&mut self, color: Color, value: &str) -> Result<(), ParseErrorKind> {
        let value = value.trim();
        let size = self.editor.tree.size();
        let is_small = size.width() <= OLD_PASS_MAX && size.height() <= OLD_PASS_MAX;
        let step = if value.is_empty() || value == "tt" && is_small {
            Step::Pass(color)
        } else {
            Step::Stone(color, self.point(value)?)
        };
        // What was said before a second move belongs to the first.
        if !self.is_fresh {
            self.finish_node();
        }
        self.editor.add(Some(step))?;
        self.is_fresh = false;
        Ok(())
    }

    /// Sets up the stones of a point or of a rectangle `corner:corner`, or clears its cells.
    fn set_up(&mut self, value: &str, color: Option<Color>) -> Result<(), ParseErrorKind> {
        let mut cells = self.rectangle(value)?;
        self.open_setup()?;
        let set_up = cells.try_for_each(|c| self.editor.set_up(c, color));
        // A position of which a part is wrong is none.
        set_up.inspect_err(|_| self.editor.clear_setup())
    }

    /// Goes to a node that can set stones up.
    fn open_setup(&mut self) -> Result<(), ParseErrorKind> {
        if self.editor.tree.step(self.editor.at()).is_some() && !self.is_fresh {
            self.finish_node();
            self.is_fresh = true;
        }
        if self.is_fresh {
            self.editor.add(None)?;
            self.is_fresh = false;
        }
        Ok(())
    }

    fn point(&mut self, text: &str) -> Result<Coord, ParseErrorKind> {
        let (text, size) = (text.trim(), self.editor.tree.size());
        if let Some(c) = point(text, size) {
            return Ok(c);
        }
        let c = odd_point(text, size).ok_or_else(|| ParseErrorKind::NoPoint(text.into()))?;
        let kind = match text.bytes().any(|byte| byte.is_ascii_digit()) {
            true => "the point '{}' should be two small letters; rows are counted from the bottom",
            false => "the point '{}' should be two small letters",
        };
        self.warn(kind, text);
        Ok(c)
    }

    /// Returns the cells of a point or of a rectangle `corner:corner`.
    fn rectangle(
        &mut self,
        text: &str,
    ) -> Result<impl Iterator<Item = Coord> + use<>, ParseErrorKind> {
        let (first, last) = text.split_once(':').unwrap_or((text, text));
        let (first, last) = (self.point(first)?, self.point(last)?);
        // SGF asks for the upper left corner first, but some files begin with another one.
        let between = |a: u8, b: u8| a.min(b)..=a.max(b);
        let (columns, rows) = (between(first.x(), last.x()), between(first.y(), last.y()));
        Ok(rows.flat_map(move |y| columns.clone().map(move |x| Coord::new(x, y))))
    }

    /// Gives the node that ends here its notes.
    fn finish_node(&mut self) {
        if self.notes.is_empty() || self.is_fresh && self.editor.add(None).is_err() {
            return;
        }
        self.is_fresh = false;
        *self.editor.notes() = take(&mut self.notes);
    }
}

fn unfinished() -> ParseErrorKind {
    Words("the game does not end, a ')' is missing".to_owned())
}

/// Returns the color whose letter ends the name of a property.
fn color_of(name: &str) -> Color {
    if name.ends_with('B') { Color::Black } else { Color::White }
}

/// Returns the size that the root of the game names which begins here.
fn root_size(mut scanner: Scanner) -> Option<BoardSize> {
    while matches!(scanner.peek_nonblank(), Some(b'(' | b';')) {
        scanner.next();
    }
    while scanner.peek_nonblank().is_some_and(|sign| sign.is_ascii_alphanumeric()) {
        let name = scanner.name();
        while scanner.peek_nonblank() == Some(b'[') {
            let (value, _) = value_of(&mut scanner, &name)?;
            if name == "SZ" {
                return board_size(value);
            }
        }
    }
    None
}

fn board_size(value: &str) -> Option<BoardSize> {
    value.trim().replace(':', "x").parse().ok()
}

/// Returns the next value of a property as it stands, and true if it has a `]` that should be
/// escaped.
fn value_of<'a>(scanner: &mut Scanner<'a>, name: &str) -> Option<(&'a str, bool)> {
    match PLAIN.contains(&name) {
        true => scanner.value().map(|value| (value, false)),
        false => scanner.text_value(),
    }
}

fn with_escapes(value: &str) -> String {
    let mut escaped = String::new();
    let mut is_escaped = false;
    for c in value.chars() {
        if c == ']' && !is_escaped {
            escaped.push('\\');
        }
        is_escaped = c == '\\' && !is_escaped;
        escaped.push(c);
    }
    escaped
}

fn point(text: &str, size: BoardSize) -> Option<Coord> {
    // Capitals are the letters after z, and off every board.
    let index = |letter: u8| letter.checked_sub(b'a');
    match *text.as_bytes() {
        [x, y] => size.coord(index(x)?, index(y)?),
        _ => None,
    }
}

/// Returns the point that a program names by two capitals, or as `h8` with rows from the bottom,
/// against the standard.
fn odd_point(text: &str, size: BoardSize) -> Option<Coord> {
    if text.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return point(&text.to_ascii_lowercase(), size);
    }
    parse_point(text, size).map(|c| size.flipped(c))
}

fn outcome(text: &str) -> Option<Outcome> {
    match text.trim().to_ascii_lowercase().as_str() {
        "0" | "draw" | "b+draw" | "w+draw" => Some(Outcome::Drawn),
        text if text.starts_with("b+") => Some(Outcome::Won(Color::Black)),
        text if text.starts_with("w+") => Some(Outcome::Won(Color::White)),
        _ => None,
    }
}
