//! Pairs of games inside this process: two sides with weights, parameters or nodes of their own play
//! an opening twice, each with either color.

use std::sync::Arc;

use anyhow::ensure;
use tengen::eval::network::Network;
use tengen::opening::generator::{Generator, Plan};
use tengen::search::control::Control;
use tengen::search::{Limits, Params, Searcher};
use tengen_gomoku::board::Board;
use tengen_gomoku::record::Outcome;
use tengen_gomoku::types::random::mixed;
use tengen_gomoku::types::{BoardSize, Color, Coord, Rule};

use crate::matches::statistics::half_points;

const TABLE_BYTES: usize = 16 << 20;
/// A win by threats within so many plies ends a game: a five or an open four.
const DECIDED_PLIES: i32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    pub rule: Rule,
    pub size: BoardSize,
    /// Nodes of a search.
    pub nodes: u64,
}

impl Setting {
    pub fn check(self) -> anyhow::Result<()> {
        ensure!(self.nodes > 0, "a search has one node at least");
        Generator::new(&self.plan(), TABLE_BYTES).opening(0)?;
        Ok(())
    }

    fn plan(self) -> Plan {
        let Setting { rule, size, .. } = self;
        Plan { size, rule, stones: 3..=6, nodes: 5_000, window: 60 }
    }
}

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
            searcher.set_params(params);
        }
    }

    /// Sets the networks of the sides; `None` stands for the network of the rule.
    pub fn set_networks(&mut self, networks: [Option<Arc<Network>>; 2]) {
        for (searcher, network) in self.searchers.iter_mut().zip(networks) {
            searcher.set_network(network.unwrap_or_else(|| Network::of(self.setting.rule)));
        }
    }

    pub fn set_nodes(&mut self, nodes: [u64; 2]) {
        self.nodes = nodes;
    }

    /// Returns the opening of a seed, or of one made from it where that has none.
    pub fn opening(&self, seed: u64) -> Vec<Coord> {
        let plan = self.setting.plan();
        let mut generator = Generator::new(&plan, TABLE_BYTES);
        let mut seed = seed;
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

    fn game(&mut self, opening: &[Coord], first: Color) -> Outcome {
        let mut board = Board::new(self.setting.size, self.setting.rule);
        opening.iter().for_each(|&mv| board.play(mv));
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
        let mut bad = good.clone();
        // Takes the evaluation's word nearly everywhere, and looks for no wins by fours at leaves.
        for (name, value) in [
            ("razoring_max_depth", 6 * 1024),
            ("razoring_base", 0),
            ("razoring_margin", 0),
            ("reverse_futility_margin", 10),
            ("reduction_factor", 2_000),
            ("order_reduction", 50),
            ("trivial_max_depth", 10 * 1024),
            ("not_improving_moves_factor", 256),
            ("improving_moves_factor", 256),
            ("reduction_min_depth", 1024),
            ("singular_min_depth", 16 * 1024),
            ("leaf_vcf_nodes", 0),
        ] {
            bad.set(name, value).unwrap();
        }
        let mut player = PairPlayer::new(setting(Rule::Freestyle, 15, 3_000));
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
