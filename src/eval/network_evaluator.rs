//! What the network says of a position, worked out when it is asked for.
//!
//! Knows the network, its sums and boards, and no tables.

use std::sync::Arc;

use super::accumulator::Accumulator;
use super::network::Network;
use super::simd::{self, Instructions, Task};
use super::threat_counts::threat_counts;
use crate::board::{Board, CellThreats, Observer};
use crate::types::{Cell, Color, Coord};

/// Keeps the network's value of a board that is played on through it.
pub struct NetworkEvaluator {
    network: Arc<Network>,
    accumulator: Accumulator,
    /// The value of the position as it stands, if it was asked for, with the side to move then.
    known: Option<(Color, i32)>,
}

impl NetworkEvaluator {
    /// Returns the evaluator of a board as it stands.
    pub fn new(board: &Board, network: Arc<Network>) -> NetworkEvaluator {
        let accumulator = Accumulator::new(Arc::clone(&network), board.size(), board.lines());
        NetworkEvaluator { network, accumulator, known: None }
    }

    /// Returns the value for the side to move, in evaluation units.
    pub fn evaluate(&mut self, board: &Board) -> i32 {
        let us = board.side_to_move();
        if let Some((side, value)) = self.known
            && side == us
        {
            return value;
        }
        let NetworkEvaluator { network, accumulator, .. } = self;
        let counts = threat_counts(board);
        let value = simd::run(Evaluate { network, accumulator, us, counts });
        self.known = Some((us, value));
        value
    }
}

impl Observer for NetworkEvaluator {
    #[inline]
    fn begin(&mut self, mv: Coord, cell: Cell, _: &CellThreats) {
        self.accumulator.place(mv, cell);
        self.known = None;
    }

    #[inline]
    fn cell_changed(&mut self, _: Coord, _: &CellThreats, _: &CellThreats) {}

    #[inline]
    fn undo(&mut self) {
        self.accumulator.undo();
        self.known = None;
    }
}

/// The task of finding the value of a position.
struct Evaluate<'a> {
    network: &'a Network,
    accumulator: &'a mut Accumulator,
    us: Color,
    counts: u64,
}

impl Task for Evaluate<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<I: Instructions>(self) -> i32 {
        self.network.value::<I>(self.us, self.accumulator.regions::<I>(), self.counts)
    }
}
