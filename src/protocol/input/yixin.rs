//! The words of Yixin-Board, gomocalc and Rapfi beyond the Gomocup protocol.
//!
//! Pure parsing, as in `command`; what the words do stands in `game::yixin`. Words for which Tengen
//! has no use are known too, so that what belongs to them is not taken for commands.

use super::database;
use super::list::ListKind;
use super::numbers::{numbers, split_word};

/// A command of the extension that no list follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Yixin {
    /// YXNBEST n: our move, as the best of so many.
    NBest(usize),
    /// YXSEARCHDEFEND: our move, and all those that lose.
    SearchDefend,
    /// YXBALANCEONE b: a stone after which the score, from the view of the side to move now, is
    /// nearest to b.
    BalanceOne(i64),
    /// YXBALANCETWO b: the same of two stones.
    BalanceTwo(i64),
    /// YXSWAP2STEP1: three stones.
    Swap2Open,
    /// YXSWAP2STEP2 and YXSWAP2STEP3: a colour, where so many stones lie.
    Swap2Choose(usize),
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
    /// YXDBCHECK and YXDBFIX, since an open database has nothing to mend.
    DatabaseCheck,
    /// A command with the name of a file.
    File {
        /// What the file is for.
        kind: FileKind,
        /// Its name; the next line if this is empty.
        name: String,
    },
    /// Nothing that Tengen does.
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
    /// YXDBTOTXT, YXDBTOLIB and YXDBTOPOS: the database's positions of this rule and size are
    /// written to it.
    DatabaseExport(ExportFormat),
    /// YXDBTOTXTALL: all of the database's positions are written to it.
    DatabaseExportAll,
    /// YXTXTTODB and YXLIBTODB: the database gets the positions that it has.
    DatabaseImport,
    /// YXDBMERGE: the database gets the positions of the one that it is.
    DatabaseMerge,
    /// YXDBSPLIT: the database that it is gets the positions before and after this one.
    DatabaseSplit,
    /// LOADMODEL and EXPORTMODEL: nothing that Tengen does.
    Ignored,
}

/// The format of an exported database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// JSON lines.
    Json,
    /// A library of RenLib.
    Library,
    /// Lines of moves.
    Moves,
}

impl Yixin {
    /// Returns the command of a word in upper case with the rest of its line, if it is one of
    /// these. A count that cannot be read is 1, a score 0.
    pub fn parse(word: &str, rest: &str) -> Option<Yixin> {
        let number = || match numbers(rest).as_deref() {
            Some(&[number]) => Some(number),
            _ => None,
        };
        let count = || usize::try_from(number().unwrap_or(1)).unwrap_or(1).max(1);
        let file = |kind| Yixin::File { kind, name: rest.to_owned() };
        let score = || number().unwrap_or(0);
        Some(match word {
            "YXNBEST" => Yixin::NBest(count()),
            "YXSEARCHDEFEND" => Yixin::SearchDefend,
            "YXBALANCEONE" => Yixin::BalanceOne(score()),
            "YXBALANCETWO" => Yixin::BalanceTwo(score()),
            "YXSWAP2STEP1" => Yixin::Swap2Open,
            "YXSWAP2STEP2" => Yixin::Swap2Choose(3),
            "YXSWAP2STEP3" => Yixin::Swap2Choose(5),
            "YXSOOSORVSTEP1" => Yixin::SoosorvOpen,
            "YXSHOWFORBID" => Yixin::ShowForbid,
            "YXHASHCLEAR" => Yixin::HashClear,
            "YXSHOWHASHUSAGE" => Yixin::HashUsage,
            "YXHASHDUMP" => file(FileKind::HashDump),
            "YXHASHLOAD" => file(FileKind::HashLoad),
            "YXSHOWINFO" => Yixin::ShowInfo,
            "YXBLOCKRESET" => Yixin::ExcludeReset,
            "YXBLOCKPATHRESET" => Yixin::ExcludePathReset,
            "YXSETDATABASE" => file(FileKind::Database),
            "YXDBTOTXT" => file(FileKind::DatabaseExport(ExportFormat::Json)),
            "YXDBTOLIB" => file(FileKind::DatabaseExport(ExportFormat::Library)),
            "YXDBTOPOS" => file(FileKind::DatabaseExport(ExportFormat::Moves)),
            "YXDBTOTXTALL" => file(FileKind::DatabaseExportAll),
            "YXTXTTODB" | "YXLIBTODB" => file(FileKind::DatabaseImport),
            "YXSAVEDATABASE" => Yixin::DatabaseState,
            "YXDBMERGE" => file(FileKind::DatabaseMerge),
            "YXDBSPLIT" => file(FileKind::DatabaseSplit),
            "YXDBCHECK" | "YXDBFIX" => Yixin::DatabaseCheck,
            "LOADMODEL" | "EXPORTMODEL" => file(FileKind::Ignored),
            "YXFORBID" | "YXDRAW" | "YXRESIGN" | "YXPRINTFEATURE" | "BENCH" => Yixin::Ignored,
            "RELOADCONFIG" => Yixin::ReloadConfig,
            "TRACEBOARD" => Yixin::TraceBoard,
            "TRACESEARCH" => Yixin::TraceSearch,
            _ => return None,
        })
    }
}

