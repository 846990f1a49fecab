//! The words of Yixin-Board and Rapfi about the database positions that lists of moves lead to.

use std::fmt;

use super::words::{EDIT_TEXT, Point, first_numbers, is_cut, split_word, words, write_rest};

words! {
    /// A command on the position that its list leads to.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum DatabaseCommand {
        "YXQUERYDATABASEALL" => QueryAll: "all moves are reported",
        "YXQUERYDATABASEALLT" => QueryAllAndText: "all moves and the comment are reported",
        "YXQUERYDATABASEONE" => QueryOne: "the position is reported",
        "YXQUERYDATABASETEXT" => QueryText: "the comment is reported",
        "YXDELETEDATABASEONE" => DeleteOne: "the position is forgotten",
        "YXSETBESTMOVEDATABASE" => SetBest: "the last move is the best one where it was played",
        "YXCLEARBESTMOVEDATABASE" => ClearBest: "no move is known to be best there",
    }
    more {
        /// `YXEDITTVDDATABASE`: a tag's character (or none), the score for the side to move, or the
        /// depth of the search is set; `None` for no change.
        Edit { mark: Option<Option<u8>>, value: Option<i32>, depth: Option<i32> },
        /// `YXEDITTEXTDATABASE`: the comment is set.
        EditText(String),
        /// `YXEDITLABELDATABASE`: the text on a cell is set; without a cell, that on the last
        /// move's cell in the position before it. An empty text removes the old one.
        EditLabel(Option<Point>, String),
        /// `YXDELETEDATABASEALL`: positions after this one are forgotten. A recursive command also
        /// looks at those after positions that stay.
        DeleteAll { filter: DeleteFilter, is_recursive: bool },
        Malformed,
    }
}

impl DatabaseCommand {
    /// Returns the command of a word in upper case, and the part of the line that is its list.
    pub(crate) fn parse<'a>(word: &str, rest: &'a str) -> Option<(DatabaseCommand, &'a str)> {
        if let Some(command) = DatabaseCommand::read_word(word, rest) {
            return Some((command, rest));
        }
        Some(match word {
            "YXDELETEDATABASEALL" => {
                let (filter, is_recursive, list) = DeleteFilter::parse(rest);
                (DatabaseCommand::DeleteAll { filter, is_recursive }, list)
            }
            "YXEDITTVDDATABASE" => match first_numbers(rest) {
                Some((values, rest)) => (edit(values).unwrap_or(DatabaseCommand::Malformed), rest),
                None => (DatabaseCommand::Malformed, rest),
            },
            // A text without its middle, or with bytes that are no UTF-8, is not what was meant.
            EDIT_TEXT | "YXEDITLABELDATABASE"
                if is_cut(rest) || rest.contains(char::REPLACEMENT_CHARACTER) =>
            {
                (DatabaseCommand::Malformed, "")
            }
            EDIT_TEXT => match unquoted(rest) {
                Some((text, rest)) => (DatabaseCommand::EditText(text), rest),
                // What was its list is in the text.
                None => (DatabaseCommand::Malformed, "DONE"),
            },
            "YXEDITLABELDATABASE" => (label(rest), ""),
            _ => return None,
        })
    }

    pub fn is_query(&self) -> bool {
        use DatabaseCommand::{QueryAll, QueryAllAndText, QueryOne, QueryText};
        matches!(self, QueryAll | QueryAllAndText | QueryOne | QueryText)
    }
}

impl fmt::Display for DatabaseCommand {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            DatabaseCommand::Edit { mark, value, depth } => {
                let mask = i64::from(mark.is_some()) * EDIT_TAG
                    + i64::from(value.is_some()) * EDIT_VALUE
                    + i64::from(depth.is_some()) * EDIT_DEPTH;
                let tag = mark.flatten().map_or(-1, i16::from);
                let (value, depth) = (value.unwrap_or(0), depth.unwrap_or(0));
                write!(f, "YXEDITTVDDATABASE {mask} {tag} {value} {depth}")
            }
            DatabaseCommand::EditText(text) => write!(f, "{EDIT_TEXT} {}", quoted(text)),
            DatabaseCommand::EditLabel(Some(point), text) => {
                write!(f, "YXEDITLABELDATABASE {point} {text}")
            }
            DatabaseCommand::EditLabel(None, text) => write!(f, "YXEDITLABELDATABASE {text}"),
            DatabaseCommand::DeleteAll { filter, is_recursive } => {
                let text = filter.to_string();
                let (word, value) = split_word(&text);
                f.write_str("YXDELETEDATABASEALL")?;
                write_rest(f, format!("{word}{}", if *is_recursive { RECURSIVE } else { "" }))?;
                write_rest(f, value)
            }
            DatabaseCommand::Malformed => f.write_str("YXEDITTVDDATABASE"),
            word => word.write_word(f),
        }
    }
}

