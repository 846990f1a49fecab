//! SPSA: tunes many numbers at once by pairs of games between two sets of them.
//!
//! Each pair moves all numbers away from where they stand, each up or down at random by its own
//! perturbation; the set with the opposite signs is the opponent. All numbers then move towards the
//! better set. James Spall, "Multivariate Stochastic Approximation Using a Simultaneous
//! Perturbation Gradient Approximation", 1992; the gains are those of Spall's "Implementation of
//! the Simultaneous Perturbation Algorithm for Stochastic Optimization", 1998, given by their last
//! values as in Stockfish's tuning.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use anyhow::{Context, bail, ensure};
use tengen::parallel::in_order;
use tengen_gomoku::types::Random;
use tengen_gomoku::types::random::mixed;

/// The exponents by which steps and distances fall.
const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;
/// The pairs that steps are counted from, as a part of all pairs: without them the first steps
/// would be the largest by far.
const STABILITY: f64 = 0.1;
/// Pairs that are played from the same numbers. Their results do not depend on the number of
/// threads, which play them at the same time.
pub const BATCH: u64 = 16;

#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: String,
    pub range: RangeInclusive<i64>,
    pub start: i64,
    /// The perturbation at the end, above 0: such a change should be worth a few Elo.
    pub c_end: f64,
    /// How far the last pair moves it, in distances for each point, above 0: 0.002 is usual.
    pub r_end: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Spsa {
    pub parameters: Vec<Parameter>,
    /// Where the numbers stand.
    values: Vec<f64>,
    pub pairs: u64,
    pub played: u64,
    seed: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    pub plus: Vec<i64>,
    pub minus: Vec<i64>,
    /// What the pair of games is drawn from: the opening, say.
    pub seed: u64,
    /// Where the numbers of the first set lie: 1 for above, -1 for below.
    signs: Vec<f64>,
}

impl Spsa {
    pub fn new(parameters: Vec<Parameter>, pairs: u64, seed: u64) -> anyhow::Result<Spsa> {
        let values = parameters.iter().map(|parameter| parameter.start as f64).collect();
        Spsa { parameters, values, pairs, played: 0, seed }.checked()
    }

    fn checked(self) -> anyhow::Result<Spsa> {
        ensure!(!self.parameters.is_empty(), "nothing to tune");
        ensure!(self.played <= self.pairs, "more pairs were played than there are");
        for (number, parameter) in self.parameters.iter().enumerate() {
            let Parameter { name, range, start, c_end, r_end } = parameter;
            let is_word = !name.is_empty() && !name.contains(char::is_whitespace);
            ensure!(is_word, "{name:?} is no name");
            let is_first = self.parameters[..number].iter().all(|other| other.name != *name);
            ensure!(is_first, "{name} comes twice");
            ensure!(range.contains(start), "{name} is not within its range");
            let is_positive = |number: f64| number.is_finite() && number > 0.0;
            ensure!(is_positive(*c_end) && is_positive(*r_end), "{name}: gains are above 0");
        }
        let limits = self.parameters.iter().map(Spsa::limits);
        let is_within =
            self.values.iter().zip(limits).all(|(v, (min, max))| (min..=max).contains(v));
        ensure!(is_within && self.values.len() == self.parameters.len(), "a value is out of range");
        Ok(self)
    }

    pub fn values(&self) -> impl Iterator<Item = i64> {
        self.values.iter().map(|value| value.round() as i64)
    }

    /// Plays the pairs that are left with this many threads. Each thread has a player of its own,
    /// who returns the points of a trial's first set less those of the other: 2 for two wins, -2
    /// for two losses. `report` hears of the state after each batch; where it fails, this ends.
    pub fn run<P: FnMut(&Trial) -> i32>(
        &mut self,
        threads: usize,
        stack_bytes: usize,
        player: impl Fn() -> P + Sync,
        mut report: impl FnMut(&Spsa) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        while self.played < self.pairs {
            let batch = self.played..self.pairs.min(self.played + BATCH);
            let mut results = Vec::new();
            let worker = || {
                let (mut player, spsa) = (player(), &*self);
                move |pair| {
                    let trial = spsa.trial(pair);
                    let points = player(&trial);
                    (trial, points)
                }
            };
            in_order(batch, threads, stack_bytes, worker, |result| {
                results.push(result);
                true
            })?;
            for (trial, points) in results {
                self.move_towards(&trial, points);
            }
            report(self)?;
        }
        Ok(())
    }

    fn trial(&self, pair: u64) -> Trial {
        let mut random = Random::new(mixed(self.seed) ^ pair);
        let (mut plus, mut minus, mut signs) = (Vec::new(), Vec::new(), Vec::new());
        for (parameter, &value) in self.parameters.iter().zip(&self.values) {
            let sign = [-1.0, 1.0][random.below(2)];
            let perturbation = sign * self.perturbation(parameter, pair);
            let mut rounded = |value: f64| {
                // Stochastic rounding: its mean is the value itself, however near the two sets are.
                const FINENESS: usize = 1 << 20;
                let chance = random.below(FINENESS) as f64 / FINENESS as f64;
                let (min, max) = Spsa::limits(parameter);
                (value + chance).floor().clamp(min, max) as i64
            };
            plus.push(rounded(value + perturbation));
            minus.push(rounded(value - perturbation));
            signs.push(sign);
        }
        Trial { plus, minus, seed: mixed(mixed(self.seed) ^ pair), signs }
    }

