//! What the two sides may play in a proof: the attacks, and every move that may meet a threat.

use super::Vct;
use crate::board::Board;
use crate::search::threat::vcf::legal;
use crate::shape::Threat;
use crate::types::{CellSet, Color};

/// The attacks that were weighed in a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Fours, and threes that threaten an open four or a double four.
    Loud,
    /// Also quiet moves that may threaten a win by fours.
    All,
}

/// Plays of the test whether a quiet move threatens to win by continuous fours.
const THREAT_NODES: u64 = 60;

/// The defender's choices.
#[derive(Clone, Copy)]
pub struct Defences {
    pub cells: CellSet,
    /// Plies to the attacker's five after any other move.
    pub plies: i32,
}

impl Vct {
    /// Returns the attacker's answers to a four, which are all there is to try; `None` if there is
    /// no four.
    pub(super) fn answers_to_four(&self, board: &mut Board) -> Option<CellSet> {
        if board.count(!self.attacker, Threat::Five) == 0 {
            return None;
        }
        let answers = board.common_refutations(!self.attacker, Threat::Five);
        Some(legal(board, answers, self.attacker))
    }

    /// Returns the fours, and the threes that threaten an open four or a double four.
    pub(super) fn loud_moves(&self, board: &mut Board) -> CellSet {
        self.moves_with(board, |threat| threat >= Threat::OpenThree || threat == Threat::Forbidden)
    }

    /// Returns the moves that make at least a two and no threat by their own shape.
    pub(super) fn quiet_moves(&self, board: &mut Board) -> CellSet {
        self.moves_with(board, |threat| (Threat::OpenTwo..Threat::OpenThree).contains(&threat))
    }

    /// Returns the attacker's moves with the threats that are wanted, less those that let the
    /// defender make an open four.
    fn moves_with(&self, board: &mut Board, is_wanted: impl Fn(Threat) -> bool) -> CellSet {
        let (us, them) = (self.attacker, !self.attacker);
        let candidates = board.candidates().into_iter();
        let mut cells: CellSet = candidates.filter(|&c| is_wanted(board.threat(c, us))).collect();
        if board.count(them, Threat::OpenFour) > 0 {
            // Less than a four must meet the threat.
            cells &= board.common_refutations(them, Threat::OpenFour) | board.four_cells(us);
        }
        legal(board, cells, us)
    }

    /// Returns true if continuous fours of the attacker can win after a quiet move and a pass.
    fn may_threaten(board: &Board, attacker: Color) -> bool {
        board.count(attacker, Threat::FourThree) > 0 || board.count_from(attacker, Threat::Four) > 1
    }

    /// Returns every move of the defender that may meet the threat against him; `None` if there
    /// is no threat or it comes too late.
    pub(super) fn defences(&mut self, board: &mut Board) -> Option<Defences> {
        let us = board.side_to_move();
        let attacker = !us;
        if board.count(us, Threat::Five) > 0 {
            return None;
        }
        if board.count(attacker, Threat::Five) > 0 {
            let answers = board.common_refutations(attacker, Threat::Five);
            return Some(Defences { cells: legal(board, answers, us), plies: 2 });
        }
        if board.count(us, Threat::OpenFour) > 0 {
            return None;
        }
        // Against an open four help the cells that stop all of them. Cells that only look forbidden
        // to a renju black attacker are no targets, so the list is exact under renju too: a white
        // stone makes no cell of black's look forbidden that did not before.
        let (mut cells, plies) = if board.count(attacker, Threat::OpenFour) > 0 {
            (board.common_refutations(attacker, Threat::OpenFour), 4)
        } else {
            let Defences { cells, plies } = self.quiet_defences(board)?;
            (cells, plies)
        };
        cells |= board.four_cells(us);
        Some(Defences { cells: legal(board, cells, us), plies })
    }

    /// Returns the cells that may spoil the continuous fours that the attacker threatens.
    fn quiet_defences(&mut self, board: &mut Board) -> Option<Defences> {
        if !Vct::may_threaten(board, self.attacker) {
            return None;
        }
        let key = self.key(board);
        self.defences.get(key).unwrap_or_else(|| {
            board.pass();
            let spoilers = self.vcf.spoilers(board, THREAT_NODES);
            self.nodes += self.vcf.nodes();
            board.pass();
            let defences = spoilers.map(|(cells, plies)| Defences { cells, plies: plies + 1 });
            self.defences.put(key, defences);
            defences
        })
    }
}
