//! Statistics of matches in pairs of games: one opening, with either color each.
//!
//! The games of a pair depend on each other, so that a pair is one result of five classes
//! (pentanomial).

use std::collections::BTreeMap;
use std::fmt;

use tengen_gomoku::record::Outcome;
use tengen_gomoku::types::Color;

use crate::matches::game::Forfeit;

const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
const CLASSES: [&str; 5] = ["LL", "LD", "LW or DD", "WD", "WW"];
/// The count of a class that is empty, so that every score is possible.
const EMPTY: f64 = 1e-3;

/// Pairs by the half points that the first player scored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Pairs([u64; 5]);

impl Pairs {
    fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the first player's score, from 0 to 1; one half of no pairs.
    fn score(&self) -> f64 {
        if self.total() == 0 { 0.5 } else { mean(&self.0.map(|count| count as f64)) }
    }

    /// Returns the 95 % interval of the score by empirical likelihood (Owen, "Empirical Likelihood",
    /// 2001), with Student's t for few pairs. It stays wide where all pairs are equal, where a
    /// standard error is 0.
    fn interval(&self) -> [f64; 2] {
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
    fn log_likelihood_ratio(&self, [elo0, elo1]: [f64; 2]) -> f64 {
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

fn elo_of(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The log likelihood ratio at which a test ends: ln 19, for error probabilities of 0.05.
const SPRT_BOUND: f64 = 2.944_438_979_166_44;

/// A test between two hypotheses: differences in Elo.
#[derive(Clone, Copy, Debug)]
pub struct Sprt(pub [f64; 2]);

impl Sprt {
    /// Returns the number of the hypothesis that is accepted.
    fn decision(&self, pairs: &Pairs) -> Option<u8> {
        let ratio = pairs.log_likelihood_ratio(self.0);
        (ratio.abs() >= SPRT_BOUND).then(|| u8::from(ratio > 0.0))
    }
}

#[derive(Clone, Debug, Default)]
pub struct MatchScore {
    pub wins: u64,
    pub losses: u64,
    pub draws: u64,
    pairs: Pairs,
    /// Half points of the first game of a pair whose second one is not there yet.
    open_pair: Option<usize>,
    pub forfeits: [Forfeits; 2],
    sprt: Option<Sprt>,
}

/// Games that a player lost by each [`Forfeit`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forfeits([u64; 3]);

pub fn half_points(outcome: Outcome, color: Color) -> usize {
    match outcome {
        Outcome::Won(winner) => 2 * usize::from(winner == color),
        Outcome::Drawn => 1,
    }
}

impl MatchScore {
    pub fn new(sprt: Option<Sprt>) -> MatchScore {
        MatchScore { sprt, ..MatchScore::default() }
    }

    /// Adds the next game, in which the first player had this color and the loser may have failed.
    pub fn add(&mut self, first: Color, outcome: Outcome, forfeit: Option<Forfeit>) {
        let half_points = half_points(outcome, first);
        self.add_half_points(half_points);
        if let Some(forfeit) = forfeit {
            self.forfeits[usize::from(half_points > 0)].0[forfeit as usize] += 1;
        }
    }

    /// Adds the next game by the half points of the first player.
    pub fn add_half_points(&mut self, half_points: usize) {
        *[&mut self.losses, &mut self.draws, &mut self.wins][half_points] += 1;
        match self.open_pair.take() {
            Some(other) => self.pairs.0[other + half_points] += 1,
            None => self.open_pair = Some(half_points),
        }
    }

    pub fn games(&self) -> u64 {
        self.wins + self.losses + self.draws
    }

    pub fn share(&self) -> f64 {
        (self.wins as f64 + self.draws as f64 / 2.0) / self.games() as f64
    }

    /// Returns true if the sequential test has decided, which it does after a whole pair.
    pub fn is_decided(&self) -> bool {
        let decision = self.sprt.and_then(|sprt| sprt.decision(&self.pairs));
        decision.is_some() && self.open_pair.is_none()
    }

    pub fn elo(&self) -> String {
        let [low, high] = self.pairs.interval().map(elo_of);
        let elo = elo_of(self.pairs.score());
        format!("{elo:+.1} [{low:+.1}, {high:+.1}]")
    }
}

impl fmt::Display for MatchScore {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let MatchScore { wins, losses, draws, .. } = self;
        let (games, share, elo) = (self.games(), 100.0 * self.share(), self.elo());
        writeln!(f, "W {wins}, L {losses}, D {draws} of {games}: {share:.1} %, Elo {elo} (95 %)")?;
        let counts = CLASSES.iter().zip(self.pairs.0);
        let counts: Vec<String> = counts.map(|(class, count)| format!("{class} {count}")).collect();
        write!(f, "pairs: {}", counts.join(", "))?;
        let [low, high] = self.pairs.interval();
        if low < 0.5 && high > 0.5 {
            write!(f, "\ntoo few games to tell which is stronger")?;
        }
        let Some(sprt) = self.sprt else { return Ok(()) };
        let Sprt([elo0, elo1]) = sprt;
        let ratio = self.pairs.log_likelihood_ratio(sprt.0);
        let verdict = match sprt.decision(&self.pairs) {
            Some(1) => "H1 accepted",
            Some(_) => "H0 accepted",
            None => "undecided",
        };
        write!(f, "\nSPRT elo0 {elo0} elo1 {elo1}: ")?;
        write!(f, "LLR {ratio:.2} in [-{SPRT_BOUND:.2}, {SPRT_BOUND:.2}]: {verdict}")
    }
}

impl fmt::Display for Forfeits {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Forfeits([late, illegal, crashes]) = self;
        write!(f, "time losses {late}, illegal or forbidden moves {illegal}, crashes {crashes}")
    }
}

/// What the seats of games that open with swap2 scored, in half points.
#[derive(Clone, Debug, Default)]
pub struct Seats {
    games: u64,
    opener: u64,
    black: u64,
    decisions: BTreeMap<&'static str, u64>,
}

impl Seats {
    /// Adds a game in which the opener has this color.
    pub fn add(&mut self, opener: Color, decision: &'static str, outcome: Outcome) {
        let black = half_points(outcome, Color::Black) as u64;
        self.games += 1;
        self.black += black;
        self.opener += if opener == Color::Black { black } else { 2 - black };
        *self.decisions.entry(decision).or_default() += 1;
    }

    fn percent(&self, half_points: u64) -> f64 {
        50.0 * half_points as f64 / self.games as f64
    }
}

impl fmt::Display for Seats {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.games == 0 {
            return Ok(());
        }
        let (opener, black) = (self.percent(self.opener), self.percent(self.black));
        let other = 100.0 - opener;
        writeln!(f, "swap2: the opener {opener:.1} %, the other {other:.1} %, black {black:.1} %")?;
        for (decision, count) in &self.decisions {
            writeln!(f, "{decision}: {count}")?;
        }
        Ok(())
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
        let sprt = Sprt([0.0, 5.0]);
        assert_near(SPRT_BOUND, (0.95_f64 / 0.05).ln(), 1e-9);
        assert_eq!(sprt.decision(&Pairs([10, 20, 40, 22, 12])), None);
        assert_eq!(sprt.decision(&Pairs([100, 200, 900, 800, 400])), Some(1));
        assert_eq!(sprt.decision(&Pairs([400, 800, 900, 200, 100])), Some(0));
    }

    #[test]
    fn games_are_counted_in_pairs() {
        let mut score = MatchScore::default();
        for [as_black, as_white] in [
            [Outcome::Won(Color::Black), Outcome::Won(Color::White)],
            [Outcome::Won(Color::Black), Outcome::Won(Color::Black)],
            [Outcome::Drawn, Outcome::Drawn],
            [Outcome::Drawn, Outcome::Won(Color::Black)],
        ] {
            score.add(Color::Black, as_black, None);
            score.add(Color::White, as_white, None);
        }
        assert_eq!((score.wins, score.losses, score.draws), (3, 2, 3));
        assert_eq!(score.pairs, Pairs([0, 1, 2, 0, 1]));
        // A game whose pair is not whole counts in the games alone.
        score.add(Color::Black, Outcome::Won(Color::Black), None);
        assert_eq!((score.wins, score.pairs.total()), (4, 4));
        let text = score.to_string();
        assert!(text.starts_with("W 4, L 2, D 3 of 9: 61.1 %, Elo +43.7 ["), "{text}");
        assert!(text.contains("\npairs: LL 0, LD 1, LW or DD 2, WD 0, WW 1\n"), "{text}");
        assert!(text.ends_with("too few games to tell which is stronger"), "{text}");
    }

    #[test]
    fn a_clear_result_is_told_as_one() {
        let mut score = MatchScore::new(Some(Sprt([0.0, 50.0])));
        for number in 0..60 {
            let first = Color::ALL[number % 2];
            score.add(first, Outcome::Won(first), None);
        }
        assert!(!score.to_string().contains("too few"));
        assert!(score.is_decided() && score.to_string().ends_with("H1 accepted"));
        // Half a pair decides nothing.
        score.add(Color::Black, Outcome::Won(Color::White), None);
        assert!(!score.is_decided());
    }

    #[test]
    fn faults_are_those_of_the_player_who_made_them() {
        let mut score = MatchScore::default();
        score.add(Color::Black, Outcome::Won(Color::Black), Some(Forfeit::Late));
        score.add(Color::White, Outcome::Won(Color::White), Some(Forfeit::Illegal));
        score.add(Color::Black, Outcome::Won(Color::White), Some(Forfeit::Crashed));
        score.add(Color::White, Outcome::Won(Color::Black), Some(Forfeit::Illegal));
        let first = Forfeits([0, 1, 1]);
        let second = Forfeits([1, 1, 0]);
        assert_eq!(score.forfeits, [first, second]);
        let text = "time losses 1, illegal or forbidden moves 1, crashes 0";
        assert_eq!(second.to_string(), text);
    }

    #[test]
    fn seats_score_what_their_colors_do() {
        let mut seats = Seats::default();
        seats.add(Color::Black, "stay", Outcome::Won(Color::Black));
        seats.add(Color::White, "swap", Outcome::Won(Color::White));
        seats.add(Color::White, "swap", Outcome::Won(Color::Black));
        seats.add(Color::Black, "stay", Outcome::Drawn);
        let text = "swap2: the opener 62.5 %, the other 37.5 %, black 62.5 %\nstay: 2\nswap: 2\n";
        assert_eq!(seats.to_string(), text);
        assert!(Seats::default().to_string().is_empty());
    }
}
