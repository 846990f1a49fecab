//! Matches inside this process at fixed nodes: networks and parameters against each other.
//!
//! An hour of two cores gives thousands of games, enough to tell 10 Elo. Nothing depends on the
//! clock or on the number of threads. Such games also sort a list of openings.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::{Args, value_parser};
use serde::{Deserialize, Serialize};
use tengen::closed_output::note;
use tengen::eval::network::{Network, Weights};
use tengen::opening::generator::{Generator, Plan};
use tengen::parallel::{self, in_order};
use tengen::search::control::Control;
use tengen::search::{Limits, Override, Params, STACK_BYTES, Searcher};
use tengen_gomoku::atomic_file::check_writable;
use tengen_gomoku::board::Board;
use tengen_gomoku::record::Outcome;
use tengen_gomoku::types::random::mixed;
use tengen_gomoku::types::{BoardSize, Color, Coord, Random, Rule};

use crate::matches::statistics::{MatchScore, Sprt, half_points};
use crate::matches::{hypotheses, openings};

const NOTE_INTERVAL: Duration = Duration::from_secs(60);
const TABLE_BYTES: usize = 16 << 20;
/// A win by threats within so many plies ends a game: a five or an open four.
const DECIDED_PLIES: i32 = 3;

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
    set: Vec<Override>,
    /// A parameter of the second side
    #[arg(long, value_name = "NAME=VALUE")]
    against_set: Vec<Override>,
    #[command(flatten)]
    setting: Setting,
    /// Nodes of the second side's searches, if different
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u64).range(1..))]
    against_nodes: Option<u64>,
    /// Pairs of games, at most
    #[arg(long, value_name = "NUMBER", default_value = "2000",
        value_parser = value_parser!(u64).range(1..))]
    pairs: u64,
    /// A file of openings, one for each pair of games [default: generated ones]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Random seed of the openings or of their order
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    seed: u64,
    /// Pairs at a time [default: all cores]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// End when a sequential test of pairs has decided between these differences in Elo
    #[arg(long, value_name = "ELO0,ELO1", value_parser = hypotheses, allow_hyphen_values = true)]
    sprt: Option<[f64; 2]>,
    /// Instead of a match, write to FILE the openings that do not decide, in "pos" notation: from
    /// the others, one color wins all four games of two pairs, at nodes that differ by a tenth
    #[arg(long, value_name = "FILE", requires = "openings",
        conflicts_with_all = ["network", "against", "set", "against_set", "against_nodes", "pairs",
            "seed", "sprt"])]
    undecided: Option<PathBuf>,
}

#[derive(Args, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// freestyle, standard, renju, caro or caro-exact
    #[arg(long, default_value = "freestyle")]
    pub rule: Rule,
    /// Size of the board
    #[arg(long, default_value = "15")]
    pub size: BoardSize,
    /// Nodes of a search
    #[arg(long, value_name = "NUMBER", default_value = "20000",
        value_parser = value_parser!(u64).range(1..))]
    pub nodes: u64,
}

pub fn run(options: &Options) -> anyhow::Result<()> {
    let &Options { setting, seed, .. } = options;
    let Setting { rule, size, nodes } = setting;
    setting.check()?;
    if let (Some(path), Some(openings)) = (&options.undecided, &options.openings) {
        return write_undecided(setting, openings, path, parallel::threads(options.threads));
    }
    let networks =
        [network(rule, options.network.as_deref())?, network(rule, options.against.as_deref())?];
    let params = [&options.set, &options.against_set].map(|set| Params::with_overrides(rule, set));
    let mut pairs = options.pairs;
    let mut list = setting.openings(options.openings.as_deref())?;
    if !list.is_empty() {
        Random::new(seed).shuffle(&mut list);
        if pairs > list.len() as u64 {
            pairs = list.len() as u64;
            note(format_args!("at fixed nodes these openings make {pairs} pairs, not more"));
        }
    }
    let both_nodes = [nodes, options.against_nodes.unwrap_or(nodes)];
    let worker = || {
        let mut player = PairPlayer::new(setting);
        for (searcher, network) in player.searchers.iter_mut().zip(&networks) {
            searcher.network = Some(Arc::clone(network));
        }
        player.set_params(params.clone());
        player.nodes = both_nodes;
        let list = &list;
        move |number: u64| {
            let opening = match list.get(number as usize) {
                Some(opening) => opening.clone(),
                None => player.opening(mixed(seed) ^ number),
            };
            player.play(&opening)
        }
    };
    let mut score = MatchScore::new(options.sprt.map(Sprt));
    let mut noted = Instant::now();
    let take = |half_points: [usize; 2]| {
        half_points.into_iter().for_each(|half_points| score.add_half_points(half_points));
        if noted.elapsed() >= NOTE_INTERVAL {
            noted = Instant::now();
            note(&score);
        }
        anyhow::Ok(!score.is_decided())
    };
    in_order(0..pairs, parallel::threads(options.threads), STACK_BYTES, worker, take)?;
    let [first, second] = both_nodes;
    let mut out = io::stdout().lock();
    writeln!(out, "{}, {size}, {first} nodes a move to {second}", rule.name())?;
    let sides = [(&options.network, &options.set), (&options.against, &options.against_set)];
    for (name, (network, set)) in ["first", "second"].into_iter().zip(sides) {
        let network = network.iter().map(|path| path.display().to_string());
        let with: Vec<String> = network.chain(set.iter().map(Override::to_string)).collect();
        if !with.is_empty() {
            writeln!(out, "{name} with {}", with.join(", "))?;
        }
    }
    if let Some(path) = &options.openings {
        write!(out, "openings {}, ", path.display())?;
    }
    Ok(writeln!(out, "seed {seed}\n{score}")?)
}

