//! Training positions: games read and played over once, kept as the moves that lead to them.

use std::path::PathBuf;

use anyhow::ensure;
use tengen::eval::network::region_of;
use tengen::eval::pattern::{HALVES, Pattern, RADIUS};
use tengen::eval::threat_counts::threat_counts;
use tengen::eval::win_rate::Curve;
use tengen::score::{Bound, ScoreKind};
use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{BoardSize, Coord, Rule};
use tengen_lab::{Example, read_files};

#[derive(Clone, Copy)]
pub struct TrainingPosition {
    pub sequence: u32,
    pub plies: u16,
    /// Whether the probability is the target itself, or bounds it.
    pub bound: Bound,
    /// The probability that the side to move wins, from 0 to 1.
    pub target: f32,
    /// The result of the game for the side to move, in half points: 0, 1 or 2. `None` for a
    /// position beside the game.
    pub half_points: Option<u8>,
    pub counts: u64,
}

/// Moves from the empty board on: a game, or what leads to a position beside it.
#[derive(Clone, Copy)]
struct MoveSequence {
    start: usize,
    board: usize,
}

#[derive(Default)]
pub struct Data {
    boards: Vec<EmptyBoard>,
    /// The moves of all sequences one after another, column and row of each.
    moves: Vec<[u8; 2]>,
    sequences: Vec<MoveSequence>,
    pub training: Vec<TrainingPosition>,
    /// What the fit never sees, split off by opening.
    pub held_out: Vec<TrainingPosition>,
    pub games: usize,
}

/// How the probability to learn comes from a score and a result.
#[derive(Clone, Copy)]
pub struct Targets {
    /// The weight of a game's result against the search's score, from 0 to 1.
    pub result_weight: f32,
    /// What scores are worth.
    pub curve: Curve,
}

impl Data {
    /// Adds the games of files, to be learned under `rule`.
    pub fn read(&mut self, files: &[PathBuf], rule: Rule, targets: &Targets) -> anyhow::Result<()> {
        read_files(files, |game| {
            let is_alike = (game.rule == Rule::Renju) == (rule == Rule::Renju);
            let [of, wanted] = [game.rule, rule].map(Rule::name);
            ensure!(is_alike, "games of {of} do not teach {wanted}");
            self.games += 1;
            let is_held_out = game.is_held_out();
            let mut board = Board::new(game.size, rule);
            let game_sequence = self.add_sequence(game.size, game.moves.iter());
            for example in game.examples() {
                // The examples of the game come first, in its order.
                while board.stone_count() > example.path.len() {
                    board.undo();
                }
                for &mv in &example.path[board.stone_count()..] {
                    board.play(mv);
                }
                example.line.iter().for_each(|&mv| board.play(mv));
                let points = game.points(example.path.len()) as f32;
                if let Some((target, bound)) = target(&board, points, &example, targets) {
                    let is_own = example.source.is_none();
                    let half_points = is_own.then_some((2.0 * points) as u8);
                    let sequence = match example.line {
                        [] => game_sequence,
                        _ => {
                            let moves = example.path.iter().chain(example.line);
                            self.add_sequence(game.size, moves)
                        }
                    };
                    let plies = board.stone_count() as u16;
                    let counts = threat_counts(&board);
                    let split = if is_held_out { &mut self.held_out } else { &mut self.training };
                    split.push(TrainingPosition {
                        sequence,
                        plies,
                        bound,
                        target,
                        half_points,
                        counts,
                    });
                }
                example.line.iter().for_each(|_| board.undo());
            }
            Ok(())
        })
    }

    fn add_sequence<'a>(&mut self, size: BoardSize, moves: impl Iterator<Item = &'a Coord>) -> u32 {
        let index = self.sequences.len() as u32;
        let board = self.boards.iter().position(|board| board.size == size);
        let board = board.unwrap_or_else(|| {
            self.boards.push(EmptyBoard::new(size));
            self.boards.len() - 1
        });
        self.sequences.push(MoveSequence { start: self.moves.len(), board });
        self.moves.extend(moves.map(|mv| [mv.x(), mv.y()]));
        index
    }

    /// Returns the board of a position and its stones in the order of play, column and row each.
    pub fn stones(&self, position: &TrainingPosition) -> (&EmptyBoard, &[[u8; 2]]) {
        let MoveSequence { start, board } = self.sequences[position.sequence as usize];
        (&self.boards[board], &self.moves[start..][..usize::from(position.plies)])
    }
}

/// Returns the probability of a win to learn, and whether it is exact or a bound. `None` for a
/// position that fives or an open four decide, and a bound that says nothing. `points`, from 0 to 1,
/// are the game's result for the side to move; they count for the game's own positions only.
fn target(
    board: &Board,
    points: f32,
    example: &Example,
    &Targets { result_weight, curve }: &Targets,
) -> Option<(f32, Bound)> {
    let us = board.side_to_move();
    let is_decided = board.count(us, Threat::Five) > 0
        || board.count(!us, Threat::Five) > 0
        || board.count(us, Threat::OpenFour) > 0;
    if is_decided {
        return None;
    }
    let by_score = match (example.score.kind(), example.bound) {
        // "At least this loss" and "at most this win" are no proofs.
        (ScoreKind::Loss(_), Bound::Lower) | (ScoreKind::Win(_), Bound::Upper) => return None,
        (ScoreKind::Win(_), _) => return Some((1.0, Bound::Exact)),
        (ScoreKind::Loss(_), _) => return Some((0.0, Bound::Exact)),
        (ScoreKind::Eval(value), _) => curve.win_rate(value) as f32,
    };
    if example.source.is_some() {
        return Some((by_score, example.bound));
    }
    Some((result_weight * points + (1.0 - result_weight) * by_score, Bound::Exact))
}

