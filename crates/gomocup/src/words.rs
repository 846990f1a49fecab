//! From bytes to lines, and words, numbers and points as managers write them, in several forms.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use tengen_gomoku::types::{BoardSize, Coord};

/// A point as it was sent, column and row from 0; it may lie anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    pub x: i64,
    pub y: i64,
}

impl Point {
    pub fn on(self, size: BoardSize) -> Option<Coord> {
        size.coord(u8::try_from(self.x).ok()?, u8::try_from(self.y).ok()?)
    }
}

impl From<Coord> for Point {
    fn from(c: Coord) -> Point {
        Point { x: i64::from(c.x()), y: i64::from(c.y()) }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

impl FromStr for Point {
    type Err = ();

    fn from_str(text: &str) -> Result<Point, ()> {
        match numbers(text).as_deref() {
            Some(&[x, y]) => Ok(Point { x, y }),
            _ => Err(()),
        }
    }
}

pub fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// Declares an enum of words, one a row: the word and others that are read as the same, the
/// variant with its value, and what it means. `read_word` and `write_word` read and write the rows;
/// the variants of `more` are read and written by hand.
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $type:ident {
            $($word:literal $(| $other:literal)* => $name:ident $(($value:ty))?: $meaning:literal,)*
        }
        $(more { $($more:tt)* })?
    ) => {
        $(#[$meta])*
        pub enum $type {
            $(
                #[doc = concat!("`", $word, "`: ", $meaning, ".")]
                $name $(($value))?,
            )*
            $($($more)*)?
        }

        impl $type {
            #[allow(unused_variables, reason = "a word may have no value")]
            pub(crate) fn read_word(word: &str, rest: &str) -> Option<$type> {
                match word {
                    $($word $(| $other)* => Some($type::$name $((rest.parse::<$value>().ok()?))?),)*
                    _ => None,
                }
            }

            #[allow(unreachable_patterns, reason = "there may be rows alone")]
            pub(crate) fn write_word(&self, f: &mut fmt::Formatter) -> fmt::Result {
                match self {
                    $($type::$name $(($crate::words::words!(@bind value $value)))? => {
                        f.write_str($word)?;
                        $($crate::words::write_rest::<&$value>(f, value)?;)?
                        Ok(())
                    })*
                    _ => Ok(()),
                }
            }
        }
    };
    (@bind $name:ident $value:ty) => { $name };
}

pub(crate) use words;

/// Writes a blank and the value, unless that is written as nothing.
pub(crate) fn write_rest<T: fmt::Display>(f: &mut fmt::Formatter, value: T) -> fmt::Result {
    let text = value.to_string();
    if text.is_empty() { Ok(()) } else { write!(f, " {text}") }
}

pub fn split_word(line: &str) -> (&str, &str) {
    let line = line.trim_ascii();
    let end = line.find(|c: char| c.is_ascii_whitespace()).unwrap_or(line.len());
    (&line[..end], line[end..].trim_ascii())
}

/// Reads so many whole numbers with blanks between them; returns them and the rest of the line.
pub fn first_numbers<const N: usize>(line: &str) -> Option<([i64; N], &str)> {
    let (mut values, mut rest) = ([0; N], line);
    for value in &mut values {
        let (word, after) = split_word(rest);
        (*value, rest) = (number(word)?, after);
    }
    Some((values, rest))
}

const NUMBERS_MAX: usize = 4;

/// Reads at most [`NUMBERS_MAX`] whole numbers with blanks, or one comma, between them.
pub fn numbers(text: &str) -> Option<Vec<i64>> {
    let mut numbers = Vec::new();
    for field in text.split(',') {
        let mut words = field.split_ascii_whitespace().peekable();
        words.peek()?;
        for word in words {
            if numbers.len() == NUMBERS_MAX {
                return None;
            }
            numbers.push(number(word)?);
        }
    }
    Some(numbers)
}

/// Reads a whole number of digits with an optional minus; one too large is clamped.
pub fn number(word: &str) -> Option<i64> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let value = digits.parse().unwrap_or(i64::MAX);
    Some(if word.starts_with('-') { -value } else { value })
}

/// Bytes of a line beyond which it is over-long. The longest comment from Yixin-Board fits.
const LINE_MAX: usize = 64 * 1024;
/// Bytes kept of the end of an over-long line.
const TAIL: usize = 16;
/// Stands between the two kept parts; no number and no command holds it.
const CUT: &str = " \u{1} ";
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Returns true if a line is over-long, so that its middle is missing.
pub(crate) fn is_cut(line: &str) -> bool {
    line.contains(CUT)
}

/// The command that sets a comment, the only line that may hold line breaks.
pub(crate) const EDIT_TEXT: &str = "YXEDITTEXTDATABASE";

/// Cuts a stream of bytes into lines, which end with LF, CR or CRLF; the byte order mark at the start
/// goes, and so do blank lines. A line keeps its first `LINE_MAX` bytes and its last `TAIL`:
/// enough to judge an over-long one by its first word and to see a DONE at its end. The text of
/// `YXEDITTEXTDATABASE "text"` may hold line breaks, up to that length.
#[derive(Clone, Debug, Default)]
pub struct LineSplitter {
    bytes: Vec<u8>,
    first_is_over: bool,
    is_quoted: bool,
    is_escaped: bool,
}

