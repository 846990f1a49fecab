//! The board: cells, side to move, play and undo, the position key and the win test. Threats and
//! counts depend on the stones alone, not on their order; the threats of occupied cells are stale.

mod defences;
mod forbidden;
mod lines;
pub mod notation;
pub mod symmetry;
mod threats;
pub mod zobrist;

#[doc(hidden)]
pub use lines::Lines;
pub use threats::CellThreats;
use threats::{Changes, Saved};

use crate::shape::{RuleTables, Threat};
use crate::types::random::GAMMA;
use crate::types::{BoardSize, CELLS, Cell, Color, Coord, CoordSet, Rule, STRIDE, variants};
use zobrist::{Key, cell_key, empty_key, side_key};

/// A position under one rule, with the threats of every empty cell.
pub struct Board {
    size: BoardSize,
    rule: Rule,
    tables: &'static RuleTables,
    side_to_move: Color,
    cells: [Cell; CELLS],
    lines: Lines,
    threats: [CellThreats; CELLS],
    counts: Counts,
    with_threat: [[CoordSet; Threat::RANKS]; 2],
    empty: CoordSet,
    near: CoordSet,
    candidate_range: CandidateRange,
    candidate_masks: [CandidateMask; 2],
    key: Key,
    stones: usize,
    history: Vec<Placed>,
    saved: Vec<Saved>,
}

type Counts = [[u16; Threat::RANKS]; 2];

/// A stone or wall, with what its removal restores.
#[derive(Clone)]
struct Placed {
    c: Coord,
    side_to_move: Color,
    key: Key,
    counts: Counts,
    near: CandidateMask,
    changes: Changes,
}

/// The largest number of cells whose threats one stone changes.
const SAVED_EACH: usize = 40;

impl Clone for Board {
    /// A clone has room for the whole game, so that playing on never allocates.
    fn clone(&self) -> Board {
        let mut history = Vec::with_capacity(self.size.area());
        history.extend_from_slice(&self.history);
        let mut saved = Vec::with_capacity(SAVED_EACH * self.size.area());
        saved.extend_from_slice(&self.saved);
        Board { history, saved, ..*self }
    }
}

impl Board {
    /// Returns an empty board, black to move.
    pub fn new(size: BoardSize, rule: Rule) -> Board {
        let mut board = Board {
            size,
            rule,
            tables: RuleTables::of(rule),
            side_to_move: Color::Black,
            cells: [Cell::Wall; CELLS],
            lines: Lines::walls(),
            threats: [CellThreats::NONE; CELLS],
            counts: Counts::default(),
            with_threat: [[CoordSet::EMPTY; Threat::RANKS]; 2],
            empty: size.cells().collect(),
            near: CoordSet::EMPTY,
            candidate_range: CandidateRange::default(),
            candidate_masks: CandidateRange::default().candidate_masks(),
            key: empty_key(size, rule),
            stones: 0,
            history: Vec::with_capacity(size.area()),
            saved: Vec::with_capacity(SAVED_EACH * size.area()),
        };
        for c in size.cells() {
            board.cells[c.index()] = Cell::Empty;
            board.lines.change(c, Cell::Wall, Cell::Empty);
        }
        for c in size.cells() {
            board.add_cell(c);
        }
        board
    }

    /// Returns the board with these stones and walls, placed in this order. Panics if a cell comes
    /// twice or is [`Cell::Empty`].
    pub fn from_cells(
        size: BoardSize,
        rule: Rule,
        cells: &[(Coord, Cell)],
        side_to_move: Color,
    ) -> Board {
        let mut board = Board::new(size, rule);
        for &(c, cell) in cells {
            assert!(board.is_empty(c) && cell != Cell::Empty, "{c} comes twice or is empty");
            board.place(c, cell);
        }
        board.side_to_move = side_to_move;
        board
    }

    /// Returns the board after these moves, the first of which is black's.
    pub fn from_moves(
        size: BoardSize,
        rule: Rule,
        moves: impl IntoIterator<Item = Coord>,
    ) -> Board {
        let mut board = Board::new(size, rule);
        moves.into_iter().for_each(|mv| board.play(mv));
        board
    }

