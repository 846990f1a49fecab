//! SGF, the Smart Game Format, for Gomoku and Renju: FF[4] GM[4] as on <https://www.red-bean.com/sgf/>.
//!
//! Reads the main line of every game of a collection: its first node, and of several variations
//! always the first, which is everything up to the first `)`. Set-up stones, passes and the side
//! to move are understood, all else is skipped. A point is a letter for the column and one for the
//! row, both from the upper left corner.

use std::time::Duration;

use super::{Entry, Outcome, ParseError, ParseErrorKind, Record, Stone};
use crate::types::{BoardSize, Color, Coord, Rule};

/// The number of Gomoku and Renju among SGF's games.
const GAME: &str = "4";
/// On boards up to this length `tt` is a pass, as older files write it.
const OLD_PASS_MAX: u8 = 19;
/// Moves in one line of a file written here.
const MOVES_A_LINE: usize = 10;

/// Reads a collection of games.
pub(super) fn parse(text: &str, size: BoardSize) -> Vec<Entry> {
    let mut reader = Reader { bytes: text.as_bytes(), at: 0, line: 1 };
    let mut entries = Vec::new();
    while reader.skip_to_game() {
        let line = reader.line;
        let start = reader;
        let result = game(&mut reader, size);
        let record = result.map_err(|kind| ParseError { line: reader.line, kind });
        entries.push(Entry { line, record });
        // Whatever was wrong inside a game, the next one begins after its end.
        reader = start;
        reader.skip_game();
    }
    entries
}

/// Reads the main line of the game that begins here.
fn game(reader: &mut Reader, size: BoardSize) -> Result<Record, ParseErrorKind> {
    let mut builder = Builder { record: Record::new(size), turn_is_told: false };
    loop {
        match reader.next_sign() {
            Some(b'(' | b';') => {}
            Some(b')') => break,
            Some(byte) if byte.is_ascii_alphabetic() => {
                // Older files write names such as White, of which the capital letters count.
                let name = reader.name(byte);
                if reader.peek_sign() != Some(b'[') {
                    return Err(reader.unexpected());
                }
                while reader.peek_sign() == Some(b'[') {
                    let value = reader.value().ok_or(ParseErrorKind::Unfinished)?;
                    builder.property(&name, &value)?;
                }
            }
            Some(byte) => return Err(ParseErrorKind::Unexpected(byte.into())),
            None => return Err(ParseErrorKind::Unfinished),
        }
    }
    Ok(builder.record)
}

/// A record that grows with the properties of its file.
struct Builder {
    record: Record,
    /// True if the file says who moves first.
    turn_is_told: bool,
}

impl Builder {
    fn property(&mut self, name: &str, value: &str) -> Result<(), ParseErrorKind> {
        let record = &mut self.record;
        match name {
            "GM" if value.trim() != GAME => return Err(ParseErrorKind::Game(value.into())),
            "SZ" => {
                let size = BoardSize::parse(value.trim().replace(':', "x").as_str());
                record.size = size.ok_or_else(|| ParseErrorKind::Size(value.into()))?;
                let is_off = |stone: &&Stone| record.size.coord(stone.c.x(), stone.c.y()).is_none();
                if let Some(stone) = record.stones.iter().find(is_off) {
                    return Err(ParseErrorKind::OffBoard(stone.c));
                }
            }
            "RU" => record.rule = rule(value),
            "PB" => record.players[Color::Black] = value.into(),
            "PW" => record.players[Color::White] = value.into(),
            "RE" => record.outcome = outcome(value),
            "B" => self.play(Color::Black, value)?,
            "W" => self.play(Color::White, value)?,
            "AB" => self.set_up(value, Some(Color::Black))?,
            "AW" => self.set_up(value, Some(Color::White))?,
            "AE" => self.set_up(value, None)?,
            "PL" => {
                record.to_move = match value.trim() {
                    "W" | "w" | "white" => Color::White,
                    _ => Color::Black,
                };
                self.turn_is_told = true;
            }
            _ => {}
        }
        Ok(())
    }

