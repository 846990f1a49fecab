//! Move generation and ordering.
//!
//! The threats on the board decide which moves can be worth a search at all; those are scored
//! once and handed out best first. Sees the board, the ordering tables and the history, never
//! the search. The order is total: score, then cell.

use arrayvec::ArrayVec;

use super::history::{History, MoveKind};
use crate::board::Board;
use crate::eval::EvalTables;
use crate::shape::Threat;
use crate::types::{BoardSize, CellSet, Color, Coord, Direction, Rule};

const MAX_MOVES: usize = BoardSize::MAX as usize * BoardSize::MAX as usize;

/// A move with its ordering score.
#[derive(Clone, Copy, Debug)]
pub struct ScoredMove {
    /// The move.
    pub mv: Coord,
    /// How early it should be tried.
    pub score: i32,
}

/// Hands out the moves of a node, best first. Moves that renju forbids are among them.
pub struct Picker {
    moves: ArrayVec<ScoredMove, MAX_MOVES>,
    next: usize,
}

/// What the ordering of a node knows besides the board.
pub struct Context<'a> {
    /// Ordering scores of shape combinations.
    pub tables: &'static EvalTables,
    /// What earlier cutoffs say.
    pub history: &'a History,
    /// Plies from the root.
    pub ply: usize,
    /// The last two moves: the opponent's, and ours before it.
    pub last: [Option<Coord>; 2],
    /// The move that the transposition table knows.
    pub tt_move: Option<Coord>,
    /// Divides history before it is added to the score.
    pub history_div: i32,
}

const TT_SCORE: i32 = 1 << 24;
const COUNTER_SCORE: i32 = 24;
const KILLER_SCORE: i32 = 16;

impl Picker {
    /// Returns the picker of a node whose moves are `cells`.
    pub fn new(board: &Board, cells: &CellSet, context: &Context) -> Picker {
        let us = board.side_to_move();
        let mut moves = ArrayVec::new();
        for mv in cells {
            let threats = board.threats(mv);
            let score = if context.tt_move == Some(mv) {
                TT_SCORE
            } else {
                let kind = kind_of(threats.threat(us));
                context.tables.order(us, threats)
                    + context.tables.order_near(mv, context.last)
                    + context.history.merit(us, kind, mv) / context.history_div
                    + COUNTER_SCORE * i32::from(context.history.is_counter(us, context.last[0], mv))
                    + KILLER_SCORE * i32::from(context.history.is_killer(context.ply, mv))
            };
            moves.push(ScoredMove { mv, score });
        }
        Picker { moves, next: 0 }
    }
}

impl Iterator for Picker {
    type Item = ScoredMove;

    #[inline]
    fn next(&mut self) -> Option<ScoredMove> {
        let rest = &mut self.moves[self.next..];
        // The first of equals by cell wins; swapping may have moved cells out of order.
        let best =
            (0..rest.len()).max_by_key(|&i| (rest[i].score, std::cmp::Reverse(rest[i].mv)))?;
        rest.swap(0, best);
        self.next += 1;
        Some(rest[0])
    }
}

/// Returns the history table that a move with this threat belongs to.
pub fn kind_of(threat: Threat) -> MoveKind {
    if threat >= Threat::OpenThree { MoveKind::Attack } else { MoveKind::Quiet }
}

/// The moves that can matter in a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moves {
    /// The moves to search.
    pub cells: CellSet,
    /// Further moves, to be searched only if all of `cells` lose: the opponent threatens to win,
    /// and `cells` are the moves that meet the threat or gain time, but perhaps not all of them.
    pub reserve: CellSet,
}

/// Returns the moves worth searching when nobody can make a five at once.
pub fn moves(board: &Board) -> Moves {
    let us = board.side_to_move();
    let them = !us;
    let mut cells = if board.count(them, Threat::OpenFour) > 0 {
        board.common_refutations(them, Threat::OpenFour)
    } else if let Some(cells) = four_three_defence(board, them) {
        cells
    } else {
        return Moves { cells: board.candidates(), reserve: CellSet::EMPTY };
    };
    // Fours gain time. Renju fouls may be among them.
    cells |= board.four_cells(us);
    // White may also make a cell of black's attack forbidden from afar.
    let is_exact = board.rule() != Rule::Renju || them == Color::White;
    let reserve = if is_exact { CellSet::EMPTY } else { board.candidates() };
    Moves { cells, reserve: reserve.without(&cells) }
}

/// Returns the moves, own fours aside, that meet all of the attacker's fours with an open three:
/// cells that spoil the combination, and cells that turn the answer to the four into a four.
/// `None` if there is no such threat, or if an answer to one of the fours is a four already, so
/// that nothing is forced; also under caro rules, where a four can have an answer more.
fn four_three_defence(board: &Board, attacker: Color) -> Option<CellSet> {
    let defender = !attacker;
    if board.rule().is_caro() {
        return None;
    }
    let mut common: Option<CellSet> = None;
    for target in board.cells_with(attacker, Threat::FourThree) {
        let mut cells = board.refutations(target, attacker, Threat::FourThree);
        for direction in Direction::ALL {
            for answer in board.five_cells_after(target, attacker, direction) {
                if board.threats(answer).makes_four(defender) {
                    return None;
                }
                board.add_four_preparations(answer, defender, &mut cells);
            }
        }
        common = Some(common.map_or(cells, |common| common & cells));
    }
    common
}
