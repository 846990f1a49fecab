//! Playing strength: a number from 0 to 100, and what it means in nodes and overlooked moves.
//!
//! A weak player reads less deep and overlooks some moves of the root. He judges the other moves as
//! well as his few nodes allow, so that his play stays natural. The moves that he overlooks follow
//! from the position, so that a search can be repeated. Knows nothing of how a search works.

use crate::board::zobrist::Key;
use crate::types::Coord;
use crate::types::random::mixed;

/// A playing strength from 0, a beginner, to 100, all that the other limits allow.
///
/// ```
/// use tengen::search::Strength;
///
/// let weak = Strength::new(10).expect("a number up to 100");
/// assert!(weak < Strength::FULL && weak.nodes() < 200);
/// assert_eq!((Strength::nearest(500), Strength::new(101)), (Strength::FULL, None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Strength(u8);

/// The nodes of strength 0, and the steps of strength in which they double.
const NODES_BASE: u64 = 100;
const NODES_DOUBLING: u32 = 12;
/// Moves of 1024 that strength 0 overlooks. The share falls with the square of the missing strength:
/// a strong player overlooks next to nothing.
const OVERSIGHT: u64 = 768;

impl Strength {
    /// Full strength: no move is overlooked, and the strength sets no limit.
    pub const FULL: Strength = Strength(100);

    /// Returns the strength of this number, if it is not above 100.
    pub const fn new(number: u8) -> Option<Strength> {
        if number <= Strength::FULL.0 { Some(Strength(number)) } else { None }
    }

    /// Returns the strength nearest to this number.
    pub fn nearest(number: u64) -> Strength {
        Strength(number.min(u64::from(Strength::FULL.0)) as u8)
    }

    /// Returns the number.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Returns true if nothing is held back.
    pub const fn is_full(self) -> bool {
        self.0 == Strength::FULL.0
    }

    /// Returns the node limit of a move; `u64::MAX` at full strength.
    pub fn nodes(self) -> u64 {
        if self.is_full() {
            return u64::MAX;
        }
        let (doublings, rest) =
            (u32::from(self.0) / NODES_DOUBLING, u32::from(self.0) % NODES_DOUBLING);
        (NODES_BASE + NODES_BASE * u64::from(rest) / u64::from(NODES_DOUBLING)) << doublings
    }

    /// Returns true unless a player of this strength overlooks `mv` in the position of this key. A
    /// move that one strength notices is noticed by every higher one.
    pub fn notices(self, position: Key, mv: Coord) -> bool {
        mixed(position.bits() ^ mv.index() as u64) % 1024 >= self.oversight()
    }

    /// Returns the number of moves of 1024 that are overlooked.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{BoardSize, Rule};

    fn all() -> impl Iterator<Item = Strength> {
        (0..=100).map(|number| Strength::new(number).unwrap())
    }

    #[test]
    fn the_numbers_end_at_full_strength() {
        assert_eq!(Strength::new(100), Some(Strength::FULL));
        assert_eq!((Strength::new(101), Strength::default()), (None, Strength::FULL));
        assert_eq!((Strength::FULL.nodes(), Strength::FULL.oversight()), (u64::MAX, 0));
    }

    #[test]
    fn the_stronger_reads_more_and_overlooks_less() {
        let strengths: Vec<Strength> = all().collect();
        assert!(strengths.is_sorted_by(|a, b| a.nodes() < b.nodes()));
        assert!(strengths.is_sorted_by(|a, b| a.oversight() >= b.oversight()));
        let size = BoardSize::new(15, 15).unwrap();
        let key = Key::new(size, Rule::Freestyle);
        for mv in size.cells() {
            assert!(strengths.is_sorted_by_key(|strength| strength.notices(key, mv)), "{mv}");
        }
    }

    #[test]
    fn the_share_that_is_overlooked_is_the_one_meant() {
        let size = BoardSize::new(22, 22).unwrap();
        let keys = Rule::ALL.map(|rule| Key::new(size, rule));
        for strength in all() {
            let pairs = keys.iter().flat_map(|&key| size.cells().map(move |mv| (key, mv)));
            let overlooked = pairs.filter(|&(key, mv)| !strength.notices(key, mv)).count() as u64;
            let meant = strength.oversight() * (keys.len() * size.area()) as u64 / 1024;
            assert!(overlooked.abs_diff(meant) < 120, "{strength:?}: {overlooked}, {meant} meant");
        }
    }
}
