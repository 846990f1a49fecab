//! Proven wins and their PVs, and the scheduler of the threat search: when VCT runs, from where, and
//! for how many nodes.
//!
//! At the root it has a share of the planned time or node limit before the first iteration, later a
//! share of alpha-beta's nodes, a larger one in a long search. If a side leads in a long search, it
//! also runs along the PV: alpha-beta finds the quiet moves of a long win, VCT proves the rest.
//!
//! It runs in slices before and between iterations, so that a long proof never starves alpha-beta.
//! With limits, the share of an iteration is spent before it: the last iteration is mostly cut
//! short, and a proof after it would come too late.

use std::time::Duration;

use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{Color, Coord};

use super::moves::root_vcf_nodes;
use crate::score::Score;
use crate::search::clock::Budget;
use crate::search::limits::{share, time_share};
use crate::search::report::Variation;
use crate::search::threat::vcf::Solution;
use crate::search::threat::vct::Vct;
use crate::search::tree::{Shared, Worker};

/// Nodes between two checks of limits. A slice may overrun by its own length: start one only if two
/// fit. Smaller slices cost more: each one descends again from the root.
const SLICE: u64 = 1_000;

/// Most nodes of the first share without a time limit: those of a second.
const UNTIMED_NODES_MAX: u64 = 1_000_000;
// Shares in thousandths.
/// Of the planned time and of a node limit before the first iteration.
const FIRST_TIME_SHARE: u32 = 125;
const FIRST_NODE_SHARE: u64 = 50;
/// VCT's share of alpha-beta's nodes; the nodes of a long search, and the share of those beyond.
const THREAT_SHARE: u64 = 50;
const LONG_SEARCH_NODES: u64 = 50_000;
const LONG_THREAT_SHARE: u64 = 2000;
/// Alpha-beta's nodes after its next iteration, as a share of those before.
const ITERATION_GROWTH_SHARE: u64 = 3000;
/// Along the PV: least lead of either side, share of alpha-beta's nodes, and most moves.
const PV_LEAD: i32 = 300;
const PV_SHARE: u64 = 150;
const PV_PLIES: usize = 16;

/// Limit of a VCF search, used where the proof table has no further move.
const VCF_NODES: u64 = 20_000;

pub struct ThreatScheduler<'a> {
    vct: &'a mut Vct,
    pub nodes: u64,
    pv_nodes: u64,
    is_solved: bool,
}

