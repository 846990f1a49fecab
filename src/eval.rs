//! The evaluation: what a position is worth to the side to move, and how early a move should be
//! tried.
//!
//! [`Evaluator`] follows a board move by move through [`board::Observer`](crate::board::Observer).
//! The value is the [`network`]'s. Move ordering uses the tables, and no network. The search adds what a [`Style`] makes of the chances on the board, and the cost of
//! black's [`overlines`] under renju, unless the game is drawn before the board is full. Knows
//! boards, and no search.

mod accumulator;
pub mod fingerprint;
pub mod line_code;
pub mod network;
mod network_evaluator;
pub mod overlines;
mod simd;
mod style;
mod tables;
pub mod threat_counts;
pub mod win_rate;

pub use style::Style;
pub use tables::{EvalTables, MoveScores, PerCode};

use std::sync::{Arc, OnceLock};

use crate::board::{Board, CellThreats, Observer};
use crate::types::{Cell, Coord, Rule, Score};
use network::Network;
use network_evaluator::NetworkEvaluator;

/// Returns the [fingerprint](mod@fingerprint) of the networks, which all evaluations come from.
pub fn fingerprint() -> u64 {
    /// A constant that saved files have in their fingerprints.
    const FIRST: u64 = 0xffad_9735_9113_8f81;
    static FINGERPRINT: OnceLock<u64> = OnceLock::new();
    *FINGERPRINT.get_or_init(|| {
        let networks = Rule::ALL.map(|rule| fingerprint::of(network::file_of(rule)));
        let all = [FIRST].into_iter().chain(networks);
        fingerprint::of(&all.flat_map(u64::to_le_bytes).collect::<Vec<_>>())
    })
}

/// The evaluation of a board, kept up to date as the board's [`Observer`].
pub struct Evaluator {
    network: NetworkEvaluator,
}

impl Evaluator {
    /// Returns the evaluator of a board as it stands by the network of its rule.
    pub fn new(board: &Board) -> Evaluator {
        Evaluator::by_network(board, Network::of(board.rule()))
    }

    /// Returns the evaluator of a board as it stands by this network.
    pub fn by_network(board: &Board, network: Arc<Network>) -> Evaluator {
        Evaluator { network: NetworkEvaluator::new(board, network) }
    }

    /// Returns the static evaluation for the side to move, within ±[`Score::EVAL_LIMIT`].
    pub fn evaluate(&mut self, board: &Board) -> Score {
        Score::eval(self.network.evaluate(board))
    }
}

impl Observer for Evaluator {
    #[inline]
    fn begin(&mut self, mv: Coord, cell: Cell, threats: &CellThreats) {
        self.network.begin(mv, cell, threats);
    }

    #[inline]
    fn cell_changed(&mut self, _: Coord, _: &CellThreats, _: &CellThreats) {}

    #[inline]
    fn undo(&mut self) {
        self.network.undo();
    }
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
}
