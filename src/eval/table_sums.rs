//! What the tables of a style say of a position beyond the neutral ones, kept up to date as stones
//! come and go.
//!
//! Knows tables and boards, and no network.

use super::tables::{EvalTables, tempo_index};
use crate::board::{Board, CellThreats, Observer};
use crate::types::{Cell, Color, Coord};

/// The worth of all empty cells by the tables of a style, less their worth by the neutral tables.
pub struct TableSums<'a> {
    tables: &'a EvalTables,
    /// The neutral tables.
    base: &'static EvalTables,
    /// The worth to black after each ply since the sums were made.
    sums: Vec<i32>,
}

impl<'a> TableSums<'a> {
    /// Returns the sums of a board as it stands.
    pub fn new(board: &Board, tables: &'a EvalTables, base: &'static EvalTables) -> TableSums<'a> {
        let mut sums = Vec::with_capacity(board.empty_count() + 1);
        sums.push(tables.sum(board) - base.sum(board));
        TableSums { tables, base, sums }
    }

    /// Returns the worth to black.
    pub fn last(&self) -> i32 {
        self.sums.last().copied().unwrap_or(0)
    }

    /// Returns the estimate for the side to move, in evaluation units. Averaging the sums before
    /// and after the last stone takes out most of the sway from whose turn it was.
    pub fn evaluate(&self, board: &Board) -> i32 {
        let now = self.last();
        let before = self.sums.iter().nth_back(1).copied().unwrap_or(now);
        let sum = (now + before) / 2;
        let us = board.side_to_move();
        let own = if us == Color::Black { sum } else { -sum };
        let index = tempo_index(board);
        let tempo = |tables: &EvalTables| i32::from(tables.tempo[us][index]);
        own + tempo(self.tables) - tempo(self.base)
    }

    #[inline]
    fn worth(&self, threats: &CellThreats) -> i32 {
        self.tables.worth(threats) - self.base.worth(threats)
    }
}

impl Observer for TableSums<'_> {
    #[inline]
    fn begin(&mut self, _: Coord, _: Cell, threats: &CellThreats) {
        self.sums.push(self.last() - self.worth(threats));
    }

    #[inline]
    fn cell_changed(&mut self, _: Coord, old: &CellThreats, new: &CellThreats) {
        let change = self.worth(new) - self.worth(old);
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
    use crate::eval::Style;
    use crate::types::random::Random;
    use crate::types::{BoardSize, Rule};

    #[test]
    fn sums_follow_the_board() {
        let size = BoardSize::new(15, 15).expect("a valid size");
        let mut random = Random::new(5);
        for rule in Rule::ALL {
            let mut board = Board::new(size, rule);
            board.play(size.center());
            let neutral = EvalTables::of(rule);
            let tables = neutral.in_style(Style::nearest(90), &board);
            let mut sums = TableSums::new(&board, &tables, neutral);
            let mut past = Vec::new();
            for _ in 0..80 {
                past.push(sums.last());
                let near = board.candidates();
                let mv = near.into_iter().nth(random.below(near.len())).expect("a free cell");
                board.play_with(mv, &mut sums);
                let expected = tables.sum(&board) - neutral.sum(&board);
                assert_eq!(sums.last(), expected, "{rule:?} {mv}");
            }
            for expected in past.into_iter().rev() {
                board.undo_with(&mut sums);
                assert_eq!(sums.last(), expected, "taking back restores the sums");
            }
        }
    }
}
