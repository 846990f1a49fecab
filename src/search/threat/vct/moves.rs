//! Move generation of the df-pn search: attacks, and all defences, so that a proof holds.

use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{CellSet, Color};

use super::Vct;

#[derive(Clone, Copy)]
pub struct Defences {
    /// All moves that may meet the threat.
    pub cells: CellSet,
    /// Plies to the attacker's five after any other move.
    pub plies: i32,
}

impl Vct {
    pub(super) fn answers_to_four(&self, board: &Board) -> Option<CellSet> {
        if board.count(!self.attacker, Threat::Five) == 0 {
            return None;
        }
        let answers = board.common_refutations(!self.attacker, Threat::Five);
        Some(board.legal_cells(answers, self.attacker))
    }

    /// Threes threaten an open four or a double four.
    pub(super) fn fours_and_threes(&self, board: &Board) -> CellSet {
        self.moves_with(board, |threat| threat >= Threat::OpenThree || threat == Threat::Forbidden)
    }

    /// Quiet attacks make at least an open two, less than an open three.
    pub(super) fn quiet_attacks(&self, board: &Board) -> CellSet {
        self.moves_with(board, |threat| (Threat::OpenTwo..Threat::OpenThree).contains(&threat))
    }

    /// Returns the attacker's moves with such threats, without those that allow the defender an
    /// open four.
    fn moves_with(&self, board: &Board, is_wanted: impl Fn(Threat) -> bool) -> CellSet {
        let (us, them) = (self.attacker, !self.attacker);
        let candidates = board.candidates().into_iter();
        let mut cells: CellSet = candidates.filter(|&c| is_wanted(board.threat(c, us))).collect();
        if board.count(them, Threat::OpenFour) > 0 {
            // Only fours need not meet the defender's threat.
            cells =
                cells & (board.common_refutations(them, Threat::OpenFour) | board.four_cells(us));
        }
        board.legal_cells(cells, us)
    }

    /// Returns true if the attacker may threaten a VCF: with a cell that makes a four with an open
    /// three, or two cells that make a four. Rare wins are missed, but nothing false is proven.
    fn may_threaten(board: &Board, attacker: Color) -> bool {
        board.count(attacker, Threat::FourThree) > 0 || board.count_from(attacker, Threat::Four) > 1
    }

    /// Returns all moves that may meet the attacker's threat; `None` if there is none, or if the
    /// defender wins first.
    pub(super) fn defences(&mut self, board: &mut Board) -> Option<Defences> {
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
        if !Vct::may_threaten(board, self.attacker) {
            return None;
        }
        let key = self.key(board);
        self.defences.get(key).unwrap_or_else(|| {
            board.pass();
            let win = self.vcf.solve_with_defences(board, self.params.vct_quiet_vcf_nodes);
            self.nodes += self.vcf.nodes();
            board.pass();
            let defences = win.map(|(cells, plies)| Defences { cells, plies: plies + 1 });
            self.defences.put(key, defences);
            defences
        })
    }
}
