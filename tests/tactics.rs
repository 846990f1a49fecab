//! Tactics at fixed nodes: what is won must be found and what is lost by one slip be kept. Each
//! position asserts the move, and the proof where there is one.
//!
//! In the boards `*` are the moves that are right. The wins by continuous fours were made at
//! random and reduced by a slow solver that knows the rules from `reference/grid.rs` only.

mod positions;

use std::time::Instant;

use positions::{Diagram, draw, size};
use tengen::board::Board;
use tengen::board::notation::parse_points;
use tengen::search::clock::Control;
use tengen::search::{Limits, Report, Searcher, fallback_move};
use tengen::types::{Color, Rule, ScoreKind};

use Color::{Black, White};
use Rule::{Caro, CaroExact, Freestyle, Renju, Standard};

/// What the search must say besides the move.
#[derive(Clone, Copy, Debug)]
enum Verdict {
    /// A win in exactly so many plies.
    WinIn(i32),
    /// A proved win of at least so many plies.
    Win(i32),
    /// A loss in exactly so many plies.
    LossIn(i32),
    /// Nothing is proved.
    Open,
    /// Anything.
    Any,
}

struct Case {
    name: &'static str,
    rules: &'static [Rule],
    to_move: Color,
    verdict: Verdict,
    text: &'static str,
}

const NODES: u64 = 30_000;

fn search(board: &Board, nodes: u64) -> Report {
    let control = Control::new(Instant::now(), None);
    let limits = Limits { nodes, ..Limits::default() };
    Searcher::new(1 << 20).search(board, &limits, &control, &mut |_| {})
}

fn assert_case(case: &Case) {
    let diagram = Diagram::parse(case.text);
    // Two mirror images do: all eight would only cost time.
    for diagram in [&diagram, &diagram.symmetries()[6]] {
        for &rule in case.rules {
            let board = diagram.board(rule, case.to_move);
            let report = search(&board, NODES);
            let message = format!("{}: {report:?}\n{}", case.name, draw(&board));
            assert!(diagram.marks.contains(&report.best), "{message}");
            let is_right = match (case.verdict, report.score.kind()) {
                (Verdict::WinIn(plies), ScoreKind::Win(found)) => found == plies,
                (Verdict::Win(least), ScoreKind::Win(found)) => found >= least,
                (Verdict::LossIn(plies), ScoreKind::Loss(found)) => found == plies,
                (Verdict::Open, ScoreKind::Eval(_)) | (Verdict::Any, _) => true,
                _ => false,
            };
            assert!(is_right, "{:?} expected, {message}", case.verdict);
        }
    }
}

fn assert_cases(cases: &[Case]) {
    cases.iter().for_each(assert_case);
}

/// Every rule; and every rule for those moves that black may make under renju too.
const ALL: &[Rule] = &Rule::ALL;
const NOT_RENJU: &[Rule] = &[Freestyle, Standard, Caro, CaroExact];
const CARO: &[Rule] = &[Caro, CaroExact];
const NOT_CARO: &[Rule] = &[Freestyle, Standard, Renju];

#[test]
fn wins_in_one_are_taken() {
    assert_cases(&[
        Case {
            name: "five before the block of a four",
            rules: ALL,
            to_move: Black,
            verdict: Verdict::WinIn(1),
            text: ". . . . . . . . .
                   . O X X X X * . .
                   . O O O O . . . .
                   . . . . . . . . .
                   . . . . . . . . .
                   . . . . . . . . .",
        },
        Case {
            name: "the gap in a row of six for white",
            rules: &[Freestyle, Renju, Caro],
            to_move: White,
            verdict: Verdict::WinIn(1),
            text: ". . . . . . . . .
                   . O O O * O O X .
                   . X X . X X . . .
                   . . . . . . . . .
                   . . . X . . . . .",
        },
        Case {
            name: "the five and not the six",
            rules: &[Standard, CaroExact],
            to_move: White,
            verdict: Verdict::WinIn(1),
            text: ". . . . . . . . .
                   . O O O . O O X .
                   . X X . X X . . .
                   . * O O O O X . .
                   . . . . . . . . .
                   . . . X . . . . .",
        },
        Case {
            name: "a five that makes two fours as well is allowed",
            rules: ALL,
            to_move: Black,
            verdict: Verdict::WinIn(1),
            text: ". . . . . . . . . .
                   . . . . . . . . . .
                   . . X . . X . . . .
                   . . . X . X . O . .
                   . O . . X X . O . .
                   O X X X X * . O . .
                   . . O . . O . . . .
                   . . . . . . O . . .",
        },
        Case {
            name: "caro wants the five that is not closed at both ends",
            rules: CARO,
            to_move: Black,
            verdict: Verdict::WinIn(1),
            text: ". . . . . . . . . .
                   . O X X X X . O . .
                   . . . . . . . . . .
                   . . . O . O . . . .
                   . O X X X X * . O .
                   . . . O . . . . . .",
        },
    ]);
}

