//! Lists of moves as people write them: `h8i9h10`, `1. h8 2. i9`, `h8-i9`, or offsets from the center
//! such as `0,0, -1,2`. What follows a `#` is a comment.
//!
//! Each line is a game. But a line with a number above 1 (`2. h10 g7`), with the number of white's
//! move (`1... i9`), or with a number after its moves that is too high for these (`g7 3. f6`),
//! continues the game before it, unless the lines are a [list](is_list) of games.

use super::parsed::ParsedGame;
use super::playok::moves_of_link;
use super::tree::{Editor, GameTree};
use super::{ParseError, ParseErrorKind, Place};
use crate::board::notation::NotationError::{self, OffBoard};
use crate::board::notation::{NumberedMove, is_offsets, parse_moves};
use crate::types::{BoardSize, Rows};

/// Reads lines, of which points are named with rows counted from `rows`.
pub(super) fn parse(text: &str, size: BoardSize, rows: Rows) -> Vec<ParsedGame> {
    let mut pending = None;
    let read = |(text, place)| {
        Line::read(text, size, rows, &mut pending).map(|line| Line { place, ..line })
    };
    let lines: Vec<Line> = text.lines().zip(1..).filter_map(read).collect();
    let is_pair = |line: &&str| is_offsets(line) && line.matches(',').count() == 1;
    if text.lines().filter(is_pair).count() > 1 || are_other_words(&lines) {
        return vec![ParsedGame::unreadable(lines[0].place, size, ParseErrorKind::Format)];
    }
    // A title ends no game and no list. A title with a number stands before a game without one.
    let (mut titles, mut moves) = (Vec::new(), Vec::new());
    let mut lines = lines.into_iter().peekable();
    while let Some(line) = lines.next() {
        let begins = |next: &Line| next.number.is_none() && !next.moves.is_empty();
        let is_before_game = lines.peek().is_some_and(begins);
        let is_title = line.begins_with_words() && (line.number.is_none() || is_before_game);
        if is_title { &mut titles } else { &mut moves }.push(line);
    }
    let parts = moves.chunk_by(|_, next| next.goes_on());
    let games = parts.flat_map(|part| part.chunks(if is_list(part) { 1 } else { part.len() }));
    let games = games.chain(titles.chunks(1)).map(|lines| game_of(lines, size, rows));
    let mut games: Vec<ParsedGame> = games.collect();
    games.sort_by_key(|game| game.line);
    games
}

/// Returns true if the first line that has anything in it can be read.
pub(super) fn begins_with_game(text: &str, size: BoardSize) -> bool {
    let first = text.lines().find_map(|line| Line::read(line, size, Rows::default(), &mut None));
    first.is_some_and(|line| line.play(&mut Editor::new(GameTree::new(size))).is_ok())
}

/// Returns true if each line is a game of its own: the first two begin with the same move, or their
/// numbers follow each other and count games. They count games if the first is above 1, or if its
/// line has more than two moves for each number.
fn is_list(lines: &[Line]) -> bool {
    let [first, second, ..] = lines else { return false };
    let [a, b] = [first, second].map(|line| line.moves.first().map(|mv| mv.0));
    let is_again = a.is_some() && a == b;
    let number = first.number.unwrap_or(1);
    is_again || (first.is_long || number > 1) && number.checked_add(1) == second.number
}

/// Returns the game of the lines, up to the first fault. Nothing is read of a first line with a fault.
fn game_of(lines: &[Line], size: BoardSize, rows: Rows) -> ParsedGame {
    let first = lines[0].place;
    let mut editor = Editor::new(GameTree::new(size));
    editor.tree.rows = rows;
    let fault = |line: &Line| Some(ParseError::at_line(line.place, line.play(&mut editor).err()?));
    match lines.iter().find_map(fault) {
        Some(fault) if fault.place == Place::Line(first) => {
            ParsedGame::unreadable(first, size, fault.kind)
        }
        fault => ParsedGame::of_line(first, editor, fault, Vec::new()),
    }
}

