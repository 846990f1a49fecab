//! The tables of a rule: shapes of windows, and threats of combinations.

use std::sync::OnceLock;

use super::line::{LineShapes, Side, WinRule};
use super::{CODES, CellShapes, PackedThreat, Shape, ShapeCode, Threat};
use crate::types::{Color, Rule};

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

    pub fn threat(&self, color: Color, code: ShapeCode) -> Threat {
        self.threats[color][code as usize]
    }
}

fn window_shapes(radius: usize, black: &LineShapes, white: &LineShapes) -> Box<[u8]> {
    let length = 1 << (2 * radius);
    let mut windows = vec![0; length * length].into_boxed_slice();
    for (shapes, color) in [(black, Color::Black), (white, Color::White)] {
        let [before, after] =
            [Side::Before, Side::After].map(|side| shapes.arms_of_windows(radius, color, side));
        let pairs = shapes.of_pairs();
        for (row, &after) in windows.chunks_exact_mut(length).zip(&after) {
            let pairs = &pairs[usize::from(after) * LineShapes::ARMS..][..LineShapes::ARMS];
            for (window, &before) in row.iter_mut().zip(&before) {
                *window |= (pairs[usize::from(before)] as u8) << (4 * color as u32);
            }
        }
    }
    windows
}

struct Combinations {
    /// By four shapes side by side, in any order, four bits each.
    by_index: Box<[PackedThreat; 1 << 16]>,
    /// By code.
    threats: [Threat; CODES],
    /// By code, weakest first.
    shapes: [[Shape; 4]; CODES],
}

impl Combinations {
    fn shared(black_renju: bool) -> &'static Combinations {
        static SHARED: [OnceLock<Combinations>; 2] = [const { OnceLock::new() }; 2];
        SHARED[usize::from(black_renju)].get_or_init(|| Combinations::new(black_renju))
    }

    /// Numbers the sorted combinations in lexical order.
    fn new(black_renju: bool) -> Combinations {
        let mut by_index: Box<[PackedThreat; 1 << 16]> = vec![PackedThreat::DEAD; 1 << 16]
            .into_boxed_slice()
            .try_into()
            .expect("invariant: the length is fixed");
        let mut shapes = [[Shape::Dead; 4]; CODES];
        let mut threats = [Threat::None; CODES];
        let mut code = 0;
        for index in 0..1 << 16 {
            let mut numbers = [12, 8, 4, 0].map(|shift| index >> shift & 15);
            numbers.sort();
            if numbers[3] >= Shape::COUNT {
                continue;
            }
            // Of all orders the sorted one comes first.
            let sorted = numbers.into_iter().fold(0, |index, number| index << 4 | number);
            if index == sorted {
                shapes[code] = numbers.map(|number| Shape::ALL[number]);
                threats[code] = Threat::combine(shapes[code], black_renju);
                by_index[index] = PackedThreat::new(code as ShapeCode, threats[code]);
                code += 1;
            }
            by_index[index] = by_index[sorted];
        }
        debug_assert_eq!(code, CODES);
        Combinations { by_index, threats, shapes }
    }
}

/// Returns the four shapes of a combination, weakest first.
pub fn shapes_of_code(code: ShapeCode) -> [Shape; 4] {
    Combinations::shared(false).shapes[code as usize]
}

impl Threat {
    fn combine(shapes: [Shape; 4], black_renju: bool) -> Threat {
        let count = |wanted: &[Shape]| shapes.iter().filter(|s| wanted.contains(s)).count();
        let twos = count(&[Shape::NarrowTwo, Shape::OpenTwo, Shape::WideTwo]);
        let threes = count(&[Shape::Three]);
        let open_threes = count(&[Shape::NarrowThree, Shape::OpenThree]);
        let fours = count(&[Shape::Four, Shape::OpenFour]);
        if count(&[Shape::Five]) > 0 {
            Threat::Five
        } else if black_renju && (count(&[Shape::Foul]) > 0 || fours >= 2 || open_threes >= 2) {
            Threat::Forbidden
        } else if count(&[Shape::OpenFour]) > 0 || fours >= 2 {
            Threat::OpenFour
        } else if fours > 0 && open_threes > 0 {
            Threat::FourThree
        } else if fours > 0 && twos + threes > 0 {
            Threat::FourPlus
        } else if fours > 0 {
            Threat::Four
        } else if open_threes >= 2 {
            Threat::DoubleThree
        } else if open_threes > 0 && twos + threes > 0 {
            Threat::OpenThreePlus
        } else if open_threes > 0 {
            Threat::OpenThree
        } else if threes > 0 && twos + threes > 1 {
            Threat::ThreePlus
        } else if twos >= 2 {
            Threat::DoubleTwo
        } else if threes > 0 {
            Threat::Three
        } else if twos > 0 {
            Threat::OpenTwo
        } else {
            Threat::None
        }
    }
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

    #[test]
    fn codes_number_every_combination_once() {
        for black_renju in [false, true] {
            let combinations = Combinations::shared(black_renju);
            let of = |index: usize| combinations.by_index[index];
            assert_eq!(of(0x2b41), of(0x142b));
            assert_eq!(shapes_of_code(of(0xd000).code())[3], Shape::Five);
            assert_eq!(of(0xd000).threat(), Threat::Five);
            let double_four = if black_renju { Threat::Forbidden } else { Threat::OpenFour };
            assert_eq!(of(0xb0b0).threat(), double_four);
            let distinct: std::collections::HashSet<_> = combinations.shapes.iter().collect();
            assert_eq!(distinct.len(), CODES);
        }
    }
}