#[test]
fn wins_in_three_are_found() {
    assert_cases(&[
        Case {
            name: "the three becomes an open four",
            rules: ALL,
            to_move: Black,
            verdict: Verdict::WinIn(3),
            text: ". . . . . . . . . .
                   . . . . . . . . . .
                   . . . O O . . . . .
                   . . * X X X * . . .
                   . . . . O . . . . .
                   . . . . . . . . . .
                   . . . . . . . . . .",
        },
        Case {
            name: "the gap of a broken three",
            rules: ALL,
            to_move: White,
            verdict: Verdict::WinIn(3),
            text: ". . . . . . . . . .
                   . . . . . . . . . .
                   . . . X X X O . . .
                   . . . O O * O . . .
                   . . X . X . . . X .
                   . . . . . . . . . .
                   . . . . . . . . . .",
        },
        Case {
            name: "two fours at once, forbidden to black under renju only",
            rules: NOT_RENJU,
            to_move: Black,
            verdict: Verdict::WinIn(3),
            text: ". . . . O . . . . .
                   . . . . X . . . . .
                   . . O . X . . . . .
                   . . . . X . O . . .
                   O X X X * . . . . .
                   . . O . . . . . . .
                   . . . . . . . . . .
                   . . . . . . . . . .",
        },
        Case {
            name: "two fours at once for white",
            rules: ALL,
            to_move: White,
            verdict: Verdict::WinIn(3),
            text: ". . . . X . . . . .
                   . . . . O . . . . .
                   . . X . O . . . . .
                   . . . . O . X . . .
                   X O O O * . . . . .
                   . . X . . . . . . .
                   . . . . . . . . . .
                   . . . . . . . . . .",
        },
    ]);
}

#[test]
fn wins_in_five_are_found() {
    assert_cases(&[
        Case {
            name: "a four with an open three",
            rules: ALL,
            to_move: Black,
            verdict: Verdict::Win(5),
            text: ". . . . . . . . . .
                   . . . . . . . . . .
                   . . . . X . . . . .
                   . . . . X . O . . .
                   O X X X * . . . . .
                   . . O . . . . . . .
                   . . . O . . . . . .
                   . . . . . . . . . .",
        },
        Case {
            name: "two open threes of white",
            rules: ALL,
            to_move: White,
            verdict: Verdict::Win(5),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . O X . . . .
                   . . . . X O . . X . .
                   . . . O O * . . . . .
                   . . . . X . . . . . .
                   . . . . X . . . . . .
                   . . . . . . X . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "two open threes of black where they are allowed",
            rules: NOT_RENJU,
            to_move: Black,
            verdict: Verdict::Win(5),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . X O . . . .
                   . . . . O X . . O . .
                   . . . X X * . . . . .
                   . . . . O . . . . . .
                   . . . . O . . . . . .
                   . . . . . . O . . . .
                   . . . . . . . . . . .",
        },
    ]);
}

