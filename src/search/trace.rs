//! Traces of a position for engine authors: what the board and the search know of it, one text a
//! line. Rows and columns are named as in the "pos" notation.

use tengen_gomoku::board::Board;
use tengen_gomoku::board::symmetry::symmetric_moves;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{Cell, Color, Coord, CoordSet};

use super::{OrderTables, RootOptions, TableEntry, root_moves};
use crate::eval::win_rate::win_rate;
use crate::eval::{Evaluator, overline_worth};
use crate::score::{Bound, Score};

pub fn of_board(board: &Board) -> Vec<String> {
    let us = board.side_to_move();
    let mut texts = vec![
        format!("rule {}, board {}, {us} to move", board.rule().name(), board.size()),
        format!("stones {}, key {:016x}", board.stone_count(), board.key()),
        evaluation(board),
    ];
    if let Some(last) = board.last_move(0) {
        texts.push(format!("last move {last}"));
    }
    for color in Color::ALL {
        let counts = Threat::ALL.into_iter().rev().filter(|&threat| threat != Threat::None);
        let counts = counts.map(|threat| (SYMBOLS[threat as usize], board.count(color, threat)));
        let counts = counts.filter(|&(_, count)| count > 0);
        let counts: Vec<String> = counts.map(|(name, count)| format!("{name} x{count}")).collect();
        let all = if counts.is_empty() { "none".to_owned() } else { counts.join(", ") };
        texts.push(format!("threats of {color}: {all}"));
    }

    let candidates = board.candidates();
    texts.push("board, * is a candidate".to_owned());
    let mark = |c| if candidates.contains(c) { "*" } else { "." }.to_owned();
    texts.extend(grid(board, 2, mark));

    for color in Color::ALL {
        texts.push(format!("threats of {color}: {THREATS}"));
        let threat = |c| match board.threat(c, color) {
            Threat::Forbidden if !board.is_forbidden(c) => "!?".to_owned(),
            threat => SYMBOLS[threat as usize].to_owned(),
        };
        texts.extend(grid(board, 4, threat));
    }

    texts.push(format!("evaluation after a move of {us}, for {us}"));
    let worth = |c| after(board, c).map_or("-".to_owned(), |value| value.to_string());
    texts.extend(grid(board, 7, worth));

    texts.push(format!("order of the moves of {us}, the highest first"));
    let scores = OrderTables::of(board.rule()).move_scores(board);
    let order = |c| match candidates.contains(c) {
        true => scores.of(c, board.threats(c)).to_string(),
        false => ".".to_owned(),
    };
    texts.extend(grid(board, 7, order));
    texts
}

pub fn of_search(board: &Board, entry: Option<TableEntry>) -> Vec<String> {
    let moves = root_moves(board, &RootOptions::default());
    let mut texts = list("root moves", moves.cells);
    texts.extend(list(
        "root moves without symmetric ones",
        moves.cells.without(&symmetric_moves(board, &CoordSet::EMPTY)),
    ));
    texts.extend(list("moves if all others lose", moves.deferred));
    texts.push(evaluation(board));
    match entry {
        None => texts.push("table: no entry".to_owned()),
        Some(entry) => {
            let bound = match entry.bound {
                Bound::Exact => "exactly",
                Bound::Lower => "at least",
                Bound::Upper => "at most",
            };
            let mv = entry.mv.map_or("none".to_owned(), |mv| mv.to_string());
            let (score, depth) = (entry.score_at(0), entry.plies());
            texts.push(format!("table: score {bound} {score}, depth {depth}, best move {mv}"));
        }
    }
    texts
}

/// Returns the moves in lines short enough for every manager.
fn list(name: &str, cells: CoordSet) -> Vec<String> {
    const NAMES_MAX: usize = 60;
    let names: Vec<String> = cells.into_iter().map(|c| c.to_string()).collect();
    let lines = names.chunks(NAMES_MAX).map(|names| names.join(" "));
    [format!("{name}: {}", cells.len())].into_iter().chain(lines).collect()
}

const THREATS: &str = "5 five, o4 open or double four, 4 four, 3 open three, c3 closed three, \
    2 open two, + and more, ! forbidden, !? looks so";

/// By threat, the weakest first.
const SYMBOLS: [&str; Threat::COUNT] =
    [".", "!", "2", "c3", "22", "c3+", "3", "3+", "33", "4", "4+", "43", "o4", "5"];

/// Returns the evaluation for black as Rapfi writes it; some of its clients wait for this line.
fn evaluation(board: &Board) -> String {
    let score = match board.side_to_move() {
        Color::Black => evaluate(board),
        Color::White => -evaluate(board),
    };
    format!("Static Eval[Black]: {score} (WDL {:.2})", 100.0 * win_rate(board.rule(), score))
}

