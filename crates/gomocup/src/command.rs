//! A line of a manager: a [`Command`], a setting ([`Info`]), or a parse error. Case does not
//! matter. The parser does not check whether a point is on the board or free.
//!
//! Add a command as a row of [`Command`], [`Info`], `list` or `database`. Commands that the engine
//! ignores have rows too, so that it does not take their rows or file names for commands.

use std::fmt;

use tengen_gomoku::types::BoardSize;

use super::list::{ListKind, ListLine};
use super::words::{Point, number, numbers, split_word, words, write_rest};

words! {
    /// One line of a manager, understood.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum Command {
        "RESTART" => Restart: "a new game on a board of the same size",
        "BEGIN" => Begin: "the engine has the first move",
        "TURN" => Turn(Point): "the opponent's stone, and the engine is to move",
        "PLAY" => Play(Point): "the engine's stone, set by the manager",
        "TAKEBACK" => TakeBack(Point): "a stone that is removed",
        "ABOUT" => About: "the engine's name",
        "END" => End: "the program ends",
        "YXSTOP" | "STOP" => Stop: "the running search ends and is answered",
        "YXSEARCHDEFEND" => SearchDefend: "a move, and all those that lose",
        "YXSWAP2STEP1" => Swap2Open: "three stones",
        "YXSWAP2STEP2" => Swap2AfterThree: "a color, or two stones, after three stones",
        "YXSWAP2STEP3" => Swap2AfterFive: "a color after five stones",
        "YXSOOSORVSTEP1" => SoosorvOpen: "three stones",
        "YXSHOWFORBID" => ShowForbid: "the points that black may not play",
        "YXHASHCLEAR" => HashClear: "what earlier searches found is forgotten",
        "YXSHOWHASHUSAGE" => HashUsage: "how full the table is",
        "YXSHOWINFO" => ShowInfo: "the limits of threads and table, to Yixin-Board",
        "YXBLOCKRESET" => ExcludeReset: "no move is excluded any longer",
        "YXBLOCKPATHRESET" => ExcludePathReset: "no move is excluded in single positions any longer",
        "RELOADCONFIG" => ReloadConfig: "the configuration of Rapfi, perhaps in another file",
        "TRACEBOARD" => TraceBoard: "what the board knows of the position",
        "TRACESEARCH" => TraceSearch: "what the search knows of it",
        "YXSAVEDATABASE" => DatabaseState: "what database is open",
        "YXDBCHECK" | "YXDBFIX" => DatabaseCheck: "whether the database is sound",
        "YXDRAW" | "YXRESIGN" | "YXFORBID" | "YXPRINTFEATURE" | "BENCH" => Ignored:
            "nothing is done",
    }
    more {
        /// `START` or `RECTSTART`: a new game on a board of so many columns and rows.
        Start { width: i64, height: i64, is_rect: bool },
        /// A command that a list of points follows, perhaps on the same line.
        List { kind: ListKind, first: ListLine },
        /// `INFO` and a setting.
        Info(Info),
        /// `YXNBEST n`: a move, as the best of so many, at least one.
        NBest(usize),
        /// `YXBALANCEONE b`: a stone after which the side to move now has the score nearest to b.
        BalanceOne(i64),
        /// `YXBALANCETWO b`: a stone of each side, after which the side to move now has the score
        /// nearest to b.
        BalanceTwo(i64),
        /// A command with the name of a file, which is the next line if this is empty.
        File { kind: FileKind, name: String },
        /// A word that is not known.
        Unknown,
    }
}

