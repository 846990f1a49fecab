//! VCT (victory by continuous threats): the search for a win by fours and threes.
//!
//! Every move of the attacker threatens a VCF; the defender tries every move that could meet the
//! threat, his own fours among them. The search is df-pn, depth-first proof-number search (Nagai,
//! 2002). A table keeps the proof numbers, so that the search can stop and resume at any node. A
//! move has a prior until it is the most promising of its node; only then it is expanded.
//!
//! A win is a proof, because no defence is left out. "No" is not: some attacks are not tried, and
//! some tests have node limits.

mod node;
mod priors;
mod proof_table;

use tengen_gomoku::board::Board;
use tengen_gomoku::board::zobrist::Key;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::random::GAMMA;
use tengen_gomoku::types::{BoardSize, CELLS, Color, Coord, CoordSet};

use super::vcf::{Solution, Vcf};
use crate::search::cache::Cache;
use node::{Child, ProofNode};
use priors::{MoveClass, initial_numbers, log_odds};
use proof_table::{INFINITE, ProofNumbers, ProofTable};

pub use proof_table::MIN_BYTES;

/// Capacity of the stack of children: all moves of the nodes on a path.
const MAX_CHILDREN: usize = 1 << 13;
const MAX_PLIES: usize = 80;
/// Nodes of VCF searches: at a new root, of strong fours when a node is expanded and at its first
/// visit, and to test whether a quiet move threatens a VCF.
const ROOT_VCF_NODES: u64 = 400;
const EXPANSION_VCF_NODES: u64 = 12;
const VISIT_VCF_NODES: u64 = 30;
const QUIET_VCF_NODES: u64 = 60;
/// The prior proof number of a killer, in 1/1024 of another move's.
const KILLER_FACTOR: u32 = 256;

pub struct Vct {
    pub table: ProofTable,
    vcf: Vcf,
    defences: Cache<Option<Defences>, { 1 << 10 }, 4>,
    children: Vec<Child>,
    killers: Killers,
    attacker: Color,
    /// Of the last search.
    pub nodes: u64,
    node_limit: u64,
}

impl Default for Vct {
    fn default() -> Vct {
        Vct {
            table: ProofTable::new(MIN_BYTES),
            vcf: Vcf::default(),
            defences: Cache::default(),
            children: Vec::with_capacity(MAX_CHILDREN),
            killers: Killers::new(),
            attacker: Color::Black,
            nodes: 0,
            node_limit: 0,
        }
    }
}

impl Vct {
    pub fn clear(&mut self) {
        self.table.clear();
        self.vcf.clear();
        self.defences.clear();
        self.killers.clear();
    }

    /// Searches for a win of the side to move with `node_limit` nodes; a VCF search may exceed it
    /// by a few hundred. After [`Solution::Unknown`] another call goes on; after [`Solution::No`] no
    /// other call would find a win.
    pub fn solve(&mut self, board: &mut Board, node_limit: u64) -> Solution {
        self.nodes = 0;
        self.node_limit = node_limit;
        self.attacker = board.side_to_move();
        let numbers = match self.table.probe(self.key(board)) {
            Some(numbers) if numbers.is_solved() => numbers,
            Some(_) => self.search(board, [INFINITE; 2], 0),
            // A new root.
            None => {
                let solution = self.vcf.solve(board, ROOT_VCF_NODES.min(node_limit));
                match self.proven_by_vcf(solution) {
                    Some(numbers) => self.store(board.key(), true, numbers, 0),
                    None => self.search(board, [INFINITE; 2], 0),
                }
            }
        };
        match (numbers.mv, numbers.plies) {
            (Some(mv), plies) if numbers.is_proven() => Solution::Win { mv, plies: plies.into() },
            _ if numbers.is_solved() => Solution::No,
            _ => Solution::Unknown,
        }
    }

