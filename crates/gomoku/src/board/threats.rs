//! The threats of all empty cells, counted and in sets. Occupied cells keep their values, which are
//! valid again when the stone is gone.
//!
//! A stone changes the windows that include it, at most ten cells a direction. All windows are
//! looked up first, without a branch that could be mispredicted; then one loop visits those that
//! changed, and saves the old values for undo.

use super::Board;
use crate::shape::{CellShapes, PackedThreat, RuleTables, Shape, ShapeCode, Threat};
use crate::types::{CELLS, Cell, Color, Coord, CoordSet, Direction, Rule};

/// What an empty cell offers to both colors: shapes, and the threats they combine to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellThreats {
    pub(super) shapes: CellShapes,
    packed: [PackedThreat; 2],
}

impl CellThreats {
    pub(super) const NONE: CellThreats =
        CellThreats { shapes: CellShapes::DEAD, packed: [PackedThreat::DEAD; 2] };

    #[inline]
    pub(super) fn of(shapes: CellShapes, tables: &RuleTables) -> CellThreats {
        let packed = Color::ALL.map(|color| tables.packed_threat(color, shapes));
        CellThreats { shapes, packed }
    }

    #[doc(hidden)]
    pub fn code(&self, color: Color) -> ShapeCode {
        self.packed[color].code()
    }

    pub fn threat(&self, color: Color) -> Threat {
        self.packed[color].threat()
    }

    #[inline]
    pub(super) fn rank(self, color: Color) -> usize {
        self.packed[color].rank()
    }

    /// Returns the shape that a stone of `color` would make in one direction.
    pub fn shape(&self, color: Color, direction: Direction) -> Shape {
        self.shapes.shape(color, direction)
    }

    /// Returns true if a stone of `color` would make a four or more in some direction.
    pub fn makes_four(&self, color: Color) -> bool {
        Direction::ALL.into_iter().any(|direction| self.shape(color, direction) >= Shape::Four)
    }

    /// Returns true if the cell offers no threat to either color.
    #[doc(hidden)]
    #[inline]
    pub fn is_threatless(&self) -> bool {
        self.packed.iter().all(|packed| packed.rank() == 0)
    }

    /// Returns true if the board keeps a cell set of any threat of the two.
    #[inline]
    pub(super) fn has_any_cell_set(self, other: CellThreats) -> bool {
        let mut all = self.packed.into_iter().chain(other.packed);
        all.any(|packed| Threat::rank_has_cell_set(packed.rank()))
    }
}

const _: () = assert!(Threat::None.rank() == 0);

impl Board {
    #[inline]
    pub fn threats(&self, c: Coord) -> &CellThreats {
        &self.threats[c.index()]
    }

    /// Returns true if no five is possible any more for either color, and under renju no overline
    /// of black, who may have no other move. A five on forbidden points only counts as possible.
    #[inline]
    pub fn is_dead(&self) -> bool {
        let is_room = |cell| matches!(cell, Cell::Black | Cell::Empty);
        let has_room_for_overline =
            || self.empty.into_iter().any(|c| self.has_six_through(c, is_room));
        self.empty.into_iter().all(|c| self.threats(c).shapes == CellShapes::DEAD)
            && !(self.rule == Rule::Renju && has_room_for_overline())
    }

    /// Returns what a stone of `color` on an empty cell would make.
    pub fn threat(&self, c: Coord, color: Color) -> Threat {
        self.threats(c).threat(color)
    }

    /// Returns the number of empty cells that offer `color` exactly this threat.
    #[inline]
    pub fn count(&self, color: Color, threat: Threat) -> usize {
        self.counts[color][threat.rank()] as usize
    }

    #[doc(hidden)]
    #[inline]
    pub fn counts(&self, color: Color) -> &[u16; Threat::RANKS] {
        &self.counts[color]
    }

