//! Lists of moves as people write them, one a line: `h8i9h10`, `1. h8 2. i9`, `h8-i9`, or offsets
//! from the center such as `0,0, -1,2`. What follows a `#` is a comment.

use std::time::Duration;

use super::error::{Warning, WarningKind};
use super::files::ParsedRecord;
use super::playok::moves_of_link;
use super::{ParseError, ParseErrorKind, Record};
use crate::board::notation::{NotationError, parse_offsets, parse_points};
use crate::types::{BoardSize, Coord};

/// What may stand between moves.
const SEPARATORS: &str = ",;.:-_+|/>[]()\"'→–—−‑·•，、；：。“”‘’";

/// Reads a line; `None` if there is nothing in it.
pub(super) fn parse_line(text: &str, line: usize, size: BoardSize) -> Option<ParsedRecord> {
    let text = text.split('#').next().unwrap_or_default();
    if text.trim().is_empty() {
        return None;
    }
    let linked = moves_of_link(text);
    let points = points(linked.unwrap_or(text), size).map_err(ParseErrorKind::Notation);
    let mut record = Record::new(size);
    let result = points
        .and_then(|points| points.into_iter().try_for_each(|c| record.play(c, Duration::ZERO)));
    let record = result.map(|()| record).map_err(|kind| ParseError { line, kind });
    let warning = linked.map(|_| Warning::at_line(line, WarningKind::Rows));
    Some(ParsedRecord {
        warnings: warning.into_iter().collect(),
        ..ParsedRecord::new(line, record)
    })
}

fn points(text: &str, size: BoardSize) -> Result<Vec<Coord>, NotationError> {
    let is_offsets = text.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '-');
    if is_offsets && !text.contains(|c: char| c.is_ascii_alphabetic()) {
        return parse_offsets(text, size);
    }
    let points = parse_points(&without_separators(text), size)?;
    if points.is_empty() { Err(NotationError::Malformed(0)) } else { Ok(points) }
}

/// Returns true for a text that begins with `(` as SGF does, but with a point or a number in it.
pub(super) fn begins_list(start: &str) -> bool {
    let inside = start.trim_start_matches(['(', ' ', '"', '\'']);
    let number = inside.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
    match inside.len() - number.len() {
        0 => rest != number && !rest.starts_with(|c: char| c.is_ascii_alphabetic()),
        letters => letters == 1 && rest != number,
    }
}

/// Returns the text with blanks for separators and for the numbers of moves: `1.`, `1)`, and any
/// other number if the move of this number comes next.
fn without_separators(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let (mut start, mut moves) = (0, 0_usize);
    for c in text.chars().chain([' ']) {
        if !c.is_whitespace() && !SEPARATORS.contains(c) {
            moves += usize::from(c.is_ascii_alphabetic());
            plain.push(c);
            continue;
        }
        let word = &plain[start..];
        let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let is_next = |number: usize| number == moves + 1 || number == moves / 2 + 1;
        if is_number && (".)".contains(c) || word.parse().is_ok_and(is_next)) {
            let length = word.len();
            plain.truncate(start);
            plain.push_str(&" ".repeat(length));
        }
        plain.push_str(&" ".repeat(c.len_utf8()));
        start = plain.len();
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_separated_in_many_ways() {
        let size = BoardSize::new(15, 15).unwrap();
        let expected = parse_points("h8i9g10", size);
        for text in [
            "H8, I9; G10",
            "h8_i9_g10",
            "1. h8 2. i9 3. g10",
            "1.h8 i9 2.g10",
            "1) h8 2) i9 3) g10",
            "h8-i9-g10",
            "[h8, i9, g10]",
            "h8+i9+g10",
            "h8|i9|g10",
            "h8 > i9 > g10",
            "- h8 i9g10",
            "h8: i9 : g10",
            "h8→i9 → g10",
            "h8–i9—g10",
            "h8，i9、g10",
            "h8·i9\u{a0}g10",
            "1: h8 2: i9 3: g10",
            "1 h8 2 i9 3 g10",
            "1 h8 i9 2 g10",
            "[1] h8 [2] i9 [3] g10",
            "(1) h8 (2) i9 (3) g10",
            "(h8)(i9)(g10)",
            "[\"h8\",'i9',“g10”]",
            "0,0, 1,1, -1,2",
        ] {
            assert_eq!(points(text, size), expected, "{text}");
        }
        for (text, error) in [
            ("---", NotationError::MalformedOffset(0)),
            ("[]", NotationError::Malformed(0)),
            ("1. h8 2. x", NotationError::Malformed(9)),
            ("h8-i99", NotationError::OffBoard(3)),
            ("8h", NotationError::Malformed(0)),
            ("h8 é9", NotationError::Malformed(3)),
            // A number that is none of the next move may be half of a point.
            ("h8 9 g10", NotationError::Malformed(3)),
        ] {
            assert_eq!(points(text, size), Err(error), "{text}");
        }
    }
}
