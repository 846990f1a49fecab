//! Tunes search parameters by SPSA, in pairs of games of the engine against itself.
//!
//! The state is written to a file after every batch of pairs; a lock file keeps other runs out.
//! C_END is the perturbation of a value in the last pair; R_END is how far each point won in that
//! pair moves the value, as a part of C_END. `tuning::spsa` has the method.
//!
//! Searches have a fixed number of nodes, so that parameters of the clock do nothing. Each core
//! plays a pair, 16 of them at most: a batch has no more. The result does not depend on the number
//! of cores. Accept what comes out only by a match.

mod optimizer;
mod pair;
mod state;

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::Args;
use tengen::search::{Params, STACK_BYTES};
use tengen::typed;
use tengen::types::{BoardSize, Rule};

use self::optimizer::{BATCH, Parameter, Spsa, Trial};
use self::pair::{PairPlayer, Setting};
use self::state::State;

/// The default of C_END as a part of the parameter's default, and its least for whole numbers.
const C_END_SHARE: f64 = 0.1;
const C_END_MIN: f64 = 0.5;
/// The default of R_END.
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
    #[arg(value_parser = typed::rule, required = false, requires = "parameters")]
    rule: Rule,
    /// 5 to 22
    #[arg(required = false)]
    size: u8,
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
    let (mut state, _lock) = if let Some(beginning) = beginning {
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
    for Parameter { name, range, start, .. } in state.spsa.parameters() {
        for value in [*range.start(), *start, *range.end()] {
            values(state.setting.rule, &[(name, value)])?;
        }
    }
    let names: Vec<String> = state.spsa.parameters().iter().map(|p| p.name.clone()).collect();
    let setting = state.setting;
    let player = || {
        let (mut player, names) = (PairPlayer::new(setting), &names);
        move |trial: &Trial| {
            let [plus, minus] = [&trial.plus, &trial.minus].map(|set| {
                let set: Vec<(&String, i64)> = names.iter().zip(set.iter().copied()).collect();
                values(setting.rule, &set).expect("invariant: all values are within their ranges")
            });
            player.play([plus, minus], trial.seed)
        }
    };
    if state.spsa.played() == state.spsa.pairs() {
        show(&state.spsa);
    }
    let report = |spsa: &Spsa| {
        State { setting, spsa: spsa.clone() }.write(path)?;
        let is_end = spsa.played() == spsa.pairs();
        if is_end || spsa.played().is_multiple_of(TABLE_PAIRS) {
            show(spsa);
        }
        Ok(())
    };
    state.spsa.run(crate::threads(None), STACK_BYTES, player, report)
}

impl Beginning {
    fn state(&self) -> anyhow::Result<State> {
        let &Beginning { rule, size, nodes, pairs, seed, ref parameters } = self;
        let size = BoardSize::new(size, size).context("the size is 5 to 22")?;
        let parameters = parameters.iter().map(|text| parameter(text, rule));
        let parameters = parameters.collect::<anyhow::Result<_>>()?;
        let setting = Setting { rule, size, nodes };
        Ok(State { setting, spsa: Spsa::new(parameters, pairs, seed)? })
    }
}

/// Returns the parameter that an argument names.
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

/// Returns the parameters of a rule with some of them set.
fn values(rule: Rule, set: &[(&String, i64)]) -> anyhow::Result<Params> {
    let mut params = Params::of(rule);
    for (name, value) in set {
        params.set(name, *value)?;
    }
    Ok(params)
}

/// Prints the table. The result is in the file of the state: that nobody reads the table any more
/// ends no tuning.
fn show(spsa: &Spsa) {
    let _ = writeln!(io::stdout(), "{}", table(spsa));
}

/// Returns the table of where the values stand, and how many of their distances they have moved.
fn table(spsa: &Spsa) -> String {
    let mut text = format!("{} of {} pairs\n", spsa.played(), spsa.pairs());
    let (name, start, range, value, change) = ("parameter", "start", "range", "value", "moved");
    text += &format!("{name:32} {start:>9} {range:>20} {value:>9} {change:>7}");
    for (parameter, value) in spsa.parameters().iter().zip(spsa.values()) {
        let Parameter { name, start, c_end, .. } = parameter;
        let range = format!("{}..{}", parameter.range.start(), parameter.range.end());
        let change = (value - start) as f64 / c_end;
        text += &format!("\n{name:32} {start:9} {range:>20} {value:9} {change:+7.2}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_name_parameters_and_their_gains() {
        let read = |text| parameter(text, Rule::Freestyle).unwrap();
        let plain = read("reverse_futility_margin");
        assert_eq!(plain.start, Params::of(Rule::Freestyle).search.reverse_futility_margin as i64);
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
}
