//! The opening rule swap2: who acts, and who gets which color.
//!
//! Player 0 places three stones: black, white, black. Player 1 takes black, or white and moves, or
//! places a white and a black stone; then player 0 takes black, or white and moves.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Player 0 places three stones.
    PlaceThree,
    ChooseOfThree,
    PlaceTwo,
    ChooseOfFive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// The other player moves next.
    Black,
    /// With the next move.
    White,
    /// Two more stones; then the other player chooses.
    PutTwo,
}

impl Choice {
    /// Returns the choice that an engine makes by an answer of so many points, none for `SWAP`.
    pub fn of(points: usize) -> Option<Choice> {
        [Choice::Black, Choice::White, Choice::PutTwo].get(points).copied()
    }
}

impl Stage {
    pub fn player(self) -> usize {
        match self {
            Stage::PlaceThree | Stage::ChooseOfFive => 0,
            Stage::ChooseOfThree | Stage::PlaceTwo => 1,
        }
    }

    pub fn is_placing(self) -> bool {
        matches!(self, Stage::PlaceThree | Stage::PlaceTwo)
    }

    /// Goes on if all stones of the step are placed.
    pub fn count_stones(&mut self, stones: usize) {
        *self = match (*self, stones) {
            (Stage::PlaceThree, 3) => Stage::ChooseOfThree,
            (Stage::PlaceTwo, 5) => Stage::ChooseOfFive,
            (stage, _) => stage,
        };
    }

    /// Makes a choice, and returns the player with black if that ends the opening; `None` if this
    /// is not to be chosen now.
    pub fn choose(&mut self, choice: Choice) -> Option<Option<usize>> {
        if self.is_placing() {
            return None;
        }
        let chooser = self.player();
        match choice {
            Choice::Black => Some(Some(chooser)),
            Choice::White => Some(Some(1 - chooser)),
            Choice::PutTwo if *self == Stage::ChooseOfThree => {
                *self = Stage::PlaceTwo;
                Some(None)
            }
            Choice::PutTwo => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(stones: &[usize]) -> Stage {
        let mut swap2 = Stage::PlaceThree;
        stones.iter().for_each(|&stones| swap2.count_stones(stones));
        swap2
    }

    #[test]
    fn the_second_player_chooses_after_three_stones() {
        assert!(after(&[1, 2]).is_placing());
        let mut swap2 = after(&[1, 2, 3]);
        assert_eq!((swap2, swap2.player()), (Stage::ChooseOfThree, 1));
        assert_eq!(swap2.choose(Choice::Black), Some(Some(1)));
        assert_eq!(swap2.choose(Choice::White), Some(Some(0)));
    }

    #[test]
    fn the_first_player_chooses_after_five() {
        let mut swap2 = after(&[3]);
        assert_eq!(swap2.choose(Choice::PutTwo), Some(None));
        assert_eq!((swap2.player(), swap2.choose(Choice::Black)), (1, None));
        swap2.count_stones(4);
        assert!(swap2.is_placing());
        swap2.count_stones(5);
        assert_eq!((swap2.player(), swap2.choose(Choice::PutTwo)), (0, None));
        assert_eq!(swap2.choose(Choice::Black), Some(Some(0)));
        assert_eq!(swap2.choose(Choice::White), Some(Some(1)));
    }
}
