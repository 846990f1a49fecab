//! Lists of moves as people write them, one a line: `h8i9h10`, `1. h8 2. i9`, `h8-i9`, or offsets
//! from the center such as `0,0, -1,2`. A line such as `2. h10 g7` goes on with the last game.
//! What follows a `#` is a comment.

use super::ParseError;
use super::ParseErrorKind::{self, Words};
use super::parsed::ParsedGame;
use super::playok::moves_of_link;
use super::tree::{Editor, GameTree};
use crate::board::notation::{NotationError, is_offsets, parse_moves};
use crate::types::{BoardSize, Rows};

/// Reads lines, of which points are named with rows counted from `rows`.
pub(super) fn parse(text: &str, size: BoardSize, rows: Rows) -> Vec<ParsedGame> {
    let mut games: Vec<ParsedGame> = Vec::new();
    // The number of the last line of the last game; `None` if that begins with a later number than 1,
    // as the games of a numbered list do.
    let mut last = None;
    for (i, line) in text.lines().enumerate() {
        let game = last.zip(games.last_mut());
        let number = game.and_then(|(last, game)| continue_game(game, last, i + 1, line));
        if number.is_some() {
            last = number;
        } else if let Some(game) = parse_line(line, i + 1, size, rows) {
            games.push(game);
            last = Some(1).filter(|_| number_of(line).is_none_or(|number| number <= 1));
        }
    }
    match are_other_words(&games) {
        true => vec![ParsedGame::unreadable(games[0].line, size, ParseErrorKind::Format)],
        false => games,
    }
}

/// Returns true if the first line that has anything in it can be read.
pub(super) fn begins_with_game(text: &str, size: BoardSize) -> bool {
    let first = text.lines().find_map(|line| parse_line(line, 1, size, Rows::default()));
    first.is_some_and(|game| game.faults.is_empty())
}

/// Returns the number that a line begins with.
fn number_of(text: &str) -> Option<usize> {
    text.split_once(['.', ')'])?.0.trim().trim_start_matches('(').parse().ok()
}

/// Plays the moves of a line on in the game before it, whose last line has the number `last`, and
/// returns the number of the line; `None` for a line that begins another game.
///
/// The number is that of the next move, or of the next move of each side. Any other number is a fault,
/// and so is a move that cannot be played, unless the second line shows that the list is one of games.
/// After a fault the game ends, and lines that seem to go on with it are left out.
fn continue_game(game: &mut ParsedGame, last: usize, line: usize, text: &str) -> Option<usize> {
    let text = text.split('#').next()?;
    let number = number_of(text).filter(|&number| number > last)?;
    let moves = parse_moves(text, game.tree.size()).map_err(ParseErrorKind::Notation);
    let found = moves.as_deref().unwrap_or_default();
    if !game.faults.is_empty() {
        return (found.len().div_ceil(2) <= number - last).then_some(number);
    }
    let record = game.tree.record(game.tree.end());
    let count = record.moves().len();
    let is_next = number == count + 1 || count.is_multiple_of(2) && number == count / 2 + 1;
    if last == 1 && (!is_next || found.first() == Some(&record.moves()[0].c)) {
        return None;
    }
    let mut editor = Editor::new(game.tree.clone());
    editor.go_to(editor.tree.end());
    let played = match is_next {
        true => moves.and_then(|moves| moves.into_iter().try_for_each(|c| editor.play(c))),
        false => Err(Words(format!("{number} is not the number of the next move"))),
    };
    let fault = played.map_err(|kind| ParseError::at_line(line, kind)).err();
    *game = ParsedGame::of_line(game.line, editor, fault, Vec::new());
    Some(number)
}

/// Returns true if the lines are mostly no moves: one fault is enough for them.
fn are_other_words(lines: &[ParsedGame]) -> bool {
    let is_other = |game: &&ParsedGame| {
        game.faults.iter().any(|fault| match &fault.kind {
            ParseErrorKind::Notation(error) => !matches!(error, NotationError::OffBoard(_)),
            _ => false,
        })
    };
    let others = lines.iter().filter(is_other).count();
    let readable = lines.iter().filter(|game| game.faults.is_empty()).count();
    lines.first().as_ref().is_some_and(is_other) && others > 1 && others > readable
}

/// Reads a line; `None` if there is nothing in it.
fn parse_line(text: &str, line: usize, size: BoardSize, rows: Rows) -> Option<ParsedGame> {
    let (text, comment) = text.split_once('#').unwrap_or((text, ""));
    if text.trim().is_empty() {
        return None;
    }
    let linked = moves_of_link(text, comment);
    let mut editor = Editor::new(GameTree::new(size));
    let from = match linked {
        Some(_) => Rows::Bottom,
        None if is_offsets(text) => Rows::Top,
        None => rows,
    };
    let moves = parse_moves(linked.unwrap_or(text), size).map_err(ParseErrorKind::Notation);
    let played = moves.and_then(|moves| moves.into_iter().try_for_each(|c| editor.play(c)));
    let game = match played {
        Ok(()) => ParsedGame::of_line(line, editor, None, Vec::new()),
        Err(kind) => ParsedGame::unreadable(line, size, kind),
    };
    Some(game.counted(from, rows))
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
