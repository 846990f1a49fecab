//! The position as the manager builds it: stones and walls in order of play, and our color, which
//! stays until no stone is left. Unlike a [`Board`] it may hold any number of stones of a side, counts
//! passes, and has no rule yet. What is refused changes nothing.

use tengen_gomocup::{ListItem, Point};
use tengen_gomoku::board::Board;
use tengen_gomoku::types::{BoardSize, Cell, Color, Coord, CoordSet, Rule};

use super::{ErrorText, errors};

const PASS: Point = Point { x: -1, y: -1 };
/// Takes back the last stone for some clients.
const LAST: Point = Point { x: 0, y: 0 };

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    pub size: BoardSize,
    placements: Vec<(Coord, Cell)>,
    passes: [usize; 2],
    own: Option<Color>,
    /// The color that moves next; if `None`, the numbers of stones decide.
    next: Option<Color>,
}

impl Position {
    pub fn new(size: BoardSize) -> Position {
        Position { size, placements: Vec::new(), passes: [0; 2], own: None, next: None }
    }

    pub fn is_empty(&self) -> bool {
        self.placements.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.placements.len() == self.size.area()
    }

    pub fn is_free(&self, c: Coord) -> bool {
        self.placements.iter().all(|&(other, _)| other != c)
    }

    pub fn free_cells(&self) -> impl Iterator<Item = Coord> + '_ {
        self.size.cells().filter(|&c| self.is_free(c))
    }

    /// Walls do not count.
    pub fn stone_count(&self) -> usize {
        self.placements.iter().filter(|&&(_, cell)| cell != Cell::Wall).count()
    }

    pub fn free_cell(&self, point: Point) -> Result<Coord, ErrorText> {
        let c = on_board(self.size, point)?;
        if self.is_free(c) { Ok(c) } else { Err(errors::OCCUPIED) }
    }

    /// Returns the index of the stone to take back: at the point, or the last one for 0,0 if that
    /// cell is free.
    pub fn stone_to_take_back(&self, point: Point) -> Result<usize, ErrorText> {
        let c = on_board(self.size, point)?;
        let is_last = point == LAST && self.is_free(c);
        let is_meant =
            |&(other, cell): &(Coord, Cell)| cell != Cell::Wall && (is_last || other == c);
        self.placements.iter().rposition(is_meant).ok_or(errors::NO_STONE)
    }

    /// Returns the board with our side to move, and fixes our color.
    pub fn board_to_move(&mut self, rule: Rule) -> Board {
        let own = self.own.unwrap_or(self.side_to_move());
        self.own = Some(own);
        Board::from_cells(self.size, rule, &self.placements, own)
    }

    /// Returns the board after the moves of the game, with the side to move by stone counts.
    pub fn board_in_turn(&self, rule: Rule) -> Board {
        let mut turns = self.placements.iter().zip(Color::ALL.into_iter().cycle());
        let alternates = turns.all(|(&(_, cell), color)| cell == color.cell());
        if !alternates || self.passes != [0; 2] {
            return Board::from_cells(self.size, rule, &self.placements, self.side_to_move());
        }
        Board::from_moves(self.size, rule, self.placements.iter().map(|&(c, _)| c))
    }

    /// Returns the board with the opponent to move, if our stone came last and the game goes on.
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

    pub fn stones(&self) -> [CoordSet; 2] {
        let of = |color: Color| {
            let stones = self.placements.iter().filter(|&&(_, cell)| cell == color.cell());
            stones.map(|&(c, _)| c).collect()
        };
        Color::ALL.map(of)
    }

    /// Returns the points forbidden to black, if he moves next under renju.
    pub fn forbidden_points(&self, rule: Rule) -> Vec<Coord> {
        let next = self.next.unwrap_or(self.side_to_move());
        if rule != Rule::Renju || next != Color::Black {
            return Vec::new();
        }
        let board = Board::from_cells(self.size, rule, &self.placements, Color::Black);
        self.size.cells().filter(|&c| board.is_empty(c) && board.is_forbidden(c)).collect()
    }

    pub fn place_own(&mut self, c: Coord) {
        let own = self.own.unwrap_or(self.side_to_move());
        self.own = Some(own);
        self.next = Some(!own);
        self.placements.push((c, own.cell()));
    }

    pub fn place_opponent(&mut self, c: Coord) {
        let own = self.own.unwrap_or(!self.side_to_move());
        self.own = Some(own);
        self.next = Some(own);
        self.placements.push((c, (!own).cell()));
    }

    pub fn take_back(&mut self, point: Point) -> Result<(), ErrorText> {
        let index = self.stone_to_take_back(point)?;
        self.placements.remove(index);
        self.next = None;
        if self.stone_count() == 0 {
            (self.own, self.passes) = (None, [0; 2]);
        }
        Ok(())
    }

    /// Places a white stone and a black one; then the opponent chooses his color, and white moves.
    pub fn put_two(&mut self, stones: [Coord; 2]) {
        self.placements.extend(stones.into_iter().zip([Cell::White, Cell::Black]));
        self.own = None;
        self.next = Some(Color::White);
    }

    pub fn take_other_color(&mut self) {
        let own = self.own.unwrap_or(self.side_to_move());
        self.own = Some(!own);
        self.next = Some(own);
    }

    /// Sets up BOARD or YXBOARD; we are to move. Owner 1 is us. But 1 is black, and 2 is white and
    /// us, if owners `may_be_colors`, 1 has one row more than 2 (passes count), there are no walls,
    /// and the last row is no pass of 2.
    pub fn set_up(&mut self, items: &[ListItem], may_be_colors: bool) -> Result<(), ErrorText> {
        let (passes, stones): (Vec<ListItem>, Vec<ListItem>) =
            items.iter().partition(|item| item.point == PASS);
        if passes.iter().any(|pass| !matches!(pass.owner, Some(1 | 2))) {
            return Err(errors::LIST_ITEM);
        }
        let cells = cells_of(self.size, &stones)?;
        let has_walls = cells.iter().any(|&(_, owner)| owner == Some(3));
        let count = |owner| items.iter().filter(|item| item.owner == Some(owner)).count();
        let (ours, theirs) = (count(1), count(2));
        let first = items.iter().find_map(|item| item.owner.filter(|&owner| owner != 3));
        let ends_with_their_pass = items.last() == Some(&ListItem { point: PASS, owner: Some(2) });
        let are_colors = may_be_colors && ours == theirs + 1 && !has_walls && !ends_with_their_pass;
        let one_is_black = are_colors || ours == theirs || ours + 1 != theirs && first == Some(1);
        let one = if one_is_black { Color::Black } else { Color::White };
        let mut placements = Vec::with_capacity(cells.len());
        for (c, owner) in cells {
            let cell = match owner {
                Some(1) => one.cell(),
                Some(2) => (!one).cell(),
                Some(3) => Cell::Wall,
                _ => return Err(errors::LIST_ITEM),
            };
            placements.push((c, cell));
        }
        self.placements = placements;
        let passes = |owner| passes.iter().filter(|pass| pass.owner == Some(owner)).count();
        self.passes = if one_is_black { [1, 2] } else { [2, 1] }.map(passes);
        let own = if are_colors { !one } else { one };
        self.own = (ours + theirs > 0).then_some(own);
        self.next = self.own;
        Ok(())
    }

    pub fn points(&self, items: &[ListItem]) -> Result<Vec<Coord>, ErrorText> {
        Ok(cells_of(self.size, items)?.into_iter().map(|(c, _)| c).collect())
    }

    pub fn set_up_opening(&mut self, stones: &[Coord]) {
        self.placements = stones.iter().map(|&c| (c, Cell::Black)).collect();
        self.take_as_opening();
    }

    /// Sets up our stones of an opening; then the opponent chooses his color, and white moves.
    pub fn open(&mut self, stones: &[Coord; 3]) {
        self.set_up_opening(stones);
        self.own = None;
    }

    /// Takes the stones as those of an opening, black and white in turn; we are to move.
    pub fn take_as_opening(&mut self) {
        let stones = self.placements.iter_mut().filter(|(_, cell)| *cell != Cell::Wall);
        for ((_, cell), color) in stones.zip(Color::ALL.into_iter().cycle()) {
            *cell = color.cell();
        }
        self.passes = [0; 2];
        self.own = Some(self.side_to_move());
        self.next = self.own;
    }

    /// Returns the color to move if black began and the sides alternate.
    fn side_to_move(&self) -> Color {
        let [black, white] = self.stones().map(|stones| stones.len());
        if black + self.passes[0] <= white + self.passes[1] { Color::Black } else { Color::White }
    }
}

