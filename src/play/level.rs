//! How strong the program plays against a person: a number from 0 to 100.
//!
//! The one place where a level becomes limits of a search.

use crate::search::Limits;

/// A playing strength; 100 is the full strength of the time that a move may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level(u8);

/// The nodes of level 0, which double every so many levels.
const NODES_BASE: u64 = 20;
const LEVELS_A_DOUBLING: u8 = 6;
/// So many levels are one ply of depth.
const LEVELS_A_PLY: u8 = 8;

impl Level {
    /// Full strength.
    pub const FULL: Level = Level(100);

    /// Returns the level of this number, if it is not above 100.
    pub const fn new(number: u8) -> Option<Level> {
        if number <= Level::FULL.0 { Some(Level(number)) } else { None }
    }

    /// Returns the number.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Returns the limits of a search at this level.
    pub fn limits(self) -> Limits {
        if self == Level::FULL {
            return Limits::default();
        }
        let (doublings, rest) = (self.0 / LEVELS_A_DOUBLING, self.0 % LEVELS_A_DOUBLING);
        let nodes = NODES_BASE + NODES_BASE * u64::from(rest) / u64::from(LEVELS_A_DOUBLING);
        let depth = 1 + i32::from(self.0 / LEVELS_A_PLY);
        Limits { depth, nodes: nodes << doublings, ..Limits::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_grow_up_to_no_limit() {
        let limits: Vec<Limits> = (0..=100).map(|n| Level::new(n).unwrap().limits()).collect();
        assert!(limits.is_sorted_by(|a, b| a.nodes < b.nodes && a.depth <= b.depth));
        assert_eq!((limits[0].nodes, limits[0].depth), (NODES_BASE, 1));
        assert_eq!(limits[100], Limits::default());
        assert_eq!(Level::new(101), None);
    }
}
