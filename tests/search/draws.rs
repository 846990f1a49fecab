//! Games that end before the board is full, and drawn games that count for a colour: the search
//! against a solver by brute force (`reference/solver.rs`), which looks as far as the game goes.

use tengen_gomoku::board::Board;
use tengen_gomoku::types::{Color, Coord, Rule};

use crate::positions::random::rounds;
use crate::positions::{Diagram, board_after, draw, size};
use crate::reference::grid::{Grid, Point, point_of, stone};
use crate::reference::nearly_full::nearly_full_board;
use crate::reference::solver::{Value, solve, value_of};
use crate::unclocked::search;
use tengen::score::{Score, ScoreKind};
use tengen::search::{DrawRule, Limits, Searcher};

const TABLE: usize = 1 << 20;

/// Returns true if some stones on these free points make what is wanted of the last of them. Their
/// order does not matter: the missing stones of a row alone make it, whichever comes last.
fn can_arise(grid: &mut Grid, free: &[Point], is_wanted: &impl Fn(&Grid, Point) -> bool) -> bool {
    let Some((&p, rest)) = free.split_first() else { return false };
    can_arise(grid, rest, is_wanted)
        || [b'X', b'O'].into_iter().any(|stone| {
            grid.with(p, stone, |grid| is_wanted(grid, p) || can_arise(grid, rest, is_wanted))
        })
}

/// Returns true if a five can arise on the board.
fn five_can_arise(board: &Board) -> bool {
    let mut grid = Grid::of(board);
    let free = grid.empties();
    can_arise(&mut grid, &free, &|grid, p| grid.has_won(p, board.rule()))
}

/// Returns true if an overline can arise on the board that renju forbids black.
fn overline_can_arise(board: &Board) -> bool {
    let mut grid = Grid::of(board);
    let free = grid.empties();
    // Five or more that is no five of black's: white's is one.
    let is_overline =
        |grid: &Grid, p| grid.has_won(p, Rule::Freestyle) && !grid.has_won(p, Rule::Renju);
    board.rule() == Rule::Renju && can_arise(&mut grid, &free, &is_overline)
}

#[test]
fn a_position_is_dead_exactly_if_no_five_and_no_overline_can_arise() {
    for rule in Rule::ALL {
        let mut rng = fastrand::Rng::with_seed(0xdead_0000 | rule as u64);
        let mut searcher = Searcher::new(TABLE);
        let (mut dead, mut alive) = (0, 0);
        for round in 0..rounds(400) {
            let board = nearly_full_board(&mut rng, rule, 2 + round % 6);
            // An only move is played without a look at where it leads.
            let Some(board) = board.filter(|board| board.empty_count() > 1) else { continue };
            let message = || format!("{rule:?}\n{}", draw(&board));
            let is_alive = five_can_arise(&board) || overline_can_arise(&board);
            assert_eq!(board.is_dead(), !is_alive, "{}", message());
            if !board.is_dead() {
                alive += 1;
            } else {
                dead += 1;
                for winner in [None, Some(Color::Black)] {
                    let draw_rule = DrawRule { winner, ..DrawRule::default() };
                    let limits = Limits { draw_rule, ..Limits::default() };
                    // Ends although nothing limits it.
                    let report = search(&mut searcher, &board, limits);
                    let end = board.empty_count() as i32;
                    let expected = match winner {
                        None => Score::DRAW,
                        Some(color) if color == board.side_to_move() => Score::win_in(end),
                        Some(_) => Score::loss_in(end),
                    };
                    assert_eq!(report.score, expected, "{}", message());
                    assert!(report.nodes < 100, "{}", message());
                }
            }
        }
        assert!(dead > 30 && alive > 40, "{rule:?}: {dead} dead, {alive} alive");
    }
}

