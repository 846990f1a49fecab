//! A list of points: what stands between BOARD, YXBLOCK or another such command and DONE.

use std::fmt;

use tengen_gomoku::types::BoardSize;

use super::database::DatabaseCommand;
use super::words::{Point, numbers, split_word, words, write_rest};

words! {
    /// The commands that a list follows.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum ListKind {
        "BOARD" => Board: "a position in which the engine is to move",
        "YXBOARD" => YxBoard: "the same without an answer",
        "SWAP2BOARD" => Swap2: "a swap2 opening",
        "YXBLOCK" => Exclude: "moves to exclude",
        "YXBLOCKUNDO" => ExcludeUndo: "moves that are excluded no longer",
        "YXBLOCKPATH" => ExcludePath: "the moves of a game; the last is excluded after the others",
        "YXBLOCKPATHUNDO" => ExcludePathUndo: "the same taken back",
    }
    more {
        /// `YXSOOSORVSTEP2` to 6: the stones of a Soosõrv opening, with the number of fifth moves
        /// where it is announced and can be read.
        Soosorv { step: u8, count: Option<usize> },
        /// The moves that lead to the position of a command for the database.
        Database(DatabaseCommand),
    }
}

impl ListKind {
    /// Returns the kind of the list that follows a word in upper case, if one does, and the part of
    /// the line that belongs to the list.
    pub(crate) fn parse<'a>(word: &str, rest: &'a str) -> Option<(ListKind, &'a str)> {
        if let Some(kind) = ListKind::read_word(word, rest) {
            return Some((kind, rest));
        }
        let step = word.strip_prefix("YXSOOSORVSTEP").and_then(|digit| digit.parse().ok());
        let Some(step) = step.filter(|step| (2..=6).contains(step)) else {
            let (command, rest) = DatabaseCommand::parse(word, rest)?;
            return Some((ListKind::Database(command), rest));
        };
        // Without the number all of the line belongs to the list.
        let (number, after) = split_word(rest);
        let count = number.parse().ok().filter(|_| matches!(step, 4 | 5));
        let kind = ListKind::Soosorv { step, count };
        Some((kind, if count.is_some() { after } else { rest }))
    }

    pub fn lines(&self, items: &[ListItem]) -> Vec<String> {
        let items = items.iter().map(ListItem::to_string);
        [self.to_string()].into_iter().chain(items).chain(["DONE".to_owned()]).collect()
    }
}

impl fmt::Display for ListKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ListKind::Soosorv { step, count } => {
                write!(f, "YXSOOSORVSTEP{step}")?;
                write_rest(f, count.map_or(String::new(), |count| count.to_string()))
            }
            ListKind::Database(command) => command.fmt(f),
            word => word.write_word(f),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListItem {
    pub point: Point,
    /// Whose stone it is: 1 own, 2 opponent's, 3 a wall.
    pub owner: Option<i64>,
}

impl fmt::Display for ListItem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.owner {
            Some(owner) => write!(f, "{},{owner}", self.point),
            None => self.point.fmt(f),
        }
    }
}

/// A list, or as much of it as is on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListLine {
    /// The items, or `None` if one cannot be read.
    pub items: Option<Vec<ListItem>>,
    pub done: bool,
}

impl ListLine {
    /// Reads one line of a list, or what follows the list's command on its line: one item with any
    /// blanks and commas, or several items without blanks inside, or DONE, or items and DONE.
    pub fn parse(line: &str) -> ListLine {
        if let Some(item) = numbers(line).and_then(|numbers| item(&numbers)) {
            return ListLine { items: Some(vec![item]), done: false };
        }
        let mut list = ListLine { items: Some(Vec::new()), done: false };
        for word in line.split_ascii_whitespace() {
            if word.eq_ignore_ascii_case("DONE") {
                list.done = true;
                break;
            }
            list.push(numbers(word).and_then(|numbers| item(&numbers)));
        }
        list
    }

    pub fn extend(&mut self, line: ListLine) {
        match line.items {
            Some(items) => items.into_iter().for_each(|item| self.push(Some(item))),
            None => self.items = None,
        }
        self.done = line.done;
    }

    fn push(&mut self, item: Option<ListItem>) {
        match (&mut self.items, item) {
            // More than these cannot be stones and passes of a game.
            (Some(items), Some(item)) if items.len() < 2 * BoardSize::MAX_AREA => items.push(item),
            _ => self.items = None,
        }
    }
}

impl fmt::Display for ListLine {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let items = match &self.items {
            Some(items) => items.iter().map(ListItem::to_string).collect(),
            None => vec!["?".to_owned()],
        };
        let done = self.done.then(|| "DONE".to_owned());
        let words: Vec<String> = items.into_iter().chain(done).collect();
        f.write_str(&words.join(" "))
    }
}

fn item(numbers: &[i64]) -> Option<ListItem> {
    match *numbers {
        [x, y] => Some(ListItem { point: Point { x, y }, owner: None }),
        [x, y, owner] => Some(ListItem { point: Point { x, y }, owner: Some(owner) }),
        _ => None,
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
    fn a_list_of_fifth_moves_begins_after_their_number() {
        let cases = [
            ("3 7,7 8,8 DONE", Some(3), "7,7 8,8 DONE"),
            ("3", Some(3), ""),
            ("DONE", None, "DONE"),
            ("7,7 8,8", None, "7,7 8,8"),
            ("", None, ""),
        ];
        for (text, count, list) in cases {
            let kind = ListKind::Soosorv { step: 4, count };
            assert_eq!(ListKind::parse("YXSOOSORVSTEP4", text), Some((kind, list)), "{text}");
        }
        let kind = ListKind::Soosorv { step: 5, count: Some(2) };
        assert_eq!(kind.lines(&[]), ["YXSOOSORVSTEP5 2", "DONE"]);
    }

    #[test]
    fn a_list_is_written_one_item_a_line() {
        let point = Point { x: 7, y: 8 };
        let stones = [
            ListItem { point, owner: Some(1) },
            ListItem { point: Point { x: -1, y: -1 }, owner: None },
        ];
        assert_eq!(ListKind::Board.lines(&stones), ["BOARD", "7,8,1", "-1,-1", "DONE"]);
        assert_eq!(
            ListKind::Swap2.lines(&[ListItem { point, owner: None }]),
            ["SWAP2BOARD", "7,8", "DONE"]
        );
    }

    #[test]
    fn a_list_has_at_most_twice_as_many_items_as_a_board_has_cells() {
        let mut list = ListLine::parse("");
        let line = || ListLine::parse("1,1,1");
        (0..2 * BoardSize::MAX_AREA).for_each(|_| list.extend(line()));
        assert_eq!(list.items.as_ref().map(Vec::len), Some(2 * BoardSize::MAX_AREA));
        list.extend(line());
        assert_eq!(list.items, None);
        list.extend(ListLine::parse("DONE"));
        assert_eq!(list, ListLine { items: None, done: true });
    }
}
