//! Positions as the database's keys: the same for all turns and reflections of a board.
//!
//! A key is the whole position and no hash of it: of the images of a position the first one, in the
//! order of their cells.

use std::collections::BTreeSet;

use tengen_gomoku::board::Board;
use tengen_gomoku::board::notation::parse_points;
use tengen_gomoku::board::symmetry::Symmetry;
use tengen_gomoku::types::{BoardSize, Cell, Color, Coord, CoordSet, Rule};

/// Returns the contents of cells that are not empty, the stones of the side to move first.
fn contents(to_move: Color) -> [Cell; 3] {
    [to_move.cell(), (!to_move).cell(), Cell::Wall]
}

/// What tells positions apart that are no images of each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PositionKey {
    pub rule: Rule,
    pub size: BoardSize,
    pub to_move: Color,
    /// The cells that are not empty, in their order on the board.
    pub cells: Vec<(Coord, Cell)>,
}

impl PositionKey {
    /// Reads the points of the stones of the side to move, those of the other side, and walls;
    /// `None` if a text is none or a cell is named twice.
    pub fn parse(
        rule: Rule,
        size: BoardSize,
        to_move: Color,
        texts: [&str; 3],
    ) -> Option<PositionKey> {
        let mut cells = Vec::new();
        for (text, cell) in texts.into_iter().zip(contents(to_move)) {
            cells.extend(parse_points(text, size).ok()?.into_iter().map(|c| (c, cell)));
        }
        cells.sort_unstable();
        let is_single = cells.windows(2).all(|pair| pair[0].0 != pair[1].0);
        is_single.then_some(PositionKey { rule, size, to_move, cells })
    }

    pub fn texts(&self) -> [String; 3] {
        contents(self.to_move).map(|wanted| self.points(wanted).map(|c| c.to_string()).collect())
    }

    pub fn points(&self, wanted: Cell) -> impl Iterator<Item = Coord> {
        let cells = self.cells.iter().filter(move |(_, cell)| *cell == wanted);
        cells.map(|&(c, _)| c)
    }

    pub fn board(&self) -> Board {
        Board::from_cells(self.size, self.rule, &self.cells, self.to_move)
    }

    /// Returns the stones in an order of play, black first and in turns; `None` if there is none or
    /// the board has walls.
    pub fn moves(&self) -> Option<Vec<Coord>> {
        let mut turns = Color::ALL.map(|color| self.points(color.cell()));
        let count = self.cells.len();
        let moves: Option<Vec<Coord>> =
            (0..count).map(|i| turns[Color::ALL[i % 2]].next()).collect();
        moves.filter(|_| self.to_move == Color::ALL[count % 2])
    }
}

/// A position's key, and how cells of the board come to lie in it.
#[derive(Clone, Debug)]
pub struct StoredPosition {
    pub key: PositionKey,
    symmetry: Symmetry,
}

impl StoredPosition {
    pub fn of(board: &Board) -> StoredPosition {
        Images::of(board).position(board.side_to_move(), None)
    }

    /// Returns where a cell of the board lies in the key's image of it.
    pub fn to_image(&self, c: Coord) -> Coord {
        self.symmetry.image(c, self.key.size)
    }

    /// Returns the cell of the board that lies here in the key's image of it.
    pub fn from_image(&self, c: Coord) -> Coord {
        self.symmetry.inverse().image(c, self.key.size)
    }
}

/// The cells of an image that are not empty, in their order on the board.
type Image = (Symmetry, Vec<(Coord, Cell)>);

/// A position turned and reflected in all ways, for the keys of it and of those after it.
pub struct Images {
    rule: Rule,
    size: BoardSize,
    images: Vec<Image>,
}

impl Images {
    pub fn of(board: &Board) -> Images {
        let size = board.size();
        let cells: Vec<Coord> = size.cells().filter(|&c| !board.is_empty(c)).collect();
        let images = Symmetry::of(size).map(|symmetry| {
            let image = |&c: &Coord| (symmetry.image(c, size), board.cell(c));
            let mut image: Vec<(Coord, Cell)> = cells.iter().map(image).collect();
            image.sort_unstable();
            (symmetry, image)
        });
        Images { rule: board.rule(), size, images: images.collect() }
    }

    /// Returns the position with this side to move, and with one more stone where there is one.
    pub fn position(&self, to_move: Color, stone: Option<(Coord, Color)>) -> StoredPosition {
        let with_stone = |(symmetry, image): &Image| {
            let mut cells = image.clone();
            if let Some((c, color)) = stone {
                let cell = (symmetry.image(c, self.size), color.cell());
                cells.insert(cells.partition_point(|&other| other < cell), cell);
            }
            (cells, *symmetry)
        };
        let images = self.images.iter().map(with_stone);
        let first = images.min_by(|(one, _), (other, _)| one.cmp(other));
        let (cells, symmetry) = first.expect("invariant: a board has symmetries");
        let key = PositionKey { rule: self.rule, size: self.size, to_move, cells };
        StoredPosition { key, symmetry }
    }

