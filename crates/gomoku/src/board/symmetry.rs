//! Rotations and reflections of a board.

use super::Board;
use crate::types::{BoardSize, Coord, CoordSet};

/// Returns the points under each symmetry of the board, themselves first.
pub fn images(points: &[Coord], size: BoardSize) -> impl Iterator<Item = Vec<Coord>> {
    Symmetry::of(size)
        .map(move |symmetry| points.iter().map(|&c| symmetry.image(c, size)).collect())
}

/// A rotation or reflection of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetry(u8);

impl Symmetry {
    const FLIP_X: u8 = 1;
    const FLIP_Y: u8 = 2;
    const TRANSPOSE: u8 = 4;

    /// Returns the symmetries of a board, the identity first.
    pub fn of(size: BoardSize) -> impl Iterator<Item = Symmetry> {
        // A rectangle has no transpositions.
        let count = if size.width() == size.height() { 8 } else { 4 };
        (0..count).map(Symmetry)
    }

    pub fn image(self, c: Coord, size: BoardSize) -> Coord {
        let has = |bit| self.0 & bit != 0;
        let x = if has(Symmetry::FLIP_X) { size.width() - 1 - c.x() } else { c.x() };
        let y = if has(Symmetry::FLIP_Y) { size.height() - 1 - c.y() } else { c.y() };
        if has(Symmetry::TRANSPOSE) { Coord::new(y, x) } else { Coord::new(x, y) }
    }

    pub fn inverse(self) -> Symmetry {
        let flips = self.0 & (Symmetry::FLIP_X | Symmetry::FLIP_Y);
        match self.0 & Symmetry::TRANSPOSE {
            0 => self,
            // The transposition comes first, so that what flipped columns flips rows.
            transpose => Symmetry(transpose | flips >> 1 | flips << 1 & Symmetry::FLIP_Y),
        }
    }
}

/// Returns the free cells that a symmetry of the position maps to an earlier cell that is not
/// excluded: they need no search.
pub fn symmetric_moves(board: &Board, excluded: &CoordSet) -> CoordSet {
    let size = board.size();
    let cells: Vec<Coord> = size.cells().collect();
    let mut symmetric = CoordSet::EMPTY;
    for image in images(&cells, size) {
        let is_same =
            cells.iter().zip(&image).all(|(&c, &other)| board.cell(c) == board.cell(other));
        if is_same {
            let moved = cells.iter().zip(&image);
            let moved = moved.filter(|&(c, other)| other < c && !excluded.contains(*other));
            symmetric = symmetric | moved.map(|(&c, _)| c).collect();
        }
    }
    symmetric & *board.empty_cells()
}

/// Returns black's and white's stones of an opening, the same for every order and image.
pub fn canonical(stones: &[Coord], size: BoardSize) -> [Vec<Coord>; 2] {
    let sides = |image: Vec<Coord>| {
        [0, 1].map(|color| {
            let mut side: Vec<Coord> = image.iter().copied().skip(color).step_by(2).collect();
            side.sort();
            side
        })
    };
    images(stones, size).map(sides).min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::notation::parse_points;
    use crate::types::Rule;

    fn board(moves: &str) -> Board {
        Board::after(15, Rule::Renju, moves)
    }

    #[test]
    fn images_are_one_opening() {
        for (width, height, count) in [(15, 15, 8), (9, 6, 4)] {
            let size = BoardSize::new(width, height).unwrap();
            let points = parse_points("a1b1c3d2", size).unwrap();
            let all: Vec<_> = images(&points, size).collect();
            assert_eq!((all.len(), &all[0]), (count, &points));
            for (i, image) in all.iter().enumerate() {
                assert!(image.iter().all(|c| size.coord(c.x(), c.y()).is_some()));
                assert!(!all[..i].contains(image));
                let symmetry = Symmetry::of(size).nth(i).unwrap();
                let back = |&c: &Coord| symmetry.inverse().image(c, size);
                assert_eq!(image.iter().map(back).collect::<Vec<_>>(), points);
                assert_eq!(canonical(image, size), canonical(&points, size));
            }
            let other = parse_points("c3b1a1d2", size).unwrap();
            assert_eq!(canonical(&other, size), canonical(&points, size), "another order");
            let other = parse_points("b1a1c3d2", size).unwrap();
            assert_ne!(canonical(&other, size), canonical(&points, size), "other colors");
        }
    }

    #[test]
    fn a_position_and_its_image_have_one_family_of_moves() {
        // The diagonal of the stones is the one symmetry.
        let alike = symmetric_moves(&board("h8i9g7"), &CoordSet::EMPTY);
        assert_eq!(alike.len(), (225 - 15) / 2);
        assert_eq!(symmetric_moves(&board("h8i10g7"), &CoordSet::EMPTY), CoordSet::EMPTY);
        // Around a stone in the center all eight are the same.
        assert_eq!(symmetric_moves(&board("h8"), &CoordSet::EMPTY).len(), 224 - 35);
        // Another one of the four diagonal neighbors stands for them.
        let neighbors: CoordSet =
            parse_points("g7i7g9i9", board("h8").size()).unwrap().into_iter().collect();
        for c in &neighbors {
            let excluded = CoordSet::from_iter([c]);
            let searched =
                neighbors.without(&(symmetric_moves(&board("h8"), &excluded) | excluded));
            assert_eq!(searched.len(), 1, "{c}");
        }
    }
}
