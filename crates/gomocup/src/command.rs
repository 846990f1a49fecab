//! A line of a manager: a [`Command`], its settings, and why a line is none.
//!
//! Commands are read in any case and with blanks around them. Whether a point is on the board, or
//! its cell free, is not judged here.
//!
//! A new word without values is a row of [`WORDS`] here or in `yixin`, any other an arm of `parse`
//! and `fmt`; a word that a list follows stands in `list`, a key of INFO in [`Info`].

use std::fmt;

use tengen_gomoku::types::BoardSize;

use super::list::{ListKind, ListLine};
use super::numbers::{Point, Words, number, numbers, split_word, value_of, word_of, write_rest};
use super::yixin::{FileKind, Yixin};

/// One line of input, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// START n or START w h.
    Start {
        /// Columns.
        width: i64,
        /// Rows.
        height: i64,
    },
    /// RECTSTART w,h.
    RectStart {
        /// Columns.
        width: i64,
        /// Rows.
        height: i64,
    },
    /// RESTART.
    Restart,
    /// BEGIN.
    Begin,
    /// TURN x,y.
    Turn(Point),
    /// PLAY x,y.
    Play(Point),
    /// TAKEBACK x,y.
    TakeBack(Point),
    /// A command that a list of points follows, perhaps on the same line.
    List {
        /// What the list is for.
        kind: ListKind,
        /// The part of the list that is on the line.
        first: ListLine,
    },
    /// INFO key value.
    Info(Info),
    /// ABOUT.
    About,
    /// END.
    End,
    /// YXSTOP or STOP.
    Stop,
    /// A command of the extension that no list follows.
    Yixin(Yixin),
    /// A word that is not known.
    Unknown,
}

/// Declares the settings, each with its key, and reads and writes them.
macro_rules! settings {
    ($($(#[$doc:meta])* $key:literal $name:ident($value:ty),)*) => {
        /// A setting. A number too large is clamped. A negative one is ignored; for times it counts,
        /// and for `max_depth`, `max_node` and `max_moves` it means no limit.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Info {
            $($(#[$doc])* $name($value),)*
            /// Any other key, and any value that cannot be read.
            Ignored,
        }

        impl Info {
            /// Returns the setting of a key in lower case, if the value is one of its.
            fn of(key: &str, value: i64) -> Option<Info> {
                match key {
                    $($key => <$value>::try_from(value).ok().map(Info::$name),)*
                    _ => None,
                }
            }
        }

        impl fmt::Display for Info {
            /// Writes the key and the value.
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                match self {
                    $(Info::$name(value) => write!(f, concat!($key, " {}"), value),)*
                    Info::Ignored => f.write_str("other"),
                }
            }
        }
    };
}

settings! {
    /// Milliseconds a move; 0 asks for a move at once.
    "timeout_turn" TimeoutTurn(i64),
    /// Milliseconds a game; 0 is no limit.
    "timeout_match" TimeoutMatch(i64),
    /// Milliseconds left.
    "time_left" TimeLeft(i64),
    /// Bytes; 0 is no limit.
    "max_memory" MaxMemory(u64),
    /// The rule's bits.
    "rule" Rule(u64),
    /// Who plays: 0 a person, 1 a program, 2 programs in a tournament, 3 those of a network.
    "game_type" GameType(u64),
    /// Plies; 0 is no limit.
    "max_depth" MaxDepth(u64),
    /// Plies of the first iteration; 0 means 1.
    "start_depth" StartDepth(u64),
    /// Nodes; 0 is no limit.
    "max_node" MaxNode(u64),
    /// 1 to leave symmetric moves out of the best moves.
    "nbestsym" NBestSym(u64),
    /// Search threads; 0 means 1.
    "thread_num" ThreadNum(u64),
    /// Playing strength, 100 is all.
    "strength" Strength(u64),
    /// What games differ by: the same seed gives the same games.
    "seed" Seed(u64),
    /// Attack against defence, 50 is neither.
    "style" Style(u64),
    /// 1 if the next move may be SWAP instead, where the rule's opening allows it.
    "swapable" Swapable(u64),
    /// Stones after which the game is a draw; 0 for a full board only.
    "max_moves" MaxMoves(u64),
    /// What a draw counts as: 1 a win of black, 2 of white, anything else a draw.
    "draw_result" DrawResult(u64),
    /// Kilobytes of the search's tables; 0 is the default.
    "hash_size" HashSize(u64),
    /// The details of a running search to report: bit 0 marks on the board, bit 1 numbers.
    "show_detail" ShowDetail(u64),
    /// Milliseconds that every move adds to the time left.
    "time_increment" TimeIncrement(u64),
    /// The reach of candidate moves around the stones, 0 to 5.
    "caution_factor" CautionFactor(u64),
    /// 1 to search in the opponent's time.
    "pondering" Pondering(u64),
    /// 0 to search without the database.
    "usedatabase" UseDatabase(u64),
    /// 1 to keep what searches find out of the database.
    "database_readonly" DatabaseReadonly(u64),
}

/// Why a line that starts with a known word cannot be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// START or RECTSTART without a readable size.
    BadSize,
    /// TURN, PLAY or TAKEBACK without a readable point.
    BadPoint,
}

impl fmt::Display for ParseError {
    /// Writes what follows `ERROR`.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            ParseError::BadSize => "bad board size, 5 to 22 expected, for example 20",
            ParseError::BadPoint => "bad coordinates, x,y expected",
        })
    }
}