#[test]
fn fours_are_blocked() {
    assert_cases(&[
        Case {
            name: "the one cell that stops a closed four",
            rules: NOT_CARO,
            to_move: White,
            verdict: Verdict::Any,
            text: ". . . . . . . . .
                   . . . . . . . . .
                   . O X X X X * . .
                   . . . O . . . . .
                   . . . . O . . . .
                   . . . . . . . . .",
        },
        Case {
            name: "the one cell or, under caro, the one behind it",
            rules: CARO,
            to_move: White,
            verdict: Verdict::Any,
            text: ". . . . . . . . .
                   . . . . . . . . .
                   . O X X X X * * .
                   . . . O . . . . .
                   . . . . O . . . .
                   . . . . . . . . .",
        },
        Case {
            name: "a four against the edge is not closed by it",
            rules: CARO,
            to_move: White,
            verdict: Verdict::Any,
            text: ". . . . . . . . .
                   . . . . . . . . .
                   X X X X * . . . .
                   . . . O . . . . .
                   . . O O . . . . .
                   . . . . . . . . .",
        },
        Case {
            name: "the gap",
            rules: ALL,
            to_move: Black,
            verdict: Verdict::Any,
            text: ". . . . . . . . .
                   . . . . . . X . .
                   . O O * O O . . .
                   . . X X . . . . .
                   . . . X . . . . .
                   . . . . . . . . .",
        },
        Case {
            name: "an open four is lost, and stopped at one end all the same",
            rules: ALL,
            to_move: Black,
            verdict: Verdict::LossIn(2),
            text: ". . . . . . . . .
                   . . . . . . . . .
                   . * O O O O * . .
                   . . X X . . . . .
                   . . . X X . . . .
                   . . . . . . . . .",
        },
        Case {
            name: "the point of a five is black's even among fouls",
            rules: &[Renju],
            to_move: Black,
            verdict: Verdict::WinIn(1),
            text: ". . . . . . . . .
                   . . . . . . . . .
                   X . . X . O . . .
                   . X . X . O . . .
                   . . X X . O . . .
                   X X X * X O . . .
                   . . . . . . . . .
                   . . . . . . . . .",
        },
    ]);
}

