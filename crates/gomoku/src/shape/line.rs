//! The shape of one line, by definition: by what the next stones on it can make.
//!
//! Slow, so every line is judged once, and the tables are filled from that. Knows one colour and
//! what wins for it, and no other line.

use super::Shape;
use crate::types::{Cell, Color, Rule};

/// What makes a line a win for one colour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Winning {
    /// Five or more.
    FiveOrMore,
    /// Five and no more.
    ExactFive,
    /// Five and no more; overlines and double fours are fouls.
    ExactFiveWithFouls,
    /// Six or more, or a five without an enemy stone at both ends.
    CaroFive,
    /// A five without an enemy stone at both ends.
    CaroExactFive,
}

impl Winning {
    /// Returns what wins for a colour under a rule.
    pub fn of(rule: Rule, color: Color) -> Winning {
        match (rule, color) {
            (Rule::Freestyle, _) | (Rule::Renju, Color::White) => Winning::FiveOrMore,
            (Rule::Standard, _) => Winning::ExactFive,
            (Rule::Renju, Color::Black) => Winning::ExactFiveWithFouls,
            (Rule::Caro, _) => Winning::CaroFive,
            (Rule::CaroExact, _) => Winning::CaroExactFive,
        }
    }
}

/// Cells on one side of the centre, seen from the centre outwards, two bits a cell. The codes are
/// relative to the colour asked about; own and enemy take the places of black and white.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Half(u16);

/// Which of the two halves of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The cells before the centre, the nearest last in a window.
    Before,
    /// The cells behind the centre, the nearest first in a window.
    Behind,
}

const OWN: u16 = Cell::Black as u16;
const ENEMY: u16 = Cell::White as u16;
const EMPTY: u16 = Cell::Empty as u16;
const WALL: u16 = Cell::Wall as u16;

impl Half {
    const CELLS: usize = 5;
    const RAW: usize = 1 << (2 * Half::CELLS);
    /// The number of halves that differ, up to the first enemy stone or wall, where the line ends:
    /// 2 * (1 + 2 + 4 + 8 + 16) ended ones and 32 open ones.
    const DISTINCT: usize = 94;

    /// Returns the half as a number below [`Half::RAW`].
    const fn index(self) -> usize {
        self.0 as usize % Half::RAW
    }

    /// Returns the cell `distance` steps out, counted from 0.
    const fn at(self, distance: usize) -> u16 {
        self.0 >> (2 * distance) & 3
    }

    const fn with(self, distance: usize, code: u16) -> Half {
        Half(self.0 & !(3 << (2 * distance)) | code << (2 * distance))
    }

    const fn run(self) -> usize {
        let mut n = 0;
        while n < Half::CELLS && self.at(n) == OWN {
            n += 1;
        }
        n
    }

    const fn is_enemy_behind_run(self) -> bool {
        let run = self.run();
        run < Half::CELLS && self.at(run) == ENEMY
    }

    /// Returns the half with everything behind the first enemy stone or wall made wall.
    fn ended(self) -> Half {
        let end = (0..Half::CELLS).find(|&k| matches!(self.at(k), ENEMY | WALL));
        (end.map_or(Half::CELLS, |k| k + 1)..Half::CELLS).fold(self, |half, k| half.with(k, WALL))
    }
}

/// The shapes of every pair of halves for one colour.
#[derive(Clone)]
pub struct LineShapes {
    winning: Winning,
    /// Number of each raw half among the distinct ones.
    id: Vec<u8>,
    /// Shape of a pair of distinct halves, `None` while not known.
    shape: Vec<Option<Shape>>,
}

impl LineShapes {
    /// The number of halves that differ: the least number that no half has.
    pub const HALVES: usize = Half::DISTINCT;

    /// Returns the shapes of all lines.
    pub fn new(winning: Winning) -> LineShapes {
        let mut distinct: Vec<Half> = Vec::with_capacity(Half::DISTINCT);
        let mut id = vec![0; Half::RAW];
        for (raw, id) in id.iter_mut().enumerate() {
            let half = Half(raw as u16).ended();
            let found = distinct.iter().position(|&seen| seen == half);
            *id = found.unwrap_or_else(|| {
                distinct.push(half);
                distinct.len() - 1
            }) as u8;
        }
        debug_assert_eq!(distinct.len(), Half::DISTINCT);
        let mut shapes =
            LineShapes { winning, id, shape: vec![None; Half::DISTINCT * Half::DISTINCT] };
        for &a in &distinct {
            for &b in &distinct {
                shapes.shape([a, b]);
            }
        }
        shapes
    }

