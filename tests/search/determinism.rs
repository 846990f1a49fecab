//! The search gives the same answer to the same question: with a new searcher, after
//! forgetting, with small tables, and whatever was searched in between.

use tengen_gomoku::board::Board;
use tengen_gomoku::types::{Coord, Rule};

use crate::positions::{board_after, draw, size};
use tengen::score::Score;
use tengen::search::control::Control;
use tengen::search::{Limits, Progress, Searcher};

/// Bytes of the transposition table of most searches.
const TABLE: usize = 1 << 22;
/// Nodes of most searches.
const NODES: u64 = 20_000;

/// Rule, width, height and moves from the empty board.
const POSITIONS: [(Rule, usize, usize, &str); 6] = [
    (Rule::Freestyle, 15, 15, "h8i9h10g9i7g8"),
    (Rule::Standard, 15, 15, "g7h8i9h7f8h9h10"),
    (Rule::Renju, 15, 15, "h8h9j8i10g7"),
    (Rule::Caro, 12, 9, "f5g5f6f4e6d7"),
    (Rule::CaroExact, 20, 20, "j10k11l10j12k9m9i11"),
    (Rule::Freestyle, 22, 22, ""),
];

fn board(rule: Rule, width: usize, height: usize, moves: &str) -> Board {
    board_after(rule, size(width, height), moves)
}

/// What must be the same.
#[derive(Debug, PartialEq)]
struct Summary {
    best: Coord,
    score: Score,
    depth: i32,
    nodes: u64,
    pv: Vec<Coord>,
}

fn search(searcher: &mut Searcher, board: &Board, nodes: u64) -> Summary {
    let control = Control::untimed();
    let limits = Limits { nodes, ..Limits::default() };
    let mut nodes_before = 0;
    let mut listener = |progress: Progress| {
        if let Progress::Report(report) = progress {
            assert!(report.nodes >= nodes_before, "iterations report rising node counts");
            nodes_before = report.nodes;
        }
    };
    let report = searcher.search(board, &limits, &control, &mut listener);
    assert!(board.is_empty(report.best), "{}", draw(board));
    assert_eq!(control.best(), Some(report.best), "the last move published is the answer");
    assert_eq!(report.pv.first(), Some(&report.best), "{}", draw(board));
    Summary {
        best: report.best,
        score: report.score,
        depth: report.depth,
        nodes: report.nodes,
        pv: report.pv,
    }
}

#[test]
fn two_new_searchers_agree() {
    for (rule, width, height, moves) in POSITIONS {
        let board = board(rule, width, height, moves);
        let first = search(&mut Searcher::new(TABLE), &board, NODES);
        let second = search(&mut Searcher::new(TABLE), &board, NODES);
        assert_eq!(first, second, "{rule:?} {moves}");
    }
}

#[test]
fn a_searcher_that_forgot_is_as_good_as_new() {
    let mut used = Searcher::new(TABLE);
    for (rule, width, height, moves) in POSITIONS {
        let board = board(rule, width, height, moves);
        let fresh = search(&mut Searcher::new(TABLE), &board, NODES);
        used.clear();
        assert_eq!(search(&mut used, &board, NODES), fresh, "{rule:?} {moves}");
    }
}

#[test]
fn table_sizes_down_to_nothing_give_repeatable_answers() {
    let (rule, width, height, moves) = POSITIONS[1];
    let board = board(rule, width, height, moves);
    for bytes in [0, 1, 64, 100, 4096, 1 << 16, 1 << 24] {
        let first = search(&mut Searcher::new(bytes), &board, NODES);
        let mut resized = Searcher::new(1 << 12);
        search(&mut resized, &board, NODES);
        resized.resize(bytes);
        resized.clear();
        assert_eq!(search(&mut resized, &board, NODES), first, "{bytes} bytes");
    }
}

#[test]
fn a_game_searched_twice_is_the_same_game() {
    let play = || {
        let mut board = board(Rule::Renju, 15, 15, "h8");
        let mut searcher = Searcher::new(TABLE);
        for _ in 0..8 {
            let outcome = search(&mut searcher, &board, 4_000);
            board.play(outcome.best);
        }
        board.key()
    };
    assert_eq!(play(), play());
}

#[test]
fn many_searches_later_forgetting_still_works() {
    // Generations are few; when they run out the table starts over.
    let board = board(Rule::Standard, 9, 9, "e5e6f6");
    let fresh = search(&mut Searcher::new(1 << 12), &board, 1_500);
    let mut used = Searcher::new(1 << 12);
    for _ in 0..4_500 {
        search(&mut used, &board, 8);
    }
    used.clear();
    assert_eq!(search(&mut used, &board, 1_500), fresh);
}

#[test]
fn node_limits_are_kept() {
    for (rule, width, height, moves) in POSITIONS {
        let board = board(rule, width, height, moves);
        for nodes in [1, 2, 100, 5_000] {
            let outcome = search(&mut Searcher::new(TABLE), &board, nodes);
            // The clock and the limits are asked every 1,024 nodes; a search for continuous fours of
            // a leaf, and what an obvious move needs, come on top.
            let slack = 1_024 + 200;
            assert!(outcome.nodes <= nodes + slack, "{rule:?} {moves}: {}", outcome.nodes);
        }
    }
}
