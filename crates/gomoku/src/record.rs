//! Games as files keep them: Piskvork's .psq, SGF, RenLib's libraries, PlayOK's texts, JSON, and lines of
//! moves such as `h8i9h10`.
//!
//! Columns are counted from the left and rows from the side that [`Rows`](crate::types::Rows) names: with the top, `h8` is
//! `8,8` in a .psq and `hh` in SGF.

mod error;
mod files;
mod json;
mod moves;
mod parsed;
mod playok;
mod psq;
pub mod renlib;
mod sgf;
pub mod signature;
mod text;
pub mod tree;

pub use error::{ParseError, ParseErrorKind, Place, Warning};
pub use files::{Format, load, lost, parse, parse_file, save};
pub use parsed::{ParsedGame, ReadOptions, warnings_in_words};
pub use text::encoding_named;

use std::fmt;
use std::time::Duration;

use crate::board::Board;
use crate::shape::Shape;
use crate::types::{BoardSize, Color, Coord, CoordSet, Direction, Rule};

/// The name of a player who is a person.
pub const HUMAN: &str = "Human";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stone {
    pub c: Coord,
    pub color: Color,
    /// How long its player thought, or zero.
    pub time: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Won(Color),
    Drawn,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Outcome::Won(color) => color.fmt(f),
            Outcome::Drawn => f.write_str("draw"),
        }
    }
}

/// Why the stones of a record end its game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A row that wins under the rule, and its stones.
    Five(Color, CoordSet),
    /// Black played on this forbidden point.
    Foul(Coord),
    Full,
    /// It is black's move, and every free cell is forbidden.
    NoMove,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Ending::Five(color, _) => write!(f, "{color} has won"),
            Ending::Foul(c) => write!(f, "white has won, {c} is forbidden for black"),
            Ending::Full => f.write_str("the board is full"),
            Ending::NoMove => f.write_str("white has won, black has no legal move"),
        }
    }
}

impl Ending {
    pub fn outcome(&self) -> Outcome {
        match self {
            Ending::Five(color, _) => Outcome::Won(*color),
            Ending::Foul(_) | Ending::NoMove => Outcome::Won(Color::White),
            Ending::Full => Outcome::Drawn,
        }
    }
}

/// A position with the way to it: stones in the order in which they came, on distinct cells, and who
/// moves next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    size: BoardSize,
    stones: Vec<Stone>,
    /// The number of stones before the first move.
    setup: usize,
    to_move: Color,
}

impl Record {
    pub fn new(size: BoardSize) -> Record {
        Record { size, stones: Vec::new(), setup: 0, to_move: Color::Black }
    }

    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// Returns all stones in the order in which they came.
    pub fn stones(&self) -> &[Stone] {
        &self.stones
    }

    /// Returns the stones that were played, all but those set up before.
    pub fn moves(&self) -> &[Stone] {
        &self.stones[self.setup..]
    }

    pub fn to_move(&self) -> Color {
        self.to_move
    }

    pub fn is_empty(&self, c: Coord) -> bool {
        self.stones.iter().all(|stone| stone.c != c)
    }

    /// Returns the record after its first `moves` moves.
    pub fn after(&self, moves: usize) -> Record {
        let mut record = self.clone();
        if let Some(next) = self.moves().get(moves) {
            record.to_move = next.color;
            record.stones.truncate(self.setup + moves);
        }
        record
    }

    pub fn board(&self, rule: Rule) -> Board {
        self.board_of(&self.stones, rule, self.to_move)
    }

    fn board_of(&self, stones: &[Stone], rule: Rule, to_move: Color) -> Board {
        let cells: Vec<_> = stones.iter().map(|s| (s.c, s.color.cell())).collect();
        Board::from_cells(self.size, rule, &cells, to_move)
    }

    /// Returns why the game is over, if it is, and the number of the first move that ended it; 0 if
    /// the set-up stones contain a five.
    pub fn ending(&self, rule: Rule) -> Option<(Ending, usize)> {
        let mut board = Board::new(self.size, rule);
        for (i, &Stone { c, color, .. }) in self.stones.iter().enumerate() {
            let moves = (i + 1).saturating_sub(self.setup);
            if board.side_to_move() != color {
                board.pass();
            }
            if board.makes_five(c, color) {
                // Set-up stones that come later may lengthen the row or block it.
                let before = self.stones[..self.setup.max(i)].iter().copied();
                let before: Vec<Stone> = before.filter(|stone| stone.c != c).collect();
                let before = self.board_of(&before, rule, color);
                if before.makes_five(c, color) {
                    return Some((Ending::Five(color, five_through(&before, c, color)), moves));
                }
            }
            if moves > 0 && color == Color::Black && board.is_forbidden(c) {
                return Some((Ending::Foul(c), moves));
            }
            board.play(c);
        }
        let moves = self.moves().len();
        if board.empty_count() == 0 {
            return Some((Ending::Full, moves));
        }
        (!self.board(rule).has_legal_move()).then_some((Ending::NoMove, moves))
    }

    /// Returns the stones in an order in which the colors take turns, black first, if one keeps the
    /// order of the moves.
    pub fn alternating(&self) -> Option<Vec<Stone>> {
        let (setup, moves) = self.stones.split_at(self.setup);
        let mut sets = Color::ALL.map(|color| setup.iter().filter(move |s| s.color == color));
        let mut stones: Vec<Stone> = Vec::with_capacity(self.stones.len());
        let turns = [Color::Black, Color::White].into_iter().cycle();
        stones.extend(turns.map_while(|color| sets[color].next()));
        if stones.len() < setup.len() {
            return None;
        }
        stones.extend(moves);
        let in_turn = |(i, stone): (usize, &Stone)| stone.color == Color::ALL[i % 2];
        let is_in_turn = stones.iter().enumerate().all(in_turn);
        (is_in_turn && self.to_move == Color::ALL[stones.len() % 2]).then_some(stones)
    }

    /// Returns the moves as `h8i9h10`; `None` if the colors do not take turns.
    pub fn to_pos(&self) -> Option<String> {
        Some(self.alternating()?.iter().map(|stone| stone.c.to_string()).collect())
    }
}

/// Returns the stones of the fives that a stone of `color` on the empty cell `c` makes.
fn five_through(board: &Board, c: Coord, color: Color) -> CoordSet {
    let mut cells: CoordSet = [c].into_iter().collect();
    for direction in Direction::ALL {
        if board.threats(c).shape(color, direction) != Shape::Five {
            continue;
        }
        for step in [-1, 1] {
            let mut next = c.step(direction, step);
            while board.stone(next) == Some(color) {
                cells.insert(next);
                next = next.step(direction, step);
            }
        }
    }
    cells
}
