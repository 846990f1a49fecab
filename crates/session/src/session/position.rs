//! A position as engines are asked about it: plain stones, in the order in which engines hear of
//! them.

use tengen_gomoku::record::Record;
use tengen_gomoku::types::{BoardSize, Color, Coord, Rule};

/// A position as engines are asked about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    pub size: BoardSize,
    pub rule: Rule,
    /// All stones, in turns of black and white as far as there is such an order.
    pub stones: Vec<(Coord, Color)>,
    /// The colour that moves next.
    pub to_move: Color,
}

impl Position {
    /// Returns the position of a record.
    pub fn of(record: &Record, rule: Rule) -> Position {
        let stones = record.alternating().unwrap_or_else(|| {
            // Engines take the owner of the first stone for black.
            let mut stones = record.stones().to_vec();
            stones.sort_by_key(|stone| stone.color == Color::White);
            stones
        });
        Position {
            size: record.size(),
            rule,
            stones: stones.iter().map(|stone| (stone.c, stone.color)).collect(),
            to_move: record.to_move(),
        }
    }

    /// Returns true if the cell has no stone.
    pub fn is_empty(&self, c: Coord) -> bool {
        self.stones.iter().all(|&(stone, _)| stone != c)
    }
}
