//! The first numbers of positions: of those that were only looked at, and of moves not yet played.
//!
//! The threats of both sides say how likely a search wins for the attacker, and how likely it
//! fails: one time in n counts as some leaves for each of n. The odds of a position are logistic
//! functions of the numbers of cells with each threat. They were fitted to 118,000 positions, met by
//! searches from positions of own games under five rules, of which searches of 500 plays win some
//! and searches of 20,000 plays fail in some. The odds of a move are those of the node and what the
//! move's cell offers to both sides, fitted to what 430,000 moves looked like once they were played,
//! with the odds of positions that were in use before. `bin/odds.rs` makes such fits; those that it
//! made anew search about as well. `scripts/README.md` tells what all this is worth.

use super::proof_table::{INFINITE, Value};
use crate::board::Board;
use crate::shape::Threat;
use crate::types::Color;

/// The parts of a doubling of the odds in which they are given.
pub const PARTS: i32 = 16;
/// The threats that count in a position, from this one on, and as many cells of each at most.
const LEAST: Threat = Threat::Forbidden;
const THREATS: usize = Threat::COUNT - LEAST as usize;
const MAX_CELLS: i32 = 6;
const MAX_ANSWERS: i32 = 12;
/// The number of a certain outcome, and the largest.
const CERTAIN: u32 = 2;
const LARGEST: u32 = 2_000;
/// The odds of a position beyond which those of its moves do not change.
const LEAST_ODDS: i32 = -10 * PARTS;
const MOST_ODDS: i32 = 5 * PARTS;

/// What the odds of a position are linear in: see [`features`].
pub const FEATURES: usize = 2 * THREATS + 1;

/// What the odds of an outcome are made of in a position.
struct Odds {
    base: i32,
    /// For each cell where the attacker makes a threat.
    attacker: [i32; THREATS],
    /// For each cell where the defender does.
    defender: [i32; THREATS],
    /// For each of the defender's answers.
    answer: i32,
}

/// What the odds of an outcome are made of behind a move.
struct Prior {
    base: i32,
    /// For each whole of the node's odds of a win and of a failure, in parts of [`PARTS`].
    node: [i32; 2],
    /// By what the move's cell offers to the attacker.
    attacker: [i32; Threat::COUNT],
    /// By what it offers to the defender.
    defender: [i32; Threat::COUNT],
}

/// The odds of a win and of a failure with the attacker to move.
const TO_ATTACK: [Odds; 2] = [
    Odds {
        base: -6,
        attacker: [8, -1, -1, 1, 2, 3, 9, 24, 5, 11, 28, 25, 0],
        defender: [8, -3, -4, 1, -2, 0, -1, -3, -9, -13, -30, -13, -43],
        answer: 0,
    },
    Odds {
        base: 11,
        attacker: [-4, 0, -1, -1, -5, -6, -9, -4, -10, -16, -14, -19, 0],
        defender: [2, 0, 3, -1, 0, 1, 3, 9, 4, 10, 50, 38, 51],
        answer: 0,
    },
];

/// The same with the defender to move.
const TO_DEFEND: [Odds; 2] = [
    Odds {
        base: -11,
        attacker: [8, -4, 0, 1, 2, 3, 10, 28, 6, 14, 41, 21, 17],
        defender: [7, -7, -4, 0, -2, -2, -2, -7, -5, -12, -55, -23, 0],
        answer: -8,
    },
    Odds {
        base: 19,
        attacker: [-2, 2, -1, -1, -5, -6, -10, -4, -10, -17, -16, -13, -32],
        defender: [2, 4, 3, 0, 1, 2, 5, 14, 2, 10, 78, 53, 0],
        answer: 2,
    },
];

/// The same behind a defence.
const DEFENCE: [Prior; 2] = [
    Prior {
        base: 32,
        node: [13, -2],
        attacker: [37, -9, 31, 27, 25, 24, 13, 4, -12, 0, -10, -23, -26, -50],
        defender: [34, 0, 30, 15, 27, 10, -6, -9, -12, -7, -12, -31, -7, 0],
    },
    Prior {
        base: -25,
        node: [-3, 7],
        attacker: [-24, 6, -21, -22, -19, -19, -12, -8, 0, -1, 9, 17, 22, 47],
        defender: [-48, 0, -41, -38, -32, -31, 9, 13, 26, 13, 18, 46, 41, 0],
    },
];

/// The same behind an attack: a win is less likely, by three doublings, and a failure more, by one,
/// than was fitted. Else most attacks would be played only to see that they are as good as guessed.
const ATTACK: [Prior; 2] = [
    Prior {
        base: -98,
        node: [7, -5],
        attacker: [-40, 0, -32, -37, -17, -21, -3, 12, 32, 7, 13, 36, 0, 0],
        defender: [-19, -18, -17, -19, -17, -16, -14, -13, -8, 1, 3, 15, 26, 47],
    },
    Prior {
        base: 48,
        node: [-2, 15],
        attacker: [54, 0, 52, 49, 33, 27, -8, -26, -45, -28, -34, -42, 0, 0],
        defender: [27, 18, 26, 25, 25, 23, 19, 17, 6, 5, -1, -25, -54, -79],
    },
];

/// The same behind a quiet move, which nine times in ten is no attack, changed in the same way.
const QUIET_ATTACK: [Prior; 2] = [
    Prior {
        base: -146,
        node: [3, -13],
        attacker: [0, 0, -42, -34, -13, -8, 0, 0, 0, 0, 0, 0, 0, 0],
        defender: [-37, -17, -30, -31, -31, -29, -20, -19, -6, -13, -8, 20, 35, 89],
    },
    Prior {
        base: 97,
        node: [2, 20],
        attacker: [0, 0, 40, 25, 18, -2, 0, 0, 0, 0, 0, 0, 0, 0],
        defender: [36, 29, 29, 29, 33, 28, 20, 19, 16, 20, 12, -33, -45, -112],
    },
];

