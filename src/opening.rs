//! First moves: the center of an empty board, or a balanced stone for swap1, where the other player
//! takes black or answers as white; swap2, Soosõrv, and balanced openings for matches. There is no
//! other opening book. [`positions`] reads the tables of positions of swap2 and the bench.

pub mod generator;
pub mod soosorv;
pub mod swap2;

pub use swap2::Swap2;

use tengen_gomoku::board::notation::parse_points;
use tengen_gomoku::types::{BoardSize, Coord, Random, Rule};

/// The line of a balanced first stone, counted from the edge as 0, and its least distance from the
/// corner. Under freestyle such stones scored -12 to 42 for white in searches of 400,000 nodes on
/// 15x15 and 20x20; stones further in are better, further out worse.
const BALANCED_LINE: u8 = 1;
const CORNER_DISTANCE: u8 = 4;

/// Returns the first stone of swap1: balanced, chosen by `seed`.
pub fn balanced_first_move(size: BoardSize, seed: u64) -> Coord {
    let mut random = Random::new(seed);
    let mut one_of = |count: u8| random.below(count.into()) as u8;
    let (is_column, is_far) = (one_of(2) == 0, one_of(2) == 0);
    let (across, along) = match is_column {
        true => (size.width(), size.height()),
        false => (size.height(), size.width()),
    };
    let first = CORNER_DISTANCE.min((along - 1) / 2);
    let place = first + one_of(along - 2 * first);
    let line = if is_far { across - 1 - BALANCED_LINE } else { BALANCED_LINE };
    let (x, y) = if is_column { (line, place) } else { (place, line) };
    Coord::new(x, y)
}

/// Returns the positions of a table in our own format: rule, size of the board, moves.
pub fn positions(table: &str) -> impl Iterator<Item = (Rule, BoardSize, Vec<Coord>)> {
    let read = |line: &str| {
        let mut words = line.split(' ');
        let (rule, length, points) = (words.next()?, words.next()?, words.next()?);
        let size = length.parse().ok()?;
        Some((rule.parse().ok()?, size, parse_points(points, size).ok()?))
    };
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.map(move |line| read(line).expect("invariant: our tables are readable"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::score::Score;
    use crate::search::control::Control;
    use crate::search::{Limits, Report, Searcher};
    use tengen_gomoku::board::Board;

    #[test]
    fn a_game_begins_in_the_middle() {
        for (width, height) in (5..=22).flat_map(|w| (5..=22).map(move |h| (w, h))) {
            let center = BoardSize::new(width, height).unwrap().center();
            assert!(center.x().abs_diff(width / 2) <= 1 && center.y().abs_diff(height / 2) <= 1);
        }
    }

    fn judged(size: BoardSize, stone: Coord) -> Report {
        let mut board = Board::new(size, Rule::Freestyle);
        board.play(stone);
        let control = Control::untimed();
        let limits = Limits { nodes: 20_000, ..Limits::default() };
        Searcher::new(1 << 22).search(&board, &limits, &control, &mut |_| ())
    }

    #[test]
    fn every_board_has_a_balanced_first_move() {
        for (width, height) in (5..=22).flat_map(|w| (5..=22).map(move |h| (w, h))) {
            let size = BoardSize::new(width, height).unwrap();
            let stones: HashSet<Coord> =
                (0..40).map(|seed| balanced_first_move(size, seed)).collect();
            assert!(stones.iter().all(|c| size.coord(c.x(), c.y()).is_some()), "{size}");
            assert!(stones.len() > 3, "{size}: {stones:?}");
            assert_eq!(balanced_first_move(size, 3), balanced_first_move(size, 3));
        }
    }

    #[test]
    fn the_first_stones_are_balanced() {
        for length in [13, 15, 20] {
            let size = BoardSize::new(length, length).unwrap();
            for seed in 0..12 {
                let stone = balanced_first_move(size, seed);
                let report = judged(size, stone);
                assert!(report.score.value().abs() < 120, "{size} {stone}: {}", report.score);
            }
        }
    }

    #[test]
    fn the_centre_is_taken_and_a_corner_left() {
        let size = BoardSize::new(15, 15).unwrap();
        assert!(judged(size, size.center()).score < Score::DRAW);
        assert!(judged(size, Coord::new(0, 0)).score >= Score::DRAW);
    }
}
