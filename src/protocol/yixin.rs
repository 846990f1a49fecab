//! The words of Yixin-Board and gomocalc that stand alone, without rows.
//!
//! Pure parsing, as in `command`; what they do is the affair of `game::yixin`.

/// A command of the extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yixin {
    /// YXNBEST n.
    NBest,
    /// YXSHOWFORBID.
    ShowForbid,
    /// YXHASHCLEAR.
    HashClear,
    /// YXSHOWINFO.
    ShowInfo,
}

impl Yixin {
    /// Returns the command of a word in upper case, if it is one of these.
    pub fn parse(word: &str) -> Option<Yixin> {
        Some(match word {
            "YXNBEST" => Yixin::NBest,
            "YXSHOWFORBID" => Yixin::ShowForbid,
            "YXHASHCLEAR" => Yixin::HashClear,
            "YXSHOWINFO" => Yixin::ShowInfo,
            _ => return None,
        })
    }
}
