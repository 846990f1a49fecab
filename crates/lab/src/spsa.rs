//! Tunes search parameters by SPSA, in pairs of games of the engine against itself.
//!
//! Each pair moves all numbers away from where they stand, each up or down at random by its own
//! perturbation; the set with the opposite signs is the opponent. All numbers then move towards the
//! better set. James Spall, "Multivariate Stochastic Approximation Using a Simultaneous
//! Perturbation Gradient Approximation", 1992; the gains are those of Spall's "Implementation of
//! the Simultaneous Perturbation Algorithm for Stochastic Optimization", 1998, given by their last
//! values as in Stockfish's tuning: in the last pair a value is moved by ±C_END to try it, and
//! afterwards by R_END times C_END for each point won.
//!
//! The state is written to a file after every batch of pairs; a lock file keeps other runs out.
//! Searches have a fixed number of nodes, so that parameters of the clock do nothing. The result
//! does not depend on the number of cores. Accept new numbers only after a match.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};
use tengen::eval;
use tengen::parallel::{self, in_order};
use tengen::search::{Override, Params, STACK_BYTES};
use tengen_gomoku::types::random::mixed;
use tengen_gomoku::types::{BoardSize, Coord, Random, Rule};

use crate::duel::{PairPlayer, Setting};

const C_END_SHARE: f64 = 0.1;
const C_END_MIN: f64 = 0.5;
const R_END: f64 = 0.002;
/// Exponents of the decay of the gains and of the perturbations.
const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;
/// Spall's stability constant, as a part of all pairs: without it the first steps would be the
/// largest by far.
const STABILITY: f64 = 0.1;
/// Pairs that are played from the same numbers. Their results do not depend on the number of
/// threads, which play them at the same time.
const BATCH: u64 = 16;
/// Pairs after which the table is printed.
const TABLE_PAIRS: u64 = 32 * BATCH;

/// Tunes search parameters by games of the engine against itself
#[derive(Args)]
pub struct Options {
    /// The file of the tuning; given alone, it goes on
    #[arg(value_name = "STATE")]
    path: PathBuf,
    #[command(flatten)]
    beginning: Option<Beginning>,
}

#[derive(Args)]
struct Beginning {
    /// freestyle, standard, renju, caro or caro-exact
    #[arg(required = false, requires = "parameters")]
    rule: Rule,
    /// Size of the board
    #[arg(required = false)]
    size: BoardSize,
    /// Nodes of a search
    #[arg(required = false)]
    nodes: u64,
    /// Pairs of games
    #[arg(required = false)]
    pairs: u64,
    /// Random seed
    #[arg(required = false)]
    seed: u64,
    /// Names of `pbrain-tengen params`; C_END is a tenth of the default, but 0.5 at least, and
    /// R_END 0.002, unless given
    #[arg(value_name = "NAME[=C_END[,R_END]]", num_args = 1.., required = false)]
    parameters: Vec<String>,
    /// A file of openings, from which each pair of games draws one [default: generated ones]
    #[arg(long, value_name = "FILE", requires = "parameters")]
    openings: Option<PathBuf>,
}

pub fn run(options: &Options) -> anyhow::Result<()> {
    let Options { path, beginning } = options;
    let (mut spsa, _lock) = if let Some(beginning) = beginning {
        let &Beginning { rule, size, nodes, pairs, seed, ref parameters, ref openings } = beginning;
        let parameters = parameters.iter().map(|text| Parameter::of(text, rule));
        let parameters = parameters.collect::<anyhow::Result<_>>()?;
        let setting = Setting { rule, size, nodes };
        let fingerprint = fingerprint(&setting.openings(openings.as_deref())?);
        let openings = openings.clone();
        let spsa = Spsa { setting, openings, fingerprint, parameters, pairs, played: 0, seed };
        let spsa = spsa.checked()?;
        // A file that is no state gets no lock beside it.
        crate::check_new(path).context("a tuning goes on if its file is given alone")?;
        (spsa, lock(path)?)
    } else {
        Spsa::read(path)?;
        let lock = lock(path)?;
        (Spsa::read(path)?, lock)
    };
    spsa.setting.check()?;
    for end in [RangeInclusive::start, RangeInclusive::end] {
        let ends = spsa.parameters.iter().map(|parameter| *end(&parameter.range));
        spsa.params(&ends.collect::<Vec<i64>>())?;
    }
    if spsa.played == spsa.pairs {
        spsa.show();
    }
    let setting = spsa.setting;
    let openings = setting.openings(spsa.openings.as_deref())?;
    let is_as_before = spsa.fingerprint == fingerprint(&openings);
    ensure!(is_as_before, "{}: begun with other networks or openings", path.display());
    let player = || {
        let mut player = PairPlayer::new(setting);
        let openings = &openings;
        move |spsa: &Spsa, trial: &Trial| {
            let params = |set| spsa.params(set).expect("invariant: values are in their ranges");
            player.set_params([&trial.plus, &trial.minus].map(|set| params(set)));
            let opening = match openings.len() as u64 {
                0 => player.opening(trial.seed),
                count => openings[(trial.seed % count) as usize].clone(),
            };
            // The points of the first set less those of the second.
            player.play(&opening).iter().map(|&half_points| half_points as i32 - 1).sum()
        }
    };
    spsa.run(parallel::threads(None), player, |spsa| {
        crate::write_file(path, &serde_json::to_vec_pretty(spsa)?)?;
        if spsa.played == spsa.pairs || spsa.played.is_multiple_of(TABLE_PAIRS) {
            spsa.show();
        }
        Ok(())
    })
}

