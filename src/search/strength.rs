//! Playing strength: a number from 0 to 100, and its effect on nodes and overlooked root moves.
//!
//! Overlooked moves, the node limit and a little evaluation noise depend on the position and the
//! seed of the game: a search can be repeated, and the next game differs.

use tengen_gomoku::board::Board;
use tengen_gomoku::board::zobrist::Key;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::random::{entropy, mixed};
use tengen_gomoku::types::{Color, Coord, CoordSet, Random};

/// A playing strength from 0, a beginner, to 100, full strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Strength(u8);

/// Returns the seed of all random choices in one position of one game.
pub fn position_seed(game_seed: u64, position: Key) -> u64 {
    position ^ mixed(game_seed)
}

/// Evaluation noise: a random error of the evaluation, fixed for a position and a game; 0 without a
/// [seed](Strength::noise_seed). It costs next to no strength, but varies the choice among equally
/// good moves from game to game.
#[inline]
pub fn eval_noise(seed: Option<u64>, position: Key) -> i32 {
    let error = |seed| (mixed(position ^ seed) % (2 * NOISE_RANGE + 1)) as i32;
    seed.map_or(0, |seed| error(seed) - NOISE_RANGE as i32)
}

/// The largest error: about one percent of the win rate.
const NOISE_RANGE: u64 = 8;

/// Nodes of strength 0, and the steps of strength in which they double.
const NODES_BASE: u64 = 100;
const NODES_DOUBLING: u32 = 12;
/// The node limit of a move is random: it differs from the mean by at most the mean / this.
const NODES_SPREAD_DIV: u64 = 4;
/// Moves of 1024 that strength 0 overlooks. The share falls with the square of the missing
/// strength, so that strong players overlook next to nothing.
const OVERSIGHT: u64 = 768;

impl Strength {
    pub const FULL: Strength = Strength(100);

    pub const fn new(number: u8) -> Option<Strength> {
        if number <= Strength::FULL.0 { Some(Strength(number)) } else { None }
    }

    pub fn nearest(number: u64) -> Strength {
        Strength(number.min(u64::from(Strength::FULL.0)) as u8)
    }

    pub const fn number(self) -> u8 {
        self.0
    }

    pub const fn is_full(self) -> bool {
        self.0 == Strength::FULL.0
    }

    pub fn nodes(self, seed: u64) -> u64 {
        if self.is_full() {
            return u64::MAX;
        }
        let (mean, spread) = (self.mean_nodes(), self.mean_nodes() / NODES_SPREAD_DIV);
        mean - spread + mixed(seed) % (2 * spread + 1)
    }

    fn mean_nodes(self) -> u64 {
        let (doublings, rest) =
            (u32::from(self.0) / NODES_DOUBLING, u32::from(self.0) % NODES_DOUBLING);
        (NODES_BASE + NODES_BASE * u64::from(rest) / u64::from(NODES_DOUBLING)) << doublings
    }

    /// Returns true unless a player of this strength overlooks `mv`. A stronger player notices
    /// every move that a weaker one notices.
    fn notices(self, seed: u64, mv: Coord) -> bool {
        mixed(seed ^ mv.index() as u64) % 1024 >= self.oversight()
    }

    /// Returns `others` and the overlooked root moves. Nothing is overlooked if either side can
    /// make a five, and never all moves.
    pub fn excluded(self, seed: u64, board: &Board, others: CoordSet) -> CoordSet {
        let has_five = Color::ALL.iter().any(|&color| board.count(color, Threat::Five) > 0);
        if self.is_full() || has_five {
            return others;
        }
        let is_overlooked = |mv: &Coord| !self.notices(seed, *mv);
        let overlooked: CoordSet = board.empty_cells().into_iter().filter(is_overlooked).collect();
        let all = overlooked | others;
        if board.candidates().without(&all).is_empty() { others } else { all }
    }

    /// Returns none at full strength, so that the tables stay valid in the next game.
    pub fn noise_seed(self, seed: u64) -> Option<u64> {
        // Differs from the seed of `position_seed`, so that the two are independent.
        (!self.is_full()).then(|| mixed(seed.wrapping_add(1)))
    }

    fn oversight(self) -> u64 {
        let missing = u64::from(Strength::FULL.0 - self.0);
        OVERSIGHT * missing * missing / 10_000
    }
}

impl Default for Strength {
    fn default() -> Strength {
        Strength::FULL
    }
}

#[derive(Clone, Debug)]
pub struct GameSeeds {
    random: Random,
    pub current: u64,
}

impl GameSeeds {
    pub fn new(seed: u64) -> GameSeeds {
        let mut random = Random::new(seed);
        let current = random.number();
        GameSeeds { random, current }
    }

    pub fn start_game(&mut self) {
        self.current = self.random.number();
    }
}

