//! The numbers of a line: points, and the rows of a block.
//!
//! Pure parsing of what managers send in several forms; whether a point is on the board is not
//! judged here. Invariant: no input panics.

/// A point as it was sent; it may lie anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Column, counted from 0.
    pub x: i64,
    /// Row, counted from 0.
    pub y: i64,
}

/// A stone of a block: where, and the third field if there was one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The cell.
    pub point: Point,
    /// 1 own, 2 opponent's, 3 wall.
    pub owner: Option<i64>,
}

/// What one line of a block holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The stones, or `None` if something could not be read.
    pub rows: Option<Vec<Row>>,
    /// True if the line holds DONE.
    pub done: bool,
}

impl Rows {
    /// Reads one line inside a block, or what stands behind the block's word: one row with any
    /// blanks and commas, or several rows without blanks inside, or DONE, or rows and DONE.
    pub fn parse(line: &str) -> Rows {
        if let Some(row) = numbers(line).and_then(|fields| row(&fields)) {
            return Rows { rows: Some(vec![row]), done: false };
        }
        let mut rows = Some(Vec::new());
        for word in line.split_ascii_whitespace() {
            if word.eq_ignore_ascii_case("DONE") {
                return Rows { rows, done: true };
            }
            match numbers(word).and_then(|fields| row(&fields)) {
                Some(row) => rows.iter_mut().for_each(|rows| rows.push(row)),
                None => rows = None,
            }
        }
        Rows { rows, done: false }
    }
}

fn row(fields: &[i64]) -> Option<Row> {
    match *fields {
        [x, y] => Some(Row { point: Point { x, y }, owner: None }),
        [x, y, owner] => Some(Row { point: Point { x, y }, owner: Some(owner) }),
        _ => None,
    }
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
    // Nothing but too many digits is left to go wrong.
    let value = digits.parse().unwrap_or(i64::MAX);
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_one_or_many_a_line() {
        let row = |x, y, owner| Row { point: Point { x, y }, owner };
        for line in ["7,8,1", " 7, 8 ,1 ", "7 8 1"] {
            let rows = Rows { rows: Some(vec![row(7, 8, Some(1))]), done: false };
            assert_eq!(Rows::parse(line), rows, "{line}");
        }
        let both = vec![row(7, 7, Some(1)), row(8, 8, Some(2))];
        assert_eq!(Rows::parse("7,7,1 8,8,2 DONE"), Rows { rows: Some(both), done: true });
        assert_eq!(Rows::parse("done"), Rows { rows: Some(vec![]), done: true });
        assert_eq!(Rows::parse(""), Rows { rows: Some(vec![]), done: false });
        for line in ["abc", "7", "7,7,1,1", "TURN 1,1"] {
            assert_eq!(Rows::parse(line), Rows { rows: None, done: false }, "{line}");
        }
        assert_eq!(Rows::parse("7,7,1 x DONE"), Rows { rows: None, done: true });
    }
}
