//! The bench: fixed positions searched to a fixed depth, with the total of nodes as a signature.
//!
//! One thread, no clock and a new table for each position: the total is the same on every machine
//! and changes only with search or evaluation.

use std::io::{self, Write};

use tengen_gomoku::board::Board;

use crate::eval::{self, Evaluator};
use crate::opening::positions;
use crate::search::control::Control;
use crate::search::{Limits, Override, Params, Searcher};
use crate::time::{Duration, Instant};

static POSITIONS: &str = include_str!("bench.txt");

const DEPTH: i32 = 12;
const TABLE_BYTES: usize = 16 << 20;

/// Stones played and taken back for each position to measure speed.
const MOVES_EACH: usize = 50_000;

/// Prints the nodes of each position and the total; with `times_moves` also the speed of playing
/// and taking back stones.
pub fn print(out: &mut impl Write, overrides: &[Override], times_moves: bool) -> io::Result<()> {
    let start = Instant::now();
    let mut total = 0;
    let searches = positions(POSITIONS).zip(nodes(DEPTH, overrides));
    for (i, ((rule, size, _), nodes)) in searches.enumerate() {
        total += nodes;
        writeln!(out, "{:2} {size} {rule:?} {nodes}", i + 1)?;
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
    for (rule, size, moves) in positions(POSITIONS) {
        let mut board = Board::new(size, rule);
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
    positions(POSITIONS).map(move |(rule, size, moves)| {
        let board = Board::from_moves(size, rule, moves);
        let control = Control::untimed();
        let limits = Limits { depth, ..Limits::default() };
        let mut searcher = Searcher::new(TABLE_BYTES);
        searcher.params = Some(Params::with_overrides(rule, overrides));
        searcher.search(&board, &limits, &control, &mut |_| ()).nodes
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::types::Rule;

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
                let found =
                    positions(POSITIONS).any(|row| (row.1.width(), row.0) == (length, rule));
                assert!(found || (length, rule) == (20, Rule::Renju), "{length} {rule:?}");
            }
        }
    }
}
