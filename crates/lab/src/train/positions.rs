//! Positions to learn from: games read and played over once, kept as the moves that lead to them.

use tengen::eval::pattern::{HALVES, Pattern, RADIUS};
use tengen::eval::rows::region_of;
use tengen_gomoku::board::Board;
use tengen_gomoku::types::{BoardSize, Coord, Rule};
use tengen_lab::{Example, TrainingGame};

/// A position with what is to be learned of it.
#[derive(Clone, Copy)]
pub struct LabelledPosition<L> {
    /// The index of its first move.
    pub start: u32,
    pub plies: u16,
    pub board: u16,
    pub label: L,
}

/// What is to be learned of each position.
pub trait Labels: Sync + Sized {
    type Label: Copy + Send + Sync;

    /// Returns the label of an example, if there is something to learn.
    fn label(&mut self, board: &Board, example: &Example) -> Option<Self::Label>;
}

pub struct Data<O: Labels> {
    pub objective: O,
    boards: Vec<EmptyBoard>,
    /// The moves of games, and those that lead to positions beside them, one after another: column
    /// and row of each.
    moves: Vec<[u8; 2]>,
    pub training: Vec<LabelledPosition<O::Label>>,
    /// What the fit never sees, split off by opening.
    pub held_out: Vec<LabelledPosition<O::Label>>,
    pub games: usize,
}

impl<O: Labels> Data<O> {
    pub fn new(objective: O) -> Data<O> {
        let (boards, moves, training, held_out) = Default::default();
        Data { objective, boards, moves, training, held_out, games: 0 }
    }

    /// Adds the positions of a game, played over under `rule`, that have a label.
    pub fn add(&mut self, game: &TrainingGame, rule: Rule, is_held_out: bool) {
        self.games += 1;
        let mut board = Board::new(game.size, rule);
        let first = self.add_moves(game.size, game.moves.iter());
        for example in game.examples() {
            // The examples of the game come first, in its order.
            while board.stone_count() > example.path.len() {
                board.undo();
            }
            for &mv in &example.path[board.stone_count()..] {
                board.play(mv);
            }
            example.line.iter().for_each(|&mv| board.play(mv));
            if let Some(label) = self.objective.label(&board, &example) {
                let (start, of_size) = match example.line {
                    [] => first,
                    line => self.add_moves(game.size, example.path.iter().chain(line)),
                };
                let plies = board.stone_count() as u16;
                let split = if is_held_out { &mut self.held_out } else { &mut self.training };
                split.push(LabelledPosition { start, plies, board: of_size, label });
            }
            example.line.iter().for_each(|_| board.undo());
        }
    }

    /// Adds moves, and returns the index of the first one and that of the board.
    fn add_moves<'a>(
        &mut self,
        size: BoardSize,
        moves: impl Iterator<Item = &'a Coord>,
    ) -> (u32, u16) {
        let board = self.boards.iter().position(|board| board.size == size);
        let board = board.unwrap_or_else(|| {
            self.boards.push(EmptyBoard::new(size));
            self.boards.len() - 1
        });
        let start = u32::try_from(self.moves.len()).expect("invariant: moves fit the memory");
        self.moves.extend(moves.map(|mv| [mv.x(), mv.y()]));
        (start, board as u16)
    }

    /// Returns the board of a position and its stones in the order of play, column and row each.
    pub fn stones(&self, position: &LabelledPosition<O::Label>) -> (&EmptyBoard, &[[u8; 2]]) {
        let stones = &self.moves[position.start as usize..][..usize::from(position.plies)];
        (&self.boards[usize::from(position.board)], stones)
    }

    pub fn board(&self, position: &LabelledPosition<O::Label>, rule: Rule) -> Board {
        let (empty, stones) = self.stones(position);
        Board::from_moves(empty.size, rule, stones.iter().map(|&[x, y]| Coord::new(x, y)))
    }
}

/// The patterns of a board of one size without stones, and the region of each cell.
pub struct EmptyBoard {
    pub size: BoardSize,
    patterns: Vec<u32>,
    pub region: Vec<u8>,
}

const STEPS: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

impl EmptyBoard {
    pub fn new(size: BoardSize) -> EmptyBoard {
        let mut patterns = Vec::new();
        let mut region = Vec::new();
        for c in size.cells() {
            let (x, y) = (c.x() as isize, c.y() as isize);
            for (dx, dy) in STEPS {
                let length = |sign: isize| {
                    let steps = (1..=RADIUS as isize).map(|k| sign * k);
                    steps.map_while(|k| cell(size, x + k * dx, y + k * dy)).count()
                };
                patterns.push(Pattern::stone_free(length(-1), length(1)).index() as u32);
            }
            region.push(region_of(size, c.x(), c.y()) as u8);
        }
        EmptyBoard { size, patterns, region }
    }

