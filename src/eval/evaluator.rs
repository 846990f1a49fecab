//! The evaluation of a board that is played on, worked out when it is asked for.

use std::sync::Arc;

use super::accumulator::Accumulator;
use super::network::Network;
use super::simd::{self, Instructions, Kernel};
use super::threat_counts::threat_counts;
use crate::board::Board;
use crate::types::{Color, Coord, Score};

/// The network's evaluation of a board; moves are played and taken back here too.
pub struct Evaluator {
    network: Arc<Network>,
    accumulator: Accumulator,
}

impl Evaluator {
    pub fn new(board: &Board) -> Evaluator {
        Evaluator::by_network(board, Network::of(board.rule()))
    }

    pub fn by_network(board: &Board, network: Arc<Network>) -> Evaluator {
        let accumulator = Accumulator::new(Arc::clone(&network), board.size(), board.lines());
        Evaluator { network, accumulator }
    }

    #[inline]
    pub fn play(&mut self, mv: Coord, color: Color) {
        self.accumulator.place(mv, color.cell());
    }

    #[inline]
    pub fn undo(&mut self) {
        self.accumulator.undo();
    }

    /// Returns the evaluation for the side to move, within ±[`Score::EVAL_LIMIT`].
    pub fn evaluate(&mut self, board: &Board) -> Score {
        let Evaluator { network, accumulator } = self;
        let (us, counts) = (board.side_to_move(), threat_counts(board));
        Score::eval(simd::run(Evaluate { network, accumulator, us, counts }))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Rule;

    #[test]
    fn an_open_three_to_move_is_better_than_none() {
        let evaluate = |moves: &str| {
            let board = Board::after(15, Rule::Freestyle, moves);
            Evaluator::new(&board).evaluate(&board).value()
        };
        assert!(evaluate("g8a1h8a15") > evaluate("g8a1n3a15") + 10);
    }
}
