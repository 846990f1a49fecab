//! The update of the empty cells' threats after a stone.
//!
//! A stone changes the windows that include it, at most ten cells a direction. Which ones change is
//! unpredictable, so that all windows are looked up first without a branch; one loop then applies
//! the changes and saves the old values, which undo copies back.

use super::{Board, CellThreats};
use crate::shape::Threat;
use crate::types::{CELLS, Color, Coord, Direction};

pub(super) type Saved = (Coord, CellThreats);

/// The changes by a stone, for undo.
#[derive(Clone, Copy)]
pub(super) struct Changes {
    /// The first change in the list.
    start: usize,
    /// A bit for each change of a cell in a cell set before or after.
    in_sets: u64,
}

#[derive(Clone, Copy)]
struct LineCell {
    offset: i16,
    direction: Direction,
}

/// The bit of each direction's first cell, the farthest before the stone. The next cells have every
/// second bit; the bits between are another direction's.
const FIRST_CELL_BITS: [usize; 4] = [0, 1, 32, 33];

/// The cells, by bit, whose windows of `RADIUS` cells a side may include a stone.
struct LineCells<const RADIUS: usize>;

impl<const RADIUS: usize> LineCells<RADIUS> {
    const ALL: [LineCell; 64] = {
        let mut cells = [LineCell { offset: 0, direction: Direction::Horizontal }; 64];
        let mut bit = 0;
        while bit < 64 {
            let direction = Direction::ALL[bit / 32 * 2 + bit % 2];
            let steps = (bit % 32 / 2) as isize - RADIUS as isize;
            cells[bit] = LineCell { offset: (steps * direction.stride()) as i16, direction };
            bit += 1;
        }
        cells
    };
}

/// Padded indices within five steps of a stone.
const AROUND: usize = 2 * MIDDLE + 1;
const MIDDLE: usize = 5 * Direction::Diagonal.stride() as usize;

impl Board {
    /// Updates the threats around `c`, whose content has just changed.
    #[inline]
    pub(super) fn update_around<const RADIUS: usize>(&mut self, c: Coord) -> Changes {
        let mut differences = [0; 64];
        let mut bits = self.compare_line::<RADIUS, 0>(c, &mut differences);
        bits |= self.compare_line::<RADIUS, 1>(c, &mut differences);
        bits |= self.compare_line::<RADIUS, 2>(c, &mut differences);
        bits |= self.compare_line::<RADIUS, 3>(c, &mut differences);
        let Board { threats, counts, tables, saved, .. } = self;
        let start = saved.len();
        let mut in_sets = 0;
        // Counting in place would make each change wait for the last one.
        let [mut fewer, mut more] = [[[0_u8; Threat::RANKS]; 2]; 2];
        // With a known length the list grows only once.
        saved.extend((0..bits.count_ones()).map(|number| {
            let bit = bits.trailing_zeros() as usize % 64;
            bits &= bits - 1;
            let cell = LineCells::<RADIUS>::ALL[bit];
            let index = c.index().wrapping_add_signed(cell.offset.into());
            let c = Coord::from_index(index % CELLS);
            let old = threats[c.index()];
            let shapes = old.shapes.changed(cell.direction, differences[bit]);
            let new = CellThreats::of(shapes, tables);
            threats[c.index()] = new;
            for color in Color::ALL {
                fewer[color][old.rank(color)] += 1;
                more[color][new.rank(color)] += 1;
            }
            in_sets |= u64::from(old.has_any_cell_set(new)) << number;
            (c, old)
        }));
        for color in Color::ALL {
            for (rank, count) in counts[color].iter_mut().enumerate() {
                *count = *count + u16::from(more[color][rank]) - u16::from(fewer[color][rank]);
            }
        }
        let changes = Changes { start, in_sets };
        self.exchange_sets(changes);
        changes
    }

    /// Looks up the windows of a direction (a constant, for constant shifts). Returns the bits of
    /// the empty cells whose windows have changed, and sets their differences.
    #[inline(always)]
    fn compare_line<const RADIUS: usize, const DIRECTION: usize>(
        &self,
        c: Coord,
        differences: &mut [u8; 64],
    ) -> u64 {
        let direction = Direction::ALL[DIRECTION];
        let first_bit = FIRST_CELL_BITS[DIRECTION];
        let windows = self.tables.windows::<RADIUS>();
        let span = self.lines.line(c, direction).span(RADIUS);
        // Known length and places, so that no index is checked.
        let around: &[CellThreats; AROUND] = self.threats[c.index() - MIDDLE..]
            .first_chunk()
            .expect("invariant: five cells to all sides are on the field");
        let first_cell = MIDDLE - RADIUS * direction.stride() as usize;
        let mut differ = 0;
        // Two plain loops are unrolled.
        for first in [0, RADIUS + 1] {
            for place in first..first + RADIUS {
                let old = around[first_cell + place * direction.stride() as usize];
                let difference = windows[span.window(place, RADIUS)] ^ old.shapes.window(direction);
                differences[first_bit + 2 * place] = difference;
                differ |= u64::from(difference != 0) << (2 * place);
            }
        }
        (differ & span.empty(RADIUS)) << first_bit
    }

    /// Copies back what [`Board::update_around`] changed, except the counts.
    #[inline]
    pub(super) fn restore_threats(&mut self, changes: Changes) {
        self.exchange_sets(changes);
        for &(c, old) in &self.saved[changes.start..] {
            self.threats[c.index()] = old;
        }
        self.saved.truncate(changes.start);
    }

    /// Moves changed cells between the sets of before and after.
    #[inline]
    fn exchange_sets(&mut self, Changes { start, mut in_sets }: Changes) {
        while in_sets != 0 {
            let number = in_sets.trailing_zeros() as usize;
            in_sets &= in_sets - 1;
            let (c, old) = self.saved[start + number];
            let new = self.threats[c.index()];
            for color in Color::ALL {
                if old.rank(color) != new.rank(color) {
                    self.toggle_set(c, color, old.rank(color));
                    self.toggle_set(c, color, new.rank(color));
                }
            }
        }
    }
}