    /// Returns a move of the proof of the last [`Vct::solve`] and the plies to the five: the
    /// attacker's winning move or the defender's longest resistance.
    pub fn proven_move(&self, board: &Board) -> Option<(Coord, i32)> {
        let numbers = self.table.probe(self.key(board)).filter(ProofNumbers::is_proven)?;
        Some((numbers.mv?, numbers.plies.into()))
    }

    fn search(&mut self, board: &mut Board, thresholds: [u32; 2], ply: usize) -> ProofNumbers {
        let (key, nodes_before) = (board.key(), self.nodes);
        let first = self.children.len();
        if ply >= MAX_PLIES || first + BoardSize::MAX_AREA > MAX_CHILDREN {
            return ProofNumbers::DISPROVEN;
        }
        let is_attack = board.side_to_move() == self.attacker;
        let node = if is_attack {
            let known = self.table.probe(table_key(key, true));
            if known.is_none_or(|known| known.work == 0)
                && let Some(numbers) = self.strong_fours(board, VISIT_VCF_NODES)
            {
                return self.store(key, true, numbers, nodes_before);
            }
            let has_quiet = known.is_some_and(|known| known.has_quiet);
            Some(self.attack_node(board, has_quiet, ply))
        } else {
            self.defences(board).map(|Defences { cells, plies }| {
                let log_odds = log_odds(board, self.attacker, cells.len());
                self.add_children(board, &cells, MoveClass::Defence, log_odds, ply);
                ProofNode { is_attack: false, quiet_prior: None, log_odds, plies }
            })
        };
        // Without a threat there is nothing to defend against.
        let Some(mut node) = node else {
            return self.store(key, is_attack, ProofNumbers::DISPROVEN, nodes_before);
        };
        let numbers = loop {
            let children = &self.children[first..];
            let numbers = node.backup(children);
            let is_done = numbers.proof >= thresholds[0] || numbers.disproof >= thresholds[1];
            if numbers.is_solved() || is_done || self.nodes >= self.node_limit {
                break numbers;
            }
            let selected = node.select_child(children, numbers, thresholds);
            let Some((next, child_thresholds)) = selected else {
                self.add_quiet_attacks(board, &mut node, ply);
                continue;
            };
            let Child { mv, prior, .. } = children[next];
            self.nodes += 1;
            board.play(mv);
            let numbers = match prior {
                None => self.search(board, child_thresholds, ply + 1),
                Some(_) => self.expand(board),
            };
            board.undo();
            let child = &mut self.children[first + next];
            (child.numbers, child.prior) = (numbers, None);
        };
        self.children.truncate(first);
        if is_attack && numbers.is_proven() {
            self.killers.update(ply, board.last_move(0), numbers.mv);
        }
        self.store(key, is_attack, numbers, nodes_before)
    }

    fn attack_node(&mut self, board: &Board, has_quiet: bool, ply: usize) -> ProofNode {
        let log_odds = log_odds(board, self.attacker, 0);
        let mut node = ProofNode { is_attack: true, quiet_prior: None, log_odds, plies: 0 };
        let them = !self.attacker;
        if board.count(them, Threat::Five) > 0 {
            // An answer that threatens nothing is disproven by its expansion.
            let answers = board.common_refutations(them, Threat::Five);
            let answers = board.legal_cells(answers, self.attacker);
            self.add_children(board, &answers, MoveClass::Attack, log_odds, ply);
            return node;
        }
        // Threes threaten an open four or a double four.
        let is_wanted = |threat| threat >= Threat::OpenThree || threat == Threat::Forbidden;
        let cells = self.moves_with(board, is_wanted);
        self.add_children(board, &cells, MoveClass::Attack, log_odds, ply);
        if has_quiet {
            self.add_quiet_attacks(board, &mut node, ply);
        } else {
            node.quiet_prior = Some(MoveClass::assumed_quiet_prior(log_odds));
        }
        node
    }

