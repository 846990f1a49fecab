//! Style: the weight of one's own chances against the opponent's.

use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::Color;

/// The worth of a threat in evaluation units, the weakest first: the mean in a fit of shape
/// combinations to games.
const CHANCES: [i32; Threat::COUNT] = [0, 0, 3, 10, 18, 25, 28, 50, 100, 55, 100, 200, 160, 330];

/// A style of play from 0, which weighs the opponent's chances most, over 50, neutral, to 100,
/// which weighs its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style(u8);

impl Style {
    pub const NEUTRAL: Style = Style(50);

    pub fn nearest(number: u64) -> Style {
        Style(number.min(100) as u8)
    }

    pub const fn number(self) -> u8 {
        self.0
    }

    pub const fn is_neutral(self) -> bool {
        self.0 == Style::NEUTRAL.0
    }

    /// Returns the gain of the side to move if `player` plays in this style N: own chances count
    /// `50 + N` percent, the opponent's `150 - N`. More of the one and less of the other gain
    /// alike, so that the chances of both sides are added.
    pub fn worth(self, player: Color, board: &Board) -> i32 {
        let chances = |color: Color| -> i32 {
            let worth = |threat| board.count(color, threat) as i32 * CHANCES[threat as usize];
            Threat::ALL.into_iter().map(worth).sum()
        };
        let more_percent = i32::from(self.0) - i32::from(Style::NEUTRAL.0);
        let gain = (chances(player) + chances(!player)) * more_percent / 100;
        if board.side_to_move() == player { gain } else { -gain }
    }
}

impl Default for Style {
    fn default() -> Style {
        Style::NEUTRAL
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::types::Rule;

    #[test]
    fn attack_likes_chances_and_defence_fears_them() {
        // Two stones side by side, the player's or the opponent's, and scattered ones.
        for (rule, moves) in Rule::ALL.into_iter().flat_map(|rule| {
            ["h8a1i9o15", "a1h8o15i9", "h8a1i9", "a1h8o15"].map(|moves| (rule, moves))
        }) {
            let mut board = Board::after(15, rule, moves);
            let player = board.side_to_move();
            let values = |board: &Board| {
                [0, 20, 50, 80, 100].map(|number| Style::nearest(number).worth(player, board))
            };
            let [defence, careful, neutral, bold, attack] = values(&board);
            assert!(defence < careful && careful < 0 && 0 < bold && bold < attack, "{moves}");
            assert_eq!((defence, careful, neutral), (-attack, -bold, 0), "{rule:?} {moves}");
            board.pass();
            assert_eq!(values(&board), [attack, bold, neutral, careful, defence], "the opponent's");
        }
    }

    #[test]
    fn stronger_threats_are_better_chances() {
        let attack = |moves: &str| {
            let board = Board::after(15, Rule::Freestyle, moves);
            Style::nearest(100).worth(board.side_to_move(), &board)
        };
        assert_eq!(attack(""), 0);
        let growing = ["h8a1", "h8a1i8a15", "h8a1i8a15j8o1"].map(attack);
        assert!(growing.is_sorted_by(|less, more| 2 * less < *more), "{growing:?}");
    }
}