words! {
    /// A setting. Numbers lose their fraction; large ones are clamped, negative ones ignored. But a
    /// negative time counts, and a negative `max_depth`, `max_node` or `max_moves` is no limit.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Info {
        "timeout_turn" => TimeoutTurn(i64): "milliseconds a move; 0 asks for a move at once",
        "timeout_match" => TimeoutMatch(i64): "milliseconds a game; 0 is no limit",
        "time_left" => TimeLeft(i64): "milliseconds left",
        "time_increment" => TimeIncrement(u64): "milliseconds that every move adds to them",
        "max_memory" => MaxMemory(u64): "bytes; 0 is the default",
        "rule" => Rule(u64): "the rule's bits",
        "game_type" => GameType(u64): "0 against a person, 1 a program, 2 in a tournament, 3 online",
        "max_depth" => MaxDepth(u64): "plies; 0 is no limit",
        "start_depth" => StartDepth(u64): "plies of the first iteration; 0 means 1",
        "max_node" => MaxNode(u64): "nodes; 0 is no limit",
        "thread_num" => ThreadNum(u64): "search threads; 0 means 1",
        "hash_size" => HashSize(u64): "kilobytes of the search's tables; 0 is the default",
        "strength" => Strength(u64): "playing strength, 100 is all",
        "style" => Style(u64): "attack against defence, 50 is neither",
        "seed" => Seed(u64): "what games differ by: the same seed gives the same games",
        "max_moves" => MaxMoves(u64): "stones after which the game is a draw; 0 for a full board only",
        "draw_result" => DrawResult(u64): "what a draw counts as: 1 a win of black, 2 of white",
        "swapable" => Swapable(u64): "1 if a move may be SWAP where the rule's opening allows it",
        "caution_factor" => CautionFactor(u64): "how far from the stones moves are searched, 0 to 5",
        "nbestsym" => NBestSym(u64): "1 to leave symmetric moves out of the best moves",
        "pondering" => Pondering(u64): "1 to search in the opponent's time",
        "show_detail" => ShowDetail(u64): "reports of a search: bit 0 marks on the board, bit 1 numbers",
        "usedatabase" => UseDatabase(u64): "0 to search without the database",
        "database_readonly" => DatabaseReadonly(u64): "1 to write nothing to the database",
    }
    more {
        /// Any other key, and any value that cannot be read.
        Ignored,
    }
}

/// Why a line is no command.
pub type ParseError = &'static str;

pub const BAD_SIZE: ParseError = "bad board size, 5 to 22 expected, for example 20";
pub const BAD_POINT: ParseError = "bad coordinates, x,y expected";

impl Command {
    pub fn start(size: BoardSize) -> Command {
        let (width, height) = (i64::from(size.width()), i64::from(size.height()));
        Command::Start { width, height, is_rect: width != height }
    }

    /// Reads one line that belongs to no list. Fails if the first word is known and the rest is not
    /// what it needs; INFO never does.
    pub fn parse(line: &str) -> Result<Command, ParseError> {
        let (word, rest) = split_word(line);
        let word = word.to_ascii_uppercase();
        if let Some(command) = Command::read_word(&word, rest) {
            return Ok(command);
        }
        if let Some(kind) = FileKind::read_word(&word, rest) {
            return Ok(Command::File { kind, name: rest.to_owned() });
        }
        let number = || match split_word(rest) {
            (word, "") => number(word),
            _ => None,
        };
        Ok(match word.as_str() {
            "START" | "RECTSTART" => {
                let (width, height) = size(rest)?;
                Command::Start { width, height, is_rect: word == "RECTSTART" }
            }
            "TURN" | "PLAY" | "TAKEBACK" => return Err(BAD_POINT),
            "INFO" => match split_word(rest) {
                (key, name) if key.eq_ignore_ascii_case("database") && !name.is_empty() => {
                    Command::File { kind: FileKind::Database, name: name.to_owned() }
                }
                (key, value) => Command::Info(Info::parse(key, value)),
            },
            // A count that cannot be read is 1, a score 0.
            "YXNBEST" => {
                let count = number().and_then(|count| usize::try_from(count).ok());
                Command::NBest(count.unwrap_or(1).max(1))
            }
            "YXBALANCEONE" => Command::BalanceOne(number().unwrap_or(0)),
            "YXBALANCETWO" => Command::BalanceTwo(number().unwrap_or(0)),
            word => match ListKind::parse(word, rest) {
                Some((kind, rest)) => Command::List { kind, first: ListLine::parse(rest) },
                None => Command::Unknown,
            },
        })
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Command::Start { width, height, is_rect: true } => {
                write!(f, "RECTSTART {width},{height}")
            }
            Command::Start { width, height, .. } if width == height => write!(f, "START {width}"),
            Command::Start { width, height, .. } => write!(f, "START {width} {height}"),
            Command::List { kind, first } => {
                write!(f, "{kind}")?;
                write_rest(f, first)
            }
            Command::Info(Info::Ignored) => f.write_str("INFO other"),
            Command::Info(info) => {
                f.write_str("INFO ")?;
                info.write_word(f)
            }
            Command::NBest(count) => write!(f, "YXNBEST {count}"),
            Command::BalanceOne(score) => write!(f, "YXBALANCEONE {score}"),
            Command::BalanceTwo(score) => write!(f, "YXBALANCETWO {score}"),
            // Engines without this word pass over an INFO that they do not know.
            Command::File { kind: FileKind::Database, name } if !name.is_empty() => {
                write!(f, "INFO database {name}")
            }
            Command::File { kind, name } => {
                kind.write_word(f)?;
                write_rest(f, name)
            }
            // Any word that is none of the others.
            Command::Unknown => f.write_str("UNKNOWN"),
            word => word.write_word(f),
        }
    }
}

