//! Wins on random boards and in random games: the board and the record of a game against the
//! definitions played out on a plain grid (`tests/reference/grid.rs`).

use tengen_gomoku::board::Board;
use tengen_gomoku::record::Ending;
use tengen_gomoku::record::tree::{Editor, GameTree};
use tengen_gomoku::types::{Color, Coord, Rule};

use crate::positions::random::{random_board, rounds};
use crate::positions::{draw, size};
use crate::reference::grid::{Grid, Verdict, point_of, stone};

/// Boards of each rule that are compared.
const BOARDS: usize = 2_000;
/// Games of each rule that are compared.
const GAMES: usize = 300;

#[test]
fn a_stone_wins_where_the_definition_says() {
    for rule in Rule::ALL {
        let mut rng = fastrand::Rng::with_seed(0x3175_0000 | rule as u64);
        let mut wins = 0;
        for _ in 0..rounds(BOARDS) {
            let board = random_board(&mut rng, rule, 5..=22);
            let mut grid = Grid::of(&board);
            for color in Color::ALL {
                let fives = grid.five_points(stone(color), rule);
                for c in board.empty_cells() {
                    let expected = fives.contains(&point_of(c));
                    assert_eq!(board.makes_five(c, color), expected, "{c}\n{}", draw(&board));
                }
                wins += fives.len();
            }
        }
        assert!(wins > BOARDS / 4, "{rule:?}: {wins}");
    }
}

/// Returns true if `ending` is that of a game whose last stone, on `c`, was as `verdict` says.
fn is_right(ending: Option<&Ending>, verdict: Verdict, board: &Board, c: Coord) -> bool {
    let us = !board.side_to_move();
    match (ending, verdict) {
        (Some(Ending::Five(color, row)), Verdict::Five) => {
            let is_own = |c: Coord| board.stone(c) == Some(us);
            *color == us && row.len() >= 5 && row.contains(c) && row.into_iter().all(is_own)
        }
        (Some(Ending::Foul(at)), Verdict::Foul) => *at == c,
        (Some(Ending::Full), Verdict::Legal) => board.empty_count() == 0,
        (None, Verdict::Legal) => board.empty_count() > 0,
        _ => false,
    }
}

#[test]
fn games_end_where_the_definition_says() {
    for rule in Rule::ALL {
        let mut rng = fastrand::Rng::with_seed(0x3176_0000 | rule as u64);
        let mut seen = [0; 3];
        for _ in 0..rounds(GAMES) {
            let size = size(rng.usize(5..=8), rng.usize(5..=8));
            let mut editor = Editor::new(GameTree::new(size));
            let mut cells: Vec<Coord> = size.cells().collect();
            rng.shuffle(&mut cells);
            for (number, c) in (1..).zip(cells) {
                let record = editor.tree.record(editor.at());
                let us = stone(record.to_move());
                let mut grid = Grid::of(&record.board(rule));
                let verdict = match grid.five_points(us, rule).contains(&point_of(c)) {
                    true => Verdict::Five,
                    false if grid.is_foul(point_of(c), us, rule) => Verdict::Foul,
                    false => Verdict::Legal,
                };
                editor.play(c).expect("a free cell");
                let record = editor.tree.record(editor.at());
                let (board, ending) = (record.board(rule), record.ending(rule));
                let end = ending.as_ref().map(|(end, _)| end);
                let message = || format!("{c} {verdict:?} {ending:?}\n{}", draw(&board));
                assert!(is_right(end, verdict, &board, c), "{}", message());
                if let Some((_, at)) = ending {
                    assert_eq!(at, number, "{}", message());
                    seen[verdict as usize] += 1;
                    break;
                }
            }
        }
        println!("{rule:?}: five, foul, full: {seen:?}");
        let [fives, fouls, full] = seen;
        assert!(fives > GAMES / 20 && full > GAMES / 20, "{rule:?}: {seen:?}");
        assert_eq!(fouls > 0, rule == Rule::Renju, "{rule:?}: {seen:?}");
    }
}
