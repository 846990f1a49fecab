//! The words of Yixin-Board, gomocalc and Rapfi beyond the Gomocup protocol.
//!
//! Pure parsing, as in `command`; what the words do is the affair of `game::yixin`. Those for
//! which Tengen has no use are known too, so that what belongs to them is not taken for commands.

use super::block::BlockKind;
use super::row::numbers;

/// A command of the extension that no rows follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yixin {
    /// YXNBEST n: our move, as the best of so many.
    NBest(usize),
    /// YXSEARCHDEFEND: our move, and all those that lose.
    SearchDefend,
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
    /// A command whose file name is the rest of the line, or the next line.
    File(FileKind),
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
    /// Nothing that Tengen does.
    Ignored,
}

impl Yixin {
    /// Returns the command of a word in upper case with the rest of its line, if it is one of
    /// these. A number that cannot be read is 1.
    pub fn parse(word: &str, rest: &str) -> Option<Yixin> {
        let count = || match numbers(rest).as_deref() {
            Some(&[count]) => usize::try_from(count).unwrap_or(1).max(1),
            _ => 1,
        };
        Some(match word {
            "YXNBEST" => Yixin::NBest(count()),
            "YXSEARCHDEFEND" => Yixin::SearchDefend,
            "YXSHOWFORBID" => Yixin::ShowForbid,
            "YXHASHCLEAR" => Yixin::HashClear,
            "YXSHOWHASHUSAGE" => Yixin::HashUsage,
            "YXHASHDUMP" => Yixin::File(FileKind::HashDump),
            "YXHASHLOAD" => Yixin::File(FileKind::HashLoad),
            "YXSHOWINFO" => Yixin::ShowInfo,
            "YXBLOCKRESET" => Yixin::ExcludeReset,
            "YXBLOCKPATHRESET" => Yixin::ExcludePathReset,
            "YXSETDATABASE" | "YXDBTOPOS" | "YXDBTOTXT" | "YXDBTOTXTALL" | "YXTXTTODB"
            | "YXLIBTODB" | "YXDBTOLIB" | "YXDBSPLIT" | "YXDBMERGE" => {
                Yixin::File(FileKind::Ignored)
            }
            "YXFORBID" | "YXDBCHECK" | "YXDBFIX" | "YXDRAW" | "YXRESIGN" | "YXPRINTFEATURE"
            | "YXSAVEDATABASE" | "RELOADCONFIG" | "LOADMODEL" | "EXPORTMODEL" | "BENCH"
            | "TRACEBOARD" | "TRACESEARCH" => Yixin::Ignored,
            _ => return None,
        })
    }
}

/// Returns what the rows after a word in upper case are for, if rows up to DONE follow it, and the
/// part of its line that holds rows already.
pub fn block<'a>(word: &str, rest: &'a str) -> Option<(BlockKind, &'a str)> {
    Some(match word {
        "YXBOARD" => (BlockKind::YxBoard, rest),
        "YXBLOCK" => (BlockKind::Exclude, rest),
        "YXBLOCKUNDO" => (BlockKind::ExcludeUndo, rest),
        "YXBLOCKPATH" => (BlockKind::ExcludePath, rest),
        "YXBLOCKPATHUNDO" => (BlockKind::ExcludePathUndo, rest),
        "YXQUERYDATABASEALL" | "YXQUERYDATABASEALLT" => (BlockKind::DatabaseAll, rest),
        "YXQUERYDATABASEONE"
        | "YXQUERYDATABASETEXT"
        | "YXDELETEDATABASEONE"
        | "YXSETBESTMOVEDATABASE"
        | "YXCLEARBESTMOVEDATABASE" => (BlockKind::Ignored, rest),
        // What stands behind these words is no row.
        "YXDELETEDATABASEALL"
        | "YXEDITTVDDATABASE"
        | "YXEDITLABELDATABASE"
        | "YXEDITTEXTDATABASE" => (BlockKind::Ignored, ""),
        _ => return None,
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
    fn a_word_is_a_command_or_opens_a_block_or_is_unknown() {
        for word in ["YXNBEST", "YXDRAW", "YXSETDATABASE", "YXBLOCKRESET"] {
            assert!(Yixin::parse(word, "").is_some() && block(word, "").is_none(), "{word}");
        }
        for word in ["YXBOARD", "YXBLOCK", "YXQUERYDATABASEALL", "YXDELETEDATABASEALL"] {
            assert!(Yixin::parse(word, "").is_none() && block(word, "").is_some(), "{word}");
        }
        for word in ["YXFOO", "YX", "", "BOARD", "yxnbest"] {
            assert!(Yixin::parse(word, "").is_none() && block(word, "").is_none(), "{word}");
        }
    }
}
