//! A slow reader of line shapes: the definitions of `shape.rs` played out on the whole line.
//!
//! A line is text of `X` (own), `O` (enemy), `.` (free) and `#` (wall), and ends at the edge. No
//! window, no halves, no tables: every free cell of the line is tried.

use std::collections::HashMap;

use tengen_gomoku::board::Board;
use tengen_gomoku::shape::{Shape, Threat};
use tengen_gomoku::types::{Cell, Color, Coord, Direction, Rule};

/// Reads the lines of one colour under one rule.
pub struct Scanner {
    rule: Rule,
    color: Color,
    known: HashMap<(Vec<char>, usize, u32), Shape>,
}

impl Scanner {
    pub fn new(rule: Rule, color: Color) -> Scanner {
        Scanner { rule, color, known: HashMap::new() }
    }

    /// Returns what an own stone on the free cell `center` makes of the line.
    pub fn shape(&mut self, line: &[char], center: usize) -> Shape {
        let mut line = line.to_vec();
        assert_eq!(line[center], '.');
        line[center] = 'X';
        // The weakest shapes that are told apart need four more stones for a five.
        self.shape_within(&line, center, 4)
    }

    /// Returns the shape of the stone on `center` as far as `stones` more stones tell.
    fn shape_within(&mut self, line: &[char], center: usize, stones: u32) -> Shape {
        let question = (line.to_vec(), center, stones);
        if let Some(&shape) = self.known.get(&question) {
            return shape;
        }
        let shape = self.play_out(line, center, stones);
        self.known.insert(question, shape);
        shape
    }

    fn play_out(&mut self, line: &[char], center: usize, stones: u32) -> Shape {
        let (first, last) = run(line, center);
        if self.wins(line, center) {
            return Shape::Five;
        }
        let has_fouls = self.rule == Rule::Renju && self.color == Color::Black;
        if has_fouls && last - first >= 5 {
            return Shape::Foul;
        }
        if !is_in_reach(line, center, stones) {
            return Shape::Dead;
        }
        if self.can_win(line, center) {
            let mut line = line.to_vec();
            for at in free(&line.clone()) {
                line[at] = 'O';
                if !self.can_win(&line, center) {
                    return Shape::Four;
                }
                line[at] = '.';
            }
            let is_row_of_four = last - first == 3;
            return if has_fouls && !is_row_of_four { Shape::Foul } else { Shape::OpenFour };
        }
        if stones < 2 {
            return Shape::Dead;
        }
        let next: Vec<Shape> = free(line)
            .map(|at| self.shape_within(&put(line, at, 'X'), center, stones - 1))
            .collect();
        let number = |is_meant: fn(Shape) -> bool| next.iter().filter(|&&s| is_meant(s)).count();
        let open_fours = number(|s| s == Shape::OpenFour);
        let open_threes = number(|s| matches!(s, Shape::NarrowThree | Shape::OpenThree));
        let open_twos = number(|s| matches!(s, Shape::NarrowTwo | Shape::OpenTwo | Shape::WideTwo));
        if open_fours > 1 {
            Shape::OpenThree
        } else if open_fours == 1 {
            Shape::NarrowThree
        } else if next.contains(&Shape::Four) {
            Shape::Three
        } else if open_threes > 3 {
            Shape::WideTwo
        } else if open_threes == 3 {
            Shape::OpenTwo
        } else if open_threes > 0 {
            Shape::NarrowTwo
        } else if next.contains(&Shape::Three) {
            Shape::Two
        } else if open_twos > 0 {
            Shape::OpenOne
        } else if next.contains(&Shape::Two) {
            Shape::One
        } else {
            Shape::Dead
        }
    }

    /// Returns true if some cell of the line completes a five through `center`.
    fn can_win(&self, line: &[char], center: usize) -> bool {
        let mut line = line.to_vec();
        (0..line.len()).any(|at| {
            if line[at] != '.' {
                return false;
            }
            line[at] = 'X';
            let wins = self.wins(&line, center);
            line[at] = '.';
            wins
        })
    }

    /// Returns true if the row through `center` is a winning one.
    fn wins(&self, line: &[char], center: usize) -> bool {
        let (first, last) = run(line, center);
        let length = last - first + 1;
        let is_enemy = |at: Option<usize>| at.and_then(|at| line.get(at)) == Some(&'O');
        let is_closed = is_enemy(first.checked_sub(1)) && is_enemy(Some(last + 1));
        match (self.rule, self.color) {
            (Rule::Freestyle, _) | (Rule::Renju, Color::White) => length >= 5,
            (Rule::Standard, _) | (Rule::Renju, Color::Black) => length == 5,
            (Rule::Caro, _) => length > 5 || length == 5 && !is_closed,
            (Rule::CaroExact, _) => length == 5 && !is_closed,
        }
    }
}

/// Returns the first and last cell of the row of own stones through `center`.
fn run(line: &[char], center: usize) -> (usize, usize) {
    let (mut first, mut last) = (center, center);
    while first > 0 && line[first - 1] == 'X' {
        first -= 1;
    }
    while line.get(last + 1) == Some(&'X') {
        last += 1;
    }
    (first, last)
}

/// Returns true if so many more stones can make some five cells through `center` own ones.
fn is_in_reach(line: &[char], center: usize, stones: u32) -> bool {
    (center.saturating_sub(4)..=center).filter_map(|first| line.get(first..first + 5)).any(|five| {
        let missing = five.iter().filter(|&&symbol| symbol == '.').count();
        missing <= stones as usize && five.iter().all(|symbol| matches!(symbol, 'X' | '.'))
    })
}

fn free(line: &[char]) -> impl Iterator<Item = usize> {
    (0..line.len()).filter(|&at| line[at] == '.')
}

fn put(line: &[char], at: usize, symbol: char) -> Vec<char> {
    let mut line = line.to_vec();
    line[at] = symbol;
    line
}

/// Returns what four line shapes mean together, read from the strongest down.
pub fn threat_of(mut shapes: [Shape; 4], rule: Rule, color: Color) -> Threat {
    shapes.sort();
    shapes.reverse();
    let number = |least: Shape, most: Shape| {
        shapes.iter().filter(|&&shape| least <= shape && shape <= most).count()
    };
    let fours = number(Shape::Four, Shape::OpenFour);
    let open_threes = number(Shape::NarrowThree, Shape::OpenThree);
    // Closed threes and open twos.
    let threes = number(Shape::Three, Shape::Three);
    let twos = number(Shape::NarrowTwo, Shape::WideTwo);
    let looks_foul = shapes.contains(&Shape::Foul) || fours > 1 || open_threes > 1;
    match shapes[0] {
        Shape::Five => Threat::Five,
        _ if rule == Rule::Renju && color == Color::Black && looks_foul => Threat::Forbidden,
        Shape::OpenFour => Threat::OpenFour,
        Shape::Four if fours > 1 => Threat::OpenFour,
        Shape::Four if open_threes > 0 => Threat::FourThree,
        Shape::Four if threes + twos > 0 => Threat::FourPlus,
        Shape::Four => Threat::Four,
        Shape::OpenThree | Shape::NarrowThree if open_threes > 1 => Threat::DoubleThree,
        Shape::OpenThree | Shape::NarrowThree if threes + twos > 0 => Threat::OpenThreePlus,
        Shape::OpenThree | Shape::NarrowThree => Threat::OpenThree,
        Shape::Three if threes + twos > 1 => Threat::ThreePlus,
        Shape::Three => Threat::Three,
        _ if twos > 1 => Threat::DoubleTwo,
        _ if twos == 1 => Threat::OpenTwo,
        _ => Threat::None,
    }
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
