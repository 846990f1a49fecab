//! The words of Yixin-Board, gomocalc and Rapfi beyond the Gomocup protocol that no list follows.
//!
//! Words that few engines have a use for are known too, so that what belongs to them is not taken
//! for commands.

use std::fmt;

use super::words::{number, split_word, words, write_rest};

words! {
    /// A command of the extension that no list follows.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum Yixin {
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
        "YXBLOCKPATHRESET" => ExcludePathReset: "none in single positions",
        "RELOADCONFIG" => ReloadConfig: "the configuration of Rapfi, perhaps in another file",
        "TRACEBOARD" => TraceBoard: "what the board knows of the position",
        "TRACESEARCH" => TraceSearch: "what the search knows of it",
        "YXSAVEDATABASE" => DatabaseState: "what database is open",
        "YXDBCHECK" | "YXDBFIX" => DatabaseCheck: "whether the database is sound",
        "YXDRAW" | "YXRESIGN" | "YXFORBID" | "YXPRINTFEATURE" | "BENCH" => Ignored:
            "nothing is done",
    }
    more {
        /// `YXNBEST n`: a move, as the best of so many, at least one.
        NBest(usize),
        /// `YXBALANCEONE b`: a stone after which the score, for the side to move now, is nearest
        /// to b.
        BalanceOne(i64),
        /// `YXBALANCETWO b`: a stone of each side, after which it is.
        BalanceTwo(i64),
        /// A command with the name of a file, which is the next line if this is empty.
        File { kind: FileKind, name: String },
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

impl Yixin {
    /// Returns the command of a word in upper case with the rest of its line, if it is one of
    /// these. A count that cannot be read is 1, a score 0.
    pub(crate) fn parse(word: &str, rest: &str) -> Option<Yixin> {
        if let Some(kind) = FileKind::read_word(word, rest) {
            return Some(Yixin::File { kind, name: rest.to_owned() });
        }
        let number = || match split_word(rest) {
            (word, "") => number(word),
            _ => None,
        };
        match word {
            "YXNBEST" => {
                let count = number().and_then(|count| usize::try_from(count).ok());
                Some(Yixin::NBest(count.unwrap_or(1).max(1)))
            }
            "YXBALANCEONE" => Some(Yixin::BalanceOne(number().unwrap_or(0))),
            "YXBALANCETWO" => Some(Yixin::BalanceTwo(number().unwrap_or(0))),
            word => Yixin::read_word(word, rest),
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
                kind.write_word(f)?;
                write_rest(f, name)
            }
            word => word.write_word(f),
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
