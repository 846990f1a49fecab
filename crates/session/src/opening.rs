//! Opening rules: what there is to do, who does it, and who gets which color.
//!
//! - Swap2: player 0 places three stones: black, white, black. Player 1 takes black, or white and
//!   moves, or places a white and a black stone; then player 0 takes black, or white and moves.
//! - Soosorv-8: player 0 places three stones, within 1, 3 and 5 points around the middle, and player
//!   1 chooses a color. White places the fourth stone and says how many fifth moves are to be offered.
//!   Black chooses a color; then black offers them, no two symmetric, and white takes one.
//! - Taraguchi-10: five stones lie within 1, 3, 5, 7 and 9 points around the middle, and after each
//!   one the other player chooses a color. In place of the fifth stone black may offer ten.

use serde::{Deserialize, Serialize};
use tengen_gomoku::record::Stone;
use tengen_gomoku::types::{Color, Coord, Rule};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opening {
    Free,
    Swap2,
    #[serde(rename = "soosorv8")]
    Soosorv,
    #[serde(rename = "taraguchi10")]
    Taraguchi,
}

impl Opening {
    /// Returns true if games of this rule, on boards with this shorter side, may begin so.
    pub fn fits(self, rule: Rule, side: u8) -> bool {
        matches!(self, Opening::Free | Opening::Swap2) || rule == Rule::Renju && side >= 9
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    PlaceThree,
    ChooseOfThree,
    PlaceTwo,
    ChooseOfFive,
    /// One more stone within its part of the board.
    Place,
    /// Choose a color after a stone of the other player.
    Swap,
    /// Say how many fifth moves are to be offered.
    Number,
    Offer,
    /// Take one of them.
    Take,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    Black,
    White,
    /// Two more stones; then the other player chooses.
    PutTwo,
    /// So many fifth moves are to be offered.
    Fifths(usize),
}

impl Choice {
    /// Returns what an engine chooses by an answer of so many points in swap2, none for `SWAP`.
    pub fn of(points: usize) -> Option<Choice> {
        [Choice::Black, Choice::White, Choice::PutTwo].get(points).copied()
    }
}

/// The state of an unfinished opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningState {
    pub rule: Opening,
    pub stage: Stage,
    /// How many fifth moves are to be offered, once that is known.
    pub fifths: usize,
}

impl OpeningState {
    pub fn new(rule: Opening) -> Option<OpeningState> {
        let stage = if rule == Opening::Swap2 { Stage::PlaceThree } else { Stage::Place };
        (rule != Opening::Free).then_some(OpeningState { rule, stage, fifths: 0 })
    }

    /// Returns whose turn it is after so many stones, by the color.
    pub fn actor(self, stones: usize) -> Color {
        match self.stage {
            Stage::Place if self.rule == Opening::Soosorv && stones < 3 => Color::Black,
            Stage::Place | Stage::Swap if stones.is_multiple_of(2) => Color::Black,
            Stage::PlaceThree | Stage::ChooseOfFive | Stage::Offer => Color::Black,
            _ => Color::White,
        }
    }

    pub fn is_placing(self) -> bool {
        self.choices(0).is_empty()
    }

    /// Returns how far from the middle the next stone may lie, unless that is free.
    pub fn reach(self, stones: usize) -> Option<usize> {
        let is_free = self.rule == Opening::Soosorv && stones >= 3;
        (self.stage == Stage::Place && !is_free).then_some(stones)
    }

    /// Goes on if all stones of the step are placed, or all fifth moves offered.
    pub fn count_stones(&mut self, stones: usize, offered: usize) {
        self.stage = match (self.stage, stones) {
            (Stage::PlaceThree, 3) => Stage::ChooseOfThree,
            (Stage::PlaceTwo, 5) => Stage::ChooseOfFive,
            (Stage::Place, 1 | 2) if self.rule == Opening::Soosorv => Stage::Place,
            (Stage::Place, 4) if self.rule == Opening::Soosorv => Stage::Number,
            (Stage::Place, 1..) => Stage::Swap,
            (Stage::Offer, _) if offered == self.fifths => Stage::Take,
            (stage, _) => stage,
        };
    }

    /// Returns what may be chosen after so many stones.
    pub fn choices(self, stones: usize) -> Vec<Choice> {
        let mut choices = vec![Choice::Black, Choice::White];
        match self.stage {
            Stage::ChooseOfThree => choices.push(Choice::PutTwo),
            Stage::Swap if self.rule == Opening::Taraguchi && stones == 4 => {
                choices.push(Choice::Fifths(10));
            }
            Stage::Swap | Stage::ChooseOfFive => {}
            Stage::Number => choices = (1..=8).map(Choice::Fifths).collect(),
            _ => choices.clear(),
        }
        choices
    }

