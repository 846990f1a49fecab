//! The sums that the network needs, updated lazily: a played stone takes effect when a value is
//! asked for.

use std::sync::Arc;

use tengen_gomoku::board::Lines;
use tengen_gomoku::types::{BoardSize, CELLS, Cell, Coord, Direction};

use super::pattern::{HALF_BITS, RADIUS, half_pairs_of_bits};
use super::rows::{CELL_MAX, PatternRows, REGIONS, Regions, region_of, row_of};
use super::simd::{Instructions, Row, Scalar};

const AROUND: usize = 2 * MIDDLE + 1;
/// The index of the stone's own cell in the cells around it.
const MIDDLE: usize = RADIUS * Direction::Diagonal.stride() as usize;
const NEIGHBORS: usize = 2 * RADIUS;

/// The sums after a stone, and what undoing it restores.
#[derive(Clone)]
struct AccumulatorState {
    regions: Regions,
    /// The earlier sums of the stone's cell and of its neighbours in each direction.
    center: Row,
    neighbors: [[Row; NEIGHBORS]; 4],
}

impl AccumulatorState {
    const ZERO: AccumulatorState = AccumulatorState {
        regions: [Row::ZERO; REGIONS],
        center: Row::ZERO,
        neighbors: [[Row::ZERO; NEIGHBORS]; 4],
    };
}

pub struct Accumulator {
    rows: Arc<PatternRows>,
    half_pairs: &'static [u16; 1 << (2 * HALF_BITS)],
    /// The lines with the applied stones.
    lines: Lines,
    /// For each cell the sum of its four rows when [`Accumulator::regions`] was last asked; zero for
    /// a wall.
    pub cells: Box<[Row; CELLS]>,
    region: Box<[u8; CELLS]>,
    /// Stones and walls placed since the accumulator was created, oldest first.
    stones: Vec<(Coord, Cell)>,
    /// The number of stones whose effect is in the sums.
    applied: usize,
    /// The sums before the first stone and after each applied one; the rest is spare.
    states: Vec<AccumulatorState>,
}

impl Accumulator {
    pub fn new(rows: &Arc<PatternRows>, size: BoardSize, lines: &Lines) -> Accumulator {
        let half_pairs = half_pairs_of_bits();
        let mut cells: Box<[Row; CELLS]> =
            vec![Row::ZERO; CELLS].try_into().expect("invariant: the length is fixed");
        let mut region_of_cell = Box::new([0; CELLS]);
        let mut first = AccumulatorState::ZERO;
        for c in size.cells() {
            let sum = &mut cells[c.index()];
            for direction in Direction::ALL {
                let window = lines.line(c, direction).bits_from(RADIUS);
                let halves = halves_of(window);
                let row = row_of(
                    rows,
                    half_pairs[halves % half_pairs.len()],
                    (window >> HALF_BITS) as usize,
                );
                *sum = Scalar::add_sub(sum, &Row::ZERO, row);
            }
            let region = region_of(size, c.x(), c.y());
            region_of_cell[c.index()] = region as u8;
            Scalar::update_clipped(&mut first.regions[region], &Row::ZERO, sum, CELL_MAX);
        }
        let mut states = Vec::with_capacity(size.area() + 1);
        states.push(first);
        let (rows, lines, region) = (Arc::clone(rows), *lines, region_of_cell);
        let stones = Vec::with_capacity(size.area());
        Accumulator { rows, half_pairs, lines, cells, region, stones, applied: 0, states }
    }

    #[inline]
    pub fn place(&mut self, c: Coord, cell: Cell) {
        self.stones.push((c, cell));
    }

    #[inline]
    pub fn undo(&mut self) {
        if let Some((c, cell)) = self.stones.pop()
            && self.applied > self.stones.len()
        {
            self.revert(c, cell);
        }
    }

    fn revert(&mut self, c: Coord, cell: Cell) {
        let state = &self.states[self.applied];
        self.applied -= 1;
        self.lines.change(c, cell, Cell::Empty);
        let around = around_mut(&mut self.cells, c);
        around[MIDDLE] = state.center;
        for (direction, neighbors) in Direction::ALL.into_iter().zip(&state.neighbors) {
            for (number, &sum) in neighbors.iter().enumerate() {
                around[place_of(direction, number)] = sum;
            }
        }
    }

    #[inline(always)]
    pub fn regions<I: Instructions>(&mut self) -> &Regions {
        while self.applied < self.stones.len() {
            let (c, cell) = self.stones[self.applied];
            self.apply::<I>(c, cell);
        }
        &self.states[self.applied].regions
    }

    #[inline(always)]
    fn apply<I: Instructions>(&mut self, c: Coord, cell: Cell) {
        self.lines.change(c, Cell::Empty, cell);
        self.applied += 1;
        if self.states.len() == self.applied {
            self.states.push(AccumulatorState::ZERO);
        }
        let [before, state] = &mut self.states[self.applied - 1..=self.applied] else {
            unreachable!("invariant: two states")
        };
        let cells = around_mut(&mut self.cells, c);
        state.regions = before.regions;
        state.center = cells[MIDDLE];
        let mut update = StoneUpdate {
            rows: &self.rows,
            half_pairs: self.half_pairs,
            lines: &self.lines,
            c,
            cell,
            center: cells[MIDDLE],
            cells,
            region: around(&self.region, c),
            state,
        };
        update.change_line::<I, 0>();
        update.change_line::<I, 1>();
        update.change_line::<I, 2>();
        update.change_line::<I, 3>();
        update.cells[MIDDLE] = update.center;
        let total = &mut update.state.regions[usize::from(update.region[MIDDLE])];
        I::update_clipped(total, &update.state.center, &update.center, CELL_MAX);
    }
}

