//! Wins under some rules that are none under others: in these hand-made positions a stone, a wall
//! or the edge takes the win. The search must find the short wins. Any other win that a solver
//! claims must be a longer one, and is played out.

use tengen_gomoku::board::Board;
use tengen_gomoku::types::{Cell, Color, Rule};

use crate::positions::{Diagram, draw};
use crate::reference::proof_checker::ProofChecker;
use crate::unclocked;
use tengen::score::ScoreKind;
use tengen::search::vcf::{Solution, Vcf};
use tengen::search::vct::Vct;
use tengen::search::{Limits, Searcher};

const NODES: u64 = 5_000;
/// Plies of the longest win in the table: a four with an open three.
const SHORT: i32 = 5;

/// The six kinds of attackers and the letters they have in the table: freestyle, standard, renju
/// black and white, caro and caro with exact fives.
const KINDS: [(char, Rule, &[Color]); 6] = [
    ('F', Rule::Freestyle, &Color::ALL),
    ('S', Rule::Standard, &Color::ALL),
    ('B', Rule::Renju, &[Color::Black]),
    ('W', Rule::Renju, &[Color::White]),
    ('C', Rule::Caro, &Color::ALL),
    ('E', Rule::CaroExact, &Color::ALL),
];

/// A name, the kinds of attackers who win within [`SHORT`] plies, and the board: `X` attacks and is
/// to move, `O` defends.
type Case = (&'static str, &'static str, &'static str);

/// Returns the diagram as a board on which `X` is `attacker`, who is to move.
fn board_of(diagram: &Diagram, rule: Rule, attacker: Color) -> Board {
    let swap = |cell: Cell| cell.stone().map_or(cell, |color| (!color).cell());
    let turn = |cell: Cell| if attacker == Color::White { swap(cell) } else { cell };
    let cells: Vec<_> = diagram.cells.iter().map(|&(c, cell)| (c, turn(cell))).collect();
    Board::from_cells(diagram.size, rule, &cells, attacker)
}

/// Returns the plies of the win that the search claims, if it does.
fn search(board: &Board) -> Option<i32> {
    let limits = Limits { nodes: NODES, ..Limits::default() };
    let report = unclocked::search(&mut Searcher::new(1 << 20), board, limits);
    match report.score.kind() {
        ScoreKind::Win(plies) => Some(plies),
        ScoreKind::Loss(_) | ScoreKind::Eval(_) => None,
    }
}

/// Returns the plies of the win that a solver of threats claims, if it does.
fn claimed(outcome: Solution) -> Option<i32> {
    match outcome {
        Solution::Win { plies, .. } => Some(plies),
        Solution::No | Solution::Unknown => None,
    }
}

/// Plays the win of the side to move out, against every answer.
fn play_out(board: &mut Board, name: &str) {
    let mut vct = Vct::default();
    let claim = |board: &mut Board| match vct.solve(board, 200 * NODES) {
        Solution::Win { mv, plies } => Some((mv, plies)),
        Solution::No | Solution::Unknown => None,
    };
    assert!(ProofChecker::new(1_000_000, claim).attack(board), "{name}\n{}", draw(board));
}

#[test]
fn a_win_is_claimed_where_there_is_one_and_nowhere_else() {
    for &(name, winners, text) in CASES {
        let diagram = Diagram::parse(text);
        // The drawing and its quarter turn do: all eight images would only cost time.
        for (number, diagram) in [&diagram, &diagram.symmetries()[6]].into_iter().enumerate() {
            for (letter, rule, attackers) in KINDS {
                for &attacker in attackers {
                    let mut board = board_of(diagram, rule, attacker);
                    let threats = claimed(Vct::default().solve(&mut board, NODES));
                    let fours = claimed(Vcf::default().solve(&mut board, NODES));
                    let claims = [search(&board), threats, fours];
                    let is_short = claims.iter().flatten().any(|&plies| plies <= SHORT);
                    let wins = winners.contains(letter);
                    let message = || format!("{name}: {claims:?}\n{}", draw(&board));
                    assert_eq!(is_short, wins, "{}", message());
                    assert!(!wins || claims[0].is_some(), "{}", message());
                    if number == 0 && claims.iter().any(Option::is_some) {
                        play_out(&mut board, name);
                    }
                }
            }
        }
    }
}

const CASES: &[Case] = &[
    (
        "the gap makes six",
        "FWC",
        ". . . . . . . . . .
         . . . . . . . . . .
         . . X X . X X X . .
         . . . . . . . . . .
         . . . . . . . . . .",
    ),
    (
        "both ends of the open four make six",
        "FWC",
        ". . . . . . . . . .
         . . . . . . . . . .
         . X . X . X X . X .
         . . . . . . . . . .
         . . . . . . . . . .",
    ),
    (
        "the four of a four with a three makes six",
        "FWC",
        ". . . . . . . . . .
         . . . . . . . . . .
         . . . . O X O . . .
         . . . . . X . . . .
         O X X . X . X O . .
         . . . O . . . O . .
         . . . O . . . O . .
         . . . . . . . . . .",
    ),
    (
        "two threes with room for one open four each are forbidden to black",
        "FSW",
        ". O . . . O . . . .
         . . O . . . . . . .
         . . . . O X O . . .
         . . . . . X . . . .
         . O . X X . . . O .
         . . . . O . . . O .
         . . . . . . . . . .
         . . . . . O . . . .",
    ),
    (
        "one of two threes has room for a five but for no open four",
        "",
        ". O . . . O . . . .
         . . O . . . . . . .
         . . . . O X O . . .
         . . . . . X . . . .
         . O . X X . . O . .
         . . . . O . . . O .
         . . . . . . . . . .
         . . . . . O . . . .",
    ),
    (
        "the three has room for one open four",
        "FSBW",
        ". . . . . . . . . .
         . . . . . . . . . .
         . O . X X X . . O .
         . . . . . . . . . .
         . . . . . . . . . .",
    ),
    (
        "the three has room for no open four",
        "",
        ". . . . . . . . . .
         . . . . . . . . . .
         . O . X X X . O . .
         . . . . . . . . . .
         . . . . . . . . . .",
    ),
    (
        "the four would become a five closed at both ends",
        "FSBW",
        ". . . . . . . . . .
         . . . . . . . . . .
         . . . . X . . . . .
         . . . . X . . . . .
         O X X X . . O . . .
         . . . . . . . . . .
         . . . . . . . . . .
         . . . . . . . . . .",
    ),
    (
        "the four can be met by closing its five, with a four of the defender",
        "FSBW",
        ". . . . . . . X . .
         . . . . . . . O . .
         . . . . . X . O . .
         . . . . . X . O . .
         . O X X X . . . . .
         . . . . . . . . . .
         . . . . . . . . . .
         . . . . . . . . . .",
    ),
    (
        "a four with a three whose answer is a four of the defender",
        "",
        ". . . . . . . . . .
         . . . O . . . . . .
         . . . O . X . . . .
         . . . O . X . . . .
         O X X . X . . . . .
         . . . . . . . . . .
         . . . . . . . . . .
         . . . . . . . . . .",
    ),
    (
        "two fours on one line are forbidden to black alone",
        "FSWCE",
        ". . . . . . . . . .
         . . . . . . . . . .
         . X . X . X . X . .
         . . . . . . . . . .
         . . . . . . . . . .",
    ),
    (
        "the one point of the open four is an overline as well",
        "FSWCE",
        ". . . . . O . . . .
         . . . . . X . . . .
         . . . . . X . . . .
         . . . . . X . . . .
         O . X X X . . . . .
         . . . . . X . . . .
         . . . . . X . . . .
         . . . . . O . . . .",
    ),
    (
        "the answer to the four is two threes, forbidden to black",
        "W",
        ". . . . . . . . . . .
         . . . . . . . . . . .
         . . . . O O . . . . .
         . . . . . . . O . . .
         . . . . . . X . . . .
         . . . . . . X . . O .
         . . . . . . X . . . .
         . . . . . . O . . . .
         . . . . . . . . . . .",
    ),
    (
        "the answer looks forbidden, but one of its threes is false",
        "",
        ". . . . . . . . . . .
         . . . . . . . . . . .
         . . . . O O . . . . .
         . . . . . . . O O X .
         . . . . . . X . . . .
         . . . . . . X . O O .
         . . . . . . X . O . .
         . . . . . . O . . . .
         . . . . . . . . . . .",
    ),
    (
        "walls leave the three no room for an open four",
        "",
        ". . . . . . . . .
         . . . . . . . . .
         . # . X X X . # .
         . . . . . . . . .
         . . . . . . . . .",
    ),
    (
        "a wall closes no five, so that one closed end is not enough",
        "FSBW",
        ". . . . . . . . . .
         . . . . . . . . . .
         . # . X X X . . O .
         . . . . . . . . . .
         . . . . . . . . . .",
    ),
    (
        "a wall leaves room for one open four",
        "FSBWCE",
        ". . . . . . . . . .
         . . . . . . . . . .
         . # . X X X . . . .
         . . . . . . . . . .
         . . . . . . . . . .",
    ),
    (
        "a row of five cells has no room for an open four",
        "",
        ". . . . .
         . X X X .
         . . . . .
         . . . . .
         . . . . .
         . . . . .
         . . . . .",
    ),
    (
        "a row of six cells has",
        "FSBWCE",
        ". . . . . .
         . X X X . .
         . . . . . .
         . . . . . .
         . . . . . .",
    ),
    (
        "a diagonal that the corner cuts to five cells has none either",
        "",
        ". . . . . . .
         . . X . . . .
         . . . X . . .
         . . . . X . .
         . . . . . . .",
    ),
];
