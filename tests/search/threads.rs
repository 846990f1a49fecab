//! The search by several threads: its moves are legal, its proofs true, its limits kept. It is not
//! repeatable; the search by one thread is, which `determinism.rs` tests.

use std::thread;
use std::time::{Duration, Instant};

use tengen_gomoku::board::Board;
use tengen_gomoku::types::{Color, Rule};

use crate::positions::random::random_stones;
use crate::positions::{board_after, draw, size};
use crate::reference::legal::assert_legal;
use tengen::search::clock::Budget;
use tengen::search::control::Control;
use tengen::search::{Limits, Report, Searcher};

/// Bytes of the transposition table of most searches.
const TABLE: usize = 1 << 22;
/// How late a search may be on a busy machine.
const TOLERANCE: Duration = Duration::from_millis(700);

fn board(rule: Rule, side: usize, moves: &str) -> Board {
    board_after(rule, size(side, side), moves)
}

fn searcher(threads: usize, table_bytes: usize) -> Searcher {
    let mut searcher = Searcher::new(table_bytes);
    searcher.set_threads(threads);
    searcher
}

fn search(searcher: &mut Searcher, board: &Board, nodes: u64) -> Report {
    let control = Control::untimed();
    let limits = Limits { nodes, ..Limits::default() };
    let report = searcher.search(board, &limits, &control, &mut |_| ());
    assert_eq!(control.best(), Some(report.best), "the last move published is the answer");
    report
}

/// Asserts that the line of a report begins with its best move and is legal.
fn assert_sound(board: &Board, report: &Report) {
    assert_eq!(report.pv.first(), Some(&report.best));
    assert_legal(board, &report.pv);
}

/// Returns a random position with free cells, threats and walls, but without a five.
fn random_board(rng: &mut fastrand::Rng, rule: Rule) -> Board {
    let size = size(rng.usize(9..=15), rng.usize(9..=15));
    let to_move = if rng.bool() { Color::Black } else { Color::White };
    Board::from_cells(size, rule, &random_stones(rng, size), to_move)
}

#[test]
fn a_table_that_forgets_at_once_misleads_nobody() {
    // One bucket, and a few: nearly every entry meets another position's.
    let mut rng = fastrand::Rng::with_seed(17);
    for round in 0..60 {
        for rule in Rule::ALL {
            let board = random_board(&mut rng, rule);
            let (threads, bytes) = ([2, 2, 4][round % 3], [0, 64, 1024][round / 3 % 3]);
            let report = search(&mut searcher(threads, bytes), &board, 1_500);
            assert_sound(&board, &report);
        }
    }
}

#[test]
fn whole_games_are_legal() {
    for rule in Rule::ALL {
        let mut board = board(rule, 11, "f6");
        let mut searcher = searcher(2, 256);
        for moves in 0..30 {
            searcher.set_threads([2, 1, 4][moves % 3]);
            let report = search(&mut searcher, &board, 2_000);
            assert_sound(&board, &report);
            if board.makes_five(report.best, board.side_to_move()) {
                break;
            }
            board.play(report.best);
        }
    }
}

#[test]
fn all_numbers_of_threads_prove_the_same() {
    let cases = [
        (Rule::Standard, 15, "h8h9j7f10i6k8"),
        (Rule::Standard, 20, "k10l10k12m9h11k13n8p10e10"),
        // Won by continuous fours, which needs no help.
        (Rule::Renju, 15, "h8i9g9f7j11f10f11e9d8e6i10f6h9g8k12l13g10f8f9i8"),
    ];
    for (rule, side, moves) in cases {
        let mut board = board(rule, side, moves);
        for threads in [1, 2, 4] {
            let report = search(&mut searcher(threads, TABLE), &board, 100_000);
            assert!(report.score.is_win(), "{threads}: {report:?}\n{}", draw(&board));
            assert_sound(&board, &report);
        }
        board.play(search(&mut searcher(1, TABLE), &board, 100_000).best);
        for threads in [1, 2, 4] {
            let report = search(&mut searcher(threads, TABLE), &board, 100_000);
            assert!(report.score.is_loss(), "{threads}: {report:?}\n{}", draw(&board));
            assert_sound(&board, &report);
        }
    }
}

#[test]
fn the_node_limit_holds_for_the_sum() {
    for (rule, side, moves) in [
        (Rule::Freestyle, 15, "h8i9h10"),
        (Rule::Freestyle, 20, "c4d5r17q16e5f6p14e9"),
        (Rule::Renju, 15, "h8h9j8i10g7"),
    ] {
        let board = board(rule, side, moves);
        for (threads, nodes) in [(2, 1), (2, 100), (2, 30_000), (4, 30_000), (64, 5_000)] {
            let report = search(&mut searcher(threads, TABLE), &board, nodes);
            // Each thread looks at the count once in a share of nodes. It may finish its share
            // late, and its last node may bring some more in the search for fours.
            let share = (nodes / threads as u64).min(1024);
            let most = nodes + (share + 200) * threads as u64;
            assert!(
                (nodes..=most).contains(&report.nodes),
                "{threads} threads, {nodes}: {report:?}\n{}",
                draw(&board)
            );
        }
    }
}

#[test]
fn all_threads_stop_in_time() {
    let board = board(Rule::Freestyle, 20, "c4d5r17q16e5f6p14e9");
    let limit = Duration::from_millis(60);
    for threads in [2, 4, 16] {
        let mut searcher = searcher(threads, TABLE);
        let control = Control::new(Instant::now(), Some(Budget { soft: None, hard: limit }));
        let report = searcher.search(&board, &Limits::default(), &control, &mut |_| ());
        assert!(report.depth > 0 && control.elapsed() < limit + TOLERANCE, "{report:?}");

        let control = Control::untimed();
        thread::scope(|scope| {
            let search = || searcher.search(&board, &Limits::default(), &control, &mut |_| ());
            let search = scope.spawn(search);
            thread::sleep(limit);
            control.stop();
            let at = Instant::now();
            search.join().expect("no panic");
            assert!(at.elapsed() < TOLERANCE, "{threads} threads: {:?}", at.elapsed());
        });
    }
}

#[test]
fn one_thread_is_itself_again_after_many() {
    let board = board(Rule::Renju, 15, "h8h9j8i10g7");
    let seen = |report: &Report| (report.best, report.score, report.depth, report.nodes);
    let alone = search(&mut Searcher::new(TABLE), &board, 20_000);
    let mut used = searcher(4, TABLE);
    search(&mut used, &board, 20_000);
    used.set_threads(0);
    used.clear();
    assert_eq!(seen(&search(&mut used, &board, 20_000)), seen(&alone), "0 stands for 1");
}