    pub fn size(&self) -> BoardSize {
        self.size
    }

    pub fn rule(&self) -> Rule {
        self.rule
    }

    #[inline]
    pub fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// Returns a hash of the size, the rule, the stones and the side to move.
    #[inline]
    pub fn key(&self) -> Key {
        self.key ^ side_key(self.side_to_move)
    }

    /// Returns the key after a move of the side to move.
    #[inline]
    pub fn key_after(&self, mv: Coord) -> Key {
        self.key ^ cell_key(mv, self.side_to_move.cell()) ^ side_key(!self.side_to_move)
    }

    pub fn cell(&self, c: Coord) -> Cell {
        self.cells[c.index()]
    }

    pub fn stone(&self, c: Coord) -> Option<Color> {
        self.cell(c).stone()
    }

    pub fn is_empty(&self, c: Coord) -> bool {
        self.cell(c) == Cell::Empty
    }

    #[doc(hidden)]
    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    pub fn empty_count(&self) -> usize {
        self.size.area() - self.history.len()
    }

    pub fn stone_count(&self) -> usize {
        self.stones
    }

    pub fn empty_cells(&self) -> &CoordSet {
        &self.empty
    }

    pub fn candidate_range(&self) -> CandidateRange {
        self.candidate_range
    }

    /// Sets the range of the [candidates](Board::candidates).
    pub fn set_candidate_range(&mut self, range: CandidateRange) {
        self.candidate_range = range;
        self.candidate_masks = range.candidate_masks();
        self.near = match range {
            CandidateRange::Whole => self.size.cells().collect(),
            _ => CoordSet::EMPTY,
        };
        for index in 0..self.history.len() {
            let c = self.history[index].c;
            self.history[index].near = *self.near.words_around(c);
            if self.stone(c).is_some() {
                self.add_near(c);
            }
        }
    }

    /// Returns the free cells within [`Board::candidate_range`] of a stone.
    #[inline]
    pub fn candidates(&self) -> CoordSet {
        self.near & self.empty
    }

    /// Returns a hash of the 7x7 cells around `c`.
    #[doc(hidden)]
    #[inline]
    pub fn local_hash(&self, c: Coord) -> u64 {
        self.lines
            .rows_around(c, 3)
            .fold(0, |hash, row| (hash ^ row).wrapping_mul(GAMMA).rotate_left(29))
    }

    /// Returns a move counted from the newest, number 0.
    #[inline]
    pub fn last_move(&self, plies_back: usize) -> Option<Coord> {
        let index = self.history.len().checked_sub(1 + plies_back)?;
        let c = self.history.get(index)?.c;
        self.stone(c).map(|_| c)
    }

    /// Returns true if a stone of `color` on the empty cell `c` wins.
    pub fn makes_five(&self, c: Coord, color: Color) -> bool {
        self.threat(c, color) == Threat::Five
    }

    /// Plays a stone of the side to move. The cell must be empty, which a release does not check.
    #[inline]
    pub fn play(&mut self, mv: Coord) {
        self.place(mv, self.side_to_move.cell());
        self.side_to_move = !self.side_to_move;
    }

    /// Takes back the last stone. Panics on an empty board.
    #[inline]
    pub fn undo(&mut self) {
        let placed = self.history.pop().expect("invariant: undo follows a play");
        self.restore_threats(placed.changes);
        let cell = self.cell(placed.c);
        self.stones -= usize::from(cell.stone().is_some());
        self.cells[placed.c.index()] = Cell::Empty;
        self.lines.change(placed.c, cell, Cell::Empty);
        self.empty.insert(placed.c);
        self.toggle_sets(placed.c);
        self.counts = placed.counts;
        *self.near.words_around(placed.c) = placed.near;
        self.key = placed.key;
        self.side_to_move = placed.side_to_move;
    }

    /// Passes. A second pass takes the first one back; nothing may be undone past a pass.
    pub fn pass(&mut self) {
        self.side_to_move = !self.side_to_move;
    }

