//! Iterative deepening by one thread, and what goes on between the iterations.

pub mod balance;
pub mod moves;
pub mod multi_pv;
pub mod proofs;

use tengen_gomoku::types::Coord;

use super::clock::TimeManager;
use super::limits::{MAX_DEPTH, RootOptions};
use super::pool;
use super::report::{Progress, Report};
use super::tree::Worker;
use crate::score::Score;
use multi_pv::MultiPv;
use proofs::ThreatScheduler;

/// The deepest iteration for an only move when saved time is left for later moves: it only gives a
/// score. The other moves were dropped as losing, or a later move is blocked: any other only move
/// is answered by `moves::obvious_move`.
const ONLY_MOVE_DEPTH: i32 = 6;

/// Iterative deepening. Returns the report of the last iteration; its move is `fallback` if no PV
/// was found.
pub fn deepen(
    worker: &mut Worker,
    mut threats: Option<&mut ThreatScheduler>,
    mut multi_pv: MultiPv,
    fallback: Coord,
) -> Report {
    let shared = worker.shared;
    let (control, limits) = (shared.control, &shared.limits);
    // Used if an analysis ends before its first iteration.
    let score = if limits.root.is_analysis { worker.raw_score() } else { Score::DRAW };
    let mut report = Report { score, ..Report::unsearched(fallback) };
    let mut time_manager = TimeManager::default();
    let mut last = limits.depth.min(MAX_DEPTH);
    let RootOptions { multi_pv: count, is_analysis, .. } = limits.root;
    let saves_time = control.soft().is_some() && !is_analysis;
    if saves_time && count <= 1 && worker.root_moves.only().is_some() {
        last = last.min(ONLY_MOVE_DEPTH);
    }
    for depth in limits.first_depth.min(last)..=last {
        if pool::skips(worker.thread, depth) {
            continue;
        }
        worker.selective_depth = 0;
        let result = multi_pv.search(worker, depth, &mut |worker, multi_pv| {
            if is_analysis && report.depth > 0 {
                multi_pv.write(&mut report);
                send_report(worker, &mut report);
            }
        });
        multi_pv.write(&mut report);
        if result.is_err() {
            break;
        }
        report.depth = depth;
        report.selective_depth = worker.selective_depth as i32;
        if worker.thread == 0 {
            control.set_depth(depth);
        }
        send_report(worker, &mut report);
        if multi_pv.are_settled() {
            shared.end();
        }
        if shared.must_stop() {
            break;
        }
        time_manager.update(report.best, report.score, worker.effort());
        let planned = control.soft().filter(|_| worker.thread == 0);
        let scaled = planned.map(|soft| time_manager.scaled(soft));
        let proof = threats.as_mut().and_then(|t| t.prove_root(worker, scaled));
        if let Some(proof) = proof {
            multi_pv.add_proof(proof);
            multi_pv.write(&mut report);
            if multi_pv.are_settled() {
                break;
            }
            if is_analysis {
                send_report(worker, &mut report);
            }
        }
        if depth < last
            && let Some(threats) = &mut threats
        {
            threats.prove_pv(worker, &report.pv, report.score, scaled);
        }
        if scaled.is_some_and(|scaled| control.elapsed() > scaled) {
            break;
        }
    }
    report
}

pub fn send_report(worker: &mut Worker, report: &mut Report) {
    report.nodes = worker.count_nodes();
    report.elapsed = worker.shared.control.elapsed();
    worker.notify(Progress::Report(report));
}