impl Default for GameSeeds {
    fn default() -> GameSeeds {
        GameSeeds::new(entropy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::board::zobrist::{cell_key, empty_key};
    use tengen_gomoku::types::{BoardSize, Cell, Rule};

    fn all() -> impl Iterator<Item = Strength> {
        (0..=100).map(|number| Strength::new(number).unwrap())
    }

    #[test]
    fn the_numbers_end_at_full_strength() {
        assert_eq!(Strength::new(100), Some(Strength::FULL));
        assert_eq!((Strength::new(101), Strength::default()), (None, Strength::FULL));
        assert_eq!([10, 500].map(Strength::nearest), [Strength(10), Strength::FULL]);
        let key = empty_key(BoardSize::new(15, 15).unwrap(), Rule::Freestyle);
        assert_eq!(Strength::FULL.nodes(position_seed(0, key)), u64::MAX);
        assert_eq!(Strength::FULL.oversight(), 0);
    }

    #[test]
    fn the_stronger_reads_more_and_overlooks_less() {
        let strengths: Vec<Strength> = all().collect();
        let weak = &strengths[..100];
        assert!(weak.is_sorted_by(|a, b| a.mean_nodes() < b.mean_nodes()));
        assert!(strengths.is_sorted_by(|a, b| a.oversight() >= b.oversight()));
        let size = BoardSize::new(15, 15).unwrap();
        let key = empty_key(size, Rule::Freestyle);
        let seed = position_seed(1, key);
        for mv in size.cells() {
            assert!(strengths.is_sorted_by_key(|strength| strength.notices(seed, mv)), "{mv}");
        }
    }

    #[test]
    fn nodes_spread_around_those_of_the_strength() {
        let key = empty_key(BoardSize::new(15, 15).unwrap(), Rule::Freestyle);
        for strength in all().take(100) {
            let nodes = (0..1_000).map(|seed| strength.nodes(position_seed(seed, key)));
            let (least, most) = (nodes.clone().min().unwrap(), nodes.clone().max().unwrap());
            let (mean, meant) = (nodes.sum::<u64>() / 1_000, strength.mean_nodes());
            assert!(mean.abs_diff(meant) <= meant / 40, "{strength:?}: {mean}, {meant} meant");
            assert!(least >= meant * 3 / 4 && most <= meant * 5 / 4, "{least} to {most}, {meant}");
            assert!(most - least > meant / 3, "{least} to {most}");
        }
    }

    #[test]
    fn noise_is_small_and_even() {
        let size = BoardSize::new(15, 15).unwrap();
        let key_of = |c| {
            let mut key = empty_key(size, Rule::Renju);
            key ^= cell_key(c, Cell::Black);
            key
        };
        let keys: Vec<Key> = size.cells().map(key_of).collect();
        let noise = |key| eval_noise(Strength(99).noise_seed(3), key);
        let errors: Vec<i32> = keys.iter().map(|&key| noise(key)).collect();
        let range = NOISE_RANGE as i32;
        assert!((-range..=range).all(|error| errors.contains(&error)), "{errors:?}");
        assert!(errors.iter().all(|error| error.abs() <= range));
        assert!(errors.iter().sum::<i32>().abs() < 225, "{errors:?}");
        let other = |key| eval_noise(Strength(99).noise_seed(4), key);
        assert!(keys.iter().filter(|&&key| other(key) == noise(key)).count() < 40);
        assert!(keys.iter().all(|&key| eval_noise(Strength::FULL.noise_seed(3), key) == 0));
    }

    #[test]
    fn the_share_that_is_overlooked_is_the_one_meant() {
        let size = BoardSize::new(22, 22).unwrap();
        let key = empty_key(size, Rule::Freestyle);
        let seeds = [1, 2, 3, 4, 5].map(|seed| position_seed(seed, key));
        for strength in all() {
            let pairs = seeds.iter().flat_map(|&seed| size.cells().map(move |mv| (seed, mv)));
            let overlooked = pairs.filter(|&(at, mv)| !strength.notices(at, mv)).count() as u64;
            let meant = strength.oversight() * (seeds.len() * size.area()) as u64 / 1024;
            assert!(overlooked.abs_diff(meant) < 120, "{strength:?}: {overlooked}, {meant} meant");
        }
    }

    #[test]
    fn games_differ_unless_a_seed_is_given() {
        let games = |mut seeds: GameSeeds| {
            [(); 4].map(|()| {
                seeds.start_game();
                seeds.current
            })
        };
        assert_eq!(games(GameSeeds::new(7)), games(GameSeeds::new(7)));
        let mut all: Vec<u64> = [GameSeeds::new(7), GameSeeds::new(8), GameSeeds::default()]
            .into_iter()
            .chain([GameSeeds::default()])
            .flat_map(games)
            .collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 16);
    }
}
