//! The tables of a rule: shapes of windows, and threats of combinations.

use std::sync::OnceLock;

use super::combinations::Combinations;
use super::line::{LineShapes, Side, WinRule};
use super::{CODES, CellShapes, PackedThreat, Shape, ShapeCode, Threat};
use crate::types::{Color, Rule};

/// The look-up tables of a rule.
pub struct RuleTables {
    /// Cells of a window on each side of its center.
    pub(crate) radius: usize,
    shapes: Box<[u8]>,
    combinations: [&'static [PackedThreat; 1 << 16]; 2],
    threats: [&'static [Threat; CODES]; 2],
}

impl RuleTables {
    /// Returns the tables of a rule; the first call builds them (a few milliseconds).
    pub fn of(rule: Rule) -> &'static RuleTables {
        static TABLES: [OnceLock<RuleTables>; Rule::ALL.len()] =
            [const { OnceLock::new() }; Rule::ALL.len()];
        TABLES[rule as usize].get_or_init(|| RuleTables::new(rule))
    }

    fn new(rule: Rule) -> RuleTables {
        let radius = if rule == Rule::Freestyle { 4 } else { 5 };
        let [black, white] = Color::ALL.map(|color| WinRule::of(rule, color));
        let black_shapes = LineShapes::new(black);
        let white_shapes =
            if white == black { black_shapes.clone() } else { LineShapes::new(white) };
        let combinations = [black, white]
            .map(|win_rule| Combinations::shared(win_rule == WinRule::ExactFiveWithFouls));
        RuleTables {
            radius,
            shapes: window_shapes(radius, &black_shapes, &white_shapes),
            combinations: combinations.map(|shared| &*shared.by_index),
            threats: combinations.map(|shared| &shared.threats),
        }
    }

    /// Returns both colors' shapes of a window, black's in the low four bits. `index`: the `radius`
    /// cells before the center in the low bits, those after it above, two bits a cell.
    #[inline]
    pub(crate) fn window(&self, index: usize) -> u8 {
        self.shapes[index]
    }

    #[inline]
    pub(crate) fn shape(&self, color: Color, index: usize) -> Shape {
        Shape::from_nibble(self.window(index) >> (4 * color as u32))
    }

    /// Returns the table of [`RuleTables::window`] with a known length, which saves index checks.
    #[inline]
    pub(crate) fn windows<const RADIUS: usize>(&self) -> &[u8] {
        debug_assert_eq!(RADIUS, self.radius);
        &self.shapes[..1 << (4 * RADIUS)]
    }

    #[inline]
    pub(crate) fn packed_threat(&self, color: Color, shapes: CellShapes) -> PackedThreat {
        self.combinations[color][shapes.shape_index(color) as usize]
    }

    /// Returns the threat of a combination for `color`.
    pub fn threat(&self, color: Color, code: ShapeCode) -> Threat {
        self.threats[color][code as usize]
    }
}

fn window_shapes(radius: usize, black: &LineShapes, white: &LineShapes) -> Box<[u8]> {
    let tables = [(black, Color::Black), (white, Color::White)].map(|(shapes, color)| {
        let [before, after] =
            [Side::Before, Side::After].map(|side| shapes.arms_of_windows(radius, color, side));
        (shapes.of_pairs(), before, after)
    });
    let [(black, black_before, black_after), (white, white_before, white_after)] = &tables;
    let side = 1 << (2 * radius);
    let mut windows = vec![0u8; side * side].into_boxed_slice();
    for (after, row) in windows.chunks_exact_mut(side).enumerate() {
        let [black_row, white_row] =
            [(black, black_after), (white, white_after)].map(|(pairs, after_arms)| {
                let first = usize::from(after_arms[after]) * LineShapes::ARMS;
                &pairs[first..][..LineShapes::ARMS]
            });
        for (window, (&b, &w)) in row.iter_mut().zip(black_before.iter().zip(white_before)) {
            *window = black_row[b as usize] as u8 | (white_row[w as usize] as u8) << 4;
        }
    }
    windows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;
    use crate::types::Cell;

    /// Returns the shape at the `*` of a line such as `.XX*.O`, where `X` is `color`'s stone and
    /// `|` and everything outside the text is wall.
    fn shape(rule: Rule, color: Color, line: &str) -> Shape {
        let tables = RuleTables::of(rule);
        let cells: Vec<char> = line.chars().collect();
        let center = cells.iter().position(|&c| c == '*').expect("a centre") as isize;
        let mut index = 0;
        let radius = tables.radius as isize;
        for (slot, offset) in (-radius..=radius).filter(|&o| o != 0).enumerate() {
            let at = usize::try_from(center + offset).ok().and_then(|i| cells.get(i));
            let cell = match at {
                Some('X') => color.cell(),
                Some('O') => (!color).cell(),
                Some('.') => Cell::Empty,
                _ => Cell::Wall,
            };
            index |= (cell as usize) << (2 * slot);
        }
        let byte = tables.window(index);
        Shape::from_nibble(if color == Color::Black { byte } else { byte >> 4 })
    }

    #[test]
    fn every_variant_matches_its_diagram() {
        for color in Color::ALL {
            for (line, expected) in [
                ("O*...", Shape::Dead),
                ("O*....", Shape::One),
                (".....*.....", Shape::OpenOne),
                ("OX*...", Shape::Two),
                ("O.X*...O", Shape::NarrowTwo),
                ("O..X*...O", Shape::OpenTwo),
                ("....X*....", Shape::WideTwo),
                ("OXX*..", Shape::Three),
                ("O.XX*..O", Shape::NarrowThree),
                ("..XX*..", Shape::OpenThree),
                ("OXXX*.", Shape::Four),
                (".XXX*.", Shape::OpenFour),
                ("XXX*X", Shape::Five),
            ] {
                assert_eq!(shape(Rule::Freestyle, color, line), expected, "{line}");
            }
        }
    }

    #[test]
    fn an_overline_is_a_win_only_where_the_rule_says_so() {
        let line = "XXX*XX";
        for (rule, color, expected) in [
            (Rule::Freestyle, Color::Black, Shape::Five),
            (Rule::Standard, Color::White, Shape::Dead),
            (Rule::Renju, Color::Black, Shape::Foul),
            (Rule::Renju, Color::White, Shape::Five),
            (Rule::Caro, Color::Black, Shape::Five),
            (Rule::CaroExact, Color::Black, Shape::Dead),
        ] {
            assert_eq!(shape(rule, color, line), expected, "{rule:?} {color:?}");
        }
    }

    #[test]
    fn two_fours_on_one_line_are_a_foul_for_renju_black_only() {
        for line in ["X.X*X.X", "XX.*X.XX", "XXX.*.XXX"] {
            assert_eq!(shape(Rule::Renju, Color::Black, line), Shape::Foul, "{line}");
            assert_eq!(shape(Rule::Renju, Color::White, line), Shape::OpenFour, "{line}");
            assert_eq!(shape(Rule::Standard, Color::Black, line), Shape::OpenFour, "{line}");
        }
    }

    #[test]
    fn a_second_five_cell_that_makes_an_overline_does_not_open_a_four() {
        let line = "....XX*X.X..";
        assert_eq!(shape(Rule::Freestyle, Color::Black, line), Shape::OpenFour);
        assert_eq!(shape(Rule::Standard, Color::Black, line), Shape::Four);
        assert_eq!(shape(Rule::Caro, Color::Black, line), Shape::OpenFour);
        assert_eq!(shape(Rule::CaroExact, Color::Black, line), Shape::Four);
        assert_eq!(shape(Rule::Standard, Color::Black, ".X.XX*X.X."), Shape::Dead);
    }

    #[test]
    fn caro_closes_a_five_with_stones_but_not_with_the_edge() {
        for rule in [Rule::Caro, Rule::CaroExact] {
            assert_eq!(shape(rule, Color::Black, "OXXX*XO"), Shape::Dead);
            assert_eq!(shape(rule, Color::White, "OXXX*X|"), Shape::Five);
            assert_eq!(shape(rule, Color::White, "OXXX*X."), Shape::Five);
            assert_eq!(shape(rule, Color::Black, "OXXX*.O"), Shape::Dead);
            assert_eq!(shape(rule, Color::Black, "O.XXX*...."), Shape::Four);
            assert_eq!(shape(rule, Color::Black, "..XXX*.."), Shape::OpenFour);
        }
        assert_eq!(shape(Rule::Caro, Color::Black, "OXXX*XXO"), Shape::Five);
        assert_eq!(shape(Rule::CaroExact, Color::Black, "OXXX*XXO"), Shape::Dead);
        assert_eq!(shape(Rule::Caro, Color::Black, "OXXX.X*O"), Shape::Four);
        assert_eq!(shape(Rule::CaroExact, Color::Black, "OXXX.X*O"), Shape::Dead);
    }
}
