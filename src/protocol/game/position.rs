//! The position as the manager builds it: stones and walls in the order of play, and our colour.
//!
//! Knows no commands, settings or clocks. Invariants: placements are distinct cells of the board,
//! and what is refused changes nothing. Our colour, once known, stays until no stone is left.

use super::super::reading::list::ListItem;
use super::super::reading::numbers::Point;
use super::refusal::Refusal;
use crate::board::Board;
use crate::types::{BoardSize, Cell, CellSet, Color, Coord, Rule};

/// Stones and walls on a board, and which stones are ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    size: BoardSize,
    placements: Vec<(Coord, Cell)>,
    /// Our colour, once it is known.
    own: Option<Color>,
    /// The colour that moves next. `None` on a board without stones and after a stone was taken
    /// back: then the numbers of stones decide.
    next: Option<Color>,
}

impl Position {
    /// Returns an empty board.
    pub fn new(size: BoardSize) -> Position {
        Position { size, placements: Vec::new(), own: None, next: None }
    }

    /// Returns the size of the board.
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// Returns true if there is neither a stone nor a wall.
    pub fn is_empty(&self) -> bool {
        self.placements.is_empty()
    }

    /// Returns true if no cell is free.
    pub fn is_full(&self) -> bool {
        self.placements.len() == self.size.area()
    }

    /// Returns true if the cell is free.
    pub fn is_free(&self, c: Coord) -> bool {
        self.placements.iter().all(|&(other, _)| other != c)
    }

    /// Returns the first free cell.
    pub fn any_free(&self) -> Option<Coord> {
        self.free_cells().next()
    }

