//! Tunes search parameters by SPSA, in pairs of games of the engine against itself.
//!
//! The state is written to a file after every batch of pairs; a lock file keeps other runs out.
//! C_END is the perturbation of a value in the last pair; R_END is how far each point won in that
//! pair moves the value, as a part of C_END.
//!
//! Searches have a fixed number of nodes, so that parameters of the clock do nothing. Each core
//! plays a pair, 16 of them at most: a batch has no more. The result does not depend on the number
//! of cores. Accept what comes out only by a match.

mod optimizer;

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, bail, ensure};
use clap::Args;
use tengen::search::{Params, STACK_BYTES};
use tengen_gomoku::types::{BoardSize, Rule};

use self::optimizer::{BATCH, Parameter, Spsa, Trial};
use crate::pair::{PairPlayer, Setting};

const C_END_SHARE: f64 = 0.1;
const C_END_MIN: f64 = 0.5;
const R_END: f64 = 0.002;
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
    /// Of the board
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
}

pub fn run(options: &Options) -> anyhow::Result<()> {
    let Options { path, beginning } = options;
    let (state, _lock) = if let Some(beginning) = beginning {
        let state = beginning.state()?;
        let lock = State::lock(path)?;
        let name = path.display();
        ensure!(!path.exists(), "{name} is there: `tengen-lab spsa {name}` goes on with it");
        (state, lock)
    } else {
        // A file that is no state gets no lock beside it.
        State::read(path)?;
        let lock = State::lock(path)?;
        (State::read(path)?, lock)
    };
    state.setting.check()?;
    let State { setting, mut spsa } = state;
    let parameters = spsa.parameters.clone();
    let values = |set: &[i64]| {
        let mut params = Params::of(setting.rule);
        let mut set = parameters.iter().zip(set);
        set.try_for_each(|(parameter, &value)| params.set(&parameter.name, value))?;
        anyhow::Ok(params)
    };
    for end in [RangeInclusive::start, RangeInclusive::end] {
        values(&parameters.iter().map(|parameter| *end(&parameter.range)).collect::<Vec<i64>>())?;
    }
    let player = || {
        let (mut player, values) = (PairPlayer::new(setting), &values);
        move |trial: &Trial| {
            let sets = [&trial.plus, &trial.minus];
            let sets = sets.map(|set| values(set).expect("invariant: values are in their ranges"));
            player.set_params(sets);
            let opening = player.opening(trial.seed);
            // The points of the first set less those of the second.
            player.play(&opening).iter().map(|&half_points| half_points as i32 - 1).sum()
        }
    };
    if spsa.played == spsa.pairs {
        show(&spsa);
    }
    let report = |spsa: &Spsa| {
        State { setting, spsa: spsa.clone() }.write(path)?;
        if spsa.played == spsa.pairs || spsa.played.is_multiple_of(TABLE_PAIRS) {
            show(spsa);
        }
        Ok(())
    };
    spsa.run(crate::threads(None), STACK_BYTES, player, report)
}

impl Beginning {
    fn state(&self) -> anyhow::Result<State> {
        let &Beginning { rule, size, nodes, pairs, seed, ref parameters } = self;
        let parameters = parameters.iter().map(|text| parameter(text, rule));
        let parameters = parameters.collect::<anyhow::Result<_>>()?;
        let setting = Setting { rule, size, nodes };
        Ok(State { setting, spsa: Spsa::new(parameters, pairs, seed)? })
    }
}

fn parameter(text: &str, rule: Rule) -> anyhow::Result<Parameter> {
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
    Ok(Parameter { name: name.to_owned(), range: found.range.clone(), start, c_end, r_end })
}

fn show(spsa: &Spsa) {
    let _ = writeln!(io::stdout(), "{}", table(spsa));
}

/// Returns the table of where the values stand, and how many of their distances they have moved.
fn table(spsa: &Spsa) -> String {
    let mut text = format!("{} of {} pairs\n", spsa.played, spsa.pairs);
    let (name, start, range, value, change) = ("parameter", "start", "range", "value", "moved");
    text += &format!("{name:32} {start:>9} {range:>20} {value:>9} {change:>7}");
    for (parameter, value) in spsa.parameters.iter().zip(spsa.values()) {
        let Parameter { name, start, c_end, .. } = parameter;
        let range = format!("{}..{}", parameter.range.start(), parameter.range.end());
        let change = (value - start) as f64 / c_end;
        text += &format!("\n{name:32} {start:9} {range:>20} {value:9} {change:+7.2}");
    }
    text
}

/// What is played, and how far it is.
#[derive(Clone, Debug, PartialEq)]
struct State {
    setting: Setting,
    spsa: Spsa,
}

