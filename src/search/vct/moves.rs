//! What the two sides may play in a proof: the attacks, and every move that may meet a threat.

use super::Vct;
use crate::board::Board;
use crate::search::vcf::legal;
use crate::shape::Threat;
use crate::types::{CellSet, Coord};

/// The moves that count as attacks, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Width {
    /// Fours, and threes that threaten an open four or a double four.
    Threes,
    /// Also quiet moves that threaten a win by a four with an open three.
    FourThrees,
    /// Also quiet moves that threaten a win by any fours.
    Fours,
}

impl Width {
    /// Every width, the least first.
    pub const ALL: [Width; 3] = [Width::Threes, Width::FourThrees, Width::Fours];

    /// Returns the width in the low two bits of `bits`.
    pub const fn from_bits(bits: u64) -> Width {
        let index = (bits & 3) as usize;
        if index < Width::ALL.len() { Width::ALL[index] } else { Width::Fours }
    }

    /// Returns the next greater width.
    pub const fn wider(self) -> Option<Width> {
        match self {
            Width::Threes => Some(Width::FourThrees),
            Width::FourThrees => Some(Width::Fours),
            Width::Fours => None,
        }
    }
}

/// Plays of the test whether a quiet move threatens to win by continuous fours.
const THREAT_NODES: u64 = 60;
/// The defender's choices.
pub struct Defences {
    pub cells: CellSet,
    /// Plies to the attacker's five after any other move.
    pub plies: i32,
}

impl Vct {
    /// Returns the moves that may keep the initiative and come with `width`. Whether a quiet one is
    /// an attack shows when it is played: see [`Vct::is_new_attack`].
    pub(super) fn attacks(&mut self, board: &mut Board, width: Width) -> CellSet {
        let us = board.side_to_move();
        let them = !us;
        if board.count(them, Threat::Five) > 0 {
            if width != Width::Threes {
                return CellSet::EMPTY;
            }
            // Whether the answer leaves a threat is seen when it is played.
            return legal(board, board.common_refutations(them, Threat::Five), us);
        }
        let threatens = |&c: &Coord| {
            let threat = board.threat(c, us);
            let is_quiet = threat < Threat::OpenThree && threat != Threat::Forbidden;
            is_quiet == (width != Width::Threes) && threat >= Threat::Forbidden
        };
        let mut cells: CellSet = board.candidates().into_iter().filter(threatens).collect();
        if board.count(them, Threat::OpenFour) > 0 {
            // Less than a four must meet the threat.
            cells &= board.common_refutations(them, Threat::OpenFour) | board.four_cells(us);
        }
        legal(board, cells, us)
    }

    /// Returns true if the attacker's last move, one of those of `width`, can be an attack, and no
    /// lesser width has it.
    pub(super) fn is_new_attack(board: &Board, width: Width) -> bool {
        let attacker = !board.side_to_move();
        match width {
            Width::Threes => true,
            Width::FourThrees => board.count(attacker, Threat::FourThree) > 0,
            Width::Fours => {
                board.count(attacker, Threat::FourThree) == 0
                    && board.count_from(attacker, Threat::Four) > 1
            }
        }
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
            self.quiet_defences(board)?
        };
        cells |= board.four_cells(us);
        Some(Defences { cells: legal(board, cells, us), plies })
    }

    /// Returns the cells that may spoil the continuous fours that the attacker threatens.
    fn quiet_defences(&mut self, board: &mut Board) -> Option<(CellSet, i32)> {
        let quiet = [Width::FourThrees, Width::Fours];
        if !quiet.into_iter().any(|width| Vct::is_new_attack(board, width)) {
            return None;
        }
        board.pass();
        let spoilers = self.vcf.spoilers(board, THREAT_NODES);
        self.nodes += self.vcf.nodes();
        board.pass();
        spoilers.map(|(cells, plies)| (cells, plies + 1))
    }
}