    /// Returns the free cells.
    pub fn free_cells(&self) -> impl Iterator<Item = Coord> + '_ {
        self.size.cells().filter(|&c| self.is_free(c))
    }

    /// Returns the number of stones; walls do not count.
    pub fn stone_count(&self) -> usize {
        self.placements.iter().filter(|&&(_, cell)| cell != Cell::Wall).count()
    }

    /// Returns the cell of a point.
    ///
    /// # Errors
    ///
    /// If it is not on the board or not free.
    pub fn free_cell(&self, point: Point) -> Result<Coord, Refusal> {
        let c = on_board(self.size, point)?;
        if self.is_free(c) { Ok(c) } else { Err(Refusal::Occupied) }
    }

    /// Returns the index of the placement of a stone.
    ///
    /// # Errors
    ///
    /// If the point is not on the board or holds no stone.
    pub fn stone_at(&self, point: Point) -> Result<usize, Refusal> {
        let c = on_board(self.size, point)?;
        let is_stone = |&(other, cell): &(Coord, Cell)| other == c && cell != Cell::Wall;
        self.placements.iter().position(is_stone).ok_or(Refusal::NoStone)
    }

    /// Returns the board with our side to move; our colour is known from now on.
    pub fn board_to_move(&mut self, rule: Rule) -> Board {
        let own = self.own.unwrap_or(self.side_to_move());
        self.own = Some(own);
        Board::from_cells(self.size, rule, &self.placements, own)
    }

    /// Returns the board to which play leads, with the side to move whose turn it is by the number
    /// of the stones.
    pub fn board_in_turn(&self, rule: Rule) -> Board {
        let mut turns = self.placements.iter().zip(Color::ALL.into_iter().cycle());
        if !turns.all(|(&(_, cell), color)| cell == color.cell()) {
            return Board::from_cells(self.size, rule, &self.placements, self.side_to_move());
        }
        let mut board = Board::new(self.size, rule);
        self.placements.iter().for_each(|&(c, _)| board.play(c));
        board
    }

    /// Returns the board with the opponent to move, if our stone came last, won nothing and left a
    /// cell free.
    pub fn board_after_own_move(&self, rule: Rule) -> Option<Board> {
        let own = self.own.filter(|&own| self.next == Some(!own))?;
        let (&(last, cell), before) = self.placements.split_last()?;
        let mut board = Board::from_cells(self.size, rule, before, own);
        if cell != own.cell() || board.makes_five(last, own) || self.is_full() {
            return None;
        }
        board.play(last);
        Some(board)
    }

    /// Returns the cells of black's and of white's stones.
    pub fn stones(&self) -> [CellSet; 2] {
        let of = |color: Color| {
            let stones = self.placements.iter().filter(|&&(_, cell)| cell == color.cell());
            stones.map(|&(c, _)| c).collect()
        };
        Color::ALL.map(of)
    }

    /// Returns the points that black, if he moves next under renju, may not play.
    pub fn forbidden_points(&self, rule: Rule) -> Vec<Coord> {
        let next = self.next.unwrap_or(self.side_to_move());
        if rule != Rule::Renju || next != Color::Black {
            return Vec::new();
        }
        let mut board = Board::from_cells(self.size, rule, &self.placements, Color::Black);
        self.size.cells().filter(|&c| board.is_empty(c) && board.is_forbidden(c)).collect()
    }

    /// Sets a stone of ours on a free cell.
    pub fn place_own(&mut self, c: Coord) {
        let own = self.own.unwrap_or(self.side_to_move());
        self.own = Some(own);
        self.next = Some(!own);
        self.placements.push((c, own.cell()));
    }

    /// Sets a stone of the opponent's on a free cell.
    pub fn place_opponent(&mut self, c: Coord) {
        let own = self.own.unwrap_or(!self.side_to_move());
        self.own = Some(own);
        self.next = Some(own);
        self.placements.push((c, (!own).cell()));
    }

    /// Removes a stone.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn take_back(&mut self, point: Point) -> Result<(), Refusal> {
        let index = self.stone_at(point)?;
        self.placements.remove(index);
        self.next = None;
        if self.placements.iter().all(|&(_, cell)| cell == Cell::Wall) {
            self.own = None;
        }
        Ok(())
    }

    /// Places a white stone and a black one on free cells, after which the opponent chooses his
    /// colour and white moves next.
    pub fn put_two(&mut self, stones: [Coord; 2]) {
        self.placements.extend(stones.into_iter().zip([Cell::White, Cell::Black]));
        self.own = None;
        self.next = Some(Color::White);
    }

    /// Makes the other colour ours, the opponent to move.
    pub fn take_other_color(&mut self) {
        let own = self.own.unwrap_or(self.side_to_move());
        self.own = Some(!own);
        self.next = Some(own);
    }

    /// Takes over the items of a BOARD or YXBOARD, we are to move.
    ///
    /// # Errors
    ///
    /// If they are not distinct cells of the board, each with its owner.
    pub fn set_up(&mut self, items: &[ListItem]) -> Result<(), Refusal> {
        let cells = cells_of(self.size, items)?;
        let count = |owner| cells.iter().filter(|&&(_, o)| o == Some(owner)).count();
        let (ours, theirs) = (count(1), count(2));
        let first = cells.iter().find_map(|&(_, owner)| owner.filter(|&o| o != 3));
        let own = if ours == theirs || ours + 1 != theirs && first == Some(1) {
            Color::Black
        } else {
            Color::White
        };
        let mut placements = Vec::with_capacity(cells.len());
        for (c, owner) in cells {
            let cell = match owner {
                Some(1) => own.cell(),
                Some(2) => (!own).cell(),
                Some(3) => Cell::Wall,
                _ => return Err(Refusal::ListItem),
            };
            placements.push((c, cell));
        }
        self.placements = placements;
        self.own = (ours + theirs > 0).then_some(own);
        self.next = self.own;
        Ok(())
    }

    /// Takes over the items of a SWAP2BOARD. Without stones we open the game: the stones of
    /// `opening` are placed and returned. With stones we choose a colour as white, the side to
    /// move.
    ///
    /// # Errors
    ///
    /// If they are not 0, 3 or 5 distinct cells of the board.
    pub fn set_up_swap2(
        &mut self,
        items: &[ListItem],
        opening: impl FnOnce(BoardSize) -> [Coord; 3],
    ) -> Result<Option<Vec<Coord>>, Refusal> {
        let cells = cells_of(self.size, items)?;
        let opens = match cells.len() {
            0 => true,
            3 | 5 => false,
            _ => return Err(Refusal::Swap2Stones),
        };
        let stones: Vec<Coord> = match opens {
            true => opening(self.size).to_vec(),
            false => cells.into_iter().map(|(c, _)| c).collect(),
        };
        let colors = [Cell::Black, Cell::White].into_iter().cycle();
        self.placements = stones.iter().copied().zip(colors).collect();
        self.own = (!opens).then_some(Color::White);
        self.next = Some(Color::White);
        Ok(opens.then_some(stones))
    }

    /// Returns the cells of items.
    ///
    /// # Errors
    ///
    /// If they are not distinct cells of the board.
    pub fn points(&self, items: &[ListItem]) -> Result<Vec<Coord>, Refusal> {
        Ok(cells_of(self.size, items)?.into_iter().map(|(c, _)| c).collect())
    }

    /// Takes over the stones of an opening, black's and white's in turn; we are to move.
    pub fn set_up_opening(&mut self, stones: &[Coord]) {
        self.placements = stones.iter().map(|&c| (c, Cell::Black)).collect();
        self.take_as_opening();
    }

    /// Takes the stones for those of an opening, whoever was said to own them: black's and white's
    /// in the order of play; we are to move.
    pub fn take_as_opening(&mut self) {
        let stones = self.placements.iter_mut().filter(|(_, cell)| *cell != Cell::Wall);
        for ((_, cell), color) in stones.zip(Color::ALL.into_iter().cycle()) {
            *cell = color.cell();
        }
        self.own = Some(self.side_to_move());
        self.next = self.own;
    }

    /// Returns the colour that moves next in a game that alternates from black's first move.
    fn side_to_move(&self) -> Color {
        let count = |color: Cell| self.placements.iter().filter(|&&(_, c)| c == color).count();
        if count(Cell::Black) <= count(Cell::White) { Color::Black } else { Color::White }
    }
}

