//! Wins under the five rules and the points that renju forbids, drawn as text.
//!
//! Every line is read in the four directions and from edge to edge, every board in its eight
//! turned and mirrored forms.

use tengen_gomoku::board::Board;
use tengen_gomoku::board::notation::parse_points;
use tengen_gomoku::types::{BoardSize, Cell, Color, Coord, Rule};

use crate::positions;
use crate::positions::{Diagram, draw, size};
use crate::reference::grid::{Grid, Verdict, point_of};

/// The six kinds of winning lines and the letters they have in the tables: freestyle, standard,
/// renju black and white, caro and caro with exact fives.
const KINDS: [(char, Rule, &[Color]); 6] = [
    ('F', Rule::Freestyle, &Color::ALL),
    ('S', Rule::Standard, &Color::ALL),
    ('B', Rule::Renju, &[Color::Black]),
    ('W', Rule::Renju, &[Color::White]),
    ('C', Rule::Caro, &Color::ALL),
    ('E', Rule::CaroExact, &Color::ALL),
];

/// Lines from edge to edge, `X` the stones of the player who moves to `*`, and the kinds under
/// which that wins.
const LINES: [(&str, &str); 34] = [
    // Rows of five, made at each place.
    (".*XXXX.", "FSBWCE"),
    (".X*XXX.", "FSBWCE"),
    (".XX*XX.", "FSBWCE"),
    (".XXX*X.", "FSBWCE"),
    (".XXXX*.", "FSBWCE"),
    // Fours are not enough, and neither are fives with a gap.
    (".XXX*..", ""),
    ("..XX*X.", ""),
    (".XXX.*X", ""),
    (".XX*.XX", ""),
    // More than five.
    (".XXXXX*.", "FWC"),
    (".XXX*XX.", "FWC"),
    (".XX*XXX.", "FWC"),
    (".XXX*XXX.", "FWC"),
    ("XXXX*XXXX", "FWC"),
    ("XXXX*X.X", "FWC"),
    // The stone two cells on is not part of the row.
    ("X.XXXX*.X", "FSBWCE"),
    // One closed end leaves the five, two take it under caro.
    ("OXXXX*.", "FSBWCE"),
    ("OXXXX*O", "FSBW"),
    ("O*XXXXO", "FSBW"),
    ("OXX*XXO", "FSBW"),
    ("OXXXX*.O", "FSBWCE"),
    ("O.XX*XX.O", "FSBWCE"),
    // Six between enemy stones is closed for exact fives only by being six.
    ("OXXXXX*O", "FWC"),
    ("OXXX*XXO", "FWC"),
    ("OXXX*XXXO", "FWC"),
    // The edge does not close a five.
    ("XXXX*O", "FSBWCE"),
    ("*XXXXO.", "FSBWCE"),
    ("OXXXX*", "FSBWCE"),
    ("XXXX*", "FSBWCE"),
    // A wall does not close a five either, and takes no part in one.
    ("#XXXX*O", "FSBWCE"),
    ("OXXX*X#", "FSBWCE"),
    ("#XX*XX#", "FSBWCE"),
    ("XXX#*XX", ""),
    // a stone after the closing one opens nothing.
    ("OXXXX*OX", "FSBW"),
];

/// Where the `k`th cell of a line lies when it is laid in each of the four directions over a
/// square board.
const DIRECTIONS: [fn(u8, u8) -> Coord; 4] = [
    |k, _| Coord::new(k, 2),
    |k, _| Coord::new(2, k),
    |k, _| Coord::new(k, k),
    |k, side| Coord::new(side - 1 - k, k),
];

#[test]
fn a_row_wins_by_its_length_and_its_ends() {
    for (line, winners) in LINES {
        for (letter, rule, colors) in KINDS {
            for &color in colors {
                for lay in DIRECTIONS {
                    let (board, c) = board_of_line(line, rule, color, lay);
                    let wins = board.makes_five(c, color);
                    assert_eq!(wins, winners.contains(letter), "{line} {color:?} {}", draw(&board));
                }
            }
        }
    }
}

