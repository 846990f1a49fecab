//! Words, numbers and points as managers write them, in several forms.
//!
//! Pure parsing: a point may lie off the board. Invariant: never panics.

use crate::types::{BoardSize, Coord};

/// A point as it was sent; it may lie anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Column, counted from 0.
    pub x: i64,
    /// Row, counted from 0.
    pub y: i64,
}

impl Point {
    /// Returns the cell of the point on a board of this size, if it is on the board.
    pub fn on(self, size: BoardSize) -> Option<Coord> {
        size.coord(u8::try_from(self.x).ok()?, u8::try_from(self.y).ok()?)
    }
}

/// Splits a line into its first word and the trimmed rest.
pub fn split_word(line: &str) -> (&str, &str) {
    let line = line.trim_ascii();
    let end = line.find(|c: char| c.is_ascii_whitespace()).unwrap_or(line.len());
    (&line[..end], line[end..].trim_ascii())
}

/// Reads so many whole numbers with blanks between them; returns them and the rest of the line.
pub fn first_numbers<const N: usize>(line: &str) -> Option<([i64; N], &str)> {
    let (mut values, mut rest) = ([0; N], line);
    for value in &mut values {
        let (word, behind) = split_word(rest);
        (*value, rest) = (number(word)?, behind);
    }
    Some((values, rest))
}

/// The most numbers of a line that mean anything.
const NUMBERS_MAX: usize = 4;

/// Reads whole numbers with one comma, blanks, or one comma among blanks between them; `None` for
/// more than [`NUMBERS_MAX`].
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
    let (negative, digits) = match word.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, word),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // Only too many digits can fail here.
    let value = digits.parse().unwrap_or(i64::MAX);
    Some(if negative { -value } else { value })
}
