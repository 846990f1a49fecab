//! The words of Yixin-Board, gomocalc and Rapfi beyond the Gomocup protocol.
//!
//! Pure parsing, as in `command`; what the words do is the affair of `game::yixin`. Those for
//! which Tengen has no use are known too, so that what belongs to them is not taken for commands.

use super::list::BlockKind;
use super::numbers::numbers;
use crate::search::Placement;
use crate::types::Score;

/// A command of the extension that no rows follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yixin {
    /// YXNBEST n: our move, as the best of so many.
    NBest(usize),
    /// YXSEARCHDEFEND: our move, and all those that lose.
    SearchDefend,
    /// YXBALANCEONE b and YXBALANCETWO b: stones after which the score, from the view of the side
    /// to move now, is nearest to b.
    Balance(Placement, i32),
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
    /// these. A count that cannot be read is 1, a score 0.
    pub fn parse(word: &str, rest: &str) -> Option<Yixin> {
        let number = || match numbers(rest).as_deref() {
            Some(&[number]) => Some(number),
            _ => None,
        };
        let count = || usize::try_from(number().unwrap_or(1)).unwrap_or(1).max(1);
        let most = i64::from(Score::EVAL_LIMIT);
        let bias = || number().unwrap_or(0).clamp(-most, most) as i32;
        Some(match word {
            "YXNBEST" => Yixin::NBest(count()),
            "YXSEARCHDEFEND" => Yixin::SearchDefend,
            "YXBALANCEONE" => Yixin::Balance(Placement::One, bias()),
            "YXBALANCETWO" => Yixin::Balance(Placement::Two, bias()),
            "YXSWAP2STEP1" => Yixin::Swap2Open,
            "YXSWAP2STEP2" => Yixin::Swap2Choose(3),
            "YXSWAP2STEP3" => Yixin::Swap2Choose(5),
            "YXSOOSORVSTEP1" => Yixin::SoosorvOpen,
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
    let step = word.bytes().last().map_or(0, |digit| digit.wrapping_sub(b'0'));
    Some(match word {
        "YXBOARD" => (BlockKind::YxBoard, rest),
        "YXBLOCK" => (BlockKind::Exclude, rest),
        "YXBLOCKUNDO" => (BlockKind::ExcludeUndo, rest),
        "YXBLOCKPATH" => (BlockKind::ExcludePath, rest),
        "YXBLOCKPATHUNDO" => (BlockKind::ExcludePathUndo, rest),
        "YXSOOSORVSTEP2" | "YXSOOSORVSTEP3" | "YXSOOSORVSTEP6" => {
            (BlockKind::Soosorv { step, count: None }, rest)
        }
        "YXSOOSORVSTEP4" | "YXSOOSORVSTEP5" => {
            let (count, rest) = rest.split_once(' ').unwrap_or((rest, ""));
            let count = count.parse().ok();
            (BlockKind::Soosorv { step, count }, rest)
        }
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