impl<'a> ThreatScheduler<'a> {
    pub fn new(vct: &'a mut Vct) -> ThreatScheduler<'a> {
        vct.table.next_generation();
        ThreatScheduler { vct, nodes: 0, pv_nodes: 0, is_solved: false }
    }

    /// Continues VCT at the root for its share, but not beyond `until`. Returns and publishes a
    /// win, unless its first move is excluded.
    pub fn prove_root(
        &mut self,
        worker: &mut Worker,
        until: Option<Duration>,
    ) -> Option<Variation> {
        if self.is_solved {
            return None;
        }
        let left = |this: &Self, worker: &Worker| this.root_slice(worker, until);
        let solution = self.solve(worker, until, left)?;
        self.is_solved = true;
        let Solution::Win { mv, plies } = solution else { return None };
        let shared = worker.shared;
        if shared.limits.root.excluded.contains(mv) {
            return None;
        }
        shared.control.publish(mv);
        let pv = beginning_with(mv, self.store_variation(worker));
        Some(Variation { score: Score::win_in(plies), pv, depth: 1 })
    }

    /// Continues VCT along the PV, and stores wins of either side. Does nothing in a short search,
    /// if no side leads, or after a proof: another proof might be longer.
    pub fn prove_pv(
        &mut self,
        worker: &mut Worker,
        pv: &[Coord],
        score: Score,
        until: Option<Duration>,
    ) {
        let searched = worker.nodes.saturating_sub(self.nodes);
        if searched < LONG_SEARCH_NODES || score.is_decisive() || score.value().abs() < PV_LEAD {
            return;
        }
        let nodes_before = self.nodes;
        let mut left = share(searched, PV_SHARE).saturating_sub(self.pv_nodes);
        let pv = &pv[..pv.len().min(PV_PLIES)];
        for (played, &mv) in pv.iter().enumerate() {
            worker.board.play(mv);
            let (most, start) = (left / (pv.len() - played) as u64, self.nodes);
            let left_here = |this: &Self, _: &Worker| most.saturating_sub(this.nodes - start);
            if let Some(Solution::Win { .. }) = self.solve(worker, until, left_here) {
                self.store_variation(worker);
            }
            left = left.saturating_sub(self.nodes - start);
        }
        pv.iter().for_each(|_| worker.board.undo());
        self.pv_nodes += self.nodes - nodes_before;
    }

    /// Continues VCT on the board in slices, until it is solved, `left` allows no more nodes, time
    /// is over, or the search must stop or has too few nodes left. A win after the draw, or one that
    /// may need a blocked move, counts as [`Solution::No`].
    fn solve(
        &mut self,
        worker: &mut Worker,
        until: Option<Duration>,
        left: impl Fn(&Self, &Worker) -> u64,
    ) -> Option<Solution> {
        let shared = worker.shared;
        while until.is_none_or(|until| shared.control.elapsed() <= until) {
            let most = left(self, worker);
            if most == 0 {
                break;
            }
            worker.count_nodes();
            if shared.must_stop() || shared.nodes_left() < 2 * SLICE {
                break;
            }
            if !worker.trusts_threats() {
                return Some(Solution::No);
            }
            let solution = self.vct.solve(&mut worker.board, SLICE.min(most));
            self.nodes += self.vct.nodes;
            worker.nodes += self.vct.nodes;
            match solution {
                Solution::Unknown => {}
                Solution::Win { plies, .. } if !worker.is_in_time(plies) => {
                    return Some(Solution::No);
                }
                solution => return Some(solution),
            }
        }
        None
    }

    fn store_variation(&mut self, worker: &mut Worker) -> Vec<Coord> {
        let nodes_before = worker.nodes;
        let variation = store_variation(Some(self.vct), worker);
        self.nodes += worker.nodes - nodes_before;
        variation
    }

    /// Returns the nodes of the next slice at the root; no iteration begins after `until`.
    fn root_slice(&self, worker: &Worker, until: Option<Duration>) -> u64 {
        let searched = self.expected_alpha_beta_nodes(worker, until);
        let beyond = searched.saturating_sub(LONG_SEARCH_NODES);
        let later = share(searched, THREAT_SHARE) + share(beyond, LONG_THREAT_SHARE);
        let is_spent = self.nodes - self.pv_nodes >= first_share(worker.shared).max(later);
        if is_spent { 0 } else { SLICE }
    }

    /// Estimates alpha-beta's nodes, root tests included, at the end of the next iteration, or when
    /// a limit ends the search if that is earlier. This leaves alpha-beta its part of the time.
    fn expected_alpha_beta_nodes(&self, worker: &Worker, until: Option<Duration>) -> u64 {
        let (nodes, shared) = (worker.nodes, worker.shared);
        let searched = nodes.saturating_sub(self.nodes);
        // Without limits an advance share would have no bound: the share comes after the iteration.
        if !shared.is_limited() {
            return searched;
        }
        let mut last = nodes.saturating_add(shared.nodes_left());
        let planned = until.or(shared.control.soft());
        if let Some(end) = planned.into_iter().chain(shared.control.hard()).min() {
            let speed = nodes as f64 / shared.elapsed().as_secs_f64();
            last = last.min((speed * shared.since_begin(end).as_secs_f64()) as u64);
        }
        let left = last.saturating_sub(self.nodes);
        share(searched, ITERATION_GROWTH_SHARE).min(left).max(searched)
    }
}

/// Returns the nodes of the first share: a part of the node limit; 0 without limits or if its part
/// of the planned time has passed.
fn first_share(shared: &Shared) -> u64 {
    let control = shared.control;
    let nodes = share(shared.node_limit(), FIRST_NODE_SHARE);
    let time = |planned| time_share(shared.since_begin(planned), FIRST_TIME_SHARE);
    match control.budget().map(Budget::planned) {
        Some(planned) if shared.elapsed() > time(planned) => 0,
        Some(_) => nodes,
        None if !shared.is_limited() => 0,
        // No time limit ends it, but a move should be known soon.
        None => nodes.min(UNTIMED_NODES_MAX),
    }
}

pub fn prove_by_vcf(worker: &mut Worker) -> Option<Variation> {
    let shared = worker.shared;
    let Solution::Win { mv, plies } = worker.solve_vcf(root_vcf_nodes(shared)) else { return None };
    if shared.limits.root.excluded.contains(mv) {
        return None;
    }
    shared.control.publish(mv);
    Some(Variation { score: Score::win_in(plies), pv: vcf_pv(worker, mv), depth: 1 })
}

/// Returns the PV of a VCF that begins with `mv`, and stores its positions in the transposition
/// table; `mv` alone if no such win is found.
pub fn vcf_pv(worker: &mut Worker, mv: Coord) -> Vec<Coord> {
    beginning_with(mv, store_variation(None, worker))
}

fn beginning_with(mv: Coord, pv: Vec<Coord>) -> Vec<Coord> {
    if pv.first() == Some(&mv) { pv } else { vec![mv] }
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
    variation.iter().for_each(|_| worker.board.undo());
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
    if worker.shared.must_stop() {
        return None;
    }
    match worker.solve_vcf(VCF_NODES.min(worker.shared.nodes_left())) {
        Solution::Win { mv, plies } => Some((mv, Some(plies))),
        Solution::No | Solution::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Params;
    use crate::search::control::Control;
    use crate::search::limits::DrawRule;
    use crate::search::limits::Limits;
    use crate::search::table::Table;
    use crate::search::tree::ThreadState;
    use crate::time::Instant;
    use tengen_gomoku::board::Board;
    use tengen_gomoku::types::{Color, Rule};

    /// The lead of the side that is not to move.
    const LEAD: i32 = -400;

    /// Runs VCT along the PV o15 in a search of so many nodes with this score. After o15 black wins
    /// by two open threes. Returns its nodes and the PV that the transposition table then has.
    fn along_a_variation(searched: u64, score: Score, limits: &Limits) -> (u64, Vec<Coord>) {
        let board = Board::after(15, Rule::Freestyle, "g8a1h8a15i6o1i7");
        let (mut table, control) = (Table::new(1 << 20), Control::untimed());
        table.grow(searched, &control);
        let shared = Shared::new(&table, &control, Params::of(Rule::Freestyle), *limits, 1);
        let mut state = ThreadState::default();
        let mut worker = Worker::new(&board, &shared, &mut state, 0);
        worker.nodes += searched;
        let mut vct = Vct::default();
        let mut scheduler = ThreatScheduler::new(&mut vct);
        let mut variation = vec![Coord::new(14, 14)];
        scheduler.prove_pv(&mut worker, &variation, score, None);
        assert_eq!(worker.board.key(), board.key());
        assert_eq!(worker.nodes, searched + scheduler.nodes);
        worker.follow_proofs(&mut variation, 20);
        (scheduler.nodes, variation)
    }

    #[test]
    fn a_win_after_the_principal_variation_goes_into_the_table() {
        let (nodes, variation) = along_a_variation(100_000, Score::eval(LEAD), &Limits::default());
        assert!((1..=10_000).contains(&nodes), "{nodes}");
        let mut board = Board::after(15, Rule::Freestyle, "g8a1h8a15i6o1i7");
        let (last, moves) = variation.split_last().expect("a variation");
        moves.iter().for_each(|&mv| board.play(mv));
        assert!(board.side_to_move() == Color::Black && board.makes_five(*last, Color::Black));
        assert_eq!(variation.len(), 6, "{variation:?}");
    }

    #[test]
    fn no_win_is_looked_for_in_a_short_search_without_a_lead_or_with_a_proof() {
        let nothing = (0, vec![Coord::new(14, 14)]);
        let limits = Limits::default();
        assert_eq!(along_a_variation(10_000, Score::eval(LEAD), &limits), nothing);
        for score in [Score::eval(-20), Score::loss_in(40)] {
            assert_eq!(along_a_variation(100_000, score, &limits), nothing);
        }
    }

    #[test]
    fn a_win_after_the_end_of_the_game_stays_out_of_the_table() {
        let draw_rule = DrawRule { moves: 10, winner: None };
        let (nodes, variation) = along_a_variation(
            100_000,
            Score::eval(LEAD),
            &Limits { draw_rule, ..Limits::default() },
        );
        assert!(nodes > 0 && variation.len() == 1, "{nodes} {variation:?}");
    }

    #[test]
    fn the_first_share_is_one_of_the_limits_as_they_stand() {
        let hour = Duration::from_secs(3600);
        let control = Control::new(Instant::now(), Some(Budget { soft: None, hard: hour }));
        let table = Table::new(1 << 16);
        let shared =
            Shared::new(&table, &control, Params::of(Rule::Freestyle), Limits::default(), 1);
        assert!(first_share(&shared) > UNTIMED_NODES_MAX);
        control.set_budget(None);
        assert_eq!(first_share(&shared), 0);
        control.set_limits(&Limits { nodes: 10_000, ..Limits::default() });
        assert!((1..10_000).contains(&first_share(&shared)));
        control.set_budget(Some(Budget { soft: None, hard: Duration::ZERO }));
        assert_eq!(first_share(&shared), 0);
    }
}
