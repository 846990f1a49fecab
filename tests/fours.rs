//! The solver for continuous fours against a plain search on the grid (`reference/fours.rs`).

mod positions;
mod reference;

use positions::draw;
use positions::random::{random_board, rounds};
use reference::fours::Fours;
use reference::grid::{Grid, point_of, stone};
use tengen::search::vcf::{Outcome, Vcf};
use tengen::types::Rule;

/// Boards of each rule that are compared.
const BOARDS: usize = 4_000;
/// Nodes of the solver at most: hardly ever reached on these boards.
const NODES: u64 = 100_000;
/// The longest win that the plain search looks for, in fours ahead of the five.
const MOST: u32 = 4;
/// Fours that the plain search tries at most.
const TRIES: u32 = 3_000;

#[test]
fn continuous_fours_win_where_a_plain_search_says() {
    for rule in Rule::ALL {
        let mut rng = fastrand::Rng::with_seed(0x4f02_0000 | rule as u64);
        let (mut wins, mut long, mut none, mut unknown) = (0, 0, 0, 0);
        for _ in 0..rounds(BOARDS) {
            let mut board = random_board(&mut rng, rule, 5..=11);
            let own = stone(board.side_to_move());
            let mut grid = Grid::of(&board);
            let expected = Fours::wins(&mut grid, own, rule, MOST, TRIES);
            let outcome = Vcf::new().solve(&mut board, NODES);
            let message = || format!("{outcome:?}, {expected:?} expected\n{}", draw(&board));
            let fours = match outcome {
                Outcome::Win { plies, .. } => (plies as u32 - 1) / 2,
                Outcome::No => 0,
                Outcome::Unknown => {
                    unknown += 1;
                    continue;
                }
            };
            match (outcome, expected) {
                (Outcome::Win { mv, .. }, _) if fours <= MOST => {
                    assert_ne!(expected, Some(false), "{}", message());
                    let is_five = grid.five_points(own, rule).contains(&point_of(mv));
                    let is_right = if fours == 0 {
                        is_five
                    } else {
                        Fours::four_wins(&mut grid, own, rule, point_of(mv), fours)
                    };
                    assert!(is_right, "{}", message());
                    (wins, long) = (wins + 1, long + usize::from(fours > 1));
                }
                (Outcome::No, _) => {
                    assert_ne!(expected, Some(true), "{}", message());
                    none += 1;
                }
                _ => {}
            }
        }
        println!("{rule:?}: {wins} wins, {long} long, {none} without, {unknown} not settled");
        assert!(wins > BOARDS / 8 && long > 20 && none > BOARDS / 8, "{rule:?}: {wins}, {long}");
        assert!(unknown < rounds(BOARDS) / 1_000 + 1, "{rule:?}: {unknown}");
    }
}
