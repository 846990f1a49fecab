//! The words of Yixin-Board, gomocalc and Rapfi beyond the Gomocup protocol that no list follows.
//!
//! Words that few engines have a use for are known too, so that what belongs to them is not taken
//! for commands.

use std::fmt;

use super::numbers::{Words, numbers, value_of, word_of, write_rest};

/// A command of the extension that no list follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Yixin {
    /// YXNBEST n: a move, as the best of so many, at least one.
    NBest(usize),
    /// YXSEARCHDEFEND: a move, and all those that lose.
    SearchDefend,
    /// YXBALANCEONE b: a stone after which the score, for the side to move now, is nearest to b.
    BalanceOne(i64),
    /// YXBALANCETWO b: a stone of each side, after which it is.
    BalanceTwo(i64),
    /// YXSWAP2STEP1: three stones.
    Swap2Open,
    /// YXSWAP2STEP2: a color, or two stones, after three stones.
    Swap2AfterThree,
    /// YXSWAP2STEP3: a color after five stones.
    Swap2AfterFive,
    /// YXSOOSORVSTEP1: three stones.
    SoosorvOpen,
    /// YXSHOWFORBID.
    ShowForbid,
    /// YXHASHCLEAR.
    HashClear,
    /// YXSHOWHASHUSAGE.
    HashUsage,
    /// YXSHOWINFO.
    ShowInfo,
    /// YXBLOCKRESET.
    ExcludeReset,
    /// YXBLOCKPATHRESET.
    ExcludePathReset,
    /// RELOADCONFIG: the configuration of Rapfi, perhaps in a file of this name.
    ReloadConfig,
    /// TRACEBOARD: what the board knows of the position.
    TraceBoard,
    /// TRACESEARCH: what the search knows of it.
    TraceSearch,
    /// YXSAVEDATABASE.
    DatabaseState,
    /// YXDBCHECK and YXDBFIX.
    DatabaseCheck,
    /// A command with the name of a file.
    File {
        /// What the file is for.
        kind: FileKind,
        /// Its name; the next line if this is empty.
        name: String,
    },
    /// A word for which nothing is done.
    Ignored,
}

/// What a file name is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// YXHASHDUMP: the table is written to it.
    HashDump,
    /// YXHASHLOAD: the table is read from it.
    HashLoad,
    /// YXSETDATABASE and INFO database: the database is opened.
    Database,
    /// YXDBTOTXT: the database's positions of this rule and size are written to it as text.
    DatabaseToText,
    /// YXDBTOLIB: they are written to it as a library of RenLib.
    DatabaseToLibrary,
    /// YXDBTOPOS: they are written to it as moves.
    DatabaseToMoves,
    /// YXDBTOTXTALL: all of the database's positions are written to it as text.
    DatabaseToTextAll,
    /// YXTXTTODB and YXLIBTODB: the database gets the positions that it has.
    DatabaseImport,
    /// YXDBMERGE: the database gets the positions of the one that it is.
    DatabaseMerge,
    /// YXDBSPLIT: the database that it is gets the positions before and after this one.
    DatabaseSplit,
    /// LOADMODEL and EXPORTMODEL: nothing is done with it.
    Ignored,
}

/// The commands of one word.
const WORDS: &Words<Yixin> = &[
    ("YXSEARCHDEFEND", Yixin::SearchDefend),
    ("YXSWAP2STEP1", Yixin::Swap2Open),
    ("YXSWAP2STEP2", Yixin::Swap2AfterThree),
    ("YXSWAP2STEP3", Yixin::Swap2AfterFive),
    ("YXSOOSORVSTEP1", Yixin::SoosorvOpen),
    ("YXSHOWFORBID", Yixin::ShowForbid),
    ("YXHASHCLEAR", Yixin::HashClear),
    ("YXSHOWHASHUSAGE", Yixin::HashUsage),
    ("YXSHOWINFO", Yixin::ShowInfo),
    ("YXBLOCKRESET", Yixin::ExcludeReset),
    ("YXBLOCKPATHRESET", Yixin::ExcludePathReset),
    ("RELOADCONFIG", Yixin::ReloadConfig),
    ("TRACEBOARD", Yixin::TraceBoard),
    ("TRACESEARCH", Yixin::TraceSearch),
    ("YXSAVEDATABASE", Yixin::DatabaseState),
    ("YXDBCHECK", Yixin::DatabaseCheck),
    ("YXDBFIX", Yixin::DatabaseCheck),
    ("YXDRAW", Yixin::Ignored),
    ("YXRESIGN", Yixin::Ignored),
    ("YXFORBID", Yixin::Ignored),
    ("YXPRINTFEATURE", Yixin::Ignored),
    ("BENCH", Yixin::Ignored),
];

