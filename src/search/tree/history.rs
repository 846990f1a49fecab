//! Move histories: history heuristic (Schaeffer, 1983), continuation history (Stockfish, 2016),
//! killer moves (Huberman, 1968), counter moves (Uiterwijk, 1992). Correction history of the static
//! evaluation.

use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::random::GAMMA;
use tengen_gomoku::types::{CELLS, Color, Coord, SPAN};

use super::MAX_PLY;
use crate::search::params::Params;

const LIMIT: i32 = 8192;
/// What [`History::age`] keeps of scores, in thousandths.
const AGE_SHARE: i32 = 800;
/// The largest absolute entry of the correction history. In the table by moves it stands for
/// `correction_max` evaluation units.
const CORRECTION_LIMIT: i32 = 1024;
/// The largest number of a result's plies that counts, and the largest step, in 1/1024 of
/// [`CORRECTION_LIMIT`].
const CORRECTION_MAX_PLIES: i32 = 12;
const CORRECTION_STEP_FACTOR: i32 = 256;
const SLOTS: usize = 1 << 14;

#[derive(Clone, Copy)]
pub struct HistoryMove {
    pub mv: Coord,
    /// True if it makes no open three or four, or looks forbidden.
    pub is_quiet: bool,
}

impl HistoryMove {
    #[inline]
    pub fn new(mv: Coord, threat: Threat) -> HistoryMove {
        HistoryMove { mv, is_quiet: threat < Threat::OpenThree }
    }
}

/// Histories by color and cell, by the move before, and by ply.
pub struct History {
    /// By color, then moves that make a threat and quiet moves, then cell.
    by_cell: Box<[[[i16; CELLS]; 2]; 2]>,
    /// Scores of a color's moves by the opponent's move before (continuation history). The last
    /// row, for no such move, stays 0.
    continuations: [Box<[[i16; SPAN]]>; 2],
    counter_moves: Box<[[Option<Coord>; CELLS]; 2]>,
    killers: Box<[[Option<Coord>; 2]; MAX_PLY]>,
    /// Correction history: the mean error of the static evaluation, learned from search results
    /// (Stockfish and others, 2024, there by pawn structure). By the last two moves, and by the
    /// stones around the last one; by color.
    ///
    /// Evaluations after the same moves tend to be wrong by the same amount, and so do those with the
    /// same stones around. An evaluation is corrected by the sum of both entries, and each update
    /// moves both towards what the sum lacks.
    corrections: Box<[[[i16; SLOTS]; 2]; 2]>,
}

impl Default for History {
    fn default() -> History {
        History {
            by_cell: Box::new([[[0; CELLS]; 2]; 2]),
            continuations: [(); 2].map(|()| vec![[0; SPAN]; SPAN + 1].into_boxed_slice()),
            counter_moves: Box::new([[None; CELLS]; 2]),
            killers: Box::new([[None; 2]; MAX_PLY]),
            corrections: Box::new([[[0; SLOTS]; 2]; 2]),
        }
    }
}

impl History {
    pub fn clear(&mut self) {
        // In place: a new history would need the memory twice for a moment.
        self.by_cell.as_flattened_mut().as_flattened_mut().fill(0);
        self.continuations.iter_mut().for_each(|of_color| of_color.as_flattened_mut().fill(0));
        self.counter_moves.as_flattened_mut().fill(None);
        self.killers.fill([None; 2]);
        self.corrections.as_flattened_mut().as_flattened_mut().fill(0);
    }

    /// Prepares for the next move of the game: forgets killers, and scales scores by cell.
    pub fn age(&mut self) {
        self.killers.fill([None; 2]);
        for value in self.by_cell.as_flattened_mut().as_flattened_mut() {
            *value = (i32::from(*value) * AGE_SHARE / 1000) as i16;
        }
    }

    #[inline]
    pub fn scores(&self, color: Color, previous: Option<Coord>) -> HistoryScores<'_> {
        let previous = previous.map_or(SPAN, Coord::span_index);
        let continuations = &self.continuations[color][previous];
        HistoryScores { by_cell: &self.by_cell[color], continuations }
    }

    #[inline]
    pub fn counter_move(&self, color: Color, previous: Option<Coord>) -> Option<Coord> {
        self.counter_moves[color][previous.map_or(0, Coord::index)]
    }

    #[inline]
    pub fn killers(&self, ply: usize) -> [Option<Coord>; 2] {
        self.killers[ply]
    }

    pub fn set_killer(&mut self, ply: usize, mv: Coord) {
        let killers = &mut self.killers[ply];
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
    }

    pub fn set_counter_move(&mut self, color: Color, previous: Option<Coord>, mv: Coord) {
        self.counter_moves[color][previous.map_or(0, Coord::index)] = Some(mv);
    }

    pub fn update(
        &mut self,
        color: Color,
        previous: Option<Coord>,
        HistoryMove { mv, is_quiet }: HistoryMove,
        bonus: i32,
    ) {
        let bonus = bonus.clamp(-LIMIT, LIMIT);
        let add = |score: &mut i16| *score = with_gravity(*score, bonus, LIMIT);
        add(&mut self.by_cell[color][usize::from(is_quiet)][mv.index()]);
        if let Some(previous) = previous {
            add(&mut self.continuations[color][previous.span_index()][mv.span_index()]);
        }
    }

    #[inline]
    pub fn correction(&self, board: &Board, params: &Params) -> i32 {
        let (us, slots) = (board.side_to_move(), correction_slots(board));
        let [by_moves, by_local] =
            [0, 1].map(|table| i32::from(self.corrections[table][us][slots[table]]));
        let error = by_moves + by_local * params.correction_surroundings_factor / 1024;
        error * params.correction_max / CORRECTION_LIMIT
    }

    pub fn update_correction(&mut self, board: &Board, error: i32, plies: i32, params: &Params) {
        let weight = plies.clamp(1, CORRECTION_MAX_PLIES) * params.correction_rate_factor;
        let step = error.clamp(-CORRECTION_LIMIT, CORRECTION_LIMIT) * weight / 1024;
        let max = CORRECTION_LIMIT * CORRECTION_STEP_FACTOR / 1024;
        for (table, slot) in self.corrections.iter_mut().zip(correction_slots(board)) {
            let entry = &mut table[board.side_to_move()][slot];
            *entry = with_gravity(*entry, step.clamp(-max, max), CORRECTION_LIMIT);
        }
    }
}