    #[inline]
    fn place(&mut self, c: Coord, cell: Cell) {
        debug_assert!(self.is_empty(c) && cell != Cell::Empty);
        let (side_to_move, key, counts) = (self.side_to_move, self.key, self.counts);
        let near = *self.near.words_around(c);
        self.count_out(c);
        self.cells[c.index()] = cell;
        self.lines.change(c, Cell::Empty, cell);
        self.empty.remove(c);
        self.key ^= cell_key(c, cell);
        if cell != Cell::Wall {
            self.stones += 1;
            self.add_near(c);
        }
        let changes = match self.tables.radius {
            4 => self.update_around::<4>(c),
            _ => self.update_around::<5>(c),
        };
        self.history.push(Placed { c, side_to_move, key, counts, near, changes });
    }

    #[inline]
    fn add_near(&mut self, c: Coord) {
        let (row, column) = (c.index() / STRIDE, c.index() % STRIDE);
        let around = &self.candidate_masks[row % 2];
        for (word, more) in self.near.words_around(c).iter_mut().zip(around) {
            *word |= more << (column - 4);
        }
    }

    /// Returns the square board after these moves; panics if the length or a point is not valid.
    pub fn after(length: u8, rule: Rule, moves: &str) -> Board {
        let size = BoardSize::new(length, length).expect("a legal length");
        let moves = notation::parse_points(moves, size).expect("points of the board");
        Board::from_moves(size, rule, moves)
    }
}

variants! {
    /// The cells around a stone that are candidates: a square, and more along the lines.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum CandidateRange {
        Square2,
        Square2Line3,
        Square3,
        #[default]
        Square3Line4,
        Square4,
        /// The whole board, with stones or without.
        Whole,
    }
}

/// The words of a cell set around a stone in column 4.
type CandidateMask = [u64; 5];

impl CandidateRange {
    /// Returns the candidates around a stone on an even and on an odd row of the field.
    fn candidate_masks(self) -> [CandidateMask; 2] {
        let (square, line) = self.of([(2, 2), (2, 3), (3, 3), (3, 4), (4, 4), (0, 0)]);
        [4, 5].map(|stone_row| {
            let is_near = |row: usize, column: usize| {
                let (dy, dx) = (row.abs_diff(stone_row), column.abs_diff(4));
                let distance = dx.max(dy);
                distance <= square || distance <= line && (dx == 0 || dy == 0 || dx == dy)
            };
            let cells = (0..10).flat_map(|row| (0..9).map(move |column| (row, column)));
            let mut mask = CandidateMask::default();
            for (row, column) in cells.filter(|&(row, column)| is_near(row, column)) {
                mask[row / 2] |= 1 << (row % 2 * STRIDE + column);
            }
            mask
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walls_and_stones_are_placed() {
        let size = BoardSize::new(15, 15).unwrap();
        let cells = [(Coord::new(7, 7), Cell::White), (Coord::new(0, 0), Cell::Wall)];
        let board = Board::from_cells(size, Rule::Standard, &cells, Color::Black);
        assert_eq!((board.stone_count(), board.empty_count()), (1, 223));
    }

    #[test]
    fn candidates_are_within_reach() {
        let mut board = Board::after(15, Rule::Freestyle, "h8");
        assert_eq!(board.candidates().len(), 7 * 7 - 1 + 8);
        board.set_candidate_range(CandidateRange::Square2);
        assert_eq!(board.candidates().len(), 5 * 5 - 1);
    }

    #[test]
    fn a_clone_has_room_for_the_whole_game() {
        let size = BoardSize::new(22, 22).expect("a valid size");
        let mut board = Board::new(size, Rule::Standard).clone();
        let capacity = |board: &Board| [board.history.capacity(), board.saved.capacity()];
        let before = capacity(&board);
        for c in size.cells() {
            board.play(c);
        }
        assert_eq!(capacity(&board), before);
        assert_eq!(capacity(&board.clone()), before);
    }
}