/// Returns the board with the line on it, own stones in `color`, and the cell in question.
fn board_of_line(line: &str, rule: Rule, color: Color, lay: fn(u8, u8) -> Coord) -> (Board, Coord) {
    let side = line.len() as u8;
    let mut center = None;
    let mut cells = Vec::new();
    for (k, symbol) in line.chars().enumerate() {
        let c = lay(k as u8, side);
        match symbol {
            'X' => cells.push((c, color.cell())),
            'O' => cells.push((c, (!color).cell())),
            '#' => cells.push((c, Cell::Wall)),
            '*' => center = Some(c),
            _ => {}
        }
    }
    let size = size(line.len(), line.len());
    (Board::from_cells(size, rule, &cells, color), center.expect("a cell in question"))
}

#[test]
fn a_caro_five_closed_on_one_line_may_be_open_on_another() {
    let closed_and_open = "
        . . . . . . X .
        . . . . . . X .
        . . . . . . X .
        . . . . . . X .
        . O X X X X * O
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .";
    let both_closed = "
        . . . . . . O .
        . . . . . . X .
        . . . . . . X .
        . . . . . . X .
        . . . . . . X .
        . O X X X X * O
        . . . . . . O .
        . . . . . . . .";
    for rule in [Rule::Caro, Rule::CaroExact] {
        for (text, expected) in [(closed_and_open, true), (both_closed, false)] {
            for diagram in Diagram::parse(text).symmetries() {
                let board = diagram.board(rule, Color::Black);
                let wins = board.makes_five(diagram.marks[0], Color::Black);
                assert_eq!(wins, expected, "{}", draw(&board));
            }
        }
    }
}

/// Asserts the verdict of the board and of the plain grid on a point, in all eight forms.
fn assert_verdict(name: &str, text: &str, expected: Verdict) {
    for diagram in Diagram::parse(text).symmetries() {
        let board = diagram.board(Rule::Renju, Color::Black);
        let c = diagram.marks[0];
        assert_eq!(Grid::of(&board).judge(point_of(c)), expected, "{name}\n{}", draw(&board));
        let is_forbidden = board.is_forbidden(c);
        assert_eq!(is_forbidden, expected == Verdict::Foul, "{name} at {c}\n{}", draw(&board));
        assert_eq!(board.makes_five(c, Color::Black), expected == Verdict::Five, "{name} at {c}");
    }
}

#[test]
fn forbidden_points_have_their_reason() {
    // White's stones are far away.
    for (black, expected) in [
        ("g8i8h7h9", Some("double three")),
        ("g8i8", None),
        ("e8f8g8h9h10h11", Some("double four")),
        ("d8f8g8j8k8", None),
        ("e8g8i8k8", Some("double four")),
        ("f8g8i8j8k8", Some("overline")),
        // A four and a three win, a four and two threes are two threes.
        ("e8f8g8h9h10", None),
        ("e8f8g8h9h10i9j10", Some("double three")),
        ("e8f8g8i8h9h10h11", None),
    ] {
        let mut board = Board::new(BoardSize::DEFAULT, Rule::Renju);
        for (i, c) in parse_points(black, board.size()).unwrap().into_iter().enumerate() {
            board.play(c);
            board.play(Coord::new([0, 2, 4, 6, 8, 10, 12][i], 0));
        }
        let h8 = Coord::new(7, 7);
        assert_eq!(board.why_forbidden(h8), expected, "{black}\n{}", draw(&board));
        assert_eq!(board.why_forbidden(h8).is_some(), board.is_forbidden(h8));
    }
}

#[test]
fn forbidden_points_are_known() {
    for &(name, text, expected) in RENJU_BOARDS.iter().chain(FALSE_THREES) {
        assert_verdict(name, text, expected);
    }
}

