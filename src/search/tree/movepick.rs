//! Move ordering: a staged move picker. The table move comes first, then the others, then the
//! threatless ones. Moves are scored once, the best of them by the policy too, and picked best
//! first. The order is total: score, then cell.

use arrayvec::ArrayVec;
use tengen_gomoku::board::{Board, CellThreats};
use tengen_gomoku::types::{BoardSize, CELLS, Color, Coord, CoordSet};

use super::Worker;
use super::history::{HistoryMove, HistoryScores};
use super::node::Node;
use super::order_tables::MoveScores;
use crate::eval::Evaluator;

const MAX_MOVES: usize = BoardSize::MAX_AREA;

#[derive(Clone, Copy, Debug)]
pub struct ScoredMove {
    pub mv: Coord,
    /// None for the first move.
    pub score: Option<i32>,
}

pub struct Picker {
    /// The table move, or at the root that of the PV, until it is picked.
    first_move: Option<Coord>,
    unscored: Option<CoordSet>,
    /// The threatless moves until all others are picked; `None` if they are not picked last.
    threatless: Option<CoordSet>,
    moves: ArrayVec<PackedMove, MAX_MOVES>,
    next: usize,
}

/// A score and a cell in one number, which sorts by score and then by cell, the first cell highest.
type PackedMove = i32;

const CELL_BITS: u32 = CELLS.ilog2();
// A score is a sum of a few table entries and fits beside the cell.
const _: () = assert!(8 * (i16::MAX as i32) < (1 << (31 - CELL_BITS)));

impl Picker {
    /// `first_move` is picked first if it is among `cells`; with `threatless_last`
    /// [threatless](CellThreats::is_threatless) moves are picked last.
    pub fn new(mut cells: CoordSet, first_move: Option<Coord>, threatless_last: bool) -> Picker {
        let first_move = first_move.filter(|&mv| cells.contains(mv));
        if let Some(mv) = first_move {
            cells.remove(mv);
        }
        let threatless = threatless_last.then_some(CoordSet::EMPTY);
        Picker { first_move, unscored: Some(cells), threatless, moves: ArrayVec::new(), next: 0 }
    }

    /// Returns the next move. Others are scored after the first one, which often cuts off.
    #[inline]
    pub fn next(&mut self, worker: &mut Worker, node: &Node) -> Option<ScoredMove> {
        if let Some(mv) = self.first_move.take() {
            return Some(ScoredMove { mv, score: None });
        }
        if let Some(cells) = self.unscored.take() {
            self.score(&cells, worker, node);
        }
        if self.next == self.moves.len() {
            let cells = self.threatless.take()?;
            self.score(&cells, worker, node);
        }
        let next = self.moves.get(self.next).map(|&packed| unpack(packed))?;
        self.next += 1;
        self.select_best();
        Some(next)
    }

    #[inline]
    pub fn has_only_threatless(&self) -> bool {
        let are_others_picked = self.unscored.is_none() && self.next == self.moves.len();
        self.first_move.is_none() && (self.threatless.is_none() || are_others_picked)
    }

    /// Returns the next move if it is known, for a prefetch.
    #[inline]
    pub fn upcoming(&self) -> Option<Coord> {
        self.moves.get(self.next).map(|&packed| unpack(packed).mv)
    }

    fn select_best(&mut self) {
        let rest = &mut self.moves[self.next..];
        let Some(best) = rest.iter().copied().max() else { return };
        // Find the block of the best move without branches in the inner loop.
        const BLOCK: usize = 16;
        let holds_best =
            |block: &[PackedMove]| block.iter().fold(false, |found, &r| found | (r == best));
        let block = rest.chunks(BLOCK).take_while(|block| !holds_best(block)).count() * BLOCK;
        if let Some(place) = rest[block..].iter().position(|&packed| packed == best) {
            rest.swap(0, block + place);
        }
    }

    fn score(&mut self, cells: &CoordSet, worker: &mut Worker, node: &Node) {
        let params = worker.params();
        let (board, history) = (&worker.board, &worker.state.history);
        let (us, previous) = (board.side_to_move(), board.last_move(0));
        let scorer = Scorer {
            board,
            us,
            scores: worker.order_tables.move_scores(board),
            history: history.scores(us, previous),
            shift: params.history_order_shift,
        };
        let first = self.moves.len();
        // Killers and counter move separately, so that other moves are not compared with them.
        let mut cells = *cells;
        let counter = history.counter_move(us, previous);
        let killers = history.killers(node.ply);
        for mv in [counter, killers[0], killers[1]].into_iter().flatten() {
            if cells.contains(mv) {
                cells.remove(mv);
                let bonus = params.counter_score * i32::from(counter == Some(mv))
                    + params.killer_score * i32::from(killers.contains(&Some(mv)));
                self.put(mv, bonus, &scorer);
            }
        }
        for mv in &cells {
            self.put(mv, 0, &scorer);
        }
        if node.depth >= params.policy_min_depth && !node.is_forced {
            let most = params.policy_moves as usize;
            score_by_policy(&mut self.moves[first..], most, &mut worker.evaluator, &scorer);
        }
        self.select_best();
    }