#[derive(Clone, Copy)]
pub struct HistoryScores<'a> {
    by_cell: &'a [[i16; CELLS]; 2],
    continuations: &'a [i16; SPAN],
}

impl HistoryScores<'_> {
    /// Returns a score within ±16384.
    #[inline]
    pub fn of(self, HistoryMove { mv, is_quiet }: HistoryMove) -> i32 {
        let by_cell = self.by_cell[usize::from(is_quiet)][mv.index()];
        i32::from(by_cell) + i32::from(self.continuations[mv.span_index()])
    }
}

/// Adds a bonus that shrinks near the limit ("gravity", as in Stockfish), so that old ones fade.
pub fn with_gravity(score: i16, bonus: i32, limit: i32) -> i16 {
    let old = i32::from(score);
    (old + bonus - old * bonus.abs() / limit) as i16
}

/// Returns the entries of a position: by its last two moves, and by the stones around the last.
#[inline]
fn correction_slots(board: &Board) -> [usize; 2] {
    let [newest, before] = [0, 1].map(|plies| board.last_move(plies));
    let index = |mv: Option<Coord>| mv.map_or(0, Coord::index) as u64;
    let local = newest.map_or(0, |mv| board.local_hash(mv));
    [index(newest) << 10 | index(before), local]
        .map(|key| (key.wrapping_mul(GAMMA) >> (u64::BITS - SLOTS.ilog2())) as usize)
}

#[cfg(test)]
mod tests {

    use super::*;
    use tengen_gomoku::types::Rule;

    #[test]
    fn scores_saturate_at_the_limit() {
        let mut history = History::default();
        let [c, previous, other] = [3, 5, 6].map(|x| Coord::new(x, 4));
        let mv = HistoryMove { mv: c, is_quiet: true };
        let update = |history: &mut History, bonus| {
            for _ in 0..1000 {
                history.update(Color::Black, Some(previous), mv, bonus);
            }
        };
        let score = |history: &History, color, previous| history.scores(color, previous).of(mv);
        update(&mut history, 2000);
        let after = score(&history, Color::Black, Some(previous));
        assert!((2 * LIMIT - 20..=2 * LIMIT).contains(&after));
        // After another move, or none, only the cell counts.
        for previous in [Some(other), None] {
            assert!((LIMIT - 10..=LIMIT).contains(&score(&history, Color::Black, previous)));
        }
        update(&mut history, -2000);
        assert!(score(&history, Color::Black, Some(previous)) < -2 * LIMIT + 20);
        assert_eq!(score(&history, Color::White, Some(previous)), 0);
    }

    #[test]
    fn the_two_last_killers_are_kept_until_the_next_move() {
        let mut history = History::default();
        let moves = [1, 2, 3].map(|x| Coord::new(x, 0));
        for mv in moves {
            history.set_killer(5, mv);
            history.set_counter_move(Color::White, Some(moves[0]), mv);
        }
        assert_eq!(history.killers(5), [Some(moves[2]), Some(moves[1])]);
        assert_eq!(history.counter_move(Color::White, Some(moves[0])), Some(moves[2]));
        history.age();
        assert_eq!(history.killers(5), [None; 2]);
    }

    #[test]
    fn errors_of_the_same_moves_add_up_to_a_limit() {
        let params = Params::of(Rule::Freestyle);
        let max = params.correction_max * (1024 + params.correction_surroundings_factor) / 1024;
        let mut history = History::default();
        let board = |moves| Board::after(15, Rule::Freestyle, moves);
        let (here, white, there) = (board("h8i9"), board("a1h8i9"), board("h7i9"));
        history.update_correction(&here, 40, 3, &params);
        let once = history.correction(&here, &params);
        assert!(once > 0 && once < 40);
        for _ in 0..1000 {
            history.update_correction(&here, 30_000, 50, &params);
        }
        assert!((max - 3..=max).contains(&history.correction(&here, &params)));
        assert_eq!(history.correction(&white, &params), 0);
        assert_eq!(history.correction(&there, &params), 0);
        for _ in 0..1000 {
            history.update_correction(&here, -30_000, 50, &params);
        }
        assert!((-max..=3 - max).contains(&history.correction(&here, &params)));
    }
}
