//! What the tables say of a position, kept up to date as stones come and go.
//!
//! Knows tables and boards, and no network.

use super::tables::{EvalTables, tempo_index};
use crate::board::{Board, CellThreats, Observer};
use crate::types::{Cell, Color, Coord};

/// The worth of all empty cells by the tables, kept up to date.
pub struct TableSums<'a> {
    tables: &'a EvalTables,
    /// The tables whose sums are subtracted, if any.
    base: Option<&'static EvalTables>,
    /// The worth to black after each ply since the sums were made.
    sums: Vec<i32>,
}

impl<'a> TableSums<'a> {
    /// Returns the sums of a board as it stands.
    pub fn new(
        board: &Board,
        tables: &'a EvalTables,
        base: Option<&'static EvalTables>,
    ) -> TableSums<'a> {
        let base_sum = base.map_or(0, |base| base.sum(board));
        let mut sums = Vec::with_capacity(board.empty_count() + 1);
        sums.push(tables.sum(board) - base_sum);
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
        let of_base = self.base.map_or(0, |base| base.tempo[us][index].into());
        own + i32::from(self.tables.tempo[us][index]) - of_base
    }

    #[inline]
    fn worth(&self, threats: &CellThreats) -> i32 {
        self.tables.worth(threats) - self.base.map_or(0, |base| base.worth(threats))
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
    use crate::board::notation::parse_points;
    use crate::types::{BoardSize, Rule};

    #[test]
    fn sums_follow_the_board() {
        let size = BoardSize::new(15, 15).expect("a valid size");
        for rule in Rule::ALL {
            let mut board = Board::new(size, rule);
            let tables = EvalTables::of(rule);
            let mut sums = TableSums::new(&board, tables, None);
            let empty = sums.last();
            for mv in parse_points("h8i9g8i8i7g9h9h10j6k5", size).expect("valid points") {
                board.play_with(mv, &mut sums);
                assert_eq!(sums.last(), tables.sum(&board), "{rule:?} {mv}");
            }
            for _ in 0..10 {
                board.undo_with(&mut sums);
            }
            assert_eq!(sums.last(), empty, "taking back restores the sum");
        }
    }
}
