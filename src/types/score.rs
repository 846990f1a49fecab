//! Scores, bounds and search windows.
//!
//! A score is in evaluation units from the side to move's view, or a proven win or loss counted in
//! plies from the root. Evaluations stay outside the proven range, so the two never mix.

use std::fmt;
use std::ops::Neg;

/// The value of a position for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(i32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreKind {
    /// An estimate in evaluation units.
    Eval(i32),
    /// The side to move has won after this many plies: by a five, or by a drawn game that counts
    /// for it.
    Win(i32),
    /// The opponent has won after this many plies, likewise.
    Loss(i32),
}

impl Score {
    pub const DRAW: Score = Score(0);
    pub const MIN: Score = Score(-32_001);
    pub const MAX: Score = Score(32_001);
    /// The largest evaluation; the smallest is its negative.
    pub const EVAL_LIMIT: i32 = 20_000;

    const WIN: i32 = 32_000;
    /// Scores above this are proven wins, those below its negative proven losses.
    const WIN_THRESHOLD: i32 = 30_000;

    /// Returns an estimate, clamped out of the range of proven results.
    pub const fn eval(value: i32) -> Score {
        if value > Self::EVAL_LIMIT {
            Score(Self::EVAL_LIMIT)
        } else if value < -Self::EVAL_LIMIT {
            Score(-Self::EVAL_LIMIT)
        } else {
            Score(value)
        }
    }

    /// Returns the score of making one's five at `ply`, counted from the root.
    pub const fn win_in(ply: i32) -> Score {
        Score(Self::WIN - ply)
    }

    /// Returns the score of the opponent making his five at `ply`, counted from the root.
    pub const fn loss_in(ply: i32) -> Score {
        Score(ply - Self::WIN)
    }

    pub const fn value(self) -> i32 {
        self.0
    }

    /// Returns the kind of score.
    pub const fn kind(self) -> ScoreKind {
        if self.is_win() {
            ScoreKind::Win(Self::WIN - self.0)
        } else if self.is_loss() {
            ScoreKind::Loss(Self::WIN + self.0)
        } else {
            ScoreKind::Eval(self.0)
        }
    }

    /// Returns true for a proven win of the side to move.
    pub const fn is_win(self) -> bool {
        self.0 > Self::WIN_THRESHOLD
    }

    /// Returns true for a proven loss of the side to move.
    pub const fn is_loss(self) -> bool {
        self.0 < -Self::WIN_THRESHOLD
    }

    /// Returns true if a search can return this score: it is an evaluation within
    /// ±[`Score::EVAL_LIMIT`] or a proof.
    pub fn is_possible(self) -> bool {
        let is_proof = self.is_decisive() && (Score::loss_in(0)..=Score::win_in(0)).contains(&self);
        is_proof || self.0.abs() <= Score::EVAL_LIMIT
    }

    /// Returns true for a proven win or loss.
    pub const fn is_decisive(self) -> bool {
        self.is_win() || self.is_loss()
    }

    /// Returns the score moved by `delta` evaluation units; a proven result stays as it is and an
    /// estimate stays one.
    pub const fn shift(self, delta: i32) -> Score {
        if self.is_decisive() { self } else { Score::eval(self.0 + delta) }
    }

    /// Returns the score of the position before the best move.
    pub const fn before_move(self) -> Score {
        Score(-Score::from_tt(self.to_tt(0), 1).0)
    }

    /// Returns the score of the position after the best move.
    pub const fn after_move(self) -> Score {
        Score(-(self.to_tt(1) as i32))
    }

    /// Returns the form in which the transposition table keeps the score: proven results counted
    /// from the node at `ply` instead of from the root.
    pub const fn to_tt(self, ply: i32) -> i16 {
        if self.is_win() {
            (self.0 + ply) as i16
        } else if self.is_loss() {
            (self.0 - ply) as i16
        } else {
            self.0 as i16
        }
    }

    /// Returns the score that [`Score::to_tt`] packed, seen from the node at `ply`.
    pub const fn from_tt(packed: i16, ply: i32) -> Score {
        let score = Score(packed as i32);
        if score.is_win() {
            Score(score.0 - ply)
        } else if score.is_loss() {
            Score(score.0 + ply)
        } else {
            score
        }
    }
}

impl Neg for Score {
    type Output = Score;

    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl fmt::Display for Score {
    /// Writes the estimate as a number and a proven result as `+M5` or `-M4`, in plies.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.kind() {
            ScoreKind::Eval(value) => write!(f, "{value}"),
            ScoreKind::Win(plies) => write!(f, "+M{plies}"),
            ScoreKind::Loss(plies) => write!(f, "-M{plies}"),
        }
    }
}

/// What a searched score says about the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// The true score is at most this (fail low).
    Upper = 1,
    /// The true score is at least this (fail high).
    Lower = 2,
    /// The score is the true one.
    Exact = 3,
}

/// The open interval of scores in which a search is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub alpha: Score,
    pub beta: Score,
}

impl Window {
    /// Every score lies inside this window.
    pub const FULL: Window = Window { alpha: Score::MIN, beta: Score::MAX };

    /// Returns the window from `alpha` to `beta`.
    pub const fn new(alpha: Score, beta: Score) -> Window {
        Window { alpha, beta }
    }

    /// Returns the smallest window that asks whether the score is above `alpha`.
    pub const fn null_at(alpha: Score) -> Window {
        Window { alpha, beta: Score(alpha.0 + 1) }
    }

    /// Returns the smallest window that asks whether the score reaches `beta`.
    pub const fn null_below(beta: Score) -> Window {
        Window { alpha: Score(beta.0 - 1), beta }
    }

    /// Returns true if no score lies between the bounds.
    pub const fn is_empty(self) -> bool {
        self.alpha.0 >= self.beta.0
    }

    /// Returns the bound that `score`, the result of a search with this window, is.
    pub fn bound(self, score: Score) -> Bound {
        if score >= self.beta {
            Bound::Lower
        } else if score > self.alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }
}

impl Neg for Window {
    type Output = Window;

    fn neg(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_form_round_trips_and_is_relative_to_the_node() {
        for score in [Score::win_in(9), Score::loss_in(12), Score::eval(-73)] {
            assert_eq!(Score::from_tt(score.to_tt(7), 7), score);
        }
        assert_eq!(Score::from_tt(Score::win_in(9).to_tt(4), 6), Score::win_in(11));
    }

    #[test]
    fn scores_follow_the_game() {
        assert_eq!(Score::win_in(5).after_move(), Score::loss_in(4));
        assert_eq!(Score::loss_in(6).after_move(), Score::win_in(5));
        for score in [Score::win_in(9), Score::loss_in(12), Score::eval(-73)] {
            assert_eq!(score.after_move().before_move(), score);
        }
        assert_eq!(Score::eval(-73).before_move(), Score::eval(73));
    }

    #[test]
    fn estimates_never_reach_the_proven_range() {
        assert!(!Score::eval(i32::MAX).is_decisive());
        assert!(!Score::eval(19_999).shift(5_000).is_decisive());
        assert_eq!(Score::win_in(3).shift(-50), Score::win_in(3));
    }

    #[test]
    fn scores_print_as_managers_parse_them() {
        let text = [Score::eval(31), Score::win_in(5), Score::loss_in(4)].map(|s| s.to_string());
        assert_eq!(text, ["31", "+M5", "-M4"]);
    }
}
