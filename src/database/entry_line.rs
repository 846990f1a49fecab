//! The entry line: the last line of a comment in a game tree, with the mark, score, depth and best
//! move of a database entry, such as `Tengen: mark !, score +31, depth 14, best h9`.
//!
//! A game tree stores the other parts of an entry itself: comment, bookmark, text on the cell.

use tengen_gomoku::board::Board;
use tengen_gomoku::board::notation::parse_points;
use tengen_gomoku::record::tree::notes::{BEST, MARK, SCORE, SIGNATURE};

use super::entry::{BOOKMARK, DEPTH_MAX, Entry, Evaluation, PLIES_MAX};
use crate::score::{Bound, Score, ScoreKind};

/// Returns the entry line of an entry; `None` if the entry has nothing that belongs there.
pub(super) fn entry_line(entry: &Entry) -> Option<String> {
    let mut parts = Vec::new();
    let mark = entry.mark.filter(|&mark| mark != BOOKMARK);
    parts.extend(mark.map(|mark| format!("{MARK}{}", char::from(mark))));
    if let Some(Evaluation { score, bound, depth }) = entry.evaluation {
        let bound = match bound {
            Bound::Exact => "",
            Bound::Lower => "at least ",
            Bound::Upper => "at most ",
        };
        parts.push(match score.kind() {
            ScoreKind::Eval(value) => format!("{SCORE}{bound}{value:+}"),
            ScoreKind::Win(plies) => format!("{SCORE}{bound}win in {plies}"),
            ScoreKind::Loss(plies) => format!("{SCORE}{bound}loss in {plies}"),
        });
        parts.push(format!("depth {depth}"));
    }
    parts.extend(entry.best.map(|best| format!("{BEST}{best}")));
    (!parts.is_empty()).then(|| format!("{SIGNATURE}{}", parts.join(", ")))
}

/// Returns the entry that an entry line of this position describes; `None` for any other line.
pub(super) fn parse_entry_line(line: &str, board: &Board) -> Option<Entry> {
    let mut parts = line.strip_prefix(SIGNATURE)?.split(", ").peekable();
    let mut entry = Entry::default();
    if let Some(text) = parts.peek().and_then(|part| part.strip_prefix(MARK)) {
        parts.next();
        let &[mark] = text.as_bytes() else { return None };
        entry.mark = Some(mark).filter(u8::is_ascii_graphic);
        entry.mark?;
    }
    if let Some(text) = parts.peek().and_then(|part| part.strip_prefix(SCORE)) {
        parts.next();
        let bounds = [("at least ", Bound::Lower), ("at most ", Bound::Upper), ("", Bound::Exact)];
        let mut read = bounds
            .iter()
            .filter_map(|&(word, bound)| text.strip_prefix(word).map(|value| (value, bound)));
        let (value, bound) = read.next()?;
        let plies = |text: &str| text.parse().ok().filter(|plies| (0..=PLIES_MAX).contains(plies));
        let score = if let Some(text) = value.strip_prefix("win in ") {
            Score::win_in(plies(text)?)
        } else if let Some(text) = value.strip_prefix("loss in ") {
            Score::loss_in(plies(text)?)
        } else {
            Score::eval(value.parse().ok()?)
        };
        let depth = parts.next()?.strip_prefix("depth ")?.parse().ok()?;
        if !(0..=DEPTH_MAX).contains(&depth) {
            return None;
        }
        entry.evaluation = Some(Evaluation { score, bound, depth });
    }
    if let Some(text) = parts.next() {
        let points = parse_points(text.strip_prefix(BEST)?, board.size()).ok()?;
        let &[c] = points.as_slice() else { return None };
        entry.best = Some(c).filter(|&c| board.is_empty(c));
    }
    parts.next().is_none().then_some(entry)
}
