//! Renju fouls on random boards: `Board::is_forbidden` against the definitions played out on a
//! plain grid (`tests/reference/grid.rs`).

use tengen_gomoku::board::Board;
use tengen_gomoku::types::{Color, Rule};

use crate::positions::random::{random_stones, rounds};
use crate::positions::{draw, size};
use crate::reference::grid::{Grid, Verdict, point_of};

const BOARDS: usize = 8_000;

#[test]
fn fouls_are_those_of_the_definition() {
    let mut rng = fastrand::Rng::with_seed(0x0f0b_1dde);
    let mut seen = [0; 3];
    for _ in 0..rounds(BOARDS) {
        let size = if rng.u8(0..4) > 0 {
            let side = rng.usize(5..=22);
            size(side, side)
        } else {
            size(rng.usize(5..=22), rng.usize(5..=22))
        };
        let stones = random_stones(&mut rng, size);
        let board = Board::from_cells(size, Rule::Renju, &stones, Color::Black);
        let mut grid = Grid::of(&board);
        let cells: Vec<_> = board.candidates().into_iter().collect();
        for c in cells {
            let verdict = grid.judge(point_of(c));
            seen[verdict as usize] += 1;
            let is_forbidden = board.is_forbidden(c);
            assert_eq!(is_forbidden, verdict == Verdict::Foul, "{c} {verdict:?}\n{}", draw(&board));
            assert_eq!(board.makes_five(c, Color::Black), verdict == Verdict::Five, "{c}");
        }
    }
    // The boards must show what they are made for.
    assert!(seen.iter().all(|&n| n > 1_200), "five, foul, legal: {seen:?}");
}

#[test]
fn nobody_but_black_under_renju_is_bound_by_fouls() {
    let mut rng = fastrand::Rng::with_seed(0x0f0b_1ddf);
    let mut fouls = 0;
    for _ in 0..300 {
        let size = size(15, 15);
        let stones = random_stones(&mut rng, size);
        for rule in Rule::ALL {
            let board = Board::from_cells(size, rule, &stones, Color::White);
            for c in &board.candidates() {
                let is_forbidden = board.is_forbidden(c);
                fouls += usize::from(is_forbidden);
                assert!(rule == Rule::Renju || !is_forbidden, "{c}\n{}", draw(&board));
                assert!(board.is_legal(c, Color::White), "{c}\n{}", draw(&board));
            }
        }
    }
    assert!(fouls > 100, "{fouls}");
}
