//! The scheduler of the threat search: when the search for a win by fours and threes runs at the
//! root, and for how many nodes.
//!
//! Before the first iteration it has a share of the planned time or of the node limit, later a
//! share of alpha-beta's nodes, which is larger in a long search. A short search needs its nodes
//! for itself; a long one can afford long proofs. Where there is no win the threat search mostly
//! knows it soon, and leaves the rest of its share to alpha-beta.
//!
//! The threat search runs in slices before and between the iterations of alpha-beta, so that a long
//! proof never keeps alpha-beta from its own work. In a limited search its share of an iteration
//! comes before that iteration: the last one is mostly cut short, and a proof would come too late.
//! Knows the clock through its control only, and nothing of how a proof is found.

use std::time::Duration;

use crate::search::params::{share, time_share};
use crate::search::pool::Shared;
use crate::search::threat::vcf::Outcome;
use crate::search::threat::vct::Vct;
use crate::search::tree::Worker;
use crate::shape::Threat;
use crate::types::{Color, Coord, Score};

/// Nodes between two checks of the limits. The threat search may exceed a slice by as much, so it
/// does not begin one with less than two slices left. A smaller slice costs more:
/// each one searches its way down from the root again.
const SLICE: u64 = 1_000;

/// The most nodes of the first share where only nodes are limited: a second's.
const UNTIMED_NODES_MAX: u64 = 1_000_000;

/// Nodes of the search for continuous fours where the variation in the proof table ends.
const PV_VCF_NODES: u64 = 2_000;

/// A proven win.
pub struct Proof {
    /// The first move.
    pub mv: Coord,
    pub score: Score,
    /// The principal variation, the first move included.
    pub pv: Vec<Coord>,
}

/// The threat search of one move, and the nodes it has had.
pub struct ThreatScheduler<'a> {
    vct: &'a mut Vct,
    nodes: u64,
    /// True once the root is proven or disproven.
    is_solved: bool,
}

