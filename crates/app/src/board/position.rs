//! A position as engines are asked about it: plain stones, in the order in which engines hear of
//! them.

use tengen::types::{BoardSize, Color, Coord, Rule};

/// A position as engines are asked about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    pub size: BoardSize,
    pub rule: Rule,
    /// All stones, in turns of black and white as far as there is such an order.
    pub stones: Vec<(Coord, Color)>,
    pub to_move: Color,
}

impl Position {
    /// Returns true if the cell has no stone.
    pub fn is_empty(&self, c: Coord) -> bool {
        self.stones.iter().all(|&(stone, _)| stone != c)
    }
}