fn fingerprint(openings: &[Vec<Coord>]) -> u64 {
    let cell = |mv: &Coord| u64::from(mv.y()) << 8 | u64::from(mv.x());
    let cells = openings.iter().flat_map(|moves| moves.iter().map(cell).chain([u64::MAX]));
    cells.fold(eval::fingerprint(), |hash, cell| mixed(hash ^ cell))
}

/// Takes the file of a state for this run, as long as what is returned lives. The lock is on a file
/// beside, which stays there: each state that is written is a new file.
fn lock(path: &Path) -> anyhow::Result<File> {
    let mut name = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()).into_os_string();
    name.push(".lock");
    let (name, mut options) = (PathBuf::from(name), OpenOptions::new());
    let file = options.write(true).create(true).truncate(false).open(&name);
    let file = file.with_context(|| format!("writing {}", name.display()))?;
    crate::lock(&file, path)?;
    Ok(file)
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Parameter {
    name: String,
    value: f64,
    start: i64,
    range: RangeInclusive<i64>,
    /// The perturbation at the end, above 0: such a change should be worth a few Elo.
    c_end: f64,
    /// How far a point of the last pair moves the value, in perturbations: above 0, usually 0.002.
    r_end: f64,
}

impl Parameter {
    /// Reads a parameter with its gains, as the command line has it.
    fn of(text: &str, rule: Rule) -> anyhow::Result<Parameter> {
        let (name, gains) = text.split_once('=').map_or((text, None), |(n, g)| (n, Some(g)));
        let found = Params::list().iter().find(|param| param.name == name);
        let found = found.with_context(|| format!("no parameter {name}"))?;
        let start = found.default(rule);
        let (mut c_end, mut r_end) = ((C_END_SHARE * start.abs() as f64).max(C_END_MIN), R_END);
        if let Some(gains) = gains {
            let (c, r) = gains.split_once(',').map_or((gains, None), |(c, r)| (c, Some(r)));
            c_end = c.parse().with_context(|| format!("C_END of {name}"))?;
            if let Some(r) = r {
                r_end = r.parse().with_context(|| format!("R_END of {name}"))?;
            }
        }
        let (name, value, range) = (name.to_owned(), start as f64, found.range.clone());
        Ok(Parameter { name, value, start, range, c_end, r_end })
    }

