//! The bench: fixed positions searched to a fixed depth, with the total of nodes as a signature.
//!
//! One thread, no clock and a new table for each position: the total is the same on every machine
//! and changes only with search or evaluation. The positions are of the engine's own games at low
//! node counts, from openings made for this file.

use std::io::{self, Write};

use tengen_gomoku::board::Board;
use tengen_gomoku::board::notation::parse_points;
use tengen_gomoku::types::Rule;

use crate::eval::{self, Evaluator};
use crate::search::control::Control;
use crate::search::{Limits, Override, Params, Searcher};
use crate::time::{Duration, Instant};

const DEPTH: i32 = 12;
const TABLE_BYTES: usize = 16 << 20;

/// Stones played and taken back for each position to measure speed.
const MOVES_EACH: usize = 50_000;

struct BenchPosition(u8, Rule, &'static str);

const POSITIONS: [BenchPosition; 16] = [
    BenchPosition(15, Rule::Freestyle, "h8i9h10"),
    BenchPosition(15, Rule::Freestyle, "h8i9h10g7l12f10j11h11k10i12f9i10"),
    BenchPosition(20, Rule::Freestyle, "j10k11l9m12i8j7j5i10m11g6k7l8k9j12i13"),
    BenchPosition(20, Rule::Freestyle, "c4d5r17q16e5f6p14e9"),
    BenchPosition(15, Rule::Standard, "h8h9j7f10i6k8"),
    BenchPosition(20, Rule::Standard, "k10l10k12m9h11k13n8p10e10"),
    BenchPosition(15, Rule::Renju, "h8i9g9f7j11f10f11"),
    BenchPosition(15, Rule::Renju, "h8h9f9j6k10g6e11f8g5e10"),
    BenchPosition(
        15,
        Rule::Renju,
        "h8g7i10e9k6d11d10f9e10g9h9g8g10f11f8c10h7h10j6h6g11g5g6f5k9c9d9i8f4l6k11e5h5k12k5k7f13l4\
         l5i4k4j5k3k2e6m4c11n5l3",
    ),
    BenchPosition(15, Rule::Caro, "h8i9j8g10e7e11f5k8i10j11"),
    BenchPosition(20, Rule::Caro, "k11j10i12m9j9l7n10"),
    BenchPosition(15, Rule::CaroExact, "h8h10f8j10g11g8k10f11j7e9e6f5g5i12i4i7"),
    BenchPosition(
        15,
        Rule::CaroExact,
        "h8h10f8j10g11g8k10f11j7e9e6f5g5i12i4i7e10k6e4l11k5h4g3e3k12k13m6g2d4h2l13k8c9l5l8c4d12k3\
         j12m9h5g6f13c10m11g13l3j4l2d8f2b5b11e14a6m14d7b7a5a7b6d6f14b12n4h11j13c11m5m4e12k7h14n12",
    ),
    BenchPosition(20, Rule::CaroExact, "j11k9l12h8n9j7l5f5p10k8"),
    // Won by continuous fours.
    BenchPosition(15, Rule::Renju, "h8i9g9f7j11f10f11e9d8e6i10f6h9g8k12l13g10f8f9i8"),
    BenchPosition(15, Rule::Freestyle, "h8i9h10g7l12f10j11h11k10i12f9i10i11j12j9i8j7j6i6k8e7e11"),
];

/// Prints the nodes of each position and the total; with `times_moves` also the speed of playing
/// and taking back stones.
pub fn print(out: &mut impl Write, overrides: &[Override], times_moves: bool) -> io::Result<()> {
    let start = Instant::now();
    let mut total = 0;
    for (i, position) in POSITIONS.iter().enumerate() {
        let nodes = position.nodes(DEPTH, overrides);
        total += nodes;
        let BenchPosition(length, rule, _) = position;
        writeln!(out, "{:2} {length}x{length} {rule:?} {nodes}", i + 1)?;
        out.flush()?;
    }
    let speed = total as f64 / start.elapsed().as_secs_f64();
    writeln!(out, "Evaluation: {:08x}", eval::fingerprint() >> 32)?;
    if times_moves {
        writeln!(out, "Moves: {:.0} played and taken back a second", moves_per_second())?;
    }
    writeln!(out, "Bench: {total} nodes {speed:.0} nps")
}

/// Returns the stones played and taken back in a second, network sums included.
fn moves_per_second() -> f64 {
    let mut stones = 0;
    let mut elapsed = Duration::ZERO;
    for &BenchPosition(length, rule, moves) in &POSITIONS {
        let mut board = Board::after(length, rule, "");
        let moves = parse_points(moves, board.size()).expect("invariant: readable positions");
        let mut evaluator = Evaluator::new(&board);
        let start = Instant::now();
        for _ in 0..MOVES_EACH / moves.len() {
            for &mv in &moves {
                evaluator.play(mv, board.side_to_move());
                board.play(mv);
            }
            for _ in &moves {
                evaluator.undo();
                board.undo();
            }
            stones += moves.len();
        }
        elapsed += start.elapsed();
    }
    stones as f64 / elapsed.as_secs_f64()
}

/// Returns the node count of each position. The searches run as the iterator is consumed.
pub fn nodes(depth: i32, overrides: &[Override]) -> impl Iterator<Item = u64> {
    POSITIONS.iter().map(move |position| position.nodes(depth, overrides))
}

impl BenchPosition {
    fn nodes(&self, depth: i32, overrides: &[Override]) -> u64 {
        let &BenchPosition(length, rule, moves) = self;
        let board = Board::after(length, rule, moves);
        let control = Control::untimed();
        let limits = Limits { depth, ..Limits::default() };
        let mut searcher = Searcher::new(TABLE_BYTES);
        searcher.params = Some(Params::with_overrides(rule, overrides));
        searcher.search(&board, &limits, &control, &mut |_| ()).nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_the_same_every_time() {
        let first: u64 = nodes(4, &[]).sum();
        assert!(first > 0);
        assert_eq!(nodes(4, &[]).sum::<u64>(), first);
    }

    #[test]
    fn every_rule_and_both_sizes_are_there() {
        for rule in Rule::ALL {
            for length in [15, 20] {
                let found = POSITIONS.iter().any(|p| (p.0, p.1) == (length, rule));
                assert!(found || (length, rule) == (20, Rule::Renju), "{length} {rule:?}");
            }
        }
    }
}
