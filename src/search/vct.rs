//! VCT: the search for a win by fours and threes.
//!
//! Every move of the attacker threatens to win by fours alone; the defender tries every move that
//! could meet the threat, his own fours among them. Depth-first proof-number search (Nagai, 2002)
//! decides where to look: a node's proof number says how many leaves at least are still to be won
//! to win it, its disproof number how many to be lost. The numbers live in a table, so that the
//! search can be stopped at any play and taken up again. A win is a proof: no list of defences is
//! a choice. "No" is none: some attacks are not tried and some tests are cut short.

mod moves;
mod proofs;

use super::vcf::{Outcome, Vcf};
use crate::board::Board;
use crate::board::zobrist::Key;
use crate::shape::Threat;
use crate::types::{Color, Coord};
use moves::{Defences, guess_proof};
use proofs::{INFINITE, Proofs, Value};

/// Plies of one path at most.
const MAX_PLIES: usize = 80;
/// Plays of a search for continuous fours when an attacking position is first met.
const VCF_NODES: u64 = 400;
/// Plays of the same search behind a move of the defender that is only looked at.
const LOOK_VCF_NODES: u64 = 30;
/// Multiplies the first proof number of a four.
const FOUR_COST: u32 = 3;
/// Divides the first proof number of a move that has won on the same ply.
const KILLER_DIV: u32 = 4;
/// Children on one path with their siblings at most, set aside once.
const CHILDREN: usize = 1 << 13;

/// The moves that count as attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// Fours, and threes that threaten an open four or a double four.
    Threes,
    /// Also quiet moves that threaten a win by a four with an open three.
    FourThrees,
    /// Also quiet moves that threaten a win by any fours.
    Fours,
}

/// Proves wins by fours and threes and remembers what it found.
pub struct Vct {
    table: Proofs,
    vcf: Vcf,
    children: Vec<Child>,
    /// The attacker's last winning move on each ply: a good guess beside it.
    killers: [Option<Coord>; MAX_PLIES],
    attacker: Color,
    scope: Scope,
    nodes: u64,
    node_limit: u64,
}

/// A move of a node and what is known of the position behind it.
#[derive(Clone, Copy)]
struct Child {
    mv: Coord,
    value: Value,
}