words! {
    /// Which of the positions after one are forgotten, with all after them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum DeleteFilter {
        "" => All: "all",
        "w" => Won: "those that the player of the last move wins",
        "l" => Lost: "those that he loses",
        "wl" => Decided: "those that either player wins",
        "nonwl" => Open: "those that nobody is known to win",
        "wld" => Finished: "those that either player wins, or that a person marked as drawn",
        "nonwld" => Unfinished: "all others",
        "wlnostep" => DecidedWithoutSteps:
            "those that either player wins in an unknown number of plies",
        "wlinstep" => DecidedWithin(i64):
            "those that either player wins within so many plies from the last move on",
    }
}

/// What ends the word of a filter that is recursive.
const RECURSIVE: &str = "recursive";

impl DeleteFilter {
    /// Returns the filter, true if it is recursive, and the list.
    fn parse(text: &str) -> (DeleteFilter, bool, &str) {
        let (word, rest) = split_word(text);
        let (value, after) = split_word(rest);
        let word = word.to_ascii_lowercase();
        let plain = word.strip_suffix(RECURSIVE).filter(|plain| !plain.is_empty());
        match DeleteFilter::read_word(plain.unwrap_or(&word), value) {
            Some(filter @ DeleteFilter::DecidedWithin(_)) => (filter, plain.is_some(), after),
            Some(filter) => (filter, plain.is_some(), rest),
            None => (DeleteFilter::All, false, text),
        }
    }
}

impl fmt::Display for DeleteFilter {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.write_word(f)
    }
}

const EDIT_TAG: i64 = 1;
const EDIT_VALUE: i64 = 2;
const EDIT_DEPTH: i64 = 4;
/// The tags that Yixin-Board and Rapfi know in either case.
const TAGS: &[u8] = b"WLDX";

/// Returns the command of `mask tag value depth`.
fn edit([mask, tag, value, depth]: [i64; 4]) -> Option<DatabaseCommand> {
    let mark = match u8::try_from(tag) {
        Ok(tag) if TAGS.contains(&tag) => Some(tag.to_ascii_lowercase()),
        Ok(tag) if tag.is_ascii_graphic() => Some(tag),
        _ if tag <= 0 => None,
        _ => return None,
    };
    let number = |bit, number: i64| match mask & bit {
        0 => Some(None),
        _ => i32::try_from(number).ok().map(Some),
    };
    Some(DatabaseCommand::Edit {
        mark: (mask & EDIT_TAG != 0).then_some(mark),
        value: number(EDIT_VALUE, value)?,
        depth: number(EDIT_DEPTH, depth)?,
    })
}

/// Reads `x,y` and a text, or a text alone, as Yixin-Board sends it.
fn label(text: &str) -> DatabaseCommand {
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let (point, text) = match first.parse() {
        Ok(point) => (Some(point), rest),
        Err(()) => (None, text),
    };
    DatabaseCommand::EditLabel(point, text.trim_ascii().to_owned())
}

/// Returns the text inside the quotes and the rest of the line, or the whole text if it has none.
/// Returns `None` without a closing quote. `\"` is `"`, `\\` is `\`; `\n`, LF and CRLF break a line.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let Some(rest) = text.strip_prefix('"') else { return Some((text.to_owned(), "")) };
    let mut unquoted = String::new();
    let mut chars = rest.chars();
    loop {
        match chars.next()? {
            '"' => return Some((unquoted, chars.as_str())),
            '\\' => match chars.next()? {
                'n' => unquoted.push('\n'),
                c => unquoted.push(c),
            },
            '\r' => {}
            c => unquoted.push(c),
        }
    }
}

