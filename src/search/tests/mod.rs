//! Tests of whole searches.

use tengen_gomoku::types::{BoardSize, CELLS, Coord, Rule};

use super::clock::Budget;
use super::params::PLY;
use super::*;
use crate::score::Bound;
use crate::time::{Duration, Instant};

/// Returns a random position without a five.
fn random_board(rng: &mut fastrand::Rng, rule: Rule) -> Board {
    let size = BoardSize::new(rng.u8(7..=15), rng.u8(7..=15)).expect("a valid size");
    let mut board = Board::new(size, rule);
    board.play(size.center());
    for _ in 0..rng.usize(4..30) {
        let us = board.side_to_move();
        let cells = board.legal_cells(board.candidates(), us);
        let calm = cells.into_iter().filter(|&c| !board.makes_five(c, us)).collect::<Vec<_>>();
        let Some(mv) = rng.choice(calm) else { break };
        board.play(mv);
    }
    board
}

/// Stores nonsense about the position and those up to `plies` later, as if keys collided.
fn lie(table: &Table, board: &mut Board, rng: &mut fastrand::Rng, plies: u32) {
    let bound = rng.choice([Bound::Upper, Bound::Lower, Bound::Exact]).expect("three bounds");
    let entry = TableEntry {
        mv: rng.bool().then(|| Coord::from_index(rng.usize(1..CELLS))),
        score: rng.i16(-32_000..=32_000),
        eval: rng.bool().then(|| rng.i16(-20_000..=20_000)),
        depth: rng.i32(0..=20) * PLY,
        bound,
    };
    table.store(board.key(), entry);
    if plies > 0 {
        for mv in &board.candidates() {
            board.play(mv);
            lie(table, board, rng, plies - 1);
            board.undo();
        }
    }
}

fn assert_legal(board: &Board, mv: Coord) {
    assert!(board.is_legal(mv, board.side_to_move()), "{mv}");
}

#[test]
fn a_table_that_lies_breaks_no_rule() {
    let mut rng = fastrand::Rng::with_seed(0x11e5);
    for round in 0..100 {
        let mut board = random_board(&mut rng, Rule::ALL[round % 5]);
        if board.candidates().is_empty() {
            continue;
        }
        let mut searcher = Searcher::new(1 << 20);
        searcher.set_threads(1 + round % 2);
        searcher.table.grow(3_000, &Control::untimed());
        lie(&searcher.table, &mut board, &mut rng, 2);
        let control = Control::untimed();
        let limits = Limits { nodes: 3_000, ..Limits::default() };
        let report = searcher.search(&board, &limits, &control, &mut |_| ());
        assert_eq!(control.best(), Some(report.best));
        let mut line = board.clone();
        for &mv in &report.pv {
            assert_legal(&line, mv);
            line.play(mv);
        }
    }
}

