//! Points as text: `h8i9`, lists of moves as people write them, and the offsets of Gomocup openings
//! from the [center](BoardSize::center), such as `0,0, -1,2`. A letter is the column from the left
//! and a number the row, counted from 1 at row 0, on whichever [side](crate::types::Rows) that is.

use std::fmt;
use std::iter::from_fn;

use crate::types::{BoardSize, Coord};

/// Why a text is not a list of points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotationError {
    /// No letter and number at this byte.
    Malformed(usize),
    /// No offset at this byte.
    MalformedOffset(usize),
    /// The point at this byte is off the board.
    OffBoard(usize),
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            NotationError::Malformed(at) => write!(f, "letter and number expected at byte {at}"),
            NotationError::MalformedOffset(at) => write!(f, "an offset x,y expected at byte {at}"),
            NotationError::OffBoard(at) => write!(f, "the point at byte {at} is off the board"),
        }
    }
}

impl std::error::Error for NotationError {}

/// Returns each point as text, such as `h8`.
pub fn names<'a>(points: impl IntoIterator<Item = &'a Coord>) -> Vec<String> {
    points.into_iter().map(Coord::to_string).collect()
}

/// Returns the points of a text such as `h8i9`; fails on all else but blanks, and off the board.
pub fn parse_points(text: &str, size: BoardSize) -> Result<Vec<Coord>, NotationError> {
    points_from(text, 0, size).collect()
}

/// Returns the point of a text that has one alone.
pub fn parse_point(text: &str, size: BoardSize) -> Option<Coord> {
    parse_points(text, size).ok().filter(|points| points.len() == 1)?.pop()
}

type Point = Result<Coord, NotationError>;

/// Returns the points of a part of a text that begins at byte `start`, and last its first fault.
fn points_from(text: &str, start: usize, size: BoardSize) -> impl Iterator<Item = Point> {
    let mut rest = text.trim_ascii_start();
    from_fn(move || {
        let at = start + text.len() - rest.len();
        let letter = rest.bytes().next()?.to_ascii_lowercase();
        let digits = rest.bytes().skip(1).take_while(u8::is_ascii_digit).count();
        if !letter.is_ascii_lowercase() || digits == 0 {
            return Some(Err(NotationError::Malformed(at)));
        }
        let row = rest[1..=digits].parse::<u8>().unwrap_or(0);
        rest = rest[1 + digits..].trim_ascii_start();
        let point = row.checked_sub(1).and_then(|y| size.coord(letter - b'a', y));
        Some(point.ok_or(NotationError::OffBoard(at)))
    })
}

const SEPARATORS: &str = ",;.:-_+|/>[]()\"'→–—−‑·•，、；：。“”‘’";

pub(crate) fn is_offsets(text: &str) -> bool {
    text.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && text.contains(',')
        && !text.contains(|c: char| c.is_ascii_alphabetic())
}

/// A move, and the number before it.
pub type NumberedMove = (Coord, Option<usize>);

/// Adds the moves of a list as people write it: offsets, or points with separators and move numbers
/// between them. A number is a move number if it comes first, if `.` or `)` follows, or if it is that
/// of the next move. `number` goes in as the one before the text, and comes out as the last one if no
/// move follows it. Errors: no move, a point off the board, other words, an alternative (`5. f6/g5`).
pub fn parse_moves(
    text: &str,
    size: BoardSize,
    moves: &mut Vec<NumberedMove>,
    number: &mut Option<usize>,
) -> Result<(), NotationError> {
    if is_offsets(text) {
        moves.extend(parse_offsets(text, size)?.into_iter().map(|c| (c, None)));
        return Ok(());
    }
    let is_separator = |c: char| c.is_whitespace() || SEPARATORS.contains(c);
    let mut at = 0;
    for part in text.split_inclusive(is_separator) {
        let word = part.trim_end_matches(is_separator);
        let first = moves.first().and_then(|mv| mv.1).unwrap_or(1);
        let next = [moves.len(), moves.len() / 2].map(|count| first.saturating_add(count));
        let is_first = moves.is_empty() && number.is_none();
        let is_number = |n: &usize| is_first || next.contains(n) || part.ends_with(['.', ')']);
        match word.parse().ok().filter(is_number) {
            Some(next) => *number = Some(next),
            None => points_from(word, at, size)
                .try_for_each(|c| c.map(|c| moves.push((c, number.take()))))?,
        }
        if part.ends_with('/') && matches!(moves[..], [_, .., (_, Some(n))] if n == moves.len()) {
            return Err(NotationError::Malformed(at + word.len()));
        }
        at += part.len();
    }
    if moves.is_empty() { Err(NotationError::Malformed(0)) } else { Ok(()) }
}