    fn within_range(&self, value: f64) -> f64 {
        value.clamp(*self.range.start() as f64, *self.range.end() as f64)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Spsa {
    setting: Setting,
    /// The file that pairs draw their openings from; without one, openings are generated.
    openings: Option<PathBuf>,
    /// The fingerprint of the networks and openings. With others a tuning cannot go on.
    fingerprint: u64,
    parameters: Vec<Parameter>,
    pairs: u64,
    played: u64,
    seed: u64,
}

#[derive(Clone, Debug, PartialEq)]
struct Trial {
    plus: Vec<i64>,
    minus: Vec<i64>,
    /// What the pair of games is drawn from: the opening, say.
    seed: u64,
    /// Where the numbers of the first set lie: 1 for above, -1 for below.
    signs: Vec<f64>,
}

impl Spsa {
    fn checked(self) -> anyhow::Result<Spsa> {
        ensure!(!self.parameters.is_empty(), "nothing to tune");
        ensure!(self.pairs > 0, "a tuning has one pair at least");
        ensure!(self.played <= self.pairs, "more pairs were played than there are");
        for (number, parameter) in self.parameters.iter().enumerate() {
            let Parameter { name, value, start, range, c_end, r_end } = parameter;
            let is_first = self.parameters[..number].iter().all(|other| other.name != *name);
            ensure!(is_first, "{name} comes twice");
            let is_within = range.contains(start) && parameter.within_range(*value) == *value;
            ensure!(is_within, "{name} is not within its range");
            let is_positive = |number: f64| number.is_finite() && number > 0.0;
            ensure!(is_positive(*c_end) && is_positive(*r_end), "{name}: gains are above 0");
            let width = *range.end() as f64 - *range.start() as f64;
            ensure!(*c_end <= width, "{name}: C_END is larger than the range");
        }
        Ok(self)
    }

    fn read(path: &Path) -> anyhow::Result<Spsa> {
        crate::read_file(path, |bytes| serde_json::from_slice::<Spsa>(bytes)?.checked())
    }

    fn params(&self, values: &[i64]) -> anyhow::Result<Params> {
        let set = self.parameters.iter().zip(values);
        let overrides: anyhow::Result<Vec<Override>> =
            set.map(|(parameter, &value)| Override::new(&parameter.name, value)).collect();
        Ok(Params::with_overrides(self.setting.rule, &overrides?))
    }

    fn show(&self) {
        let _ = writeln!(io::stdout(), "{}", self.table());
    }

    /// Returns the values, and how far each has moved, in perturbations.
    fn table(&self) -> String {
        let mut text = format!("{} of {} pairs\n", self.played, self.pairs);
        let (name, start, range, value, change) = ("parameter", "start", "range", "value", "moved");
        text += &format!("{name:32} {start:>9} {range:>20} {value:>9} {change:>7}");
        for Parameter { name, value, start, range, c_end, .. } in &self.parameters {
            let range = format!("{}..{}", range.start(), range.end());
            let change = (value - *start as f64) / c_end;
            let value = value.round() as i64;
            text += &format!("\n{name:32} {start:9} {range:>20} {value:9} {change:+7.2}");
        }
        text
    }

    /// Plays the pairs that are left with this many threads. Each thread has a player of its own,
    /// who returns the points of a trial's first set less those of the other: 2 for two wins, -2
    /// for two losses. `report` hears of the state after each batch; where it fails, this ends.
    fn run<P: FnMut(&Spsa, &Trial) -> i32>(
        &mut self,
        threads: usize,
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
                    let points = player(spsa, &trial);
                    (trial, points)
                }
            };
            in_order(batch, threads, STACK_BYTES, worker, |result| {
                results.push(result);
                anyhow::Ok(true)
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
        for parameter in &self.parameters {
            let sign = [-1.0, 1.0][random.below(2)];
            let perturbation = sign * self.perturbation(parameter, pair);
            let mut rounded = |value: f64| {
                // Stochastic rounding: its mean is the value itself, however near the two sets are.
                const FINENESS: usize = 1 << 20;
                let chance = random.below(FINENESS) as f64 / FINENESS as f64;
                parameter.within_range((value + chance).floor()) as i64
            };
            plus.push(rounded(parameter.value + perturbation));
            minus.push(rounded(parameter.value - perturbation));
            signs.push(sign);
        }
        Trial { plus, minus, seed: mixed(mixed(self.seed) ^ pair), signs }
    }

    /// Moves all values towards the first set of a trial, by the next pair's gain times its points.
    fn move_towards(&mut self, trial: &Trial, points: i32) {
        for number in 0..self.parameters.len() {
            let parameter = &self.parameters[number];
            let step = self.gain(parameter, self.played) * f64::from(points) * trial.signs[number];
            self.parameters[number].value = parameter.within_range(parameter.value + step);
        }
        self.played += 1;
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::env;
    use tengen::score::sigmoid;

    #[test]
    fn arguments_name_parameters_and_their_gains() {
        let read = |text| Parameter::of(text, Rule::Freestyle).unwrap();
        let plain = read("reverse_futility_margin");
        assert_eq!(plain.start, Params::of(Rule::Freestyle).reverse_futility_margin as i64);
        assert!((plain.c_end - 0.1 * plain.start as f64).abs() < 1e-9 && plain.r_end == R_END);
        assert!(plain.range.contains(&plain.start));
        assert_eq!(read("leaf_vcf_nodes").c_end, C_END_MIN);
        assert_eq!(read("reverse_futility_margin=3.5").c_end, 3.5);
        let gains = read("reverse_futility_margin=3.5,0.01");
        assert_eq!((gains.c_end, gains.r_end), (3.5, 0.01));
        for text in
            ["", "no_such_number", "reverse_futility_margin=", "reverse_futility_margin=1,x"]
        {
            assert!(Parameter::of(text, Rule::Freestyle).is_err(), "{text}");
        }
    }

    #[test]
    fn the_table_tells_where_values_stand() {
        let parameters = vec![Parameter::of("reverse_futility_margin=4", Rule::Freestyle).unwrap()];
        let text = spsa(parameters, 100, 1).unwrap().table();
        assert!(
            text.starts_with("0 of 100 pairs\n") && text.contains("\nreverse_futility_margin ")
        );
        assert!(text.ends_with("+0.00"), "{text}");
    }

    #[test]
    fn a_state_is_for_one_run_at_a_time() {
        let path = env::temp_dir().join(format!("tengen-spsa-lock-{}", std::process::id()));
        let held = lock(&path).unwrap();
        fs::write(&path, "").unwrap();
        let error = lock(&path).unwrap_err().to_string();
        assert!(error.starts_with("another run is at work on ") && path.exists(), "{error}");
        drop(held);
        lock(&path).unwrap();
        fs::remove_file(path.with_extension("lock")).unwrap();
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_file_gives_back_the_state() {
        let state = spsa(vec![parameter("x", 1, -5..=5, 0.5)], 10, 7).unwrap();
        let path = env::temp_dir().join(format!("tengen-spsa-{}", std::process::id()));
        for _ in 0..2 {
            crate::write_file(&path, text_of(&state).as_bytes()).unwrap();
        }
        assert_eq!(Spsa::read(&path).unwrap(), state);
        for (from, to) in [
            ("renju", "go"),
            ("\"played\":0", "\"played\":11"),
            ("\"start\":1", "\"start\":9"),
            ("\"value\":1.0", "\"value\":null"),
            (",\"seed\":7", ""),
        ] {
            let text = text_of(&state).replace(from, to);
            assert_ne!(text, text_of(&state));
            fs::write(&path, text).unwrap();
            assert!(Spsa::read(&path).is_err(), "{to}");
        }
        fs::remove_file(&path).unwrap();
        assert!(format!("{:#}", Spsa::read(&path).unwrap_err()).contains("tengen-spsa"));
    }

    fn text_of(spsa: &Spsa) -> String {
        serde_json::to_string(spsa).unwrap()
    }

    fn spsa(parameters: Vec<Parameter>, pairs: u64, seed: u64) -> anyhow::Result<Spsa> {
        let size = BoardSize::new(15, 15).unwrap();
        let setting = Setting { rule: Rule::Renju, size, nodes: 8_000 };
        let (openings, fingerprint) = (None, fingerprint(&[]));
        Spsa { setting, openings, fingerprint, parameters, pairs, played: 0, seed }.checked()
    }

    fn parameter(name: &str, start: i64, range: RangeInclusive<i64>, c_end: f64) -> Parameter {
        let (name, value) = (name.to_owned(), start as f64);
        Parameter { name, value, start, range, c_end, r_end: 0.002 }
    }

    fn values(spsa: &Spsa) -> Vec<i64> {
        spsa.parameters.iter().map(|parameter| parameter.value.round() as i64).collect()
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
    fn noisy_pair(_: &Spsa, trial: &Trial) -> i32 {
        let mut random = Random::new(trial.seed);
        let p = sigmoid(strength(&trial.plus) - strength(&trial.minus));
        let mut game = || if (random.below(1 << 20) as f64) < p * 1048576.0 { 1 } else { -1 };
        game() + game()
    }

    #[test]
    fn the_optimum_is_found_through_noise() {
        let mut tuning = spsa(parameters(), 40_000, 1).unwrap();
        tuning.run(1, || noisy_pair, |_| Ok(())).unwrap();
        let found = values(&tuning);
        let start: Vec<i64> = parameters().iter().map(|parameter| parameter.start).collect();
        let best: Vec<i64> = vec![60, 7, -300, 5];
        let lost = |values: &[i64]| strength(&best) - strength(values);
        assert!(lost(&start) > 0.9 && lost(&found) < 0.05, "{found:?} {}", lost(&found));
    }

    #[test]
    fn without_a_difference_nothing_goes_far() {
        let mut tuning = spsa(parameters(), 5_000, 1).unwrap();
        let coin = |_: &Spsa, trial: &Trial| [-2, 0, 2][Random::new(trial.seed).below(3)];
        tuning.run(1, || coin, |_| Ok(())).unwrap();
        for Parameter { name, value, start, c_end, .. } in &tuning.parameters {
            let moved = (value - *start as f64) / c_end;
            assert!(moved.abs() < 1.5, "{name} {value}");
        }
    }

    #[test]
    fn gains_end_where_they_are_told_to() {
        let tuning = spsa(parameters(), 1_000, 1).unwrap();
        let margin = &tuning.parameters[0];
        assert!((tuning.perturbation(margin, 999) - 8.0).abs() < 1e-9);
        assert!((tuning.gain(margin, 999) - 0.002 * 8.0).abs() < 1e-9);
        let ratio = tuning.perturbation(margin, 0) / tuning.perturbation(margin, 999);
        assert!((ratio - 1_000f64.powf(0.101)).abs() < 1e-9);
        assert!(tuning.gain(margin, 0) > tuning.gain(margin, 500));
    }

    #[test]
    fn trials_lie_on_both_sides_and_within_the_range() {
        let mut tuning = spsa(parameters(), 1_000, 3).unwrap();
        let mut sums = [0i64; 2];
        for pair in 0..1_000 {
            let trial = tuning.trial(pair);
            assert_eq!(trial, tuning.trial(pair));
            for (number, parameter) in tuning.parameters.iter().enumerate() {
                let (plus, minus) = (trial.plus[number], trial.minus[number]);
                assert!(parameter.range.contains(&plus) && parameter.range.contains(&minus));
                assert!((plus - minus) as f64 * trial.signs[number] > 0.0, "{}", parameter.name);
            }
            sums[0] += trial.plus[0];
            sums[1] += trial.minus[0];
        }
        // 100 is in the middle of them all.
        assert!(sums.iter().all(|sum| (sum - 100_000).abs() < 1_500), "{sums:?}");
        tuning.parameters[3].value = 5.0;
        let trial = tuning.trial(0);
        assert!(trial.plus[3].min(trial.minus[3]) == 5);
    }

    #[test]
    fn a_state_goes_on_where_it_was_left_whatever_the_threads() {
        let mut whole = spsa(parameters(), 100, 5).unwrap();
        whole.run(1, || noisy_pair, |_| Ok(())).unwrap();
        let mut parted = spsa(parameters(), 100, 5).unwrap();
        let stop = |spsa: &Spsa| {
            ensure!(spsa.played < 3 * BATCH, "enough");
            Ok(())
        };
        assert!(parted.run(2, || noisy_pair, stop).is_err());
        assert_eq!(parted.played, 3 * BATCH);
        let mut resumed: Spsa = serde_json::from_str(&text_of(&parted)).unwrap();
        assert_eq!(resumed, parted);
        resumed.run(3, || noisy_pair, |_| Ok(())).unwrap();
        assert_eq!((resumed.played, &resumed), (100, &whole));
        assert_ne!(whole.parameters, spsa(parameters(), 100, 5).unwrap().parameters);
    }

    #[test]
    fn wrong_parameters_are_refused() {
        let with = |change: fn(&mut Parameter)| {
            let mut parameters = parameters();
            change(&mut parameters[0]);
            spsa(parameters, 10, 1)
        };
        assert!(with(|_| ()).is_ok());
        assert!(with(|parameter| parameter.start = 201).is_err());
        assert!(with(|parameter| parameter.c_end = 0.0).is_err());
        assert!(with(|parameter| parameter.c_end = 200.5).is_err());
        assert!(with(|parameter| parameter.r_end = f64::NAN).is_err());
        assert!(with(|parameter| parameter.name = "shift".to_owned()).is_err());
        assert!(spsa(Vec::new(), 10, 1).is_err());
        assert!(spsa(parameters(), 0, 1).is_err());
    }
}