#[test]
fn a_stopped_balance_is_as_near_as_its_last_whole_iteration() {
    let mut rng = fastrand::Rng::with_seed(0xba1a);
    let distance = |report: &Report| report.score.value().abs();
    let mut compared = 0;
    for round in 0..10 {
        let board = random_board(&mut rng, Rule::ALL[round % 5]);
        let balance = |limits| {
            let control = Control::untimed();
            let mut searcher = Searcher::new(1 << 20);
            let target = Target::balanced(Placement::One);
            searcher.balance(&board, target, &limits, &control, &mut |_| ())
        };
        let to_depth = |depth| balance(Limits { depth, ..Limits::default() });
        let iterations: Vec<Report> = (1..5).map_while(to_depth).collect();
        for (whole, next) in iterations.iter().zip(iterations.iter().skip(1)) {
            for quarter in 0..4 {
                let nodes = whole.nodes + (next.nodes - whole.nodes) * quarter / 4;
                let stopped = balance(Limits { nodes, ..Limits::default() }).expect("stones");
                if stopped.nodes < next.nodes {
                    assert!(distance(&stopped) <= distance(whole), "{whole:?}\n{stopped:?}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn a_side_that_is_ahead_places_a_balanced_pair_too() {
    for rule in Rule::ALL {
        let board = Board::after(15, rule, "h8i9");
        let limits = Limits { depth: 8, ..Limits::default() };
        let control = Control::untimed();
        let (mut searcher, target) = (Searcher::new(1 << 20), Target::balanced(Placement::Two));
        let pair =
            searcher.balance(&board, target, &limits, &control, &mut |_| ()).expect("a pair");
        assert!(pair.score.value().abs() <= 60, "{rule:?}: {pair:?}");
    }
}

#[test]
fn a_balance_has_its_part_of_the_time_that_is_left() {
    let board = Board::after(15, Rule::Freestyle, "h8i9g10j7");
    let start = Instant::now().checked_sub(Duration::from_secs(50)).expect("a later boot");
    let budget = Budget { soft: None, hard: Duration::from_secs(60) };
    let limits = Limits { depth: 3, ..Limits::default() };
    let control = Control::new(start, Some(budget));
    let mut searcher = Searcher::new(1 << 20);
    let mut depths = Vec::new();
    let report = searcher.balance(
        &board,
        Target::balanced(Placement::One),
        &limits,
        &control,
        &mut |progress| match progress {
            Progress::Report(report) => depths.push(report.depth),
            _ => panic!("a balance reports iterations"),
        },
    );
    assert_eq!(report.expect("a stone").depth, 3);
    assert_eq!(depths, [1, 2, 3]);
}

/// Returns the nodes of four searches, one after the other. A used table may slow one search down
/// by chance, but hardly their sum.
fn nodes_of_positions(searcher: &mut Searcher, limits: &Limits) -> u64 {
    let positions = ["h8i9g10j7", "h8h9i9j7g6j9", "h8i7g6j10k8", "h8g8i10g6"];
    let control = Control::untimed();
    let nodes = |moves| {
        let board = Board::after(15, Rule::Freestyle, moves);
        searcher.search(&board, limits, &control, &mut |_| ()).nodes
    };
    positions.map(nodes).iter().sum()
}

/// Returns a new searcher with the table of `searcher`, written and read back as a file.
fn reader_of(searcher: &Searcher) -> Searcher {
    let mut file = Vec::new();
    searcher.table.write(&mut file).expect("memory takes all");
    let mut reader = Searcher::new(1 << 22);
    reader.table.read(&mut std::io::Cursor::new(file)).expect("a whole table");
    reader
}

#[test]
fn a_game_at_full_strength_goes_on_with_the_table_there_is() {
    let nodes = |searcher: &mut Searcher, strength, seed| {
        let limits = Limits { depth: 9, strength, seed, ..Limits::default() };
        nodes_of_positions(searcher, &limits)
    };
    let mut searcher = Searcher::new(1 << 22);
    let fresh = nodes(&mut searcher, Strength::FULL, 1);
    // The game of another seed, and one with a table from a file.
    assert!(nodes(&mut searcher, Strength::FULL, 2) < fresh * 3 / 4);
    let mut reader = reader_of(&searcher);
    assert!(nodes(&mut reader, Strength::FULL, 3) < fresh * 3 / 4);
    // Below, another seed is another player.
    let strength = Strength::new(99).expect("a strength");
    let first = nodes(&mut searcher, strength, 1);
    nodes(&mut searcher, strength, 2);
    assert_eq!(nodes(&mut searcher, strength, 1), first);
}

#[test]
fn what_was_read_before_the_first_search_serves_searches_of_any_settings() {
    let draw_rule = DrawRule { moves: 200, winner: None };
    let limits = Limits { depth: 12, draw_rule, ..Limits::default() };
    let mut searcher = Searcher::new(1 << 22);
    let fresh = nodes_of_positions(&mut searcher, &limits);
    let mut reader = reader_of(&searcher);
    let read = nodes_of_positions(&mut reader, &limits);
    assert!(read < fresh * 3 / 4, "{read} {fresh}");
    // A change of settings between two searches clears everything, loaded entries too.
    nodes_of_positions(&mut reader, &Limits { depth: 1, ..Limits::default() });
    assert_eq!(nodes_of_positions(&mut reader, &limits), fresh);
}

#[test]
fn a_late_depth_limit_counts_the_iterations_of_its_own_search() {
    let board = Board::after(15, Rule::Freestyle, "h8h9i9j7g6j9");
    let control = Control::untimed();
    let mut searcher = Searcher::new(1 << 20);
    let limits = Limits { depth: 5, ..Limits::default() };
    let first = searcher.search(&board, &limits, &control, &mut |_| ());
    assert_eq!((first.depth, control.is_stopped()), (5, false));
    searcher.clear();
    let limits = Limits { depth: 7, ..Limits::default() };
    let mut limit_depth = |progress: Progress| {
        if let Progress::Entering(_) = progress {
            control.set_limits(&Limits { depth: 3, ..Limits::default() });
        }
    };
    let second = searcher.search(&board, &limits, &control, &mut limit_depth);
    assert_eq!((second.depth, control.is_stopped()), (3, false));
    searcher.clear();
    let third = searcher.search(&board, &limits, &control, &mut |_| ());
    assert_eq!((third.depth, control.is_stopped()), (3, false));
}

#[test]
fn the_table_can_be_asked_about_any_position() {
    let board = Board::after(15, Rule::Freestyle, "h8h9i9j7g6j9");
    let mut searcher = Searcher::new(1 << 20);
    assert_eq!(searcher.table.probe(board.key()), None);
    let control = Control::untimed();
    let limits = Limits { depth: 7, ..Limits::default() };
    let report = searcher.search(&board, &limits, &control, &mut |_| ());
    let root = searcher.table.probe(board.key()).expect("the root is known");
    assert_eq!(
        (root.mv, root.score_at(0), root.bound),
        (report.pv.first().copied(), report.score, Bound::Exact)
    );
    assert_eq!(root.plies(), 7);
    let reply = searcher.table.probe(board.key_after(report.best)).expect("its best child too");
    assert_eq!((reply.score_at(0), reply.bound), (-report.score, Bound::Exact));
    assert!((4..7).contains(&reply.plies()), "{}", reply.plies());
    searcher.clear();
    assert_eq!(searcher.table.probe(board.key()), None);
}
