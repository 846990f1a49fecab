//! The board: cells, side to move, play and undo, the position key and the win test.
//!
//! ```
//! use tengen_gomoku::board::{Board, notation::parse_points};
//! use tengen_gomoku::shape::Threat;
//! use tengen_gomoku::types::{BoardSize, Color, Rule};
//!
//! let size = BoardSize::new(15, 15).unwrap();
//! let mut board = Board::new(size, Rule::Freestyle);
//! for mv in parse_points("h8h9i8i9j8j9k8", size).unwrap() {
//!     board.play(mv);
//! }
//! // Black has four stones in a row: white must stop g8 and l8, and can stop only one.
//! assert_eq!(board.side_to_move(), Color::White);
//! assert_eq!(board.count(Color::Black, Threat::Five), 2);
//! ```
//!
//! Invariant: after any sequence of plays and undos every field equals what a fresh board with the
//! same stones holds (apart from the values kept for occupied cells).

mod cell_threats;
mod defences;
mod forbidden;
mod lines;
pub mod notation;
mod reach;
pub mod symmetry;
mod threats;
mod update;
pub mod zobrist;

pub use cell_threats::CellThreats;
#[doc(hidden)]
pub use lines::Lines;
use reach::CandidateMask;
pub use reach::Reach;

use crate::shape::{RuleTables, Threat};
use crate::types::random::GAMMA;
use crate::types::{BoardSize, CELLS, Cell, CellSet, Color, Coord, Rule, STRIDE};
use update::{Changes, Saved};
use zobrist::Key;

/// A position under one rule, with everything that search and evaluation ask of it.
pub struct Board {
    size: BoardSize,
    rule: Rule,
    tables: &'static RuleTables,
    side_to_move: Color,
    cells: [Cell; CELLS],
    lines: Lines,
    threats: [CellThreats; CELLS],
    counts: Counts,
    with_threat: [[CellSet; Threat::RANKS]; 2],
    empty: CellSet,
    near: CellSet,
    reach: Reach,
    key: Key,
    stones: usize,
    history: Vec<Placed>,
    saved: Vec<Saved>,
}

/// Empty cells by color and threat.
type Counts = [[u16; Threat::RANKS]; 2];

/// A placed stone or wall with what its removal restores.
#[derive(Clone)]
struct Placed {
    c: Coord,
    side_to_move: Color,
    key: Key,
    counts: Counts,
    near: CandidateMask,
    changes: Changes,
}

/// Cells that one stone changes at most.
const SAVED_EACH: usize = 40;

impl Clone for Board {
    /// Returns a copy with capacity for the whole game, so that playing on never allocates.
    fn clone(&self) -> Board {
        let mut history = Vec::with_capacity(self.size.area());
        history.extend_from_slice(&self.history);
        let mut saved = Vec::with_capacity(SAVED_EACH * self.size.area());
        saved.extend_from_slice(&self.saved);
        Board { history, saved, ..*self }
    }
}

