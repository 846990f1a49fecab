//! Matches inside this process at fixed nodes: networks and parameters against each other.
//!
//! An hour of two cores gives thousands of games, enough to tell 10 Elo. Nothing depends on the
//! clock or on the number of threads.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Args, value_parser};
use tengen::closed_output::note;
use tengen::eval::network::{Network, Weights};
use tengen::parallel::in_order;
use tengen::search::{Params, STACK_BYTES};
use tengen_gomoku::record::Record;
use tengen_gomoku::types::random::mixed;
use tengen_gomoku::types::{BoardSize, Coord, Random, Rule};

use crate::matches::statistics::{Score, Sprt};
use crate::matches::{hypotheses, openings};
use crate::pair::{PairPlayer, Setting};

const NOTE_INTERVAL: Duration = Duration::from_secs(60);
/// Nodes of the second side in percent of those of the first, in the two pairs by which an opening
/// is judged: at equal nodes both games of a pair would be the same.
const JUDGING_PERCENT: [u64; 2] = [90, 110];

/// Plays networks or parameters against each other at fixed nodes, in one process
///
/// The first side has the network and the parameters given, the second one those of `--against` and
/// `--against-set`; without them, those of the program.
#[derive(Args)]
pub struct Options {
    /// The first side's network
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// The second side's network
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// A parameter of the first side, named by `pbrain-tengen params`
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// A parameter of the second side
    #[arg(long, value_name = "NAME=VALUE")]
    against_set: Vec<String>,
    /// freestyle, standard, renju, caro or caro-exact
    #[arg(long, default_value = "freestyle")]
    rule: Rule,
    /// Of the board
    #[arg(long, default_value = "15")]
    size: BoardSize,
    /// Nodes of a search
    #[arg(long, value_name = "NUMBER", default_value = "20000",
        value_parser = value_parser!(u64).range(1..))]
    nodes: u64,
    /// Nodes of the second side's searches, if others
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u64).range(1..))]
    against_nodes: Option<u64>,
    /// Pairs of games, at most
    #[arg(long, value_name = "NUMBER", default_value = "2000",
        value_parser = value_parser!(u64).range(1..))]
    pairs: u64,
    /// Games whose stones begin a pair; made anew without
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Of the openings or of their order
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    seed: u64,
    /// Pairs at a time [default: all cores]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// End when a sequential test of pairs has decided between these differences in Elo
    #[arg(long, value_name = "ELO0,ELO1", value_parser = hypotheses, allow_hyphen_values = true)]
    sprt: Option<[f64; 2]>,
    /// Write the openings there that do not decide, in "pos" notation: those from which no color
    /// wins all four games of two pairs, at nodes that differ by a tenth
    #[arg(long, value_name = "FILE", conflicts_with_all = ["sprt", "against_nodes"])]
    undecided: Option<PathBuf>,
}

pub fn run(options: &Options) -> anyhow::Result<()> {
    let &Options { rule, size, nodes, seed, .. } = options;
    let setting = Setting { rule, size, nodes };
    setting.check()?;
    let networks = [network(options.network.as_deref())?, network(options.against.as_deref())?];
    let params = [params(rule, &options.set)?, params(rule, &options.against_set)?];
    let mut list: Vec<Vec<Coord>> = Vec::new();
    let mut pairs = options.pairs;
    if let Some(path) = &options.openings {
        let moves = |record: Record| record.moves().iter().map(|stone| stone.c).collect();
        list = openings(path, rule, size)?.into_iter().map(moves).collect();
        Random::new(seed).shuffle(&mut list);
        pairs = pairs.min(list.len() as u64);
    }
    let is_judging = options.undecided.is_some();
    let both_nodes = [nodes, options.against_nodes.unwrap_or(nodes)];
    let worker = || {
        let mut player = PairPlayer::new(setting);
        player.set_networks(networks.clone());
        player.set_params(params.clone());
        player.set_nodes(both_nodes);
        let list = &list;
        move |number: u64| {
            let opening = match list.get(number as usize) {
                Some(opening) => opening.clone(),
                None => player.opening(mixed(seed) ^ number),
            };
            if !is_judging {
                return (opening.clone(), player.play(&opening), false);
            }
            let [first, second] = JUDGING_PERCENT.map(|percent| {
                player.set_nodes([nodes, nodes * percent / 100]);
                player.play(&opening)
            });
            // The first side has black in the first game of a pair and white in the second.
            let is_decided = first == second && matches!(first, [0, 2] | [2, 0]);
            (opening, first, is_decided)
        }
    };
    let sprt = options.sprt.map(|elos| Sprt { elos, errors: [0.05; 2] });
    let (mut score, mut undecided) = (Score::default(), String::new());
    let mut noted = Instant::now();
    let take = |(opening, half_points, is_decided): (Vec<Coord>, [usize; 2], bool)| {
        half_points.iter().for_each(|&half_points| score.add_half_points(half_points));
        if !is_decided {
            undecided += &opening.iter().map(Coord::to_string).collect::<String>();
            undecided.push('\n');
        }
        if noted.elapsed() >= NOTE_INTERVAL {
            noted = Instant::now();
            note(format_args!("{score}"));
        }
        sprt.is_none_or(|sprt| score.decision(&sprt).is_none())
    };
    in_order(0..pairs, crate::threads(options.threads), STACK_BYTES, worker, take)?;
    if let Some(path) = &options.undecided {
        let kept = undecided.lines().count();
        crate::write_file(path, undecided.as_bytes())?;
        writeln!(io::stdout(), "{kept} of {pairs} openings do not decide")?;
        return Ok(());
    }
    let mut out = io::stdout().lock();
    let [first, second] = both_nodes;
    writeln!(out, "{}, {size}, {first} nodes a move to {second}\n{score}", rule.name())?;
    if let Some(sprt) = &sprt {
        writeln!(out, "{}", score.verdict(sprt))?;
    }
    Ok(())
}

/// Reads a network, if there is a file.
fn network(path: Option<&Path>) -> anyhow::Result<Option<Arc<Network>>> {
    let Some(path) = path else { return Ok(None) };
    let read = || Weights::read(&fs::read(path)?);
    let weights = read().with_context(|| format!("reading {}", path.display()))?;
    Ok(Some(Arc::new(Network::new(&weights))))
}

fn params(rule: Rule, changes: &[String]) -> anyhow::Result<Params> {
    let mut params = Params::of(rule);
    for change in changes {
        let (name, value) = change.split_once('=').context("NAME=VALUE expected")?;
        params.set(name, value.parse().with_context(|| format!("the value of {name}"))?)?;
    }
    Ok(params)
}
