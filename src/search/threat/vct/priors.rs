//! Initial proof numbers: of expanded positions, and of moves before they are played.
//!
//! Plain proof-number search starts every leaf at 1 and 1. Here a logistic model estimates the
//! probability p of each outcome, and the number is [`LEAF`] / p: if one position in n can be
//! proven, a proof takes n leaves (heuristic initialisation, df-pn+: Nagai, 1999).
//! [`PositionModel`] was fitted to 118,000 positions of searches under five rules, "proven" within
//! 500 nodes or "disproven" within 20,000; [`MoveModel`] to 430,000 moves and the numbers of an
//! earlier position model after them. Newer fits search about as well (`docs/experiments.md`).

use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::Color;

use super::proof_table::ProofNumbers;

/// Log odds are whole numbers: so many double the odds.
const DOUBLING: i32 = 16;
const MIN_THREAT: Threat = Threat::Forbidden;
const THREATS: usize = Threat::COUNT - MIN_THREAT as usize;
/// Cells of a threat, and answers of the defender, that count at most.
const MAX_CELLS: i32 = 6;
const MAX_ANSWERS: i32 = 12;
/// The number of a certain outcome; 2 rather than 1 for a finer scale.
const LEAF: u32 = 2;
const MAX_NUMBER: u32 = 2_000;
/// The range of a node's log odds in the move model.
const MIN_NODE_LOG_ODDS: i32 = -10 * DOUBLING;
const MAX_NODE_LOG_ODDS: i32 = 5 * DOUBLING;

/// Weights of an outcome's log odds in a position.
struct PositionModel {
    base: i32,
    /// For each cell with such a threat of the attacker.
    attacker: [i32; THREATS],
    defender: [i32; THREATS],
    /// For each answer of the defender.
    answer: i32,
}

/// Weights of an outcome's log odds after a move.
struct MoveModel {
    base: i32,
    /// Factors of the node's log odds of a proof and of a disproof, in 1 / [`DOUBLING`].
    node: [i32; 2],
    /// By the threat that the cell offers to the attacker.
    attacker: [i32; Threat::COUNT],
    defender: [i32; Threat::COUNT],
}

// The models of a proof and of a disproof.
const ATTACKER_TO_MOVE: [PositionModel; 2] = [
    PositionModel {
        base: -6,
        attacker: [8, -1, -1, 1, 2, 3, 9, 24, 5, 11, 28, 25, 0],
        defender: [8, -3, -4, 1, -2, 0, -1, -3, -9, -13, -30, -13, -43],
        answer: 0,
    },
    PositionModel {
        base: 11,
        attacker: [-4, 0, -1, -1, -5, -6, -9, -4, -10, -16, -14, -19, 0],
        defender: [2, 0, 3, -1, 0, 1, 3, 9, 4, 10, 50, 38, 51],
        answer: 0,
    },
];

const DEFENDER_TO_MOVE: [PositionModel; 2] = [
    PositionModel {
        base: -11,
        attacker: [8, -4, 0, 1, 2, 3, 10, 28, 6, 14, 41, 21, 17],
        defender: [7, -7, -4, 0, -2, -2, -2, -7, -5, -12, -55, -23, 0],
        answer: -8,
    },
    PositionModel {
        base: 19,
        attacker: [-2, 2, -1, -1, -5, -6, -10, -4, -10, -17, -16, -13, -32],
        defender: [2, 4, 3, 0, 1, 2, 5, 14, 2, 10, 78, 53, 0],
        answer: 2,
    },
];

const DEFENCE: [MoveModel; 2] = [
    MoveModel {
        base: 32,
        node: [13, -2],
        attacker: [37, -9, 31, 27, 25, 24, 13, 4, -12, 0, -10, -23, -26, -50],
        defender: [34, 0, 30, 15, 27, 10, -6, -9, -12, -7, -12, -31, -7, 0],
    },
    MoveModel {
        base: -25,
        node: [-3, 7],
        attacker: [-24, 6, -21, -22, -19, -19, -12, -8, 0, -1, 9, 17, 22, 47],
        defender: [-48, 0, -41, -38, -32, -31, 9, 13, 26, 13, 18, 46, 41, 0],
    },
];

// Most attacks are expanded only to confirm the fitted priors; lower ones leave them for later. The
// bases after an attack are three doublings below the fitted log odds of a proof, and one above
// those of a disproof: chosen by the nodes of solved positions.

/// After a four or a three of the attacker, or his answer to a four.
const ATTACK: [MoveModel; 2] = [
    MoveModel {
        base: -98,
        node: [7, -5],
        attacker: [-40, 0, -32, -37, -17, -21, -3, 12, 32, 7, 13, 36, 0, 0],
        defender: [-19, -18, -17, -19, -17, -16, -14, -13, -8, 1, 3, 15, 26, 47],
    },
    MoveModel {
        base: 48,
        node: [-2, 15],
        attacker: [54, 0, 52, 49, 33, 27, -8, -26, -45, -28, -34, -42, 0, 0],
        defender: [27, 18, 26, 25, 25, 23, 19, 17, 6, 5, -1, -25, -54, -79],
    },
];