    /// Returns the number of empty cells that offer `color` at least this threat.
    pub fn count_from(&self, color: Color, least: Threat) -> usize {
        Threat::ALL[least as usize..].iter().map(|&threat| self.count(color, threat)).sum()
    }

    /// Returns the cells that offer `color` this threat: `Forbidden`, or `DoubleThree` or more.
    #[inline]
    pub fn cells_with(&self, color: Color, threat: Threat) -> &CoordSet {
        debug_assert!(Threat::rank_has_cell_set(threat.rank()));
        &self.with_threat[color][threat.rank()]
    }

    /// Returns the empty cells that offer `color` at least this threat: `DoubleThree` or more.
    pub fn cells_from(&self, color: Color, least: Threat) -> CoordSet {
        let mut cells = CoordSet::EMPTY;
        for threat in &Threat::ALL[least as usize..] {
            if self.count(color, *threat) > 0 {
                cells = cells | *self.cells_with(color, *threat);
            }
        }
        cells
    }

    /// Returns true if `color` may make a four, perhaps on a cell that looks forbidden.
    pub fn can_make_four(&self, color: Color) -> bool {
        self.count_from(color, Threat::Four) + self.count(color, Threat::Forbidden) > 0
    }

    /// Returns the cells where `color` makes a four; some may be forbidden.
    pub fn four_cells(&self, color: Color) -> CoordSet {
        let mut cells = self.cells_from(color, Threat::Four);
        if self.count(color, Threat::Forbidden) > 0 {
            let flagged = self.cells_with(color, Threat::Forbidden);
            for c in flagged.into_iter().filter(|&c| self.threats(c).makes_four(color)) {
                cells.insert(c);
            }
        }
        cells
    }

    /// Returns an upper bound of the plies to the five of the side to move, if the threats on the
    /// board show that it wins:
    ///
    /// - 1 with a five;
    /// - 3 with an open four, unless the opponent has a five;
    /// - 5 with a four that makes an open three, or with two open threes, unless the opponent has a
    ///   five or can gain time by a four. Black's four with an open three under renju is left out:
    ///   the cells that make the open four may be forbidden.
    #[inline]
    pub fn win_by_threats(&self) -> Option<i32> {
        let (us, them) = (self.side_to_move, !self.side_to_move);
        if self.count(us, Threat::Five) > 0 {
            return Some(1);
        }
        if self.count(them, Threat::Five) > 0 {
            return None;
        }
        if self.count(us, Threat::OpenFour) > 0 {
            return Some(3);
        }
        let may_be_forbidden = self.rule == Rule::Renju && us == Color::Black;
        let has_four_three = self.count(us, Threat::FourThree) > 0 && !may_be_forbidden;
        let has_double_threat = has_four_three || self.count(us, Threat::DoubleThree) > 0;
        (has_double_threat && !self.can_make_four(them)).then_some(5)
    }

    #[inline]
    pub(super) fn count_out(&mut self, c: Coord) {
        for color in Color::ALL {
            let rank = self.threats(c).rank(color);
            self.counts[color][rank] -= 1;
        }
        self.toggle_sets(c);
    }

    #[inline]
    pub(super) fn toggle_sets(&mut self, c: Coord) {
        for color in Color::ALL {
            self.toggle_set(c, color, self.threats(c).rank(color));
        }
    }

    #[inline]
    pub(super) fn toggle_set(&mut self, c: Coord, color: Color, rank: usize) {
        if Threat::rank_has_cell_set(rank) {
            self.with_threat[color][rank].toggle(c);
        }
    }

    /// Sets and counts the threats of a cell of a new board.
    pub(super) fn add_cell(&mut self, c: Coord) {
        let shapes = Direction::ALL.into_iter().fold(CellShapes::DEAD, |shapes, direction| {
            let window = self.lines.line(c, direction).window(0, self.tables.radius);
            shapes.with(direction, self.tables.window(window))
        });
        self.threats[c.index()] = CellThreats::of(shapes, self.tables);
        for color in Color::ALL {
            let rank = self.threats(c).rank(color);
            self.counts[color][rank] += 1;
        }
        self.toggle_sets(c);
    }
}