/// Reads openings from a file and writes those that do not decide to another.
fn write_undecided(setting: Setting, from: &Path, to: &Path, threads: usize) -> anyhow::Result<()> {
    let list = setting.openings(Some(from))?;
    crate::check_new(to)?;
    check_writable(to).with_context(|| format!("writing {}", to.display()))?;
    let worker = || {
        let mut player = PairPlayer::new(setting);
        let list = &list;
        move |number: u64| (number, player.is_decided(&list[number as usize]))
    };
    let (mut text, mut kept) = (String::new(), 0);
    let mut noted = Instant::now();
    let take = |(number, is_decided): (u64, bool)| {
        if !is_decided {
            kept += 1;
            text += &list[number as usize].iter().map(Coord::to_string).collect::<String>();
            text.push('\n');
        }
        if noted.elapsed() >= NOTE_INTERVAL {
            noted = Instant::now();
            note(format_args!("{kept} of {} openings do not decide", number + 1));
        }
        anyhow::Ok(true)
    };
    in_order(0..list.len() as u64, threads, STACK_BYTES, worker, take)?;
    crate::write_file(to, text.as_bytes())?;
    Ok(writeln!(io::stdout(), "{kept} of {} openings do not decide", list.len())?)
}

fn network(rule: Rule, path: Option<&Path>) -> anyhow::Result<Arc<Network>> {
    let Some(path) = path else { return Ok(Network::of(rule)) };
    Ok(Arc::new(Network::new(&crate::read_file(path, Weights::read)?)))
}

impl Setting {
    pub fn check(self) -> anyhow::Result<()> {
        ensure!(self.nodes > 0, "a search has one node at least");
        Generator::new(&self.plan(), TABLE_BYTES).opening(0)?;
        Ok(())
    }

    /// Reads the openings of a file, each as its moves, without duplicates; none without a file. An
    /// opening in which the colors do not take turns is an error.
    pub fn openings(self, path: Option<&Path>) -> anyhow::Result<Vec<Vec<Coord>>> {
        let Some(path) = path else { return Ok(Vec::new()) };
        let trees = openings(path, self.rule, self.size)?;
        let moves = trees.iter().enumerate().map(|(i, tree)| {
            let stones = tree.record(tree.end()).alternating().with_context(|| {
                format!("{}: opening {}: the colors do not take turns", path.display(), i + 1)
            })?;
            Ok(stones.iter().map(|stone| stone.c).collect())
        });
        moves.collect()
    }

    fn plan(self) -> Plan {
        let Setting { rule, size, .. } = self;
        Plan { size, rule, stones: 3..=6, nodes: 5_000, window: 60 }
    }
}

/// Plays pairs of games inside this process: two sides with networks, parameters or nodes of their
/// own play an opening twice, each with either color.
pub struct PairPlayer {
    setting: Setting,
    searchers: [Searcher; 2],
    nodes: [u64; 2],
}

impl PairPlayer {
    pub fn new(setting: Setting) -> PairPlayer {
        let searchers = [(); 2].map(|()| Searcher::new(TABLE_BYTES));
        PairPlayer { setting, searchers, nodes: [setting.nodes; 2] }
    }

    pub fn set_params(&mut self, params: [Params; 2]) {
        for (searcher, params) in self.searchers.iter_mut().zip(params) {
            searcher.params = Some(params);
        }
    }

