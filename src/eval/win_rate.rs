//! What scores mean in games: the share that is won, and how bad a move is that gives some away.
//!
//! Shares are those of the side that is asked about, from 0 to 1, a draw being half a win.

use super::network::EVAL_SCALE;
use crate::types::{Score, ScoreKind, sigmoid};

/// Returns the share of games that the side to move is expected to win: by the logistic law to
/// which the evaluation was fitted, 1 or 0 if the result is proved.
pub fn win_rate(score: Score) -> f64 {
    match score.kind() {
        ScoreKind::Win(_) => 1.0,
        ScoreKind::Loss(_) => 0.0,
        ScoreKind::Eval(value) => sigmoid(f64::from(value) / f64::from(EVAL_SCALE)),
    }
}

/// Returns a share in percent for people; certain is only what is proved.
pub fn percent(share: f64) -> String {
    let percent = (100.0 * share).round();
    let percent = if share > 0.0 && share < 1.0 { percent.clamp(1.0, 99.0) } else { percent };
    format!("{percent} %")
}

/// How bad a move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It gives away at least a tenth of the games.
    Inaccuracy,
    /// At least a fifth.
    Mistake,
    /// At least 35 in a hundred.
    Blunder,
}

impl Severity {
    /// All kinds, the worst last.
    pub const ALL: [Severity; 3] = [Severity::Inaccuracy, Severity::Mistake, Severity::Blunder];

    /// Returns how bad a move is which takes the win rate of its side from `before` to `after`;
    /// `None` if it is not bad.
    pub fn of_move(before: f64, after: f64) -> Option<Severity> {
        let loss = before - after;
        Severity::ALL.into_iter().rev().find(|severity| loss >= severity.least_loss())
    }

    /// Returns the win rate that such a move gives away at least.
    fn least_loss(self) -> f64 {
        match self {
            Severity::Inaccuracy => 0.1,
            Severity::Mistake => 0.2,
            Severity::Blunder => 0.35,
        }
    }

    /// Returns the word for it.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Inaccuracy => "inaccuracy",
            Severity::Mistake => "mistake",
            Severity::Blunder => "blunder",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_fair_and_certain_where_a_result_is() {
        assert_eq!(win_rate(Score::DRAW), 0.5);
        assert_eq!((win_rate(Score::win_in(5)), win_rate(Score::loss_in(4))), (1.0, 0.0));
        assert!((win_rate(Score::eval(EVAL_SCALE)) - 0.731).abs() < 0.001);
        let sum = win_rate(Score::eval(123)) + win_rate(Score::eval(-123));
        assert!((sum - 1.0).abs() < 1e-12);
    }

    #[test]
    fn only_what_is_proved_is_certain() {
        let texts = [0.0, 0.001, 0.5, 0.999, 1.0].map(percent);
        assert_eq!(texts, ["0 %", "1 %", "50 %", "99 %", "100 %"]);
    }

    #[test]
    fn moves_are_as_bad_as_what_they_give_away() {
        let of = |after| Severity::of_move(0.9, after);
        assert_eq!([of(1.0), of(0.85)], [None, None]);
        assert_eq!(of(0.75), Some(Severity::Inaccuracy));
        assert_eq!([of(0.65), of(0.3)], [Some(Severity::Mistake), Some(Severity::Blunder)]);
    }
}
