//! Lists of moves as people write them, one a line: `h8i9h10`, `1. h8 2. i9`, `h8-i9`, or offsets
//! from the center such as `0,0, -1,2`. A line such as `2. h10 g7` goes on with the last game.
//! What follows a `#` is a comment.

use super::ParseErrorKind;
use super::parsed::ParsedGame;
use super::playok::moves_of_link;
use super::tree::{Editor, GameTree};
use crate::board::notation::{NotationError, is_offsets, parse_moves};
use crate::types::{BoardSize, Rows};

/// Reads lines, of which points are named with rows counted from `rows`.
pub(super) fn parse(text: &str, size: BoardSize, rows: Rows) -> Vec<ParsedGame> {
    let mut games: Vec<ParsedGame> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if games.last_mut().and_then(|game| continue_game(game, line)).is_none() {
            games.extend(parse_line(line, i + 1, size, rows));
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

/// Plays the moves of a line on in the game before it, if the line begins with the number that comes
/// next there: of a move, or of a move of each side. Otherwise does nothing and returns `None`.
fn continue_game(game: &mut ParsedGame, text: &str) -> Option<()> {
    let text = text.split('#').next()?;
    let number: usize = text.split_once(['.', ')'])?.0.trim().parse().ok()?;
    let count = game.tree.main_line().count() - 1;
    let is_next = number == count + 1 || count.is_multiple_of(2) && number == count / 2 + 1;
    let moves = Some(text).filter(|_| count > 0 && is_next);
    let mut moves = parse_moves(moves?, game.tree.size()).ok()?.into_iter();
    let mut editor = Editor::new(game.tree.clone());
    editor.go_to(editor.tree.end());
    game.tree = moves.all(|c| editor.play(c).is_ok()).then_some(editor.tree)?;
    Some(())
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