fn cells_of(size: BoardSize, items: &[ListItem]) -> Result<Vec<(Coord, Option<i64>)>, ErrorText> {
    let mut cells: Vec<(Coord, Option<i64>)> = Vec::new();
    for item in items {
        let c = on_board(size, item.point)?;
        if cells.iter().any(|&(other, _)| other == c) {
            return Err(errors::OCCUPIED);
        }
        if item.owner.is_some_and(|owner| !(1..=3).contains(&owner)) {
            return Err(errors::LIST_ITEM);
        }
        cells.push((c, item.owner));
    }
    Ok(cells)
}

pub fn on_board(size: BoardSize, point: Point) -> Result<Coord, ErrorText> {
    point.on(size).ok_or(errors::OFF_BOARD)
}

#[cfg(test)]
mod tests {
    use tengen_gomocup::ListLine;

    use super::*;

    fn position() -> Position {
        Position::new(BoardSize::new(15, 15).unwrap())
    }

    fn items(text: &str) -> Vec<ListItem> {
        ListLine::parse(text).items.unwrap()
    }

    // BOARD scenarios of tests/protocol/README.md.
    #[test]
    fn our_colour_follows_from_the_counts_and_then_from_the_first_stone() {
        let cases = [
            ("7,7,2", Color::White),
            ("7,7,1 7,8,2", Color::Black),
            ("7,7,2 7,8,1", Color::Black),
            ("7,7,2 7,8,1 7,9,2", Color::White),
            ("1,1,2 2,2,2 3,3,2 4,4,1 5,5,1", Color::White),
            ("1,1,2 2,2,2 4,4,1 5,5,1", Color::Black),
            ("7,7,1 8,8,1 9,9,1 1,1,2", Color::Black),
            ("9,9,2 7,7,1 8,8,1 3,3,1", Color::White),
            ("9,9,2 7,7,2", Color::White),
            ("7,7,1 9,9,2 8,8,2 1,1,2", Color::Black),
            ("0,0,3 0,1,3 7,7,2", Color::White),
            ("0,0,3 7,7,1 8,8,1", Color::Black),
            // A pass counts as a stone.
            ("7,7,1 -1,-1,2", Color::Black),
            ("7,7,2 -1,-1,1 7,8,2", Color::White),
            ("-1,-1,2 7,7,1 8,8,2 -1,-1,1", Color::Black),
            ("-1,-1,2 -1,-1,2 7,7,1", Color::White),
            ("-1,-1,2 7,7,1 8,8,1 9,9,1", Color::White),
            ("7,7,1 7,8,1 -1,-1,2", Color::Black),
            ("8,8,2 7,7,1 7,8,1 7,9,1 -1,-1,2", Color::White),
            ("-1,-1,2", Color::White),
            ("-1,-1,1 -1,-1,2", Color::Black),
            ("0,0,3 0,1,3", Color::Black),
        ];
        for (text, color) in cases {
            let mut position = position();
            position.set_up(&items(text), true).unwrap();
            assert_eq!(position.board_to_move(Rule::Freestyle).side_to_move(), color, "{text}");
        }
    }

