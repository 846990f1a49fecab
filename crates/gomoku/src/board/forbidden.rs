//! The forbidden points of renju: black may not make an overline, two fours or two threes unless
//! the same stone makes a five. A three counts only if it can become a straight four by an allowed
//! move, so that the test is recursive, on a copy of the lines with more stones.

use super::{Board, Lines};
use crate::shape::{RuleTables, Shape, Threat};
use crate::types::{Cell, Color, Coord, CoordSet, Direction, Rule};

impl Board {
    /// Returns true if the rule is renju and black may not play on the empty cell `c`.
    pub fn is_forbidden(&self, c: Coord) -> bool {
        self.threat(c, Color::Black) == Threat::Forbidden && self.tables.is_foul(&self.lines, c)
    }

    /// Returns why black may not play on an empty cell: `overline`, `double four` or `double three`.
    pub fn why_forbidden(&self, c: Coord) -> Option<&'static str> {
        let fours = Direction::ALL.map(|direction| {
            match self.threats(c).shape(Color::Black, direction) {
                // Two on one line, unless it is an overline.
                Shape::Foul => 2,
                shape => usize::from(shape >= Shape::Four),
            }
        });
        let is_overline = || self.has_six_through(c, |cell| cell == Cell::Black);
        self.is_forbidden(c).then(|| match fours.iter().sum::<usize>() {
            _ if is_overline() => "overline",
            0..=1 => "double three",
            _ => "double four",
        })
    }

    /// Returns true if `c` is an empty cell where `color` may play.
    pub fn is_legal(&self, c: Coord, color: Color) -> bool {
        self.is_empty(c) && (color == Color::White || !self.is_forbidden(c))
    }

    /// Returns those of the empty `cells` where `color` may play.
    pub fn legal_cells(&self, mut cells: CoordSet, color: Color) -> CoordSet {
        debug_assert!(cells.without(&self.empty).is_empty());
        if self.rule == Rule::Renju && color == Color::Black {
            for c in &(cells & *self.cells_with(Color::Black, Threat::Forbidden)) {
                if self.is_forbidden(c) {
                    cells.remove(c);
                }
            }
        }
        cells
    }

    /// Returns true if there is a free cell where the side to move may play.
    pub fn has_legal_move(&self) -> bool {
        !self.legal_cells(self.empty, self.side_to_move()).is_empty()
    }

    /// Returns the number of empty cells on which black would make an overline.
    #[doc(hidden)]
    pub fn forbidden_overlines(&self) -> usize {
        let cells = self.cells_with(Color::Black, Threat::Forbidden).into_iter();
        cells.filter(|&c| self.has_six_through(c, |cell| cell == Cell::Black)).count()
    }

    /// Returns true if `c` is among six cells in a row whose others are wanted.
    pub(super) fn has_six_through(&self, c: Coord, is_wanted: impl Fn(Cell) -> bool) -> bool {
        Direction::ALL.into_iter().any(|direction| {
            let line = self.lines.line(c, direction);
            let before = (1..6).take_while(|&steps| is_wanted(line.cell(-steps))).count();
            let after = (1..6).take_while(|&steps| is_wanted(line.cell(steps))).count();
            before + after >= 5
        })
    }
}

impl RuleTables {
    fn is_foul(&self, lines: &Lines, c: Coord) -> bool {
        let shapes = Direction::ALL.map(|direction| self.black_shape(lines, c, direction));
        if shapes.contains(&Shape::Five) {
            return false;
        }
        let fours = shapes.iter().filter(|&&s| s >= Shape::Four).count();
        if shapes.contains(&Shape::Foul) || fours >= 2 {
            return true;
        }
        if shapes.iter().filter(|s| s.is_open_three()).count() < 2 {
            return false;
        }
        let mut after = *lines;
        after.change(c, Cell::Empty, Cell::Black);
        let is_three = |&(direction, shape): &(Direction, Shape)| {
            shape.is_open_three() && self.becomes_straight_four(&after, c, direction)
        };
        Direction::ALL.into_iter().zip(shapes).filter(is_three).count() >= 2
    }

    /// Returns true if the black stone on `c` can become part of a straight four, which has no gap,
    /// by one allowed move that makes no five elsewhere.
    fn becomes_straight_four(&self, lines: &Lines, c: Coord, direction: Direction) -> bool {
        [-1, 1].into_iter().any(|sign| {
            let line = lines.line(c, direction);
            let steps = (1..5).find(|&k| line.cell(sign * k) != Cell::Black).unwrap_or(5) * sign;
            if line.cell(steps) != Cell::Empty {
                return false;
            }
            let next = c.step(direction, steps);
            self.black_shape(lines, next, direction) == Shape::OpenFour
                && Direction::ALL
                    .into_iter()
                    .all(|d| self.black_shape(lines, next, d) != Shape::Five)
                && !self.is_foul(lines, next)
        })
    }

    fn black_shape(&self, lines: &Lines, c: Coord, direction: Direction) -> Shape {
        self.shape(Color::Black, lines.line(c, direction).window(0, self.radius))
    }
}
