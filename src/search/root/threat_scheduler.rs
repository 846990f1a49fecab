//! What threats alone say about the root: wins proved by fours and threes, and the moves that the
//! opponent's continuous fours leave.
//!
//! The prover gets a share of the plays, in slices before and between the iterations, so that a
//! long proof never keeps the search from its own work. It has its share of an iteration before it
//! begins: a win that is proved ends the search, and the last iteration has no end.

use crate::search::clock::Control;
use crate::search::limits::RootOptions;
use crate::search::threat::vcf::{Outcome, legal};
use crate::search::threat::vct::Vct;
use crate::search::tree::Worker;
use crate::shape::Threat;
use crate::types::{Color, Coord, Score};

/// The prover's part of the planned time before the first iteration, and of a limit of nodes.
const FIRST_TIME_DIV: u32 = 8;
const FIRST_SHARE_DIV: u64 = 20;
/// Its plays later on: a part of those of the search, and twice those beyond a number. Long proofs
/// are for long searches, short ones need all their plays for themselves. Where there is nothing to
/// prove the prover knows it soon, and leaves the rest to the search.
const LATER_DIV: u64 = 20;
const LONG_SEARCH: u64 = 50_000;
const LONG_FACTOR: u64 = 2;
/// How many times its plays so far the search has made after an iteration, as a rule.
const GROWTH: u64 = 3;
/// Plays between two looks at the limits. The prover may overrun it by as much; with less left
/// than this twice over it lets the search have the rest. Each time it has to find its way back.
const SLICE: u64 = 1_000;

/// Plays of the search for continuous fours that goes on where the proved line ends.
const LINE_VCF_NODES: u64 = 2_000;

/// A proved win.
pub struct Proof {
    pub mv: Coord,
    pub score: Score,
    pub pv: Vec<Coord>,
}

/// Looks for a win by fours and threes while the search runs.
pub struct ThreatScheduler<'a> {
    vct: &'a mut Vct,
    /// Plays before the first iteration.
    first_nodes: u64,
    /// How many times its plays so far the search is taken to have made after an iteration.
    growth: u64,
    node_limit: u64,
    nodes: u64,
    is_settled: bool,
}

impl<'a> ThreatScheduler<'a> {
    /// Returns the prover of one move's search.
    pub fn new(vct: &'a mut Vct, control: &Control, node_limit: u64) -> ThreatScheduler<'a> {
        vct.begin();
        // Without any limit there is no first part: its turn comes after the first iterations. Nor
        // is there a part ahead of an iteration, which no limit would hold to the whole.
        let is_limited = control.soft().is_some() || node_limit < u64::MAX;
        let (first_nodes, growth) =
            if is_limited { (node_limit / FIRST_SHARE_DIV, GROWTH) } else { (0, 1) };
        ThreatScheduler { vct, first_nodes, growth, node_limit, nodes: 0, is_settled: false }
    }

    /// Goes on with the proof of a win that begins with a move that is not excluded.
    pub fn prove(&mut self, worker: &mut Worker, options: &RootOptions) -> Option<Proof> {
        // Threats prove nothing where a move that they need may be blocked.
        if worker.blocked.is_reachable_from(&worker.board) {
            return None;
        }
        self.spend_share(worker).filter(|proof| !options.excluded.contains(proof.mv))
    }

    /// Goes on with the proof as long as its share of the thread's plays allows.
    fn spend_share(&mut self, worker: &mut Worker) -> Option<Proof> {
        let shared = worker.shared();
        while !self.is_settled && self.has_share(worker) && !shared.must_stop() {
            worker.count_nodes();
            if shared.left() < 2 * SLICE {
                return None;
            }
            let outcome = self.vct.solve(&mut worker.board, SLICE);
            self.nodes += self.vct.nodes();
            worker.add_nodes(self.vct.nodes());
            match outcome {
                Outcome::Win { mv, plies } => {
                    self.is_settled = true;
                    let pv = self.note_line(worker);
                    return Some(Proof { mv, score: Score::win_in(plies), pv });
                }
                Outcome::No => self.is_settled = true,
                Outcome::Unknown => {}
            }
        }
        None
    }

    fn has_share(&mut self, worker: &Worker) -> bool {
        let control = worker.shared().control;
        if control.soft().is_some_and(|soft| control.elapsed() > soft / FIRST_TIME_DIV) {
            self.first_nodes = 0;
        }
        let searched = self.searched_ahead(worker);
        let later =
            searched / LATER_DIV + searched.saturating_sub(LONG_SEARCH).saturating_mul(LONG_FACTOR);
        self.nodes < self.first_nodes.max(later)
    }

    /// Returns the plays of the search itself when the iteration to come is over, more or less, or
    /// when the limits end it.
    fn searched_ahead(&self, worker: &Worker) -> u64 {
        let (nodes, control) = (worker.nodes(), worker.shared().control);
        let searched = nodes.saturating_sub(self.nodes);
        let mut last = self.node_limit;
        if let Some(soft) = control.soft() {
            let speed = nodes as f64 / control.elapsed().as_secs_f64();
            last = last.min((speed * soft.as_secs_f64()) as u64);
        }
        let left = last.saturating_sub(self.nodes);
        searched.saturating_mul(self.growth).min(left).max(searched)
    }

    /// Plays the proved line through, tells the transposition table of it and returns it.
    fn note_line(&mut self, worker: &mut Worker) -> Vec<Coord> {
        let attacker = worker.board.side_to_move();
        let mut line = Vec::new();
        while let Some(mv) = self.next_move(worker, attacker, line.len()) {
            line.push(mv);
            let is_last = worker.board.makes_five(mv, worker.board.side_to_move());
            worker.board.play(mv);
            if is_last {
                break;
            }
        }
        for _ in &line {
            worker.board.undo();
        }
        line
    }

    /// Returns the next move of the proved line, from the proof or by continuous fours.
    fn next_move(&mut self, worker: &mut Worker, attacker: Color, ply: usize) -> Option<Coord> {
        let us = worker.board.side_to_move();
        if let Some((mv, plies)) = self.vct.proved_move(&worker.board) {
            let end = ply as i32 + plies;
            let score = if us == attacker { Score::win_in(end) } else { Score::loss_in(end) };
            worker.note_proof(ply, score, mv);
            return Some(mv);
        }
        if us != attacker {
            let threat = [Threat::Five, Threat::OpenFour];
            let answers = threat.map(|threat| worker.board.common_refutations(attacker, threat));
            let best = answers.into_iter().find(|cells| !cells.is_empty());
            let cells = best.unwrap_or(*worker.board.cells_with(attacker, Threat::Five));
            return legal(&mut worker.board, cells, us).first();
        }
        match worker.solve_vcf(LINE_VCF_NODES) {
            Outcome::Win { mv, plies } => {
                worker.note_proof(ply, Score::win_in(ply as i32 + plies), mv);
                Some(mv)
            }
            Outcome::No | Outcome::Unknown => None,
        }
    }
}
