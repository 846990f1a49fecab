//! The place of a cell relative to a stone: a feature of the move order.

use super::{CELLS, Coord, STRIDE};

/// The distance of a cell from another one, and whether they are on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nearness(u8);

impl Nearness {
    pub const COUNT: usize = 8;
    /// More than four cells away.
    pub const FAR: Nearness = Nearness(7);

    /// Returns the nearness of each cell, by its padded index, to a stone; [`Nearness::FAR`]
    /// without one.
    #[inline]
    pub fn to(stone: Option<Coord>) -> &'static [Nearness; CELLS] {
        let first = stone.map_or(2 * CELLS, |stone| CELLS - stone.index());
        NEARNESS[first..]
            .first_chunk()
            .expect("invariant: a whole board of entries follows every start")
    }

    const fn at(dx: isize, dy: isize) -> Nearness {
        let (dx, dy) = (dx.unsigned_abs() as u8, dy.unsigned_abs() as u8);
        let is_on_line = dx == 0 || dy == 0 || dx == dy;
        match (if dx > dy { dx } else { dy }, is_on_line) {
            (0..=1, _) => Nearness(0),
            (distance @ 2..=4, true) => Nearness(distance - 1),
            (distance @ 2..=4, false) => Nearness(distance + 2),
            _ => Nearness::FAR,
        }
    }

    /// Below [`Nearness::COUNT`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize % Nearness::COUNT
    }
}

/// By difference of padded indices, from -CELLS up, followed by far cells for a missing stone.
/// Within four rows and columns the differences are unique.
static NEARNESS: [Nearness; 3 * CELLS] = {
    let mut table = [Nearness::FAR; 3 * CELLS];
    let mut dy = -4;
    while dy <= 4 {
        let mut dx = -4;
        while dx <= 4 {
            let difference = dy * STRIDE as isize + dx;
            table[(CELLS as isize + difference) as usize] = Nearness::at(dx, dy);
            dx += 1;
        }
        dy += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearness_tells_lines_and_distances_apart() {
        let from = Coord::new(7, 7);
        let seen = [(8, 8), (9, 7), (10, 10), (7, 3), (9, 8), (10, 8), (11, 8), (12, 7)]
            .map(|(x, y)| Nearness::to(Some(from))[Coord::new(x, y).index()].index());
        assert_eq!(seen, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(Nearness::FAR.index(), 7);
    }
}