pub(super) type Saved = (Coord, CellThreats);

#[derive(Clone, Copy)]
pub(super) struct Changes {
    start: usize,
    /// A bit for each change of a cell in a cell set before or after.
    in_sets: u64,
}

#[derive(Clone, Copy)]
struct LineCell {
    offset: i16,
    direction: Direction,
}

/// The bit of each direction's first cell, the farthest before the stone; the next one is two bits
/// on. Two directions share a half of the 64 bits, interleaved.
const FIRST_CELL_BITS: [usize; 4] = [0, 1, 32, 33];

/// Returns the cells, by bit, whose windows of so many cells a side may include a stone.
const fn line_cells(radius: usize) -> [LineCell; 64] {
    let mut cells = [LineCell { offset: 0, direction: Direction::Horizontal }; 64];
    let mut bit = 0;
    while bit < 64 {
        let direction = Direction::ALL[bit / 32 * 2 + bit % 2];
        let steps = (bit % 32 / 2) as isize - radius as isize;
        cells[bit] = LineCell { offset: (steps * direction.stride()) as i16, direction };
        bit += 1;
    }
    cells
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
            let cell = const { &line_cells(RADIUS) }[bit];
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_open_threes_are_a_double_three_and_forbidden_to_black_under_renju() {
        let c = Coord::new(7, 7);
        let board = Board::after(15, Rule::Freestyle, "f8a15g8o15h9a8h10o8");
        let threats = board.threats(c);
        assert_eq!(threats.shape(Color::Black, Direction::Horizontal), Shape::OpenThree);
        assert_eq!(threats.shape(Color::Black, Direction::Diagonal), Shape::OpenOne);
        assert_eq!(threats.threat(Color::Black), Threat::DoubleThree);
        let board = Board::after(15, Rule::Renju, "f8a15g8o15h9a8h10o8");
        assert!(board.is_forbidden(c) && board.is_legal(c, Color::White));
        assert!(!board.legal_cells(board.candidates(), Color::Black).contains(c));
    }

    #[test]
    fn a_position_is_dead_when_every_line_has_both_colors() {
        assert!(!Board::after(5, Rule::Freestyle, "").is_dead());
        assert!(Board::after(5, Rule::Freestyle, "a1a2b3b4c5c1d2d3e4e5").is_dead());
    }

    #[test]
    fn threats_decide_by_what_the_opponent_can_do_first() {
        let plies = |rule, moves: &str| Board::after(15, rule, moves).win_by_threats();
        for (moves, expected) in [
            ("h8a1i9", None),
            // A four, for its owner and before his opponent.
            ("h8a1h9a3h10a5h11a7", Some(1)),
            ("h8a1h9a3h10a5h11", None),
            // An open three, and one against a four.
            ("h8a1h9a3h10a5", Some(3)),
            ("h8a1h9a2h10a3o15a4", None),
            // A four with an open three at h8, and one against a three.
            ("e8h7f8a3g8a5h9a7h10h11", Some(3)),
            ("d8c8e8a15f8o15h9a8h10o8", Some(5)),
            ("d8c8e8a15f8a14h9a13h10o8", None),
            // Two open threes at h8.
            ("f8a15g8o15h9a8h10o8", Some(5)),
            ("f8a15g8a14h9a13h10o8", None),
        ] {
            assert_eq!(plies(Rule::Freestyle, moves), expected, "{moves}");
        }
        // Black's two threes are forbidden, and his four with a three may come to nothing.
        assert_eq!(plies(Rule::Renju, "f8a15g8o15h9a8h10o8"), None);
        assert_eq!(plies(Rule::Renju, "d8c8e8a15f8o15h9a8h10o8"), None);
        assert_eq!(plies(Rule::Renju, "a8d8c8e8a15f8o15h9o8h10o1"), Some(5));
    }
}
