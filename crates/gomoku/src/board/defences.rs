//! Cells that refute a threat, and the effect of one more stone on other cells of its lines.

use super::Board;
use super::lines::BitLine;
use crate::shape::{Shape, Threat};
use crate::types::{Cell, Color, Coord, CoordSet, Direction};

impl Board {
    /// Returns the empty cells on which a stone of the opponent leaves `attacker` less than `least`
    /// on the cell `target`; that cell too.
    ///
    /// Exact if `target` offers at least `least`, which must be `OpenThree`, `DoubleThree`, `Four`,
    /// `FourThree`, `OpenFour` or `Five`: the other threats depend on more than open threes, fours
    /// and fives.
    pub fn refutations(&self, target: Coord, attacker: Color, least: Threat) -> CoordSet {
        let mut cells = CoordSet::from_iter([target]);
        let shapes = self.threats(target).shapes;
        for direction in Direction::ALL {
            if shapes.shape(attacker, direction) < Shape::NarrowThree {
                continue;
            }
            let line = self.lines.line(target, direction);
            for steps in self.empty_steps(line) {
                let blocked = line.with(steps, (!attacker).cell()).window(0, self.tables.radius);
                let left = shapes.with(direction, self.tables.window(blocked));
                if self.tables.packed_threat(attacker, left).threat() < least {
                    cells.insert(target.step(direction, steps));
                }
            }
        }
        cells
    }

    /// Returns the empty cells on which a stone of the opponent refutes every cell of `attacker` with
    /// exactly this threat (see [`Board::refutations`]). Fours that only gain time are not among
    /// them. Under renju a white stone may make another such cell for black, one that looked
    /// forbidden before.
    pub fn common_refutations(&self, attacker: Color, threat: Threat) -> CoordSet {
        let targets = self.cells_with(attacker, threat);
        if threat == Threat::Five && !self.rule.is_caro() {
            // Only the cell itself stops a five.
            return if targets.len() == 1 { *targets } else { CoordSet::EMPTY };
        }
        let sets = targets.into_iter().map(|target| self.refutations(target, attacker, threat));
        sets.reduce(|common, set| common & set).unwrap_or(CoordSet::EMPTY)
    }

    /// Returns the cells of a line that make a five for `color` after a stone on `c`.
    #[doc(hidden)]
    pub fn five_cells_after(
        &self,
        c: Coord,
        color: Color,
        direction: Direction,
    ) -> impl Iterator<Item = Coord> {
        let is_four = self.threats(c).shape(color, direction) >= Shape::Four;
        let line = self.lines.line(c, direction).with(0, color.cell());
        let radius = self.tables.radius;
        (-4..=4).filter(move |&steps| is_four && line.cell(steps) == Cell::Empty).filter_map(
            move |steps| {
                let shape = self.tables.shape(color, line.window(steps, radius));
                (shape == Shape::Five).then(|| c.step(direction, steps))
            },
        )
    }

    /// Adds the empty cells where a stone of `color` lets `c` make a four.
    #[doc(hidden)]
    pub fn add_four_preparations(&self, c: Coord, color: Color, cells: &mut CoordSet) {
        for direction in Direction::ALL {
            let line = self.lines.line(c, direction);
            for steps in self.empty_steps(line) {
                let window = line.with(steps, color.cell()).window(0, self.tables.radius);
                if self.tables.shape(color, window) >= Shape::Four {
                    cells.insert(c.step(direction, steps));
                }
            }
        }
    }

    /// Returns the steps from a place to the empty cells of its window.
    fn empty_steps(&self, line: BitLine) -> impl Iterator<Item = isize> {
        let radius = self.tables.radius as isize;
        (-radius..=radius).filter(move |&steps| steps != 0 && line.cell(steps) == Cell::Empty)
    }
}
