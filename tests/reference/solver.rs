//! A solver by brute force: every legal move of both sides to the end of the game, or as far as
//! asked, on the grid of the rules' definitions. For tiny boards.

use tengen_gomoku::types::Rule;

use super::grid::{Grid, Point, enemy_of};

/// What a position is worth to the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// It makes its five after so many plies, if both sides play their best.
    Win(u32),
    /// The opponent makes his after so many plies. A renju black without a legal move loses at
    /// once.
    Loss(u32),
    /// Neither, as far as was looked.
    Open,
}

impl Value {
    /// Returns the value of the position before a move to one of this value.
    fn before(self) -> Value {
        match self {
            Value::Win(plies) => Value::Loss(plies + 1),
            Value::Loss(plies) => Value::Win(plies + 1),
            Value::Open => Value::Open,
        }
    }

    /// Returns how good this is for the side to move: an early win best, an early loss worst.
    fn rank(self) -> i64 {
        match self {
            Value::Win(plies) => 1_000 - i64::from(plies),
            Value::Open => 0,
            Value::Loss(plies) => i64::from(plies) - 1_000,
        }
    }
}

/// Returns the value of a position in which nobody has a five, looking `plies` ahead.
pub fn solve(grid: &mut Grid, own: u8, rule: Rule, plies: u32) -> Value {
    let free = grid.empties();
    if plies == 0 || free.is_empty() {
        return Value::Open;
    }
    if grid.has_five_point(own, rule) {
        return Value::Win(1);
    }
    let mut best: Option<Value> = None;
    for p in free {
        let value = value_of(grid, own, rule, plies, p);
        if value.is_some_and(|value| best.is_none_or(|best| value.rank() > best.rank())) {
            best = value;
        }
        // There is no five at hand, so that a better value hardly remains.
        if matches!(best, Some(Value::Win(..=3))) {
            break;
        }
    }
    best.unwrap_or(Value::Loss(0))
}

/// Returns the value of playing on the free point `p`, or `None` if that is forbidden.
pub fn value_of(grid: &mut Grid, own: u8, rule: Rule, plies: u32, p: Point) -> Option<Value> {
    if grid.is_foul(p, own, rule) {
        return None;
    }
    let value = grid.with(p, own, |grid| {
        if grid.has_won(p, rule) {
            Value::Loss(0)
        } else {
            solve(grid, enemy_of(own), rule, plies - 1)
        }
    });
    Some(value.before())
}