/// Boards on which black asks for `*`.
const RENJU_BOARDS: &[(&str, &str, Verdict)] = &[
    (
        "two solid threes",
        ". . . . . . . . .
         . . . . . . . . .
         . . . . X . . . .
         . . . . X . . . .
         . . X X * . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .",
        Verdict::Foul,
    ),
    (
        "two broken threes",
        ". . . . . . . . .
         . . . . X . . . .
         . . . . . . . . .
         . . . . X . . . .
         . X . X * . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .",
        Verdict::Foul,
    ),
    (
        "three threes on diagonals and a row",
        ". . . . . . . . .
         . . . . . . . . .
         . . X . . . X . .
         . . . X . X . . .
         . . . . * X X . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .",
        Verdict::Foul,
    ),
    (
        "a white stone at the end makes one three a closed one",
        ". . . . . . . . .
         . . . . . . . . .
         . . . . X . . . .
         . . . . X . . . .
         . O X X * . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .",
        Verdict::Legal,
    ),
    (
        "a three between two far white stones has room for one straight four",
        ". . . . . . . . .
         . . . . . . . . .
         . . . . X . . . .
         . . . . X . . . .
         O . X X * . . O .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .",
        Verdict::Foul,
    ),
    (
        "a three between two near white stones never becomes a straight four",
        ". . . . . . . . .
         . . . . . . . . .
         . . . . X . . . .
         . . . . X . . . .
         O . X X * . O . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .",
        Verdict::Legal,
    ),
    (
        "a three beside the edge needs both ends of its straight four",
        ". . X X * . . . .
         . . . X . . . . .
         . . X . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .",
        Verdict::Legal,
    ),
    (
        "walls close threes as the edge does",
        ". . . . . . . . .
         . . . . . . . . .
         . . . . X . . . .
         . . . . X . . . .
         . # X X * . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .",
        Verdict::Legal,
    ),
    (
        "own stones beyond both ends let the three become an overline only",
        ". . . . . . . . . . .
         . . . . . . . . . . .
         . . . . . X . . . . .
         . . . . . X . . . . .
         . X . . X * X . . X .
         . . . . . . . . . . .
         . . . . . . . . . . .
         . . . . . . . . . . .
         . . . . . . . . . . .",
        Verdict::Legal,
    ),
    (
        "an own stone beyond one end leaves the other",
        ". . . . . . . . . . .
         . . . . . . . . . . .
         . . . . . X . . . . .
         . . . . . X . . . . .
         . X . . X * X . . . .
         . . . . . . . . . . .
         . . . . . . . . . . .
         . . . . . . . . . . .
         . . . . . . . . . . .",
        Verdict::Foul,
    ),
    (
        "two fours on two lines",
        ". . . . . . . . .
         . . . . . X . . .
         . . . . . X . . .
         . . . . . X . . .
         . O X X X * . . .
         . . . . . O . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .",
        Verdict::Foul,
    ),
    (
        "two straight fours on two lines",
        ". . . . . . . . .
         . . . . . X . . .
         . . . . . X . . .
         . . . . . X . . .
         . . X X X * . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .",
        Verdict::Foul,
    ),
    (
        "two fours on one line, a gap each",
        ". . . . . . . . .
         . . . . . . . . .
         . X . X * X . X .
         . . . . . . . . .
         . . . . . . . . .",
        Verdict::Foul,
    ),
    (
        "two fours on one line, two and two and two",
        ". . . . . . . . . .
         . . . . . . . . . .
         . X X . * X . X X .
         . . . . . . . . . .
         . . . . . . . . . .",
        Verdict::Foul,
    ),
    (
        "two fours on one line, one of three on either side",
        ". . . . . . . . . . .
         . . . . . . . . . . .
         . X X X . * . X X X .
         . . . . . . . . . . .
         . . . . . . . . . . .",
        Verdict::Foul,
    ),
    (
        "one gap closed leaves one four",
        ". . . . . . . . .
         . . . . . . . . .
         . X . X * X O X .
         . . . . . . . . .
         . . . . . . . . .",
        Verdict::Legal,
    ),
    (
        "a straight four is one four",
        ". . . . . . . . .
         . . . . . . . . .
         . . X X * X . . .
         . . . . . . . . .
         . . . . . . . . .",
        Verdict::Legal,
    ),
    (
        "a four closed at both ends is none",
        ". . . . . . . . .
         . . . . . X . . .
         . . . . . X . . .
         . . . . . X . . .
         . O X X X * O . .
         . . . . . O . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .",
        Verdict::Legal,
    ),
    (
        "a four whose only completion is an overline is none",
        ". . . . . . . . . .
         . . . . . X . . . .
         . . . . . X . . . .
         . . . . . X . . . .
         . O X X X * . X . .
         . . . . . . . . . .
         . . . . . O . . . .
         . . . . . . . . . .
         . . . . . . . . . .",
        Verdict::Legal,
    ),
    (
        "a four with a three",
        ". . . . . . . . .
         . . . . . . . . .
         . . . . . X . . .
         . . . . . X . . .
         . O X X X * . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .
         . . . . . . . . .",
        Verdict::Legal,
    ),
    (
        "a four with two threes",
        ". . . . . . . . . .
         . . . . . . . . . .
         . . . X . X . . . .
         . . . . X X . . . .
         . O X X X * . . . .
         . . . . . . . . . .
         . . . . . . . . . .
         . . . . . . . . . .
         . . . . . . . . . .",
        Verdict::Foul,
    ),
    (
        "six in a row",
        ". . . . . . . . .
         . . . . . . . . .
         . X X X * X X . .
         . . . . . . . . .
         . . . . . . . . .",
        Verdict::Foul,
    ),
    (
        "nine in a row from edge to edge",
        ". . . . . . . . .
         . . . . . . . . .
         X X X X * X X X X
         . . . . . . . . .
         . . . . . . . . .",
        Verdict::Foul,
    ),
    (
        "a five beside an overline",
        ". . . . . X . . .
         . . . . . X . . .
         . . . . . X . . .
         . . . . . X . . .
         . X X X X * . . .
         . . . . . X . . .
         . . . . . . . . .",
        Verdict::Five,
    ),
    (
        "a five beside two fours",
        ". . . . . . . . . .
         . . . . . . . . . .
         . . X . . X . . . .
         . . . X . X . . . .
         . . . . X X . . . .
         . X X X X * . . . .
         . . . . . . . . . .
         . . . . . . . . . .",
        Verdict::Five,
    ),
    (
        "a five beside two threes",
        ". . . . . . . . . .
         . . . . . . . . . .
         . . . X . X . X . .
         . . . . X X X . . .
         . X X X X * . . . .
         . . . . . . . . . .
         . . . . . . . . . .
         . . . . . . . . . .",
        Verdict::Five,
    ),
];