/// The patterns of a board of one size without stones, and the region of each cell.
pub struct EmptyBoard {
    pub size: BoardSize,
    pub cells: usize,
    patterns: Vec<u32>,
    pub region: Vec<u8>,
}

const STEPS: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

impl EmptyBoard {
    pub fn new(size: BoardSize) -> EmptyBoard {
        let (width, height) = (size.width() as isize, size.height() as isize);
        let on = |x: isize, y: isize| (0..width).contains(&x) && (0..height).contains(&y);
        let mut patterns = Vec::new();
        let mut region = Vec::new();
        for y in 0..height {
            for x in 0..width {
                for (dx, dy) in STEPS {
                    let length = |sign: isize| {
                        (1..=RADIUS as isize)
                            .take_while(|&k| on(x + sign * k * dx, y + sign * k * dy))
                            .count()
                    };
                    patterns.push(Pattern::stone_free(length(-1), length(1)).index() as u32);
                }
                region.push(region_of(size, x as u8, y as u8) as u8);
            }
        }
        EmptyBoard { size, cells: patterns.len() / 4, patterns, region }
    }

    /// Sets `patterns` to those of a position, four a cell, row by row: as black sees them, or the
    /// side to move if `is_relative`.
    pub fn patterns(&self, stones: &[[u8; 2]], is_relative: bool, patterns: &mut Vec<u32>) {
        patterns.clear();
        patterns.extend_from_slice(&self.patterns);
        let (width, height) = (self.size.width() as isize, self.size.height() as isize);
        for (ply, &[x, y]) in stones.iter().enumerate() {
            // 1 for black or the side to move, 2 for the other.
            let digit = match is_relative {
                true => 1 + (stones.len() - ply) as u32 % 2,
                false => 1 + ply as u32 % 2,
            };
            let (x, y) = (x as isize, y as isize);
            for (direction, (dx, dy)) in STEPS.into_iter().enumerate() {
                for k in -(RADIUS as isize)..=RADIUS as isize {
                    let (cx, cy) = (x + k * dx, y + k * dy);
                    if !(0..width).contains(&cx) || !(0..height).contains(&cy) {
                        continue;
                    }
                    let weight = match k {
                        0 => 1,
                        // The stone lies after the cell.
                        ..0 => 3 * 3u32.pow((-k - 1) as u32),
                        1.. => 3 * HALVES as u32 * 3u32.pow((k - 1) as u32),
                    };
                    patterns[(cy * width + cx) as usize * 4 + direction] += digit * weight;
                }
            }
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use tengen::score::Score;
    use tengen_gomoku::record::Outcome;
    use tengen_gomoku::types::Random;
    use tengen_lab::{Source, TrainingGame};

    /// Returns random positions, half of them held out: the side to move wins where it has a stone
    /// in the middle of the board.
    pub fn random_positions(seed: u64, count: usize) -> Data {
        let mut random = Random::new(seed);
        let mut data = Data::default();
        let size = BoardSize::new(7, 7).unwrap();
        for number in 0..count {
            let mut cells: Vec<Coord> = size.cells().filter(|&c| c != size.center()).collect();
            random.shuffle(&mut cells);
            let plies = 4 + random.below(8);
            let wins = random.below(2) == 0;
            // The stone in the middle came an even number of plies ago if it is the mover's.
            cells[plies - 1 - usize::from(wins)] = size.center();
            let sequence = data.add_sequence(size, cells[..plies].iter());
            let target = f32::from(u8::from(wins));
            let (plies, bound) = (plies as u16, Bound::Exact);
            let half_points = Some(2 * u8::from(wins));
            let position =
                TrainingPosition { sequence, plies, bound, target, half_points, counts: 0 };
            let split = if number % 2 == 0 { &mut data.training } else { &mut data.held_out };
            split.push(position);
        }
        data
    }

    #[test]
    fn targets_are_probabilities_of_the_side_to_move() {
        let board = Board::new(BoardSize::new(15, 15).unwrap(), Rule::Freestyle);
        let targets = Targets { result_weight: 0.5, curve: Curve { scale: 200.0, bend: 0.0 } };
        let of_bound = |points, score, bound, source| {
            let (path, line) = (&[][..], &[][..]);
            let example = Example { path, line, source, mv: None, score, bound };
            target(&board, points, &example, &targets)
        };
        let game = |points, score| of_bound(points, score, Bound::Exact, None).unwrap().0;
        assert_eq!((game(0.0, Score::win_in(5)), game(1.0, Score::loss_in(4))), (1.0, 0.0));
        assert_eq!((game(1.0, Score::DRAW), game(0.0, Score::DRAW)), (0.75, 0.25));
        assert!(game(0.5, Score::eval(200)) > 0.6 && game(0.5, Score::eval(-200)) < 0.4);
        // Beside the game its result says nothing.
        for points in [0.0, 1.0] {
            let inner = |score, bound| of_bound(points, score, bound, Some(Source::Inner));
            let (rate, bound) = inner(Score::eval(200), Bound::Lower).unwrap();
            assert!((0.7..0.75).contains(&rate) && bound == Bound::Lower);
            // A bound on the far side of a proven result proves nothing.
            let (win, loss) = (Score::win_in(5), Score::loss_in(8));
            assert_eq!(inner(win, Bound::Lower), Some((1.0, Bound::Exact)));
            assert_eq!(inner(loss, Bound::Upper), Some((0.0, Bound::Exact)));
            assert!(inner(win, Bound::Upper).is_none() && inner(loss, Bound::Lower).is_none());
        }
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
            assert_eq!(is_own, position.target > 0.5);
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