    /// Returns the shape of each pair of halves: that of `a` and `b` at `a * HALVES + b`. A line
    /// reads the same from both ends, so either half may come first.
    pub fn of_pairs(&self) -> Vec<Shape> {
        self.shape.iter().map(|shape| shape.unwrap_or(Shape::Dead)).collect()
    }

    /// Returns the number, below [`LineShapes::HALVES`], of each half of a window: of `cells`
    /// cells, two bits each in the order of the window, as `color` sees them.
    pub fn halves_of_windows(&self, cells: usize, color: Color, side: Side) -> Vec<u8> {
        let number = |window: usize| {
            // What lies beyond the window is wall: nothing there matters.
            let mut half = Half(u16::MAX);
            for distance in 0..cells {
                let place = if side == Side::Before { cells - 1 - distance } else { distance };
                let code = (window >> (2 * place) & 3) as u16;
                let is_swapped = color == Color::White && code <= ENEMY;
                half = half.with(distance, if is_swapped { code ^ 1 } else { code });
            }
            self.id[half.ended().index()]
        };
        (0..1 << (2 * cells)).map(number).collect()
    }

    fn slot(&self, [a, b]: [Half; 2]) -> usize {
        self.id[a.index()] as usize * Half::DISTINCT + self.id[b.index()] as usize
    }

    /// Returns the shape of a line, remembering it and every line it depends on.
    fn shape(&mut self, line: [Half; 2]) -> Shape {
        let slot = self.slot(line);
        if let Some(shape) = self.shape[slot] {
            return shape;
        }
        let shape = self.classify(line);
        self.shape[slot] = Some(shape);
        shape
    }

    fn classify(&mut self, line: [Half; 2]) -> Shape {
        let fouls = self.winning == Winning::ExactFiveWithFouls;
        let [before, behind] = line.map(Half::run);
        if self.is_five(line) {
            return Shape::Five;
        }
        if fouls && before + behind + 1 > 5 {
            return Shape::Foul;
        }
        let fives = self.five_cells(line);
        if fives > 0 {
            let stoppable = empties(line).any(|at| self.five_cells(placed(line, at, ENEMY)) == 0);
            return match (stoppable, fouls && before + behind + 1 != 4) {
                (true, _) => Shape::Four,
                (false, true) => Shape::Foul,
                (false, false) => Shape::OpenFour,
            };
        }
        let mut next = [0; Shape::COUNT];
        for at in empties(line) {
            next[self.shape(placed(line, at, OWN)) as usize] += 1;
        }
        let count = |shapes: &[Shape]| shapes.iter().map(|&s| next[s as usize]).sum::<usize>();
        match count(&[Shape::OpenFour]) {
            0 => {}
            1 => return Shape::NarrowThree,
            _ => return Shape::OpenThree,
        }
        if count(&[Shape::Four]) > 0 {
            return Shape::Three;
        }
        match count(&[Shape::NarrowThree, Shape::OpenThree]) {
            0 => {}
            1..=2 => return Shape::NarrowTwo,
            3 => return Shape::OpenTwo,
            _ => return Shape::WideTwo,
        }
        if count(&[Shape::Three]) > 0 {
            Shape::Two
        } else if Shape::ALL.iter().any(|s| s.is_open_two() && next[*s as usize] > 0) {
            Shape::OpenOne
        } else if count(&[Shape::Two]) > 0 {
            Shape::One
        } else {
            Shape::Dead
        }
    }

    fn is_five(&self, line: [Half; 2]) -> bool {
        let run = line[0].run() + line[1].run() + 1;
        let is_closed = || line[0].is_enemy_behind_run() && line[1].is_enemy_behind_run();
        match self.winning {
            Winning::FiveOrMore => run >= 5,
            Winning::ExactFive | Winning::ExactFiveWithFouls => run == 5,
            Winning::CaroFive => run > 5 || run == 5 && !is_closed(),
            Winning::CaroExactFive => run == 5 && !is_closed(),
        }
    }

    fn five_cells(&self, line: [Half; 2]) -> usize {
        empties(line).filter(|&at| self.is_five(placed(line, at, OWN))).count()
    }
}

/// A cell of a line: which half, and how far out.
type At = (usize, usize);

/// Returns the empty cells that a five through the centre could use.
fn empties(line: [Half; 2]) -> impl Iterator<Item = At> {
    (0..2).flat_map(move |side| {
        (0..Half::CELLS)
            .take_while(move |&k| matches!(line[side].at(k), OWN | EMPTY))
            .filter(move |&k| line[side].at(k) == EMPTY)
            .map(move |k| (side, k))
    })
}

fn placed(mut line: [Half; 2], (side, distance): At, code: u16) -> [Half; 2] {
    line[side] = line[side].with(distance, code).ended();
    line
}
