//! The evaluation: a sum over the empty cells of what each offers to black and to white.
//!
//! Every cell is worth what its combination of line shapes is worth to the one colour less what
//! it is worth to the other. The sum follows the board move by move through
//! [`board::Observer`](crate::board::Observer); search sees [`Evaluator`] only. Move ordering
//! scores come from the same combinations and live here too.

use std::sync::OnceLock;

use crate::board::{Board, CellThreats, Observer};
use crate::shape::{CODES, Shape, Threat, shapes_of_code};
use crate::types::{Color, Coord, Rule, Score};

/// What shape combinations are worth under one rule.
pub struct EvalTables {
    /// Worth of an empty cell to a colour.
    cell: [[i16; CODES]; 2],
    /// Ordering score of a move by what it makes for its own colour.
    own: [[i16; CODES]; 2],
    /// Ordering score of a move by what it takes from the other colour.
    other: [[i16; CODES]; 2],
}

/// Worth of a cell by the shape a stone there makes on one line, in the order of [`Shape::ALL`].
const LINE_WORTH: [i16; Shape::COUNT] = [0, 0, 1, 3, 5, 10, 14, 17, 14, 30, 38, 32, 60, 80];
/// What comes on top for the whole cell, in the order of [`Threat::ALL`].
const CELL_WORTH: [i16; Threat::COUNT] = [0, 0, 0, 0, 8, 10, 4, 16, 40, 0, 14, 60, 40, 0];
/// Ordering score of a move by the threat it makes, in the order of [`Threat::ALL`].
const ORDER_OWN: [i16; Threat::COUNT] =
    [0, 0, 16, 20, 44, 60, 130, 170, 300, 110, 150, 400, 900, 2000];
/// Ordering score of a move by the threat it takes from the opponent.
const ORDER_OTHER: [i16; Threat::COUNT] =
    [0, 0, 14, 14, 36, 44, 90, 120, 220, 60, 110, 300, 600, 1500];
/// Advantage of being to move with no threats about.
const TEMPO: i32 = 12;

impl EvalTables {
    /// Returns the tables of `rule`, built at the first call.
    pub fn of(rule: Rule) -> &'static EvalTables {
        static TABLES: [OnceLock<EvalTables>; Rule::ALL.len()] =
            [const { OnceLock::new() }; Rule::ALL.len()];
        TABLES[rule as usize].get_or_init(|| EvalTables::new(rule))
    }

    fn new(rule: Rule) -> EvalTables {
        let tables = crate::shape::RuleTables::of(rule);
        let by_code = |worth: &dyn Fn(Threat, i16) -> i16| {
            Color::ALL.map(|color| {
                std::array::from_fn(|code| {
                    let shapes = shapes_of_code(code as u16);
                    let lines = shapes.iter().map(|&shape| LINE_WORTH[shape as usize]).sum();
                    worth(tables.threat(color, code as u16), lines)
                })
            })
        };
        EvalTables {
            cell: by_code(&|threat, lines| match threat {
                Threat::Forbidden => 0,
                _ => lines + CELL_WORTH[threat as usize],
            }),
            own: by_code(&|threat, lines| ORDER_OWN[threat as usize] + lines),
            other: by_code(&|threat, lines| ORDER_OTHER[threat as usize] + lines),
        }
    }

    /// Returns how early a move of `color` to a cell with these threats should be tried.
    #[inline]
    pub fn order(&self, color: Color, threats: &CellThreats) -> i32 {
        let own = self.own[color][threats.code(color) as usize];
        let other = self.other[!color][threats.code(!color) as usize];
        own as i32 + other as i32
    }

    #[inline]
    fn worth(&self, threats: &CellThreats) -> i32 {
        let black = self.cell[0][threats.code(Color::Black) as usize];
        let white = self.cell[1][threats.code(Color::White) as usize];
        black as i32 - white as i32
    }
}

