//! Points as text: `h8i9`, with the column's letter and the row's number from 1; and offsets from
//! the [center](BoardSize::center), as Gomocup's openings have them: `0,0, -1,2`.

use std::fmt;

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

/// Returns the points of a text such as `h8i9`, in order; blanks are skipped.
///
/// # Errors
///
/// If the text has anything else or a point off the board.
pub fn parse_points(text: &str, size: BoardSize) -> Result<Vec<Coord>, NotationError> {
    let bytes = text.as_bytes();
    let mut points = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let letter = bytes[at].to_ascii_lowercase();
        let digits = bytes[at + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
        if !letter.is_ascii_lowercase() || digits == 0 {
            return Err(NotationError::Malformed(at));
        }
        let row = text[at + 1..at + 1 + digits].parse::<u8>().unwrap_or(0);
        let point = row.checked_sub(1).and_then(|y| size.coord(letter - b'a', y));
        points.push(point.ok_or(NotationError::OffBoard(at))?);
        at += 1 + digits;
    }
    Ok(points)
}

/// Returns the points of a text such as `0,0, -1,2`, in order.
///
/// # Errors
///
/// If the text has anything else or a point off the board.
pub fn parse_offsets(text: &str, size: BoardSize) -> Result<Vec<Coord>, NotationError> {
    let mut points = Vec::new();
    let mut at = 0;
    let mut fields = text.split(',');
    while let Some(x) = fields.next() {
        let begin = at + x.len() - x.trim_start().len();
        let y = fields.next().ok_or(NotationError::MalformedOffset(begin))?;
        let number = |field: &str| {
            field.trim().parse::<i32>().map_err(|_| NotationError::MalformedOffset(begin))
        };
        let from_center = |offset: i32, length: u8| {
            u8::try_from(offset.saturating_add(i32::from(length / 2))).ok()
        };
        let (x_offset, y_offset) = (number(x)?, number(y)?);
        let x_at = from_center(x_offset, size.width());
        let y_at = from_center(y_offset, size.height());
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
}
