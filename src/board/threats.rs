//! Shapes and threats of every empty cell, kept up to date as stones come and go.
//!
//! A stone changes only the windows that hold it: ten cells a direction at most, each through one
//! direction only, so every changed cell is saved once and undo copies it back. Occupied cells
//! keep the values they had when their stone came, which are right again once it is gone.

use super::Board;
use crate::shape::{Code, Combination, Shape, ShapeKey, Threat};
use crate::types::{Cell, CellSet, Color, Coord, Direction};

/// What one empty cell offers to both colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellThreats {
    pub(super) keys: [ShapeKey; 2],
    combinations: [Combination; 2],
}

const _: () = assert!(size_of::<CellThreats>() == 8);

impl CellThreats {
    /// The value of cells that were never looked at.
    pub(super) const NONE: CellThreats =
        CellThreats { keys: [0; 2], combinations: [Combination::DEAD; 2] };

    /// Returns the number of the shape combination that a stone of `color` would make.
    #[inline]
    pub fn code(&self, color: Color) -> Code {
        self.combinations[color].code()
    }

    /// Returns the threat that a stone of `color` would make.
    #[inline]
    pub fn threat(&self, color: Color) -> Threat {
        self.combinations[color].threat()
    }

    /// Returns the shape that a stone of `color` would make in one direction.
    #[inline]
    pub fn shape(&self, color: Color, direction: Direction) -> Shape {
        Shape::from_nibble((self.keys[color] >> (4 * direction as u32)) as u8)
    }

    /// Returns true if a stone of `color` would make a four or more in some direction.
    pub fn makes_four(&self, color: Color) -> bool {
        Direction::ALL.into_iter().any(|direction| self.shape(color, direction) >= Shape::Four)
    }

    /// Returns true if neither colour would make any [`Threat`] here.
    #[inline]
    pub fn is_trivial(&self) -> bool {
        self.combinations[0].rank() | self.combinations[1].rank() == Threat::None as usize
    }

    /// Returns both colours' shapes of a direction in the form of the window table.
    #[inline]
    fn window(&self, direction: Direction) -> u8 {
        let shift = 4 * direction as u32;
        let [black, white] = self.keys.map(|key| (key >> shift) as u8 & 15);
        black | white << 4
    }
}

/// Is told of every change of the board's threats, in the order in which they happen.
///
/// Evaluation sums live behind this trait, so that the board need not know of them; `()` watches
/// nothing.
pub trait Observer {
    /// A stone is about to be placed on a cell with these threats, which no longer count.
    fn begin(&mut self, mv: Coord, threats: &CellThreats);
    /// The threats of an empty cell changed.
    fn cell_changed(&mut self, c: Coord, old: &CellThreats, new: &CellThreats);
    /// The last stone is taken back, with all changes since its `begin`.
    fn undo(&mut self);
}

impl Observer for () {
    #[inline]
    fn begin(&mut self, _: Coord, _: &CellThreats) {}
    #[inline]
    fn cell_changed(&mut self, _: Coord, _: &CellThreats, _: &CellThreats) {}
    #[inline]
    fn undo(&mut self) {}
}

/// A cell's threats before a change.
pub(super) type Saved = (Coord, CellThreats);

impl Board {
    /// Returns what an empty cell offers to both colours.
    #[inline]
    pub fn threats(&self, c: Coord) -> &CellThreats {
        &self.threats[c.index()]
    }

    /// Returns the threat that a stone of `color` on the empty cell `c` would make.
    #[inline]
    pub fn threat(&self, c: Coord, color: Color) -> Threat {
        self.threats(c).threat(color)
    }

    /// Returns how many empty cells offer `color` exactly this threat.
    #[inline]
    pub fn count(&self, color: Color, threat: Threat) -> usize {
        self.counts[color][threat as usize] as usize
    }

    /// Returns how many empty cells offer `color` at least this threat.
    pub fn count_from(&self, color: Color, least: Threat) -> usize {
        self.counts[color][least as usize..].iter().map(|&n| n as usize).sum()
    }

    /// Returns the empty cells that offer `color` exactly this threat, which must be
    /// [listed](Threat::is_listed).
    #[inline]
    pub fn cells_with(&self, color: Color, threat: Threat) -> &CellSet {
        debug_assert!(threat.is_listed());
        &self.with_threat[color][threat as usize]
    }

    /// Returns the empty cells that offer `color` at least this threat, which must be
    /// [listed](Threat::is_listed).
    pub fn cells_from(&self, color: Color, least: Threat) -> CellSet {
        let mut cells = CellSet::EMPTY;
        for threat in &Threat::ALL[least as usize..] {
            if self.count(color, *threat) > 0 {
                cells |= *self.cells_with(color, *threat);
            }
        }
        cells
    }