    /// Moves all values towards the first set of a trial, by its points in the next pair.
    fn move_towards(&mut self, trial: &Trial, points: i32) {
        for (number, parameter) in self.parameters.iter().enumerate() {
            let step = self.gain(parameter, self.played) * f64::from(points) * trial.signs[number];
            let (min, max) = Spsa::limits(parameter);
            self.values[number] = (self.values[number] + step).clamp(min, max);
        }
        self.played += 1;
    }

    fn limits(parameter: &Parameter) -> (f64, f64) {
        (*parameter.range.start() as f64, *parameter.range.end() as f64)
    }

    fn perturbation(&self, parameter: &Parameter, pair: u64) -> f64 {
        parameter.c_end * (self.pairs as f64 / (pair + 1) as f64).powf(GAMMA)
    }

    fn gain(&self, parameter: &Parameter, pair: u64) -> f64 {
        let stability = STABILITY * self.pairs as f64;
        let left = (stability + self.pairs as f64) / (stability + (pair + 1) as f64);
        let gain = parameter.r_end * parameter.c_end.powi(2) * left.powf(ALPHA);
        gain / self.perturbation(parameter, pair)
    }
}

impl fmt::Display for Spsa {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "pairs {} played {} seed {}", self.pairs, self.played, self.seed)?;
        for (parameter, value) in self.parameters.iter().zip(&self.values) {
            let Parameter { name, range, start, c_end, r_end } = parameter;
            let (min, max) = (range.start(), range.end());
            writeln!(f, "{name} {value} from {start} in {min} {max} gains {c_end} {r_end}")?;
        }
        Ok(())
    }
}

impl FromStr for Spsa {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Spsa> {
        let mut lines = text.lines();
        let words: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
        let ["pairs", pairs, "played", played, "seed", seed] = words.as_slice() else {
            bail!("pairs, played and seed expected");
        };
        let (mut parameters, mut values) = (Vec::new(), Vec::new());
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            let [name, value, "from", start, "in", min, max, "gains", c_end, r_end] =
                words.as_slice()
            else {
                bail!("this is no parameter: {line}");
            };
            let read = || -> anyhow::Result<(f64, Parameter)> {
                let range = min.parse()?..=max.parse()?;
                let (start, c_end, r_end) = (start.parse()?, c_end.parse()?, r_end.parse()?);
                let name = name.to_string();
                Ok((value.parse()?, Parameter { name, range, start, c_end, r_end }))
            };
            let (value, parameter) = read().with_context(|| format!("in the line {line}"))?;
            values.push(value);
            parameters.push(parameter);
        }
        let (pairs, played, seed) = (pairs.parse()?, played.parse()?, seed.parse()?);
        Spsa { parameters, values, pairs, played, seed }.checked()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::score::sigmoid;

    const STACK: usize = 1 << 16;

    fn parameter(name: &str, start: i64, range: RangeInclusive<i64>, c_end: f64) -> Parameter {
        Parameter { name: name.to_owned(), range, start, c_end, r_end: 0.002 }
    }

    /// The values that play best, and by how much a change of one costs a unit of log odds.
    const BEST: [(f64, f64); 4] = [(60.0, 80.0), (7.0, 12.0), (-300.0, 400.0), (1.0, 20.0)];

    fn parameters() -> Vec<Parameter> {
        vec![
            parameter("margin", 100, 0..=200, 8.0),
            parameter("shift", 12, 1..=20, 1.0),
            parameter("slope", 0, -1_000..=1_000, 40.0),
            // Its best value is outside its range.
            parameter("depth", 8, 5..=20, 1.0),
        ]
    }

    fn strength(values: &[i64]) -> f64 {
        let cost =
            |(&value, (best, scale)): (&i64, (f64, f64))| ((value as f64 - best) / scale).powi(2);
        -values.iter().zip(BEST).map(cost).sum::<f64>()
    }

    /// Plays two games whose results are of chance, but for the difference in strength.
    fn noisy_pair(trial: &Trial) -> i32 {
        let mut random = Random::new(trial.seed);
        let p = sigmoid(strength(&trial.plus) - strength(&trial.minus));
        let mut game = || if (random.below(1 << 20) as f64) < p * 1048576.0 { 1 } else { -1 };
        game() + game()
    }

