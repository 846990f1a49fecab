//! A block of rows: what stands between its command and DONE.
//!
//! Collects rows and knows nothing of the position they are for. Invariant: its memory is bounded,
//! however many rows come.

use super::numbers::{Point, numbers};
use crate::types::BoardSize;

const BOARD_CELLS_MAX: usize = BoardSize::MAX as usize * BoardSize::MAX as usize;

/// The commands that rows follow up to DONE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// BOARD: a position in which we are to move.
    Board,
    /// YXBOARD: the same without an answer.
    YxBoard,
    /// SWAP2BOARD: a swap2 opening.
    Swap2,
    /// YXBLOCK: moves that are not to be played.
    Exclude,
    /// YXBLOCKUNDO: moves that may be played again.
    ExcludeUndo,
    /// YXBLOCKPATH: the moves of a game, the last of which is not to be played after the others.
    ExcludePath,
    /// YXBLOCKPATHUNDO: the same taken back.
    ExcludePathUndo,
    /// YXSOOSORVSTEP2 to 6: the stones of a Soosõrv opening.
    Soosorv {
        /// The number of the step.
        step: u8,
        /// The number of fifth moves, where it is announced and can be read.
        count: Option<usize>,
    },
    /// YXQUERYDATABASEALL: what the database has about the moves of a position.
    DatabaseAll,
    /// Another command for a database, which Tengen does not have.
    Ignored,
}

impl BlockKind {
    /// Returns true if the block changes the position.
    pub fn changes_position(self) -> bool {
        matches!(
            self,
            BlockKind::Board | BlockKind::YxBoard | BlockKind::Swap2 | BlockKind::Soosorv { .. }
        )
    }
}

/// A stone of a block: where, and the third field if there was one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The cell.
    pub point: Point,
    /// 1 own, 2 opponent's, 3 wall.
    pub owner: Option<i64>,
}

/// What one line of a block holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The stones, or `None` if something could not be read.
    pub rows: Option<Vec<Row>>,
    /// True if the line holds DONE.
    pub done: bool,
}

impl Rows {
    /// Reads one line inside a block, or what stands behind the block's word: one row with any
    /// blanks and commas, or several rows without blanks inside, or DONE, or rows and DONE.
    pub fn parse(line: &str) -> Rows {
        if let Some(row) = numbers(line).and_then(|fields| row(&fields)) {
            return Rows { rows: Some(vec![row]), done: false };
        }
        let mut rows = Some(Vec::new());
        for word in line.split_ascii_whitespace() {
            if word.eq_ignore_ascii_case("DONE") {
                return Rows { rows, done: true };
            }
            match numbers(word).and_then(|fields| row(&fields)) {
                Some(row) => rows.iter_mut().for_each(|rows| rows.push(row)),
                None => rows = None,
            }
        }
        Rows { rows, done: false }
    }
}

fn row(fields: &[i64]) -> Option<Row> {
    match *fields {
        [x, y] => Some(Row { point: Point { x, y }, owner: None }),
        [x, y, owner] => Some(Row { point: Point { x, y }, owner: Some(owner) }),
        _ => None,
    }
}

/// A block whose DONE has not come yet.
pub struct Block {
    /// What the rows are for.
    pub kind: BlockKind,
    /// The rows, or `None` as soon as one could not be read.
    pub rows: Option<Vec<Row>>,
}

impl Block {
    /// Returns a block without rows.
    pub fn new(kind: BlockKind) -> Block {
        Block { kind, rows: Some(Vec::new()) }
    }

    /// Adds the rows of one line and returns true if it holds DONE.
    pub fn extend(&mut self, text: &str) -> bool {
        let line = Rows::parse(text);
        match (&mut self.rows, line.rows) {
            // More rows cannot be of distinct cells.
            (Some(rows), Some(more)) if rows.len() + more.len() <= BOARD_CELLS_MAX => {
                rows.extend(more);
            }
            _ => self.rows = None,
        }
        line.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_one_or_many_a_line() {
        let row = |x, y, owner| Row { point: Point { x, y }, owner };
        for line in ["7,8,1", " 7, 8 ,1 ", "7 8 1"] {
            let rows = Rows { rows: Some(vec![row(7, 8, Some(1))]), done: false };
            assert_eq!(Rows::parse(line), rows, "{line}");
        }
        let both = vec![row(7, 7, Some(1)), row(8, 8, Some(2))];
        assert_eq!(Rows::parse("7,7,1 8,8,2 DONE"), Rows { rows: Some(both), done: true });
        assert_eq!(Rows::parse("done"), Rows { rows: Some(vec![]), done: true });
        assert_eq!(Rows::parse(""), Rows { rows: Some(vec![]), done: false });
        for line in ["abc", "7", "7,7,1,1", "TURN 1,1"] {
            assert_eq!(Rows::parse(line), Rows { rows: None, done: false }, "{line}");
        }
        assert_eq!(Rows::parse("7,7,1 x DONE"), Rows { rows: None, done: true });
    }

    #[test]
    fn a_block_has_no_more_rows_than_a_board_has_cells() {
        let mut block = Block::new(BlockKind::Board);
        assert!((0..BOARD_CELLS_MAX).all(|_| !block.extend("1,1,1")));
        assert_eq!(block.rows.as_ref().map(Vec::len), Some(BOARD_CELLS_MAX));
        assert!(!block.extend("1,1,1"));
        assert_eq!(block.rows, None);
        assert!(block.extend("DONE"));
    }
}
