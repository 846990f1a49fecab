//! A whole board as bytes, and the rules of the game by their definitions: every question is
//! answered by putting stones down and looking.

use tengen_gomoku::board::Board;
use tengen_gomoku::types::{Cell, Color, Coord, Rule};

/// A cell of the grid.
pub type Point = usize;

const STRIDE: usize = 34;
const PADDING: usize = 6;
const STEPS: [usize; 4] = [1, STRIDE, STRIDE + 1, STRIDE - 1];

/// The stone of a colour.
pub fn stone(color: Color) -> u8 {
    match color {
        Color::Black => b'X',
        Color::White => b'O',
    }
}

/// Returns the stone of the other colour.
pub fn enemy_of(stone: u8) -> u8 {
    if stone == b'X' { b'O' } else { b'X' }
}

/// Returns the point of a cell.
pub fn point_of(c: Coord) -> Point {
    (usize::from(c.y()) + PADDING) * STRIDE + usize::from(c.x()) + PADDING
}

/// Returns the points within four of `p` along a line.
fn points_near(p: Point, step: usize) -> impl Iterator<Item = Point> {
    (1..=4).flat_map(move |k| [p - k * step, p + k * step])
}

/// What a black stone under renju is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Five,
    Foul,
    Legal,
}

/// A board of bytes `X`, `O`, `.` and `#`, with walls all around.
#[derive(Clone)]
pub struct Grid {
    cells: [u8; STRIDE * STRIDE],
    points: Vec<Point>,
}

impl Grid {
    pub fn of(board: &Board) -> Grid {
        let mut grid = Grid { cells: [b'#'; STRIDE * STRIDE], points: Vec::new() };
        for c in board.size().cells() {
            grid.points.push(point_of(c));
            grid.cells[point_of(c)] = match board.cell(c) {
                Cell::Black => b'X',
                Cell::White => b'O',
                Cell::Empty => b'.',
                Cell::Wall => b'#',
            };
        }
        grid
    }

    pub fn empties(&self) -> Vec<Point> {
        let mut empties = Vec::with_capacity(self.points.len());
        empties.extend(self.points.iter().copied().filter(|&p| self.cells[p] == b'.'));
        empties
    }

    /// Puts a stone on a free point while `look` is at it.
    pub fn with<T>(&mut self, p: Point, stone: u8, look: impl FnOnce(&mut Grid) -> T) -> T {
        assert_eq!(self.cells[p], b'.');
        self.cells[p] = stone;
        let seen = look(self);
        self.cells[p] = b'.';
        seen
    }

    /// Returns the first and last point of the run of equal stones through `p`, and its length.
    fn run(&self, p: Point, step: usize) -> (Point, Point, usize) {
        let (mut first, mut last, mut len) = (p, p, 1);
        while self.cells[first - step] == self.cells[p] {
            (first, len) = (first - step, len + 1);
        }
        while self.cells[last + step] == self.cells[p] {
            (last, len) = (last + step, len + 1);
        }
        (first, last, len)
    }

    /// Returns true if the stone on `p` wins.
    pub fn has_won(&self, p: Point, rule: Rule) -> bool {
        let enemy = enemy_of(self.cells[p]);
        STEPS.into_iter().any(|step| {
            let (first, last, len) = self.run(p, step);
            let is_closed = self.cells[first - step] == enemy && self.cells[last + step] == enemy;
            match (rule, self.cells[p]) {
                (Rule::Freestyle, _) | (Rule::Renju, b'O') => len >= 5,
                (Rule::Standard, _) | (Rule::Renju, _) => len == 5,
                (Rule::Caro, _) => len > 5 || len == 5 && !is_closed,
                (Rule::CaroExact, _) => len == 5 && !is_closed,
            }
        })
    }

    /// Returns true if `p` is free and a stone on it wins.
    fn is_five_point(&mut self, p: Point, stone: u8, rule: Rule) -> bool {
        self.cells[p] == b'.' && self.with(p, stone, |grid| grid.has_won(p, rule))
    }

    /// Returns the points on which a stone wins.
    pub fn five_points(&mut self, stone: u8, rule: Rule) -> Vec<Point> {
        let empties = self.empties();
        empties.into_iter().filter(|&p| self.is_five_point(p, stone, rule)).collect()
    }

    /// Returns true if a stone on some free point wins.
    pub fn has_five_point(&mut self, stone: u8, rule: Rule) -> bool {
        (0..self.points.len()).any(|at| self.is_five_point(self.points[at], stone, rule))
    }