/// The commands of one word.
const WORDS: &Words<Command> = &[
    ("RESTART", Command::Restart),
    ("BEGIN", Command::Begin),
    ("ABOUT", Command::About),
    ("END", Command::End),
    ("YXSTOP", Command::Stop),
    ("STOP", Command::Stop),
    // Any other word would do.
    ("UNKNOWN", Command::Unknown),
];

impl Command {
    /// Returns the command that begins a game on a board of this size.
    pub fn start(size: BoardSize) -> Command {
        let (width, height) = (i64::from(size.width()), i64::from(size.height()));
        match width == height {
            true => Command::Start { width, height },
            false => Command::RectStart { width, height },
        }
    }

    /// Reads one line that belongs to no list.
    ///
    /// # Errors
    ///
    /// If the first word is known and the rest is not what it needs. INFO never fails.
    pub fn parse(line: &str) -> Result<Command, ParseError> {
        let (word, rest) = split_word(line);
        let word = word.to_ascii_uppercase();
        Ok(match word.as_str() {
            "START" => {
                let (width, height) = size(rest).ok_or(ParseError::BadSize)?;
                Command::Start { width, height }
            }
            "RECTSTART" => {
                let (width, height) = size(rest).ok_or(ParseError::BadSize)?;
                Command::RectStart { width, height }
            }
            "TURN" => Command::Turn(point(rest).ok_or(ParseError::BadPoint)?),
            "PLAY" => Command::Play(point(rest).ok_or(ParseError::BadPoint)?),
            "TAKEBACK" => Command::TakeBack(point(rest).ok_or(ParseError::BadPoint)?),
            "INFO" => match database_name(rest) {
                Some(name) => {
                    let (kind, name) = (FileKind::Database, name.to_owned());
                    Command::Yixin(Yixin::File { kind, name })
                }
                None => Command::Info(info(rest)),
            },
            word => {
                let list = || {
                    let (kind, rest) = ListKind::parse(word, rest)?;
                    Some(Command::List { kind, first: ListLine::parse(rest) })
                };
                let yixin = || Yixin::parse(word, rest).map(Command::Yixin);
                let command = value_of(WORDS, word).or_else(list).or_else(yixin);
                command.unwrap_or(Command::Unknown)
            }
        })
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Command::Start { width, height } if width == height => write!(f, "START {width}"),
            Command::Start { width, height } => write!(f, "START {width} {height}"),
            Command::RectStart { width, height } => write!(f, "RECTSTART {width},{height}"),
            Command::Turn(point) => write!(f, "TURN {point}"),
            Command::Play(point) => write!(f, "PLAY {point}"),
            Command::TakeBack(point) => write!(f, "TAKEBACK {point}"),
            Command::List { kind, first } => {
                write!(f, "{kind}")?;
                write_rest(f, first)
            }
            Command::Info(info) => write!(f, "INFO {info}"),
            Command::Yixin(command) => command.fmt(f),
            plain => f.write_str(word_of(WORDS, plain)),
        }
    }
}

fn size(text: &str) -> Option<(i64, i64)> {
    match *numbers(text)? {
        [side] => Some((side, side)),
        [width, height] => Some((width, height)),
        _ => None,
    }
}

