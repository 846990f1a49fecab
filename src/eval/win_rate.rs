//! Win rates: the share of points that a score stands for, a draw being half a win.
//!
//! A large score is worth less than an evaluation of that size: the search would have proven most
//! true wins. `eval/network.md` compares win rates with games.

use tengen_gomoku::types::Rule;

use crate::score::{Score, ScoreKind, sigmoid};

/// Returns the win rate of the side to move: 1 or 0 if proven, otherwise by the rule's [`Curve`].
/// The rates of both sides add up to 1.
pub fn win_rate(rule: Rule, score: Score) -> f64 {
    match score.kind() {
        ScoreKind::Win(_) => 1.0,
        ScoreKind::Loss(_) => 0.0,
        ScoreKind::Eval(value) => Curve::of(rule).win_rate(value),
    }
}

/// Win rates by score: log odds of `score / (scale + bend * |score|)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// Evaluation units of one unit of log odds near 0; positive.
    pub scale: f64,
    /// Growth of the scale with the score, at least 0. Its reciprocal bounds the log odds.
    pub bend: f64,
}

impl Curve {
    /// Returns the curve that `data calibrate` fits to games of the rule's evaluation against
    /// itself. Scores of the side to move are worth less than those of the other side; one curve
    /// lies between both, so that the win rate does not swing with the turns.
    pub const fn of(rule: Rule) -> Curve {
        match rule {
            Rule::Freestyle => Curve { scale: 162.0, bend: 0.29 },
            Rule::Standard => Curve { scale: 164.0, bend: 0.35 },
            Rule::Renju => Curve { scale: 163.0, bend: 0.30 },
            Rule::Caro | Rule::CaroExact => Curve { scale: 170.0, bend: 0.11 },
        }
    }

    pub fn win_rate(self, score: i32) -> f64 {
        let score = f64::from(score);
        let rate = sigmoid(score / (self.scale + self.bend * score.abs()));
        // Only proofs are certain.
        rate.clamp(f64::EPSILON, 1.0 - f64::EPSILON)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_follow_the_curve() {
        let curve = Curve { scale: 200.0, bend: 0.5 };
        assert_eq!(curve.win_rate(0), 0.5);
        assert!((curve.win_rate(-400) - 1.0 / (1.0 + 1.0f64.exp())).abs() < 1e-12);
    }

    #[test]
    fn rates_are_fair_and_certain_where_a_result_is() {
        for rule in Rule::ALL {
            assert_eq!(win_rate(rule, Score::DRAW), 0.5);
            let proven = [Score::win_in(5), Score::loss_in(4)].map(|score| win_rate(rule, score));
            assert_eq!(proven, [1.0, 0.0]);
            let mut last = 0.0;
            for value in (-1_200..=1_200).step_by(100) {
                let rate = win_rate(rule, Score::eval(value));
                let other = win_rate(rule, -Score::eval(value));
                assert!((rate + other - 1.0).abs() < 1e-12, "{value}");
                assert!(rate > last && rate < 1.0, "{value}");
                last = rate;
            }
            let most = win_rate(rule, Score::eval(Score::EVAL_LIMIT));
            assert!(most > last && most < 1.0, "{rule:?}");
            assert!(win_rate(rule, Score::eval(-Score::EVAL_LIMIT)) > 0.0, "{rule:?}");
        }
    }
}