    /// Makes a choice that there is, and returns false if that ends the opening.
    pub fn choose(&mut self, choice: Choice, stones: usize) -> bool {
        self.stage = match (choice, self.stage) {
            (Choice::PutTwo, _) => Stage::PlaceTwo,
            (Choice::Fifths(count), stage) => {
                self.fifths = count;
                if stage == Stage::Number { Stage::Swap } else { Stage::Offer }
            }
            (_, Stage::Swap) if self.fifths > 0 => Stage::Offer,
            (_, Stage::Swap) if stones < 5 => Stage::Place,
            _ => return false,
        };
        true
    }

    /// Returns an engine's choice of a color or of a number of fifth moves. `rates`: win rates of the
    /// best moves of the side to move, best first.
    pub fn best_choice(self, rates: &[f64], stones: usize) -> Choice {
        let fifth = |count: usize| rates.get(count - 1).or(rates.last()).copied().unwrap_or(0.5);
        let ten = Choice::Fifths(10);
        let keeps = fifth(self.fifths.max(1)) >= 0.5;
        match self.stage {
            Stage::Number => {
                let distance = |count: &usize| (fifth(*count) - 0.5).abs();
                let counts = 1..=rates.len().clamp(1, 8);
                let level = counts.min_by(|a, b| distance(a).total_cmp(&distance(b)));
                Choice::Fifths(level.unwrap_or(1))
            }
            _ if rates.get(9) > Some(&0.5) && self.choices(stones).contains(&ten) => ten,
            _ if keeps == stones.is_multiple_of(2) => Choice::Black,
            _ => Choice::White,
        }
    }
}