    /// Returns the points where a stone does not win but leaves fives that no single enemy stone
    /// stops, for a side that has no five yet. Under renju black's must be legal.
    pub fn unstoppable_points(&mut self, own: u8, rule: Rule) -> Vec<Point> {
        let enemy = enemy_of(own);
        let mut found = Vec::new();
        for p in self.empties() {
            let is_unstoppable = self.with(p, own, |grid| {
                if grid.has_won(p, rule) {
                    return false;
                }
                // There was no five before, so all fives now go through the new stone.
                let fives = grid.fives_near(p, own, rule);
                let mut answers = grid.empties().into_iter();
                !fives.is_empty() && !answers.any(|at| grid.stops(at, enemy, &fives, rule))
            });
            let is_bound = rule == Rule::Renju && own == b'X';
            if is_unstoppable && !(is_bound && self.judge(p) != Verdict::Legal) {
                found.push(p);
            }
        }
        found
    }

    /// Returns the points within four of `p` along its lines on which `own` wins.
    pub fn fives_near(&mut self, p: Point, own: u8, rule: Rule) -> Vec<Point> {
        let near = STEPS.into_iter().flat_map(|step| points_near(p, step));
        near.filter(|&q| self.is_five_point(q, own, rule)).collect()
    }

    /// Returns true if a stone of the defender on `answer` leaves the attacker none of his `fives`.
    pub fn stops(&mut self, answer: Point, defender: u8, fives: &[Point], rule: Rule) -> bool {
        self.with(answer, defender, |grid| {
            !fives.iter().any(|&five| grid.is_five_point(five, enemy_of(defender), rule))
        })
    }

    /// Returns true if a stone of this colour on the free point `p` is against the rule.
    pub fn is_foul(&mut self, p: Point, own: u8, rule: Rule) -> bool {
        rule == Rule::Renju && own == b'X' && self.judge(p) == Verdict::Foul
    }

    /// Returns the points within four of the free point `p` along the line of number `direction`
    /// that would win for `own` if it stood on `p`.
    pub fn fives_on_line(&mut self, p: Point, own: u8, direction: usize, rule: Rule) -> Vec<Point> {
        self.with(p, own, |grid| {
            let near = points_near(p, STEPS[direction]);
            near.filter(|&q| grid.is_five_point(q, own, rule)).collect()
        })
    }

    /// Judges a black stone on the free point `p` under renju.
    pub fn judge(&mut self, p: Point) -> Verdict {
        self.with(p, b'X', |grid| {
            let lengths = STEPS.map(|step| grid.run(p, step).2);
            if lengths.contains(&5) {
                Verdict::Five
            } else if lengths.iter().any(|&len| len > 5)
                || grid.fours(p).len() > 1
                || STEPS.iter().filter(|&&step| grid.is_three(p, step)).count() > 1
            {
                Verdict::Foul
            } else {
                Verdict::Legal
            }
        })
    }

    /// Returns the fours that the black stone on `p` is part of: each the four stones that one
    /// more makes exactly five.
    fn fours(&mut self, p: Point) -> Vec<Vec<Point>> {
        let mut fours = Vec::new();
        for step in STEPS {
            for q in points_near(p, step) {
                if self.cells[q] != b'.' {
                    continue;
                }
                let (first, last, len) = self.with(q, b'X', |grid| grid.run(q, step));
                if len == 5 && (first..=last).contains(&p) {
                    let four: Vec<Point> =
                        (0..5).map(|k| first + k * step).filter(|&stone| stone != q).collect();
                    if !fours.contains(&four) {
                        fours.push(four);
                    }
                }
            }
        }
        fours
    }

    /// Returns true if one more stone, allowed and no five, makes the black stone on `p` part of
    /// a straight four.
    fn is_three(&mut self, p: Point, step: usize) -> bool {
        points_near(p, step).any(|q| {
            self.cells[q] == b'.'
                && self.with(q, b'X', |grid| grid.is_straight_four(p, q, step))
                && self.judge(q) == Verdict::Legal
        })
    }

    /// Returns true if `p` and `q` are in one row of exactly four with a five at either end.
    fn is_straight_four(&mut self, p: Point, q: Point, step: usize) -> bool {
        let (first, last, len) = self.run(p, step);
        len == 4
            && (first..=last).contains(&q)
            && [first - step, last + step].into_iter().all(|end| {
                self.cells[end] == b'.' && self.with(end, b'X', |grid| grid.run(end, step).2 == 5)
            })
    }
}