#[test]
fn open_threes_are_answered() {
    assert_cases(&[
        Case {
            name: "a solid three with room: one of its ends",
            rules: NOT_CARO,
            to_move: White,
            verdict: Verdict::Open,
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . O . . . . .
                   . . . * X X X * . . .
                   . . . . . O . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "under caro two cells at each end",
            rules: CARO,
            to_move: White,
            verdict: Verdict::Open,
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . O . . . . .
                   . . * * X X X * * . .
                   . . . . . O . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "a narrow three has a third answer",
            rules: NOT_CARO,
            to_move: White,
            verdict: Verdict::Open,
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . O . . . . .
                   . . O * X X X * * . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "a broken three: the gap or an end",
            rules: NOT_CARO,
            to_move: White,
            verdict: Verdict::Open,
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . O . . . . .
                   . . * X X * X * . . .
                   . . . . O . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
    ]);
}

#[test]
fn standard_knows_what_a_row_of_six_is_worth() {
    // White's gap makes six and nothing else; black's own five is two moves away.
    assert_cases(&[
        Case {
            name: "a worthless overline is no threat",
            rules: &[Standard, CaroExact],
            to_move: Black,
            verdict: Verdict::WinIn(3),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . O O O . O O . . .
                   . . . . . . . . . . .
                   . . . . O . . . . . .
                   . . * X X X * . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "where six wins it must be stopped",
            rules: &[Freestyle, Renju, Caro],
            to_move: Black,
            verdict: Verdict::Any,
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . O O O * O O . . .
                   . . . . . . . . . . .
                   . . . . O . . . . . .
                   . . . X X X . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "a closed five is no threat under caro",
            rules: CARO,
            to_move: Black,
            verdict: Verdict::WinIn(3),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . X O O O . O X . . .
                   . . . . . . . . . . .
                   . . . . O . . . . . .
                   . . * X X X * . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
    ]);
}

#[test]
fn continuous_fours_are_found() {
    assert_cases(&[
        Case {
            name: "2 fours",
            rules: &[Freestyle],
            to_move: Black,
            verdict: Verdict::Win(5),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . X . X . .
                   . . . . . . . . X . .
                   . . . . . . . . * . .
                   . . . . . . . . . X .
                   . . . . . . . . X . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "3 fours",
            rules: &[Freestyle],
            to_move: Black,
            verdict: Verdict::Win(7),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . X . . .
                   . . . . . . . . . . .
                   . . . X . X . * . . .
                   . . . . . . . X . . .
                   . . . . . . . X . . .
                   . . . . . . . . . X .
                   . . . . . . . . . . .",
        },
        Case {
            name: "4 fours",
            rules: &[Freestyle],
            to_move: Black,
            verdict: Verdict::Win(9),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . X . X .
                   . . . . . X X . . . .
                   . . . . . . . . . X .
                   . . . . . . . . . * .
                   . . . . . . . . . . .
                   . . . . . . . . . X .
                   . . . . . . . . . X .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "5 fours",
            rules: &[Freestyle],
            to_move: Black,
            verdict: Verdict::Win(11),
            text: ". . . . . . . . . . .
                   . . . X X . . . . . .
                   . . X . X . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . X X * . X .
                   . . . . . . O . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "2 fours, other ones than freestyle's",
            rules: &[Standard],
            to_move: White,
            verdict: Verdict::Win(5),
            text: ". . . . . . . . . . .
                   . . . . . . . . O . .
                   . . O . O . O O * . .
                   . . . . . . . . O . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "3 fours, other ones than freestyle's",
            rules: &[Standard],
            to_move: White,
            verdict: Verdict::Win(7),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . O . . . . . . .
                   . . . . . . . . . . .
                   . . . * . . . X . . .
                   . . . O . . X . . . .
                   . . . O O X . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . O X . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "4 fours",
            rules: &[Standard],
            to_move: White,
            verdict: Verdict::Win(9),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . O . . . .
                   . . . . . X . O O . .
                   . . . . . . . . . . .
                   . . . O O . * O . . .
                   . . . . . . O . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "5 fours",
            rules: &[Standard],
            to_move: White,
            verdict: Verdict::Win(11),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . O O . . .
                   . . . . X . . . . . .
                   . . . . . . . . . . .
                   . . . O O . . . . . .
                   . . . . O * O . O . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "2 fours, other ones than freestyle's",
            rules: &[Renju],
            to_move: White,
            verdict: Verdict::Win(5),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . O . .
                   . O . . . X . O . . .
                   . * . . . X . . . . .
                   . . X X . . . . . . .
                   . O . . O . . . . . .
                   . O . . . X . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "3 fours, other ones than freestyle's",
            rules: &[Renju],
            to_move: White,
            verdict: Verdict::Win(7),
            text: ". . . . . . . . . . .
                   . . . . X O O O . * .
                   . . . . X . . . O . .
                   . . . . X . O . . . .
                   . . . . X . . . . . .
                   . . . . X O . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "4 fours",
            rules: &[Renju],
            to_move: White,
            verdict: Verdict::Win(9),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . O . . . .
                   . . . . . . . . . . .
                   . X . . . . O . . . .
                   . . . . . . * . . . .
                   . . . X . . O X . . .
                   . . . . . . . . . . .
                   . . O O . . . . . . .
                   . . O . X . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "5 fours",
            rules: &[Renju],
            to_move: White,
            verdict: Verdict::Win(11),
            text: ". . . . . . . . . . .
                   . . . . O . . . . . .
                   . . . . . O . . . . .
                   . . O . O . * . . . .
                   . . . . . . . . . . .
                   . O . . . . . . O . .
                   . . . . . . . . . . .
                   . O . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "2 fours, other ones than freestyle's",
            rules: &[Renju],
            to_move: Black,
            verdict: Verdict::Win(5),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . O X . . . . . .
                   . * . X . . . . . . .
                   . . . . . . . . . . .
                   . X . X . . . . . . .
                   . X . . X . . . . . .
                   . . . . . X . . . . .
                   . . . . . . O . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "3 fours, other ones than freestyle's",
            rules: &[Renju],
            to_move: Black,
            verdict: Verdict::Win(7),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . * X X . X . X .
                   . . X . . . . . . . .
                   . . . . . . . . . . .
                   . . X . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "4 fours, other ones than freestyle's",
            rules: &[Renju],
            to_move: Black,
            verdict: Verdict::Win(9),
            text: ". . . . . . . . . . .
                   . . . . X . . . . . .
                   . . . . . . . . . . .
                   . . . . * . . . . . .
                   . . . . X . . X . . .
                   . . . . X . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . X . . . X . . .
                   . . X . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "5 fours",
            rules: &[Renju],
            to_move: Black,
            verdict: Verdict::Win(11),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . X * X . X . . .
                   . . . . X . . . . . .
                   . . X . . . . . . . .
                   . . . . X . . . . . .
                   . . . . O . X . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "2 fours, other ones than freestyle's",
            rules: &[Caro],
            to_move: Black,
            verdict: Verdict::Win(5),
            text: ". . . . . . . . . . .
                   . . . . . O . . . . .
                   . . . . . . . . . . .
                   . . . . . X . . . . .
                   . . . . . X . . . . .
                   . . . . . X . . . . .
                   . . . . . * . X X . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "3 fours, other ones than freestyle's",
            rules: &[Caro],
            to_move: Black,
            verdict: Verdict::Win(7),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . X X X * O . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . X . .
                   . . . . . X . . . X .
                   . . . . X . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "4 fours",
            rules: &[Caro],
            to_move: Black,
            verdict: Verdict::Win(9),
            text: ". . . . . . . . . . .
                   . . . . X . . . . . .
                   . . . . . . . X . . .
                   . . . . . . . . . . .
                   . . . . . X . X . . .
                   . . . . . X . . . . .
                   . . . . . * . . . O .
                   . . . . . . . . . . .
                   . . . . . X . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "5 fours, other ones than freestyle's",
            rules: &[Caro],
            to_move: Black,
            verdict: Verdict::Win(11),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . O X . . .
                   . X . . . . * . . . .
                   . X . . . . X . . . .
                   . . . . X . X . . . .
                   . . X . . . X . . . .
                   . . O . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "2 fours, other ones than freestyle's",
            rules: &[CaroExact],
            to_move: White,
            verdict: Verdict::Win(5),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . O . .
                   . . . . . . . . . . .
                   . . . . . . O . . . .
                   . . . . . O . . . . .
                   . O . O * . . . . . .
                   . . . X . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "3 fours, other ones than freestyle's",
            rules: &[CaroExact],
            to_move: White,
            verdict: Verdict::Win(7),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . O . . . . . . . .
                   . . O . . . . . . . .
                   . . O . O . . . . . .
                   . . * O . . O . . . .
                   . . X . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "4 fours",
            rules: &[CaroExact],
            to_move: White,
            verdict: Verdict::Win(9),
            text: ". . . . . . . . . . .
                   . . O . . . . . . . .
                   . O . . O . . . . . .
                   . . . . . O . . . . .
                   . . . . . * . . . . .
                   . . . . . O . . . . .
                   . . . . . . . . . . .
                   . . . . . O . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "5 fours, other ones than freestyle's",
            rules: &[CaroExact],
            to_move: White,
            verdict: Verdict::Win(11),
            text: ". . . . . . . . . . .
                   . . O . . O . . . O .
                   . . O . . . . O . . .
                   . . . . . . . . . . .
                   . O . O * O . . . . .
                   . . . . . . . O . . .
                   . . X . . . . X . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
    ]);
}

#[test]
fn white_wins_by_forbidden_answers() {
    assert_cases(&[
        Case {
            name: "the four that only a double three could stop",
            rules: &[Renju],
            to_move: White,
            verdict: Verdict::WinIn(3),
            text: ". . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . X . X . .
                   . . . . . . X X . . .
                   . X O O O * . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
        Case {
            name: "the four that only six could stop",
            rules: &[Renju],
            to_move: White,
            verdict: Verdict::WinIn(3),
            text: ". . . . . . X . . . .
                   . . . . . . X . . . .
                   . . . . . . X . . . .
                   . X O O O * . . . . .
                   . . . . . . X . . . .
                   . . . . . . X . . . .
                   . . . . . . . . . . .
                   . . . . . . . . . . .",
        },
    ]);
}

#[test]
fn black_is_lost_when_the_only_answer_is_forbidden() {
    let text = ". . . . . . . . . . .
                . . . . . . . . . . .
                . . . . . . X . X . .
                   . . . . . . X X . . .
                   . X O O O O . . . . .
                . . . . . . . . . . .
                . . . . . . . . . . .
                . . . . . . . . . . .
                . . . . . . . . . . .";
    let mut board = Diagram::parse(text).board(Renju, Black);
    let report = search(&board, NODES);
    assert_eq!(report.score.kind(), ScoreKind::Loss(2), "{report:?}");
    assert!(!board.is_forbidden(report.best), "{report:?}");
}

#[test]
fn black_never_plays_a_forbidden_point() {
    let mut rng = fastrand::Rng::with_seed(0x07ac_71c5);
    let (mut asked, mut fouls) = (0, 0);
    while asked < 150 {
        let size = size(rng.usize(6..=12), rng.usize(6..=12));
        let stones = positions::random::random_stones(&mut rng, size);
        let mut board = Board::from_cells(size, Renju, &stones, Black);
        let free: Vec<_> = board.empty_cells().into_iter().collect();
        let forbidden = free.iter().filter(|&&c| board.is_forbidden(c)).count();
        if forbidden == 0 || forbidden == free.len() {
            continue;
        }
        (asked, fouls) = (asked + 1, fouls + forbidden);
        let report = search(&board, 1_500);
        assert!(!board.is_forbidden(report.best), "{report:?}\n{}", draw(&board));
        let fallback = fallback_move(&board).expect("a free cell");
        assert!(!board.is_forbidden(fallback), "{fallback}\n{}", draw(&board));
    }
    assert!(fouls > 200, "{fouls}");
}

#[test]
fn a_move_is_played_even_if_every_cell_is_forbidden() {
    // One free cell, and it makes six.
    let text = "O X O X O X O
                X O O O O O X
                   X X X * X X X
                X O X O X O X
                O X O X O X O";
    let diagram = Diagram::parse(text);
    let mut board = diagram.board(Renju, Black);
    assert!(board.is_forbidden(diagram.marks[0]));
    assert_eq!(search(&board, NODES).best, diagram.marks[0]);
    assert_eq!(fallback_move(&board), Some(diagram.marks[0]));
}

#[test]
fn empty_and_nearly_full_boards_get_a_move() {
    for rule in Rule::ALL {
        for (width, height) in [(15, 15), (20, 20), (22, 22), (15, 20)] {
            let board = Board::new(size(width, height), rule);
            assert_eq!(search(&board, 500).best, board.size().center(), "{rule:?}");
        }
        let mut rng = fastrand::Rng::with_seed(5);
        let size = size(6, 6);
        let mut board = Board::new(size, rule);
        while board.empty_count() > 0 {
            let report = search(&board, 300);
            assert!(board.is_empty(report.best), "{}", draw(&board));
            let free: Vec<_> = board.empty_cells().into_iter().collect();
            board.play(if rng.bool() { report.best } else { free[rng.usize(0..free.len())] });
        }
        assert_eq!(fallback_move(&board), None);
    }
}

#[test]
fn a_shorter_win_of_the_opponent_comes_first() {
    // Black has an open three to extend, but white has a four.
    let size = size(15, 15);
    let points = |text| parse_points(text, size).expect("valid points");
    for rule in Rule::ALL {
        let mut board = Board::new(size, rule);
        for mv in points("h8d4i8d5j8d6n13d7") {
            board.play(mv);
        }
        let stops = board.common_refutations(White, tengen::shape::Threat::Five);
        let report = search(&board, NODES);
        // The four is open: both ends are winning cells, so no stop exists.
        assert!(stops.is_empty(), "{stops:?}");
        assert_eq!(report.score.kind(), ScoreKind::Loss(2), "{rule:?}");
        assert!(points("d3d8").contains(&report.best), "{rule:?} {report:?}");
    }
}
