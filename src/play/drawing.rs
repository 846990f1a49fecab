//! The board as text: stones, coordinates and marks, in colours where the terminal has them.
//!
//! Every cell is one character with one before it, which is a bracket where something is marked:
//! `(X)` is the last move, `[X]` a stone of the winning five, `!` a point forbidden for black. The
//! marks are there with and without colours. Pure but for [`Style::of_stdout`]; knows no game.

use std::env;
use std::io::{IsTerminal, stdout};

use crate::board::Board;
use crate::types::{Cell, CellSet, Coord};

/// Whether colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Letters only.
    Plain,
    /// With ANSI colours.
    Colored,
}

impl Style {
    /// Returns the style for standard output: colours on a terminal that is not dumb, unless
    /// NO_COLOR says otherwise (<https://no-color.org>).
    pub fn of_stdout() -> Style {
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        // Windows consoles that know no colours set none of these.
        let knows_colors = is_set("TERM") || is_set("WT_SESSION") || is_set("ANSICON");
        if stdout().is_terminal() && knows_colors && !is_dumb && !is_set("NO_COLOR") {
            Style::Colored
        } else {
            Style::Plain
        }
    }

    fn paint(self, color: &str, text: char) -> String {
        match self {
            Style::Plain => text.to_string(),
            Style::Colored => format!("\x1b[{color}m{text}\x1b[0m"),
        }
    }
}

/// What is marked on the board.
#[derive(Clone, Copy, Debug)]
pub struct Marks {
    /// The last move.
    pub last: Option<Coord>,
    /// The winning stones.
    pub five: CellSet,
    /// The points that black may not play on.
    pub forbidden: CellSet,
}

const BLACK: &str = "1;36";
const WHITE: &str = "1;33";
const FREE: &str = "2";
const FORBIDDEN: &str = "31";
const MARK: &str = "1;35";
/// What is put before the colour of a stone of the winning five.
const WINNING: &str = "7;";

/// Returns the board as lines of text, row 1 first.
pub fn draw(board: &Board, marks: &Marks, style: Style) -> String {
    let (width, height) = (board.size().width(), board.size().height());
    let letters: String = (b'a'..b'a' + width).flat_map(|c| [' ', c.into()]).collect();
    let mut text = format!("  {letters}\n");
    for y in 0..height {
        text += &format!("{:2}", y + 1);
        let at = |x: u8| board.size().coord(x, y);
        for x in 0..width {
            let before = x.checked_sub(1).and_then(at);
            text += &bracket(before, at(x), marks, style);
            text += &at(x).map(|c| cell(board, c, marks, style)).unwrap_or_default();
        }
        text += &bracket(at(width - 1), None, marks, style);
        text += &format!("{}\n", y + 1);
    }
    text + &format!("  {letters}\n")
}

/// Returns what stands between two neighbours.
fn bracket(left: Option<Coord>, right: Option<Coord>, marks: &Marks, style: Style) -> String {
    let is_last = |c: Option<Coord>| c.is_some() && c == marks.last;
    let is_winning = |c: Option<Coord>| c.is_some_and(|c| marks.five.contains(c));
    let bracket = match (left, right) {
        _ if is_last(right) => '(',
        _ if is_last(left) => ')',
        _ if is_winning(left) && is_winning(right) => '-',
        _ if is_winning(right) => '[',
        _ if is_winning(left) => ']',
        _ => return " ".to_owned(),
    };
    style.paint(MARK, bracket)
}

fn cell(board: &Board, c: Coord, marks: &Marks, style: Style) -> String {
    let (color, symbol) = match board.cell(c) {
        Cell::Black => (BLACK, 'X'),
        Cell::White => (WHITE, 'O'),
        Cell::Wall => (FREE, '#'),
        Cell::Empty if marks.forbidden.contains(c) => (FORBIDDEN, '!'),
        Cell::Empty => (FREE, '.'),
    };
    if marks.five.contains(c) {
        style.paint(&format!("{WINNING}{color}"), symbol)
    } else {
        style.paint(color, symbol)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::notation::parse_points;
    use crate::types::{BoardSize, Rule};

    fn drawn(moves: &str, five: &str, style: Style) -> String {
        let size = BoardSize::new(6, 5).unwrap();
        let points = |text| parse_points(text, size).unwrap();
        let mut board = Board::new(size, Rule::Freestyle);
        points(moves).into_iter().for_each(|mv| board.play(mv));
        let marks = Marks {
            last: points(moves).last().copied(),
            five: points(five).into_iter().collect(),
            forbidden: points("f5").into_iter().collect(),
        };
        draw(&board, &marks, style)
    }

    #[test]
    fn the_board_is_drawn_with_its_marks() {
        let text = drawn("a1a2b1b2d1d2e1e2c1", "a1b1c1d1e1", Style::Plain);
        let expected = "   a b c d e f\n 1[X-X(X)X-X]. 1\n 2 O O . O O . 2\n 3 . . . . . . 3\n \
                        4 . . . . . . 4\n 5 . . . . . ! 5\n   a b c d e f\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn colors_change_nothing_else() {
        let colored = drawn("c3d4", "", Style::Colored);
        let mut plain = String::new();
        for part in colored.split("\x1b[") {
            plain += part.split_once('m').map_or(part, |(_, rest)| rest);
        }
        assert_eq!(plain, drawn("c3d4", "", Style::Plain));
        assert!(plain.contains("\n 4 . . .(O). . 4\n"));
    }
}
