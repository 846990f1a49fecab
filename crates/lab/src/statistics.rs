//! Statistics of matches in pairs of games: one opening, with either color each.
//!
//! The games of a pair depend on each other, so that a pair is one result of five classes
//! (pentanomial).

/// The score of a pair in each class, as a share of its two points.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// The names of the classes.
pub const CLASSES: [&str; 5] = ["LL", "LD", "LW or DD", "WD", "WW"];
/// The count of a class that is empty, so that every score is possible.
const EMPTY: f64 = 1e-3;

/// Pairs by the half points that the first player scored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs(pub [u64; 5]);

impl Pairs {
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the first player's score, from 0 to 1; one half of no pairs.
    pub fn score(&self) -> f64 {
        let points = self.0.iter().zip(SCORES).map(|(&count, score)| count as f64 * score);
        if self.total() == 0 { 0.5 } else { points.sum::<f64>() / self.total() as f64 }
    }

    /// Returns the least and the greatest score that these pairs do not exclude at 95 %: those at
    /// which the profile likelihood is large enough (Owen, "Empirical Likelihood", 2001), by
    /// Student's t for few pairs. Unlike a standard error it does not vanish where all pairs are
    /// equal.
    pub fn interval(&self) -> [f64; 2] {
        if self.total() < 2 {
            return [0.0, 1.0];
        }
        let counts = self.counts();
        let least = -student(self.total() - 1).powi(2) / 2.0;
        let mean = mean(&counts);
        let [low, high] = [0.0, 1.0].map(|end| {
            let (mut inside, mut outside) = (mean, end);
            for _ in 0..60 {
                let middle = (inside + outside) / 2.0;
                let is_inside = log_likelihood(&counts, middle) >= least;
                *(if is_inside { &mut inside } else { &mut outside }) = middle;
            }
            inside
        });
        [low.min(self.score()), high.max(self.score())]
    }

    /// Returns the generalized log-likelihood ratio of two differences in Elo, as fishtest decides
    /// by it (Van den Bergh, "Comments on Normalized Elo").
    pub fn log_likelihood_ratio(&self, [elo0, elo1]: [f64; 2]) -> f64 {
        if self.total() == 0 {
            return 0.0;
        }
        let of = |elo| log_likelihood(&self.counts(), score_of(elo));
        of(elo1) - of(elo0)
    }

    fn counts(&self) -> [f64; 5] {
        self.0.map(|count| if count == 0 { EMPTY } else { count as f64 })
    }
}

fn mean(counts: &[f64; 5]) -> f64 {
    let points = counts.iter().zip(SCORES).map(|(count, score)| count * score);
    points.sum::<f64>() / counts.iter().sum::<f64>()
}

/// Returns the largest log-likelihood of the counts among distributions with this mean, less that
/// of their own shares.
///
/// The best distribution is `share / (1 + t * (score - mean))`, where t makes its mean the one
/// asked for; the mean falls as t grows.
fn log_likelihood(counts: &[f64; 5], mean: f64) -> f64 {
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..100 {
        let t = (low + high) / 2.0;
        let surplus = counts.iter().zip(SCORES).map(|(count, score)| {
            let distance = score - mean;
            count * distance / (1.0 + t * distance)
        });
        *(if surplus.sum::<f64>() > 0.0 { &mut low } else { &mut high }) = t;
    }
    let t = (low + high) / 2.0;
    let terms = counts.iter().zip(SCORES);
    -terms.map(|(count, score)| count * (t * (score - mean)).ln_1p()).sum::<f64>()
}

/// Returns Student's t at 97.5 %, in an expansion that is good from three degrees of freedom on.
fn student(freedom: u64) -> f64 {
    let n = freedom as f64;
    1.96 + (2.37 + (2.82 + 2.56 / n) / n) / n
}

