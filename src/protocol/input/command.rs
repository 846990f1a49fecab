//! From one line of input to a [`Command`]: pure parsing, no state and no I/O.
//!
//! Commands are recognised in any case and with blanks around them. What depends on the position
//! (is the cell free, is the point on the board) is not judged here, nor whether the line belongs to
//! an open list. Invariant: never panics.
//!
//! A new word is a variant of [`Command`] and a line of [`Command::parse`] here (a word of
//! Yixin-Board: in `yixin`; one that a list follows: in `list` as well). What it does stands in
//! `game.rs`: in `Game::command`, and in `Game::ends_search` if it ends a running search. Its
//! answer is a `Reply`. `docs/protocol.md` lists the words, and `tests/protocol/*.txt` are scripts
//! that use them.

use std::fmt;

use super::list::{ListKind, ListLine};
use super::numbers::{Point, number, numbers, split_word};
use super::yixin::{self, FileKind, Yixin};

/// One line of input, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// START n or START w h.
    Start { width: i64, height: i64 },
    /// RECTSTART w,h.
    RectStart { width: i64, height: i64 },
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

/// A setting. A number too large is clamped. A negative one is ignored; for times it counts, and for
/// `max_depth`, `max_node` and `max_moves` it means no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Info {
    /// Milliseconds a move; 0 asks for a move at once.
    TimeoutTurn(i64),
    /// Milliseconds a game; 0 is no limit.
    TimeoutMatch(i64),
    /// Milliseconds left.
    TimeLeft(i64),
    /// Bytes; 0 is no limit.
    MaxMemory(u64),
    /// The rule's bits.
    Rule(u64),
    /// Plies; 0 is no limit.
    MaxDepth(u64),
    /// Plies of the first iteration; 0 means 1.
    StartDepth(u64),
    /// Nodes; 0 is no limit.
    MaxNode(u64),
    /// 1 to leave symmetric moves out of the best moves.
    NBestSym(u64),
    /// Search threads; 0 means 1.
    ThreadNum(u64),
    /// Playing strength, 100 is all.
    Strength(u64),
    /// The same seed gives the same games.
    Seed(u64),
    /// Attack against defence, 50 is neither.
    Style(u64),
    /// 1 if our next move may be SWAP instead, where the rule's opening allows it.
    Swapable(u64),
    /// Stones after which the game is a draw; 0 for a full board only.
    MaxMoves(u64),
    /// What a draw counts as: 1 a win of black, 2 of white, anything else a draw.
    DrawResult(u64),
    /// Kilobytes of the search's tables; 0 is the default.
    HashSize(u64),
    /// The details of a running search to report: bit 0 marks on the board, bit 1 numbers.
    ShowDetail(u64),
    /// Milliseconds that every move adds to the time left.
    TimeIncrement(u64),
    /// The reach of candidate moves around the stones, 0 to 5.
    CautionFactor(u64),
    /// 1 to search in the opponent's time (pondering).
    Pondering(u64),
    /// 0 to search without the database.
    UseDatabase(u64),
    /// 1 to store nothing of searches in the database.
    DatabaseReadonly(u64),
    /// Any other key, and any value that cannot be read.
    Ignored,
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
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            ParseError::BadSize => "bad board size, 5 to 22 expected, for example 20",
            ParseError::BadPoint => "bad coordinates, x,y expected",
        })
    }
}

impl Command {
    /// Reads one line that belongs to no list.
    ///
    /// # Errors
    ///
    /// If the first word is known and the rest is not what it needs. INFO never fails.
    pub fn parse(line: &str) -> Result<Command, ParseError> {
        let (word, rest) = split_word(line);
        let list = |kind, rest| Command::List { kind, first: ListLine::parse(rest) };
        Ok(match word.to_ascii_uppercase().as_str() {
            "START" => {
                let (width, height) = size(rest).ok_or(ParseError::BadSize)?;
                Command::Start { width, height }
            }
            "RECTSTART" => {
                let (width, height) = size(rest).ok_or(ParseError::BadSize)?;
                Command::RectStart { width, height }
            }
            "RESTART" => Command::Restart,
            "BEGIN" => Command::Begin,
            "TURN" => Command::Turn(point(rest).ok_or(ParseError::BadPoint)?),
            "PLAY" => Command::Play(point(rest).ok_or(ParseError::BadPoint)?),
            "TAKEBACK" => Command::TakeBack(point(rest).ok_or(ParseError::BadPoint)?),
            "BOARD" => list(ListKind::Board, rest),
            "SWAP2BOARD" => list(ListKind::Swap2, rest),
            "INFO" => match database_name(rest) {
                Some(name) => {
                    let (kind, name) = (FileKind::Database, name.to_owned());
                    Command::Yixin(Yixin::File { kind, name })
                }
                None => Command::Info(info(rest)),
            },
            "ABOUT" => Command::About,
            "END" => Command::End,
            "YXSTOP" | "STOP" => Command::Stop,
            word => match (yixin::list(word, rest), Yixin::parse(word, rest)) {
                (Some((kind, rest)), _) => list(kind, rest),
                (None, Some(command)) => Command::Yixin(command),
                (None, None) => Command::Unknown,
            },
        })
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
    let Some(signed) = number(split_word(value).0) else { return Info::Ignored };
    let unsigned = u64::try_from(signed).ok();
    let known = match key.to_ascii_lowercase().as_str() {
        "time_left" => Some(Info::TimeLeft(signed)),
        "timeout_turn" => Some(Info::TimeoutTurn(signed)),
        "timeout_match" => Some(Info::TimeoutMatch(signed)),
        "max_memory" => unsigned.map(Info::MaxMemory),
        "rule" => unsigned.map(Info::Rule),
        "thread_num" => unsigned.map(Info::ThreadNum),
        "hash_size" => unsigned.map(Info::HashSize),
        "strength" => unsigned.map(Info::Strength),
        "seed" => unsigned.map(Info::Seed),
        "style" => unsigned.map(Info::Style),
        "show_detail" => unsigned.map(Info::ShowDetail),
        "time_increment" => unsigned.map(Info::TimeIncrement),
        "caution_factor" => unsigned.map(Info::CautionFactor),
        "pondering" => unsigned.map(Info::Pondering),
        "start_depth" => unsigned.map(Info::StartDepth),
        "nbestsym" => unsigned.map(Info::NBestSym),
        "swapable" => unsigned.map(Info::Swapable),
        "draw_result" => unsigned.map(Info::DrawResult),
        "max_moves" => Some(Info::MaxMoves(unsigned.unwrap_or(0))),
        "usedatabase" => unsigned.map(Info::UseDatabase),
        "database_readonly" => unsigned.map(Info::DatabaseReadonly),
        // A negative limit is how Yixin-Board says that there is none.
        "max_depth" => Some(Info::MaxDepth(unsigned.unwrap_or(0))),
        "max_node" => Some(Info::MaxNode(unsigned.unwrap_or(0))),
        _ => None,
    };
    known.unwrap_or(Info::Ignored)
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