    #[test]
    fn numbers_are_colours_where_1_has_one_stone_more() {
        let (one, two, free) = (Coord::new(7, 7), Coord::new(8, 8), Coord::new(0, 1));
        for (text, may_be_colors, are_colors) in [
            ("7,7,1 8,8,2 9,9,1", true, true),
            ("9,9,1 7,7,1 8,8,2", true, true),
            ("8,8,2 7,7,1 9,9,1", true, true),
            ("8,8,2 7,7,1 -1,-1,1", true, true),
            ("8,8,2 7,7,1 -1,-1,2 9,9,1 1,1,1", true, true),
            ("8,8,2 7,7,1 9,9,1 1,1,1 -1,-1,2", true, false),
            ("8,8,2 7,7,1 9,9,1 -1,-1,2", true, false),
            ("8,8,2 7,7,1 9,9,1 -1,-1,1", true, false),
            ("7,7,1 8,8,2 9,9,1 0,0,3", true, false),
            ("7,7,1 8,8,2", true, false),
            ("7,7,1 8,8,2 9,9,1", false, false),
        ] {
            let mut position = position();
            position.set_up(&items(text), may_be_colors).unwrap();
            let mut board = position.board_to_move(Rule::Freestyle);
            let us = board.side_to_move();
            assert_eq!(board.stone(two) == Some(us), are_colors, "{text}");
            assert_eq!(board.stone(one) == Some(us), !are_colors, "{text}");
            if are_colors {
                assert_eq!(us, Color::White, "{text}");
            }
            // This stays so.
            position.place_opponent(free);
            board = position.board_to_move(Rule::Freestyle);
            assert_eq!((board.side_to_move(), board.stone(free)), (us, Some(!us)), "{text}");
        }
    }

