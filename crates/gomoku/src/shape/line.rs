//! The shape of a line by definition: by what the next stones can make. Slow, so that every line is
//! judged once, for the tables.

use super::Shape;
use crate::types::{Cell, Color, Rule};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum WinRule {
    FiveOrMore,
    ExactFive,
    /// Overlines and double fours are fouls.
    ExactFiveWithFouls,
    /// Six or more, or five without enemy stones at both ends.
    CaroFive,
    /// Five without enemy stones at both ends.
    CaroExactFive,
}

impl WinRule {
    pub fn of(rule: Rule, color: Color) -> WinRule {
        match (rule, color) {
            (Rule::Freestyle, _) | (Rule::Renju, Color::White) => WinRule::FiveOrMore,
            (Rule::Standard, _) => WinRule::ExactFive,
            (Rule::Renju, Color::Black) => WinRule::ExactFiveWithFouls,
            (Rule::Caro, _) => WinRule::CaroFive,
            (Rule::CaroExact, _) => WinRule::CaroExactFive,
        }
    }
}

/// Cells on one side of the center, outwards, two bits a cell: black stands for own stones.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Arm(u16);

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The nearest cell is last in a window.
    Before,
    /// The nearest cell is first in a window.
    After,
}

const OWN: u16 = Cell::Black as u16;
const ENEMY: u16 = Cell::White as u16;
const EMPTY: u16 = Cell::Empty as u16;
const WALL: u16 = Cell::Wall as u16;

impl Arm {
    const CELLS: usize = 5;
    const RAW: usize = 1 << (2 * Arm::CELLS);
    /// Arms that differ up to the first enemy stone or wall, where the line ends: 2 * (1 + 2 + 4 +
    /// 8 + 16) ended ones and 32 open ones.
    const DISTINCT: usize = 94;

    const fn index(self) -> usize {
        self.0 as usize % Arm::RAW
    }

    const fn at(self, distance: usize) -> u16 {
        self.0 >> (2 * distance) & 3
    }

    const fn with(self, distance: usize, code: u16) -> Arm {
        Arm(self.0 & !(3 << (2 * distance)) | code << (2 * distance))
    }

    fn run(self) -> usize {
        (0..Arm::CELLS).take_while(|&k| self.at(k) == OWN).count()
    }

    fn cut_at_wall(self) -> Arm {
        let end = (0..Arm::CELLS).find(|&k| matches!(self.at(k), ENEMY | WALL));
        (end.map_or(Arm::CELLS, |k| k + 1)..Arm::CELLS).fold(self, |arm, k| arm.with(k, WALL))
    }
}

#[derive(Clone)]
pub struct LineShapes {
    win_rule: WinRule,
    /// The number of each raw arm among the distinct ones.
    id: Vec<u8>,
    /// By pair of distinct arms; `None` until known.
    shape: Vec<Option<Shape>>,
}

impl LineShapes {
    pub const ARMS: usize = Arm::DISTINCT;

    pub fn new(win_rule: WinRule) -> LineShapes {
        let mut distinct: Vec<Arm> = Vec::with_capacity(Arm::DISTINCT);
        let mut id = vec![0; Arm::RAW];
        for (raw, id) in id.iter_mut().enumerate() {
            let arm = Arm(raw as u16).cut_at_wall();
            let found = distinct.iter().position(|&seen| seen == arm);
            *id = found.unwrap_or_else(|| {
                distinct.push(arm);
                distinct.len() - 1
            }) as u8;
        }
        debug_assert_eq!(distinct.len(), Arm::DISTINCT);
        let mut shapes =
            LineShapes { win_rule, id, shape: vec![None; Arm::DISTINCT * Arm::DISTINCT] };
        for &a in &distinct {
            for &b in &distinct {
                shapes.shape([a, b]);
            }
        }
        shapes
    }

    /// Returns the shape of each pair of arms, `a` and `b` at `a * ARMS + b`.
    pub fn of_pairs(&self) -> Vec<Shape> {
        self.shape.iter().map(|shape| shape.unwrap_or(Shape::Dead)).collect()
    }

    /// Returns the number of each possible arm of so many cells, as `color` sees it.
    pub fn arms_of_windows(&self, cells: usize, color: Color, side: Side) -> Vec<u8> {
        let number = |window: usize| {
            // Beyond the window is wall: nothing there matters.
            let mut arm = Arm(u16::MAX);
            for distance in 0..cells {
                let place = if side == Side::Before { cells - 1 - distance } else { distance };
                let code = (window >> (2 * place) & 3) as u16;
                let is_swapped = color == Color::White && code <= ENEMY;
                arm = arm.with(distance, if is_swapped { code ^ 1 } else { code });
            }
            self.id[arm.cut_at_wall().index()]
        };
        (0..1 << (2 * cells)).map(number).collect()
    }

    /// Returns the shape of a line, and stores it with every line it depends on.
    fn shape(&mut self, line: [Arm; 2]) -> Shape {
        let [a, b] = line.map(|arm| usize::from(self.id[arm.index()]));
        let slot = a * Arm::DISTINCT + b;
        if let Some(shape) = self.shape[slot] {
            return shape;
        }
        let shape = self.classify(line);
        self.shape[slot] = Some(shape);
        shape
    }

    fn classify(&mut self, line: [Arm; 2]) -> Shape {
        let fouls = self.win_rule == WinRule::ExactFiveWithFouls;
        let [before, after] = line.map(Arm::run);
        if self.is_five(line) {
            return Shape::Five;
        }
        if fouls && before + after + 1 > 5 {
            return Shape::Foul;
        }
        let fives = self.five_cells(line);
        if fives > 0 {
            let stoppable = empties(line).any(|at| self.five_cells(placed(line, at, ENEMY)) == 0);
            return match (stoppable, fouls && before + after + 1 != 4) {
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
        } else if count(&[Shape::NarrowTwo, Shape::OpenTwo, Shape::WideTwo]) > 0 {
            Shape::OpenOne
        } else if count(&[Shape::Two]) > 0 {
            Shape::One
        } else {
            Shape::Dead
        }
    }

    fn is_five(&self, line: [Arm; 2]) -> bool {
        let runs = line.map(Arm::run);
        let run = runs[0] + runs[1] + 1;
        let is_closed = || (0..2).all(|side| line[side].at(runs[side]) == ENEMY);
        match self.win_rule {
            WinRule::FiveOrMore => run >= 5,
            WinRule::ExactFive | WinRule::ExactFiveWithFouls => run == 5,
            WinRule::CaroFive => run > 5 || run == 5 && !is_closed(),
            WinRule::CaroExactFive => run == 5 && !is_closed(),
        }
    }

    fn five_cells(&self, line: [Arm; 2]) -> usize {
        empties(line).filter(|&at| self.is_five(placed(line, at, OWN))).count()
    }
}

/// Arm, and distance on it.
type At = (usize, usize);

/// Returns the empty cells that a five through the center could use.
fn empties(line: [Arm; 2]) -> impl Iterator<Item = At> {
    (0..2).flat_map(move |side| {
        (0..Arm::CELLS)
            .take_while(move |&k| matches!(line[side].at(k), OWN | EMPTY))
            .filter(move |&k| line[side].at(k) == EMPTY)
            .map(move |k| (side, k))
    })
}

fn placed(mut line: [Arm; 2], (side, distance): At, code: u16) -> [Arm; 2] {
    line[side] = line[side].with(distance, code).cut_at_wall();
    line
}
