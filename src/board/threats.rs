//! The threats of every empty cell, counted and listed, and the questions that they answer.
//!
//! Occupied cells keep the values from before their stone, which are right again once it is gone.
//! Nothing is searched here: each answer is one look at the counts, the sets or a few windows.

use super::Board;
use crate::shape::{CellShapes, Code, Combination, RuleTables, Shape, Threat};
use crate::types::{Cell, CellSet, Color, Coord, Direction, Rule};

/// What one empty cell offers to both colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellThreats {
    shapes: CellShapes,
    /// What black's shapes combine to in the low half, and white's in the high one, so that both
    /// are compared at once.
    combinations: u32,
}

impl CellThreats {
    /// Four dead lines for both colours: the value of wall cells.
    pub(super) const NONE: CellThreats =
        CellThreats::new(CellShapes::DEAD, [Combination::DEAD, Combination::DEAD]);

    const fn new(shapes: CellShapes, [black, white]: [Combination; 2]) -> CellThreats {
        CellThreats { shapes, combinations: black.bits() as u32 | (white.bits() as u32) << 16 }
    }

    /// Returns the threats of a cell with these shapes.
    #[inline]
    pub(super) fn of(shapes: CellShapes, tables: &RuleTables) -> CellThreats {
        CellThreats::new(shapes, Color::ALL.map(|color| tables.combination(color, shapes)))
    }

    #[inline]
    pub(super) const fn shapes(self) -> CellShapes {
        self.shapes
    }

    #[inline]
    const fn combination(self, color: Color) -> Combination {
        Combination::from_bits((self.combinations >> (16 * color as u32)) as u16)
    }

    /// Returns the number of the shape combination that a stone of `color` would make.
    #[inline]
    pub fn code(&self, color: Color) -> Code {
        self.combination(color).code()
    }

    /// Returns the threat that a stone of `color` would make.
    #[inline]
    pub fn threat(&self, color: Color) -> Threat {
        self.combination(color).threat()
    }

    /// Returns the rank of the threat that a stone of `color` would make.
    #[inline]
    pub(super) fn rank(self, color: Color) -> usize {
        self.combination(color).rank()
    }

    /// Returns the shape that a stone of `color` would make in one direction.
    #[inline]
    pub fn shape(&self, color: Color, direction: Direction) -> Shape {
        self.shapes().shape(color, direction)
    }

    /// Returns true if a stone of `color` would make a four or more in some direction.
    pub fn makes_four(&self, color: Color) -> bool {
        Direction::ALL.into_iter().any(|direction| self.shape(color, direction) >= Shape::Four)
    }

    /// Returns true if the threat of both colours here is [`Threat::None`].
    #[inline]
    pub fn is_trivial(&self) -> bool {
        self.combinations & EACH_RANK == 0
    }

    /// Returns true if these threats or those have a listed one.
    #[inline]
    pub(super) const fn is_any_listed(self, other: CellThreats) -> bool {
        (self.combinations | other.combinations) & EACH_LISTED != 0
    }
}

/// The bits of both ranks, and those that the ranks of listed threats have set.
const EACH_RANK: u32 = Combination::RANK_BITS as u32 * 0x1_0001;
const EACH_LISTED: u32 = Combination::LISTED_BIT as u32 * 0x1_0001;

const _: () = assert!(Threat::None.rank() == 0);

/// An object that is told of every change of the board's threats, in the order in which they
/// happen.
///
/// Evaluation sums live behind this trait, so that the board need not know of them; `()` watches
/// nothing.
///
/// ```
/// use tengen::board::{Board, CellThreats, Observer};
/// use tengen::types::{BoardSize, Cell, Coord, Rule};
///
/// #[derive(Default)]
/// struct Changes(usize);
///
/// impl Observer for Changes {
///     fn begin(&mut self, _: Coord, _: Cell, _: &CellThreats) {}
///     fn cell_changed(&mut self, _: Coord, _: &CellThreats, _: &CellThreats) {
///         self.0 += 1;
///     }
///     fn undo(&mut self) {}
/// }
///
/// let size = BoardSize::new(15, 15).unwrap();
/// let mut changes = Changes::default();
/// Board::new(size, Rule::Freestyle).play_with(size.center(), &mut changes);
/// assert_eq!(changes.0, 4 * 8); // four cells to each side on four lines
/// ```
pub trait Observer {
    /// A stone or wall is about to be placed on a cell with these threats, which no longer count.
    fn begin(&mut self, mv: Coord, cell: Cell, threats: &CellThreats);
    /// The threats of an empty cell changed.
    fn cell_changed(&mut self, c: Coord, old: &CellThreats, new: &CellThreats);
    /// The last stone is taken back, with all changes since its `begin`.
    fn undo(&mut self);
}