#[test]
fn nothing_is_won_or_lost_after_the_last_move() {
    for rule in Rule::ALL {
        let mut rng = fastrand::Rng::with_seed(0xd7a0_0000 | rule as u64);
        let mut searcher = Searcher::new(TABLE);
        let (mut won, mut lost, mut drawn, mut missed) = (0, 0, 0, 0);
        for round in 0..rounds(200) {
            let Some(board) = nearly_full_board(&mut rng, rule, 6 + round % 6) else { continue };
            let plies = (1 + round as u32 % 5).min(board.empty_count() as u32);
            let moves = board.stone_count() + plies as usize;
            let us = board.side_to_move();
            let mut grid = Grid::of(&board);
            let value = solve(&mut grid, stone(us), rule, plies);
            for winner in [None, Some(us), Some(!us)] {
                let draw_rule = DrawRule { moves, winner };
                let mut limits =
                    Limits { depth: 12, nodes: 50_000, draw_rule, ..Limits::default() };
                limits.root.is_analysis = round % 2 == 0;
                let report = search(&mut searcher, &board, limits);
                let message = || {
                    let position = draw(&board);
                    format!("{plies} plies, {draw_rule:?}, {value:?}, {report:?}\n{position}")
                };
                match report.score.kind() {
                    ScoreKind::Win(n) | ScoreKind::Loss(n) => {
                        assert!(n as u32 <= plies, "{}", message());
                    }
                    ScoreKind::Eval(_) => {}
                }
                // What the draw is worth, if that is what the game comes to.
                let end = plies as i32;
                let worth = match winner {
                    None => Score::DRAW,
                    Some(color) if color == us => Score::win_in(end),
                    Some(_) => Score::loss_in(end),
                };
                match (value, winner) {
                    (Value::Win(_), _) if report.score.is_win() => {
                        let found =
                            value_of(&mut grid, stone(us), rule, plies, point_of(report.best));
                        let draw_wins = winner == Some(us);
                        assert!(draw_wins || matches!(found, Some(Value::Win(_))), "{}", message());
                        won += 1;
                    }
                    (Value::Loss(_), _) if report.score.is_loss() => lost += 1,
                    (Value::Open, _) if report.score == worth => drawn += 1,
                    // A proof that is none.
                    (Value::Open, None) => assert!(!report.score.is_decisive(), "{}", message()),
                    (Value::Open, Some(color)) if color == us => {
                        assert!(!report.score.is_loss(), "{}", message());
                    }
                    (Value::Open, Some(_)) => assert!(!report.score.is_win(), "{}", message()),
                    (Value::Win(_), _) => assert!(!report.score.is_loss(), "{}", message()),
                    (Value::Loss(_), _) => assert!(!report.score.is_win(), "{}", message()),
                }
                let is_found = match value {
                    Value::Win(_) => report.score.is_win(),
                    Value::Loss(_) => report.score.is_loss(),
                    Value::Open => report.score == worth,
                };
                // An only move is played without a search.
                let is_only_move = report.depth == 1 && !report.score.is_decisive();
                missed += usize::from(!is_found && !is_only_move);
            }
        }
        println!("{rule:?}: {won} won, {lost} lost, {drawn} drawn, {missed} not seen");
        assert!(won > 40 && lost > 8 && drawn > 120, "{rule:?}: {won}, {lost}, {drawn}");
        // The search prunes, so that it may overlook, but it hardly ever does.
        assert!(missed * 100 < won + lost + drawn, "{rule:?}: {missed}");
    }
}

#[test]
fn a_black_without_a_legal_move_loses() {
    let mut rng = fastrand::Rng::with_seed(6);
    let mut searcher = Searcher::new(TABLE);
    let (mut won, mut lost, mut drawn) = (0, 0, 0);
    while won.min(lost).min(drawn) < 20 {
        let Some(board) = nearly_full_board(&mut rng, Rule::Renju, 2 + (won + lost + drawn) % 5)
        else {
            continue;
        };
        // Nothing but overlines decides such a game.
        if five_can_arise(&board) || !overline_can_arise(&board) {
            continue;
        }
        let us = stone(board.side_to_move());
        let (count, expected) = match solve(&mut Grid::of(&board), us, Rule::Renju, 9) {
            Value::Win(plies) => (&mut won, Score::win_in(plies as i32)),
            Value::Loss(plies) => (&mut lost, Score::loss_in(plies as i32)),
            Value::Open => (&mut drawn, Score::DRAW),
        };
        *count += 1;
        let report = search(&mut searcher, &board, Limits { depth: 24, ..Limits::default() });
        let is_only_move = report.depth == 1 && !report.score.is_decisive();
        assert!(report.score == expected || is_only_move, "{report:?}\n{}", draw(&board));
    }
}

