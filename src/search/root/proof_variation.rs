//! The variation of a proof: replayed from the proof table, and by continuous fours where that
//! ends. Its positions go into the transposition table as wins and losses. Knows no share and no
//! iteration.

use crate::search::threat::vcf::Outcome;
use crate::search::threat::vct::Vct;
use crate::search::tree::Worker;
use crate::shape::Threat;
use crate::types::{Color, Coord, Score};

/// Nodes of the search for continuous fours where the variation in the proof table ends.
const VCF_NODES: u64 = 2_000;

/// Replays the variation that the last [`Vct::solve`] proved for the position on the board, stores
/// its positions in the transposition table and returns it, or as much of it as the limits of the
/// search allow.
pub fn store_variation(vct: &Vct, worker: &mut Worker) -> Vec<Coord> {
    let attacker = worker.board.side_to_move();
    let (mut variation, mut end) = (Vec::new(), 0);
    while let Some((mv, plies)) = next_move(vct, worker, attacker) {
        let (us, ply) = (worker.board.side_to_move(), variation.len());
        // A win behind the end of a game by the draw rule is none.
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

/// Returns the next move of the variation, from the proof table or by continuous fours, and the
/// plies to the five at most; `None` for the plies where the bound known before still holds.
fn next_move(vct: &Vct, worker: &mut Worker, attacker: Color) -> Option<(Coord, Option<i32>)> {
    let us = worker.board.side_to_move();
    if let Some((mv, plies)) = vct.proven_move(&worker.board) {
        return Some((mv, Some(plies)));
    }
    if us != attacker {
        let threatens_five = worker.board.count(attacker, Threat::Five) > 0;
        let threat = if threatens_five { Threat::Five } else { Threat::OpenFour };
        let mut cells = worker.board.common_refutations(attacker, threat);
        if cells.is_empty() {
            // Nothing stops it, but a stone on one of its cells is what a player expects.
            cells = *worker.board.cells_with(attacker, threat);
        }
        return worker.board.legal_cells(cells, us).first().map(|mv| (mv, None));
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