    fn add_quiet_attacks(&mut self, board: &Board, node: &mut ProofNode, ply: usize) {
        let is_quiet = |threat| (Threat::OpenTwo..Threat::OpenThree).contains(&threat);
        let cells = self.moves_with(board, is_quiet);
        self.add_children(board, &cells, MoveClass::QuietAttack, node.log_odds, ply);
        node.quiet_prior = None;
    }

    /// Adds moves with their numbers from the table, or else with priors.
    fn add_children(
        &mut self,
        board: &Board,
        cells: &CoordSet,
        class: MoveClass,
        log_odds: [i32; 2],
        ply: usize,
    ) {
        let (us, last) = (board.side_to_move(), board.last_move(0));
        let is_attack = us == self.attacker;
        for mv in cells {
            self.table.prefetch(table_key(board.key_after(mv), !is_attack));
        }
        for mv in cells {
            let known = self.table.probe(table_key(board.key_after(mv), !is_attack));
            let prior = known.is_none().then_some(class);
            let mut numbers = known.unwrap_or_else(|| {
                let threats = [self.attacker, !self.attacker].map(|color| board.threat(mv, color));
                class.prior(log_odds, threats)
            });
            if is_attack
                && numbers.work == 0
                && !numbers.is_solved()
                && self.killers.contains(ply, last, mv)
            {
                numbers.proof = (numbers.proof * KILLER_FACTOR).div_ceil(1024);
            }
            let is_four = board.threats(mv).makes_four(us);
            self.children.push(Child { mv, numbers, prior, is_four });
        }
    }

    fn store(
        &mut self,
        key: Key,
        is_attack: bool,
        mut numbers: ProofNumbers,
        nodes_before: u64,
    ) -> ProofNumbers {
        numbers.work = (self.nodes - nodes_before + 1).ilog2() as u8 + 1;
        self.table.store(table_key(key, is_attack), numbers);
        numbers
    }

    fn expand(&mut self, board: &mut Board) -> ProofNumbers {
        let numbers = if board.side_to_move() == self.attacker {
            self.expand_attack(board)
        } else {
            match self.defences(board) {
                None => ProofNumbers::DISPROVEN,
                Some(Defences { cells, plies }) if cells.is_empty() => {
                    ProofNumbers::proven(plies, None)
                }
                Some(Defences { cells, .. }) => initial_numbers(board, self.attacker, cells.len()),
            }
        };
        self.table.store(self.key(board), numbers);
        numbers
    }

    /// Returns the initial numbers of a position with the attacker to move. Strong fours are
    /// searched if one also makes an open three, which mostly wins. Longer VCFs are still found,
    /// because fours are among the attacks.
    fn expand_attack(&mut self, board: &mut Board) -> ProofNumbers {
        let us = self.attacker;
        if let Some(mv) = board.cells_with(us, Threat::Five).first() {
            return ProofNumbers::proven(1, Some(mv));
        }
        if board.count_from(us, Threat::FourThree) > 0
            && let Some(numbers) = self.strong_fours(board, EXPANSION_VCF_NODES)
        {
            return numbers;
        }
        initial_numbers(board, us, 0)
    }

    fn strong_fours(&mut self, board: &mut Board, node_limit: u64) -> Option<ProofNumbers> {
        let solution = self.vcf.solve_by_strong_fours(board, node_limit);
        self.proven_by_vcf(solution)
    }

    /// Returns the numbers of a win that the VCF search has just found, and counts its nodes.
    fn proven_by_vcf(&mut self, solution: Solution) -> Option<ProofNumbers> {
        self.nodes += self.vcf.nodes;
        let Solution::Win { mv, plies } = solution else { return None };
        Some(ProofNumbers::proven(plies, Some(mv)))
    }

    fn key(&self, board: &Board) -> u64 {
        table_key(board.key(), board.side_to_move() == self.attacker)
    }
}

#[derive(Clone, Copy)]
struct Defences {
    /// All moves that may meet the threat.
    cells: CoordSet,
    /// Plies to the attacker's five after any other move.
    plies: i32,
}

