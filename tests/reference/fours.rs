//! A plain search for a win by continuous fours. It tries every free point of the grid, for the
//! attacker's fours and for the defender's answers, and finds a five by putting its stone down.

use tengen_gomoku::types::Rule;

use super::grid::{Grid, Point, enemy_of};

/// Searches for continuous fours under one rule.
pub struct Fours {
    rule: Rule,
    /// Fours that may still be tried.
    left: u32,
}

impl Fours {
    /// Returns whether `own`, whose move it is, wins with at most `most` fours ahead of the five;
    /// `None` if the answer would take more than `nodes` fours in all.
    pub fn wins(grid: &mut Grid, own: u8, rule: Rule, most: u32, nodes: u32) -> Option<bool> {
        let mut fours = Fours { rule, left: nodes };
        let wins = fours.attack(grid, own, most);
        (wins || fours.left > 0).then_some(wins)
    }

    /// Returns whether every answer to the four `p` loses; see [`Fours::wins`].
    pub fn four_wins(grid: &mut Grid, own: u8, rule: Rule, p: Point, most: u32) -> bool {
        Fours { rule, left: u32::MAX }.is_winning(grid, own, p, most)
    }

    fn attack(&mut self, grid: &mut Grid, own: u8, most: u32) -> bool {
        if grid.has_five_point(own, self.rule) {
            return true;
        }
        most > 0 && grid.empties().into_iter().any(|p| self.is_winning(grid, own, p, most))
    }

    fn is_winning(&mut self, grid: &mut Grid, own: u8, p: Point, most: u32) -> bool {
        if self.left == 0 {
            return false;
        }
        let fives = grid.with(p, own, |grid| grid.fives_near(p, own, self.rule));
        if fives.is_empty() || grid.is_foul(p, own, self.rule) {
            return false;
        }
        self.left -= 1;
        grid.with(p, own, |grid| self.is_lost(grid, enemy_of(own), &fives, most - 1))
    }

    /// Returns true if no move of the defender saves him from these fives.
    fn is_lost(&mut self, grid: &mut Grid, defender: u8, fives: &[Point], most: u32) -> bool {
        let rule = self.rule;
        !grid.has_five_point(defender, rule)
            && grid.empties().into_iter().all(|answer| {
                !grid.stops(answer, defender, fives, rule)
                    || grid.is_foul(answer, defender, rule)
                    || grid
                        .with(answer, defender, |grid| self.attack(grid, enemy_of(defender), most))
            })
    }
}