impl Board {
    /// Returns the empty board with black to move.
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
            with_threat: [[CellSet::EMPTY; Threat::RANKS]; 2],
            empty: size.cells().collect(),
            near: CellSet::EMPTY,
            reach: Reach::default(),
            key: Key::new(size, rule),
            stones: 0,
            history: Vec::with_capacity(size.area()),
            saved: Vec::with_capacity(SAVED_EACH * size.area()),
        };
        for c in size.cells() {
            board.cells[c.index()] = Cell::Empty;
            board.lines.change(c, Cell::Wall, Cell::Empty);
        }
        for c in size.cells() {
            board.threats[c.index()] = board.threats_from_lines(c);
            board.count_in(c);
        }
        board
    }

    /// Returns the board with these stones and walls on it, placed in this order.
    ///
    /// ```
    /// # use tengen_gomoku::board::Board;
    /// # use tengen_gomoku::types::{BoardSize, Cell, Color, Coord, Rule};
    /// # let size = BoardSize::new(15, 15).unwrap();
    /// let cells = [(Coord::new(7, 7), Cell::White), (Coord::new(0, 0), Cell::Wall)];
    /// let board = Board::from_cells(size, Rule::Standard, &cells, Color::Black);
    /// assert_eq!((board.stone_count(), board.empty_count()), (1, 223));
    /// ```
    ///
    /// # Panics
    ///
    /// If a cell comes twice or a content is [`Cell::Empty`].
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

    /// Returns the board's size.
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// Returns the rule of the game.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// Returns the color whose move it is.
    #[inline]
    pub fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// Returns the hash of the position, its side to move, rule and size.
    #[inline]
    pub fn key(&self) -> Key {
        let mut key = self.key;
        key ^= Key::of_side(self.side_to_move);
        key
    }

    /// Returns the key after a stone of the side to move on the empty cell `mv`.
    #[inline]
    pub fn key_after(&self, mv: Coord) -> Key {
        let mut key = self.key;
        key ^= Key::of_cell(mv, self.side_to_move.cell());
        key ^= Key::of_side(!self.side_to_move);
        key
    }

    /// Returns the content of a cell.
    #[inline]
    pub fn cell(&self, c: Coord) -> Cell {
        self.cells[c.index()]
    }

    /// Returns the color of the stone on a cell.
    pub fn stone(&self, c: Coord) -> Option<Color> {
        self.cell(c).stone()
    }

    /// Returns true if a cell of the board is free.
    #[inline]
    pub fn is_empty(&self, c: Coord) -> bool {
        self.cell(c) == Cell::Empty
    }

    /// Returns the bit lines.
    #[doc(hidden)]
    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    /// Returns the number of free cells.
    pub fn empty_count(&self) -> usize {
        self.size.area() - self.history.len()
    }

    /// Returns the number of stones; walls do not count.
    pub fn stone_count(&self) -> usize {
        self.stones
    }

    /// Returns the free cells.
    pub fn empty_cells(&self) -> &CellSet {
        &self.empty
    }

    /// Returns which cells around stones are candidates.
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// Makes the cells that `reach` names the [candidates](Board::candidates) of this position and
    /// of those that follow.
    pub fn set_reach(&mut self, reach: Reach) {
        self.reach = reach;
        self.near = match reach {
            Reach::Whole => self.size.cells().collect(),
            _ => CellSet::EMPTY,
        };
        for index in 0..self.history.len() {
            let c = self.history[index].c;
            self.history[index].near = *self.near.words_around(c);
            if self.stone(c).is_some() {
                self.add_near(c);
            }
        }
    }

    /// Returns the free cells near a stone: within three cells of one, or four along a line, unless
    /// [`Board::set_reach`] says otherwise.
    ///
    /// ```
    /// # use tengen_gomoku::board::{Board, Reach};
    /// # use tengen_gomoku::types::{BoardSize, Rule};
    /// # let size = BoardSize::new(15, 15).unwrap();
    /// let mut board = Board::new(size, Rule::Freestyle);
    /// board.play(size.center());
    /// assert_eq!(board.candidates().len(), 7 * 7 - 1 + 8);
    /// board.set_reach(Reach::Square2);
    /// assert_eq!(board.candidates().len(), 5 * 5 - 1);
    /// ```
    #[inline]
    pub fn candidates(&self) -> CellSet {
        self.near & self.empty
    }

    /// Returns a hash of the cells within three steps of `c` along rows and columns, 7x7 of them.
    #[inline]
    pub fn local_hash(&self, c: Coord) -> u64 {
        self.lines
            .rows_around(c, 3)
            .fold(0, |hash, row| (hash ^ row).wrapping_mul(GAMMA).rotate_left(29))
    }

    /// Returns the `plies_back`th move counted from the newest, which is number 0; `None` where a
    /// wall was set instead.
    #[inline]
    pub fn last_move(&self, plies_back: usize) -> Option<Coord> {
        let index = self.history.len().checked_sub(1 + plies_back)?;
        let c = self.history.get(index)?.c;
        self.stone(c).map(|_| c)
    }

    /// Returns true if a stone of `color` on the empty cell `c` wins under the rule.
    ///
    /// ```
    /// # use tengen_gomoku::board::{Board, notation::parse_points};
    /// # use tengen_gomoku::types::{BoardSize, Color, Rule};
    /// # let size = BoardSize::new(15, 15).unwrap();
    /// let fives = [Rule::Freestyle, Rule::Standard].map(|rule| {
    ///     let mut board = Board::new(size, rule);
    ///     let stones = parse_points("c8c1d8d1e8e1g8g1h8h1", size).unwrap();
    ///     stones.into_iter().for_each(|mv| board.play(mv));
    ///     // Six in a row.
    ///     board.makes_five(size.coord(5, 7).unwrap(), Color::Black)
    /// });
    /// assert_eq!(fives, [true, false]);
    /// ```
    pub fn makes_five(&self, c: Coord, color: Color) -> bool {
        self.threat(c, color) == Threat::Five
    }

    /// Plays a stone of the side to move on an empty cell.
    ///
    /// ```
    /// # use tengen_gomoku::board::Board;
    /// # use tengen_gomoku::types::{BoardSize, Color, Rule};
    /// # let size = BoardSize::new(15, 15).unwrap();
    /// let mut board = Board::new(size, Rule::Renju);
    /// let before = board.key();
    /// board.play(size.center());
    /// assert_eq!(board.stone(size.center()), Some(Color::Black));
    /// assert_eq!(board.side_to_move(), Color::White);
    /// board.undo();
    /// assert_eq!(board.key(), before);
    /// ```
    #[inline]
    pub fn play(&mut self, mv: Coord) {
        self.place(mv, self.side_to_move.cell());
        self.side_to_move = !self.side_to_move;
    }

    /// Takes back the last stone.
    ///
    /// # Panics
    ///
    /// If the board is empty.
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

    /// Gives the move to the other side without a stone; a second pass takes the first one back.
    /// Nothing may be undone past a pass.
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
        self.key ^= Key::of_cell(c, cell);
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

    /// Adds the cells within reach of `c` to the near set.
    #[inline]
    fn add_near(&mut self, c: Coord) {
        let (row, column) = (c.index() / STRIDE, c.index() % STRIDE);
        let around = self.reach.candidate_mask(row);
        for (word, more) in self.near.words_around(c).iter_mut().zip(around) {
            *word |= more << (column - 4);
        }
    }
}

impl Board {
    /// Returns the square board after these moves, for tests and examples.
    ///
    /// ```
    /// use tengen_gomoku::board::Board;
    /// use tengen_gomoku::types::Rule;
    ///
    /// assert_eq!(Board::after(15, Rule::Renju, "h8i9h10").empty_count(), 222);
    /// ```
    ///
    /// # Panics
    ///
    /// If the board cannot be so long, or the moves are not free points of it.
    pub fn after(length: u8, rule: Rule, moves: &str) -> Board {
        let size = BoardSize::new(length, length).expect("a legal length");
        let mut board = Board::new(size, rule);
        let points = notation::parse_points(moves, size).expect("points of the board");
        points.into_iter().for_each(|mv| board.play(mv));
        board
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
