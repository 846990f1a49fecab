//! Numbers and points as managers write them, in several forms.
//!
//! Pure parsing: whether a point is on the board is not judged here. Invariant: no input panics.

/// A point as it was sent; it may lie anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Column, counted from 0.
    pub x: i64,
    /// Row, counted from 0.
    pub y: i64,
}

/// Reads whole numbers with one comma, blanks, or one comma among blanks between them.
pub fn numbers(text: &str) -> Option<Vec<i64>> {
    let mut numbers = Vec::new();
    for field in text.split(',') {
        let mut words = field.split_ascii_whitespace().peekable();
        words.peek()?;
        for word in words {
            if numbers.len() == 4 {
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