/// The commands with the name of a file.
const FILE_WORDS: &Words<FileKind> = &[
    ("YXHASHDUMP", FileKind::HashDump),
    ("YXHASHLOAD", FileKind::HashLoad),
    ("YXSETDATABASE", FileKind::Database),
    ("YXDBTOTXT", FileKind::DatabaseToText),
    ("YXDBTOLIB", FileKind::DatabaseToLibrary),
    ("YXDBTOPOS", FileKind::DatabaseToMoves),
    ("YXDBTOTXTALL", FileKind::DatabaseToTextAll),
    ("YXTXTTODB", FileKind::DatabaseImport),
    ("YXLIBTODB", FileKind::DatabaseImport),
    ("YXDBMERGE", FileKind::DatabaseMerge),
    ("YXDBSPLIT", FileKind::DatabaseSplit),
    ("LOADMODEL", FileKind::Ignored),
    ("EXPORTMODEL", FileKind::Ignored),
];

impl Yixin {
    /// Returns the command of a word in upper case with the rest of its line, if it is one of
    /// these. A count that cannot be read is 1, a score 0.
    pub(crate) fn parse(word: &str, rest: &str) -> Option<Yixin> {
        if let Some(kind) = value_of(FILE_WORDS, word) {
            return Some(Yixin::File { kind, name: rest.to_owned() });
        }
        let number = || match numbers(rest).as_deref() {
            Some(&[number]) => Some(number),
            _ => None,
        };
        match word {
            "YXNBEST" => {
                let count = number().and_then(|count| usize::try_from(count).ok());
                Some(Yixin::NBest(count.unwrap_or(1).max(1)))
            }
            "YXBALANCEONE" => Some(Yixin::BalanceOne(number().unwrap_or(0))),
            "YXBALANCETWO" => Some(Yixin::BalanceTwo(number().unwrap_or(0))),
            word => value_of(WORDS, word),
        }
    }
}

impl fmt::Display for Yixin {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Yixin::NBest(count) => write!(f, "YXNBEST {count}"),
            Yixin::BalanceOne(score) => write!(f, "YXBALANCEONE {score}"),
            Yixin::BalanceTwo(score) => write!(f, "YXBALANCETWO {score}"),
            // Engines without this word pass over an INFO that they do not know.
            Yixin::File { kind: FileKind::Database, name } if !name.is_empty() => {
                write!(f, "INFO database {name}")
            }
            Yixin::File { kind, name } => {
                f.write_str(word_of(FILE_WORDS, kind))?;
                write_rest(f, name)
            }
            plain => f.write_str(word_of(WORDS, plain)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::list::ListKind;
    use super::*;

    #[test]
    fn a_count_is_at_least_one() {
        for (rest, count) in
            [("3", 3), ("", 1), ("0", 1), ("-2", 1), ("x", 1), ("2 3", 1), ("1000", 1000)]
        {
            assert_eq!(Yixin::parse("YXNBEST", rest), Some(Yixin::NBest(count)), "{rest}");
        }
    }

    #[test]
    fn a_word_is_a_command_or_opens_a_list_or_is_unknown() {
        for word in ["YXNBEST", "YXDRAW", "YXSETDATABASE", "YXBLOCKRESET"] {
            assert!(
                Yixin::parse(word, "").is_some() && ListKind::parse(word, "").is_none(),
                "{word}"
            );
        }
        for word in ["BOARD", "YXBOARD", "YXBLOCK", "YXQUERYDATABASEALL", "YXDELETEDATABASEALL"] {
            assert!(
                Yixin::parse(word, "").is_none() && ListKind::parse(word, "").is_some(),
                "{word}"
            );
        }
        for word in ["YXFOO", "YX", "", "yxnbest"] {
            assert!(
                Yixin::parse(word, "").is_none() && ListKind::parse(word, "").is_none(),
                "{word}"
            );
        }
    }
}