    /// Plays a move or passes.
    fn play(&mut self, color: Color, value: &str) -> Result<(), ParseErrorKind> {
        let value = value.trim();
        let size = self.record.size;
        let is_small = size.width() <= OLD_PASS_MAX && size.height() <= OLD_PASS_MAX;
        if value.is_empty() || value == "tt" && is_small {
            self.record.to_move = !color;
            return Ok(());
        }
        let c = point(value, size)?;
        self.record.place(Stone { c, color, time: Duration::ZERO })
    }

    /// Sets up the stones of a point or of a rectangle `corner:corner`, or clears its cells.
    fn set_up(&mut self, value: &str, color: Option<Color>) -> Result<(), ParseErrorKind> {
        let size = self.record.size;
        let (first, last) = value.split_once(':').unwrap_or((value, value));
        let (first, last) = (point(first.trim(), size)?, point(last.trim(), size)?);
        for y in first.y()..=last.y() {
            for x in first.x()..=last.x() {
                let c = Coord::new(x, y);
                match color {
                    Some(color) => self.record.set_up(c, color)?,
                    None => {
                        self.record.stones.retain(|stone| stone.c != c);
                        self.record.setup = self.record.stones.len();
                    }
                }
            }
        }
        if !self.turn_is_told {
            self.record.turn_by_count();
        }
        Ok(())
    }
}

/// Returns the point that two letters name.
fn point(text: &str, size: BoardSize) -> Result<Coord, ParseErrorKind> {
    let index = |letter: u8| match letter {
        b'a'..=b'z' => letter - b'a',
        // Capitals are the letters after z, and off every board.
        _ => u8::MAX,
    };
    let c = match *text.as_bytes() {
        [x, y] => size.coord(index(x), index(y)),
        _ => None,
    };
    c.ok_or_else(|| ParseErrorKind::NoPoint(text.into()))
}

/// Returns the rule that a file's text names: ours, or a manager's number.
fn rule(text: &str) -> Option<Rule> {
    let text = text.trim();
    Rule::from_name(text).or(match text {
        "0" => Some(Rule::Freestyle),
        "1" => Some(Rule::Standard),
        "4" => Some(Rule::Renju),
        "8" => Some(Rule::Caro),
        "9" => Some(Rule::CaroExact),
        _ => None,
    })
}

fn outcome(text: &str) -> Option<Outcome> {
    match text.trim() {
        "0" | "Draw" => Some(Outcome::Drawn),
        text if text.starts_with("B+") => Some(Outcome::Won(Color::Black)),
        text if text.starts_with("W+") => Some(Outcome::Won(Color::White)),
        _ => None,
    }
}