/// Returns the kind of the list that follows a word in upper case, if one does, and the part of the
/// line that belongs to the list.
pub fn list<'a>(word: &str, rest: &'a str) -> Option<(ListKind, &'a str)> {
    let step = word.bytes().last().map_or(0, |digit| digit.wrapping_sub(b'0'));
    Some(match word {
        "YXBOARD" => (ListKind::YxBoard, rest),
        "YXBLOCK" => (ListKind::Exclude, rest),
        "YXBLOCKUNDO" => (ListKind::ExcludeUndo, rest),
        "YXBLOCKPATH" => (ListKind::ExcludePath, rest),
        "YXBLOCKPATHUNDO" => (ListKind::ExcludePathUndo, rest),
        "YXSOOSORVSTEP2" | "YXSOOSORVSTEP3" | "YXSOOSORVSTEP6" => {
            (ListKind::Soosorv { step, count: None }, rest)
        }
        "YXSOOSORVSTEP4" | "YXSOOSORVSTEP5" => {
            // Without the number all of the line belongs to the list.
            let (word, behind) = split_word(rest);
            let count = word.parse().ok();
            (ListKind::Soosorv { step, count }, if count.is_some() { behind } else { rest })
        }
        _ => {
            let (command, rest) = database::parse(word, rest)?;
            (ListKind::Database(command), rest)
        }
    })
}

#[cfg(test)]
mod tests {
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
    fn a_list_of_fifth_moves_begins_behind_their_number() {
        let cases = [
            ("3 7,7 8,8 DONE", Some(3), "7,7 8,8 DONE"),
            ("3", Some(3), ""),
            ("DONE", None, "DONE"),
            ("7,7 8,8", None, "7,7 8,8"),
            ("", None, ""),
        ];
        for (text, number, behind) in cases {
            let (kind, rest) = list("YXSOOSORVSTEP4", text).unwrap();
            assert_eq!(kind, ListKind::Soosorv { step: 4, count: number }, "{text}");
            assert_eq!(rest, behind, "{text}");
        }
    }

    #[test]
    fn a_word_is_a_command_or_opens_a_list_or_is_unknown() {
        for word in ["YXNBEST", "YXDRAW", "YXSETDATABASE", "YXBLOCKRESET"] {
            assert!(Yixin::parse(word, "").is_some() && list(word, "").is_none(), "{word}");
        }
        for word in ["YXBOARD", "YXBLOCK", "YXQUERYDATABASEALL", "YXDELETEDATABASEALL"] {
            assert!(Yixin::parse(word, "").is_none() && list(word, "").is_some(), "{word}");
        }
        for word in ["YXFOO", "YX", "", "BOARD", "yxnbest"] {
            assert!(Yixin::parse(word, "").is_none() && list(word, "").is_none(), "{word}");
        }
    }
}
