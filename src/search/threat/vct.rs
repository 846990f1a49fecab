//! VCT: the search for a win by fours and threes.
//!
//! Every move of the attacker threatens to win by fours alone; the defender tries every move that
//! could meet the threat, his own fours among them. Depth-first proof-number search (Nagai, 2002)
//! decides where to look: a node's proof number says how many leaves at least are still to be won
//! to win it, its disproof number how many to be lost. The numbers live in a table, so that the
//! search can be stopped at any play and taken up again. A node's moves have guesses for values
//! until one is the best by its guess; only then it is played and looked at. A win is a proof: no
//! list of defences is a choice. "No" is none: some attacks are not tried and some tests are cut
//! short.

mod killers;
mod moves;
mod node;
mod priors;
mod proof_table;
mod sample;

use super::cache::Cache;
use super::vcf::{Outcome, Vcf};
use crate::board::Board;
use crate::board::zobrist::Key;
use crate::shape::Threat;
use crate::types::{CellSet, Color, Coord};
use killers::Winners;
use moves::{Defences, Width};
use node::{Child, Node};
use priors::{first_odds, first_value};
use proof_table::{INFINITE, Proofs, Value};

pub use priors::{Guess, PARTS};
pub use proof_table::LEAST_BYTES;
pub use sample::{Look, Survey};

/// Plies of one path at most.
const MAX_PLIES: usize = 80;
/// Plays of the search for continuous fours at the root.
const VCF_NODES: u64 = 400;
/// Plays of the searches for strong fours behind a move of the defender: when it is looked at,
/// where one of them is at hand that mostly wins, and when it is searched. Fours are attacks too, so
/// that longer wins by them are found all the same.
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
    /// The defences against quiet attacks.
    defences: Cache<Option<Defences>>,
    children: Vec<Child>,
    winners: Winners,
    attacker: Color,
    nodes: u64,
    node_limit: u64,
}

impl Vct {
    /// Returns a search that remembers nothing, with a small table.
    pub fn new() -> Vct {
        Vct {
            table: Proofs::new(LEAST_BYTES),
            vcf: Vcf::new(),
            defences: Cache::new(),
            children: Vec::with_capacity(CHILDREN),
            winners: Winners::new(),
            attacker: Color::Black,
            nodes: 0,
            node_limit: 0,
        }
    }

    /// Replaces the table of proofs by an empty one of at most `bytes` bytes.
    pub fn resize(&mut self, bytes: usize) {
        // The old table goes first, so that the two are never held together.
        self.table = Proofs::new(0);
        self.table = Proofs::new(bytes);
    }

    /// Makes room for searches of so many plays, as far as the table goes; see [`Vct::resize`].
    pub fn make_room(&mut self, plays: u64) {
        self.table.make_room(plays);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.table.clear();
        self.vcf.clear();
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
        match self.prove(board, board.side_to_move(), node_limit) {
            Value { proof: 0, mv: Some(mv), plies, .. } => Outcome::Win { mv, plies: plies.into() },
            Value { disproof: 0, .. } => Outcome::No,
            _ => Outcome::Unknown,
        }
    }

