//! What the board tests share: positions drawn as text, seeded random positions, and slow and
//! obvious twins of the engine's rules.
//!
//! In drawings `X` is black, `O` white, `.` free, `#` a wall and `*` a free cell in question; the
//! first row drawn is row 0. Nothing here asks the engine what a line or a stone is worth.

#![allow(dead_code, reason = "every test file uses a part of this module")]

pub mod fours;
pub mod grid;
pub mod lines;
pub mod playout;
pub mod solver;

use std::env;

use tengen::board::Board;
use tengen::types::{BoardSize, Cell, Color, Coord, Direction, Rule};

/// How many times more positions the comparisons look at at night: 20,000 become a million.
const NIGHTLY_FACTOR: usize = 50;

/// Returns how many positions to compare where `daily` are enough for every day: more if the
/// environment names `TENGEN_NIGHTLY`.
pub fn rounds(daily: usize) -> usize {
    let is_nightly = env::var_os("TENGEN_NIGHTLY").is_some_and(|value| !value.is_empty());
    if is_nightly { daily * NIGHTLY_FACTOR } else { daily }
}

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

/// Returns random stones of a board of sides 5 and 6 that leave `free` cells free.
pub fn nearly_full_stones(rng: &mut fastrand::Rng, free: usize) -> (BoardSize, Vec<(Coord, Cell)>) {
    let size = size(rng.usize(5..=6), rng.usize(5..=6));
    let mut cells = random_stones(rng, size);
    let mut rest: Vec<Coord> =
        size.cells().filter(|&c| cells.iter().all(|&(taken, _)| taken != c)).collect();
    rng.shuffle(&mut rest);
    for c in rest.into_iter().skip(free) {
        cells.push((c, if rng.bool() { Cell::Black } else { Cell::White }));
    }
    (size, cells)
}

/// Returns random stones in a form that makes many threats: scattered ones near the middle of a
/// cluster, and stretches of lines on which one colour rules. No cell comes twice.
pub fn random_stones(rng: &mut fastrand::Rng, size: BoardSize) -> Vec<(Coord, Cell)> {
    let mut cells: Vec<(Coord, Cell)> = Vec::new();
    let mut put = |x: i32, y: i32, cell: Cell| {
        let c = u8::try_from(x).ok().zip(u8::try_from(y).ok()).and_then(|(x, y)| size.coord(x, y));
        if let Some(c) = c.filter(|c| cells.iter().all(|(other, _)| other != c)) {
            cells.push((c, cell));
        }
    };
    let (width, height) = (i32::from(size.width()), i32::from(size.height()));
    let (middle_x, middle_y) = (rng.i32(0..width), rng.i32(0..height));
    for _ in 0..rng.usize(0..12) {
        let (x, y) = (middle_x + rng.i32(-4..=4), middle_y + rng.i32(-4..=4));
        put(x, y, if rng.bool() { Cell::Black } else { Cell::White });
    }
    for _ in 0..rng.usize(2..10) {
        let (mut x, mut y) = (middle_x + rng.i32(-4..=4), middle_y + rng.i32(-4..=4));
        let (dx, dy) = rng.choice([(1, 0), (0, 1), (1, 1), (-1, 1)]).expect("four directions");
        let ruler = if rng.bool() { Cell::Black } else { Cell::White };
        for _ in 0..rng.usize(4..9) {
            match rng.usize(0..16) {
                0..8 => put(x, y, ruler),
                8 => put(x, y, if ruler == Cell::Black { Cell::White } else { Cell::Black }),
                9 if rng.bool() => put(x, y, Cell::Wall),
                _ => {}
            }
            (x, y) = (x + dx, y + dy);
        }
    }
    rng.shuffle(&mut cells);
    cells
}

/// Returns a random board of sides within `sides`, with stones that make many threats.
pub fn random_board(
    rng: &mut fastrand::Rng,
    rule: Rule,
    sides: std::ops::RangeInclusive<usize>,
) -> Board {
    let size = size(rng.usize(sides.clone()), rng.usize(sides));
    let to_move = if rng.bool() { Color::Black } else { Color::White };
    Board::from_cells(size, rule, &random_stones(rng, size), to_move)
}

/// Returns the line of the board through `c` as seen by `color`, from edge to edge, and the place
/// of `c` on it.
pub fn line_through(
    board: &Board,
    c: Coord,
    direction: Direction,
    color: Color,
) -> (Vec<char>, usize) {
    let (dx, dy) = match direction {
        Direction::Horizontal => (1, 0),
        Direction::Vertical => (0, 1),
        Direction::Diagonal => (1, 1),
        Direction::AntiDiagonal => (-1, 1),
    };
    let at = |k: i32| {
        let x = u8::try_from(i32::from(c.x()) + k * dx).ok()?;
        let y = u8::try_from(i32::from(c.y()) + k * dy).ok()?;
        board.size().coord(x, y)
    };
    let first = -(1..).take_while(|&k| at(-k).is_some()).count().min(30).try_into().unwrap_or(0);
    let line = (first..)
        .map_while(at)
        .map(|cell| match board.cell(cell) {
            Cell::Empty => '.',
            Cell::Wall => '#',
            stone if stone == color.cell() => 'X',
            _ => 'O',
        })
        .collect();
    (line, -first as usize)
}
