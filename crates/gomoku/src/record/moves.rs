//! Lists of moves as people write them, one a line: `h8i9h10`, `1. h8 2. i9`, `h8-i9`, or offsets
//! from the center such as `0,0, -1,2`. What follows a `#` is a comment.

use super::ParseErrorKind;
use super::error::{Warning, WarningKind};
use super::files::ParsedGame;
use super::playok::moves_of_link;
use super::tree::{Editor, GameTree};
use crate::board::notation::{NotationError, parse_offsets, parse_points};
use crate::types::{BoardSize, Coord};

/// What may stand between moves.
const SEPARATORS: &str = ",;.:-_+|/>[]()\"'→–—−‑·•，、；：。“”‘’";

/// Reads a text of lines; `size` is that of their board.
pub(super) fn parse(text: &str, size: BoardSize) -> Vec<ParsedGame> {
    let games: Vec<ParsedGame> = lines(text, size).collect();
    match games.as_slice() {
        [first, _, ..] if are_other_words(&games) => {
            vec![ParsedGame::unreadable(first.line, size, ParseErrorKind::Format)]
        }
        _ => games,
    }
}

/// Returns true if the first line that has anything in it can be read.
pub(super) fn begins_with_game(text: &str, size: BoardSize) -> bool {
    lines(text, size).next().is_some_and(|game| game.faults.is_empty())
}

fn lines(text: &str, size: BoardSize) -> impl Iterator<Item = ParsedGame> {
    text.lines().enumerate().filter_map(move |(i, line)| parse_line(line, i + 1, size))
}

/// Returns true if the lines are mostly no moves: one fault is enough for them.
fn are_other_words(lines: &[ParsedGame]) -> bool {
    let is_other = |game: &&ParsedGame| {
        game.faults.iter().any(|fault| match &fault.error.kind {
            ParseErrorKind::Notation(error) => !matches!(error, NotationError::OffBoard(_)),
            _ => false,
        })
    };
    let others = lines.iter().filter(is_other).count();
    let readable = lines.iter().filter(|game| game.faults.is_empty()).count();
    lines.first().as_ref().is_some_and(is_other) && others > 1 && others > readable
}

/// Reads a line; `None` if there is nothing in it.
fn parse_line(text: &str, line: usize, size: BoardSize) -> Option<ParsedGame> {
    let text = text.split('#').next().unwrap_or_default();
    if text.trim().is_empty() {
        return None;
    }
    let linked = moves_of_link(text);
    let mut editor = Editor::new(GameTree::new(size));
    let points = points(linked.unwrap_or(text), size).map_err(ParseErrorKind::Notation);
    let played = points.and_then(|points| points.into_iter().try_for_each(|c| editor.play(c)));
    if let Err(kind) = played {
        return Some(ParsedGame::unreadable(line, size, kind));
    }
    let warning = linked.map(|_| Warning::at_line(line, WarningKind::Rows));
    Some(ParsedGame::of_line(line, editor, None, warning.into_iter().collect()))
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
