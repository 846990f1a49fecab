//! Proven wins and their PVs: moves of the proof table and of VCF searches. Their positions are
//! stored in the transposition table.

use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{Color, Coord};

use super::moves::root_vcf_nodes;
use crate::score::Score;
use crate::search::threat::vcf::Outcome;
use crate::search::threat::vct::Vct;
use crate::search::tree::Worker;

/// Limit of a VCF search, used where the proof table has no further move.
const VCF_NODES: u64 = 20_000;

pub struct Proof {
    pub mv: Coord,
    pub score: Score,
    pub pv: Vec<Coord>,
}

pub fn prove_by_fours(worker: &mut Worker) -> Option<Proof> {
    let shared = worker.shared();
    let Outcome::Win { mv, plies } = worker.solve_vcf(root_vcf_nodes(shared)) else { return None };
    if shared.limits.root.excluded.contains(mv) {
        return None;
    }
    shared.control.publish(mv);
    Some(Proof { mv, score: Score::win_in(plies), pv: variation_by_fours(worker, mv) })
}

/// Returns the PV of a VCF that begins with `mv`, and stores its positions in the transposition
/// table; `mv` alone if no such win is found.
pub fn variation_by_fours(worker: &mut Worker, mv: Coord) -> Vec<Coord> {
    let variation = store_variation(None, worker);
    if variation.first() == Some(&mv) { variation } else { vec![mv] }
}

/// Stores the positions of a win in the transposition table: of what the last [`Vct::solve`]
/// proved, or without `vct` of a VCF. Returns its PV, which may end before the five.
pub fn store_variation(vct: Option<&Vct>, worker: &mut Worker) -> Vec<Coord> {
    let attacker = worker.board.side_to_move();
    let (mut variation, mut end) = (Vec::new(), 0);
    while let Some((mv, plies)) = next_move(vct, worker, attacker) {
        let (us, ply) = (worker.board.side_to_move(), variation.len());
        // The game would be drawn before this win.
        if plies.is_some_and(|plies| !worker.is_in_time(plies)) {
            break;
        }
        end = plies.map_or(end, |plies| ply as i32 + plies);
        let score = if us == attacker { Score::win_in(end) } else { Score::loss_in(end) };
        worker.store_proof(ply, score, mv);
        variation.push(mv);
        let is_last = worker.board.makes_five(mv, us);
        worker.board.play(mv);
        if is_last {
            break;
        }
    }
    for _ in &variation {
        worker.board.undo();
    }
    variation
}

/// Returns the next move of the PV, with an upper bound of the plies to the five if one is known.
fn next_move(
    vct: Option<&Vct>,
    worker: &mut Worker,
    attacker: Color,
) -> Option<(Coord, Option<i32>)> {
    let us = worker.board.side_to_move();
    if let Some((mv, plies)) = vct.and_then(|vct| vct.proven_move(&worker.board)) {
        return Some((mv, Some(plies)));
    }
    if us != attacker {
        let threatens_five = worker.board.count(attacker, Threat::Five) > 0;
        let threat = if threatens_five { Threat::Five } else { Threat::OpenFour };
        let mut cells = worker.board.common_refutations(attacker, threat);
        if cells.is_empty() {
            // Nothing stops the threat: block one of its ends.
            cells = *worker.board.cells_with(attacker, threat);
        }
        let mut legal = worker.board.legal_cells(cells, us);
        if legal.is_empty() {
            // All cells that stop it are forbidden.
            legal = worker.board.legal_cells(worker.board.candidates(), us);
        }
        return legal.first().map(|mv| (mv, None));
    }
    worker.count_nodes();
    if worker.shared().must_stop() {
        return None;
    }
    match worker.solve_vcf(VCF_NODES.min(worker.shared().nodes_left())) {
        Outcome::Win { mv, plies } => Some((mv, Some(plies))),
        Outcome::No | Outcome::Unknown => None,
    }
}