impl Info {
    fn parse(key: &str, value: &str) -> Info {
        let key = key.to_ascii_lowercase();
        // A negative limit is how Yixin-Board says that there is none.
        let is_limit = matches!(key.as_str(), "max_depth" | "max_node" | "max_moves");
        let least = if is_limit { 0 } else { i64::MIN };
        let (word, _) = split_word(value);
        // Some judges send 800.0.
        let whole = word.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix('.');
        let value = number(whole.unwrap_or(word)).map(|value| value.max(least));
        value.and_then(|value| Info::read_word(&key, &value.to_string())).unwrap_or(Info::Ignored)
    }
}

fn size(text: &str) -> Result<(i64, i64), ParseError> {
    match numbers(text).as_deref() {
        Some(&[side]) => Ok((side, side)),
        Some(&[width, height]) => Ok((width, height)),
        _ => Err(BAD_SIZE),
    }
}

words! {
    /// What a file name is for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FileKind {
        "YXHASHDUMP" => HashDump: "the table is written to it",
        "YXHASHLOAD" => HashLoad: "the table is read from it",
        "YXSETDATABASE" => Database: "the database is opened; `INFO database` is the same",
        "YXDBTOTXT" => DatabaseToText: "the positions of this rule and size are written as text",
        "YXDBTOLIB" => DatabaseToLibrary: "they are written as a library of RenLib",
        "YXDBTOPOS" => DatabaseToMoves: "they are written as moves",
        "YXDBTOTXTALL" => DatabaseToTextAll: "all positions are written as text",
        "YXTXTTODB" | "YXLIBTODB" => DatabaseImport: "its positions are added to the database",
        "YXDBMERGE" => DatabaseMerge: "it is a database whose positions are added",
        "YXDBSPLIT" => DatabaseSplit: "it gets the positions before and after this one",
        "LOADMODEL" | "EXPORTMODEL" => Ignored: "nothing is done",
    }
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
            let start = Command::Start { width: 15, height: 15, is_rect: false };
            assert_eq!(command(line), start, "{line}");
        }
        let start = |is_rect| Command::Start { width: 20, height: 15, is_rect };
        assert_eq!(command("START 20 15"), start(false));
        for line in ["RECTSTART 20,15", "RECTSTART 20 , 15"] {
            assert_eq!(command(line), start(true), "{line}");
        }
        for line in ["START", "START abc", "START 15x", "START ,", "START 5,", "START 5 5 5"] {
            assert_eq!(Command::parse(line), Err(BAD_SIZE), "{line}");
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
            assert_eq!(Command::parse(line), Err(BAD_POINT), "{line}");
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
        let file = Command::File { kind: FileKind::Database, name };
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
            ("INFO time_left .5", Info::Ignored),
            ("INFO time_left 1.2.3", Info::Ignored),
            ("INFO time_left 800.0", Info::TimeLeft(800)),
            ("INFO timeout_turn -0.5", Info::TimeoutTurn(0)),
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

    #[test]
    fn a_count_is_at_least_one() {
        for (rest, count) in
            [("3", 3), ("", 1), ("0", 1), ("-2", 1), ("x", 1), ("2 3", 1), ("1000", 1000)]
        {
            assert_eq!(command(&format!("YXNBEST {rest}")), Command::NBest(count), "{rest}");
        }
    }
}
