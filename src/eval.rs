//! The evaluation: the value of a position for the side to move.
//!
//! An [`Evaluator`] follows a board move by move and asks the [`network`] for its value, and for its
//! [`policy`] to order moves. The search adds a [`Style`] to the value. Under renju, unless the game
//! is drawn earlier, it also adds black's [`overlines`].

mod accumulator;
pub mod network;
pub mod overlines;
pub mod pattern;
pub mod policy;
pub mod regions;
pub mod rows;
mod simd;
mod style;
pub mod threat_counts;
pub mod win_rate;

pub use style::Style;

use std::sync::{Arc, OnceLock};

use tengen_gomoku::board::Board;
use tengen_gomoku::types::random::{GAMMA, finalized};
use tengen_gomoku::types::{Color, Coord, Rule};

use crate::score::Score;
use accumulator::Accumulator;
use network::Network;
use policy::ScoreMoves;
use rows::Rows;
use simd::{Instructions, Kernel};
use threat_counts::threat_counts;

/// The network's value and policy of a board; moves are played and taken back here too.
pub struct Evaluator {
    network: Arc<Network>,
    accumulator: Accumulator,
    policy_accumulator: Accumulator,
}

impl Evaluator {
    pub fn new(board: &Board) -> Evaluator {
        Evaluator::by_network(board, Network::of(board.rule()))
    }

    pub fn by_network(board: &Board, network: Arc<Network>) -> Evaluator {
        let accumulator =
            |rows: &Arc<Rows>| Accumulator::new(Arc::clone(rows), board.size(), board.lines());
        Evaluator {
            accumulator: accumulator(network.rows()),
            policy_accumulator: accumulator(&network.policy().rows),
            network,
        }
    }

    #[inline]
    pub fn play(&mut self, mv: Coord, color: Color) {
        self.accumulator.place(mv, color.cell());
        self.policy_accumulator.place(mv, color.cell());
    }

    #[inline]
    pub fn undo(&mut self) {
        self.accumulator.undo();
        self.policy_accumulator.undo();
    }

    /// Returns the evaluation for the side to move, within ±[`Score::EVAL_LIMIT`].
    pub fn evaluate(&mut self, board: &Board) -> Score {
        let Evaluator { network, accumulator, .. } = self;
        let (us, counts) = (board.side_to_move(), threat_counts(board));
        Score::eval(simd::run(Evaluate { network, accumulator, us, counts }))
    }

    /// Replaces the order tables' scores of moves of `us`, who is to move, by the policy's.
    pub fn score_moves(&mut self, us: Color, moves: &mut [(Coord, i32)]) {
        let policy = self.network.policy();
        simd::run(ScoreMoves { policy, accumulator: &mut self.policy_accumulator, us, moves });
    }
}

struct Evaluate<'a> {
    network: &'a Network,
    accumulator: &'a mut Accumulator,
    us: Color,
    counts: u64,
}

impl Kernel for Evaluate<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<I: Instructions>(self) -> i32 {
        self.network.value::<I>(self.us, self.accumulator.regions::<I>(), self.counts)
    }
}

/// Returns the fingerprint of the networks, which saved tables and training data carry.
pub fn fingerprint() -> u64 {
    // Part of every saved fingerprint.
    const FIRST: u64 = 0xffad_9735_9113_8f81;
    static FINGERPRINT: OnceLock<u64> = OnceLock::new();
    *FINGERPRINT.get_or_init(|| {
        let networks = Rule::ALL.map(|rule| hash(network::file_of(rule)));
        let all = [FIRST].into_iter().chain(networks);
        hash(&all.flat_map(u64::to_le_bytes).collect::<Vec<_>>())
    })
}

/// Returns a hash that tells versions apart, no protection against forgery.
pub fn hash(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain(std::iter::once(&last)).map(|&word| u64::from_le_bytes(word));
    let length = bytes.len() as u64;
    words.fold(length, |hash, word| finalized((hash ^ word).wrapping_add(GAMMA)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_three_to_move_is_better_than_none() {
        let evaluate = |moves: &str| {
            let board = Board::after(15, Rule::Freestyle, moves);
            Evaluator::new(&board).evaluate(&board).value()
        };
        assert!(evaluate("g8a1h8a15") > evaluate("g8a1n3a15") + 10);
    }

    #[test]
    fn every_byte_and_the_length_count() {
        let bytes: Vec<u8> = (0..21).collect();
        let mut all = vec![hash(&bytes), hash(&bytes[..20]), hash(&[])];
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            all.push(hash(&changed));
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        all.push(hash(&longer));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn a_fingerprint_stays_what_saved_files_carry() {
        assert_eq!(hash(b"fingerprint"), 0x2cb3_edd1_9069_bf69);
    }
}
