//! The search of one thread from the root: what comes before the iterations, iterative deepening,
//! and what goes on between them.

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
use moves::{defer_losing_moves, fallback_move};
use multi_pv::MultiPv;
use proofs::{ThreatScheduler, prove_by_vcf};

/// The deepest iteration on a clock if one root move is left: a deeper one would only tell its
/// score. One is left if a VCF refutes all others, or if a blocked move may follow;
/// `moves::obvious_move` answers the other cases.
const ONLY_MOVE_DEPTH: i32 = 6;

/// Searches the root position: tries to prove a win by threats, defers losing moves, then runs
/// iterative deepening.
pub fn search_root(worker: &mut Worker, threats: &mut ThreatScheduler, fallback: Coord) -> Report {
    let (control, options) = (worker.shared.control, worker.shared.limits.root);
    if options.is_analysis {
        let score = worker.raw_score();
        worker.notify(Progress::Report(&Report { score, ..Report::unsearched(fallback) }));
    }
    let mut multi_pv = MultiPv::new(worker);
    // With one PV `obvious_move` has searched for it.
    let nodes_before = worker.nodes;
    let by_vcf = if options.multi_pv > 1 { prove_by_vcf(worker) } else { None };
    worker.test_nodes += worker.nodes - nodes_before;
    let proof = by_vcf.or_else(|| threats.prove_root(worker, None));
    let is_proven = proof.is_some();
    if let Some(proof) = proof {
        multi_pv.add_proof(proof);
        let mut report = Report { depth: 1, ..Report::unsearched(fallback) };
        multi_pv.write(&mut report);
        if options.multi_pv <= 1 {
            return report;
        }
        if options.is_analysis {
            send_report(worker, &mut report);
        }
    }
    let nodes_before = worker.nodes;
    defer_losing_moves(worker);
    worker.test_nodes += worker.nodes - nodes_before;
    let others = worker.board.empty_cells().without(&worker.unrefuted_moves());
    let fallback = match others.contains(fallback) {
        true => fallback_move(&worker.board, &others).unwrap_or(fallback),
        false => fallback,
    };
    if !is_proven {
        control.publish(fallback);
    }
    deepen(worker, Some(threats), multi_pv, fallback)
}

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
    if saves_time && count <= 1 && worker.unrefuted_moves().len() == 1 {
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
    // Of all moves a stopped first iteration may have searched none that answers a four.
    match report.depth {
        0 if limits.root.all_moves => Report { score, ..Report::unsearched(fallback) },
        _ => report,
    }
}

fn send_report(worker: &mut Worker, report: &mut Report) {
    report.nodes = worker.count_nodes();
    report.elapsed = worker.shared.control.elapsed();
    worker.notify(Progress::Report(report));
}
