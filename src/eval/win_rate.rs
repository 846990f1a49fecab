//! What scores mean in games: the share that is won, a draw being half a win.
//!
//! A large score of a search is worth less than an evaluation of the same size: most of the true
//! wins have been proven, and a proof is no evaluation. `eval/network.md` shows how well shares and
//! games agree.

use crate::types::{Rule, Score, ScoreKind, sigmoid};

/// Returns the share of games that the side to move is expected to win: 1 or 0 if the result is
/// proven, otherwise by the rule's [`Curve`]. What one side is expected to win the other one is
/// expected to lose, whoever is asked about and whoever moves.
pub fn win_rate(rule: Rule, score: Score) -> f64 {
    match score.kind() {
        ScoreKind::Win(_) => 1.0,
        ScoreKind::Loss(_) => 0.0,
        ScoreKind::Eval(value) => Curve::of(rule).win_rate(value),
    }
}

/// What scores are worth: log odds of a win of `score / (scale + bend * |score|)`.
///
/// A large score is worth less than a logistic law makes of it, since the search would have proven
/// most of the wins that it promises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// Evaluation units of one unit of log odds near 0, above 0.
    pub scale: f64,
    /// What the scale grows by for each unit of the score, at least 0. Log odds stay below its
    /// reciprocal.
    pub bend: f64,
}

impl Curve {
    /// Returns the curve that `data calibrate` fits to games of the rule's evaluation against
    /// itself. Scores of the side to move are worth less than those of the other side; the one
    /// curve lies between both, so that a game's win rate does not swing with the turns.
    pub const fn of(rule: Rule) -> Curve {
        match rule {
            Rule::Freestyle => Curve { scale: 188.0, bend: 0.27 },
            Rule::Standard => Curve { scale: 194.0, bend: 0.31 },
            Rule::Renju => Curve { scale: 192.0, bend: 0.29 },
            Rule::Caro | Rule::CaroExact => Curve { scale: 276.0, bend: 0.0 },
        }
    }

    /// Returns the share of the points that a score stands for, between 0 and 1.
    ///
    /// ```
    /// use tengen::eval::win_rate::Curve;
    ///
    /// let curve = Curve { scale: 200.0, bend: 0.5 };
    /// assert_eq!(curve.win_rate(0), 0.5);
    /// assert!((curve.win_rate(-400) - 1.0 / (1.0 + 1.0f64.exp())).abs() < 1e-12);
    /// ```
    pub fn win_rate(self, score: i32) -> f64 {
        let score = f64::from(score);
        let rate = sigmoid(score / (self.scale + self.bend * score.abs()));
        // Only what is proven is certain.
        rate.clamp(f64::EPSILON, 1.0 - f64::EPSILON)
    }
}

/// Returns a share in percent for people; certain is only what is proven.
pub fn percent(share: f64) -> String {
    let percent = (100.0 * share).round();
    let percent = if share > 0.0 && share < 1.0 { percent.clamp(1.0, 99.0) } else { percent };
    format!("{percent} %")
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn only_what_is_proven_is_certain() {
        let texts = [0.0, 0.001, 0.5, 0.999, 1.0].map(percent);
        assert_eq!(texts, ["0 %", "1 %", "50 %", "99 %", "100 %"]);
    }
}