fn point(text: &str) -> Option<Point> {
    match *numbers(text)? {
        [x, y] => Some(Point { x, y }),
        _ => None,
    }
}

/// Returns the file that `INFO database FILE` names.
fn database_name(text: &str) -> Option<&str> {
    let (key, name) = split_word(text);
    Some(name).filter(|name| key.eq_ignore_ascii_case("database") && !name.is_empty())
}

fn info(text: &str) -> Info {
    let (key, value) = split_word(text);
    let key = key.to_ascii_lowercase();
    let value = number(split_word(value).0).map(|value| match key.as_str() {
        // A negative limit is how Yixin-Board says that there is none.
        "max_depth" | "max_node" | "max_moves" => value.max(0),
        _ => value,
    });
    value.and_then(|value| Info::of(&key, value)).unwrap_or(Info::Ignored)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Command {
        Command::parse(line).unwrap()
    }

    #[test]
    fn sizes_are_read_in_all_their_forms() {
        for line in ["START 15", "start 15", "  START   15  ", "START\t15", "START 15,15"] {
            assert_eq!(command(line), Command::Start { width: 15, height: 15 }, "{line}");
        }
        assert_eq!(command("START 20 15"), Command::Start { width: 20, height: 15 });
        for line in ["RECTSTART 20,15", "RECTSTART 20 , 15"] {
            assert_eq!(command(line), Command::RectStart { width: 20, height: 15 }, "{line}");
        }
        for line in ["START", "START abc", "START 15x", "START ,", "START 5,", "START 5 5 5"] {
            assert_eq!(Command::parse(line), Err(ParseError::BadSize), "{line}");
        }
        for line in ["START 99999999999999999999", "START -5", "START 2147483648"] {
            assert!(matches!(command(line), Command::Start { .. }), "{line}");
        }
    }

    #[test]
    fn points_are_read_in_all_their_forms() {
        for line in ["TURN 7,8", "TURN 7, 8", "TURN 7 ,8", "TURN 7 8", "turn 7,8", " Turn\t7,8 "] {
            assert_eq!(command(line), Command::Turn(Point { x: 7, y: 8 }), "{line}");
        }
        for line in ["TURN", "TURN 7", "TURN a,b", "TURN 7,", "TURN 7;7", "TURN 7,,7", "TURN 1,2,3"]
        {
            assert_eq!(Command::parse(line), Err(ParseError::BadPoint), "{line}");
        }
        let far = Point { x: i64::MAX, y: -1 };
        assert_eq!(command("PLAY 99999999999999999999,-1"), Command::Play(far));
    }

    #[test]
    fn unknown_words_are_unknown() {
        for line in ["FOO", "PLAYX 1,1", "12,13", "DONE", "yxfoo", "START15", "\u{0}", "é 1"] {
            assert_eq!(command(line), Command::Unknown, "{line}");
        }
    }

    #[test]
    fn a_database_is_named_by_all_of_the_line() {
        let name = "C:\\my games\\start 15.db".to_owned();
        let file = Command::Yixin(Yixin::File { kind: FileKind::Database, name });
        assert_eq!(command("info Database  C:\\my games\\start 15.db "), file);
    }

    #[test]
    fn info_never_fails() {
        let cases = [
            ("INFO", Info::Ignored),
            ("INFO rule", Info::Ignored),
            ("INFO foo bar", Info::Ignored),
            ("INFO timeout_turn abc", Info::Ignored),
            ("INFO time_left --", Info::Ignored),
            ("INFO max_memory 1e9", Info::Ignored),
            ("INFO folder C:\\Documents and Settings\\x y\\", Info::Ignored),
            ("INFO timeout_turn -1", Info::TimeoutTurn(-1)),
            ("INFO rule -1", Info::Ignored),
            ("INFO TIMEOUT_TURN 500", Info::TimeoutTurn(500)),
            ("info Rule 4", Info::Rule(4)),
            ("INFO timeout_turn 99999999999999999999", Info::TimeoutTurn(i64::MAX)),
            ("INFO time_left -99999999999999999999", Info::TimeLeft(-i64::MAX)),
            ("INFO max_node -1", Info::MaxNode(0)),
            ("INFO database", Info::Ignored),
            ("INFO usedatabase 0", Info::UseDatabase(0)),
        ];
        for (line, info) in cases {
            assert_eq!(command(line), Command::Info(info), "{line}");
        }
    }
}
