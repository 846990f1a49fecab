//! What the database keeps about a position.

use std::collections::{BTreeMap, HashSet};

use tengen_gomoku::record::signature::SIGNATURE;
use tengen_gomoku::types::{BoardSize, Coord, Rule};

use crate::eval::win_rate::win_rate;
use crate::score::{Bound, Score, ScoreKind};

/// A proven win or loss is no longer than a board has cells.
pub(super) const PLIES_MAX: i32 = BoardSize::MAX_AREA as i32;
pub(crate) const DEPTH_MAX: i32 = u8::MAX as i32;
pub(super) const BOOKMARK: u8 = b'*';

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredScore {
    /// The score for the side to move; a proven win or loss counts its plies from this position.
    pub score: Score,
    pub bound: Bound,
    /// The depth of its search, in plies; 0 to 255 are kept.
    pub depth: i32,
}

impl StoredScore {
    /// Returns true if the score is a proof: of a win if the true score is at least this, of a loss
    /// if it is at most this.
    pub fn is_proof(&self) -> bool {
        self.score.is_win() && self.bound != Bound::Upper
            || self.score.is_loss() && self.bound != Bound::Lower
    }

    /// Returns true if this evaluation replaces `other`. The order: a proof before an estimate; the
    /// shorter of two proven wins; an exact score before a bound, even a deeper bound (a bound
    /// answers no search); the deeper one; the newer one.
    pub fn replaces(&self, other: &StoredScore) -> bool {
        let are_proofs = self.is_proof() && other.is_proof();
        if are_proofs && self.score.is_win() && self.score != other.score {
            return self.score > other.score;
        }
        let rank = |e: &StoredScore| (e.is_proof(), e.bound == Bound::Exact, e.depth);
        rank(self) >= rank(other)
    }
}

/// What is kept about a position. Cells are those of the board that was asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabaseEntry {
    pub evaluation: Option<StoredScore>,
    pub best: Option<Coord>,
    /// A person's mark on the move that leads here: a visible ASCII character.
    pub mark: Option<u8>,
    pub comment: String,
    pub labels: BTreeMap<Coord, String>,
}

impl DatabaseEntry {
    /// Returns what a board shows under this rule on the move that leads here, in one or two
    /// characters: the mark; for its player's proven win or loss `W5` or `L4` with the plies after
    /// the move, `W` or `L` if those are ten or more; otherwise the percentage of games he is
    /// expected to win, from 0 to 99. `None` if there is neither a mark nor an exact evaluation.
    pub fn tag(&self, rule: Rule) -> Option<String> {
        if let Some(mark) = self.mark {
            return Some(char::from(mark).to_string());
        }
        let evaluation = self.evaluation?;
        let proof = match evaluation.score.kind() {
            ScoreKind::Win(plies) if evaluation.is_proof() => Some(('L', plies)),
            ScoreKind::Loss(plies) if evaluation.is_proof() => Some(('W', plies)),
            _ => None,
        };
        match proof {
            Some((letter, plies @ 0..10)) => Some(format!("{letter}{plies}")),
            Some((letter, _)) => Some(letter.to_string()),
            None if evaluation.bound == Bound::Exact => {
                let percent = (100.0 * win_rate(rule, -evaluation.score)) as u8;
                Some(percent.min(99).to_string())
            }
            None => None,
        }
    }

    /// Adds what another entry about the same position has: its evaluation if it
    /// [replaces](StoredScore::replaces) the one here, and what is missing here. The best move stays
    /// with its evaluation. An evaluation without a move takes the other one's only where that
    /// contradicts nothing: if there is no other evaluation, if both have the same score and bound,
    /// or if it is a bound that proves nothing.
    pub fn merge(&mut self, other: DatabaseEntry) {
        let is_better = match (&self.evaluation, &other.evaluation) {
            (Some(old), Some(new)) => new.replaces(old),
            (None, new) => new.is_some() || self.best.is_none(),
            (Some(_), None) => false,
        };
        let here = (self.evaluation, self.best);
        let there = (other.evaluation, other.best);
        let (better, worse) = if is_better { (there, here) } else { (here, there) };
        let is_fitting = better.0.zip(worse.0).is_none_or(|(better, worse)| {
            let is_estimated_bound = better.bound != Bound::Exact && !better.is_proof();
            is_estimated_bound || (better.score, better.bound) == (worse.score, worse.bound)
        });
        self.evaluation = better.0.or(worse.0);
        self.best = better.1.or(worse.1.filter(|_| is_fitting));
        self.mark = self.mark.or(other.mark);
        add_missing(&mut self.comment, &other.comment, '\n');
        for (c, text) in other.labels {
            add_missing(self.labels.entry(c).or_default(), &text, ' ');
        }
    }

    pub(super) fn map_cells(self, map: impl Fn(Coord) -> Coord) -> DatabaseEntry {
        let labels = self.labels.into_iter().map(|(c, text)| (map(c), text)).collect();
        DatabaseEntry { best: self.best.map(&map), labels, ..self }
    }
}