impl LineSplitter {
    /// Takes one byte and returns a line if it ended one. CRLF ends a line and a blank one.
    pub fn push(&mut self, byte: u8) -> Option<String> {
        let is_text = self.is_quoted && self.bytes.len() <= LINE_MAX;
        if byte == b'"' && !self.is_escaped {
            let word = self.bytes.trim_ascii_end();
            self.is_quoted = !self.is_quoted && word.eq_ignore_ascii_case(EDIT_TEXT.as_bytes());
        }
        self.is_escaped = self.is_quoted && byte == b'\\' && !self.is_escaped;
        match byte {
            b'\n' | b'\r' if !is_text => return self.finish(),
            // Leading blanks say nothing and must not fill the line.
            b' ' | b'\t' if self.bytes.is_empty() => {}
            _ => self.bytes.push(byte),
        }
        if self.bytes.len() > LINE_MAX + 2 * TAIL {
            self.bytes.drain(LINE_MAX..LINE_MAX + TAIL);
        }
        None
    }

    pub fn finish(&mut self) -> Option<String> {
        let (mut head, tail) = self.bytes.split_at(self.bytes.len().min(LINE_MAX));
        if !self.first_is_over {
            head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
        }
        let cut = if tail.is_empty() { "" } else { CUT };
        let [head, tail] = [head, tail].map(String::from_utf8_lossy);
        let text = format!("{head}{cut}{tail}");
        *self = LineSplitter { first_is_over: true, ..LineSplitter::default() };
        let text = text.trim_ascii();
        if text.is_empty() { None } else { Some(text.to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_comma_at_most_between_them() {
        for text in ["1,2", " 1 , 2 ", "1 2", "1\t2"] {
            assert_eq!(numbers(text), Some(vec![1, 2]), "{text}");
        }
        for text in ["", "1,,2", ",1", "1,", "1,x", "+1", "1.5", "--1", "1 2 3 4 5"] {
            assert_eq!(numbers(text), None, "{text}");
        }
        assert_eq!(number("-99999999999999999999"), Some(-i64::MAX));
    }

    #[test]
    fn a_point_may_lie_off_the_board() {
        let size = BoardSize::new(20, 15).unwrap();
        assert_eq!(Point { x: 19, y: 14 }.on(size), Some(Coord::new(19, 14)));
        for (x, y) in [(14, 19), (-1, 0), (0, 256), (i64::MAX, 0)] {
            assert_eq!(Point { x, y }.on(size), None, "{x},{y}");
        }
    }

    fn lines(input: &[u8]) -> Vec<String> {
        let mut splitter = LineSplitter::default();
        let mut lines: Vec<String> = input.iter().filter_map(|&byte| splitter.push(byte)).collect();
        lines.extend(splitter.finish());
        lines
    }

    #[test]
    fn every_line_end_is_recognised() {
        assert_eq!(lines(b"a\rb\nc\r\nd\r\n\r\n\n\r e f \t\ng"), ["a", "b", "c", "d", "e f", "g"]);
        assert!(lines(b"").is_empty() && lines(b" \t\r\n").is_empty());
    }

    #[test]
    fn a_line_goes_on_to_the_end_of_a_quoted_comment() {
        for text in ["a\nEND\r\n\ndone", "\\\"\nb\\\\", ""] {
            let line = format!("yxEditTextDatabase \t\"{text}\"7,7");
            assert_eq!(lines(format!("{line}\ndone\n").as_bytes()), [&line, "done"]);
        }
        for line in ["yxedittextdatabase a\"b", "yxedittextdatabase \"a\" \"", "FOO \"a"] {
            assert_eq!(lines(format!("{line}\nEND\n").as_bytes()), [line, "END"]);
        }
        // A quote that stays open takes no more than an over-long line.
        let open = [b"YXEDITTEXTDATABASE \"", "a\n".repeat(LINE_MAX).as_bytes()].concat();
        let lines = lines(&[&open, b"END".as_slice()].concat());
        assert!(is_cut(&lines[0]) && lines[1] == "a" && lines.last().unwrap() == "END");
    }

    #[test]
    fn foreign_bytes_are_survived() {
        assert_eq!(lines(b"\xEF\xBB\xBFSTART 15\n"), ["START 15"]);
        assert_eq!(lines(b"\n\xFF\xFE\0x\n"), ["\u{FFFD}\u{FFFD}\0x"]);
    }

    #[test]
    fn an_over_long_line_keeps_its_first_word_and_its_end() {
        let mut input = b"BOARD ".to_vec();
        input.extend(std::iter::repeat_n(b'x', 1 << 20));
        input.extend(b" DONE\nSTART 15\n");
        let lines = lines(&input);
        assert!(lines[0].len() <= LINE_MAX + 2 * TAIL + CUT.len());
        assert!(lines[0].starts_with("BOARD x") && lines[0].ends_with(" DONE"));
        assert_eq!(lines[1..], ["START 15"]);
    }
}