impl<'a> ThreatScheduler<'a> {
    /// Returns the scheduler of one move's search.
    pub fn new(vct: &'a mut Vct, shared: &Shared) -> ThreatScheduler<'a> {
        vct.begin(&shared.params.threat);
        ThreatScheduler { vct, nodes: 0, is_solved: false }
    }

    /// Returns the nodes of the threat search so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Continues the threat search for its share of nodes, but not beyond the time `until`. Returns
    /// and publishes a win once it is proven, unless its first move is excluded.
    pub fn prove(&mut self, worker: &mut Worker, until: Option<Duration>) -> Option<Proof> {
        // A proof may need a move that is blocked.
        if worker.blocked.is_reachable_from(&worker.board) {
            return None;
        }
        let (mv, plies) = self.spend_share(worker, until)?;
        let shared = worker.shared();
        if shared.limits.root.excluded.contains(mv) {
            return None;
        }
        shared.control.publish(mv);
        let pv = self.store_variation(worker);
        Some(Proof { mv, score: Score::win_in(plies), pv })
    }

    /// Continues the threat search slice by slice until its share or its time is spent or the root
    /// is solved. Returns the first move of a win and its plies.
    fn spend_share(
        &mut self,
        worker: &mut Worker,
        until: Option<Duration>,
    ) -> Option<(Coord, i32)> {
        let shared = worker.shared();
        let is_in_time = || until.is_none_or(|until| shared.control.elapsed() <= until);
        while !self.is_solved
            && self.has_share(worker, until)
            && is_in_time()
            && !shared.must_stop()
        {
            worker.count_nodes();
            if shared.nodes_left() < 2 * SLICE {
                return None;
            }
            let outcome = self.vct.solve(&mut worker.board, SLICE);
            self.nodes += self.vct.nodes();
            worker.add_nodes(self.vct.nodes());
            match outcome {
                // A longer proof says nothing of a game that is drawn before.
                Outcome::Win { plies, .. } if !worker.is_in_time(plies) => self.is_solved = true,
                Outcome::Win { mv, plies } => {
                    self.is_solved = true;
                    return Some((mv, plies));
                }
                Outcome::No => self.is_solved = true,
                Outcome::Unknown => {}
            }
        }
        None
    }

    /// Returns true if nodes of its share are left; `until` is the time after which no iteration
    /// begins, if that is known.
    fn has_share(&self, worker: &Worker, until: Option<Duration>) -> bool {
        let params = &worker.shared().params.threat;
        let searched = self.searched_ahead(worker, until);
        let beyond = searched.saturating_sub(params.long_search_nodes);
        let later = share(searched, params.threat_share) + share(beyond, params.long_threat_share);
        self.nodes < first_share(worker.shared()).max(later)
    }

    /// Returns an estimate of alpha-beta's nodes, those of the root's tests included, at the end of
    /// the next iteration, or when time or nodes end the search if that is earlier. So the threat
    /// search leaves alpha-beta its part of the time, and the next iteration begins.
    fn searched_ahead(&self, worker: &Worker, until: Option<Duration>) -> u64 {
        let (nodes, shared) = (worker.nodes(), worker.shared());
        let searched = nodes.saturating_sub(self.nodes);
        // Without limits a share ahead of an iteration would have no bound: the threat search has
        // its share after the iteration.
        if !shared.is_limited() {
            return searched;
        }
        let mut last = nodes.saturating_add(shared.nodes_left());
        let planned = until.or(shared.control.soft());
        if let Some(end) = planned.into_iter().chain(shared.control.hard()).min() {
            let speed = nodes as f64 / shared.elapsed().as_secs_f64();
            last = last.min((speed * shared.own_part(end).as_secs_f64()) as u64);
        }
        let left = last.saturating_sub(self.nodes);
        share(searched, shared.params.threat.iteration_growth_share).min(left).max(searched)
    }

    /// Replays the proven variation, stores it in the transposition table and returns it, or as
    /// much of it as the limits of the search allow.
    fn store_variation(&mut self, worker: &mut Worker) -> Vec<Coord> {
        let nodes_before = worker.nodes();
        let attacker = worker.board.side_to_move();
        let mut pv = Vec::new();
        while let Some(mv) = self.next_move(worker, attacker, pv.len()) {
            pv.push(mv);
            let is_last = worker.board.makes_five(mv, worker.board.side_to_move());
            worker.board.play(mv);
            if is_last {
                break;
            }
        }
        for _ in &pv {
            worker.board.undo();
        }
        self.nodes += worker.nodes() - nodes_before;
        pv
    }

    /// Returns the next move of the proven variation, from the proof table or by continuous fours.
    fn next_move(&mut self, worker: &mut Worker, attacker: Color, ply: usize) -> Option<Coord> {
        let us = worker.board.side_to_move();
        if let Some((mv, plies)) = self.vct.proven_move(&worker.board) {
            let end = ply as i32 + plies;
            let score = if us == attacker { Score::win_in(end) } else { Score::loss_in(end) };
            worker.store_proof(ply, score, mv);
            return Some(mv);
        }
        if us != attacker {
            let threatens_five = worker.board.count(attacker, Threat::Five) > 0;
            let threat = if threatens_five { Threat::Five } else { Threat::OpenFour };
            let mut cells = worker.board.common_refutations(attacker, threat);
            if cells.is_empty() {
                // No answer stops an open four, but one of its ends is what a player expects.
                cells = *worker.board.cells_with(attacker, Threat::Five);
            }
            return worker.board.legal_cells(cells, us).first();
        }
        worker.count_nodes();
        if worker.shared().must_stop() {
            return None;
        }
        match worker.solve_vcf(PV_VCF_NODES.min(worker.shared().nodes_left())) {
            Outcome::Win { mv, plies } => {
                worker.store_proof(ply, Score::win_in(ply as i32 + plies), mv);
                Some(mv)
            }
            Outcome::No | Outcome::Unknown => None,
        }
    }
}

/// Returns the number of nodes in the first share: a part of the node limit. Returns 0 if the
/// search has no limits, or if the share's part of the planned time has passed.
fn first_share(shared: &Shared) -> u64 {
    let (control, params) = (shared.control, &shared.params.threat);
    let nodes = share(shared.node_limit(), params.first_node_share);
    let time = |planned| time_share(shared.own_part(planned), params.first_time_share);
    match control.planned() {
        Some(planned) if shared.elapsed() > time(planned) => 0,
        Some(_) => nodes,
        None if !shared.is_limited() => 0,
        // No time ends it, and some move should be known soon.
        None => nodes.min(UNTIMED_NODES_MAX),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::search::clock::Budget;
    use crate::search::control::Control;
    use crate::search::limits::Limits;
    use crate::search::params::Params;
    use crate::search::table::Table;
    use crate::types::Rule;

    #[test]
    fn the_first_share_is_one_of_the_limits_as_they_stand() {
        let hour = Duration::from_secs(3600);
        let control = Control::new(Instant::now(), Some(Budget { soft: None, hard: hour }));
        let (table, params) = (Table::new(1 << 16), Params::of(Rule::Renju));
        let limits = Limits::default();
        let shared = Shared::new(&table, &control, &params, &limits, 1);
        assert!(first_share(&shared) > UNTIMED_NODES_MAX);
        control.set_budget(None);
        assert_eq!(first_share(&shared), 0);
        control.set_node_limit(10_000);
        assert!((1..10_000).contains(&first_share(&shared)));
        control.set_budget(Some(Budget { soft: None, hard: Duration::ZERO }));
        assert_eq!(first_share(&shared), 0);
    }
}