/// Threes whose straight four decides whether they count: it is forbidden, or it only seems so
/// because of another three that is false itself.
const FALSE_THREES: &[(&str, &str, Verdict)] = &[
    (
        "the point of the straight four completes a five elsewhere",
        ". . . . . . . . . .
         . . . . . X . . . .
         . . . . . X . . . .
         . . . . . X . . . .
         . . . . . X . . . .
         O . X X * . . O . .
         . . . . X . . . . .
         . . . . X . . . . .
         . . . . . . . . . .
         . . . . . . . . . .
         . . . . . . . . . .",
        Verdict::Legal,
    ),
    (
        "the point of the straight four completes a second four",
        ". . . . . . . . . . .
         . . . . . X X . . X .
         . . . . . . X . X . .
         . . . . . . X * . . .
         . . . . . . . . . . .
         . . . . . . . . . . .
         . . . . . . . . . . .",
        Verdict::Legal,
    ),
    (
        "the gap of a broken three is a double four",
        ". . . . . . . . . . .
         . . . . X X * . . . .
         . . . . . . . X X . .
         . . . . . . . . . . .
         . . . . . . . . X X .
         . . . . . . . . X . .
         . . . . . . . . . . .",
        Verdict::Legal,
    ),
    (
        "the point is no foul, for one of its threes is false",
        ". . . . . . . . . . .
         . . . . . X . . . . .
         . . . . X X * . . . .
         . . . . . . . . . . .
         . . . . X . X X . . .
         . . . X . . . . . . .
         . . . . . . . . . . .
         . . . . . . . . . . .",
        Verdict::Foul,
    ),
    (
        "the same on broken threes",
        ". . . . . . . . . . .
         . . . . . * . . . . .
         . . . . . . . . . . .
         . . . X . X . X . . .
         . . X . X X X . . . .
         . . . . X . . . . . .
         . . . . . . . . . . .
         . . . . . . . . . . .",
        Verdict::Foul,
    ),
    (
        "a false three of a false three makes it legal again",
        ". . . . . . . . . . .
         . . . . . . . . . . .
         . . . . . . . . . X .
         . . . . . . X . . X .
         . . . . . . . . X . .
         . . . . . . X X * . .
         . . . . . . . X . X .
         . . . . . . . . . . .
         . . . . . . . . . . .",
        Verdict::Legal,
    ),
    (
        "the same in another shape",
        ". . . . . . . . . . .
         . . . . . . . . . . .
         . . . . X . X . . . .
         . . . X . X . . . X .
         . . . . * X . . . . .
         . . . . . . X . X . .
         . . . . . . X . . . .
         . . . . . . . . . . .
         . . . . . . . . . . .",
        Verdict::Legal,
    ),
    (
        "four steps deep",
        ". . . . . . . . . . .
         . . . . . . . . . . .
         . . . . . . X . . X .
         . . . . . . . X . . .
         . . . . . X . X * . .
         . . . . X . . . . . .
         . . . . X . X . X . .
         . . . . . . . . . X .
         . . . . . . . . . . .
         . . . . . . . . . . .",
        Verdict::Foul,
    ),
    (
        "four steps deep in another shape",
        ". . . . . . . . . . .
         . . . . . . . . . . .
         . . . . X . X X . . .
         . . . X . . X . . . .
         . . . X X . . . . . .
         . . . . * . . X . . .
         . X . X . X . . . . .
         . . . . . . . . . . .
         . . . . . . . . . . .",
        Verdict::Foul,
    ),
    (
        "a five deep in the hunt takes a three from it, so that the point is forbidden",
        ". . . . . . . . . . .
         . . X . . . . . X . .
         . . . X . . X X . . .
         . . . . X . . . . . .
         . . . . . . X X . . .
         . . . . . X * . X . .
         . . . . X . . . . . .
         . . . X . . . . . . .
         . . X . . . . . . . .
         . . . . . . . . . . .
         . . . . . . . . . . .",
        Verdict::Foul,
    ),
    (
        "a five deep in the hunt takes a three from it, so that the point is allowed",
        ". . . . . . . . . . .
         . . . . . . . . . . .
         . . . . . . . . . . .
         . . . . . . . . . . .
         . . . . . . X . X . .
         . . . . . . X . X . .
         . . . . . . X X . . .
         . . . . . . * X . X .
         . . . . . . . . . . .
         . . . . . X . . . . .
         . . . . . . . . . . .",
        Verdict::Legal,
    ),
];