/// Keeps the evaluation of a board that is played on through it.
pub struct Evaluator {
    tables: &'static EvalTables,
    /// Worth of all empty cells to black, after each ply since the evaluator was made.
    sums: Vec<i32>,
}

impl Evaluator {
    /// Returns the evaluator of a board as it stands.
    pub fn new(board: &Board) -> Evaluator {
        let tables = EvalTables::of(board.rule());
        let sum = board.empty_cells().into_iter().map(|c| tables.worth(board.threats(c))).sum();
        let mut sums = Vec::with_capacity(board.empty_count() + 1);
        sums.push(sum);
        Evaluator { tables, sums }
    }

    /// Returns the ordering tables of the rule.
    pub fn tables(&self) -> &'static EvalTables {
        self.tables
    }

    /// Returns the worth of all empty cells to black.
    pub fn sum(&self) -> i32 {
        self.sums.last().copied().unwrap_or(0)
    }

    /// Returns the estimate for the side to move. Averaging the sums before and after the last
    /// stone takes out most of the sway from whose turn it was.
    pub fn evaluate(&self, board: &Board) -> Score {
        let now = self.sum();
        let before = self.sums.iter().nth_back(1).copied().unwrap_or(now);
        let sum = (now + before) / 2;
        let us = board.side_to_move();
        let own = if us == Color::Black { sum } else { -sum };
        Score::eval(own + TEMPO + initiative(board, us))
    }
}

/// Returns what the threats on the board are worth to the side to move beyond the cell sums.
fn initiative(board: &Board, us: Color) -> i32 {
    let them = !us;
    let has = |color, threat| i32::from(board.count(color, threat) > 0);
    let four = |color| {
        has(color, Threat::Four) | has(color, Threat::FourPlus) | has(color, Threat::FourThree)
    };
    let three = |color| has(color, Threat::OpenThree) | has(color, Threat::OpenThreePlus);
    let own = 90 * has(us, Threat::FourThree)
        + 70 * has(us, Threat::DoubleThree)
        + 25 * three(us)
        + 15 * four(us);
    let other = 120 * has(them, Threat::OpenFour)
        + 60 * has(them, Threat::FourThree)
        + 20 * has(them, Threat::DoubleThree)
        + 10 * four(them);
    own - other
}

impl Observer for Evaluator {
    #[inline]
    fn begin(&mut self, _: Coord, threats: &CellThreats) {
        self.sums.push(self.sum() - self.tables.worth(threats));
    }

    #[inline]
    fn cell_changed(&mut self, _: Coord, old: &CellThreats, new: &CellThreats) {
        let change = self.tables.worth(new) - self.tables.worth(old);
        if let Some(sum) = self.sums.last_mut() {
            *sum += change;
        }
    }

    #[inline]
    fn undo(&mut self) {
        self.sums.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::notation::parse_points;
    use crate::types::BoardSize;

    #[test]
    fn sums_follow_the_board() {
        let size = BoardSize::new(15, 15).expect("a valid size");
        for rule in Rule::ALL {
            let mut board = Board::new(size, rule);
            let mut evaluator = Evaluator::new(&board);
            for mv in parse_points("h8i9g8i8i7g9h9h10j6k5", size).expect("valid points") {
                board.play_with(mv, &mut evaluator);
                assert_eq!(evaluator.sum(), Evaluator::new(&board).sum(), "{rule:?} {mv}");
            }
            for _ in 0..10 {
                board.undo_with(&mut evaluator);
            }
            assert_eq!(evaluator.sum(), 0, "an empty board is level");
        }
    }

    #[test]
    fn an_open_three_to_move_is_better_than_none() {
        let size = BoardSize::new(15, 15).expect("a valid size");
        let evaluate = |moves: &str| {
            let mut board = Board::new(size, Rule::Freestyle);
            for mv in parse_points(moves, size).expect("valid points") {
                board.play(mv);
            }
            Evaluator::new(&board).evaluate(&board).value()
        };
        assert!(evaluate("g8a1h8a15") > evaluate("g8a1n3a15") + 10);
    }
}