/// After a quiet move, which nine times in ten threatens nothing.
const QUIET_ATTACK: [MoveModel; 2] = [
    MoveModel {
        base: -146,
        node: [3, -13],
        attacker: [0, 0, -42, -34, -13, -8, 0, 0, 0, 0, 0, 0, 0, 0],
        defender: [-37, -17, -30, -31, -31, -29, -20, -19, -6, -13, -8, 20, 35, 89],
    },
    MoveModel {
        base: 97,
        node: [2, 20],
        attacker: [0, 0, 40, 25, 18, -2, 0, 0, 0, 0, 0, 0, 0, 0],
        defender: [36, 29, 29, 29, 33, 28, 20, 19, 16, 20, 12, -33, -45, -112],
    },
];

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MoveClass {
    Defence,
    /// A four or a three, or the attacker's answer to a four.
    Attack,
    /// An attacker's move that may threaten nothing.
    QuietAttack,
}

impl MoveClass {
    /// Returns the prior of a move from the log odds of its node and from the threats of its cell,
    /// for attacker and defender.
    pub fn prior(self, log_odds: [i32; 2], threats: [Threat; 2]) -> ProofNumbers {
        let models = match self {
            MoveClass::Defence => &DEFENCE,
            MoveClass::Attack => &ATTACK,
            MoveClass::QuietAttack => &QUIET_ATTACK,
        };
        let log_odds = log_odds.map(|n| n.clamp(MIN_NODE_LOG_ODDS, MAX_NODE_LOG_ODDS));
        let [proof, disproof] = models.each_ref().map(|model| {
            let node = (model.node[0] * log_odds[0] + model.node[1] * log_odds[1]) / DOUBLING;
            let [attacker, defender] = threats.map(|threat| threat as usize);
            number(model.base + node + model.attacker[attacker] + model.defender[defender])
        });
        ProofNumbers::new(proof, disproof)
    }

    /// Returns the prior that stands for all quiet attacks until they are generated: that of a good
    /// one. An attack that also stops a four with a three is better.
    pub fn assumed_quiet_prior(log_odds: [i32; 2]) -> ProofNumbers {
        MoveClass::QuietAttack.prior(log_odds, [Threat::ThreePlus, Threat::DoubleThree])
    }
}

/// `answers`: the number of the defender's moves, 0 if the attacker is to move.
pub fn initial_numbers(board: &Board, attacker: Color, answers: usize) -> ProofNumbers {
    let [proof, disproof] = log_odds(board, attacker, answers).map(number);
    ProofNumbers::new(proof, disproof)
}

pub fn log_odds(board: &Board, attacker: Color, answers: usize) -> [i32; 2] {
    let is_attack = board.side_to_move() == attacker;
    let models = if is_attack { &ATTACKER_TO_MOVE } else { &DEFENDER_TO_MOVE };
    models.each_ref().map(|model| {
        let mut sum = model.base + model.answer * (answers as i32).min(MAX_ANSWERS);
        for (color, weights) in [(attacker, &model.attacker), (!attacker, &model.defender)] {
            for (&threat, weight) in Threat::ALL[MIN_THREAT as usize..].iter().zip(weights) {
                sum += weight * (board.count(color, threat) as i32).min(MAX_CELLS);
            }
        }
        sum
    })
}

/// Returns the proof or disproof number of an outcome with these log odds.
fn number(log_odds: i32) -> u32 {
    // 1 / p is one plus the odds against the outcome.
    (LEAF + ((LEAF * exp2(-log_odds)) >> SHIFT)).min(MAX_NUMBER)
}

/// Fractional bits of [`exp2`].
const SHIFT: u32 = 8;

/// Returns two to the power of `log_odds` / [`DOUBLING`] with [`SHIFT`] fractional bits; for large
/// exponents any power beyond [`MAX_NUMBER`].
fn exp2(log_odds: i32) -> u32 {
    const ROOTS: [u32; DOUBLING as usize] =
        [256, 267, 279, 292, 304, 318, 332, 347, 362, 378, 395, 412, 431, 450, 470, 490];
    const LARGEST: i32 = 12 * DOUBLING;
    let log_odds = log_odds.min(LARGEST);
    let root = ROOTS[log_odds.rem_euclid(DOUBLING) as usize];
    match log_odds.div_euclid(DOUBLING) {
        exponent @ 0.. => root << exponent,
        exponent => root.checked_shr(exponent.unsigned_abs()).unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::types::Rule;

    #[test]
    fn powers_double_with_each_whole_exponent() {
        for (log_odds, power) in
            [(0, 256), (DOUBLING, 512), (-DOUBLING, 128), (-1000, 0), (3 * DOUBLING, 2048)]
        {
            assert_eq!(exp2(log_odds), power);
        }
        assert!((-300..300).all(|log_odds| exp2(log_odds) <= exp2(log_odds + 1)));
    }

    #[test]
    fn more_threats_of_the_attacker_are_easier_to_prove() {
        let numbers = |moves: &str| {
            initial_numbers(&Board::after(15, Rule::Freestyle, moves), Color::Black, 0)
        };
        let (few, many) = (numbers("h8a1i9o1"), numbers("h8a1i9o1g8a15i7o15"));
        assert!(many.proof < few.proof && many.disproof > few.disproof);
    }

    #[test]
    fn a_stronger_attack_has_the_better_prior() {
        let prior = |threat| MoveClass::Attack.prior([0, -4 * DOUBLING], [threat, Threat::None]);
        let (three, four_three) = (prior(Threat::OpenThree), prior(Threat::FourThree));
        assert!(four_three.proof < three.proof && four_three.disproof > three.disproof);
    }
}
