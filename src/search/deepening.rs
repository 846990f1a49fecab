//! Iterative deepening with aspiration windows, and what goes on between the iterations.
//!
//! One thread's part of a search. Knows clocks through [`Control`] only.

#[cfg(doc)]
use super::clock::Control;
use super::lines::{Lines, RootOptions};
use super::negamax::{Stopped, Worker};
use super::params::PLY;
use super::patience::Patience;
use super::picker::Moves;
use super::root::{self, Proof, Prover};
use super::{Limits, MAX_DEPTH, Progress, Report, pool};
use crate::types::{Coord, Score, Window};

/// Iterative deepening: each depth is searched with what the one before left in the table.
pub(super) fn deepen(
    worker: &mut Worker,
    mut prover: Option<&mut Prover>,
    mut lines: Lines,
    limits: &Limits,
    fallback: Coord,
) -> Report {
    let (shared, control) = (worker.shared(), worker.shared().control);
    let mut report = Report::unsearched(fallback);
    let mut patience = Patience::default();
    let last = limits.depth.min(MAX_DEPTH);
    for depth in limits.first_depth.min(last)..=last {
        if pool::skips(worker.thread, depth) {
            continue;
        }
        worker.selective_depth = 0;
        let result = lines.search(worker, depth);
        lines.write(&mut report);
        if result.is_err() {
            break;
        }
        report.depth = depth;
        report.selective_depth = worker.selective_depth as i32;
        report.nodes = worker.count_nodes();
        report.elapsed = control.elapsed();
        worker.tell(Progress::Iteration(&report));
        if lines.are_settled() {
            shared.end();
        }
        if shared.is_over() || control.is_stopped() {
            break;
        }
        let proof = prover.as_mut().and_then(|prover| prove(prover, worker, &limits.root));
        if let Some(proof) = proof {
            lines.add_proof(proof);
            lines.write(&mut report);
            if lines.are_settled() {
                break;
            }
        }
        patience.note(report.best, report.score, worker.effort());
        if worker.thread == 0 && patience.is_over(control) {
            break;
        }
    }
    report
}

/// Goes on with the proof of a win that begins with a move that is not excluded.
pub(super) fn prove(
    prover: &mut Prover,
    worker: &mut Worker,
    options: &RootOptions,
) -> Option<Proof> {
    if worker.blocked.lies_ahead(&worker.board) {
        return None;
    }
    prover.prove(worker).filter(|proof| !options.excluded.contains(proof.mv))
}

/// Takes the moves that lose to continuous fours out of the root. Where several lines are asked
/// for they come after the others.
pub(super) fn drop_losing_moves(worker: &mut Worker, options: &RootOptions, node_limit: u64) {
    if options.all_moves {
        return;
    }
    let Moves { cells, reserve } = worker.root_moves;
    root::drop_losing_moves(worker, node_limit);
    if options.lines > 1 {
        worker.root_moves.reserve = (cells | reserve).without(&worker.root_moves.cells);
    }
}

/// Aspiration: searches with a narrow window around the last score and widens it on a miss.
pub(super) fn aspirate(worker: &mut Worker, depth: i32, last: Score) -> Result<Score, Stopped> {
    if depth < 5 || last.is_decisive() {
        return worker.negamax::<true>(depth * PLY, 0, Window::FULL, false);
    }
    let mut width = worker.params().aspiration_width;
    let mut window = Window::new(last.shift(-width), last.shift(width));
    loop {
        let score = worker.negamax::<true>(depth * PLY, 0, window, false)?;
        width *= 2;
        if score <= window.alpha {
            window.alpha = if width > 1000 { Score::MIN } else { score.shift(-width) };
        } else if score >= window.beta {
            window.beta = if width > 1000 { Score::MAX } else { score.shift(width) };
        } else {
            return Ok(score);
        }
        if score.is_decisive() {
            window = Window::FULL;
        }
    }
}
