//! Positions for tests: drawn as text, or made at random from a seed.
//!
//! In drawings `X` is black, `O` white, `.` free, `#` a wall and `*` a free cell in question; the
//! first row drawn is row 0. Nothing here knows what a line or a stone is worth.

#![allow(dead_code, reason = "every test file uses a part of this module")]

pub mod random;

use tengen_gomoku::board::Board;
use tengen_gomoku::board::notation::parse_points;
use tengen_gomoku::types::{BoardSize, Cell, Color, Coord, Rule};

/// A position read from a drawing.
#[derive(Clone, Debug)]
pub struct Diagram {
    pub size: BoardSize,
    pub cells: Vec<(Coord, Cell)>,
    pub marks: Vec<Coord>,
}

impl Diagram {
    /// Reads a drawing; blanks between the cells and around the rows do not matter.
    pub fn parse(text: &str) -> Diagram {
        let rows: Vec<Vec<char>> = text
            .lines()
            .map(|line| line.chars().filter(|c| !c.is_whitespace()).collect::<Vec<char>>())
            .filter(|row| !row.is_empty())
            .collect();
        let size = size(rows[0].len(), rows.len());
        let (mut cells, mut marks) = (Vec::new(), Vec::new());
        for (y, row) in rows.iter().enumerate() {
            assert_eq!(row.len(), rows[0].len(), "row {y} of\n{text}");
            for (x, symbol) in row.iter().enumerate() {
                let c = Coord::new(x as u8, y as u8);
                match symbol {
                    'X' => cells.push((c, Cell::Black)),
                    'O' => cells.push((c, Cell::White)),
                    '#' => cells.push((c, Cell::Wall)),
                    '*' => marks.push(c),
                    '.' => {}
                    other => panic!("{other:?} in\n{text}"),
                }
            }
        }
        Diagram { size, cells, marks }
    }

    pub fn board(&self, rule: Rule, to_move: Color) -> Board {
        Board::from_cells(self.size, rule, &self.cells, to_move)
    }

    /// Returns the diagram turned and mirrored in all eight ways.
    pub fn symmetries(&self) -> [Diagram; 8] {
        std::array::from_fn(|which| self.transformed(which))
    }

    fn transformed(&self, which: usize) -> Diagram {
        let (width, height) = (self.size.width(), self.size.height());
        let turn = |c: Coord| {
            let x = if which & 1 == 0 { c.x() } else { width - 1 - c.x() };
            let y = if which & 2 == 0 { c.y() } else { height - 1 - c.y() };
            if which & 4 == 0 { Coord::new(x, y) } else { Coord::new(y, x) }
        };
        let is_transposed = which & 4 != 0;
        let (width, height) = if is_transposed { (height, width) } else { (width, height) };
        Diagram {
            size: size(width.into(), height.into()),
            cells: self.cells.iter().map(|&(c, cell)| (turn(c), cell)).collect(),
            marks: self.marks.iter().map(|&c| turn(c)).collect(),
        }
    }
}

/// Returns a board size that is known to be valid.
pub fn size(width: usize, height: usize) -> BoardSize {
    BoardSize::new(width as u8, height as u8).expect("a valid size")
}

/// Returns the board after moves such as h8i9, black first.
pub fn board_after(rule: Rule, size: BoardSize, moves: &str) -> Board {
    Board::from_moves(size, rule, parse_points(moves, size).expect("valid points"))
}

/// Returns the point named by a letter and a number.
pub fn point(name: &str) -> Coord {
    let column = name.as_bytes()[0] - b'a';
    let row: u8 = name[1..].parse().expect("a row number");
    Coord::new(column, row - 1)
}

/// Draws a board, for the messages of failed tests.
pub fn draw(board: &Board) -> String {
    let mut text = format!("{:?}, {:?} to move\n", board.rule(), board.side_to_move());
    for c in board.size().cells() {
        text.push(match board.cell(c) {
            Cell::Black => 'X',
            Cell::White => 'O',
            Cell::Empty => '.',
            Cell::Wall => '#',
        });
        text.push(if c.x() + 1 == board.size().width() { '\n' } else { ' ' });
    }
    text
}