struct StoneUpdate<'a> {
    rows: &'a PatternRows,
    half_pairs: &'a [u16; 1 << (2 * HALF_BITS)],
    lines: &'a Lines,
    c: Coord,
    cell: Cell,
    center: Row,
    cells: &'a mut [Row; AROUND],
    region: &'a [u8; AROUND],
    state: &'a mut AccumulatorState,
}

/// Returns the bits of the half before a cell and, above them, those of the half after it.
#[inline(always)]
fn halves_of(window: u64) -> usize {
    const HALF: u64 = (1 << HALF_BITS) - 1;
    (window & HALF | window >> 2 & HALF << HALF_BITS) as usize
}

impl StoneUpdate<'_> {
    /// Updates the cells of a direction. All numbers are constants, so that no index is checked.
    #[inline(always)]
    fn change_line<I: Instructions, const DIRECTION: usize>(&mut self) {
        // The stone is cell 2 * RADIUS of the span.
        let span = self.lines.line(self.c, Direction::ALL[DIRECTION]).bits_from(2 * RADIUS);
        let window = span >> (2 * RADIUS);
        let halves = halves_of(window);
        let half_pair = self.half_pairs[halves % self.half_pairs.len()];
        let old = row_of(self.rows, half_pair, Cell::Empty as usize);
        let new = row_of(self.rows, half_pair, self.cell as usize);
        self.center = I::add_sub(&self.center, old, new);
        self.change_neighbor::<I, DIRECTION, 0>(span);
        self.change_neighbor::<I, DIRECTION, 1>(span);
        self.change_neighbor::<I, DIRECTION, 2>(span);
        self.change_neighbor::<I, DIRECTION, 3>(span);
        self.change_neighbor::<I, DIRECTION, 4>(span);
        self.change_neighbor::<I, DIRECTION, 5>(span);
        self.change_neighbor::<I, DIRECTION, 6>(span);
        self.change_neighbor::<I, DIRECTION, 7>(span);
        const { assert!(NEIGHBORS == 8) };
    }

    #[inline(always)]
    fn change_neighbor<I: Instructions, const DIRECTION: usize, const NUMBER: usize>(
        &mut self,
        span: u64,
    ) {
        let place = const { place_of(Direction::ALL[DIRECTION], NUMBER) };
        // `first`: start of the neighbour's window. The halves skip the centre, so a stone behind it
        // moves down one place.
        let first = NUMBER + NUMBER / RADIUS;
        let stone = 2 * RADIUS - first - usize::from(NUMBER < RADIUS);
        let window = span >> (2 * first);
        let new = halves_of(window);
        let old = new ^ ((self.cell as usize ^ Cell::Empty as usize) << (2 * stone));
        let content = (window >> HALF_BITS) as usize;
        let old = row_of(self.rows, self.half_pairs[old % self.half_pairs.len()], content);
        let new = row_of(self.rows, self.half_pairs[new % self.half_pairs.len()], content);
        let before = self.cells[place];
        let after = I::add_sub(&before, old, new);
        self.state.neighbors[DIRECTION][NUMBER] = before;
        self.cells[place] = after;
        let total = &mut self.state.regions[usize::from(self.region[place])];
        I::update_clipped(total, &before, &after, CELL_MAX);
    }
}

const fn place_of(direction: Direction, number: usize) -> usize {
    let steps = number + number / RADIUS;
    (MIDDLE + steps * direction.stride() as usize) - RADIUS * direction.stride() as usize
}

fn around<T>(cells: &[T; CELLS], c: Coord) -> &[T; AROUND] {
    let first = c.index() - MIDDLE;
    cells[first..].first_chunk().expect("invariant: four cells to all sides are on the field")
}

fn around_mut<T>(cells: &mut [T; CELLS], c: Coord) -> &mut [T; AROUND] {
    let first = c.index() - MIDDLE;
    cells[first..].first_chunk_mut().expect("invariant: four cells to all sides are on the field")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::network::Network;
    use tengen_gomoku::types::Rule;

    /// Stones and walls come and go, and now and then the sums are compared with new ones.
    #[test]
    fn sums_equal_those_of_a_new_accumulator() {
        let network = Network::of(Rule::Freestyle);
        let rows = &network.rows;
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..40 {
            let size = BoardSize::new(rng.u8(5..=22), rng.u8(5..=22)).expect("a valid size");
            let mut lines = Lines::walls();
            size.cells().for_each(|c| lines.change(c, Cell::Wall, Cell::Empty));
            let mut accumulator = Accumulator::new(rows, size, &lines);
            let mut free: Vec<Coord> = size.cells().collect();
            let mut placed = Vec::new();
            for _ in 0..2500 {
                let goes_on = rng.usize(0..size.area() + 1) > placed.len();
                match rng.u8(0..8) {
                    0 => {
                        let sums = *accumulator.regions::<Scalar>();
                        let mut fresh = Accumulator::new(rows, size, &lines);
                        assert_eq!(sums, *fresh.regions::<Scalar>(), "{size:?}");
                        assert_eq!(accumulator.cells, fresh.cells, "{size:?}");
                    }
                    1..=4 if goes_on && !free.is_empty() => {
                        let c = free.swap_remove(rng.usize(..free.len()));
                        let cell = [Cell::Black, Cell::White, Cell::Wall][rng.usize(0..21) / 10];
                        lines.change(c, Cell::Empty, cell);
                        accumulator.place(c, cell);
                        placed.push((c, cell));
                    }
                    _ => {
                        let Some((c, cell)) = placed.pop() else { continue };
                        lines.change(c, cell, Cell::Empty);
                        accumulator.undo();
                        free.push(c);
                    }
                }
            }
        }
    }
}
