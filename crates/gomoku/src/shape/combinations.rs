//! Combinations of four shapes: codes and threats.

use std::sync::OnceLock;

use super::{CODES, PackedThreat, Shape, ShapeCode, Threat};

pub struct Combinations {
    /// By four shapes side by side, in any order, four bits each.
    pub by_index: Box<[PackedThreat; 1 << 16]>,
    /// By code.
    pub threats: [Threat; CODES],
    /// By code, weakest first.
    shapes: [[Shape; 4]; CODES],
}

impl Combinations {
    pub fn shared(black_renju: bool) -> &'static Combinations {
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
        let n = Shape::COUNT;
        for a in 0..n {
            for b in a..n {
                for c in b..n {
                    for d in c..n {
                        shapes[code] = [a, b, c, d].map(|i| Shape::ALL[i]);
                        threats[code] = Threat::combine(shapes[code], black_renju);
                        let combination = PackedThreat::new(code as ShapeCode, threats[code]);
                        for [i, j, k, l] in permutations([a, b, c, d]) {
                            by_index[i | j << 4 | k << 8 | l << 12] = combination;
                        }
                        code += 1;
                    }
                }
            }
        }
        debug_assert_eq!(code, CODES);
        Combinations { by_index, threats, shapes }
    }
}

fn permutations([a, b, c, d]: [usize; 4]) -> impl Iterator<Item = [usize; 4]> {
    let triples =
        |[x, y, z]: [usize; 3]| [[x, y, z], [x, z, y], [y, x, z], [y, z, x], [z, x, y], [z, y, x]];
    [(a, [b, c, d]), (b, [a, c, d]), (c, [a, b, d]), (d, [a, b, c])]
        .into_iter()
        .flat_map(move |(first, rest)| triples(rest).map(|[x, y, z]| [first, x, y, z]))
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