impl Observer for () {
    #[inline]
    fn begin(&mut self, _: Coord, _: Cell, _: &CellThreats) {}
    #[inline]
    fn cell_changed(&mut self, _: Coord, _: &CellThreats, _: &CellThreats) {}
    #[inline]
    fn undo(&mut self) {}
}

impl Board {
    /// Returns what an empty cell offers to both colours.
    #[inline]
    pub fn threats(&self, c: Coord) -> &CellThreats {
        &self.threats[c.index()]
    }

    /// Returns true if the position is dead: no five can arise on it for either colour, however the
    /// two go on, and under renju no overline of black's, who loses if he has no other move. Where
    /// black's forbidden points alone stand in the way of a five, it counts as alive.
    ///
    /// The first cells looked at are alive in nearly every position, so that this is cheap.
    ///
    /// ```
    /// # use tengen::board::{Board, notation::parse_points};
    /// # use tengen::types::{BoardSize, Rule};
    /// # let size = BoardSize::new(5, 5).unwrap();
    /// let mut board = Board::new(size, Rule::Freestyle);
    /// assert!(!board.is_dead());
    /// // A stone of each colour on every row, column and diagonal.
    /// for mv in parse_points("a1a2b3b4c5c1d2d3e4e5", size).unwrap() {
    ///     board.play(mv);
    /// }
    /// assert!(board.is_dead());
    /// ```
    #[inline]
    pub fn is_dead(&self) -> bool {
        self.empty.into_iter().all(|c| self.threats(c).shapes() == CellShapes::DEAD)
            && !(self.rule == Rule::Renju && self.has_room_for_overline())
    }

    /// Returns true if black stones on empty cells can make a row of six or more.
    fn has_room_for_overline(&self) -> bool {
        let is_room = |cell| matches!(cell, Cell::Black | Cell::Empty);
        self.empty.into_iter().any(|c| self.has_six_through(c, is_room))
    }

    /// Returns the threat that a stone of `color` on the empty cell `c` would make.
    ///
    /// ```
    /// # use tengen::board::{Board, notation::parse_points};
    /// # use tengen::shape::Threat;
    /// # use tengen::types::{BoardSize, Color, Rule};
    /// # let size = BoardSize::new(15, 15).unwrap();
    /// let mut board = Board::new(size, Rule::Freestyle);
    /// for mv in parse_points("f8a15g8o15h9a8h10o8", size).unwrap() {
    ///     board.play(mv);
    /// }
    /// assert_eq!(board.threat(size.center(), Color::Black), Threat::DoubleThree);
    /// assert_eq!(board.count(Color::Black, Threat::DoubleThree), 1);
    /// ```
    #[inline]
    pub fn threat(&self, c: Coord, color: Color) -> Threat {
        self.threats(c).threat(color)
    }

    /// Returns how many empty cells offer `color` exactly this threat.
    #[inline]
    pub fn count(&self, color: Color, threat: Threat) -> usize {
        self.counts[color][threat.rank()] as usize
    }

    /// Returns how many empty cells offer `color` each threat, by [`Threat::rank`].
    #[inline]
    pub(crate) fn counts(&self, color: Color) -> &[u16; Threat::RANKS] {
        &self.counts[color]
    }

    /// Returns how many empty cells offer `color` at least this threat.
    pub fn count_from(&self, color: Color, least: Threat) -> usize {
        Threat::ALL[least as usize..].iter().map(|&threat| self.count(color, threat)).sum()
    }

    /// Returns the empty cells that offer `color` exactly this threat, which must be
    /// [listed](Threat::is_listed).
    #[inline]
    pub fn cells_with(&self, color: Color, threat: Threat) -> &CellSet {
        debug_assert!(threat.is_listed());
        &self.with_threat[color][threat.rank()]
    }

    /// Returns the empty cells that offer `color` at least this threat, which must be a double
    /// three or more: from there on all threats are [listed](Threat::is_listed).
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
    pub fn can_make_four(&self, color: Color) -> bool {
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

    /// Returns after how many plies the side to move makes its five at the latest, if the threats
    /// on the board alone show that it wins:
    ///
    /// - 1 with a five;
    /// - 3 with an open four, unless the opponent has a five;
    /// - 5 with a four that makes an open three, or with two open threes, unless the opponent has a
    ///   five or can gain time by a four. Renju black's four with an open three is left out: the
    ///   fives that follow may be on forbidden points.
    ///
    /// A position without an answer may be won all the same.
    ///
    /// ```
    /// use tengen::board::{Board, notation::parse_points};
    /// use tengen::types::{BoardSize, Rule};
    ///
    /// let size = BoardSize::new(15, 15).unwrap();
    /// let mut board = Board::new(size, Rule::Freestyle);
    /// for mv in parse_points("h8a1h9a3h10a5", size).unwrap() {
    ///     board.play(mv);
    /// }
    /// assert_eq!(board.win_by_threats(), Some(3)); // black makes an open four of his three
    /// ```
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
        let is_bound_by_fouls = self.rule == Rule::Renju && us == Color::Black;
        let has_four_three = self.count(us, Threat::FourThree) > 0 && !is_bound_by_fouls;
        let has_double_threat = has_four_three || self.count(us, Threat::DoubleThree) > 0;
        (has_double_threat && !self.can_make_four(them)).then_some(5)
    }

