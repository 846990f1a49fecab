//! Style: how much the own chances count against the opponent's.
//!
//! A style is a set of tables weighed for one player. What they say beyond the neutral tables is
//! added to the network's value, so that only a search with a style pays for the sums. The neutral
//! style is the network alone.

use super::tables::{EvalTables, PerCode};
use crate::board::Board;
use crate::types::Color;

/// A way to play, from 0, which thinks of the opponent's chances most, over 50, neutral, to 100,
/// which thinks of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style(u8);

impl Style {
    /// Both sides' chances count alike.
    pub const NEUTRAL: Style = Style(50);

    /// Returns the style nearest to this number.
    pub fn nearest(number: u64) -> Style {
        Style(number.min(100) as u8)
    }

    /// Returns the number.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Returns true if both sides' chances count alike.
    pub const fn is_neutral(self) -> bool {
        self.0 == Style::NEUTRAL.0
    }

    /// Returns what the own chances count.
    fn own_percent(self) -> i32 {
        50 + i32::from(self.0)
    }

    /// Returns what the opponent's chances count.
    fn other_percent(self) -> i32 {
        150 - i32::from(self.0)
    }
}

impl Default for Style {
    fn default() -> Style {
        Style::NEUTRAL
    }
}

impl EvalTables {
    /// Returns the tables by which the side to move plays in this style: what a cell is worth
    /// beyond the middle of an empty board, and the worth of being to move, each weighed by whose
    /// chance it is. An empty board stays worth what it was, and the order of moves what it is.
    pub fn in_style(&self, style: Style, board: &Board) -> EvalTables {
        let us = board.side_to_move();
        let empty = Board::new(board.size(), board.rule());
        let bare = empty.threats(board.size().center());
        let percents = |color| match color == us {
            true => (style.own_percent(), style.other_percent()),
            false => (style.other_percent(), style.own_percent()),
        };
        let mut tables = self.clone();
        for color in Color::ALL {
            let (own, _) = percents(color);
            let base = self.cell[color].of(bare.code(color)) as i16;
            let worths = self.cell[color].numbers();
            tables.cell[color] = PerCode::from_fn(|code| base + weighed(worths[code] - base, own));
        }
        // The edges of an empty board are worth less than its middle, to both sides.
        let change = tables.sum(&empty) - self.sum(&empty);
        for (color, change) in [(Color::Black, change), (Color::White, -change)] {
            let (own, other) = percents(color);
            for worth in &mut tables.tempo[color] {
                *worth = weighed(*worth, if *worth > 0 { own } else { other }) - change as i16;
            }
        }
        tables
    }
}

/// Returns so many percent of a table's entry.
fn weighed(worth: i16, percent: i32) -> i16 {
    (i32::from(worth) * percent / 100) as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluator;
    use crate::types::{BoardSize, Rule};

    /// Returns the evaluation of the position after these moves by each of the styles.
    fn values<const N: usize>(rule: Rule, moves: &str, styles: [u64; N]) -> [i32; N] {
        let board = Board::after(15, rule, moves);
        styles.map(|number| {
            let tables = EvalTables::of(rule).in_style(Style::nearest(number), &board);
            Evaluator::in_style(&board, Some(&tables)).evaluate(&board).value()
        })
    }

    #[test]
    fn the_neutral_style_changes_nothing() {
        let board = Board::new(BoardSize::new(15, 15).unwrap(), Rule::Renju);
        let tables = EvalTables::of(Rule::Renju);
        let neutral = tables.in_style(Style::default(), &board);
        assert!(neutral.cell == tables.cell && neutral.tempo == tables.tempo);
    }

    #[test]
    fn attack_likes_own_chances_and_defence_fears_the_others() {
        for rule in Rule::ALL {
            // Black, to move, has two stones side by side and white has scattered ones.
            let [defence, neutral, attack] = values(rule, "h8a1i9o15", [0, 50, 100]);
            assert!(defence < neutral && neutral < attack, "{rule:?}");
            // The other way round, which attack makes light of.
            let [defence, neutral, attack] = values(rule, "a1h8o15i9", [0, 50, 100]);
            assert!(defence < neutral && neutral < attack, "{rule:?}");
        }
    }

    #[test]
    fn an_empty_board_is_worth_the_same_in_every_style() {
        for rule in Rule::ALL {
            let [defence, neutral, attack] = values(rule, "", [0, 50, 100]);
            // The worth of being to move is a chance of one's own.
            assert!((0..50).contains(&(neutral - defence)), "{rule:?}");
            assert!((0..50).contains(&(attack - neutral)), "{rule:?}");
        }
    }
}
