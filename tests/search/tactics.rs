//! Tactics at fixed nodes: what is won must be found and what is lost by one slip be kept.
//!
//! A file in `tests/search/tactics` holds positions, each behind a blank line. The first line of a
//! position is `=` and its name, the second `rules; side to move; verdict`, and the drawing
//! follows, in which `*` are the moves that are right. The rules are names or `every rule`; a
//! verdict is `win in 5`, `win in 5 or more`, `loss in 2` (plies, all proven), `nothing proven` or
//! `any score`. `//` begins a comment.

use crate::positions;
use crate::unclocked;
use std::fs;
use std::path::Path;

use tengen_gomoku::board::Board;
use tengen_gomoku::board::notation::parse_points;
use tengen_gomoku::types::{Color, CoordSet, Rule};

use crate::positions::{Diagram, draw, size};
use tengen::score::ScoreKind;
use tengen::search::{Limits, Report, Searcher, fallback_move};

use Color::{Black, White};
use Rule::Renju;

/// What the search must say besides the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// A win in exactly so many plies.
    WinIn(i32),
    /// A proven win of at least so many plies.
    Win(i32),
    /// A loss in exactly so many plies.
    LossIn(i32),
    /// Nothing is proven.
    Open,
    /// Anything.
    Any,
}

impl Verdict {
    fn read(text: &str) -> Option<Verdict> {
        let number = |text: &str| text.parse().ok();
        match text {
            "nothing proven" => Some(Verdict::Open),
            "any score" => Some(Verdict::Any),
            text => match (text.strip_prefix("win in "), text.strip_prefix("loss in ")) {
                (Some(plies), _) => match plies.strip_suffix(" or more") {
                    Some(least) => number(least).map(Verdict::Win),
                    None => number(plies).map(Verdict::WinIn),
                },
                (_, plies) => number(plies?).map(Verdict::LossIn),
            },
        }
    }

    fn allows(self, score: ScoreKind) -> bool {
        match (self, score) {
            (Verdict::WinIn(plies), ScoreKind::Win(found)) => found == plies,
            (Verdict::Win(least), ScoreKind::Win(found)) => found >= least,
            (Verdict::LossIn(plies), ScoreKind::Loss(found)) => found == plies,
            (Verdict::Open, ScoreKind::Eval(_)) | (Verdict::Any, _) => true,
            _ => false,
        }
    }
}

/// A position of a file.
struct Case {
    name: String,
    rules: Vec<Rule>,
    to_move: Color,
    verdict: Verdict,
    diagram: Diagram,
}

impl Case {
    fn read(text: &str) -> Option<Case> {
        let (name, rest) = text.strip_prefix("= ")?.split_once('\n')?;
        let (question, drawing) = rest.split_once('\n')?;
        let [rules, to_move, verdict] = question.split("; ").collect::<Vec<_>>().try_into().ok()?;
        let rules = match rules {
            "every rule" => Rule::ALL.to_vec(),
            names => names.split(' ').map(|name| name.parse().ok()).collect::<Option<_>>()?,
        };
        let to_move = match to_move {
            "black to move" => Black,
            "white to move" => White,
            _ => return None,
        };
        let verdict = Verdict::read(verdict)?;
        Some(Case { name: name.into(), rules, to_move, verdict, diagram: Diagram::parse(drawing) })
    }

    fn check(&self) {
        // The drawing and its quarter turn do: all eight images would only cost time.
        for diagram in [&self.diagram, &self.diagram.symmetries()[6]] {
            for &rule in &self.rules {
                let board = diagram.board(rule, self.to_move);
                let report = search(&board, NODES);
                let message = format!("{}: {report:?}\n{}", self.name, draw(&board));
                assert!(diagram.marks.contains(&report.best), "{message}");
                let is_right = self.verdict.allows(report.score.kind());
                assert!(is_right, "{:?} expected, {message}", self.verdict);
            }
        }
    }
}

const NODES: u64 = 30_000;

fn search(board: &Board, nodes: u64) -> Report {
    let limits = Limits { nodes, ..Limits::default() };
    unclocked::search(&mut Searcher::new(1 << 20), board, limits)
}

fn cases(file: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/search/tactics").join(file);
    let text = fs::read_to_string(path).unwrap();
    let blocks = text.split("\n\n").filter(|block| !block.starts_with("//"));
    blocks.map(|block| Case::read(block).unwrap_or_else(|| panic!("{file}: {block}"))).collect()
}

macro_rules! tactics {
    ($($name:ident: $number:literal,)*) => {
        $(#[test] fn $name() {
            let cases = cases(concat!(stringify!($name), ".txt"));
            assert_eq!(cases.len(), $number);
            cases.iter().for_each(Case::check);
        })*

        #[test]
        fn every_file_is_tested() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/search/tactics");
            assert_eq!(fs::read_dir(folder).unwrap().count(), [$(stringify!($name)),*].len());
        }
    };
}

tactics! {
    wins_in_one: 5,
    wins_in_three: 4,
    wins_in_five: 3,
    fours: 6,
    open_threes: 4,
    rows_of_six: 3,
    continuous_fours: 24,
    forbidden_answers: 2,
}

#[test]
fn positions_are_read_to_the_letter() {
    let rows = ". . . . .\n. X . . .\n. O * . .\n. . . . .\n. . . . .\n";
    let read = |text: &str| Case::read(&format!("{text}\n{rows}"));
    let case = read("= a b\nrenju caro-exact; white to move; win in 3 or more").unwrap();
    assert_eq!((case.name.as_str(), case.to_move, case.verdict), ("a b", White, Verdict::Win(3)));
    assert_eq!((case.rules, case.diagram.marks.len()), (vec![Renju, Rule::CaroExact], 1));
    assert_eq!(read("= a\nevery rule; black to move; loss in 2").unwrap().rules, Rule::ALL);
    for text in [
        "a\nrenju; white to move; any score",
        "= a\ngo; white to move; any score",
        "= a\nrenju; to move; any score",
        "= a\nrenju; white to move; win in x",
        "= a\nrenju; white to move",
    ] {
        assert!(read(text).is_none(), "{text}");
    }
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
    let board = Diagram::parse(text).board(Renju, Black);
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
        let board = Board::from_cells(size, Renju, &stones, Black);
        let free: Vec<_> = board.empty_cells().into_iter().collect();
        let forbidden = free.iter().filter(|&&c| board.is_forbidden(c)).count();
        if forbidden == 0 || forbidden == free.len() {
            continue;
        }
        (asked, fouls) = (asked + 1, fouls + forbidden);
        let report = search(&board, 1_500);
        assert!(!board.is_forbidden(report.best), "{report:?}\n{}", draw(&board));
        let fallback = fallback_move(&board, &CoordSet::EMPTY).expect("a free cell");
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
    let board = diagram.board(Renju, Black);
    assert!(board.is_forbidden(diagram.marks[0]));
    assert_eq!(search(&board, NODES).best, diagram.marks[0]);
    assert_eq!(fallback_move(&board, &CoordSet::EMPTY), Some(diagram.marks[0]));
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
        assert_eq!(fallback_move(&board, &CoordSet::EMPTY), None);
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
        let stops = board.common_refutations(White, tengen_gomoku::shape::Threat::Five);
        let report = search(&board, NODES);
        // The four is open: both ends are winning cells, so no stop exists.
        assert!(stops.is_empty(), "{stops:?}");
        assert_eq!(report.score.kind(), ScoreKind::Loss(2), "{rule:?}");
        assert!(points("d3d8").contains(&report.best), "{rule:?} {report:?}");
    }
}