impl Vct {
    /// Returns a search that remembers nothing.
    pub fn new() -> Vct {
        Vct {
            table: Proofs::new(),
            vcf: Vcf::new(),
            children: Vec::with_capacity(CHILDREN),
            killers: [None; MAX_PLIES],
            attacker: Color::Black,
            scope: Scope::Threes,
            nodes: 0,
            node_limit: 0,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.table.clear();
        self.vcf.clear();
    }

    /// Tells that the searches that follow are for a new move; older results give way.
    pub fn begin(&mut self) {
        self.table.next_stamp();
    }

    /// Looks for a win of the side to move with `node_limit` plays, or a few hundred more to finish
    /// what was begun. [`Outcome::Unknown`]
    /// says that another call would go on from here; [`Outcome::No`] that none would help.
    pub fn solve(&mut self, board: &mut Board, node_limit: u64) -> Outcome {
        self.nodes = 0;
        self.node_limit = node_limit;
        self.attacker = board.side_to_move();
        for scope in [Scope::Threes, Scope::FourThrees, Scope::Fours] {
            self.scope = scope;
            let value = match self.table.probe(self.key(board)) {
                Some(value) if value.is_settled() => value,
                _ => self.search(board, [INFINITE, INFINITE], 0),
            };
            match value {
                Value { proof: 0, mv: Some(mv), plies, .. } => {
                    return Outcome::Win { mv, plies: plies.into() };
                }
                Value { disproof: 0, .. } => {}
                _ => return Outcome::Unknown,
            }
        }
        Outcome::No
    }

    /// Returns the plays of the last [`Vct::solve`].
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns the move of the win that the last [`Vct::solve`] proved, and its plies, in a
    /// position of the proof: the attacker's winning move or the defender's longest resistance.
    pub fn proved_move(&self, board: &Board) -> Option<(Coord, i32)> {
        let value = self.table.probe(self.key(board)).filter(Value::is_won)?;
        Some((value.mv?, value.plies.into()))
    }

    /// Searches a node until its numbers reach `limits`, those of the proof and the disproof.
    fn search(&mut self, board: &mut Board, limits: [u32; 2], ply: usize) -> Value {
        let (key, nodes_before) = (self.key(board), self.nodes);
        let is_attack = board.side_to_move() == self.attacker;
        let is_new = self.table.probe(key).is_none_or(|value| value.work == 0);
        if is_attack && is_new && board.has_four(self.attacker) {
            let outcome = self.vcf.solve(board, VCF_NODES);
            self.nodes += self.vcf.nodes();
            if let Outcome::Win { mv, plies } = outcome {
                return self.keep(key, Value::won(plies, Some(mv)), nodes_before);
            }
        }
        let (cells, plies) = if is_attack {
            (self.attacks(board), 0)
        } else {
            match self.defences(board) {
                Some(defences) => (defences.cells, defences.plies),
                None => return self.keep(key, Value::FAILED, nodes_before),
            }
        };
        let first = self.children.len();
        if ply >= MAX_PLIES || first + cells.len() > CHILDREN {
            return Value::FAILED;
        }
        for mv in &cells {
            if self.nodes >= self.node_limit {
                // What was looked at is in the table when the search comes back.
                self.children.truncate(first);
                return self.table.probe(key).unwrap_or(Value::open(1, 1));
            }
            let mut value = self.look(board, mv);
            if is_attack && self.killers[ply] == Some(mv) && value.work == 0 {
                value.proof = value.proof.div_ceil(KILLER_DIV);
            }
            self.children.push(Child { mv, value });
            if if is_attack { value.is_won() } else { value.disproof == 0 } {
                break;
            }
        }
        let value = loop {
            let value = self.sum_up(first, is_attack, plies);
            let is_done = value.proof >= limits[0] || value.disproof >= limits[1];
            if value.is_settled() || is_done || self.nodes >= self.node_limit {
                break value;
            }
            let (next, child_limits) = self.choose(first, is_attack, value, limits);
            self.nodes += 1;
            board.play(self.children[next].mv);
            self.children[next].value = self.search(board, child_limits, ply + 1);
            board.undo();
        };
        self.children.truncate(first);
        if is_attack && value.is_won() {
            self.killers[ply] = value.mv;
        }
        self.keep(key, value, nodes_before)
    }

    /// Puts a searched node's value into the table.
    fn keep(&mut self, key: u64, mut value: Value, nodes_before: u64) -> Value {
        value.work = (self.nodes - nodes_before + 1).ilog2() as u8 + 1;
        self.table.store(key, value);
        value
    }

    /// Returns what is known of the position after a move, or what it looks like.
    fn look(&mut self, board: &mut Board, mv: Coord) -> Value {
        let us = board.side_to_move();
        let mut key = board.key();
        key ^= Key::of_cell(mv, us.cell());
        key ^= Key::of_side(us);
        key ^= Key::of_side(!us);
        let key = self.salted(key, us != self.attacker);
        if let Some(value) = self.table.probe(key) {
            return value;
        }
        self.nodes += 1;
        board.play(mv);
        let value = if us == self.attacker {
            self.look_at_defence(board)
        } else {
            self.look_at_attack(board)
        };
        board.undo();
        self.table.store(key, value);
        value
    }

    /// Returns the first value of a position with the attacker to move.
    fn look_at_attack(&mut self, board: &mut Board) -> Value {
        let (us, them) = (self.attacker, !self.attacker);
        if let Some(mv) = board.cells_with(us, Threat::Five).first() {
            return Value::won(1, Some(mv));
        }
        if board.has_four(us) {
            let outcome = self.vcf.solve(board, LOOK_VCF_NODES);
            self.nodes += self.vcf.nodes();
            if let Outcome::Win { mv, plies } = outcome {
                return Value::won(plies, Some(mv));
            }
        }
        // Every attack is a leaf to be met; the answer to a four is the only move.
        let attacks = match board.count(them, Threat::Five) {
            0 => board.count_from(us, Threat::OpenThree) + board.count(us, Threat::Forbidden),
            _ => 1,
        };
        Value::open(guess_proof(board, us), attacks.max(1) as u32)
    }

    /// Returns the first value of a position with the defender to move.
    fn look_at_defence(&mut self, board: &mut Board) -> Value {
        match self.defences(board) {
            None => Value::FAILED,
            Some(Defences { cells, plies }) => match cells.len() {
                0 => Value::won(plies, None),
                n => {
                    // Every defence is a leaf to be won. A four leaves one only, but most of them
                    // give away more than they gain.
                    let is_four = board.count(self.attacker, Threat::Five) > 0;
                    let leaves = n as u32 * if is_four { FOUR_COST } else { 1 };
                    Value::open(leaves * guess_proof(board, self.attacker), 1)
                }
            },
        }
    }

    /// Returns the value of a node from those of its children, which begin at `first`; `plies` is
    /// how long the defender lasts by other moves.
    fn sum_up(&self, first: usize, is_attack: bool, plies: i32) -> Value {
        let children = &self.children[first..];
        if is_attack {
            if let Some(child) = children.iter().find(|child| child.value.is_won()) {
                return Value::won(i32::from(child.value.plies) + 1, Some(child.mv));
            }
            let proof = children.iter().map(|child| child.value.proof).min();
            // Attacks often lead to the same positions, which a sum would count again and again
            // (Ueda and others, 2008): one more for each is enough.
            let disproof = children.iter().map(|child| child.value.disproof).max().unwrap_or(0);
            let open = children.iter().filter(|child| child.value.disproof > 0).count() as u32;
            let disproof = disproof + open.saturating_sub(1);
            Value::open(proof.unwrap_or(INFINITE), disproof.min(INFINITE - 1))
        } else {
            if children.iter().all(|child| child.value.is_won()) {
                let last = children.iter().max_by_key(|child| child.value.plies);
                let longest = last.map_or(0, |child| i32::from(child.value.plies) + 1);
                return Value::won(longest.max(plies), last.map(|child| child.mv));
            }
            let proof = children.iter().map(|child| child.value.proof).sum::<u32>();
            let disproof = children.iter().map(|child| child.value.disproof).min();
            match disproof.unwrap_or(INFINITE) {
                0 => Value::FAILED,
                disproof => Value::open(proof.min(INFINITE - 1), disproof),
            }
        }
    }

    /// Returns the child to search next and the limits of its numbers: the mover takes the child
    /// that is the least work for him until another one is by an eighth less, which keeps the
    /// search from jumping to and fro (Pawlewicz and Lew, 2006).
    fn choose(
        &self,
        first: usize,
        is_attack: bool,
        value: Value,
        limits: [u32; 2],
    ) -> (usize, [u32; 2]) {
        let (own, other) = if is_attack { (0, 1) } else { (1, 0) };
        let of = |child: &Child| {
            let numbers = [child.value.proof, child.value.disproof];
            (numbers[own], numbers[other])
        };
        let (mut best, mut second) = (first, INFINITE);
        for (index, child) in self.children.iter().enumerate().skip(first + 1) {
            let least = of(&self.children[best]).0;
            if of(child).0 < least {
                (best, second) = (index, least);
            } else {
                second = second.min(of(child).0);
            }
        }
        let mut child_limits = [0; 2];
        child_limits[own] = limits[own].min((second + second / 8 + 1).min(INFINITE));
        let sum = [value.proof, value.disproof][other];
        let rest = limits[other].saturating_sub(sum);
        child_limits[other] = (rest + of(&self.children[best]).1).min(INFINITE);
        (best, child_limits)
    }

    fn key(&self, board: &Board) -> u64 {
        self.salted(board.key(), board.side_to_move() == self.attacker)
    }

    /// Returns the table key of a position: both sides may attack in it, in any scope.
    fn salted(&self, key: Key, is_attack: bool) -> u64 {
        let salt = (self.scope as u64) << 1 | u64::from(is_attack);
        key.bits() ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl Default for Vct {
    fn default() -> Vct {
        Vct::new()
    }
}
