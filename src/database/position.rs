//! Positions as the database's keys: the same for all turns and reflections of a board.
//!
//! A key is the whole position and no hash of it, so that no two positions share one and a key can
//! be read back. Its bytes: rule, width, height, side to move, then two bytes for each cell that is
//! not empty, `(y * width + x) * 4 + content` with the higher byte first, in ascending order. Of
//! the images of a position the one with the smallest bytes is its key.

use crate::board::Board;
use crate::board::symmetry::Symmetry;
use crate::types::{BoardSize, Cell, Color, Coord, Rule};

/// Bytes of a key before the first cell.
const HEAD: usize = 4;

/// A position's key, and how cells of the board come to lie in it.
#[derive(Clone, Debug)]
pub struct Position {
    key: Vec<u8>,
    size: BoardSize,
    symmetry: Symmetry,
}

impl Position {
    /// Returns the position on a board.
    ///
    /// ```
    /// use tengen::board::Board;
    /// use tengen::database::position::Position;
    /// use tengen::types::Rule;
    ///
    /// let after = |moves: &str| Position::of(&Board::after(15, Rule::Renju, moves));
    /// assert_eq!(after("h8i9g7").key(), after("h8g9i7").key());
    /// assert_ne!(after("h8i9g7").key(), after("h8i9g6").key());
    /// ```
    pub fn of(board: &Board) -> Position {
        Images::of(board).position(board.side_to_move(), None)
    }

    /// Returns the bytes of the key.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// Returns the size of the board.
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// Returns where a cell of the board lies in the key's image of it.
    pub fn to_image(&self, c: Coord) -> Coord {
        self.symmetry.image(c, self.size)
    }

    /// Returns the cell of the board that lies here in the key's image of it.
    pub fn from_image(&self, c: Coord) -> Coord {
        self.symmetry.inverse().image(c, self.size)
    }
}

/// A position turned and reflected in all ways, for the keys of it and of those after it.
pub struct Images {
    head: [u8; HEAD - 1],
    size: BoardSize,
    /// The codes of the cells that are not empty, in ascending order.
    codes: Vec<(Symmetry, Vec<u16>)>,
}

impl Images {
    /// Returns the images of the position on a board.
    pub fn of(board: &Board) -> Images {
        let size = board.size();
        let cells: Vec<Coord> = size.cells().filter(|&c| !board.is_empty(c)).collect();
        let codes = Symmetry::of(size).map(|symmetry| {
            let code = |&c: &Coord| code(symmetry.image(c, size), size, board.cell(c));
            let mut codes: Vec<u16> = cells.iter().map(code).collect();
            codes.sort_unstable();
            (symmetry, codes)
        });
        Images {
            head: [board.rule() as u8, size.width(), size.height()],
            size,
            codes: codes.collect(),
        }
    }

    /// Returns the position with this side to move, and with one more stone where there is one.
    pub fn position(&self, to_move: Color, stone: Option<(Coord, Color)>) -> Position {
        let mut least: Option<(Symmetry, Vec<u16>)> = None;
        for (symmetry, codes) in &self.codes {
            let mut codes = codes.clone();
            if let Some((c, color)) = stone {
                let code = code(symmetry.image(c, self.size), self.size, color.cell());
                let place = codes.partition_point(|&other| other < code);
                codes.insert(place, code);
            }
            if least.as_ref().is_none_or(|(_, others)| codes < *others) {
                least = Some((*symmetry, codes));
            }
        }
        let (symmetry, codes) = least.expect("invariant: a board has symmetries");
        let mut key = Vec::with_capacity(HEAD + 2 * codes.len());
        key.extend(self.head);
        key.push(to_move as u8);
        key.extend(codes.into_iter().flat_map(u16::to_be_bytes));
        Position { key, size: self.size, symmetry }
    }
}

fn code(c: Coord, size: BoardSize, cell: Cell) -> u16 {
    (u16::from(c.y()) * u16::from(size.width()) + u16::from(c.x())) << 2 | cell as u16
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    pub rule: Rule,
    /// The size of the board.
    pub size: BoardSize,
    pub to_move: Color,
    pub cells: Vec<(Coord, Cell)>,
}

impl Content {
    /// Reads the bytes of a key; `None` if they are none.
    pub fn parse(key: &[u8]) -> Option<Content> {
        let (&[rule, width, height, to_move], codes) = key.split_first_chunk::<HEAD>()?;
        let rule = *Rule::ALL.get(usize::from(rule))?;
        let size = BoardSize::new(width, height)?;
        let to_move = *Color::ALL.get(usize::from(to_move))?;
        let mut cells = Vec::with_capacity(codes.len() / 2);
        let mut last = None;
        let (codes, []) = codes.as_chunks::<2>() else { return None };
        for code in codes {
            let code = u16::from_be_bytes(*code);
            let (place, width) = (code >> 2, u16::from(size.width()));
            let (x, y) = (place % width, place / width);
            let c = size.coord(x as u8, u8::try_from(y).ok()?)?;
            let cell = [Cell::Black, Cell::White, Cell::Empty, Cell::Wall][usize::from(code & 3)];
            if cell == Cell::Empty || last.is_some_and(|last| place <= last) {
                return None;
            }
            last = Some(place);
            cells.push((c, cell));
        }
        Some(Content { rule, size, to_move, cells })
    }

    pub fn board(&self) -> Board {
        Board::from_cells(self.size, self.rule, &self.cells, self.to_move)
    }

