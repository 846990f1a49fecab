//! VCT: the search for a win by fours and threes.
//!
//! Every move of the attacker threatens to win by fours alone; the defender tries every move that
//! could meet the threat, his own fours among them. Depth-first proof-number search (Nagai, 2002)
//! decides where to look: a node's proof number says how many leaves at least are still to be won
//! to win it, its disproof number how many to be lost. The numbers live in a table, so that the
//! search can be stopped at any play and taken up again. A win is a proof: no list of defences is
//! a choice. "No" is none: some attacks are not tried and some tests are cut short.

mod guess;
mod moves;
mod numbers;
mod proofs;
mod winners;

use super::memo::Memo;
use super::vcf::{Outcome, Vcf};
use crate::board::Board;
use crate::board::zobrist::Key;
use crate::shape::Threat;
use crate::types::{CellSet, Color, Coord};
use guess::first_value;
use moves::{Attacks, Defences, Width};
use proofs::{INFINITE, Proofs, Value};
use winners::Winners;

/// Plies of one path at most.
const MAX_PLIES: usize = 80;
/// Plays of the search for continuous fours at the root.
const VCF_NODES: u64 = 400;
/// Plays of the searches for strong fours behind a move of the defender: when it is looked at,
/// where one of them is at hand that mostly wins, and when it is searched. Fours are attacks too, so that
/// longer wins by them are found all the same.
const LOOK_VCF_NODES: u64 = 12;
const FIRST_VCF_NODES: u64 = 30;
/// Divides the first proof number of a move that has won on the same ply or against the same
/// defence.
const WINNER_DIV: u32 = 4;
/// Moves of one node at most.
const MAX_MOVES: usize = 22 * 22;
/// Children on one path with their siblings at most, set aside once.
const CHILDREN: usize = 1 << 13;

/// Proves wins by fours and threes and remembers what it found.
pub struct Vct {
    table: Proofs,
    vcf: Vcf,
    /// The attacks of nodes that got quiet ones.
    attacks: Memo<Attacks>,
    /// The defences against quiet attacks.
    defences: Memo<Option<Defences>>,
    children: Vec<Child>,
    winners: Winners,
    attacker: Color,
    nodes: u64,
    node_limit: u64,
}

/// A move of a node and what is known of the position behind it.
#[derive(Clone, Copy)]
struct Child {
    mv: Coord,
    value: Value,
    /// Whether the mover makes a four.
    is_four: bool,
}

/// A node that is being searched.
struct Node {
    /// Its first child.
    first: usize,
    /// The attacks that are among its children, if the attacker is to move.
    width: Option<Width>,
    /// Plies that the defender lasts by other moves than those searched.
    plies: i32,
}