/// Returns true if hardly any line has moves: one fault is enough for them.
fn are_other_words(lines: &[Line]) -> bool {
    let others = lines.iter().filter(|line| line.begins_with_words()).count();
    let readable = lines.iter().filter(|line| line.fault.is_none());
    let moves: usize = readable.map(|line| line.moves.len()).sum();
    lines.first().is_some_and(Line::begins_with_words) && others > 1 && others > 2 * moves
}

/// A line that has anything in it.
struct Line {
    /// Its own number in the text, counted from 1; `parse` sets it.
    place: usize,
    /// The number that it begins with.
    number: Option<usize>,
    /// The number is that of white's move, as in `1... i9`.
    is_white: bool,
    /// There are more than two moves for each number.
    is_long: bool,
    /// The moves before the fault.
    moves: Vec<NumberedMove>,
    fault: Option<NotationError>,
}

impl Line {
    /// `pending` goes in as the number at the end of the line before, and comes out as this line's.
    fn read(text: &str, size: BoardSize, rows: Rows, pending: &mut Option<usize>) -> Option<Line> {
        let (text, comment) = text.split_once('#').unwrap_or((text, ""));
        if text.trim().is_empty() {
            return None;
        }
        // A number alone is that of the next line's first move.
        let alone = text.trim().strip_suffix(['.', ')']).map(str::parse);
        if let Some(Ok(number)) = alone {
            *pending = Some(number);
            return None;
        }
        let linked = moves_of_link(text, comment);
        let from = if is_offsets(text) { Rows::Top } else { rows };
        let from = linked.map_or(from, |_| Rows::Bottom);
        let text = linked.unwrap_or(text);
        let mut moves = Vec::new();
        let fault = parse_moves(text, size, &mut moves, pending).err();
        *pending = pending.filter(|_| fault.is_none());
        if from != rows {
            moves.iter_mut().for_each(|(mv, _)| *mv = size.flipped(*mv));
        }
        let (start, rest) = text.split_once(['.', ')']).unwrap_or_default();
        let number = start.trim().trim_start_matches('(').parse().ok();
        let number = number.or(moves.first().and_then(|mv| mv.1));
        let is_white = rest.trim_start().starts_with("..");
        let numbers = moves.iter().filter(|mv| mv.1.is_some()).count();
        // Also points off the board.
        let is_point = |pair: &&[u8]| pair[0].is_ascii_alphabetic() && pair[1].is_ascii_digit();
        let is_long = text.as_bytes().windows(2).filter(is_point).count() > 2 * numbers.max(1);
        Some(Line { place: 0, number, is_white, is_long, moves, fault })
    }

    fn begins_with_words(&self) -> bool {
        self.moves.is_empty() && !matches!(self.fault, Some(OffBoard(_)))
    }

    /// Returns true if the line cannot be the first one of a game.
    fn goes_on(&self) -> bool {
        let mut numbers = self.moves.iter().enumerate().filter_map(|(i, mv)| Some((i, mv.1?)));
        let is_later = |(i, number)| number != i + 1 && number != i / 2 + 1;
        match self.number {
            Some(number) => number > 1 || self.is_white,
            None => numbers.next().is_some_and(is_later),
        }
    }

    /// Plays the moves. A number after others must be that of the next move, or of the next move of
    /// each side.
    fn play(&self, editor: &mut Editor) -> Result<(), ParseErrorKind> {
        for (i, &(mv, number)) in self.moves.iter().enumerate() {
            let count = editor.tree.len() - 1;
            // Just two moves before a number in the line are a pair.
            let counts_moves =
                !matches!(self.moves[..i], [.., (_, Some(_)), (_, None)] | [(_, None), (_, None)]);
            let is_turn = count % 2 == usize::from(i == 0 && self.is_white)
                || matches!(self.moves[..i], [.., (_, Some(_))]);
            let is_next =
                |number| counts_moves && number == count + 1 || is_turn && number == count / 2 + 1;
            if let Some(number) = number.filter(|&number| count > 0 && !is_next(number)) {
                let words = format!("{number} is not the number of the next move");
                return Err(ParseErrorKind::Words(words));
            }
            editor.play(mv)?;
        }
        self.fault.clone().map_or(Ok(()), |fault| Err(ParseErrorKind::Notation(fault)))
    }
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