    #[inline(always)]
    fn put(&mut self, mv: Coord, bonus: i32, scorer: &Scorer) {
        let threats = scorer.board.threats(mv);
        if let Some(threatless) = self.threatless.as_mut().filter(|_| threats.is_threatless()) {
            threatless.insert(mv);
            return;
        }
        let score = scorer.score(mv, threats) + bonus;
        self.moves.push(score << CELL_BITS | (CELLS - 1 - mv.index()) as i32);
    }
}

struct Scorer<'a> {
    board: &'a Board,
    us: Color,
    scores: MoveScores<'a>,
    history: HistoryScores<'a>,
    shift: u32,
}

impl Scorer<'_> {
    #[inline(always)]
    fn score(&self, mv: Coord, threats: &CellThreats) -> i32 {
        let history = self.history.of(HistoryMove::new(mv, threats.threat(self.us)));
        self.scores.of(mv, threats) + (history >> self.shift)
    }
}

/// Replaces the tables' part in the scores of the best moves, `most` of them, by the policy's. The
/// others stay below them.
fn score_by_policy(
    moves: &mut [PackedMove],
    most: usize,
    evaluator: &mut Evaluator,
    scorer: &Scorer,
) {
    if moves.len() > most {
        moves.select_nth_unstable_by(most, |a, b| b.cmp(a));
    }
    let (best, rest) = moves.split_at_mut(moves.len().min(most));
    let by_tables = |&packed: &PackedMove| {
        let mv = unpack(packed).mv;
        (mv, scorer.scores.of(mv, scorer.board.threats(mv)))
    };
    let before: ArrayVec<(Coord, i32), MAX_MOVES> = best.iter().map(by_tables).collect();
    let mut after = before.clone();
    evaluator.score_moves(scorer.us, &mut after);
    let mut least = 0;
    for (packed, (before, after)) in best.iter_mut().zip(before.iter().zip(&after)) {
        let change = after.1 - before.1;
        least = least.min(change);
        *packed += change << CELL_BITS;
    }
    rest.iter_mut().for_each(|packed| *packed += least << CELL_BITS);
}

fn unpack(packed: PackedMove) -> ScoredMove {
    let cell = CELLS - 1 - (packed as usize & (CELLS - 1));
    ScoredMove { mv: Coord::from_index(cell), score: Some(packed >> CELL_BITS) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Window;
    use crate::search::control::Control;
    use crate::search::table::Table;
    use crate::search::tree::{Shared, ThreadState};
    use crate::search::{Limits, Params};
    use tengen_gomoku::shape::Threat;
    use tengen_gomoku::types::Rule;

    /// Returns the moves of a position with black's open three, in the order of a picker.
    fn picks(
        state: &mut ThreadState,
        first_move: Option<Coord>,
        threatless_last: bool,
    ) -> Vec<ScoredMove> {
        let board = Board::after(15, Rule::Standard, "h8a1i8b3j8");
        let (table, control) = (Table::new(0), Control::untimed());
        let shared = Shared::new(&table, &control, Params::of(board.rule()), Limits::default(), 1);
        let mut worker = Worker::new(&board, &shared, state, 0);
        let mut picker = Picker::new(board.candidates(), first_move, threatless_last);
        let node = Node::new(3, 0, Window::FULL, false);
        std::iter::from_fn(|| picker.next(&mut worker, &node)).collect()
    }

    #[test]
    fn every_move_is_picked_once_the_first_one_first_and_the_others_best_first() {
        let board = Board::after(15, Rule::Standard, "h8a1i8b3j8");
        let first = board.candidates().into_iter().last();
        let picks = picks(&mut ThreadState::default(), first, false);
        assert_eq!((Some(picks[0].mv), picks[0].score), (first, None));
        assert!(picks[1..].is_sorted_by_key(|pick| std::cmp::Reverse(pick.score)));
        assert_eq!(picks.len(), board.candidates().len());
        assert_eq!(picks.iter().map(|pick| pick.mv).collect::<CoordSet>(), board.candidates());
        assert!(["g8", "k8"].contains(&picks[1].mv.to_string().as_str()), "{}", picks[1].mv);
    }

    #[test]
    fn threatless_moves_come_last_in_a_stage_of_their_own() {
        let board = Board::after(15, Rule::Standard, "h8a1i8b3j8");
        let is_threatless = |pick: &ScoredMove| board.threats(pick.mv).is_threatless();
        let picks = picks(&mut ThreadState::default(), None, true);
        assert_eq!(picks.len(), board.candidates().len());
        assert!(picks.is_sorted_by_key(is_threatless) && picks.last().is_some_and(is_threatless));
    }

    #[test]
    fn killers_counter_moves_and_history_raise_a_move() {
        let mut state = ThreadState::default();
        let quiet = picks(&mut state, None, false).last().expect("moves").mv;
        let score = |state: &mut ThreadState| {
            let picks = picks(state, None, false);
            picks.into_iter().find(|pick| pick.mv == quiet).and_then(|pick| pick.score)
        };
        let params = Params::of(Rule::Standard);
        let before = score(&mut state).expect("a score");
        state.history.set_killer(3, quiet);
        assert_eq!(score(&mut state), Some(before + params.killer_score));
        state.history.set_counter_move(Color::White, Some(Coord::new(9, 7)), quiet);
        let with_both = Some(before + params.killer_score + params.counter_score);
        assert_eq!(score(&mut state), with_both);
        for _ in 0..100 {
            state.history.update(Color::White, None, HistoryMove::new(quiet, Threat::None), 1000);
        }
        assert!(score(&mut state) > with_both);
    }
}