    /// Returns the stones in an order of play, black first and in turns; `None` if there is none or
    /// the board has walls.
    pub fn moves(&self) -> Option<Vec<Coord>> {
        let mut turns = Color::ALL.map(|color| {
            let stones = self.cells.iter().filter(move |(_, cell)| *cell == color.cell());
            stones.map(|&(c, _)| c)
        });
        let count = self.cells.len();
        let moves: Option<Vec<Coord>> =
            (0..count).map(|i| turns[Color::ALL[i % 2]].next()).collect();
        moves.filter(|_| self.to_move == Color::ALL[count % 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::symmetry::images;
    use crate::types::CellSet;

    fn random_board(rng: &mut fastrand::Rng) -> Board {
        let size = BoardSize::new(rng.u8(5..=22), rng.u8(5..=22)).unwrap();
        let mut board = Board::new(size, rng.choice(Rule::ALL).unwrap());
        for _ in 0..rng.usize(0..size.area()) {
            let free: Vec<Coord> = board.empty_cells().into_iter().collect();
            board.play(rng.choice(free).unwrap());
        }
        board
    }

    /// Returns the same position, turned or reflected.
    fn turned(board: &Board, symmetry: Symmetry) -> Board {
        let (size, turn) = (board.size(), |c| symmetry.image(c, board.size()));
        let cells: Vec<_> = size.cells().filter(|&c| !board.is_empty(c)).collect();
        let cells: Vec<_> = cells.into_iter().map(|c| (turn(c), board.cell(c))).collect();
        Board::from_cells(size, board.rule(), &cells, board.side_to_move())
    }

    #[test]
    fn images_have_one_key_that_can_be_read_back() {
        let mut rng = fastrand::Rng::with_seed(4);
        for _ in 0..200 {
            let board = random_board(&mut rng);
            let position = Position::of(&board);
            let content = Content::parse(position.key()).unwrap();
            assert_eq!((content.rule, content.size), (board.rule(), board.size()));
            for &(c, cell) in &content.cells {
                assert_eq!(board.cell(position.from_image(c)), cell);
            }
            assert_eq!(Position::of(&content.board()).key(), position.key());
            for symmetry in Symmetry::of(board.size()) {
                let image = Position::of(&turned(&board, symmetry));
                assert_eq!(image.key(), position.key());
                for c in board.size().cells() {
                    assert_eq!(image.from_image(image.to_image(c)), c);
                    let same = position.from_image(image.to_image(symmetry.image(c, board.size())));
                    assert_eq!(board.cell(same), board.cell(c));
                }
            }
        }
    }

    #[test]
    fn a_key_behind_a_move_is_that_of_the_position() {
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..50 {
            let mut board = random_board(&mut rng);
            let (images, us) = (Images::of(&board), board.side_to_move());
            for c in &board.empty_cells().clone() {
                let key = images.position(!us, Some((c, us)));
                board.play(c);
                assert_eq!(Position::of(&board).key(), key.key());
                board.undo();
            }
        }
    }

    #[test]
    fn different_positions_have_different_keys() {
        let board = Board::after(15, Rule::Renju, "h8i9");
        let key = |board: &Board| Position::of(board).key().to_vec();
        let mut others = vec![key(&Board::after(15, Rule::Standard, "h8i9"))];
        others.push(key(&Board::after(15, Rule::Renju, "i9h8")));
        others.push(key(&Board::after(17, Rule::Renju, "h8i9")));
        let mut passed = board.clone();
        passed.pass();
        others.push(key(&passed));
        assert!(!others.contains(&key(&board)));
        // Of all stones next to a corner stone there are three that no symmetry makes the same.
        let size = BoardSize::new(5, 5).unwrap();
        let around: CellSet = size.cells().filter(|&c| c != Coord::new(0, 0)).collect();
        let corner = Board::after(5, Rule::Freestyle, "a1");
        let keys: std::collections::BTreeSet<_> = around
            .into_iter()
            .map(|c| Images::of(&corner).position(Color::Black, Some((c, Color::White))).key)
            .collect();
        let distinct = images(&[Coord::new(0, 0)], size).count();
        assert_eq!((keys.len(), distinct), (14, 8));
    }

    #[test]
    fn stones_are_played_in_turns() {
        let mut content =
            Content::parse(Position::of(&Board::after(15, Rule::Renju, "h8i9h10")).key());
        let content = content.as_mut().unwrap();
        let mut board = Board::new(content.size, content.rule);
        content.moves().unwrap().into_iter().for_each(|mv| board.play(mv));
        assert_eq!(Position::of(&board).key(), Position::of(&content.board()).key());
        content.to_move = Color::Black;
        assert_eq!(content.moves(), None);
        content.cells.push((Coord::new(14, 14), Cell::Black));
        assert_eq!(content.moves(), None);
        content.cells[3].1 = Cell::Wall;
        assert_eq!(content.moves(), None);
        content.cells[3].1 = Cell::White;
        assert_eq!(content.moves().map(|moves| moves.len()), Some(4));
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let key = Position::of(&Board::after(15, Rule::Renju, "h8i9")).key().to_vec();
        assert!(Content::parse(&key).is_some() && Content::parse(&key[..4]).is_some());
        assert!(Content::parse(&key[..3]).is_none() && Content::parse(&key[..5]).is_none());
        for (place, byte) in [(0, 5), (1, 4), (2, 23), (3, 2), (4, 255), (5, 2)] {
            let mut key = key.clone();
            key[place] = byte;
            assert_eq!(Content::parse(&key), None, "{place}");
        }
        let mut twice = key.clone();
        twice.extend_from_slice(&key[4..]);
        assert_eq!(Content::parse(&twice), None);
    }
}