/// Returns the difference in Elo at which a score from 0 to 1 is expected.
pub fn elo_of(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// Returns the score that is expected at a difference in Elo.
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// A sequential probability ratio test.
#[derive(Clone, Copy, Debug)]
pub struct Sprt {
    /// The differences in Elo of the two hypotheses.
    pub elos: [f64; 2],
    /// The probabilities of accepting the second wrongly and of accepting the first wrongly.
    pub errors: [f64; 2],
}

impl Sprt {
    /// Returns the ratios at which the first and the second hypothesis are accepted.
    pub fn bounds(&self) -> [f64; 2] {
        let [alpha, beta] = self.errors;
        [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()]
    }

    /// Returns the number of the hypothesis that is accepted, if one is.
    pub fn decision(&self, pairs: &Pairs) -> Option<u8> {
        let ratio = pairs.log_likelihood_ratio(self.elos);
        let [low, high] = self.bounds();
        if ratio >= high { Some(1) } else { (ratio <= low).then_some(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found} for {expected}");
    }

    /// The values are those in the tests of fastchess, logistic pentanomial model.
    #[test]
    fn the_ratio_is_that_of_fastchess() {
        let ratio = |counts, elos| Pairs(counts).log_likelihood_ratio(elos);
        assert_near(ratio([223, 9_863, 21_279, 10_037, 246], [0.5, 2.5]), -3.07, 0.005);
        assert_near(ratio([871, 26_175, 55_983, 26_678, 821], [0.0, 2.0]), -4.98, 0.005);
    }

    #[test]
    fn the_ratio_is_antisymmetric_and_finite() {
        let there = Pairs([3, 10, 30, 14, 8]).log_likelihood_ratio([-2.0, 7.0]);
        let back = Pairs([8, 14, 30, 10, 3]).log_likelihood_ratio([-7.0, 2.0]);
        assert!(there > 0.0);
        assert_near(there, -back, 1e-9);
        for counts in [[0, 0, 0, 0, 9], [9, 0, 0, 0, 0], [0, 0, 9, 0, 0], [0; 5]] {
            assert!(Pairs(counts).log_likelihood_ratio([0.0, 5.0]).abs() < 10.0, "{counts:?}");
        }
    }

    #[test]
    fn elo_is_logistic() {
        assert_near(elo_of(0.75), 190.85, 0.005);
        assert_near(elo_of(score_of(-123.0)), -123.0, 1e-9);
        assert_eq!([0.0, 0.5, 1.0].map(elo_of), [f64::NEG_INFINITY, 0.0, f64::INFINITY]);
    }

    #[test]
    fn many_pairs_have_the_interval_of_the_normal_distribution() {
        let pairs = Pairs([100, 400, 900, 500, 150]);
        let count = pairs.total() as f64;
        let squares = pairs.0.iter().zip(SCORES);
        let squares = squares.map(|(&n, score)| n as f64 * (score - pairs.score()).powi(2));
        let error = (squares.sum::<f64>() / count / count).sqrt();
        let [low, high] = pairs.interval();
        assert_near(low, pairs.score() - 1.96 * error, 2e-4);
        assert_near(high, pairs.score() + 1.96 * error, 2e-4);
    }

    /// Student's t at 97.5 % is 1.9842 for 99 degrees of freedom; of pairs that are all won a score
    /// `s` has the likelihood `s^100`.
    #[test]
    fn equal_results_do_not_prove_themselves() {
        let [low, high] = Pairs([0, 0, 0, 0, 100]).interval();
        assert_near(low, (-1.9842f64.powi(2) / 200.0).exp(), 2e-4);
        assert_eq!(high, 1.0);
        assert_eq!(Pairs([100, 0, 0, 0, 0]).interval()[0], 0.0);
        // What is likeliest beside draws alone is that the rest is all won, or all lost.
        let [low, high] = Pairs([0, 0, 100, 0, 0]).interval();
        let rest = 1.0 - (-1.9842f64.powi(2) / 200.0).exp();
        assert_near(low, 0.5 - rest / 2.0, 2e-4);
        assert_near(high, 0.5 + rest / 2.0, 2e-4);
        // A likelihood of two outcomes, `(0.25 / (1 - s))^25 (0.75 / s)^75`.
        for bound in Pairs([25, 0, 0, 0, 75]).interval() {
            let ratio = 25.0 * ((1.0 - bound) / 0.25).ln() + 75.0 * (bound / 0.75).ln();
            assert_near(ratio, -1.9842f64.powi(2) / 2.0, 0.01);
        }
    }

    #[test]
    fn few_pairs_tell_little() {
        assert_eq!((Pairs::default().score(), Pairs::default().interval()), (0.5, [0.0, 1.0]));
        assert_eq!(Pairs([0, 0, 0, 0, 1]).interval(), [0.0, 1.0]);
        let [low, high] = Pairs([0, 0, 2, 0, 0]).interval();
        assert!(low < 0.01 && high > 0.99, "{low} {high}");
        // 3.182, 2.262 and 2.045 in the tables.
        for (freedom, t, tolerance) in [(3, 3.182, 0.03), (9, 2.262, 0.001), (29, 2.045, 0.001)] {
            assert_near(student(freedom), t, tolerance);
        }
    }

    #[test]
    fn a_sequential_test_is_decided_at_its_bounds() {
        let sprt = Sprt { elos: [0.0, 5.0], errors: [0.05, 0.05] };
        let [low, high] = sprt.bounds();
        assert_near(low, -2.944, 5e-4);
        assert_near(high, 2.944, 5e-4);
        assert_eq!(sprt.decision(&Pairs([10, 20, 40, 22, 12])), None);
        assert_eq!(sprt.decision(&Pairs([100, 200, 900, 800, 400])), Some(1));
        assert_eq!(sprt.decision(&Pairs([400, 800, 900, 200, 100])), Some(0));
    }
}
