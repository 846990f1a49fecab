//! A list of points: what stands between BOARD, YXBLOCK or another such command and DONE.
//!
//! Invariants: no input panics, and the memory is bounded, however many items come.

use super::database::DatabaseCommand;
use super::numbers::{Point, numbers};
use crate::types::BoardSize;

const BOARD_CELLS_MAX: usize = BoardSize::MAX_AREA;

/// The commands that a list follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// BOARD: a position in which we are to move.
    Board,
    /// YXBOARD: the same without an answer.
    YxBoard,
    /// SWAP2BOARD: a swap2 opening.
    Swap2,
    /// YXBLOCK: moves to exclude.
    Exclude,
    /// YXBLOCKUNDO: moves that are excluded no longer.
    ExcludeUndo,
    /// YXBLOCKPATH: the moves of a game; the last one is excluded after the others.
    ExcludePath,
    /// YXBLOCKPATHUNDO: the same taken back.
    ExcludePathUndo,
    /// YXSOOSORVSTEP2 to 6: the stones of a Soosõrv opening.
    Soosorv {
        step: u8,
        /// The number of fifth moves, where it is announced and can be read.
        count: Option<usize>,
    },
    /// The moves that lead to the position of a command for the database.
    Database(DatabaseCommand),
}

impl ListKind {
    /// Returns true if the list changes the position.
    pub fn changes_position(&self) -> bool {
        matches!(
            self,
            ListKind::Board | ListKind::YxBoard | ListKind::Swap2 | ListKind::Soosorv { .. }
        )
    }
}

/// An item of a list: a point, and the third number where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListItem {
    pub point: Point,
    /// Whose stone it is: 1 own, 2 opponent's, 3 a wall.
    pub owner: Option<i64>,
}

/// What one line holds of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListLine {
    /// The items, or `None` if something cannot be read.
    pub items: Option<Vec<ListItem>>,
    /// True if the line holds DONE.
    pub done: bool,
}

impl ListLine {
    /// Reads one line of a list, or what stands after the list's command: one item with any
    /// blanks and commas, or several items without blanks inside, or DONE, or items and DONE.
    pub fn parse(line: &str) -> ListLine {
        if let Some(item) = numbers(line).and_then(|numbers| item(&numbers)) {
            return ListLine { items: Some(vec![item]), done: false };
        }
        let mut items = Some(Vec::new());
        for word in line.split_ascii_whitespace() {
            if word.eq_ignore_ascii_case("DONE") {
                return ListLine { items, done: true };
            }
            match numbers(word).and_then(|numbers| item(&numbers)) {
                Some(item) => items.iter_mut().for_each(|items| items.push(item)),
                None => items = None,
            }
        }
        ListLine { items, done: false }
    }
}

fn item(numbers: &[i64]) -> Option<ListItem> {
    match *numbers {
        [x, y] => Some(ListItem { point: Point { x, y }, owner: None }),
        [x, y, owner] => Some(ListItem { point: Point { x, y }, owner: Some(owner) }),
        _ => None,
    }
}

/// A list whose DONE has not come yet.
pub struct PointList {
    pub kind: ListKind,
    /// The items, or `None` as soon as one cannot be read.
    pub items: Option<Vec<ListItem>>,
}

impl PointList {
    pub fn new(kind: ListKind) -> PointList {
        PointList { kind, items: Some(Vec::new()) }
    }

    pub fn extend(&mut self, line: Option<Vec<ListItem>>) {
        match (&mut self.items, line) {
            // More items cannot be distinct cells.
            (Some(items), Some(more)) if items.len() + more.len() <= BOARD_CELLS_MAX => {
                items.extend(more);
            }
            _ => self.items = None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_read_one_or_many_a_line() {
        let item = |x, y, owner| ListItem { point: Point { x, y }, owner };
        for line in ["7,8,1", " 7, 8 ,1 ", "7 8 1"] {
            let items = ListLine { items: Some(vec![item(7, 8, Some(1))]), done: false };
            assert_eq!(ListLine::parse(line), items, "{line}");
        }
        let both = vec![item(7, 7, Some(1)), item(8, 8, Some(2))];
        let done = ListLine { items: Some(both), done: true };
        assert_eq!(ListLine::parse("7,7,1 8,8,2 DONE"), done);
        assert_eq!(ListLine::parse("done"), ListLine { items: Some(vec![]), done: true });
        assert_eq!(ListLine::parse(""), ListLine { items: Some(vec![]), done: false });
        for line in ["abc", "7", "7,7,1,1", "TURN 1,1"] {
            assert_eq!(ListLine::parse(line), ListLine { items: None, done: false }, "{line}");
        }
        assert_eq!(ListLine::parse("7,7,1 x DONE"), ListLine { items: None, done: true });
    }

    #[test]
    fn a_list_has_no_more_items_than_a_board_has_cells() {
        let mut list = PointList::new(ListKind::Board);
        let item = || ListLine::parse("1,1,1").items;
        (0..BOARD_CELLS_MAX).for_each(|_| list.extend(item()));
        assert_eq!(list.items.as_ref().map(Vec::len), Some(BOARD_CELLS_MAX));
        list.extend(item());
        assert_eq!(list.items, None);
        list.extend(ListLine::parse("DONE").items);
        assert_eq!(list.items, None);
    }
}
