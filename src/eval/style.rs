//! Style: the weight of one's own chances against the opponent's.
//!
//! A style is a set of tables weighted for one side. What they say beyond the neutral tables is
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

    /// Returns the weight of the own chances, in percent.
    fn own_percent(self) -> i32 {
        50 + i32::from(self.0)
    }

    /// Returns the weight of the opponent's chances, in percent.
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
    /// Returns the tables by which the side to move plays in this style. What a cell is worth
    /// beyond the middle of an empty board is a chance; chances, and the worth of being to move,
    /// are scaled for whoever has them. The sum of an empty board's cells and the ordering scores
    /// stay.
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
            tables.cell[color] = PerCode::from_fn(|code| {
                // Cells worth less are no chances: near an edge an own stone may take from them.
                let chance = (worths[code] - base).max(0);
                worths[code] - chance + weighed(chance, own)
            });
        }
        // On a narrow board some cells of the empty board are worth more than its middle.
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
    use crate::board::notation::parse_points;
    use crate::eval::Evaluator;
    use crate::types::{BoardSize, Rule};

    /// Returns the evaluation of the position after these moves, on a board of this width and
    /// height, by each of the styles.
    fn values<const N: usize>(
        [width, height]: [u8; 2],
        rule: Rule,
        moves: &str,
        styles: [u64; N],
    ) -> [i32; N] {
        let size = BoardSize::new(width, height).unwrap();
        let mut board = Board::new(size, rule);
        parse_points(moves, size).unwrap().into_iter().for_each(|mv| board.play(mv));
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
        // Black, to move, has two stones side by side and white has scattered ones; then the other
        // way round, which attack makes light of.
        for (size, games) in [
            ([15, 15], ["h8a1i9o15", "a1h8o15i9"]),
            ([5, 22], ["c11a1d12e22", "a1c11e22d12"]),
            ([22, 5], ["k3a1l4v5", "a1k3v5l4"]),
        ] {
            for (rule, moves) in
                Rule::ALL.into_iter().flat_map(|rule| games.map(|game| (rule, game)))
            {
                let [defence, neutral, attack] = values(size, rule, moves, [0, 50, 100]);
                assert!(defence < neutral && neutral < attack, "{size:?} {rule:?} {moves}");
            }
        }
    }

    #[test]
    fn an_empty_board_is_worth_much_the_same_in_every_style() {
        let sizes = [[15, 15], [5, 22], [22, 5]];
        for (size, rule) in sizes.into_iter().flat_map(|size| Rule::ALL.map(|rule| (size, rule))) {
            let [defence, neutral, attack] = values(size, rule, "", [0, 50, 100]);
            // The worth of being to move is a chance of one's own.
            assert!((0..50).contains(&(neutral - defence)), "{rule:?}");
            assert!((0..50).contains(&(attack - neutral)), "{rule:?}");
        }
    }
}