/// Returns the evaluation for the side to move, at full strength, without style or draw rule.
fn evaluate(board: &Board) -> Score {
    Evaluator::new(board).evaluate(board).shift(overline_worth(board))
}

/// Returns the evaluation after a move, for the side that makes it; `None` if the move is a five or
/// forbidden.
fn after(board: &Board, mv: Coord) -> Option<i32> {
    let us = board.side_to_move();
    if board.makes_five(mv, us) || !board.is_legal(mv, us) {
        return None;
    }
    let mut board = board.clone();
    board.play(mv);
    Some(-evaluate(&board).value())
}

/// Returns the board row by row, with stones as letters and `text` on empty cells.
pub fn grid(board: &Board, width: usize, mut text: impl FnMut(Coord) -> String) -> Vec<String> {
    let size = board.size();
    let letters = (b'a'..b'a' + size.width()).map(|c| format!("{:>width$}", char::from(c)));
    let head = format!("  {}", letters.collect::<String>());
    let mut rows = vec![head];
    for y in 0..size.height() {
        let mut row = format!("{:2}", y + 1);
        for c in (0..size.width()).filter_map(|x| size.coord(x, y)) {
            let cell = match board.cell(c) {
                Cell::Black => "X".to_owned(),
                Cell::White => "O".to_owned(),
                Cell::Wall => "#".to_owned(),
                Cell::Empty => text(c),
            };
            row += &format!("{cell:>width$}");
        }
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::types::Rule;

    /// Returns the rows of the part of a trace with this head.
    fn part(texts: &[String], head: &str) -> Vec<String> {
        let at = texts.iter().rposition(|text| text.starts_with(head)).expect("the part is there");
        texts[at + 2..].iter().take(15).cloned().collect()
    }

    /// Returns what stands in the column `x` of a row, after its number.
    fn column(row: &str, x: usize) -> &str {
        row[2..].split_whitespace().nth(x).unwrap_or_default()
    }

    #[test]
    fn the_board_is_traced_cell_by_cell() {
        let board = Board::after(15, Rule::Freestyle, "h8a1i8a3j8a5");
        let texts = of_board(&board);
        assert!(texts[0].ends_with("black to move") && texts[2].starts_with("Static Eval"));
        let stones = part(&texts, "board");
        assert_eq!([5, 6, 7, 14].map(|x| column(&stones[7], x)), ["*", "*", "X", "."]);
        let threats = part(&texts, "threats of black: 5");
        assert_eq!([5, 6, 10, 11].map(|x| column(&threats[7], x)), ["4", "o4", "o4", "4"]);
        assert_eq!(column(&part(&texts, "threats of white: 5")[7], 6), ".");
        // The network judges calm positions: what a move next to black's stones is worth.
        let value = |head: &str, x: usize, y: usize| {
            column(&part(&texts, head)[y], x).parse::<i32>().unwrap()
        };
        assert!(value("evaluation after", 8, 8) > value("evaluation after", 14, 14));
        // Only candidates have a place in the order.
        let c = Coord::new(8, 8);
        let scores = OrderTables::of(Rule::Freestyle).move_scores(&board);
        assert_eq!(value("order of", 8, 8), scores.of(c, board.threats(c)));
        assert_eq!(column(&part(&texts, "order of")[14], 14), ".");
        assert!(texts.iter().all(|text| text.len() < 400), "{texts:?}");
    }

    #[test]
    fn forbidden_points_are_told_from_those_that_look_so() {
        let board = Board::after(15, Rule::Renju, "g8a1i8a3h7a5h9a8");
        let texts = of_board(&board);
        assert_eq!(column(&part(&texts, "threats of black: 5")[7], 7), "!");
        assert_eq!(column(&part(&texts, "evaluation after")[7], 7), "-");
    }

    #[test]
    fn the_search_is_traced_with_its_entry() {
        let board = Board::after(15, Rule::Freestyle, "h8h9i9");
        let texts = of_search(&board, None);
        assert!(texts[0].starts_with("root moves: ") && texts.last().unwrap() == "table: no entry");
        // White is to move.
        let score = -Evaluator::new(&board).evaluate(&board);
        let percent = 100.0 * win_rate(Rule::Freestyle, score);
        let evaluation = format!("Static Eval[Black]: {score} (WDL {percent:.2})");
        assert!(score > Score::DRAW && texts.contains(&evaluation), "{texts:?}");
        let (mv, score) = (Some(Coord::new(8, 7)), Score::eval(31));
        let entry = TableEntry::new(mv, score, Bound::Lower, 7);
        let texts = of_search(&board, Some(entry));
        assert_eq!(texts.last().unwrap(), "table: score at least 31, depth 7, best move i8");
    }
}
