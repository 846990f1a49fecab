//! Moves that are blocked in single positions of the tree, against a plain search of every line.

use tengen_gomoku::board::Board;
use tengen_gomoku::types::{Color, Coord, CoordSet, Rule};

use crate::positions::random::rounds;
use crate::positions::{board_after, draw, size};
use crate::reference::nearly_full::nearly_full_board;
use crate::unclocked;
use tengen::search::{Blocked, Limits, Report, RootOptions, Searcher};

/// Bytes of the transposition table.
const TABLE: usize = 1 << 20;

/// A position and the moves that are blocked in it.
type BlockedMoves = ([CoordSet; 2], CoordSet);

fn stones(board: &Board) -> [CoordSet; 2] {
    let of = |color| board.size().cells().filter(|&c| board.stone(c) == Some(color)).collect();
    Color::ALL.map(of)
}

fn search(
    searcher: &mut Searcher,
    board: &Board,
    blocked_moves: &[BlockedMoves],
    limits: Limits,
) -> Report {
    searcher.blocked = Blocked::new(board.size(), blocked_moves.iter().copied());
    unclocked::search(searcher, board, limits)
}

/// Returns 1 for a win, -1 for a loss and 0 for a draw of the side to move, by all lines to the end
/// of the game but those that are blocked. Where every move is blocked, none is.
fn value(board: &mut Board, blocked_moves: &[BlockedMoves]) -> i32 {
    let here = stones(board);
    let blocked = blocked_moves.iter().find(|(stones, _)| *stones == here).map(|&(_, moves)| moves);
    let mut moves = board.empty_cells().without(&blocked.unwrap_or_default());
    if moves.is_empty() {
        moves = *board.empty_cells();
    }
    let us = board.side_to_move();
    if moves.into_iter().any(|mv| board.makes_five(mv, us)) {
        return 1;
    }
    let mut best = None;
    for mv in &moves {
        board.play(mv);
        best = best.max(Some(-value(board, blocked_moves)));
        board.undo();
    }
    best.unwrap_or(0)
}

/// Blocks some moves of the positions of a random line from the board on.
fn random_blocked_moves(rng: &mut fastrand::Rng, board: &Board) -> Vec<BlockedMoves> {
    let mut board = board.clone();
    let mut blocked_moves = Vec::new();
    for _ in 0..rng.usize(1..=3) {
        let free: Vec<Coord> = board.empty_cells().into_iter().collect();
        let calm = |&&c: &&Coord| !board.makes_five(c, board.side_to_move());
        let Some(&mv) = rng.choice(free.iter().filter(calm).collect::<Vec<_>>()) else { break };
        board.play(mv);
        let moves: CoordSet = board.empty_cells().into_iter().filter(|_| rng.bool()).collect();
        blocked_moves.push((stones(&board), moves));
    }
    blocked_moves
}

#[test]
fn proven_scores_with_blocked_moves_are_true() {
    for rule in [Rule::Freestyle, Rule::Standard, Rule::Caro] {
        let mut rng = fastrand::Rng::with_seed(0xb10c | (rule as u64) << 16);
        let mut searcher = Searcher::new(TABLE);
        let (mut decided, mut changed, mut missed) = (0, 0, 0);
        for round in 0..rounds(500) {
            let Some(mut board) = nearly_full_board(&mut rng, rule, 3 + round % 4) else {
                continue;
            };
            let blocked_moves = random_blocked_moves(&mut rng, &board);
            searcher.clear();
            let depth = board.empty_count() as i32 + 2;
            let limits = Limits { depth, nodes: 100_000, ..Limits::default() };
            let report = search(&mut searcher, &board, &blocked_moves, limits);
            let value = value(&mut board, &blocked_moves);
            let message =
                || format!("{value}, but {report:?}\n{blocked_moves:?}\n{}", draw(&board));
            assert!(!report.score.is_win() || value == 1, "{}", message());
            assert!(!report.score.is_loss() || value == -1, "{}", message());
            decided += usize::from(value != 0);
            missed += usize::from(value != 0 && !report.score.is_decisive());
            changed += usize::from(value != self::value(&mut board, &[]));
        }
        println!("{rule:?}: {decided} decided, {changed} by what is blocked, {missed} not proven");
        assert!(decided > 16 && changed > 3, "{rule:?}: {decided} decided, {changed} changed");
        assert!(missed * 10 < decided, "{rule:?}: {missed} of {decided} missed");
    }
}

#[test]
fn a_blocked_move_is_no_part_of_a_variation() {
    // Black wins; after white's first answer all that goes on with the attack is blocked.
    let board = board_after(Rule::Freestyle, size(15, 15), "h8a1h9a3h10h7k11o1l11o3");
    let limits = Limits { nodes: 20_000, ..Limits::default() };
    let mut searcher = Searcher::new(TABLE);
    let free = search(&mut searcher, &board, &[], limits);
    assert!(free.score.is_win(), "{free:?}");
    let (first, answer) = (free.pv[0], free.pv[1]);
    let mut after = board.clone();
    after.play(first);
    after.play(answer);
    // Only a quiet move is free there.
    let quiet = Coord::new(0, 7);
    let calm: CoordSet = [quiet].into_iter().collect();
    let entry = (stones(&after), after.empty_cells().without(&calm));
    // All other first moves are excluded, and white goes where black's attack is interrupted.
    let others = board.empty_cells().without(&[first].into_iter().collect());
    let root = RootOptions { excluded: others, ..RootOptions::default() };
    let report = search(&mut searcher, &board, &[entry], Limits { root, ..limits });
    assert!(report.pv.starts_with(&[first, answer, quiet]), "{report:?}");
    // What is blocked no longer is found again.
    assert_eq!(search(&mut searcher, &board, &[], limits).score, free.score);
}
