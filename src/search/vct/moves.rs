//! What the two sides may play in a proof: the attacks, and every move that may meet a threat.

use super::Vct;
use crate::board::Board;
use crate::search::vcf::legal;
use crate::shape::Threat;
use crate::types::{CellSet, Color};

/// The moves that count as attacks, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    /// Returns the width in the low two bits of `bits`.
    pub const fn from_bits(bits: u64) -> Width {
        match bits & 3 {
            0 => Width::Threes,
            1 => Width::FourThrees,
            _ => Width::Fours,
        }
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

/// The attacker's choices.
#[derive(Clone, Copy)]
pub struct Attacks {
    /// The moves of `width` and less.
    pub cells: CellSet,
    pub width: Width,
    /// The moves that may be attacks of the greatest width.
    rest: CellSet,
}

/// The defender's choices.
#[derive(Clone, Copy)]
pub struct Defences {
    pub cells: CellSet,
    /// Plies to the attacker's five after any other move.
    pub plies: i32,
}

impl Vct {
    /// Returns the attacks of `width` and less, or of more where they are known already.
    pub(super) fn attacks(&mut self, board: &mut Board, width: Width) -> Attacks {
        if board.count(!self.attacker, Threat::Five) > 0 {
            // The answer to a four is all there is to try. Whether it leaves a threat is seen
            // when it is played.
            let answers = board.common_refutations(!self.attacker, Threat::Five);
            let cells = legal(board, answers, self.attacker);
            return Attacks { cells, width: Width::Fours, rest: CellSet::EMPTY };
        }
        let key = self.key(board);
        let mut attacks = self.attacks.get(key).unwrap_or_else(|| Attacks {
            cells: self.loud_moves(board),
            width: Width::Threes,
            rest: CellSet::EMPTY,
        });
        if attacks.width >= width {
            return attacks;
        }
        if attacks.width == Width::Threes {
            self.add_four_threes(board, &mut attacks);
        }
        if width == Width::Fours {
            attacks.cells |= attacks.rest;
        }
        attacks.width = width;
        self.attacks.put(key, attacks);
        attacks
    }

    /// Adds the quiet moves that threaten a four with an open three, and notes those after which
    /// the attacker has other fours.
    fn add_four_threes(&mut self, board: &mut Board, attacks: &mut Attacks) {
        for mv in &self.quiet_moves(board) {
            self.nodes += 1;
            board.play(mv);
            if board.count(self.attacker, Threat::FourThree) > 0 {
                let known = self.table.probe(self.key(board));
                if known.unwrap_or_else(|| self.look_here(board)).disproof > 0 {
                    attacks.cells.insert(mv);
                }
            } else if Vct::may_threaten(board, self.attacker) {
                attacks.rest.insert(mv);
            }
            board.undo();
        }
    }

    /// Returns the fours, and the threes that threaten an open four or a double four.
    fn loud_moves(&self, board: &mut Board) -> CellSet {
        self.moves_with(board, |threat| threat >= Threat::OpenThree || threat == Threat::Forbidden)
    }

    /// Returns the moves that make at least a two and no threat by their own shape.
    fn quiet_moves(&self, board: &mut Board) -> CellSet {
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
