//! How a game ends.

use std::fmt;

use tengen_gomoku::record::{Ending, Outcome};
use tengen_gomoku::types::{Color, Coord};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameEnd {
    /// By the stones, with the move of this number.
    Stones(Ending, usize),
    Resigned(Color),
    TimeUp(Color),
}

impl GameEnd {
    pub fn outcome(&self) -> Outcome {
        match self {
            GameEnd::Stones(ending, _) => ending.outcome(),
            GameEnd::Resigned(loser) | GameEnd::TimeUp(loser) => Outcome::Won(!*loser),
        }
    }

    pub(crate) fn cause(&self) -> &'static str {
        match self {
            GameEnd::Stones(Ending::Five(..), _) => "five",
            GameEnd::Stones(Ending::Foul(_), _) => "foul",
            GameEnd::Stones(Ending::Full, _) => "full",
            GameEnd::Stones(Ending::NoMove, _) => "no_move",
            GameEnd::Resigned(_) => "resigned",
            GameEnd::TimeUp(_) => "time",
        }
    }

    pub fn five(&self) -> Vec<Coord> {
        match self {
            GameEnd::Stones(Ending::Five(_, cells), _) => cells.into_iter().collect(),
            _ => Vec::new(),
        }
    }
}

impl fmt::Display for GameEnd {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let winner = match self.outcome() {
            Outcome::Won(Color::Black) => "Black wins",
            Outcome::Won(Color::White) => "White wins",
            Outcome::Drawn => "Draw",
        };
        f.write_str(winner)?;
        match self {
            GameEnd::Stones(Ending::Five(..), _) => f.write_str(" by five"),
            GameEnd::Stones(Ending::Foul(c), _) => write!(f, ": {c} is forbidden for black"),
            GameEnd::Stones(Ending::Full, _) => f.write_str(": the board is full"),
            GameEnd::Stones(Ending::NoMove, _) => f.write_str(": black has no legal move"),
            GameEnd::Resigned(loser) => write!(f, ": {loser} has resigned"),
            GameEnd::TimeUp(_) => f.write_str(" on time"),
        }
    }
}