/// Move generation: attacks, and all defences, so that a proof holds.
impl Vct {
    /// Returns the attacker's moves with such threats, without those that allow the defender an
    /// open four.
    fn moves_with(&self, board: &Board, is_wanted: impl Fn(Threat) -> bool) -> CoordSet {
        let (us, them) = (self.attacker, !self.attacker);
        let candidates = board.candidates().into_iter();
        let mut cells: CoordSet = candidates.filter(|&c| is_wanted(board.threat(c, us))).collect();
        if board.count(them, Threat::OpenFour) > 0 {
            // Only fours need not meet the defender's threat.
            cells =
                cells & (board.common_refutations(them, Threat::OpenFour) | board.four_cells(us));
        }
        board.legal_cells(cells, us)
    }

    /// Returns all moves that may meet the attacker's threat; `None` if there is none, or if the
    /// defender wins first.
    fn defences(&mut self, board: &mut Board) -> Option<Defences> {
        let us = board.side_to_move();
        let attacker = !us;
        if board.count(us, Threat::Five) > 0 {
            return None;
        }
        if board.count(attacker, Threat::Five) > 0 {
            let answers = board.common_refutations(attacker, Threat::Five);
            return Some(Defences { cells: board.legal_cells(answers, us), plies: 2 });
        }
        if board.count(us, Threat::OpenFour) > 0 {
            return None;
        }
        // The list is exact under renju too: cells that look forbidden to a black attacker do not
        // count as open fours, and no white stone makes another cell look forbidden.
        let Defences { cells, plies } = if board.count(attacker, Threat::OpenFour) > 0 {
            Defences { cells: board.common_refutations(attacker, Threat::OpenFour), plies: 4 }
        } else {
            self.quiet_defences(board)?
        };
        Some(Defences { cells: board.legal_cells(cells | board.four_cells(us), us), plies })
    }

    /// Returns the cells that may stop the VCF that the attacker threatens.
    fn quiet_defences(&mut self, board: &mut Board) -> Option<Defences> {
        // A VCF needs a cell that makes a four with an open three, or two that make a four. Rare
        // wins are missed, but nothing false is proven.
        let has_four_three = board.count(self.attacker, Threat::FourThree) > 0;
        if !has_four_three && board.count_from(self.attacker, Threat::Four) <= 1 {
            return None;
        }
        let key = self.key(board);
        self.defences.get(key).unwrap_or_else(|| {
            board.pass();
            let win = self.vcf.solve_with_defences(board, QUIET_VCF_NODES);
            self.nodes += self.vcf.nodes;
            board.pass();
            let defences = win.map(|(cells, plies)| Defences { cells, plies: plies + 1 });
            self.defences.put(key, defences);
            defences
        })
    }
}

fn table_key(key: Key, is_attack: bool) -> u64 {
    key ^ u64::from(is_attack).wrapping_mul(GAMMA)
}

/// Killer heuristic: an attack that won in a nearby position often wins here. The last winning
/// attack of each ply, and after each defence.
struct Killers {
    by_ply: [Option<Coord>; MAX_PLIES],
    by_defence: Box<[Option<Coord>; CELLS]>,
}

impl Killers {
    fn new() -> Killers {
        Killers { by_ply: [None; MAX_PLIES], by_defence: Box::new([None; CELLS]) }
    }

    fn clear(&mut self) {
        self.by_ply.fill(None);
        self.by_defence.fill(None);
    }

    fn update(&mut self, ply: usize, defence: Option<Coord>, mv: Option<Coord>) {
        self.by_ply[ply] = mv;
        self.by_defence[defence.map_or(0, Coord::index)] = mv;
    }

    fn contains(&self, ply: usize, defence: Option<Coord>, mv: Coord) -> bool {
        let by_defence = self.by_defence[defence.map_or(0, Coord::index)];
        [self.by_ply[ply], by_defence].contains(&Some(mv))
    }
}
