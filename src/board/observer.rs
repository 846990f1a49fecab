//! What follows the changes of a board.

use super::CellThreats;
use crate::types::{Cell, Coord};

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
