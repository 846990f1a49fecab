//! Scores: an evaluation for the side to move, or a proven win or loss in plies from the root, whose
//! ranges do not meet. Bounds and windows of scores, and log odds.

use std::fmt;
use std::ops::Neg;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(i32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreKind {
    Eval(i32),
    /// The side to move wins after so many plies: by a five, or by a draw that counts for it.
    Win(i32),
    /// The opponent wins after so many plies.
    Loss(i32),
}

impl Score {
    pub const DRAW: Score = Score(0);
    pub const MIN: Score = Score(-32_001);
    pub const MAX: Score = Score(32_001);
    pub const EVAL_LIMIT: i32 = 20_000;

    const WIN: i32 = 32_000;
    /// Scores above are proven wins, below the negative proven losses.
    const WIN_THRESHOLD: i32 = 30_000;

    /// Returns an evaluation, clamped below proven results.
    pub fn eval(value: i32) -> Score {
        Score(value.clamp(-Self::EVAL_LIMIT, Self::EVAL_LIMIT))
    }

    /// Returns the score of an own five at `ply`, counted from the root.
    pub const fn win_in(ply: i32) -> Score {
        Score(Self::WIN - ply)
    }

    /// Returns the score of the opponent's five at `ply`, counted from the root.
    pub const fn loss_in(ply: i32) -> Score {
        Score(ply - Self::WIN)
    }

    pub const fn value(self) -> i32 {
        self.0
    }

    pub const fn kind(self) -> ScoreKind {
        if self.is_win() {
            ScoreKind::Win(Self::WIN - self.0)
        } else if self.is_loss() {
            ScoreKind::Loss(Self::WIN + self.0)
        } else {
            ScoreKind::Eval(self.0)
        }
    }

    pub const fn is_win(self) -> bool {
        self.0 > Self::WIN_THRESHOLD
    }

    pub const fn is_loss(self) -> bool {
        self.0 < -Self::WIN_THRESHOLD
    }

    /// Returns true for a proof or an evaluation within ±[`Score::EVAL_LIMIT`].
    pub fn is_possible(self) -> bool {
        let is_proof = self.is_decisive() && (Score::loss_in(0)..=Score::win_in(0)).contains(&self);
        is_proof || self.0.abs() <= Score::EVAL_LIMIT
    }

    pub const fn is_decisive(self) -> bool {
        self.is_win() || self.is_loss()
    }

    /// Returns the score moved by `delta`: an evaluation stays one, a proven result is unchanged.
    pub fn shift(self, delta: i32) -> Score {
        if self.is_decisive() { self } else { Score::eval(self.0 + delta) }
    }

    pub fn before_move(self) -> Score {
        -self.sooner(-1)
    }

    pub fn after_move(self) -> Score {
        -self.sooner(1)
    }

    /// Returns the score for the transposition table: proven results count from the node at `ply`
    /// instead of from the root.
    pub const fn to_tt(self, ply: i32) -> i16 {
        self.sooner(ply).0 as i16
    }

    /// Returns a score of [`Score::to_tt`] at the node at `ply`.
    pub const fn from_tt(packed: i16, ply: i32) -> Score {
        Score(packed as i32).sooner(-ply)
    }

    /// Returns the score with a proven result so many plies sooner; an evaluation is unchanged.
    const fn sooner(self, plies: i32) -> Score {
        if self.is_win() {
            Score(self.0 + plies)
        } else if self.is_loss() {
            Score(self.0 - plies)
        } else {
            self
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
    /// Writes proven results as `+M5` or `-M4`, in plies.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.kind() {
            ScoreKind::Eval(value) => write!(f, "{value}"),
            ScoreKind::Win(plies) => write!(f, "+M{plies}"),
            ScoreKind::Loss(plies) => write!(f, "-M{plies}"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// The true score is at most this (fail low).
    Upper = 1,
    /// The true score is at least this (fail high).
    Lower = 2,
    Exact = 3,
}

/// The open interval in which a search is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub alpha: Score,
    pub beta: Score,
}

impl Window {
    pub const FULL: Window = Window { alpha: Score::MIN, beta: Score::MAX };

    /// Asks whether the score is above `alpha`.
    pub const fn null_at(alpha: Score) -> Window {
        Window { alpha, beta: Score(alpha.0 + 1) }
    }

    /// Asks whether the score reaches `beta`.
    pub const fn null_below(beta: Score) -> Window {
        Window { alpha: Score(beta.0 - 1), beta }
    }

    pub const fn is_empty(self) -> bool {
        self.alpha.0 >= self.beta.0
    }

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

/// Returns the probability with these log odds: the logistic function.
pub fn sigmoid(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
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

    #[test]
    fn probabilities_of_both_sides_sum_to_one() {
        for log_odds in [0.0, 0.3, 2.0, 20.0, 1_000.0] {
            assert!((sigmoid(log_odds) + sigmoid(-log_odds) - 1.0).abs() < 1e-12);
        }
        assert!((sigmoid(3.0f64.ln()) - 0.75).abs() < 1e-12);
        assert_eq!([sigmoid(1e6), sigmoid(-1e6)], [1.0, 0.0]);
    }
}