    /// Returns what is known of a position after `node_limit` plays more.
    fn prove(&mut self, board: &mut Board, attacker: Color, node_limit: u64) -> Value {
        self.nodes = 0;
        self.node_limit = node_limit;
        self.attacker = attacker;
        match self.table.probe(self.key(board)) {
            Some(value) if value.is_settled() => value,
            None if board.side_to_move() == attacker => self.start(board),
            Some(_) | None => self.search(board, [INFINITE, INFINITE], 0),
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
        let node = if is_attack {
            let known = self.table.probe(self.salted(key, true));
            if known.is_none_or(|known| known.work == 0) {
                if let Some((mv, plies)) = self.strong_fours(board, FIRST_VCF_NODES) {
                    return self.keep(key, true, Value::won(plies, Some(mv)), nodes_before);
                }
            }
            Some(self.attacks(board, known.map_or(Width::Loud, |known| known.width), ply))
        } else {
            self.answers(board, ply)
        };
        let Some(mut node) = node else {
            return self.keep(key, is_attack, Value::FAILED, nodes_before);
        };
        let value = loop {
            let children = &self.children[first..];
            let value = node.sum_up(children);
            let is_done = value.proof >= limits[0] || value.disproof >= limits[1];
            if value.is_settled() || is_done || self.nodes >= self.node_limit {
                break value;
            }
            let Some((next, child_limits)) = node.choose(children, value, limits) else {
                self.add_quiet_attacks(board, &mut node, ply);
                continue;
            };
            let Child { mv, guess, .. } = children[next];
            self.nodes += 1;
            board.play(mv);
            let value = match guess {
                None => self.search(board, child_limits, ply + 1),
                Some(_) => self.look(board),
            };
            board.undo();
            let child = &mut self.children[first + next];
            (child.value, child.guess) = (value, None);
        };
        self.children.truncate(first);
        if is_attack && value.is_won() {
            self.winners.note(ply, board.last_move(0), value.mv);
        }
        self.keep(key, is_attack, value, nodes_before)
    }

    /// Returns the node of a position with the attacker to move, with the attacks of `width` for
    /// its children.
    fn attacks(&mut self, board: &mut Board, width: Width, ply: usize) -> Node {
        let odds = first_odds(board, self.attacker, 0);
        let mut node = Node { is_attack: true, rest: None, odds, plies: 0 };
        if let Some(answers) = self.answers_to_four(board) {
            // Whether the answer to a four leaves a threat is seen when it is played.
            self.add_children(board, &answers, Guess::Attack, odds, ply);
            return node;
        }
        let cells = self.loud_moves(board);
        self.add_children(board, &cells, Guess::Attack, odds, ply);
        match width {
            Width::Loud => node.rest = Some(Guess::best_quiet_attack(odds)),
            Width::All => self.add_quiet_attacks(board, &mut node, ply),
        }
        node
    }

    /// Adds the quiet attacks to the children of a node that has the others.
    fn add_quiet_attacks(&mut self, board: &mut Board, node: &mut Node, ply: usize) {
        let cells = self.quiet_moves(board);
        self.add_children(board, &cells, Guess::QuietAttack, node.odds, ply);
        node.rest = None;
    }

    /// Returns the node of a position with the defender to move; `None` if nothing threatens him.
    fn answers(&mut self, board: &mut Board, ply: usize) -> Option<Node> {
        let Defences { cells, plies } = self.defences(board)?;
        let odds = first_odds(board, self.attacker, cells.len());
        self.add_children(board, &cells, Guess::Defence, odds, ply);
        Some(Node { is_attack: false, rest: None, odds, plies })
    }

    /// Adds moves with what the table knows of them, or else with a guess.
    fn add_children(
        &mut self,
        board: &Board,
        cells: &CellSet,
        kind: Guess,
        odds: [i32; 2],
        ply: usize,
    ) {
        let (us, last) = (board.side_to_move(), board.last_move(0));
        let is_attack = us == self.attacker;
        for mv in cells {
            let known = self.table.probe(self.salted(board.key_after(mv), !is_attack));
            let guess = known.is_none().then_some(kind);
            let mut value = known.unwrap_or_else(|| {
                let threats = [self.attacker, !self.attacker].map(|color| board.threat(mv, color));
                kind.value(odds, threats)
            });
            if is_attack && value.work == 0 && self.winners.contains(ply, last, mv) {
                value.proof = value.proof.div_ceil(WINNER_DIV);
            }
            let is_four = board.threats(mv).makes_four(us);
            self.children.push(Child { mv, value, guess, is_four });
        }
    }

    /// Puts a searched node's value into the table.
    fn keep(&mut self, key: Key, is_attack: bool, mut value: Value, nodes_before: u64) -> Value {
        value.work = (self.nodes - nodes_before + 1).ilog2() as u8 + 1;
        self.table.store(self.salted(key, is_attack), value);
        value
    }

    /// Looks at a position that the table does not know, and tells the table.
    fn look(&mut self, board: &mut Board) -> Value {
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