/// Adds the lines or words (by the separator) of `other` that `text` lacks. Lines of a review are
/// taken only into an empty text.
pub(super) fn add_missing(text: &mut String, other: &str, separator: char) {
    if text.is_empty() {
        return text.push_str(other);
    }
    let before = text.clone();
    let mut known: HashSet<&str> = before.split(separator).collect();
    for part in other.split(separator) {
        if !part.is_empty() && !part.starts_with(SIGNATURE) && known.insert(part) {
            text.push(separator);
            text.push_str(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluation(score: Score, bound: Bound, depth: i32) -> StoredScore {
        StoredScore { score, bound, depth }
    }

    fn full() -> DatabaseEntry {
        let labels = [(Coord::new(3, 4), "A".to_owned()), (Coord::new(14, 0), "五".to_owned())];
        DatabaseEntry {
            evaluation: Some(evaluation(Score::loss_in(8), Bound::Exact, 17)),
            best: Some(Coord::new(2, 9)),
            mark: Some(b'!'),
            comment: "two\nlines".to_owned(),
            labels: labels.into(),
        }
    }

    #[test]
    fn a_board_shows_plies_or_a_percentage() {
        for (score, shown) in
            [(Score::loss_in(4), "W4"), (Score::win_in(11), "L"), (Score::DRAW, "50")]
        {
            let evaluation = Some(evaluation(score, Bound::Exact, 9));
            let entry = DatabaseEntry { evaluation, ..DatabaseEntry::default() };
            assert_eq!(entry.tag(Rule::Renju).as_deref(), Some(shown));
        }
    }

    #[test]
    fn the_better_evaluation_stays() {
        let (win, loss) = (Score::win_in, Score::loss_in);
        let better_first = [
            (
                evaluation(Score::eval(5), Bound::Exact, 9),
                evaluation(Score::eval(9), Bound::Exact, 8),
            ),
            (
                evaluation(Score::eval(5), Bound::Exact, 9),
                evaluation(Score::eval(9), Bound::Lower, 9),
            ),
            (evaluation(win(9), Bound::Lower, 1), evaluation(Score::eval(9), Bound::Exact, 30)),
            (evaluation(loss(9), Bound::Exact, 1), evaluation(loss(4), Bound::Lower, 30)),
            (evaluation(win(9), Bound::Exact, 1), evaluation(win(11), Bound::Exact, 30)),
            // A deeper bound, with or without a contradiction.
            (
                evaluation(Score::eval(20), Bound::Exact, 10),
                evaluation(Score::eval(15), Bound::Lower, 11),
            ),
            (
                evaluation(Score::eval(20), Bound::Exact, 10),
                evaluation(Score::eval(900), Bound::Lower, 30),
            ),
            (evaluation(win(9), Bound::Exact, 1), evaluation(win(9), Bound::Lower, 30)),
            (evaluation(loss(8), Bound::Exact, 1), evaluation(loss(8), Bound::Upper, 30)),
            // A bound may be a proof.
            (evaluation(win(7), Bound::Lower, 1), evaluation(win(9), Bound::Exact, 30)),
        ];
        for (better, worse) in better_first {
            assert!(better.replaces(&worse) && !worse.replaces(&better), "{better:?} {worse:?}");
            assert!(better.replaces(&better));
            let best = [Coord::new(1, 1), Coord::new(2, 2)].map(Some);
            let [first, second] = [(better, best[0]), (worse, best[1])].map(|(e, best)| {
                DatabaseEntry { evaluation: Some(e), best, ..DatabaseEntry::default() }
            });
            for (mut entry, other) in [(first.clone(), second.clone()), (second, first.clone())] {
                entry.merge(other);
                assert_eq!(entry, first);
            }
        }
    }

    #[test]
    fn a_best_move_stays_with_its_evaluation() {
        let exact = |score, depth| Some(evaluation(Score::eval(score), Bound::Exact, depth));
        let lower = |score, depth| Some(evaluation(score, Bound::Lower, depth));
        let entry =
            |evaluation, best| DatabaseEntry { evaluation, best, ..DatabaseEntry::default() };
        let mv = Some(Coord::new(1, 1));
        // The better evaluation, which has no move, the other one, and whether its move is taken.
        for (better, worse, is_taken) in [
            (exact(20, 9), exact(-50, 8), false),
            (exact(20, 9), lower(Score::eval(20), 9), false),
            (exact(20, 9), exact(20, 8), true),
            (exact(20, 9), None, true),
            (None, None, true),
            (lower(Score::eval(30), 9), lower(Score::eval(20), 8), true),
            (lower(Score::win_in(9), 9), exact(20, 9), false),
        ] {
            let pair = [entry(better, None), entry(worse, mv)];
            let merged = entry(better, mv.filter(|_| is_taken));
            for [first, second] in [[0, 1], [1, 0]] {
                let mut entry = pair[first].clone();
                entry.merge(pair[second].clone());
                assert_eq!(entry, merged, "{better:?} {worse:?}");
            }
        }
    }

    #[test]
    fn what_people_wrote_stays() {
        let mut entry = full();
        let other = DatabaseEntry {
            comment: "lines\nother\nTengen: a good move".to_owned(),
            mark: Some(b'x'),
            labels: [(Coord::new(3, 4), "B".to_owned()), (Coord::new(1, 1), "C".to_owned())].into(),
            ..DatabaseEntry::default()
        };
        // The second time adds nothing.
        entry.merge(other.clone());
        entry.merge(other.clone());
        let mut expected = full();
        expected.comment += "\nother";
        expected.labels.insert(Coord::new(3, 4), "A B".to_owned());
        expected.labels.insert(Coord::new(1, 1), "C".to_owned());
        assert_eq!(entry, expected);
        let mut empty = DatabaseEntry::default();
        empty.merge(other.clone());
        assert_eq!(empty, other);
    }
}