    #[test]
    fn a_pass_counts_for_whose_move_it_is_until_no_stone_is_left() {
        let cross = "6,7,1 0,0,2 8,7,1 0,5,2 7,6,1 0,9,2 7,8,1";
        for (passes, points) in [("", 0), (" -1,-1,2", 1), (" -1,-1,2 -1,-1,1", 0)] {
            let mut position = position();
            let text = format!("{cross}{passes}");
            position.set_up(&items(&text), true).unwrap();
            assert_eq!(position.forbidden_points(Rule::Renju).len(), points, "{text}");
            // Who takes back a stone is to move.
            position.take_back(Point { x: 0, y: 5 }).unwrap();
            assert!(position.forbidden_points(Rule::Renju).is_empty());
            position.take_back(Point { x: 0, y: 9 }).unwrap();
            position.take_back(Point { x: 0, y: 0 }).unwrap();
            for _ in 0..4 {
                position.take_back(LAST).unwrap();
            }
            assert_eq!(position.take_back(LAST), Err(errors::NO_STONE));
            assert_eq!(position.board_to_move(Rule::Renju).side_to_move(), Color::Black);
        }
    }

    #[test]
    fn the_last_stone_is_taken_back_by_the_corner_where_that_is_free() {
        let mut position = position();
        position.set_up(&items("7,7,1 0,0,2 8,8,1 9,9,2 3,3,3"), false).unwrap();
        let left = |position: &Position| position.placements.iter().map(|&(c, _)| c).collect();
        let mut taken = |x, y| {
            let before: Vec<Coord> = left(&position);
            position.take_back(Point { x, y })?;
            let after: Vec<Coord> = left(&position);
            Ok(before.into_iter().find(|c| !after.contains(c)).unwrap())
        };
        assert_eq!(taken(0, 1), Err(errors::NO_STONE));
        assert_eq!(taken(0, 0), Ok(Coord::new(0, 0)));
        assert_eq!(taken(0, 0), Ok(Coord::new(9, 9)));
        assert_eq!(taken(7, 7), Ok(Coord::new(7, 7)));
        assert_eq!(taken(0, 0), Ok(Coord::new(8, 8)));
        assert_eq!(taken(0, 0), Err(errors::NO_STONE));
        position.set_up(&items("0,0,3 7,7,1"), false).unwrap();
        assert_eq!(position.take_back(LAST), Err(errors::NO_STONE), "a wall");
    }

    #[test]
    fn refused_items_change_nothing() {
        let mut position = position();
        position.set_up(&items("7,7,1 8,8,2 0,0,3"), false).unwrap();
        let before = position.clone();
        for (text, why) in [
            ("1,1,1 1,1,2", errors::OCCUPIED),
            ("1,1,1 2,2,4", errors::LIST_ITEM),
            ("1,1,1 2,2", errors::LIST_ITEM),
            ("1,15,1", errors::OFF_BOARD),
            ("1,1,1 -1,1,2", errors::OFF_BOARD),
            ("1,1,1 -1,-1,3", errors::LIST_ITEM),
            ("1,1,1 -1,-1", errors::LIST_ITEM),
        ] {
            assert_eq!(position.set_up(&items(text), true), Err(why), "{text}");
        }
        for (text, why) in [
            ("1,1 2,2 1,1", errors::OCCUPIED),
            ("1,1 2,2 -1,1", errors::OFF_BOARD),
            ("1,1 2,2 -1,-1", errors::OFF_BOARD),
        ] {
            assert_eq!(position.points(&items(text)), Err(why), "{text}");
        }
        assert_eq!(position, before);
    }

    #[test]
    fn black_may_not_play_forbidden_points_when_he_moves_next() {
        let mut position = position();
        position.set_up(&items("6,7,1 8,7,1 7,6,1 7,8,1"), true).unwrap();
        let cross = Coord::new(7, 7);
        assert_eq!(position.forbidden_points(Rule::Renju), [cross]);
        assert!(position.forbidden_points(Rule::Standard).is_empty());
        position.place_own(Coord::new(0, 0));
        assert!(position.forbidden_points(Rule::Renju).is_empty());
        position.place_opponent(Coord::new(14, 14));
        assert_eq!(position.forbidden_points(Rule::Renju), [cross]);
    }
}