/// Returns the cells and owners of items if all are distinct cells of the board.
fn cells_of(size: BoardSize, items: &[ListItem]) -> Result<Vec<(Coord, Option<i64>)>, Refusal> {
    let mut cells: Vec<(Coord, Option<i64>)> = Vec::new();
    for item in items {
        let c = on_board(size, item.point)?;
        if cells.iter().any(|&(other, _)| other == c) {
            return Err(Refusal::Occupied);
        }
        if item.owner.is_some_and(|owner| !(1..=3).contains(&owner)) {
            return Err(Refusal::ListItem);
        }
        cells.push((c, item.owner));
    }
    Ok(cells)
}

/// Returns the cell of a point.
///
/// # Errors
///
/// If it is not on the board.
pub fn on_board(size: BoardSize, point: Point) -> Result<Coord, Refusal> {
    point.on(size).ok_or(Refusal::OffBoard)
}

#[cfg(test)]
mod tests {
    use super::super::super::reading::list::ListLine;
    use super::*;

    fn position() -> Position {
        Position::new(BoardSize::new(15, 15).unwrap())
    }

    fn items(text: &str) -> Vec<ListItem> {
        ListLine::parse(text).items.unwrap()
    }

    // The scenarios of BOARD in tests/protocol/README.md that decide our colour.
    #[test]
    fn our_colour_follows_from_the_counts_and_then_from_the_first_stone() {
        let cases = [
            ("7,7,2", Color::White),
            ("7,7,1 7,8,2", Color::Black),
            ("7,7,2 7,8,1", Color::Black),
            ("7,7,2 7,8,1 7,9,2", Color::White),
            ("1,1,2 2,2,2 3,3,2 4,4,1 5,5,1", Color::White),
            ("1,1,2 2,2,2 4,4,1 5,5,1", Color::Black),
            ("7,7,1", Color::Black),
            ("7,7,1 8,8,1 9,9,2", Color::Black),
            ("9,9,2 7,7,1 8,8,1", Color::White),
            ("9,9,2 7,7,2", Color::White),
            ("7,7,1 9,9,2 8,8,2 1,1,2", Color::Black),
            ("0,0,3 0,1,3 7,7,2", Color::White),
            ("0,0,3 7,7,1 8,8,1", Color::Black),
            ("0,0,3 0,1,3", Color::Black),
        ];
        for (text, color) in cases {
            let mut position = position();
            position.set_up(&items(text)).unwrap();
            assert_eq!(position.board_to_move(Rule::Freestyle).side_to_move(), color, "{text}");
        }
    }

    #[test]
    fn refused_items_change_nothing() {
        let mut position = position();
        position.set_up(&items("7,7,1 8,8,2 0,0,3")).unwrap();
        let before = position.clone();
        for (text, why) in [
            ("1,1,1 1,1,2", Refusal::Occupied),
            ("1,1,1 2,2,4", Refusal::ListItem),
            ("1,1,1 2,2", Refusal::ListItem),
            ("1,15,1", Refusal::OffBoard),
        ] {
            assert_eq!(position.set_up(&items(text)), Err(why), "{text}");
        }
        for (text, why) in [
            ("1,1 2,2", Refusal::Swap2Stones),
            ("1,1 2,2 3,3 4,4 5,5 6,6", Refusal::Swap2Stones),
            ("1,1 2,2 1,1", Refusal::Occupied),
            ("1,1 2,2 -1,1", Refusal::OffBoard),
        ] {
            let opening = |_| panic!("not asked for");
            assert_eq!(position.set_up_swap2(&items(text), opening), Err(why), "{text}");
        }
        assert_eq!(position, before);
    }

    #[test]
    fn black_may_not_play_forbidden_points_when_he_moves_next() {
        let mut position = position();
        position.set_up(&items("6,7,1 8,7,1 7,6,1 7,8,1")).unwrap();
        let cross = Coord::new(7, 7);
        assert_eq!(position.forbidden_points(Rule::Renju), [cross]);
        assert!(position.forbidden_points(Rule::Standard).is_empty());
        position.place_own(Coord::new(0, 0));
        assert!(position.forbidden_points(Rule::Renju).is_empty());
        position.place_opponent(Coord::new(14, 14));
        assert_eq!(position.forbidden_points(Rule::Renju), [cross]);
    }
}