    /// Returns true if `color` could now make a four or more somewhere. Cells that look forbidden
    /// count, for not every one of them is.
    pub fn has_four(&self, color: Color) -> bool {
        self.count_from(color, Threat::Four) + self.count(color, Threat::Forbidden) > 0
    }

    /// Returns the cells where `color` makes a four or more; renju fouls may be among them.
    pub fn four_cells(&self, color: Color) -> CellSet {
        let mut cells = self.cells_from(color, Threat::Four);
        if self.count(color, Threat::Forbidden) > 0 {
            let flagged = self.cells_with(color, Threat::Forbidden);
            for c in flagged.into_iter().filter(|&c| self.threats(c).makes_four(color)) {
                cells.insert(c);
            }
        }
        cells
    }

    /// Puts an empty cell's threats into the counts and sets.
    pub(super) fn count_in(&mut self, c: Coord) {
        for color in Color::ALL {
            let rank = self.threats(c).combinations[color].rank();
            self.counts[color][rank] += 1;
        }
        self.toggle_sets(c);
    }

    /// Takes an empty cell's threats out of the counts and sets.
    #[inline]
    pub(super) fn count_out(&mut self, c: Coord) {
        for color in Color::ALL {
            let rank = self.threats(c).combinations[color].rank();
            self.counts[color][rank] -= 1;
        }
        self.toggle_sets(c);
    }

    /// Puts an empty cell into the sets of its threats, or takes it out of them.
    #[inline]
    pub(super) fn toggle_sets(&mut self, c: Coord) {
        for color in Color::ALL {
            self.toggle_set(c, color, self.threats(c).combinations[color].rank());
        }
    }

    #[inline]
    fn toggle_set(&mut self, c: Coord, color: Color, rank: usize) {
        if Threat::is_listed_rank(rank) {
            self.with_threat[color][rank].toggle(c);
        }
    }

    /// Looks up every window that holds the cell `c`, whose content has just changed, and tells
    /// the observer of each cell whose threats are no longer the same.
    #[inline]
    pub(super) fn update_around<const HALF: usize, O: Observer>(
        &mut self,
        c: Coord,
        observer: &mut O,
    ) {
        self.update_line::<HALF, 0, O>(c, observer);
        self.update_line::<HALF, 1, O>(c, observer);
        self.update_line::<HALF, 2, O>(c, observer);
        self.update_line::<HALF, 3, O>(c, observer);
    }

    /// Does so in the direction of number `DIRECTION`, a constant so that shifts by it are too.
    #[inline]
    fn update_line<const HALF: usize, const DIRECTION: usize, O: Observer>(
        &mut self,
        c: Coord,
        observer: &mut O,
    ) {
        let direction = Direction::ALL[DIRECTION];
        let line = self.lines.line(c, direction);
        let windows = self.tables.windows::<HALF>();
        for (steps, window) in line.empty_windows(HALF) {
            let c = c.step(direction, steps);
            let difference = self.threats(c).window(direction) ^ windows[window];
            if difference != 0 {
                self.change_shapes::<DIRECTION, O>(c, difference, observer);
            }
        }
    }

    /// Changes an empty cell's shapes in one direction by `difference`, in the form of the window
    /// table, and all that follows from them.
    fn change_shapes<const DIRECTION: usize, O: Observer>(
        &mut self,
        c: Coord,
        difference: u8,
        observer: &mut O,
    ) {
        let direction = Direction::ALL[DIRECTION];
        let old = self.threats[c.index()];
        let nibbles = [difference & 15, difference >> 4];
        let mut new = old;
        for color in Color::ALL {
            new.keys[color] ^= (nibbles[color as usize] as ShapeKey) << (4 * direction as u32);
            new.combinations[color] = self.tables.combination(color, new.keys[color]);
        }
        for color in Color::ALL {
            let [before, now] = [old, new].map(|threats| threats.combinations[color].rank());
            if before != now {
                self.counts[color][before] -= 1;
                self.counts[color][now] += 1;
                self.toggle_set(c, color, before);
                self.toggle_set(c, color, now);
            }
        }
        self.threats[c.index()] = new;
        self.saved.push((c, old));
        observer.cell_changed(c, &old, &new);
    }

    /// Copies back what [`Board::update_around`] saved since the list had `start` entries. The
    /// counts are not touched.
    #[inline]
    pub(super) fn restore_threats(&mut self, start: usize) {
        while self.saved.len() > start {
            let Some((c, old)) = self.saved.pop() else { return };
            let new = std::mem::replace(&mut self.threats[c.index()], old);
            for color in Color::ALL {
                let [before, now] = [old, new].map(|threats| threats.combinations[color].rank());
                if before != now {
                    self.toggle_set(c, color, before);
                    self.toggle_set(c, color, now);
                }
            }
        }
    }

