//! What a first look at a position tells: the moves that are worth a search at the root, the move
//! that needs no deep search, and a sane move without any search at all.
//!
//! Judges by the threats on the board and by continuous fours only.

use super::clock::Control;
use super::lines::RootOptions;
use super::negamax::Worker;
use super::picker::{self, Moves};
use super::vcf::Outcome;
use crate::board::Board;
use crate::eval::EvalTables;
use crate::shape::Threat;
use crate::types::{CellSet, Color, Coord, Rule, Score};

/// Plays of the four search before the first iteration, at most, and per millisecond of time.
const ROOT_VCF_NODES: u64 = 20_000;
const ROOT_VCF_NODES_PER_MS: u64 = 200;

/// Part of a limit of nodes that it may take.
const ROOT_VCF_SHARE_DIV: u64 = 4;

/// Returns the legal moves to search at the root.
pub(super) fn root_moves(board: &mut Board, options: &RootOptions) -> Moves {
    let all = |cells| Moves { cells, reserve: CellSet::EMPTY };
    let mut moves =
        if options.all_moves { all(board.candidates()) } else { promising_moves(board) };
    if options.lines > 1 {
        moves.cells |= *board.cells_with(board.side_to_move(), Threat::Five);
    }
    moves.cells = moves.cells.without(&options.excluded);
    moves.reserve = moves.reserve.without(&options.excluded);
    retain_legal(board, &mut moves.cells);
    if !moves.cells.is_empty() {
        return moves;
    }
    // Whatever is legal, near the stones at first, excluded in the end.
    for cells in [board.candidates(), *board.empty_cells()] {
        moves = all(cells.without(&options.excluded));
        retain_legal(board, &mut moves.cells);
        if !moves.cells.is_empty() || options.excluded.is_empty() {
            return moves;
        }
    }
    root_moves(board, &RootOptions { excluded: CellSet::EMPTY, ..*options })
}

/// Returns the moves that the threats on the board make worth a search.
fn promising_moves(board: &Board) -> Moves {
    let them = !board.side_to_move();
    if board.count(them, Threat::Five) > 0 {
        let answers = board.common_refutations(them, Threat::Five);
        return Moves { cells: answers, reserve: CellSet::EMPTY };
    }
    picker::moves(board)
}

pub(super) fn retain_legal(board: &mut Board, cells: &mut CellSet) {
    if board.rule() == Rule::Renju && board.side_to_move() == Color::Black {
        let flagged = *cells & *board.cells_with(Color::Black, Threat::Forbidden);
        for c in &flagged {
            if board.is_forbidden(c) {
                cells.remove(c);
            }
        }
    }
}

/// Returns the plays of the four search before the first iteration.
fn root_vcf_nodes(control: &Control, node_limit: u64) -> u64 {
    let time = control.hard().map_or(u64::MAX, |hard| hard.as_millis() as u64);
    let in_time = time.saturating_mul(ROOT_VCF_NODES_PER_MS);
    ROOT_VCF_NODES.min(in_time).min(node_limit / ROOT_VCF_SHARE_DIV)
}

/// Returns the move of a position that needs no deep search: a win by threats alone or by
/// continuous fours, or the only move.
pub(super) fn obvious_move(
    worker: &mut Worker,
    options: &RootOptions,
    node_limit: u64,
) -> Option<(Coord, Score)> {
    if options.lines > 1 && !worker.root_moves.cells.is_empty() {
        return None;
    }
    let us = worker.board.side_to_move();
    let excluded = &options.excluded;
    let first =
        |worker: &Worker, threat| worker.board.cells_with(us, threat).without(excluded).first();
    let fallback = |worker: &Worker| fallback_move_outside(&worker.board, excluded);
    if let Some(mv) = first(worker, Threat::Five) {
        return Some((mv, Score::win_in(1)));
    }
    if worker.blocked.lies_ahead(&worker.board) && !worker.root_moves.cells.is_empty() {
        // What the threats promise may be blocked.
        return None;
    }
    let fives = worker.board.count(!us, Threat::Five);
    if fives == 0 {
        if let Some(mv) = first(worker, Threat::OpenFour) {
            return Some((mv, Score::win_in(3)));
        }
    }
    if worker.root_moves.cells.is_empty() {
        // No stone to play near to, or nothing but fouls.
        return Some((fallback(worker)?, Score::DRAW));
    }
    let answers = worker.board.common_refutations(!us, Threat::Five);
    if fives > 0 && (answers & worker.root_moves.cells).is_empty() {
        // The four cannot be met; it is still stopped at one of its ends.
        return Some((fallback(worker)?, Score::loss_in(2)));
    }
    let vcf_nodes = root_vcf_nodes(worker.shared().control, node_limit);
    match worker.solve_vcf(vcf_nodes) {
        Outcome::Win { mv, plies } if !excluded.contains(mv) => Some((mv, Score::win_in(plies))),
        _ if worker.root_moves.cells.len() == 1 && worker.root_moves.reserve.is_empty() => {
            Some((worker.root_moves.cells.first()?, worker.static_score()))
        }
        _ => None,
    }
}

/// Returns a legal and tactically sane move without any search: the own five, the stop of a
/// five, otherwise the best cell by its threats, on an empty board the centre. `None` if no cell
/// is free. If everything is forbidden, some free cell.
pub fn fallback_move(board: &Board) -> Option<Coord> {
    fallback_move_outside(board, &CellSet::EMPTY)
}

/// Returns the same for a board on which the moves of `excluded` are not wanted; one of them if no
/// other one is legal.
pub fn fallback_move_outside(board: &Board, excluded: &CellSet) -> Option<Coord> {
    let us = board.side_to_move();
    let mut board = board.clone();
    let wanted = |cells: CellSet| cells.without(excluded);
    if let Some(mv) = wanted(*board.cells_with(us, Threat::Five)).first() {
        return Some(mv);
    }
    let mut stops = board.common_refutations(!us, Threat::Five);
    if stops.is_empty() {
        stops = *board.cells_with(!us, Threat::Five);
    }
    stops = wanted(stops);
    retain_legal(&mut board, &mut stops);
    let mut cells = if stops.is_empty() { wanted(board.candidates()) } else { stops };
    retain_legal(&mut board, &mut cells);
    if cells.is_empty() {
        cells = wanted(*board.empty_cells());
        retain_legal(&mut board, &mut cells);
    }
    if cells.is_empty() && !excluded.is_empty() {
        return fallback_move(&board);
    }
    if cells.is_empty() {
        cells = *board.empty_cells();
    }
    let tables = EvalTables::of(board.rule());
    let center = board.size().center();
    let has_stones = board.stone_count() > 0;
    cells.into_iter().max_by_key(|&c| {
        let order = if has_stones { tables.order(us, board.threats(c)) } else { 0 };
        (order, std::cmp::Reverse((c.distance(center), c)))
    })
}