/// No five is possible any more, and black runs out of legal moves if white leaves black's overline
/// cell free. A shallow search must not expect white to fill it.
#[test]
fn white_does_not_fill_the_cell_that_black_may_not() {
    let diagram = Diagram::parse(
        "XX.O.XOOXXOOXX.
         OOXXOO.XOOXX.OX
         XXOOXXOOXX.OXX.
         OOX.OOXXOOXXOOX
         .XOOXXOOX.O.XXO
         OOXXOO.XOOXXOO.
         XXOOXXOOXXOO.XO
         OOXXOOXXO.XXOOX
         .XOO.XOOXXOOX.O
         OOXXOOXXOOXXOOX
         XOXXX.XXXOOOXX.
         OOXXOOXXOOX.OOX
         XXOO.XOOXXOOXXO
         OOXXOOXXOOXXOOX
         XX.OXX.OXXOO.XO",
    );
    let board = diagram.board(Rule::Renju, Color::Black);
    let mut searcher = Searcher::new(TABLE);
    for depth in 1..8 {
        let limits = Limits { depth, ..Limits::default() };
        let score = search(&mut searcher, &board, limits).score;
        assert!(score.value() < -300, "depth {depth}: {score:?}");
    }
}

#[test]
fn a_win_that_comes_too_late_is_none() {
    // Black has three in a row: his five comes with the fifth ply. Fours win as late elsewhere.
    for moves in ["h8a1i8a3j8a5", "h8g8i8a1j8c15k9o1k10e13"] {
        let board = board_after(Rule::Freestyle, size(15, 15), moves);
        let mut searcher = Searcher::new(TABLE);
        let mut score = |moves_left| {
            let moves = board.stone_count() + moves_left;
            let draw_rule = DrawRule { moves, winner: None };
            let limits = Limits { nodes: 30_000, depth: 8, draw_rule, ..Limits::default() };
            search(&mut searcher, &board, limits).score
        };
        let plies = match score(50).kind() {
            ScoreKind::Win(plies) => plies as usize,
            other => panic!("{other:?}"),
        };
        assert!(plies >= 3);
        assert!(score(plies).is_win());
        assert_eq!((score(plies - 1), score(1)), (Score::DRAW, Score::DRAW));
        // A game beyond its last move goes on.
        assert!(score(0).is_win());
    }
}

#[test]
fn an_only_move_that_is_the_last_one_ends_the_game() {
    let board = board_after(Rule::Freestyle, size(15, 15), "h8h9h7a1h6a3h5");
    for (winner, expected) in [
        (None, Score::DRAW),
        (Some(Color::White), Score::win_in(1)),
        (Some(Color::Black), Score::loss_in(1)),
    ] {
        let draw_rule = DrawRule { moves: 8, winner };
        let mut limits = Limits { depth: 8, draw_rule, ..Limits::default() };
        for is_analysis in [false, true] {
            limits.root.is_analysis = is_analysis;
            let report = search(&mut Searcher::new(TABLE), &board, limits);
            assert_eq!((report.best, report.score), (Coord::new(7, 3), expected));
        }
    }
}

#[test]
fn the_last_cell_of_a_board_ends_the_game() {
    let moves = "b4a1d2b1e4c1d5d1d3b2e5a4a2c5c4a3a5c3b5b3c2e3d4e2";
    let board = board_after(Rule::Freestyle, size(5, 5), moves);
    for is_analysis in [false, true] {
        let mut limits = Limits { depth: 8, ..Limits::default() };
        limits.root.is_analysis = is_analysis;
        assert_eq!(search(&mut Searcher::new(TABLE), &board, limits).score, Score::DRAW);
    }
}

#[test]
fn a_full_board_is_won_by_the_colour_that_draws_count_for() {
    let mut rng = fastrand::Rng::with_seed(5);
    let mut searcher = Searcher::new(TABLE);
    let mut seen = 0;
    while seen < 40 {
        let Some(board) = nearly_full_board(&mut rng, Rule::Freestyle, 4) else { continue };
        let (us, free) = (board.side_to_move(), board.empty_count() as i32);
        if solve(&mut Grid::of(&board), stone(us), Rule::Freestyle, 9) != Value::Open {
            continue;
        }
        seen += 1;
        for (winner, score) in [(us, Score::win_in(free)), (!us, Score::loss_in(free))] {
            let draw_rule = DrawRule { winner: Some(winner), ..DrawRule::default() };
            let limits = Limits { depth: 9, draw_rule, ..Limits::default() };
            let report = search(&mut searcher, &board, limits);
            let is_only_move = report.depth == 1 && !report.score.is_decisive();
            assert!(report.score == score || is_only_move, "{report:?}\n{}", draw(&board));
        }
    }
}