    /// Computes one empty cell's threats from the lines alone.
    pub(super) fn threats_from_lines(&self, c: Coord) -> CellThreats {
        let mut fresh = CellThreats::NONE;
        for direction in Direction::ALL {
            let window = self.lines.line(c, direction).window(0, self.tables.half);
            let shapes = self.tables.window(window);
            fresh.keys[0] |= ((shapes & 15) as ShapeKey) << (4 * direction as u32);
            fresh.keys[1] |= ((shapes >> 4) as ShapeKey) << (4 * direction as u32);
        }
        for color in Color::ALL {
            fresh.combinations[color] = self.tables.combination(color, fresh.keys[color]);
        }
        fresh
    }

    /// Returns the empty cells on which a stone of the opponent leaves `attacker` less than
    /// `least` on the cell `target`: the target itself and cells of its lines.
    ///
    /// The answers to several targets are the cells common to their sets. Kept by target rather
    /// than by the stone that made the threat, these sets are exact (a defender's stone acts on
    /// each line alone), but for stones that make a renju black cell forbidden from afar.
    pub fn refutations(&self, target: Coord, attacker: Color, least: Threat) -> CellSet {
        let mut cells = CellSet::EMPTY;
        cells.insert(target);
        let half = self.tables.half as isize;
        let key = self.threats(target).keys[attacker];
        for direction in Direction::ALL {
            if self.threats(target).shape(attacker, direction) < Shape::NarrowThree {
                continue;
            }
            let line = self.lines.line(target, direction);
            let shift = 4 * direction as u32;
            for steps in (-half..=half).filter(|&steps| steps != 0) {
                if line.cell(steps) != Cell::Empty {
                    continue;
                }
                let blocked = line.with(steps, (!attacker).cell()).window(0, self.tables.half);
                let shapes = self.tables.window(blocked);
                let nibble = if attacker == Color::Black { shapes & 15 } else { shapes >> 4 };
                let new_key = key & !(15 << shift) | (nibble as ShapeKey) << shift;
                if self.tables.combination(attacker, new_key).threat() < least {
                    cells.insert(target.step(direction, steps));
                }
            }
        }
        cells
    }

    /// Returns the empty cells each of which, taken by the opponent, leaves `attacker` without
    /// any cell of exactly this threat; meaningful if there is one. Cells at which the opponent
    /// merely gains time with a four of his own are not among them.
    pub fn common_refutations(&self, attacker: Color, threat: Threat) -> CellSet {
        let targets = self.cells_with(attacker, threat);
        if threat == Threat::Five && !self.rule.is_caro() {
            // Only the five cell itself stops a five.
            return if targets.len() == 1 { *targets } else { CellSet::EMPTY };
        }
        let sets = targets.into_iter().map(|target| self.refutations(target, attacker, threat));
        sets.reduce(|common, set| common & set).unwrap_or(CellSet::EMPTY)
    }

    /// Returns the cells of one line that would make a five for `color` if it had a stone on the
    /// empty cell `c`.
    pub fn five_cells_after(
        &self,
        c: Coord,
        color: Color,
        direction: Direction,
    ) -> impl Iterator<Item = Coord> {
        let is_four = self.threats(c).shape(color, direction) >= Shape::Four;
        let line = self.lines.line(c, direction).with(0, color.cell());
        let half = self.tables.half;
        (-4..=4).filter(move |&steps| is_four && line.cell(steps) == Cell::Empty).filter_map(
            move |steps| {
                let shapes = self.tables.window(line.window(steps, half));
                let nibble = if color == Color::Black { shapes & 15 } else { shapes >> 4 };
                (Shape::from_nibble(nibble) == Shape::Five).then(|| c.step(direction, steps))
            },
        )
    }

    /// Adds the empty cells where a stone of `color` turns `c` into a cell that offers `color` a
    /// four.
    pub fn add_four_preparations(&self, c: Coord, color: Color, cells: &mut CellSet) {
        let half = self.tables.half as isize;
        for direction in Direction::ALL {
            let line = self.lines.line(c, direction);
            for steps in (-half..=half).filter(|&steps| steps != 0) {
                if line.cell(steps) != Cell::Empty {
                    continue;
                }
                let window = line.with(steps, color.cell()).window(0, self.tables.half);
                let shapes = self.tables.window(window);
                let nibble = if color == Color::Black { shapes & 15 } else { shapes >> 4 };
                if Shape::from_nibble(nibble) >= Shape::Four {
                    cells.insert(c.step(direction, steps));
                }
            }
        }
    }
}
