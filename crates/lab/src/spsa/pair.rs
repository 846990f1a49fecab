//! Pairs of games between two sets of parameters: one balanced opening, each set with either
//! color.

use anyhow::ensure;
use tengen::board::Board;
use tengen::opening::generator::{Generator, Plan};
use tengen::search::control::Control;
use tengen::search::{Limits, Params, Searcher};
use tengen::types::random::mixed;
use tengen::types::{BoardSize, Color, Coord, Rule};

/// Memory of each searcher's tables, and of the search for openings.
const TABLE_BYTES: usize = 16 << 20;
/// A win by threats within so many plies ends a game: a five or an open four.
const DECIDED_PLIES: i32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    pub rule: Rule,
    pub size: BoardSize,
    pub nodes: u64,
}

impl Setting {
    /// Makes sure that games can be played.
    pub fn check(self) -> anyhow::Result<()> {
        ensure!(self.nodes > 0, "a search has one node at least");
        let plan = self.plan();
        Generator::new(&plan, TABLE_BYTES).opening(0)?;
        Ok(())
    }

    /// Returns what the openings are like.
    fn plan(self) -> Plan {
        let Setting { rule, size, .. } = self;
        Plan { size, rule, stones: 3..=6, nodes: 5_000, window: 60 }
    }
}

pub struct PairPlayer {
    setting: Setting,
    searchers: [Searcher; 2],
}

impl PairPlayer {
    pub fn new(setting: Setting) -> PairPlayer {
        PairPlayer { setting, searchers: [(); 2].map(|()| Searcher::new(TABLE_BYTES)) }
    }

    /// Plays two games from the opening of a seed. Returns the points of the first set less those
    /// of the second, a win being one: -2 to 2.
    pub fn play(&mut self, params: [Params; 2], seed: u64) -> i32 {
        let opening = self.opening(seed);
        for (searcher, params) in self.searchers.iter_mut().zip(params) {
            searcher.set_params(params);
        }
        Color::ALL.map(|first| self.game(&opening, first)).iter().sum()
    }

    /// Returns the opening of a seed, or of one made from it where that has none.
    fn opening(&self, seed: u64) -> Vec<Coord> {
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

    /// Plays a game in which the first set has this color and returns its points.
    fn game(&mut self, opening: &[Coord], first: Color) -> i32 {
        let mut board = Board::new(self.setting.size, self.setting.rule);
        opening.iter().for_each(|&mv| board.play(mv));
        self.searchers.iter_mut().for_each(Searcher::clear);
        let limits = Limits { nodes: self.setting.nodes, ..Limits::default() };
        let winner = loop {
            let us = board.side_to_move();
            if board.win_by_threats().is_some_and(|plies| plies <= DECIDED_PLIES) {
                break us;
            }
            if board.empty_count() == 0 {
                return 0;
            }
            let control = Control::untimed();
            let searcher = &mut self.searchers[usize::from(us != first)];
            let mv = searcher.search(&board, &limits, &control, &mut |_| ()).best;
            // Where every move is forbidden, black has to make one.
            if !board.is_legal(mv, us) {
                break !us;
            }
            board.play(mv);
        };
        if winner == first { 1 } else { -1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(rule: Rule, size: u8, nodes: u64) -> Setting {
        Setting { rule, size: BoardSize::new(size, size).unwrap(), nodes }
    }

    #[test]
    fn equal_sets_share_the_points_and_pairs_repeat() {
        let setting = setting(Rule::Freestyle, 15, 400);
        setting.check().unwrap();
        let params = || [(); 2].map(|()| Params::of(Rule::Freestyle));
        let mut player = PairPlayer::new(setting);
        for seed in 0..3 {
            // The two games are one and the same but for the seats.
            assert_eq!(player.play(params(), seed), 0);
        }
    }

    #[test]
    fn the_better_set_wins() {
        let good = Params::of(Rule::Freestyle);
        let mut bad = good.clone();
        // Takes the evaluation's word nearly everywhere, and looks for no wins by fours.
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
            ("cut_reduction", 4 * 1024),
            ("singular_min_depth", 16 * 1024),
            ("defence_vcf_nodes", 0),
            ("root_vcf_nodes", 0),
            ("leaf_vcf_nodes", 0),
            ("threat_share", 0),
        ] {
            bad.set(name, value).unwrap();
        }
        let mut player = PairPlayer::new(setting(Rule::Freestyle, 15, 3_000));
        let mut sums = [0, 0];
        for seed in 0..8 {
            sums[0] += player.play([good.clone(), bad.clone()], seed);
            sums[1] += player.play([bad.clone(), good.clone()], seed);
        }
        assert!(sums[0] > 0 && sums[1] == -sums[0], "{sums:?}");
    }

    #[test]
    fn a_setting_without_openings_is_refused() {
        assert!(setting(Rule::Freestyle, 15, 0).check().is_err());
    }
}