/// Returns a text in quotes, with its line breaks: what `unquoted` takes back.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() && c != '\n' => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::super::LineSplitter;
    use super::*;

    #[test]
    fn values_are_read_by_the_mask() {
        let edit = |text| DatabaseCommand::parse("YXEDITTVDDATABASE", text).unwrap().0;
        let (mark, value, depth) = (None, None, None);
        let cases = [
            ("1 87 0 0", DatabaseCommand::Edit { mark: Some(Some(b'w')), value, depth }),
            ("1 97 5 5", DatabaseCommand::Edit { mark: Some(Some(b'a')), value, depth }),
            ("1 -1 0 0", DatabaseCommand::Edit { mark: Some(None), value, depth }),
            ("2 -1 -300 0", DatabaseCommand::Edit { mark, value: Some(-300), depth }),
            ("4 -1 0 12", DatabaseCommand::Edit { mark, value, depth: Some(12) }),
        ];
        for (text, command) in cases {
            assert_eq!(edit(text), command, "{text}");
        }
        for text in ["", "1", "1 32 0 0", "1 300 0 0", "2 0 99999999999 0", "1 87 0 x"] {
            assert_eq!(edit(text), DatabaseCommand::Malformed, "{text}");
        }
    }

    #[test]
    fn a_list_may_follow_the_values_on_the_line() {
        for (word, values) in [
            ("YXDELETEDATABASEALL", ""),
            ("YXDELETEDATABASEALL", "wl "),
            ("YXDELETEDATABASEALL", "wlinstep 9 "),
            ("YXEDITTVDDATABASE", "1 87 0 0 "),
            ("YXEDITTVDDATABASE", "1 300 0 0 "),
            ("YXEDITTEXTDATABASE", "\"a \\\" b\" "),
        ] {
            let text = format!("{values}7,7 DONE");
            let (_, list) = DatabaseCommand::parse(word, &text).unwrap();
            assert_eq!(list.trim_ascii_start(), "7,7 DONE", "{word} {values}");
        }
        // Nothing is lost of values that cannot be read, so that a DONE after them counts.
        assert_eq!(
            DatabaseCommand::parse("YXEDITTVDDATABASE", "1 x DONE"),
            Some((DatabaseCommand::Malformed, "1 x DONE"))
        );
    }

    #[test]
    fn texts_are_quoted_and_unquoted() {
        for text in ["", "plain", "two\nlines", "\"q\" \\ n", "五目"] {
            assert_eq!(unquoted(&quoted(text)), Some((text.to_owned(), "")));
        }
        assert_eq!(quoted("a\tb\u{7}"), "\"a b \"");
        for (text, plain) in [("a b", "a b"), ("\"a\\nb\r\nc\"", "a\nb\nc"), ("\"\"", "")] {
            assert_eq!(unquoted(text), Some((plain.to_owned(), "")));
        }
        for open in ["\"a b", "\"a b\\", "\"a\\\"", "\""] {
            assert_eq!(unquoted(open), None);
            let refused = Some((DatabaseCommand::Malformed, "DONE"));
            assert_eq!(DatabaseCommand::parse(EDIT_TEXT, open), refused);
        }
        let label = |text| DatabaseCommand::parse("YXEDITLABELDATABASE", text).unwrap().0;
        let point = Point { x: 7, y: 8 };
        assert_eq!(label("7,8 A b"), DatabaseCommand::EditLabel(Some(point), "A b".to_owned()));
        assert_eq!(label("7,8"), DatabaseCommand::EditLabel(Some(point), String::new()));
        for text in ["a label", ""] {
            assert_eq!(label(text), DatabaseCommand::EditLabel(None, text.to_owned()));
        }
        // Of an over-long line the reader keeps the two ends.
        let long = format!("YXEDITTEXTDATABASE \"{}\"", "a".repeat(1 << 16));
        let mut splitter = LineSplitter::default();
        assert!(long.bytes().all(|byte| splitter.push(byte).is_none()));
        let line = splitter.finish().unwrap();
        let (word, text) = line.split_once(' ').unwrap();
        assert_eq!(DatabaseCommand::parse(word, text), Some((DatabaseCommand::Malformed, "")));
        // What is no UTF-8 reaches the parser as this character.
        for word in ["YXEDITTEXTDATABASE", "YXEDITLABELDATABASE"] {
            assert_eq!(
                DatabaseCommand::parse(word, "\"\u{fffd}\""),
                Some((DatabaseCommand::Malformed, ""))
            );
        }
    }

    #[test]
    fn what_is_forgotten_is_named() {
        let within = DeleteFilter::DecidedWithin(5);
        for (text, filter, is_recursive, list) in [
            ("", DeleteFilter::All, false, ""),
            ("WL", DeleteFilter::Decided, false, ""),
            ("nonwl 7,7", DeleteFilter::Open, false, "7,7"),
            ("WRecursive 7,7 DONE", DeleteFilter::Won, true, "7,7 DONE"),
            ("wlInStep 5 7,7 DONE", within, false, "7,7 DONE"),
            ("wlinsteprecursive 5", within, true, ""),
            // The list cannot be read, so nothing is forgotten.
            ("x", DeleteFilter::All, false, "x"),
            ("recursive", DeleteFilter::All, false, "recursive"),
            ("wlinstep", DeleteFilter::All, false, "wlinstep"),
            ("wlinstep x", DeleteFilter::All, false, "wlinstep x"),
        ] {
            let command = DatabaseCommand::DeleteAll { filter, is_recursive };
            let read = DatabaseCommand::parse("YXDELETEDATABASEALL", text);
            assert_eq!(read, Some((command, list)), "{text}");
        }
    }
}
