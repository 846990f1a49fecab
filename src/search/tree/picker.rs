//! Move generation and ordering.
//!
//! The threats on the board decide which moves can be worth a search at all; those are scored
//! once and handed out best first. Sees the board, the ordering tables and the history, never
//! the search. The order is total: score, then cell.

use arrayvec::ArrayVec;

use super::correction::LastMoves;
use super::history::{History, MoveKind};
use crate::board::{Board, CellThreats};
use crate::eval::{EvalTables, MoveScores};
use crate::search::params::SearchParams;
use crate::shape::Threat;
use crate::types::{BoardSize, CELLS, CellSet, Color, Coord, Direction, Rule};

const MAX_MOVES: usize = BoardSize::MAX as usize * BoardSize::MAX as usize;

/// A move that is to be searched next.
#[derive(Clone, Copy, Debug)]
pub struct Pick {
    /// The move.
    pub mv: Coord,
    /// Its ordering score; the transposition table's move has none.
    pub score: Option<i32>,
}

/// Hands out the moves of a node, best first. Moves that renju forbids are among them.
pub struct Picker {
    /// The move that the transposition table knows, if it is still to come.
    tt_move: Option<Coord>,
    /// The other moves, until they are scored.
    unscored: Option<CellSet>,
    /// Those of them that make and stop nothing, while they wait for all others to go first.
    trivial: Option<CellSet>,
    moves: ArrayVec<Ranked, MAX_MOVES>,
    next: usize,
}

/// A move and its score in one number that sorts by score and then by cell, the first cell highest.
type Ranked = i32;

const CELL_BITS: u32 = CELLS.ilog2();
// Scores are sums of few table entries, for which a [`Ranked`] has room beside the cell.
const _: () = assert!(8 * (i16::MAX as i32) < (1 << (31 - CELL_BITS)));

/// What the ordering of a node knows besides the board.
pub struct Context<'a> {
    /// Ordering scores of shape combinations.
    pub tables: &'a EvalTables,
    /// What earlier cutoffs say.
    pub history: &'a History,
    /// Plies from the root.
    pub ply: usize,
    /// The last two moves: the opponent's, and ours before it.
    pub last: LastMoves,
    /// The numbers of the search.
    pub params: &'a SearchParams,
}

impl Picker {
    /// Returns the picker of a node whose moves are `cells`, with the transposition table's move
    /// first if it is one of them, and with the [trivial](CellThreats::is_trivial) ones last if
    /// `trivial_last`.
    pub fn new(mut cells: CellSet, tt_move: Option<Coord>, trivial_last: bool) -> Picker {
        let tt_move = tt_move.filter(|&mv| cells.contains(mv));
        if let Some(mv) = tt_move {
            cells.remove(mv);
        }
        let trivial = trivial_last.then_some(CellSet::EMPTY);
        Picker { tt_move, unscored: Some(cells), trivial, moves: ArrayVec::new(), next: 0 }
    }

    /// Returns the next move. The board and what else is known of the node must be the same at
    /// each call. Nothing is scored before the table's move is out, which often is enough.
    #[inline]
    pub fn next(&mut self, board: &Board, context: &Context) -> Option<Pick> {
        if let Some(mv) = self.tt_move.take() {
            return Some(Pick { mv, score: None });
        }
        if let Some(cells) = self.unscored.take() {
            self.score(&cells, board, context);
            self.bring_best_forward();
        }
        if self.next == self.moves.len() {
            let cells = self.trivial.take()?;
            self.score(&cells, board, context);
            self.bring_best_forward();
        }
        let pick = self.moves.get(self.next).map(|&ranked| pick(ranked))?;
        self.next += 1;
        self.bring_best_forward();
        Some(pick)
    }

    /// Returns the move that comes after the one handed out last, if it is known yet: as early as
    /// this, what the transposition table holds of it can be fetched in time.
    #[inline]
    pub fn upcoming(&self) -> Option<Coord> {
        self.moves.get(self.next).map(|&ranked| pick(ranked).mv)
    }

    fn bring_best_forward(&mut self) {
        let rest = &mut self.moves[self.next..];
        let Some(best) = rest.iter().copied().max() else { return };
        // Blocks are searched without branches.
        const BLOCK: usize = 16;
        let holds_best =
            |block: &[Ranked]| block.iter().fold(false, |found, &r| found | (r == best));
        let block = rest.chunks(BLOCK).take_while(|block| !holds_best(block)).count() * BLOCK;
        if let Some(place) = rest[block..].iter().position(|&ranked| ranked == best) {
            rest.swap(0, block + place);
        }
    }

    /// Scores the cells and adds them to the moves; trivial ones are put aside if they come last.
    fn score(&mut self, cells: &CellSet, board: &Board, context: &Context) {
        let us = board.side_to_move();
        let scorer = Scorer {
            board,
            us,
            scores: context.tables.move_scores(us, context.last),
            merits: context.history.merits(us),
            shift: context.params.history_order_shift,
        };
        // The few moves that get more than their score go first, so that no other is asked.
        let mut cells = *cells;
        let counter = context.history.counter(us, context.last[0]);
        let killers = context.history.killers(context.ply);
        for mv in [counter, killers[0], killers[1]].into_iter().flatten() {
            if cells.contains(mv) {
                cells.remove(mv);
                let bonus = context.params.counter_score * i32::from(counter == Some(mv))
                    + context.params.killer_score * i32::from(killers.contains(&Some(mv)));
                self.put(mv, bonus, &scorer);
            }
        }
        for mv in &cells {
            self.put(mv, 0, &scorer);
        }
    }

    #[inline(always)]
    fn put(&mut self, mv: Coord, bonus: i32, scorer: &Scorer) {
        let threats = scorer.board.threats(mv);
        if let Some(trivial) = self.trivial.as_mut().filter(|_| threats.is_trivial()) {
            trivial.insert(mv);
            return;
        }
        let score = scorer.score(mv, threats) + bonus;
        self.moves.push(score << CELL_BITS | (CELLS - 1 - mv.index()) as i32);
    }
}

/// Scores the moves of one node.
struct Scorer<'a> {
    board: &'a Board,
    us: Color,
    scores: MoveScores<'a>,
    merits: &'a [[i16; CELLS]; 2],
    shift: u32,
}

impl Scorer<'_> {
    #[inline(always)]
    fn score(&self, mv: Coord, threats: &CellThreats) -> i32 {
        let kind = kind_of(threats.threat(self.us));
        let merit = i32::from(self.merits[kind as usize][mv.index()]) >> self.shift;
        self.scores.of(mv, threats) + merit
    }
}

fn pick(ranked: Ranked) -> Pick {
    let cell = CELLS - 1 - (ranked as usize & (CELLS - 1));
    Pick { mv: Coord::from_index(cell), score: Some(ranked >> CELL_BITS) }
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