/// What kind a move is of, for the guess at its value before it is played.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Guess {
    /// A move of the defender.
    Defence,
    /// A four or a three of the attacker.
    Attack,
    /// A move that may turn out to threaten nothing.
    QuietAttack,
}

impl Guess {
    /// Returns the guess at the value behind a move in a node with these [odds](first_odds), by
    /// what its cell offers to the attacker and to the defender.
    pub fn value(self, odds: [i32; 2], threats: [Threat; 2]) -> Value {
        let priors = match self {
            Guess::Defence => &DEFENCE,
            Guess::Attack => &ATTACK,
            Guess::QuietAttack => &QUIET_ATTACK,
        };
        let odds = odds.map(bounded);
        let [proof, disproof] = priors.each_ref().map(|prior| {
            let node = (prior.node[0] * odds[0] + prior.node[1] * odds[1]) / PARTS;
            let [attacker, defender] = threats.map(|threat| threat as usize);
            number(prior.base + node + prior.attacker[attacker] + prior.defender[defender])
        });
        Value::open(proof, disproof)
    }

    /// Returns the guess at the best of a node's quiet attacks.
    pub fn best_quiet_attack(odds: [i32; 2]) -> Value {
        Guess::QuietAttack.value(odds, [Threat::ThreePlus, Threat::DoubleThree])
    }
}

/// Returns the odds of a node as far as the guesses at its moves mind them.
pub fn bounded(odds: i32) -> i32 {
    odds.clamp(LEAST_ODDS, MOST_ODDS)
}

/// Returns the odds of a win and of a failure in a position in which the defender, if it is his
/// move, has `answers` to try.
pub fn first_odds(board: &Board, attacker: Color, answers: usize) -> [i32; 2] {
    let odds = if board.side_to_move() == attacker { &TO_ATTACK } else { &TO_DEFEND };
    odds.each_ref().map(|odds| odds.of(board, attacker, answers))
}

/// Returns what these odds are linear in, in the order of [`Odds`].
pub fn features(board: &Board, attacker: Color, answers: usize) -> [i32; FEATURES] {
    let threats = |color| {
        Threat::ALL[LEAST as usize..].iter().map(move |&threat| cells_with(board, color, threat))
    };
    let mut features = [(answers as i32).min(MAX_ANSWERS); FEATURES];
    for (feature, cells) in features.iter_mut().zip(threats(attacker).chain(threats(!attacker))) {
        *feature = cells;
    }
    features
}

/// Returns the chance of an outcome that a number stands for.
pub fn chance(number: u32) -> f64 {
    match number {
        INFINITE => 0.0,
        number => (f64::from(CERTAIN) / f64::from(number)).min(1.0),
    }
}

/// Returns the value of such a position.
pub fn first_value(board: &Board, attacker: Color, answers: usize) -> Value {
    let [proof, disproof] = first_odds(board, attacker, answers).map(number);
    Value::open(proof, disproof)
}

impl Odds {
    fn of(&self, board: &Board, attacker: Color, answers: usize) -> i32 {
        let mut odds = self.base + self.answer * (answers as i32).min(MAX_ANSWERS);
        for (color, weights) in [(attacker, &self.attacker), (!attacker, &self.defender)] {
            for (&threat, weight) in Threat::ALL[LEAST as usize..].iter().zip(weights) {
                odds += weight * cells_with(board, color, threat);
            }
        }
        odds
    }
}

/// Returns how many cells count that offer a threat.
fn cells_with(board: &Board, color: Color, threat: Threat) -> i32 {
    (board.count(color, threat) as i32).min(MAX_CELLS)
}

/// Returns in how many positions with such odds the outcome is seen once, times [`CERTAIN`].
fn number(odds: i32) -> u32 {
    // One and the odds against it.
    (CERTAIN + ((CERTAIN * exponential(-odds)) >> SHIFT)).min(LARGEST)
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
    fn odds_are_linear_in_what_they_are_fitted_by() {
        let board = Board::after(15, Rule::Renju, "h8h9i9g7g9f9j8i7i8g8");
        for (odds, answers) in [(&TO_ATTACK[0], 0), (&TO_DEFEND[1], 5)] {
            let weights = odds.attacker.iter().chain(&odds.defender).chain([&odds.answer]);
            let features = features(&board, Color::White, answers);
            let sum: i32 = weights.zip(features).map(|(weight, feature)| weight * feature).sum();
            assert_eq!(odds.base + sum, odds.of(&board, Color::White, answers));
            assert!(features.iter().filter(|&&feature| feature > 0).count() > 5);
        }
    }

    #[test]
    fn more_threats_of_ones_own_promise_more() {
        let value =
            |moves: &str| first_value(&Board::after(15, Rule::Freestyle, moves), Color::Black, 0);
        let (little, much) = (value("h8a1i9o1"), value("h8a1i9o1g8a15i7o15"));
        assert!(much.proof < little.proof && much.disproof > little.disproof);
    }

    #[test]
    fn a_stronger_attack_is_the_better_guess() {
        let of = |threat| Guess::Attack.value([0, -4 * PARTS], [threat, Threat::None]);
        let (three, four_three) = (of(Threat::OpenThree), of(Threat::FourThree));
        assert!(four_three.proof < three.proof && four_three.disproof > three.disproof);
    }
}