    /// Puts an empty cell's threats into the counts and sets.
    pub(super) fn count_in(&mut self, c: Coord) {
        for color in Color::ALL {
            let rank = self.threats(c).rank(color);
            self.counts[color][rank] += 1;
        }
        self.toggle_sets(c);
    }

    /// Takes an empty cell's threats out of the counts and sets.
    #[inline]
    pub(super) fn count_out(&mut self, c: Coord) {
        for color in Color::ALL {
            let rank = self.threats(c).rank(color);
            self.counts[color][rank] -= 1;
        }
        self.toggle_sets(c);
    }

    /// Puts an empty cell into the sets of its threats, or takes it out of them.
    #[inline]
    pub(super) fn toggle_sets(&mut self, c: Coord) {
        for color in Color::ALL {
            self.toggle_set(c, color, self.threats(c).rank(color));
        }
    }

    #[inline]
    pub(super) fn toggle_set(&mut self, c: Coord, color: Color, rank: usize) {
        if Threat::is_listed_rank(rank) {
            self.with_threat[color][rank].toggle(c);
        }
    }

    /// Computes one empty cell's threats from the lines alone.
    pub(super) fn threats_from_lines(&self, c: Coord) -> CellThreats {
        let shapes = Direction::ALL.into_iter().fold(CellShapes::DEAD, |shapes, direction| {
            let window = self.lines.line(c, direction).window(0, self.tables.radius);
            shapes.with(direction, self.tables.window(window))
        });
        CellThreats::of(shapes, self.tables)
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
        let radius = self.tables.radius as isize;
        let shapes = self.threats(target).shapes();
        for direction in Direction::ALL {
            if shapes.shape(attacker, direction) < Shape::NarrowThree {
                continue;
            }
            let line = self.lines.line(target, direction);
            for steps in (-radius..=radius).filter(|&steps| steps != 0) {
                if line.cell(steps) != Cell::Empty {
                    continue;
                }
                let blocked = line.with(steps, (!attacker).cell()).window(0, self.tables.radius);
                let left = shapes.with(direction, self.tables.window(blocked));
                if self.tables.combination(attacker, left).threat() < least {
                    cells.insert(target.step(direction, steps));
                }
            }
        }
        cells
    }

    /// Returns the empty cells each of which, taken by the opponent, leaves `attacker` without
    /// any cell of exactly this threat; meaningful if there is one. Cells at which the opponent
    /// merely gains time with a four of his own are not among them.
    ///
    /// ```
    /// # use tengen::board::{Board, notation::parse_points};
    /// # use tengen::shape::Threat;
    /// # use tengen::types::{BoardSize, Color, Rule};
    /// # let size = BoardSize::new(15, 15).unwrap();
    /// let mut board = Board::new(size, Rule::Freestyle);
    /// for mv in parse_points("h8g8i8a1j8a15k8", size).unwrap() {
    ///     board.play(mv);
    /// }
    /// // White's stone on g8 leaves one cell to stop the four.
    /// let answers = board.common_refutations(Color::Black, Threat::Five);
    /// assert_eq!(answers.first().map(|c| c.to_string()), Some("l8".to_owned()));
    /// ```
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
        let radius = self.tables.radius;
        (-4..=4).filter(move |&steps| is_four && line.cell(steps) == Cell::Empty).filter_map(
            move |steps| {
                let shape = self.tables.shape(color, line.window(steps, radius));
                (shape == Shape::Five).then(|| c.step(direction, steps))
            },
        )
    }

    /// Adds the empty cells where a stone of `color` turns `c` into a cell that offers `color` a
    /// four.
    pub fn add_four_preparations(&self, c: Coord, color: Color, cells: &mut CellSet) {
        let radius = self.tables.radius as isize;
        for direction in Direction::ALL {
            let line = self.lines.line(c, direction);
            for steps in (-radius..=radius).filter(|&steps| steps != 0) {
                if line.cell(steps) != Cell::Empty {
                    continue;
                }
                let window = line.with(steps, color.cell()).window(0, self.tables.radius);
                if self.tables.shape(color, window) >= Shape::Four {
                    cells.insert(c.step(direction, steps));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