impl Vct {
    /// Returns a search that remembers nothing.
    pub fn new() -> Vct {
        Vct {
            table: Proofs::new(),
            vcf: Vcf::new(),
            attacks: Memo::new(),
            defences: Memo::new(),
            children: Vec::with_capacity(CHILDREN),
            winners: Winners::new(),
            attacker: Color::Black,
            nodes: 0,
            node_limit: 0,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.table.clear();
        self.vcf.clear();
        self.attacks.clear();
        self.defences.clear();
        self.winners.clear();
    }

    /// Tells that the searches that follow are for a new move; older results give way.
    pub fn begin(&mut self) {
        self.table.next_stamp();
    }

    /// Looks for a win of the side to move with `node_limit` plays, or a few hundred more to finish
    /// what was begun. [`Outcome::Unknown`] says that another call would go on from here;
    /// [`Outcome::No`] that none would help.
    pub fn solve(&mut self, board: &mut Board, node_limit: u64) -> Outcome {
        self.nodes = 0;
        self.node_limit = node_limit;
        self.attacker = board.side_to_move();
        let value = match self.table.probe(self.key(board)) {
            Some(value) if value.is_settled() => value,
            Some(_) => self.search(board, [INFINITE, INFINITE], 0),
            None => self.start(board),
        };
        match value {
            Value { proof: 0, mv: Some(mv), plies, .. } => Outcome::Win { mv, plies: plies.into() },
            Value { disproof: 0, .. } => Outcome::No,
            _ => Outcome::Unknown,
        }
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

    /// Searches a root that was not met before: by continuous fours first.
    fn start(&mut self, board: &mut Board) -> Value {
        let outcome = self.vcf.solve(board, VCF_NODES.min(self.node_limit));
        self.nodes += self.vcf.nodes();
        match outcome {
            Outcome::Win { mv, plies } => {
                self.keep(board.key(), true, Value::won(plies, Some(mv)), 0)
            }
            Outcome::No | Outcome::Unknown => self.search(board, [INFINITE, INFINITE], 0),
        }
    }

    /// Searches a node until its numbers reach `limits`, those of the proof and the disproof.
    fn search(&mut self, board: &mut Board, limits: [u32; 2], ply: usize) -> Value {
        let (key, nodes_before) = (board.key(), self.nodes);
        let first = self.children.len();
        if ply >= MAX_PLIES || first + MAX_MOVES > CHILDREN {
            return Value::FAILED;
        }
        let is_attack = board.side_to_move() == self.attacker;
        let known = self.table.probe(self.salted(key, is_attack)).unwrap_or(Value::open(1, 1));
        let mut node = Node { first, width: is_attack.then_some(known.width), plies: 0 };
        if is_attack && known.work == 0 {
            if let Some((mv, plies)) = self.strong_fours(board, FIRST_VCF_NODES) {
                return self.keep(key, is_attack, Value::won(plies, Some(mv)), nodes_before);
            }
        }
        let is_complete = if is_attack {
            self.add_attacks(board, &mut node, known.width, ply)
        } else {
            let Some(Defences { cells, plies }) = self.defences(board) else {
                return self.keep(key, is_attack, Value::FAILED, nodes_before);
            };
            node.plies = plies;
            self.add_children(board, &cells, ply)
        };
        if !is_complete {
            // What was looked at is in the table when the search comes back.
            self.children.truncate(first);
            return known;
        }
        let value = loop {
            let value = self.sum_up(&node);
            let is_done = value.proof >= limits[0] || value.disproof >= limits[1];
            if value.is_settled() || is_done || self.nodes >= self.node_limit {
                break value;
            }
            let Some((next, child_limits)) = self.choose(&node, value, limits) else {
                let wider = node.width.and_then(Width::wider);
                if !wider.is_some_and(|width| self.add_attacks(board, &mut node, width, ply)) {
                    break value;
                }
                continue;
            };
            self.nodes += 1;
            board.play(self.children[next].mv);
            self.children[next].value = self.search(board, child_limits, ply + 1);
            board.undo();
        };
        self.children.truncate(first);
        if is_attack && value.is_won() {
            self.winners.note(ply, board.last_move(0), value.mv);
        }
        self.keep(key, is_attack, value, nodes_before)
    }

    /// Adds those attacks of `width` at least to the children that are not among them; returns
    /// false if the plays ran out.
    fn add_attacks(
        &mut self,
        board: &mut Board,
        node: &mut Node,
        width: Width,
        ply: usize,
    ) -> bool {
        let Attacks { mut cells, width, .. } = self.attacks(board, width);
        node.width = Some(width);
        for child in &self.children[node.first..] {
            cells.remove(child.mv);
        }
        self.add_children(board, &cells, ply)
    }

    /// Looks at moves; returns false if the plays ran out. One that decides the node is the last.
    fn add_children(&mut self, board: &mut Board, cells: &CellSet, ply: usize) -> bool {
        let (us, last) = (board.side_to_move(), board.last_move(0));
        let is_attack = us == self.attacker;
        for mv in cells {
            if self.nodes >= self.node_limit {
                return false;
            }
            let mut value = self.look(board, mv);
            if is_attack && value.work == 0 && self.winners.contains(ply, last, mv) {
                value.proof = value.proof.div_ceil(WINNER_DIV);
            }
            let is_four = board.threats(mv).makes_four(us);
            self.children.push(Child { mv, value, is_four });
            if if is_attack { value.is_won() } else { value.disproof == 0 } {
                break;
            }
        }
        true
    }

    /// Puts a searched node's value into the table.
    fn keep(&mut self, key: Key, is_attack: bool, mut value: Value, nodes_before: u64) -> Value {
        value.work = (self.nodes - nodes_before + 1).ilog2() as u8 + 1;
        self.table.store(self.salted(key, is_attack), value);
        value
    }

    /// Returns what is known of the position after a move, or what it looks like.
    fn look(&mut self, board: &mut Board, mv: Coord) -> Value {
        let is_attack = board.side_to_move() != self.attacker;
        let known = self.table.probe(self.salted(board.key_after(mv), is_attack));
        known.unwrap_or_else(|| {
            self.nodes += 1;
            board.play(mv);
            let value = self.look_here(board);
            board.undo();
            value
        })
    }

    /// Looks at a position that the table does not know, and tells the table.
    fn look_here(&mut self, board: &mut Board) -> Value {
        let value = if board.side_to_move() == self.attacker {
            self.look_at_attack(board)
        } else {
            self.look_at_defence(board)
        };
        self.table.store(self.key(board), value);
        value
    }

    /// Returns the first value of a position with the attacker to move.
    fn look_at_attack(&mut self, board: &mut Board) -> Value {
        let us = self.attacker;
        if let Some(mv) = board.cells_with(us, Threat::Five).first() {
            return Value::won(1, Some(mv));
        }
        if board.count_from(us, Threat::FourThree) > 0 {
            if let Some((mv, plies)) = self.strong_fours(board, LOOK_VCF_NODES) {
                return Value::won(plies, Some(mv));
            }
        }
        first_value(board, us, 0)
    }

    /// Looks for a win of the side to move by strong fours; returns the first move and the plies.
    fn strong_fours(&mut self, board: &mut Board, node_limit: u64) -> Option<(Coord, i32)> {
        let win = self.vcf.solve_by_strong_fours(board, node_limit);
        self.nodes += self.vcf.nodes();
        win
    }

    /// Returns the first value of a position with the defender to move.
    fn look_at_defence(&mut self, board: &mut Board) -> Value {
        match self.defences(board) {
            None => Value::FAILED,
            Some(Defences { cells, plies }) => match cells.len() {
                0 => Value::won(plies, None),
                answers => first_value(board, self.attacker, answers),
            },
        }
    }

    fn key(&self, board: &Board) -> u64 {
        self.salted(board.key(), board.side_to_move() == self.attacker)
    }

    /// Returns the table key of a position, in which either side may be the attacker.
    fn salted(&self, key: Key, is_attack: bool) -> u64 {
        key.bits() ^ u64::from(is_attack).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl Default for Vct {
    fn default() -> Vct {
        Vct::new()
    }
}