    /// Returns the opening of a seed, or of one made from it where that has none.
    pub fn opening(&self, mut seed: u64) -> Vec<Coord> {
        let plan = self.setting.plan();
        let mut generator = Generator::new(&plan, TABLE_BYTES);
        loop {
            match generator.opening(seed) {
                Ok(opening) => return opening,
                Err(_) => seed = mixed(seed.wrapping_add(1)),
            }
        }
    }

    /// Plays two games from an opening, in which the first side has black and then white. Returns
    /// its half points in each, from 0 to 2.
    pub fn play(&mut self, opening: &[Coord]) -> [usize; 2] {
        Color::ALL.map(|first| half_points(self.game(opening, first), first))
    }

    /// Returns whether one color wins all four games of two pairs from an opening. The second side
    /// has a tenth fewer nodes than the first in one pair, and a tenth more in the other.
    fn is_decided(&mut self, opening: &[Coord]) -> bool {
        let nodes = self.setting.nodes;
        let mut pair = |against_nodes| {
            self.nodes = [nodes, against_nodes];
            self.play(opening)
        };
        // With equal nodes the two games of a pair would be the same. [2, 0] is two wins of black,
        // whom the first side has in the first game, and [0, 2] two of white.
        let first = pair(nodes - nodes / 10);
        matches!(first, [0, 2] | [2, 0]) && pair(nodes.saturating_add(nodes / 10)) == first
    }

    fn game(&mut self, opening: &[Coord], first: Color) -> Outcome {
        let Setting { size, rule, .. } = self.setting;
        let mut board = Board::from_moves(size, rule, opening.iter().copied());
        self.searchers.iter_mut().for_each(Searcher::clear);
        loop {
            let us = board.side_to_move();
            if board.win_by_threats().is_some_and(|plies| plies <= DECIDED_PLIES) {
                return Outcome::Won(us);
            }
            if board.empty_count() == 0 {
                return Outcome::Drawn;
            }
            let side = usize::from(us != first);
            let limits = Limits { nodes: self.nodes[side], ..Limits::default() };
            let control = Control::untimed();
            let report = self.searchers[side].search(&board, &limits, &control, &mut |_| ());
            // Where every move is forbidden, black has to make one.
            if !board.is_legal(report.best, us) {
                return Outcome::Won(!us);
            }
            board.play(report.best);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(rule: Rule, size: u8, nodes: u64) -> Setting {
        Setting { rule, size: BoardSize::new(size, size).unwrap(), nodes }
    }

    fn points(player: &mut PairPlayer, seed: u64) -> usize {
        let opening = player.opening(seed);
        player.play(&opening).iter().sum()
    }

    #[test]
    fn equal_sides_share_the_points_and_pairs_repeat() {
        let setting = setting(Rule::Freestyle, 15, 400);
        setting.check().unwrap();
        let mut player = PairPlayer::new(setting);
        for seed in 0..3 {
            // The two games are one and the same but for the seats.
            assert_eq!(points(&mut player, seed), 2);
        }
    }

    #[test]
    fn the_better_parameters_win() {
        let good = Params::of(Rule::Freestyle);
        // Takes the evaluation's word nearly everywhere, and looks for no wins by fours at leaves.
        let overrides = [
            ("razoring_max_depth", 6 * 1024),
            ("razoring_base", 0),
            ("razoring_margin", 0),
            ("reverse_futility_margin", 10),
            ("reduction_factor", 2_000),
            ("order_reduction", 50),
            ("threatless_max_depth", 10 * 1024),
            ("not_improving_moves_factor", 256),
            ("improving_moves_factor", 256),
            ("reduction_min_depth", 1024),
            ("singular_min_depth", 16 * 1024),
            ("leaf_vcf_nodes", 0),
        ]
        .map(|(name, value)| Override::new(name, value).unwrap());
        let bad = Params::with_overrides(Rule::Freestyle, &overrides);
        let mut player = PairPlayer::new(setting(Rule::Freestyle, 15, 2_000));
        let mut sums = [0, 0];
        for seed in 0..8 {
            player.set_params([good.clone(), bad.clone()]);
            sums[0] += points(&mut player, seed);
            player.set_params([bad.clone(), good.clone()]);
            sums[1] += points(&mut player, seed);
        }
        assert!(sums[0] > 16 && sums[0] + sums[1] == 32, "{sums:?}");
    }

    #[test]
    fn a_setting_without_openings_is_refused() {
        assert!(setting(Rule::Freestyle, 15, 0).check().is_err());
    }
}
