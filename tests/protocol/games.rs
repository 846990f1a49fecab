//! Whole games between two engine processes through pipes, under every rule on 15 and 20 boards,
//! with a referee who knows the rules by their definitions and checks every move.

use tengen_gomoku::board::Board;
use tengen_gomoku::types::{Color, Coord, Rule};

use crate::engine_process::Engine;
use crate::positions::size;
use crate::reference::grid::{Grid, Verdict, point_of, stone};

/// Nodes a move: enough to play sensibly, few enough for many games.
const NODES: u32 = 400;

/// Plays one game from an empty board; `by_board` sends the whole position at every move.
fn play(rule: Rule, code: u8, side: u8, by_board: bool) {
    let mut engines = [(); 2].map(|()| Engine::with_board(side));
    for engine in &mut engines {
        engine.send(&format!("INFO rule {code}"));
        engine.send(&format!("INFO max_node {NODES}"));
    }
    let mut board = Board::new(size(side.into(), side.into()), rule);
    let mut moves: Vec<Coord> = Vec::new();
    while board.empty_count() > 0 {
        let us = board.side_to_move();
        let request = match moves.last() {
            None => "BEGIN".to_owned(),
            Some(last) if !by_board => format!("TURN {},{}", last.x(), last.y()),
            Some(_) => {
                let owner = |index: usize| if index % 2 == moves.len() % 2 { 1 } else { 2 };
                let row =
                    |(index, c): (usize, &Coord)| format!("{},{},{}\n", c.x(), c.y(), owner(index));
                let rows: String = moves.iter().enumerate().map(row).collect();
                format!("BOARD\n{rows}DONE")
            }
        };
        let (x, y) = engines[us as usize].ask(&request).0;
        let what = format!("{rule:?} {side}: {x},{y} after {moves:?}");
        let mv = board.size().coord(x, y).unwrap_or_else(|| panic!("off the board: {what}"));
        assert!(board.is_empty(mv), "taken: {what}");
        let mut grid = Grid::of(&board);
        if rule == Rule::Renju && us == Color::Black {
            assert_ne!(grid.judge(point_of(mv)), Verdict::Foul, "forbidden: {what}");
        }
        let has_won = grid.with(point_of(mv), stone(us), |g| g.has_won(point_of(mv), rule));
        let could_win = grid.has_five_point(stone(us), rule);
        assert!(has_won || !could_win, "a five was missed: {what}");
        if has_won {
            break;
        }
        board.play(mv);
        moves.push(mv);
    }
    engines.into_iter().for_each(Engine::end);
}

// Scenario 90.
#[test]
fn freestyle_games_are_played_to_the_end() {
    for (side, by_board) in [(15, false), (20, true)] {
        play(Rule::Freestyle, 0, side, by_board);
    }
}

#[test]
fn standard_games_are_played_to_the_end() {
    for (side, by_board) in [(15, true), (20, false)] {
        play(Rule::Standard, 1, side, by_board);
    }
}

#[test]
fn renju_games_are_played_to_the_end() {
    for (side, by_board) in [(15, false), (15, true), (20, false)] {
        play(Rule::Renju, 4, side, by_board);
    }
}

#[test]
fn caro_games_are_played_to_the_end() {
    for (rule, code) in [(Rule::Caro, 8), (Rule::CaroExact, 9)] {
        for (side, by_board) in [(15, true), (20, false)] {
            play(rule, code, side, by_board);
        }
    }
}

#[test]
fn small_boards_are_played_until_they_are_full_or_won() {
    play(Rule::CaroExact, 9, 5, true);
    play(Rule::Renju, 4, 6, false);
}