/// The vectors of the judge: black stones, white stones, a point,
/// and whether black may not play there.
const JUDGED: &[(&str, &str, &str, bool)] = &[
    ("g8 i8 h7 h9", "", "h8", true),
    ("g8 i8 h7 h9", "f8", "h8", false),
    ("f8 i8 h6 h9", "", "h8", true),
    ("g8 i8 h7 h9 d8 l8", "", "h8", false),
    ("e8 f8 g8 h5 h6 h7", "", "h8", true),
    ("e8 g8 i8 k8", "", "h8", true),
    ("e8 f8 i8 k8 l8", "", "h8", true),
    ("d8 e8 f8 j8 k8 l8", "", "h8", true),
    ("e8 f8 g8 h7 h9", "d8", "h8", false),
    ("d8 e8 f8 g8 i8", "", "h8", true),
    ("d8 e8 f8 g8 h3 h4 h5 h6 h7", "", "h8", false),
    ("e8 f8 g8 d8 e5 f6 g7 h5 h6 h7", "", "h8", false),
    ("a8 c8 b7 b9", "", "b8", false),
];

#[test]
fn the_vectors_of_the_judge_hold() {
    let size = size(15, 15);
    for &(black, white, point, expected) in JUDGED {
        let stones = |text, cell| {
            let points = parse_points(text, size).expect("valid points");
            points.into_iter().map(move |c| (c, cell))
        };
        let cells: Vec<_> = stones(black, Cell::Black).chain(stones(white, Cell::White)).collect();
        let board = Board::from_cells(size, Rule::Renju, &cells, Color::Black);
        let c = positions::point(point);
        assert_eq!(board.is_forbidden(c), expected, "{c}\n{}", draw(&board));
        let judged = Grid::of(&board).judge(point_of(c));
        assert_eq!(judged == Verdict::Foul, expected, "{c} on the plain grid");
    }
}