/// Returns true if a symmetry of the stones, wherever on the board they lie, makes one cell the other.
pub fn are_symmetric(stones: &[Stone], a: Coord, b: Coord) -> bool {
    let place = |c: Coord| (i32::from(c.x()), i32::from(c.y()));
    let ((a_x, a_y), (b_x, b_y)) = (place(a), place(b));
    (0..8).any(|symmetry| {
        let image = |c: Coord| {
            let (x, y) = (place(c).0 - a_x, place(c).1 - a_y);
            let (x, y) = if symmetry & 1 == 0 { (x, y) } else { (y, x) };
            let sign = |bit| if symmetry & bit == 0 { 1 } else { -1 };
            (b_x + sign(2) * x, b_y + sign(4) * y)
        };
        stones.iter().all(|stone| {
            let is_symmetric =
                |other: &Stone| other.color == stone.color && place(other.c) == image(stone.c);
            stones.iter().any(is_symmetric)
        })
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::game::{Game, Refusal, Seat};
    use tengen_gomoku::board::notation::parse_points;
    use tengen_gomoku::types::BoardSize;

    fn game(opening: Opening) -> Game {
        Game::new(BoardSize::DEFAULT, Rule::Renju, opening)
    }

    /// Takes steps: points, colors, `two` stones or a number of moves to be offered.
    fn step(game: &mut Game, steps: &str) -> Result<(), Refusal> {
        steps.split_whitespace().try_for_each(|step| match step {
            "black" => game.choose(Choice::Black),
            "white" => game.choose(Choice::White),
            "two" => game.choose(Choice::PutTwo),
            _ => match step.parse() {
                Ok(count) => game.choose(Choice::Fifths(count)),
                Err(_) => game.play(parse_points(step, game.size()).unwrap()[0], Duration::ZERO),
            },
        })
    }

    fn after(opening: Opening, steps: &str) -> Game {
        let mut game = game(opening);
        assert_eq!(step(&mut game, steps), Ok(()), "{steps}");
        game
    }

    /// Returns the stage, the player who acts, and the player with black.
    fn due(game: &Game) -> (Option<Stage>, usize, usize) {
        (
            game.opening_state.map(|opening_state| opening_state.stage),
            game.to_act(),
            game.player(Color::Black),
        )
    }

    #[track_caller]
    fn refuses(game: &Game, steps: &str, why: Refusal) {
        for one in steps.split_whitespace() {
            assert_eq!(step(&mut game.clone(), one), Err(why), "{one}");
        }
    }

    #[test]
    fn swap2_has_three_stones_or_five() {
        let swap2 = |steps: &str| after(Opening::Swap2, steps);
        refuses(&swap2("a1 a2"), "black white two 3", Refusal::NoChoice);
        let three = swap2("a1 a2 a3");
        assert_eq!(due(&three), (Some(Stage::ChooseOfThree), 1, 0));
        refuses(&three, "h8", Refusal::Opening);
        refuses(&three, "3", Refusal::NoChoice);
        assert_eq!(due(&swap2("a1 a2 a3 black")), (None, 0, 1));
        assert_eq!(due(&swap2("a1 a2 a3 white")), (None, 1, 0));
        assert_eq!(due(&swap2("a1 a2 a3 two h8")), (Some(Stage::PlaceTwo), 1, 0));
        let five = swap2("a1 a2 a3 two h8 h9");
        assert_eq!(due(&five), (Some(Stage::ChooseOfFive), 0, 0));
        refuses(&five, "two", Refusal::NoChoice);
        assert_eq!(due(&swap2("a1 a2 a3 two h8 h9 black")), (None, 1, 0));
        assert_eq!(due(&swap2("a1 a2 a3 two h8 h9 white")), (None, 0, 1));
    }

    #[test]
    fn soosorv_8_has_as_many_fifth_moves_as_white_says() {
        let soosorv = |steps: &str| after(Opening::Soosorv, steps);
        refuses(&soosorv(""), "h9 g8 a1", Refusal::NotHere);
        refuses(&soosorv("h8"), "h10 f8 a1", Refusal::NotHere);
        refuses(&soosorv("h8"), "h8", Refusal::Taken(Coord::new(7, 7)));
        refuses(&soosorv("h8 i9"), "k8 h11 a1 k11", Refusal::NotHere);
        assert_eq!(due(&soosorv("h8 i9")), (Some(Stage::Place), 0, 0));
        let three = soosorv("h8 i9 j10");
        assert_eq!(due(&three), (Some(Stage::Swap), 1, 0));
        refuses(&three, "two 1 10", Refusal::NoChoice);
        refuses(&three, "a1", Refusal::Opening);
        // White places the fourth stone anywhere, whoever that is.
        assert_eq!(due(&soosorv("h8 i9 j10 black")), (Some(Stage::Place), 0, 1));
        assert_eq!(due(&soosorv("h8 i9 j10 white")), (Some(Stage::Place), 1, 0));
        let four = soosorv("h8 i9 j10 black o15");
        assert_eq!(due(&four), (Some(Stage::Number), 0, 1));
        refuses(&four, "black white two 0 9 10", Refusal::NoChoice);
        for (number, choice, black) in [(1, "black", 1), (8, "white", 0)] {
            let steps = format!("h8 i9 j10 black o15 {number}");
            assert_eq!(due(&soosorv(&steps)), (Some(Stage::Swap), 1, 1));
            let offer = soosorv(&format!("{steps} {choice}"));
            assert_eq!(due(&offer), (Some(Stage::Offer), black, black));
            assert_eq!(offer.opening_state.unwrap().fifths, number);
        }
        // Offered moves are not played. A second click withdraws one.
        let mut offer = soosorv("h8 i9 j10 black k11 2 white g7 g7 a1 h7");
        assert_eq!((offer.moves().len(), due(&offer)), (4, (Some(Stage::Take), 1, 0)));
        refuses(&offer, "g7 b2", Refusal::NotHere);
        refuses(&offer, "black 2", Refusal::NoChoice);
        step(&mut offer, "h7").unwrap();
        assert_eq!((offer.moves().len(), due(&offer)), (5, (None, 1, 0)));
        assert_eq!(offer.to_move(), Color::White);
        // A file has the move that was taken, and the other one as a variation.
        let tree = offer.tree_for_file(Default::default());
        assert_eq!(tree.record(tree.end()).to_pos().unwrap(), "h8i9j10k11h7");
        assert_eq!(tree.len(), 8);
        assert_eq!(offer.undo([Seat::Person; 2]), Err(Refusal::NothingToUndo));
        step(&mut offer, "a2").unwrap();
        offer.undo([Seat::Person; 2]).unwrap();
        assert_eq!(offer.shown(), 5);
    }

    #[test]
    fn taraguchi_10_lets_each_stone_be_swapped() {
        let taraguchi = |steps: &str| after(Opening::Taraguchi, steps);
        assert_eq!(due(&taraguchi("h8")), (Some(Stage::Swap), 1, 0));
        assert_eq!(due(&taraguchi("h8 black")), (Some(Stage::Place), 0, 1));
        assert_eq!(due(&taraguchi("h8 black i9")), (Some(Stage::Swap), 1, 1));
        assert_eq!(due(&taraguchi("h8 white i9 black")), (Some(Stage::Place), 0, 0));
        refuses(&taraguchi("h8 white"), "h10 a1", Refusal::NotHere);
        refuses(&taraguchi("h8 white i9 black"), "h11 e8", Refusal::NotHere);
        let three = taraguchi("h8 white i9 black j10");
        refuses(&three, "10 two", Refusal::NoChoice);
        refuses(&taraguchi("h8 white i9 black j10 white"), "h12 d8", Refusal::NotHere);
        let four = taraguchi("h8 white i9 black j10 white h11");
        assert_eq!(due(&four), (Some(Stage::Swap), 0, 0));
        refuses(&four, "9 8 two", Refusal::NoChoice);
        // One fifth move, and a choice of colors.
        let steps = "h8 white i9 black j10 white h11 white";
        refuses(&taraguchi(steps), "h13 c8", Refusal::NotHere);
        assert_eq!(due(&taraguchi(&format!("{steps} h12"))), (Some(Stage::Swap), 0, 1));
        assert_eq!(due(&taraguchi(&format!("{steps} d4 black"))), (None, 1, 0));
        // Or ten of them.
        let mut offer = taraguchi("h8 white i9 black j10 white h11 10");
        for point in ["a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1", "i1"] {
            step(&mut offer, point).unwrap();
            assert_eq!(due(&offer), (Some(Stage::Offer), 0, 0), "{point}");
        }
        step(&mut offer, "j1").unwrap();
        assert_eq!(due(&offer), (Some(Stage::Take), 1, 0));
        step(&mut offer, "e1").unwrap();
        assert_eq!(due(&offer), (None, 1, 0));
    }

    #[test]
    fn no_two_offered_moves_are_symmetric() {
        // All stones on a diagonal.
        let offer = after(Opening::Soosorv, "h8 i9 j10 white k11 8 black g8");
        refuses(&offer, "h7", Refusal::Symmetric(Coord::new(7, 6)));
        assert_eq!(step(&mut offer.clone(), "h9 h10 a1 g7"), Ok(()));
        // In a column, where the middle of the stones is none of the board.
        let offer = after(Opening::Soosorv, "h8 h9 h7 white h6 8 black g8");
        refuses(&offer, "g7", Refusal::Symmetric(Coord::new(6, 6)));
        refuses(&offer, "i8", Refusal::Symmetric(Coord::new(8, 7)));
        refuses(&offer, "i7", Refusal::Symmetric(Coord::new(8, 6)));
        assert_eq!(
            step(&mut offer.clone(), "g9 g6 h10"),
            Err(Refusal::Symmetric(Coord::new(6, 5)))
        );
        // No symmetry at all.
        let offer = after(Opening::Soosorv, "h8 h9 j9 white f5 8 black g8");
        assert_eq!(step(&mut offer.clone(), "i8 h7 g7 i7 g9 i9 j8"), Ok(()));
    }

    #[test]
    fn an_engine_chooses_what_is_level() {
        let opening_state = |rule, stage, fifths| OpeningState { rule, stage, fifths };
        let number = opening_state(Opening::Soosorv, Stage::Number, 0);
        assert_eq!(number.best_choice(&[0.9, 0.8, 0.55, 0.4], 4), Choice::Fifths(3));
        assert_eq!(number.best_choice(&[0.3, 0.2], 4), Choice::Fifths(1));
        assert_eq!(number.best_choice(&[0.9; 20], 4), Choice::Fifths(1));
        assert_eq!(number.best_choice(&[], 4), Choice::Fifths(1));
        // With the third best move black is worse off.
        let swap = |fifths| opening_state(Opening::Soosorv, Stage::Swap, fifths);
        assert_eq!(swap(2).best_choice(&[0.9, 0.8, 0.4], 4), Choice::Black);
        assert_eq!(swap(3).best_choice(&[0.9, 0.8, 0.4], 4), Choice::White);
        // After three stones white is to move.
        assert_eq!(swap(0).best_choice(&[0.3], 3), Choice::Black);
        assert_eq!(swap(0).best_choice(&[0.6], 3), Choice::White);
        // Nobody swaps who knows nothing.
        assert_eq!(swap(0).best_choice(&[], 3), Choice::White);
        assert_eq!(swap(2).best_choice(&[], 4), Choice::Black);
        let fourth = opening_state(Opening::Taraguchi, Stage::Swap, 0);
        assert_eq!(fourth.best_choice(&[0.6; 10], 4), Choice::Fifths(10));
        assert_eq!(fourth.best_choice(&[0.6; 9], 4), Choice::Black);
        assert_eq!(fourth.best_choice(&[0.4; 10], 4), Choice::White);
    }

    #[test]
    fn openings_of_renju_need_renju_and_room() {
        for opening in [Opening::Soosorv, Opening::Taraguchi] {
            assert!(opening.fits(Rule::Renju, 9) && opening.fits(Rule::Renju, 15));
            assert!(!opening.fits(Rule::Renju, 8) && !opening.fits(Rule::Standard, 15));
        }
        assert!(Opening::Swap2.fits(Rule::Standard, 5));
    }
}
