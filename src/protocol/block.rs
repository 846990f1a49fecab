//! A block of rows: what stands between its command and DONE.
//!
//! Collects rows and knows nothing of the position they are for. Invariant: its memory is bounded,
//! however many rows come.

use super::row::{Row, Rows};
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
    fn a_block_has_no_more_rows_than_a_board_has_cells() {
        let mut block = Block::new(BlockKind::Board);
        assert!((0..BOARD_CELLS_MAX).all(|_| !block.extend("1,1,1")));
        assert_eq!(block.rows.as_ref().map(Vec::len), Some(BOARD_CELLS_MAX));
        assert!(!block.extend("1,1,1"));
        assert_eq!(block.rows, None);
        assert!(block.extend("DONE"));
    }
}
