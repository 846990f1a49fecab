//! The root before the first iteration: moves that need no search, moves that lose by force, and
//! the fallback move.

use std::time::Duration;

use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{Coord, CoordSet};

use crate::score::Score;
use crate::search::clock::Budget;
use crate::search::limits::share;
use crate::search::threat::vcf::Solution;
use crate::search::tree::movegen::Moves;
use crate::search::tree::order_tables::OrderTables;
use crate::search::tree::{Shared, Worker};

/// Milliseconds that the VCF searches of the root are granted if fewer are left: enough for a chain
/// of fours all over the board.
const MIN_VCF_MS: u64 = 8;
/// The largest number of nodes of the root's VCF search: in all, for each millisecond left, and in
/// thousandths of the node limit.
const ROOT_VCF_NODES: u64 = 100_000;
const ROOT_VCF_NODES_PER_MS: u64 = 500;
const ROOT_VCF_SHARE: u64 = 250;
/// The largest number of nodes of each search for the opponent's VCF, and of all such searches for
/// each planned millisecond and in thousandths of the node limit.
const DEFENCE_VCF_NODES: u64 = 2_000;
const DEFENCE_NODES_PER_MS: u64 = 100;
const DEFENCE_SHARE: u64 = 25;

pub fn root_vcf_nodes(shared: &Shared) -> u64 {
    let left_ms = |hard: Duration| match hard.saturating_sub(shared.control.elapsed()) {
        Duration::ZERO => 0,
        left => MIN_VCF_MS.max(left.as_millis() as u64),
    };
    let left_ms = shared.control.hard().map_or(u64::MAX, left_ms);
    let in_time = left_ms.saturating_mul(ROOT_VCF_NODES_PER_MS);
    ROOT_VCF_NODES.min(in_time).min(share(shared.node_limit(), ROOT_VCF_SHARE))
}

/// Returns the most nodes of all searches for the opponent's VCF.
fn defence_nodes(shared: &Shared) -> u64 {
    let planned_ms = |budget: Budget| shared.since_begin(budget.planned()).as_millis() as u64;
    let planned_ms = shared.control.budget().map_or(u64::MAX, planned_ms).max(MIN_VCF_MS);
    let in_time = planned_ms.saturating_mul(DEFENCE_NODES_PER_MS);
    in_time.min(share(shared.node_limit(), DEFENCE_SHARE))
}

/// Returns the move and score of a root without iterations: a win by threats on the board or by
/// VCF, an only move, or `fallback` if no move is worth a search.
pub fn obvious_move(worker: &mut Worker, fallback: Coord) -> Option<(Coord, Score)> {
    let limits = &worker.shared.limits;
    let (options, only) = (&limits.root, worker.root_moves.only());
    let counts_as_one = only.is_some() && options.is_analysis;
    if options.multi_pv > 1 && !worker.root_moves.cells.is_empty() && !counts_as_one {
        return None;
    }
    let us = worker.board.side_to_move();
    let excluded = &options.excluded;
    let first =
        |worker: &Worker, threat| worker.board.cells_with(us, threat).without(excluded).first();
    if let Some(mv) = first(worker, Threat::Five) {
        return Some((mv, Score::win_in(1)));
    }
    if !worker.trusts_threats() && !worker.root_moves.cells.is_empty() {
        return None;
    }
    let fives = worker.board.count(!us, Threat::Five);
    if fives == 0
        && worker.is_in_time(3)
        && let Some(mv) = first(worker, Threat::OpenFour)
    {
        return Some((mv, Score::win_in(3)));
    }
    if worker.root_moves.cells.is_empty() {
        // The board is empty, or no free cell near the stones is left or legal.
        let score = if worker.board.has_legal_move() { Score::DRAW } else { Score::loss_in(0) };
        return Some((fallback, score));
    }
    if let Some(score) = worker.draw_rule.terminal_score(&worker.board, 0) {
        return Some((fallback, score));
    }
    let answers = worker.board.common_refutations(!us, Threat::Five);
    if fives > 0 && (answers & worker.root_moves.cells).is_empty() {
        // A double four or open four: one end is stopped.
        return Some((fallback, worker.draw_rule.before_draw(&worker.board, Score::loss_in(2), 0)));
    }
    let vcf_nodes = root_vcf_nodes(worker.shared);
    match worker.solve_vcf(vcf_nodes) {
        Solution::Win { mv, plies } if !excluded.contains(mv) => Some((mv, Score::win_in(plies))),
        // A search of the position after the move would apply the style to the opponent.
        _ if options.is_analysis && !limits.style.is_neutral() => None,
        _ => {
            let (mv, rule) = (only?, &worker.draw_rule);
            let is_last = !rule.is_in_time(&worker.board, 2) || worker.board.empty_count() == 1;
            let score = if is_last { rule.score(&worker.board, 0) } else { worker.raw_score() };
            Some((mv, score))
        }
    }
}

