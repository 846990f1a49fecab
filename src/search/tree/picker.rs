//! Move ordering: a staged move picker.
//!
//! The table move comes first, then the others, then the trivial ones. Moves are scored once, by
//! fitted tables, history, killers and counter move, and picked best first. The
//! order is total: score, then cell. Knows the board, these tables and the histories, but
//! not which moves are generated, and not the search.

use arrayvec::ArrayVec;

use super::history::{History, LastMoves, MoveKind, Scores};
use super::order_tables::{MoveScores, OrderTables};
use crate::board::{Board, CellThreats};
use crate::search::params::SearchParams;
use crate::shape::Threat;
use crate::types::{BoardSize, CELLS, CellSet, Color, Coord};

const MAX_MOVES: usize = BoardSize::MAX_AREA;

/// The move to search next.
#[derive(Clone, Copy, Debug)]
pub struct Pick {
    /// The move.
    pub mv: Coord,
    /// Its ordering score; the first move has none.
    pub score: Option<i32>,
}

/// The moves of a node, best first. Moves that renju forbids are among them.
pub struct Picker {
    /// The move to search before the others are scored, until it is picked: the table move, or at
    /// the root the first move of the variation.
    first_move: Option<Coord>,
    /// The other moves, until they are scored.
    unscored: Option<CellSet>,
    /// The trivial ones of them, until all others are picked; none if they have no stage of their
    /// own.
    trivial: Option<CellSet>,
    moves: ArrayVec<Ranked, MAX_MOVES>,
    next: usize,
}

/// A score and a move packed into one number, which sorts by score and then by cell, the first cell
/// highest.
type Ranked = i32;

const CELL_BITS: u32 = CELLS.ilog2();
// A score is a sum of few table entries, so that it fits beside the cell.
const _: () = assert!(8 * (i16::MAX as i32) < (1 << (31 - CELL_BITS)));

/// What the ordering of a node knows besides the board.
pub struct Context<'a> {
    /// Ordering scores of shape combinations.
    pub tables: &'a OrderTables,
    /// History scores, killers and counter moves.
    pub history: &'a History,
    /// Plies from the root.
    pub ply: usize,
    /// The last two moves: the opponent's, and ours before it.
    pub last: LastMoves,
    /// The search's parameters.
    pub params: &'a SearchParams,
}

impl Picker {
    /// Returns the picker of a node whose moves are `cells`. `first_move` is first if it is one
    /// of them; the [trivial](CellThreats::is_trivial) moves are last if `trivial_last`.
    pub fn new(mut cells: CellSet, first_move: Option<Coord>, trivial_last: bool) -> Picker {
        let first_move = first_move.filter(|&mv| cells.contains(mv));
        if let Some(mv) = first_move {
            cells.remove(mv);
        }
        let trivial = trivial_last.then_some(CellSet::EMPTY);
        Picker { first_move, unscored: Some(cells), trivial, moves: ArrayVec::new(), next: 0 }
    }

    /// Returns the next move, of a board and a context that must be the same at each call. Moves
    /// are scored after the first move only, which often cuts the node by itself.
    #[inline]
    pub fn next(&mut self, board: &Board, context: &Context) -> Option<Pick> {
        if let Some(mv) = self.first_move.take() {
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

    /// Returns true if only trivial moves are left, for a picker that has them last.
    #[inline]
    pub fn has_only_trivial(&self) -> bool {
        let are_others_picked = self.unscored.is_none() && self.next == self.moves.len();
        self.first_move.is_none() && (self.trivial.is_none() || are_others_picked)
    }

    /// Returns the move after the last one picked, if it is known yet, for a prefetch of its table
    /// entry.
    #[inline]
    pub fn upcoming(&self) -> Option<Coord> {
        self.moves.get(self.next).map(|&ranked| pick(ranked).mv)
    }

    /// Swaps the best of the remaining moves to their front: one step of a selection sort, which
    /// costs less than a full sort where a cutoff comes early.
    fn bring_best_forward(&mut self) {
        let rest = &mut self.moves[self.next..];
        let Some(best) = rest.iter().copied().max() else { return };
        // The block of the best move is found without branches in its loop.
        const BLOCK: usize = 16;
        let holds_best =
            |block: &[Ranked]| block.iter().fold(false, |found, &r| found | (r == best));
        let block = rest.chunks(BLOCK).take_while(|block| !holds_best(block)).count() * BLOCK;
        if let Some(place) = rest[block..].iter().position(|&ranked| ranked == best) {
            rest.swap(0, block + place);
        }
    }

    /// Scores the cells and adds them to the moves, but for trivial ones that have a later stage.
    fn score(&mut self, cells: &CellSet, board: &Board, context: &Context) {
        let us = board.side_to_move();
        let scorer = Scorer {
            board,
            us,
            scores: context.tables.move_scores(us, context.last),
            history: context.history.scores(us, context.last[0]),
            shift: context.params.history_order_shift,
        };
        // Killers and the counter move first, so that no other move is compared with them.
        let mut cells = *cells;
        let counter = context.history.counter_move(us, context.last[0]);
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
    history: Scores<'a>,
    shift: u32,
}

impl Scorer<'_> {
    #[inline(always)]
    fn score(&self, mv: Coord, threats: &CellThreats) -> i32 {
        let kind = kind_of(threats.threat(self.us));
        self.scores.of(mv, threats) + (self.history.of(kind, mv) >> self.shift)
    }
}

fn pick(ranked: Ranked) -> Pick {
    let cell = CELLS - 1 - (ranked as usize & (CELLS - 1));
    Pick { mv: Coord::from_index(cell), score: Some(ranked >> CELL_BITS) }
}

/// Returns the kind of a move that makes this threat.
pub fn kind_of(threat: Threat) -> MoveKind {
    if threat >= Threat::OpenThree { MoveKind::Attack } else { MoveKind::Quiet }
}