/// Returns the points of a text such as `0,0, -1,2`; fails on all else, and off the board.
pub fn parse_offsets(text: &str, size: BoardSize) -> Result<Vec<Coord>, NotationError> {
    let mut points = Vec::new();
    let mut at = 0;
    let mut fields = text.split(',');
    while let Some(x) = fields.next() {
        let begin = at + x.len() - x.trim_start().len();
        let malformed = || NotationError::MalformedOffset(begin);
        let y = fields.next().ok_or_else(malformed)?;
        let from_center = |offset: &str, length: u8| {
            let offset: i32 = offset.trim().parse().map_err(|_| malformed())?;
            Ok(u8::try_from(offset.saturating_add(i32::from(length / 2))).ok())
        };
        let (x_at, y_at) = (from_center(x, size.width())?, from_center(y, size.height())?);
        let point = x_at.zip(y_at).and_then(|(x, y)| size.coord(x, y));
        points.push(point.ok_or(NotationError::OffBoard(begin))?);
        at += x.len() + y.len() + 2;
    }
    Ok(points)
}

/// Returns the points as offsets from the center, such as `0,0, -1,2`.
pub fn offsets(points: &[Coord], size: BoardSize) -> String {
    let from_center = |at: u8, length: u8| i32::from(at) - i32::from(length / 2);
    let offset = |c: &Coord| {
        format!("{},{}", from_center(c.x(), size.width()), from_center(c.y(), size.height()))
    };
    points.iter().map(offset).collect::<Vec<String>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_counted_from_the_centre() {
        for (width, height, text) in [(15, 15, "0,0, -7,1"), (20, 15, "-3,0, -10,1")] {
            let size = BoardSize::new(width, height).unwrap();
            assert_eq!(offsets(&[Coord::new(7, 7), Coord::new(0, 8)], size), text);
        }
    }

    #[test]
    fn offsets_are_read_as_they_are_written() {
        for size in [(15, 15), (20, 15), (5, 22)] {
            let size = BoardSize::new(size.0, size.1).unwrap();
            let points: Vec<Coord> = size.cells().collect();
            assert_eq!(parse_offsets(&offsets(&points, size), size), Ok(points));
        }
        let size = BoardSize::new(15, 15).unwrap();
        assert_eq!(offsets(&[Coord::new(7, 7), Coord::new(6, 9)], size), "0,0, -1,2");
        for (text, error) in [
            ("0,0, 1", NotationError::MalformedOffset(5)),
            ("0,0, x,1", NotationError::MalformedOffset(5)),
            ("0,0,", NotationError::MalformedOffset(4)),
            ("", NotationError::MalformedOffset(0)),
            ("0,0, 1,8", NotationError::OffBoard(5)),
            ("0,0, 8,0", NotationError::OffBoard(5)),
            ("99999999999,0", NotationError::MalformedOffset(0)),
            ("2147483647,0", NotationError::OffBoard(0)),
        ] {
            assert_eq!(parse_offsets(text, size), Err(error), "{text}");
        }
    }

    #[test]
    fn points_parse_in_order() {
        let size = BoardSize::new(15, 15).unwrap();
        let points = parse_points("h8 O15a1", size).unwrap();
        assert_eq!(points, [Coord::new(7, 7), Coord::new(14, 14), Coord::new(0, 0)]);
    }

    #[test]
    fn bad_points_are_named_by_their_place() {
        let size = BoardSize::new(15, 15).unwrap();
        for (text, error) in [
            ("h8p1", NotationError::OffBoard(2)),
            ("h16", NotationError::OffBoard(0)),
            ("h0", NotationError::OffBoard(0)),
            ("h999", NotationError::OffBoard(0)),
            ("h8i", NotationError::Malformed(2)),
            ("8h", NotationError::Malformed(0)),
        ] {
            assert_eq!(parse_points(text, size), Err(error), "{text}");
        }
    }

    #[test]
    fn moves_are_separated_in_many_ways() {
        let size = BoardSize::new(15, 15).unwrap();
        let parse_moves = |text| {
            let mut moves = Vec::new();
            let parsed = super::parse_moves(text, size, &mut moves, &mut None);
            parsed.map(|()| moves.into_iter().map(|(c, _)| c).collect())
        };
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
            "7. h8/i9 8. g10",
            "9 h8\ti9 2. g10",
            "[\"h8\",'i9',“g10”]",
            "0,0, 1,1, -1,2",
        ] {
            assert_eq!(parse_moves(text), expected, "{text}");
        }
        for (text, error) in [
            ("---", NotationError::Malformed(0)),
            ("3. ", NotationError::Malformed(0)),
            ("[]", NotationError::Malformed(0)),
            ("1. h8 2. x", NotationError::Malformed(9)),
            ("h8-i99", NotationError::OffBoard(3)),
            ("8h", NotationError::Malformed(0)),
            ("1. h8 2. i9/g7", NotationError::Malformed(11)),
            ("h8 é9", NotationError::Malformed(3)),
            // A number that is none of the next move may be half of a point.
            ("h8 9 g10", NotationError::Malformed(3)),
        ] {
            assert_eq!(parse_moves(text), Err(error), "{text}");
        }
    }
}