    /// Returns the points of this color's stones in each of the images, as [`PositionKey::texts`] does,
    /// every text once.
    pub fn texts(&self, color: Color) -> BTreeSet<String> {
        let text = |(_, image): &Image| {
            let stones = image.iter().filter(|(_, cell)| *cell == color.cell());
            stones.map(|(c, _)| c.to_string()).collect()
        };
        self.images.iter().map(text).collect()
    }

    /// Returns the moves of this side after which the position is an image of `key`.
    pub fn moves_to(&self, key: &PositionKey, us: Color) -> CoordSet {
        let moves = self.images.iter().filter_map(|(symmetry, before)| {
            let same = before.iter().zip(&key.cells).take_while(|(a, b)| a == b).count();
            let &(c, cell) = key.cells.get(same)?;
            let is_move = key.cells[same + 1..] == before[same..] && cell == us.cell();
            is_move.then(|| symmetry.inverse().image(c, self.size))
        });
        moves.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::board::symmetry::images;

    fn random_board(rng: &mut fastrand::Rng) -> Board {
        let size = BoardSize::new(rng.u8(5..=22), rng.u8(5..=22)).unwrap();
        let mut board = Board::new(size, rng.choice(Rule::ALL).unwrap());
        for _ in 0..rng.usize(0..size.area()) {
            let free: Vec<Coord> = board.empty_cells().into_iter().collect();
            board.play(rng.choice(free).unwrap());
        }
        board
    }

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
            let position = StoredPosition::of(&board);
            let content = position.key.clone();
            let [own, other, walls] = content.texts();
            let texts = [&*own, &*other, &*walls];
            let read = PositionKey::parse(content.rule, content.size, content.to_move, texts);
            assert_eq!(read.as_ref(), Some(&content));
            assert_eq!((content.rule, content.size), (board.rule(), board.size()));
            for &(c, cell) in &content.cells {
                assert_eq!(board.cell(position.from_image(c)), cell);
            }
            assert_eq!(StoredPosition::of(&content.board()).key, position.key);
            for symmetry in Symmetry::of(board.size()) {
                let image = StoredPosition::of(&turned(&board, symmetry));
                assert_eq!(image.key, position.key);
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
                assert_eq!(StoredPosition::of(&board).key, key.key);
                board.undo();
                let content = key.key.clone();
                assert!(images.texts(!us).contains(&content.texts()[0]));
                let moves = images.moves_to(&content, us);
                assert!(moves.contains(c) && images.moves_to(&content, !us).is_empty());
                for c in &moves {
                    assert_eq!(images.position(!us, Some((c, us))).key, key.key);
                }
            }
        }
    }

    #[test]
    fn different_positions_have_different_keys() {
        let board = Board::after(15, Rule::Renju, "h8i9");
        let key = |board: &Board| StoredPosition::of(board).key.clone();
        let after = |moves: &str| key(&Board::after(15, Rule::Renju, moves));
        assert_eq!(after("h8i9g7"), after("h8g9i7"));
        assert_ne!(after("h8i9g7"), after("h8i9g6"));
        let mut others = vec![key(&Board::after(15, Rule::Standard, "h8i9"))];
        others.push(key(&Board::after(15, Rule::Renju, "i9h8")));
        others.push(key(&Board::after(17, Rule::Renju, "h8i9")));
        let mut passed = board.clone();
        passed.pass();
        others.push(key(&passed));
        assert!(!others.contains(&key(&board)));
        // Of all stones next to a corner stone there are three that no symmetry makes the same.
        let size = BoardSize::new(5, 5).unwrap();
        let around: CoordSet = size.cells().filter(|&c| c != Coord::new(0, 0)).collect();
        let corner = Board::after(5, Rule::Freestyle, "a1");
        let keys: std::collections::HashSet<_> = around
            .into_iter()
            .map(|c| Images::of(&corner).position(Color::Black, Some((c, Color::White))).key)
            .collect();
        let distinct = images(&[Coord::new(0, 0)], size).count();
        assert_eq!((keys.len(), distinct), (14, 8));
    }

    #[test]
    fn stones_are_played_in_turns() {
        let position = StoredPosition::of(&Board::after(15, Rule::Renju, "h8i9h10"));
        let mut content = position.key.clone();
        let mut board = Board::new(content.size, content.rule);
        content.moves().unwrap().into_iter().for_each(|mv| board.play(mv));
        assert_eq!(StoredPosition::of(&board).key, StoredPosition::of(&content.board()).key);
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
    fn stones_that_cannot_lie_so_are_refused() {
        let size = BoardSize::new(15, 15).unwrap();
        let parse = |texts| PositionKey::parse(Rule::Renju, size, Color::White, texts);
        assert!(parse(["h8i9", "a1", "o15"]).is_some() && parse([""; 3]).is_some());
        for texts in [["h8h8", "", ""], ["h8", "a1h8", ""], ["h", "", ""], ["", "", "p1"]] {
            assert_eq!(parse(texts), None, "{texts:?}");
        }
    }
}
