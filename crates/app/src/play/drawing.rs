//! The board as text: stones, coordinates and marks, in colours where the terminal has them.
//!
//! Every cell is one character with one before it, which is a bracket where something is marked:
//! `(X)` is the last move, `[X]` a stone of the winning five, `!` a point forbidden for black.
//! Where the terminal is too narrow for that, the characters between the cells are left out, and
//! what is marked is a small letter. The marks are there with and without colours.

use std::env;
use std::io::{IsTerminal, stdout};

use tengen_gomoku::board::Board;
use tengen_gomoku::types::{Cell, CellSet, Coord, Rows};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colors {
    Off,
    On,
}

impl Colors {
    /// Returns the choice for standard output: colours on a terminal that is not dumb, unless
    /// NO_COLOR says otherwise (<https://no-color.org>).
    pub fn of_stdout() -> Colors {
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        // Windows consoles that know no colours set none of these.
        let knows_colors = is_set("TERM") || is_set("WT_SESSION") || is_set("ANSICON");
        if stdout().is_terminal() && knows_colors && !is_dumb && !is_set("NO_COLOR") {
            Colors::On
        } else {
            Colors::Off
        }
    }

    fn paint(self, color: &str, text: char) -> String {
        match self {
            Colors::Off => text.to_string(),
            Colors::On => format!("\x1b[{color}m{text}\x1b[0m"),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Marks {
    pub last: Option<Coord>,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spacing {
    /// With a character before each, for brackets.
    Wide,
    /// Side by side.
    Narrow,
}

/// Returns the board as lines of text, row 1 on its side, that fit into so many columns if they can.
pub fn draw(
    board: &Board,
    rows: Rows,
    marks: &Marks,
    colors: Colors,
    columns: Option<usize>,
) -> String {
    let (width, height) = (board.size().width(), board.size().height());
    // Two numbers of rows, and a character after the last cell.
    let wide = 2 * usize::from(width) + 5;
    let is_narrow = columns.is_some_and(|columns| columns < wide);
    let spacing = if is_narrow { Spacing::Narrow } else { Spacing::Wide };
    let letters = (b'a'..b'a' + width).map(char::from);
    let letters: String = match spacing {
        Spacing::Wide => letters.flat_map(|c| [' ', c]).collect(),
        Spacing::Narrow => [' '].into_iter().chain(letters).collect(),
    };
    let mut text = format!("  {letters}\n");
    for line in 0..height {
        let y = if rows == Rows::Top { line } else { height - 1 - line };
        text += &format!("{:2}", y + 1);
        let at = |x: u8| board.size().coord(x, y);
        for x in 0..width {
            let before = x.checked_sub(1).and_then(at);
            if spacing == Spacing::Wide || x == 0 {
                text += &bracket(before, at(x), marks, colors, spacing);
            }
            text += &at(x).map(|c| cell(board, c, marks, colors, spacing)).unwrap_or_default();
        }
        text += &bracket(at(width - 1), None, marks, colors, spacing);
        text += &format!("{}\n", y + 1);
    }
    text + &format!("  {letters}\n")
}

/// Returns what stands between two neighbours.
fn bracket(
    left: Option<Coord>,
    right: Option<Coord>,
    marks: &Marks,
    colors: Colors,
    spacing: Spacing,
) -> String {
    let is_last = |c: Option<Coord>| c.is_some() && c == marks.last;
    let is_winning = |c: Option<Coord>| c.is_some_and(|c| marks.five.contains(c));
    let bracket = match (left, right) {
        _ if spacing == Spacing::Narrow => return " ".to_owned(),
        _ if is_last(right) => '(',
        _ if is_last(left) => ')',
        _ if is_winning(left) && is_winning(right) => '-',
        _ if is_winning(right) => '[',
        _ if is_winning(left) => ']',
        _ => return " ".to_owned(),
    };
    colors.paint(MARK, bracket)
}

fn cell(board: &Board, c: Coord, marks: &Marks, colors: Colors, spacing: Spacing) -> String {
    let (color, symbol) = match board.cell(c) {
        Cell::Black => (BLACK, 'X'),
        Cell::White => (WHITE, 'O'),
        Cell::Wall => (FREE, '#'),
        Cell::Empty if marks.forbidden.contains(c) => (FORBIDDEN, '!'),
        Cell::Empty => (FREE, '.'),
    };
    let is_marked = marks.five.contains(c) || marks.last == Some(c);
    let symbol = match spacing {
        Spacing::Narrow if is_marked => symbol.to_ascii_lowercase(),
        _ => symbol,
    };
    if marks.five.contains(c) {
        colors.paint(&format!("{WINNING}{color}"), symbol)
    } else {
        colors.paint(color, symbol)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::board::notation::parse_points;
    use tengen_gomoku::types::{BoardSize, Rule};

    fn drawn(moves: &str, five: &str, colors: Colors) -> String {
        drawn_in(None, moves, five, colors)
    }

    fn drawn_in(columns: Option<usize>, moves: &str, five: &str, colors: Colors) -> String {
        let size = BoardSize::new(6, 5).unwrap();
        let points = |text| parse_points(text, size).unwrap();
        let mut board = Board::new(size, Rule::Freestyle);
        points(moves).into_iter().for_each(|mv| board.play(mv));
        let marks = Marks {
            last: points(moves).last().copied(),
            five: points(five).into_iter().collect(),
            forbidden: points("f5").into_iter().collect(),
        };
        draw(&board, Rows::Top, &marks, colors, columns)
    }

    #[test]
    fn the_board_is_drawn_with_its_marks() {
        let text = drawn("a1a2b1b2d1d2e1e2c1", "a1b1c1d1e1", Colors::Off);
        let expected = "   a b c d e f\n 1[X-X(X)X-X]. 1\n 2 O O . O O . 2\n 3 . . . . . . 3\n \
                        4 . . . . . . 4\n 5 . . . . . ! 5\n   a b c d e f\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_narrow_terminal_gets_a_narrow_board() {
        let (moves, five) = ("a1a2b1b2d1d2e1e2c1", "a1b1c1d1e1");
        let text = drawn_in(Some(16), moves, five, Colors::Off);
        let expected = "   abcdef\n 1 xxxxx. 1\n 2 OO.OO. 2\n 3 ...... 3\n \
                        4 ...... 4\n 5 .....! 5\n   abcdef\n";
        assert_eq!(text, expected);
        assert!(drawn_in(Some(16), "c3d4", "", Colors::Off).contains("\n 4 ...o.. 4\n"));
        let wide = drawn(moves, five, Colors::Off);
        assert_eq!(drawn_in(Some(17), moves, five, Colors::Off), wide);
        assert!(wide.lines().all(|line| line.len() <= 17));
        // The largest board fits into 28 columns.
        let size = BoardSize::new(22, 22).unwrap();
        let marks = Marks { last: None, five: CellSet::EMPTY, forbidden: CellSet::EMPTY };
        let text =
            draw(&Board::new(size, Rule::Freestyle), Rows::Bottom, &marks, Colors::Off, Some(28));
        assert!(text.lines().all(|line| line.len() <= 28));
    }

    #[test]
    fn colors_change_nothing_else() {
        let colored = drawn("c3d4", "", Colors::On);
        let mut plain = String::new();
        for part in colored.split("\x1b[") {
            plain += part.split_once('m').map_or(part, |(_, rest)| rest);
        }
        assert_eq!(plain, drawn("c3d4", "", Colors::Off));
        assert!(plain.contains("\n 4 . . .(O). . 4\n"));
    }
}
