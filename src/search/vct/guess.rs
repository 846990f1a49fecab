//! The first numbers of positions that were only looked at.
//!
//! The threats of both sides say how likely a search wins for the attacker, and how likely it
//! fails: one time in n counts as some leaves for each of n. The odds are logistic functions of the
//! numbers of cells with each threat, fitted to the outcome of 6,500 searches of 20,000 plays in
//! positions that longer searches looked at, in renju problems, when a look still tried all fours.
//! `scripts/README.md` says what they were worth there and in positions of own games under all rules.

use super::proofs::Value;
use crate::board::Board;
use crate::shape::Threat;
use crate::types::Color;

/// The parts of a doubling of the odds in which they are given.
const PARTS: i32 = 16;
/// The threats that count, from this one on, and as many cells of each at most.
const LEAST: Threat = Threat::Forbidden;
const THREATS: usize = Threat::COUNT - LEAST as usize;
const MAX_CELLS: i32 = 6;
const MAX_ANSWERS: i32 = 12;
/// The number of a certain outcome, and the largest.
const CERTAIN: u32 = 2;
const LARGEST: u32 = 2_000;

/// What the odds of an outcome are made of.
struct Odds {
    base: i32,
    /// For each cell where the attacker makes a threat.
    attacker: [i32; THREATS],
    /// For each cell where the defender does.
    defender: [i32; THREATS],
    /// For each of the defender's answers.
    answer: i32,
}

/// The odds of a win and of a failure with the attacker to move.
const TO_ATTACK: [Odds; 2] = [
    Odds {
        base: -54,
        attacker: [5, 2, 0, 2, 3, 5, 10, 26, 5, 15, 11, 16, 0],
        defender: [18, 1, -1, 0, -3, -1, -3, -8, -11, -11, -25, -23, -29],
        answer: 0,
    },
    Odds {
        base: -51,
        attacker: [3, -1, -2, 0, -4, -5, -6, -3, -9, -16, -12, -11, 0],
        defender: [-9, 4, 6, 0, 3, 2, 3, 7, 5, 5, 28, 37, 55],
        answer: 0,
    },
];

/// The same with the defender to move.
const TO_DEFEND: [Odds; 2] = [
    Odds {
        base: -92,
        attacker: [5, 1, 5, 3, 1, 2, 12, 23, 6, 13, 22, 15, 22],
        defender: [21, 2, -6, -1, -4, -3, -3, -7, -4, -11, -30, -25, 0],
        answer: -5,
    },
    Odds {
        base: -53,
        attacker: [0, 2, 1, 0, -2, -4, -7, -6, -8, -15, -10, -8, -30],
        defender: [-9, 11, 0, -1, 2, 3, 3, 10, 3, 7, 38, 36, 0],
        answer: 3,
    },
];

/// Returns the value of a position in which the defender, if it is his move, has `answers` to try.
pub fn first_value(board: &Board, attacker: Color, answers: usize) -> Value {
    let odds = if board.side_to_move() == attacker { &TO_ATTACK } else { &TO_DEFEND };
    let [proof, disproof] = odds.each_ref().map(|odds| odds.number(board, attacker, answers));
    Value::open(proof, disproof)
}

impl Odds {
    /// Returns in how many such positions the outcome is seen once, times [`CERTAIN`].
    fn number(&self, board: &Board, attacker: Color, answers: usize) -> u32 {
        let mut odds = self.base + self.answer * (answers as i32).min(MAX_ANSWERS);
        for (color, weights) in [(attacker, &self.attacker), (!attacker, &self.defender)] {
            for (threat, weight) in Threat::ALL[LEAST as usize..].iter().zip(weights) {
                odds += weight * (board.count(color, *threat) as i32).min(MAX_CELLS);
            }
        }
        // One and the odds against it.
        (CERTAIN + ((CERTAIN * exponential(-odds)) >> SHIFT)).min(LARGEST)
    }
}

/// Fractional bits of [`exponential`].
const SHIFT: u32 = 8;

/// Returns two to the power of `parts` / [`PARTS`] with [`SHIFT`] fractional bits, for large
/// exponents some power beyond [`LARGEST`].
fn exponential(parts: i32) -> u32 {
    /// Two to the power of each part of one, with [`SHIFT`] fractional bits.
    const ROOTS: [u32; PARTS as usize] =
        [256, 267, 279, 292, 304, 318, 332, 347, 362, 378, 395, 412, 431, 450, 470, 490];
    const MOST: i32 = 12 * PARTS;
    let parts = parts.min(MOST);
    let root = ROOTS[parts.rem_euclid(PARTS) as usize];
    match parts.div_euclid(PARTS) {
        exponent @ 0.. => root << exponent,
        exponent => root.checked_shr(exponent.unsigned_abs()).unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Rule;

    #[test]
    fn exponentials_double_with_each_whole() {
        for (parts, power) in [(0, 256), (PARTS, 512), (-PARTS, 128), (-1000, 0), (3 * PARTS, 2048)]
        {
            assert_eq!(exponential(parts), power);
        }
        assert!((-300..300).all(|parts| exponential(parts) <= exponential(parts + 1)));
    }

    #[test]
    fn more_threats_of_ones_own_promise_more() {
        let value =
            |moves: &str| first_value(&Board::after(15, Rule::Freestyle, moves), Color::Black, 0);
        let (little, much) = (value("h8a1i9o1"), value("h8a1i9o1g8a15i7o15"));
        assert!(much.proof < little.proof && much.disproof > little.disproof);
    }
}