    /// Sets `patterns` to those of a position, four a cell, row by row: as black sees them, or the
    /// side to move if `is_relative`.
    pub fn patterns(&self, stones: &[[u8; 2]], is_relative: bool, patterns: &mut Vec<u32>) {
        patterns.clear();
        patterns.extend_from_slice(&self.patterns);
        for (ply, &[x, y]) in stones.iter().enumerate() {
            // 1 for black or the side to move, 2 for the other.
            let digit = match is_relative {
                true => 1 + (stones.len() - ply) as u32 % 2,
                false => 1 + ply as u32 % 2,
            };
            let (x, y) = (x as isize, y as isize);
            for (direction, (dx, dy)) in STEPS.into_iter().enumerate() {
                for k in -(RADIUS as isize)..=RADIUS as isize {
                    let Some(cell) = cell(self.size, x + k * dx, y + k * dy) else { continue };
                    let weight = match k {
                        0 => 1,
                        // The stone lies after the cell.
                        ..0 => 3 * 3u32.pow((-k - 1) as u32),
                        1.. => 3 * HALVES as u32 * 3u32.pow((k - 1) as u32),
                    };
                    patterns[cell * 4 + direction] += digit * weight;
                }
            }
        }
    }
}

/// Returns the number of the cell in this column and row, row by row, if it is on the board.
pub fn cell(size: BoardSize, x: isize, y: isize) -> Option<usize> {
    let (width, height) = (size.width() as isize, size.height() as isize);
    let is_on = (0..width).contains(&x) && (0..height).contains(&y);
    is_on.then_some((y * width + x) as usize)
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::train::value::{ValueLabel, ValueObjective};
    use tengen::score::Bound;
    use tengen_gomoku::record::Outcome;
    use tengen_gomoku::types::Random;
    use tengen_lab::TrainingGame;

    /// Returns random positions, half of them held out: the side to move wins where it has a stone
    /// in the middle of the board.
    pub fn random_positions(seed: u64, count: usize) -> Data<ValueObjective> {
        let mut random = Random::new(seed);
        let mut data = Data::new(ValueObjective { result_weight: 0.5 });
        let size = BoardSize::new(7, 7).unwrap();
        for number in 0..count {
            let mut cells: Vec<Coord> = size.cells().filter(|&c| c != size.center()).collect();
            random.shuffle(&mut cells);
            let plies = 4 + random.below(8);
            let wins = random.below(2) == 0;
            // The stone in the middle came an even number of plies ago if it is the mover's.
            cells[plies - 1 - usize::from(wins)] = size.center();
            let (start, board) = data.add_moves(size, cells[..plies].iter());
            let target = f32::from(u8::from(wins));
            let (plies, bound) = (plies as u16, Bound::Exact);
            let half_points = Some(2 * u8::from(wins));
            let label = ValueLabel { bound, target, half_points, counts: 0 };
            let position = LabelledPosition { start, plies, board, label };
            let split = if number % 2 == 0 { &mut data.training } else { &mut data.held_out };
            split.push(position);
        }
        data
    }

    #[test]
    fn no_opening_is_both_learned_from_and_held_out() {
        let size = BoardSize::new(15, 15).unwrap();
        let mut random = Random::new(3);
        for _ in 0..200 {
            let mut cells: Vec<Coord> = size.cells().collect();
            random.shuffle(&mut cells);
            let game = |moves: Vec<Coord>| TrainingGame {
                number: 0,
                rule: Rule::Freestyle,
                size,
                opening: 5,
                outcome: Outcome::Drawn,
                moves,
                labels: Vec::new(),
                samples: Vec::new(),
            };
            // The same opening turned by a half, another way through it, and other moves behind it.
            let turned = |mv: &Coord| Coord::new(14 - mv.x(), 14 - mv.y());
            let [a, b, c, d, e, f] = *cells.first_chunk().unwrap();
            let images = [
                vec![c, b, a, d, e, f],
                cells[..8].to_vec(),
                [a, b, c, d, e].iter().map(turned).collect(),
            ];
            let first = game(vec![a, b, c, d, e]).is_held_out();
            assert!(images.into_iter().all(|moves| game(moves).is_held_out() == first));
        }
    }

    #[test]
    fn stones_are_those_of_the_sequence() {
        let data = random_positions(1, 10);
        for position in &data.training {
            let (_, stones) = data.stones(position);
            assert_eq!(stones.len(), usize::from(position.plies));
            let middle = stones.iter().position(|&stone| stone == [3, 3]).unwrap();
            let is_own = (stones.len() - middle).is_multiple_of(2);
            assert_eq!(is_own, position.label.target > 0.5);
        }
    }

    #[test]
    fn patterns_are_those_of_the_cells() {
        let size = BoardSize::new(9, 7).unwrap();
        let board = EmptyBoard::new(size);
        let mut patterns = Vec::new();
        // Black at c2, white at d2, black at i7.
        let stones = [[2, 1], [3, 1], [8, 6]];
        board.patterns(&stones, false, &mut patterns);
        let along_row =
            |x: usize, y: usize| Pattern::from_index(patterns[4 * (9 * y + x)] as usize);
        assert_eq!((along_row(2, 1).center, along_row(3, 1).center), (1, 2));
        // From a2 on: one cell of the row's beginning is empty, then black, white and an empty one.
        let half = |digits: &[usize]| {
            let length = digits.len() as u32;
            let number = digits.iter().rev().fold(0, |sum, digit| 3 * sum + digit);
            (3usize.pow(length) - 1) / 2 + number
        };
        let first = along_row(0, 1);
        assert_eq!((first.before, first.after), (half(&[]), half(&[0, 1, 2, 0])));
        let mut relative = Vec::new();
        board.patterns(&stones, true, &mut relative);
        let swapped = |index: &u32| Pattern::from_index(*index as usize).swapped().index() as u32;
        assert!(relative.iter().eq(&patterns.iter().map(swapped).collect::<Vec<u32>>()));
    }
}