/// The bytes of a file, and where in it reading has come.
#[derive(Clone, Copy)]
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        self.line += usize::from(byte == b'\n');
        Some(byte)
    }

    /// Skips blanks and returns the next byte without taking it.
    fn peek_sign(&mut self) -> Option<u8> {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.next();
        }
        self.peek()
    }

    fn next_sign(&mut self) -> Option<u8> {
        self.peek_sign()?;
        self.next()
    }

    /// Returns the capital letters of the property name that begins with `first`.
    fn name(&mut self, first: u8) -> String {
        let mut name = vec![first];
        while let Some(byte) = self.peek().filter(u8::is_ascii_alphanumeric) {
            name.push(byte);
            self.next();
        }
        name.into_iter().filter(|byte| !byte.is_ascii_lowercase()).map(char::from).collect()
    }

    /// Reads the value in the brackets that open here, without its escapes; `None` if they do not
    /// close.
    fn value(&mut self) -> Option<String> {
        let mut value = Vec::new();
        self.next();
        loop {
            match self.next()? {
                b']' => return Some(String::from_utf8_lossy(&value).into_owned()),
                b'\\' => match self.next()? {
                    // An escaped line break is none.
                    b'\r' if self.peek() == Some(b'\n') => _ = self.next(),
                    b'\n' | b'\r' => {}
                    byte => value.push(byte),
                },
                byte => value.push(byte),
            }
        }
    }

    /// Goes to the next `(` that a `;` follows, and returns true if there is one.
    fn skip_to_game(&mut self) -> bool {
        while self.peek().is_some() {
            if self.peek() == Some(b'(') {
                let rest = &self.bytes[self.at + 1..];
                if rest.trim_ascii_start().first() == Some(&b';') {
                    return true;
                }
            }
            self.next();
        }
        false
    }

    /// Goes behind the end of the game that begins here, variations and all.
    fn skip_game(&mut self) {
        let mut depth = 0;
        loop {
            match self.peek_sign() {
                Some(b'[') => {
                    if self.value().is_none() {
                        return;
                    }
                    continue;
                }
                Some(b'(') => depth += 1,
                Some(b')') => depth -= 1,
                Some(_) => {}
                None => return,
            }
            self.next();
            if depth == 0 {
                return;
            }
        }
    }

    /// Returns what there is instead of what should be.
    fn unexpected(&mut self) -> ParseErrorKind {
        let rest = String::from_utf8_lossy(&self.bytes[self.at..]);
        rest.chars().next().map_or(ParseErrorKind::Unfinished, ParseErrorKind::Unexpected)
    }
}

/// Returns the text of a file.
pub(super) fn write(record: &Record) -> String {
    let mut text = String::from("(;FF[4]GM[4]CA[UTF-8]");
    let mut property = |name: &str, value: &str| {
        text += &format!("{name}[{}]", escaped(value));
    };
    property("AP", concat!("Tengen:", env!("CARGO_PKG_VERSION")));
    let (width, height) = (record.size.width(), record.size.height());
    let is_square = width == height;
    let size = if is_square { width.to_string() } else { format!("{width}:{height}") };
    property("SZ", &size);
    if let Some(rule) = record.rule {
        property("RU", rule.name());
    }
    for (name, player) in ["PB", "PW"].into_iter().zip(&record.players) {
        if !player.is_empty() {
            property(name, player);
        }
    }
    if let Some(outcome) = record.outcome {
        property(
            "RE",
            match outcome {
                Outcome::Won(Color::Black) => "B+",
                Outcome::Won(Color::White) => "W+",
                Outcome::Drawn => "0",
            },
        );
    }
    let (setup, moves) = record.stones.split_at(record.setup);
    for (name, color) in [("AB", Color::Black), ("AW", Color::White)] {
        let mut points = setup.iter().filter(|stone| stone.color == color).peekable();
        if points.peek().is_some() {
            text += name;
        }
        points.for_each(|stone| text += &format!("[{}]", letters(stone.c)));
    }
    let first = moves.first().map_or(record.to_move, |stone| stone.color);
    // Otherwise black begins.
    if !setup.is_empty() || first == Color::White {
        text += if first == Color::Black { "PL[B]" } else { "PL[W]" };
    }
    for (i, stone) in moves.iter().enumerate() {
        text += if i % MOVES_A_LINE == 0 { "\n;" } else { ";" };
        text += if stone.color == Color::Black { "B" } else { "W" };
        text += &format!("[{}]", letters(stone.c));
    }
    // Only a pass can leave the move to the one who moved last.
    if moves.last().is_some_and(|stone| stone.color == record.to_move) {
        text += if record.to_move == Color::Black { ";W[]" } else { ";B[]" };
    }
    text + ")\n"
}

fn letters(c: Coord) -> String {
    [b'a' + c.x(), b'a' + c.y()].map(char::from).iter().collect()
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if matches!(c, '\\' | ']') {
            escaped.push('\\');
        }
        escaped.push(if c.is_control() { ' ' } else { c });
    }
    escaped
}