/// Defers root moves that lose to VCF, unless all do: they are searched only if all others lose.
///
/// If the opponent has a VCF after a pass, only a defence against it or an own four can save us.
/// These moves are tested by VCF searches; all others are deferred.
pub fn defer_losing_moves(worker: &mut Worker) {
    let limits = &worker.shared.limits;
    if limits.root.all_moves {
        return;
    }
    let us = worker.board.side_to_move();
    if worker.board.count(!us, Threat::Five) > 0 || !worker.board.can_make_four(!us) {
        return;
    }
    let node_limit = worker.nodes.saturating_add(defence_nodes(worker.shared));
    let vcf_nodes =
        |worker: &Worker| DEFENCE_VCF_NODES.min(node_limit.saturating_sub(worker.nodes));
    let Some((defences, plies)) = worker.vcf_defences(vcf_nodes(worker)) else { return };
    let moves = worker.root_moves.all();
    let fours = worker.board.four_cells(us);
    let tested = worker.board.legal_cells(moves & (defences | fours), us);
    let mut good = tested;
    let mut longest = plies;
    for mv in &tested {
        // Untested moves stay.
        worker.count_nodes();
        if vcf_nodes(worker) == 0 || worker.shared.must_stop() {
            break;
        }
        worker.nodes += 1;
        worker.board.play(mv);
        if let Solution::Win { plies, .. } = worker.solve_vcf(vcf_nodes(worker)) {
            good.remove(mv);
            longest = longest.max(plies + 1);
        }
        worker.board.undo();
    }
    if !good.is_empty() {
        let deferred = moves.without(&good);
        worker.root_moves = Moves { cells: good, deferred };
        worker.refuted_moves = (deferred, Score::loss_in(longest));
    }
}

/// Returns a sane legal move without a search, or any free cell if all are forbidden; `None` if the
/// board is full. A move of `excluded` is returned only if no other move is legal.
pub fn fallback_move(board: &Board, excluded: &CoordSet) -> Option<Coord> {
    let us = board.side_to_move();
    let wanted = |cells: CoordSet| cells.without(excluded);
    if let Some(mv) = wanted(*board.cells_with(us, Threat::Five)).first() {
        return Some(mv);
    }
    let mut stops = board.common_refutations(!us, Threat::Five);
    if stops.is_empty() {
        stops = *board.cells_with(!us, Threat::Five);
    }
    let legal = [stops, board.candidates(), *board.empty_cells()]
        .into_iter()
        .map(|cells| board.legal_cells(wanted(cells), us))
        .find(|cells| !cells.is_empty());
    let cells = match legal {
        Some(cells) => cells,
        None if !excluded.is_empty() => return fallback_move(board, &CoordSet::EMPTY),
        None => *board.empty_cells(),
    };
    let tables = OrderTables::of(board.rule());
    let center = board.size().center();
    let has_stones = board.stone_count() > 0;
    cells.into_iter().max_by_key(|&c| {
        let order = if has_stones { tables.order(us, board.threats(c)) } else { 0 };
        (order, std::cmp::Reverse((c.distance(center), c)))
    })
}
