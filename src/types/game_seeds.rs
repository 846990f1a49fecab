//! The seeds by which games differ.

use super::random::{Random, entropy};

/// The seeds of games, by which they differ from each other.
#[derive(Clone, Debug)]
pub struct GameSeeds {
    random: Random,
    current: u64,
}

impl GameSeeds {
    /// Returns the seeds that follow from this one.
    pub fn new(seed: u64) -> GameSeeds {
        let mut random = Random::new(seed);
        let current = random.number();
        GameSeeds { random, current }
    }

    /// Goes on to the next game.
    pub fn start_game(&mut self) {
        self.current = self.random.number();
    }

    /// Returns the seed of this game.
    pub fn current(&self) -> u64 {
        self.current
    }
}

impl Default for GameSeeds {
    /// Returns seeds that no other process has.
    fn default() -> GameSeeds {
        GameSeeds::new(entropy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_differ_unless_a_seed_is_given() {
        let games = |mut seeds: GameSeeds| {
            [(); 4].map(|()| {
                seeds.start_game();
                seeds.current()
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