impl State {
    /// Takes the file of a state for this run, as long as what is returned lives. The lock is on a
    /// file beside, which stays there: each state that is written is a new file.
    fn lock(path: &Path) -> anyhow::Result<File> {
        let mut name = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()).into_os_string();
        name.push(".lock");
        let (name, mut options) = (PathBuf::from(name), OpenOptions::new());
        let file = options.write(true).create(true).truncate(false).open(&name);
        let file = file.with_context(|| format!("writing {}", name.display()))?;
        crate::lock(&file, path)?;
        Ok(file)
    }

    fn read(path: &Path) -> anyhow::Result<State> {
        let text = fs::read_to_string(path);
        let state = text.map_err(anyhow::Error::from).and_then(|text| text.parse());
        state.with_context(|| format!("reading {}", path.display()))
    }

    fn write(&self, path: &Path) -> anyhow::Result<()> {
        crate::write_file(path, self.to_string().as_bytes())
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Setting { rule, size, nodes } = self.setting;
        writeln!(f, "rule {} size {size} nodes {nodes}", rule.name())?;
        self.spsa.fmt(f)
    }
}

impl FromStr for State {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<State> {
        let (first, rest) = text.split_once('\n').context("two lines at least expected")?;
        let words: Vec<&str> = first.split(' ').collect();
        let ["rule", rule, "size", size, "nodes", nodes] = words.as_slice() else {
            bail!("rule, size and nodes expected");
        };
        let (rule, size) = (rule.parse()?, size.parse()?);
        let setting = Setting { rule, size, nodes: nodes.parse().context("nodes expected")? };
        Ok(State { setting, spsa: rest.parse()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::env;

    #[test]
    fn arguments_name_parameters_and_their_gains() {
        let read = |text| parameter(text, Rule::Freestyle).unwrap();
        let plain = read("reverse_futility_margin");
        assert_eq!(plain.start, Params::of(Rule::Freestyle).reverse_futility_margin as i64);
        assert!((plain.c_end - 0.1 * plain.start as f64).abs() < 1e-9 && plain.r_end == R_END);
        assert!(plain.range.contains(&plain.start));
        assert_eq!(read("singular_margin").c_end, C_END_MIN);
        assert_eq!(read("reverse_futility_margin=3.5").c_end, 3.5);
        let gains = read("reverse_futility_margin=3.5,0.01");
        assert_eq!((gains.c_end, gains.r_end), (3.5, 0.01));
        for text in
            ["", "no_such_number", "reverse_futility_margin=", "reverse_futility_margin=1,x"]
        {
            assert!(parameter(text, Rule::Freestyle).is_err(), "{text}");
        }
    }

    #[test]
    fn the_table_tells_where_values_stand() {
        let parameters = vec![parameter("reverse_futility_margin=4", Rule::Freestyle).unwrap()];
        let text = table(&Spsa::new(parameters, 100, 1).unwrap());
        assert!(
            text.starts_with("0 of 100 pairs\n") && text.contains("\nreverse_futility_margin ")
        );
        assert!(text.ends_with("+0.00"), "{text}");
    }

    #[test]
    fn a_state_is_for_one_run_at_a_time() {
        let path = env::temp_dir().join(format!("tengen-spsa-lock-{}", std::process::id()));
        let lock = State::lock(&path).unwrap();
        fs::write(&path, "").unwrap();
        let error = State::lock(&path).unwrap_err().to_string();
        assert!(error.starts_with("another run is at work on ") && path.exists(), "{error}");
        drop(lock);
        State::lock(&path).unwrap();
        fs::remove_file(path.with_extension("lock")).unwrap();
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_file_gives_back_the_state() {
        let size = BoardSize::new(15, 15).unwrap();
        let setting = Setting { rule: Rule::Renju, size, nodes: 8_000 };
        let parameter =
            Parameter { name: "x".to_owned(), range: -5..=5, start: 1, c_end: 0.5, r_end: 0.002 };
        let state = State { setting, spsa: Spsa::new(vec![parameter], 10, 7).unwrap() };
        let path = env::temp_dir().join(format!("tengen-spsa-{}", std::process::id()));
        for _ in 0..2 {
            state.write(&path).unwrap();
        }
        assert_eq!(State::read(&path).unwrap(), state);
        fs::write(&path, state.to_string().replace("renju", "go")).unwrap();
        assert!(State::read(&path).is_err());
        fs::remove_file(&path).unwrap();
        assert!(format!("{:#}", State::read(&path).unwrap_err()).contains("tengen-spsa"));
    }
}