    #[test]
    fn the_optimum_is_found_through_noise() {
        let mut spsa = Spsa::new(parameters(), 40_000, 1).unwrap();
        spsa.run(1, STACK, || noisy_pair, |_| Ok(())).unwrap();
        let found: Vec<i64> = spsa.values().collect();
        let start: Vec<i64> = parameters().iter().map(|parameter| parameter.start).collect();
        let best: Vec<i64> = vec![60, 7, -300, 5];
        let lost = |values: &[i64]| strength(&best) - strength(values);
        assert!(lost(&start) > 0.9 && lost(&found) < 0.05, "{found:?} {}", lost(&found));
    }

    #[test]
    fn without_a_difference_nothing_goes_far() {
        let mut spsa = Spsa::new(parameters(), 5_000, 1).unwrap();
        let coin = |trial: &Trial| [-2, 0, 2][Random::new(trial.seed).below(3)];
        spsa.run(1, STACK, || coin, |_| Ok(())).unwrap();
        for (value, parameter) in spsa.values.iter().zip(&spsa.parameters) {
            let moved = (value - parameter.start as f64) / parameter.c_end;
            assert!(moved.abs() < 1.5, "{} {value}", parameter.name);
        }
    }

    #[test]
    fn gains_end_where_they_are_told_to() {
        let spsa = Spsa::new(parameters(), 1_000, 1).unwrap();
        let margin = &spsa.parameters[0];
        assert!((spsa.perturbation(margin, 999) - 8.0).abs() < 1e-9);
        assert!((spsa.gain(margin, 999) - 0.002 * 8.0).abs() < 1e-9);
        let ratio = spsa.perturbation(margin, 0) / spsa.perturbation(margin, 999);
        assert!((ratio - 1_000f64.powf(0.101)).abs() < 1e-9);
        assert!(spsa.gain(margin, 0) > spsa.gain(margin, 500));
    }

    #[test]
    fn trials_lie_on_both_sides_and_within_the_range() {
        let mut spsa = Spsa::new(parameters(), 1_000, 3).unwrap();
        let mut sums = [0i64; 2];
        for pair in 0..1_000 {
            let trial = spsa.trial(pair);
            assert_eq!(trial, spsa.trial(pair));
            for (number, parameter) in spsa.parameters.iter().enumerate() {
                let (plus, minus) = (trial.plus[number], trial.minus[number]);
                assert!(parameter.range.contains(&plus) && parameter.range.contains(&minus));
                assert!((plus - minus) as f64 * trial.signs[number] > 0.0, "{}", parameter.name);
            }
            sums[0] += trial.plus[0];
            sums[1] += trial.minus[0];
        }
        // 100 is in the middle of them all.
        assert!(sums.iter().all(|sum| (sum - 100_000).abs() < 1_500), "{sums:?}");
        spsa.values[3] = 5.0;
        let trial = spsa.trial(0);
        assert!(trial.plus[3].min(trial.minus[3]) == 5);
    }

    #[test]
    fn a_state_goes_on_where_it_was_left_whatever_the_threads() {
        let mut whole = Spsa::new(parameters(), 100, 5).unwrap();
        whole.run(1, STACK, || noisy_pair, |_| Ok(())).unwrap();
        let mut parted = Spsa::new(parameters(), 100, 5).unwrap();
        let stop = |spsa: &Spsa| {
            ensure!(spsa.played < 3 * BATCH, "enough");
            Ok(())
        };
        assert!(parted.run(2, STACK, || noisy_pair, stop).is_err());
        assert_eq!(parted.played, 3 * BATCH);
        let mut resumed: Spsa = parted.to_string().parse().unwrap();
        assert_eq!(resumed, parted);
        resumed.run(3, STACK, || noisy_pair, |_| Ok(())).unwrap();
        assert_eq!((resumed.played, &resumed), (100, &whole));
        assert_ne!(whole.values, Spsa::new(parameters(), 100, 5).unwrap().values);
    }

    #[test]
    fn wrong_parameters_and_texts_are_refused() {
        let with = |change: fn(&mut Parameter)| {
            let mut parameters = parameters();
            change(&mut parameters[0]);
            Spsa::new(parameters, 10, 1)
        };
        assert!(with(|_| ()).is_ok());
        assert!(with(|parameter| parameter.start = 201).is_err());
        assert!(with(|parameter| parameter.c_end = 0.0).is_err());
        assert!(with(|parameter| parameter.r_end = f64::NAN).is_err());
        assert!(with(|parameter| parameter.name = "shift".to_owned()).is_err());
        assert!(with(|parameter| parameter.name = "two words".to_owned()).is_err());
        assert!(Spsa::new(Vec::new(), 10, 1).is_err());
        let text = with(|_| ()).unwrap().to_string();
        let changes = [("played 0", "played 11"), ("shift 12", "shift 21"), (" in ", " on ")];
        for (from, to) in changes.into_iter().chain([("margin 100", "margin NaN"), ("seed", "")]) {
            assert!(text.contains(from) && text.replace(from, to).parse::<Spsa>().is_err(), "{to}");
        }
        assert!("".parse::<Spsa>().is_err());
    }
}
