//! Seeds of games.

use super::random::{Random, entropy};

/// Seeds by which games differ.
#[derive(Clone, Debug)]
pub struct GameSeeds {
    random: Random,
    current: u64,
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
