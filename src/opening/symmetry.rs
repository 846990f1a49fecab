//! The turns and reflections of a board, under which an opening stays the same opening.

use crate::types::{BoardSize, Coord};

/// Symmetries of a square; the first four are those of a rectangle.
const COUNT: usize = 8;

/// Returns the points as they lie after each turn and reflection of the board, themselves first.
pub fn images(points: &[Coord], size: BoardSize) -> impl Iterator<Item = Vec<Coord>> {
    let count = if size.width() == size.height() { COUNT } else { COUNT / 2 };
    (0..count).map(move |which| points.iter().map(|&c| image(c, size, which)).collect())
}

fn image(c: Coord, size: BoardSize, which: usize) -> Coord {
    let x = if which & 1 != 0 { size.width() - 1 - c.x() } else { c.x() };
    let y = if which & 2 != 0 { size.height() - 1 - c.y() } else { c.y() };
    if which & 4 != 0 { Coord::new(y, x) } else { Coord::new(x, y) }
}

/// Returns the same list of stones for every order and image of an opening: black's and white's.
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
                assert_eq!(canonical(image, size), canonical(&points, size));
            }
            let other = parse_points("c3b1a1d2", size).unwrap();
            assert_eq!(canonical(&other, size), canonical(&points, size), "another order");
            let other = parse_points("b1a1c3d2", size).unwrap();
            assert_ne!(canonical(&other, size), canonical(&points, size), "other colours");
        }
    }
}
