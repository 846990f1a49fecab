//! Several best moves at once, and excluded moves: what `RootOptions` asks of a search.

use std::cmp::Reverse;
use std::collections::HashSet;

use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{Color, Coord, CoordSet, Rule};

use crate::positions::random::random_stones;
use crate::positions::{board_after, draw, point, size};
use crate::reference::legal::assert_legal;
use tengen::score::Score;
use tengen::search::control::Control;
use tengen::search::{Limits, Progress, Report, RootOptions, Searcher, Variation};

/// Bytes of the transposition table.
const TABLE: usize = 1 << 22;

fn board(rule: Rule, moves: &str) -> Board {
    board_after(rule, size(15, 15), moves)
}

fn search_with(searcher: &mut Searcher, board: &Board, nodes: u64, root: RootOptions) -> Report {
    let control = Control::untimed();
    let limits = Limits { nodes, root, ..Limits::default() };
    let report = searcher.search(board, &limits, &control, &mut |_| ());
    assert_eq!(control.best(), Some(report.best), "the last move published is the answer");
    report
}

fn search(board: &Board, nodes: u64, root: RootOptions) -> Report {
    search_with(&mut Searcher::new(TABLE), board, nodes, root)
}

fn lines(count: usize) -> RootOptions {
    RootOptions { multi_pv: count, ..RootOptions::default() }
}

fn without(cells: impl IntoIterator<Item = Coord>) -> RootOptions {
    RootOptions { excluded: cells.into_iter().collect(), ..RootOptions::default() }
}

/// Returns all lines of a report, the best one first.
fn all_lines(report: &Report) -> Vec<Variation> {
    let best = Variation { score: report.score, pv: report.pv.clone(), depth: report.depth };
    [vec![best], report.others.clone()].concat()
}

fn first_moves(report: &Report) -> Vec<Coord> {
    all_lines(report).iter().map(|line| line.pv[0]).collect()
}

#[test]
fn a_loss_is_as_long_with_one_line_as_with_several() {
    // The moves that meet white's threat lose in six, others in eight.
    let moves = "o12i15a1g6a11o15e4h15i14m15f15e7e13i13k14d13b4i7l13j9d2m10c14c2k10i9a10j13k15g7";
    let board = board(Rule::Freestyle, moves);
    let scores = [1, 2, 8].map(|count| search(&board, 20_000, lines(count)).score);
    assert_eq!(scores, [Score::loss_in(8); 3]);
}

#[test]
fn a_refuted_move_is_not_played_where_another_one_loses_later() {
    // The search does not see at this depth how l5 loses in 14.
    let board =
        board(Rule::Freestyle, "o5n9k5n8k9k10l9j9l11l10m10k8l8l7m6n6n5i10h11j10h10j12j11k11m9l12");
    let report = search(&board, 3_000, lines(1));
    assert_eq!((report.best, report.score), (point("m5"), Score::loss_in(20)));
}

#[test]
fn lines_against_an_open_four_begin_with_its_ends() {
    let board = board(Rule::Freestyle, "h8a1i8c1j8e1k8");
    let report = search(&board, 5_000, lines(3));
    let first: HashSet<Coord> = first_moves(&report)[..2].iter().copied().collect();
    assert_eq!(first, [point("g8"), point("l8")].into());
    assert_eq!(report.score, Score::loss_in(2));
}

#[test]
fn lines_begin_with_different_moves_and_come_in_order() {
    for rule in Rule::ALL {
        for threads in [1, 2] {
            let board = board(rule, "h8i9h10g7");
            let mut searcher = Searcher::new(TABLE);
            searcher.set_threads(threads);
            for nodes in [10_000, 20_000, 30_000] {
                let report = search_with(&mut searcher, &board, nodes, lines(5));
                let lines = all_lines(&report);
                assert_eq!((lines.len(), report.best), (5, report.pv[0]));
                assert_eq!(first_moves(&report).iter().collect::<HashSet<_>>().len(), 5);
                assert!(lines.is_sorted_by_key(|line| Reverse(line.score)), "{lines:?}");
                assert!(lines[4].depth > 2, "{lines:?}");
                lines.iter().for_each(|line| assert_legal(&board, &line.pv));
            }
        }
    }
}

// An iteration that is cut short leaves lines of two depths.
#[test]
fn no_line_has_a_higher_score_than_the_first() {
    let mut rng = fastrand::Rng::with_seed(0x11e5);
    let mut cut_short = 0;
    for round in 0..200 {
        let size = size(rng.usize(9..=15), rng.usize(9..=15));
        let stones = random_stones(&mut rng, size);
        let board = Board::from_cells(size, Rule::ALL[round % 5], &stones, Color::Black);
        let (nodes, analysis) = (rng.u64(300..6_000), rng.bool());
        let root = RootOptions { is_analysis: analysis, ..lines(3) };
        let limits = Limits { nodes, root, ..Limits::default() };
        let control = Control::untimed();
        let mut told = Vec::new();
        let report = Searcher::new(TABLE).search(&board, &limits, &control, &mut |progress| {
            if let Progress::Report(report) = progress {
                told.push(report.clone());
            }
        });
        assert_eq!(control.best(), Some(report.best));
        for report in told.iter().chain([&report]) {
            let lines = all_lines(report);
            assert!(lines.is_sorted_by_key(|line| Reverse(line.score)), "{report:?}");
            assert_eq!(report.best, report.pv[0]);
        }
        cut_short += usize::from(report.others.iter().any(|line| line.depth != report.depth));
    }
    assert!(cut_short > 20, "{cut_short}");
}

#[test]
fn an_analysis_tells_of_each_line_and_the_proof_within_an_iteration() {
    let board = board(Rule::Freestyle, "h8i9h10g7");
    let told = |root| {
        let limits = Limits { depth: 7, root, ..Limits::default() };
        let (mut told, control) = (Vec::new(), Control::untimed());
        Searcher::new(TABLE).search(&board, &limits, &control, &mut |progress| {
            if let Progress::Report(report) = progress {
                told.push(report.clone());
            }
        });
        told
    };
    let quiet = told(lines(3));
    assert_eq!(quiet.len(), 7);
    let analysis = told(RootOptions { is_analysis: true, ..lines(3) });
    // One before the first iteration, one after it, and three within each later one.
    assert_eq!(analysis.len(), 2 + 3 * 6);
    assert_eq!((analysis[0].depth, analysis[0].pv.len()), (0, 1));
    let depths: Vec<usize> = (analysis[2..].iter())
        .map(|report| all_lines(report).iter().filter(|line| line.depth == report.depth).count())
        .collect();
    assert_eq!(depths, [1, 2, 3].repeat(6));
    assert!(analysis.is_sorted_by_key(|report| report.nodes));
    // Both end alike.
    let last = |told: &[Report]| all_lines(&told[told.len() - 1]);
    assert_eq!(last(&analysis), last(&quiet));
}

/// Returns a position in which the side to move has a single move, an answer to a four.
fn position_with_an_only_move(rng: &mut fastrand::Rng, rule: Rule) -> (Board, Coord) {
    loop {
        let size = size(rng.usize(9..=15), rng.usize(9..=15));
        let board = Board::from_cells(size, rule, &random_stones(rng, size), Color::White);
        let fives = |color| board.cells_with(color, Threat::Five);
        let answers = board.common_refutations(Color::Black, Threat::Five);
        if fives(Color::White).is_empty() && !fives(Color::Black).is_empty() && answers.len() == 1 {
            return (board, answers.first().expect("one"));
        }
    }
}

#[test]
fn an_analysis_gives_an_only_move_the_score_of_the_position_after_it() {
    let mut rng = fastrand::Rng::with_seed(0xf0c);
    for round in 0..60 {
        let (board, mv) = position_with_an_only_move(&mut rng, Rule::ALL[round % 5]);
        for count in [1, 3] {
            let search = |board: &Board, count, depth, is_analysis| {
                let root = RootOptions { is_analysis, ..lines(count) };
                let limits = Limits { depth, root, ..Limits::default() };
                let control = Control::untimed();
                let mut searcher = Searcher::new(TABLE);
                let report = searcher.search(board, &limits, &control, &mut |_| ());
                assert_eq!(control.best(), Some(report.best));
                report
            };
            let analysed = search(&board, count, 6, true);
            if analysed.score.is_win() {
                continue;
            }
            let mut after = board.clone();
            after.play(mv);
            let next = search(&after, 1, 5, true);
            let expected = next.score.before_move();
            assert_eq!((analysed.best, analysed.score), (mv, expected), "{}", draw(&board));
            assert_eq!((analysed.depth, &analysed.pv[1..]), (next.depth + 1, &next.pv[..]));
            assert!(analysed.others_lose && analysed.others.is_empty());
            // In a game it costs no time.
            if count == 1 {
                let played = search(&board, 1, 6, false);
                assert_eq!((played.best, played.depth, played.tree_nodes), (mv, 1, 0));
            }
        }
    }
}

#[test]
fn an_analysis_gives_the_first_move_of_a_game_a_score() {
    let empty = board(Rule::Renju, "");
    let search = |board: &Board, depth| {
        let root = RootOptions { is_analysis: true, ..lines(1) };
        let limits = Limits { depth, root, ..Limits::default() };
        Searcher::new(TABLE).search(board, &limits, &Control::untimed(), &mut |_| ())
    };
    let first = search(&empty, 6);
    let mut after = empty.clone();
    after.play(first.best);
    let next = search(&after, 5);
    assert_eq!((first.score, first.depth), (next.score.before_move(), 6));
    assert!(first.pv.len() > 1 && !first.others_lose, "{first:?}");
}

#[test]
fn a_score_of_a_later_line_is_that_of_its_move() {
    // Every line is searched as deep as the first, not guessed from it: a search behind its move
    // finds much the same. One position more or less tells nothing.
    let positions =
        ["h8i9", "h8i9h10", "h8h9", "h8g9i6", "h8i9h10g7", "h8j8", "h8i9i7g9", "h8h9j7"];
    let control = Control::untimed();
    let mut gaps = Vec::new();
    for position in positions {
        let board = board(Rule::Freestyle, position);
        let limits = Limits { depth: 6, root: lines(4), ..Limits::default() };
        let report = Searcher::new(TABLE).search(&board, &limits, &control, &mut |_| ());
        for line in all_lines(&report) {
            assert_eq!(line.depth, 6);
            let mut board = board.clone();
            board.play(line.pv[0]);
            let limits = Limits { depth: 5, ..Limits::default() };
            let answer = Searcher::new(TABLE).search(&board, &limits, &control, &mut |_| ());
            gaps.push((answer.score.value() + line.score.value()).abs());
        }
    }
    gaps.sort_unstable();
    assert!(gaps[gaps.len() / 2] <= 40, "{gaps:?}");
}

#[test]
fn all_wins_are_lines_and_the_quickest_comes_first() {
    // Black's open four can be completed at both ends, and there is nothing better.
    let board_of_fives = board(Rule::Freestyle, "h8a1i8a3j8a5k8a7");
    let report = search(&board_of_fives, 5_000, lines(3));
    let lines_found = all_lines(&report);
    let fives: HashSet<Coord> = lines_found[..2].iter().map(|line| line.pv[0]).collect();
    assert_eq!(fives, HashSet::from([point("g8"), point("l8")]));
    assert!(lines_found[..2].iter().all(|line| line.score == Score::win_in(1)), "{report:?}");
    assert!(lines_found[2].score < Score::win_in(1), "{report:?}");
    // An open three wins by an open four at both ends; whatever else wins takes longer.
    let report = search(&board(Rule::Freestyle, "h8a1i8a3j8a5"), 20_000, lines(3));
    let fours: HashSet<Coord> = first_moves(&report)[..2].iter().copied().collect();
    assert_eq!(fours, HashSet::from([point("g8"), point("k8")]));
    assert!(report.score.is_win() && report.others[0].score.is_win(), "{report:?}");
}

#[test]
fn a_win_by_threats_is_the_first_of_several_lines() {
    for (rule, moves) in
        [(Rule::Standard, "h8h9j7f10i6k8"), (Rule::Renju, "h8g8i8a1j8c15k9o1k10e13")]
    {
        let board = board(rule, moves);
        let alone = search(&board, 400_000, lines(1));
        let report = search(&board, 400_000, lines(2));
        assert!(alone.score.is_win() && report.score.is_win(), "{report:?}\n{}", draw(&board));
        assert_eq!(report.others.len(), 1);
        assert_legal(&board, &report.pv);
    }
}

#[test]
fn there_are_no_more_lines_than_moves_worth_a_search() {
    // White's four has one answer.
    let report = search(&board(Rule::Freestyle, "g8h8a1i8a3j8a5k8"), 2_000, lines(9));
    assert_eq!(first_moves(&report), [point("l8")]);
    // On a full board but one cell there is one.
    let size = size(5, 5);
    let mut board = Board::new(size, Rule::Caro);
    size.cells().skip(1).for_each(|c| board.play(c));
    let report = search(&board, 2_000, lines(3));
    assert_eq!((first_moves(&report), report.others), (vec![Coord::new(0, 0)], vec![]));
}

#[test]
fn every_move_is_looked_at_where_all_are_wanted() {
    // Black has an open three: white loses unless he stops it.
    let board = board(Rule::Freestyle, "h8a1i8a15j8");
    let all = RootOptions { multi_pv: usize::MAX, all_moves: true, ..RootOptions::default() };
    let mut losers = HashSet::new();
    let limits = Limits { depth: 4, root: all, ..Limits::default() };
    let control = Control::untimed();
    let report = Searcher::new(TABLE).search(&board, &limits, &control, &mut |progress| {
        if let Progress::Leaving { mv, loses: true } = progress {
            losers.insert(mv);
        }
    });
    let moves: CoordSet = first_moves(&report).into_iter().collect();
    assert_eq!(moves, board.candidates());
    let holds = ["g8", "k8"].map(point);
    for line in all_lines(&report) {
        let mv = line.pv[0];
        assert_eq!(line.score.is_loss(), !holds.contains(&mv), "{line:?}\n{}", draw(&board));
        assert_eq!(losers.contains(&mv), line.score.is_loss(), "{line:?}");
    }
    assert!(holds.contains(&report.best));
}

#[test]
fn a_four_is_answered_whatever_the_limit_where_all_moves_are_wanted() {
    // White's four has one answer, far from the other stones.
    let board = board(Rule::Freestyle, "b1c1h8d1i9e1o14f1");
    let root = RootOptions { multi_pv: usize::MAX, all_moves: true, ..RootOptions::default() };
    for is_analysis in [false, true] {
        for nodes in 1..60 {
            let report = search(&board, nodes, RootOptions { is_analysis, ..root });
            assert_eq!(report.best, point("g1"), "{nodes} nodes");
        }
    }
}

#[test]
fn excluded_moves_are_never_the_answer() {
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..40 {
        for rule in Rule::ALL {
            let size = size(rng.usize(7..=12), rng.usize(7..=12));
            let to_move = if rng.bool() { Color::Black } else { Color::White };
            let board = Board::from_cells(size, rule, &random_stones(&mut rng, size), to_move);
            let mut excluded = CoordSet::EMPTY;
            for count in [1, 2, 3] {
                let root = RootOptions { excluded, multi_pv: count, ..RootOptions::default() };
                let report = search(&board, 600, root);
                let mut free = board.empty_cells().without(&excluded).into_iter();
                let has_choice = free.any(|c| !board.is_forbidden(c));
                for line in all_lines(&report) {
                    let is_excluded = excluded.contains(line.pv[0]);
                    assert_eq!(is_excluded, !has_choice, "{report:?}\n{}", draw(&board));
                    assert_legal(&board, &line.pv);
                }
                excluded.insert(report.best);
                // All that is near.
                if count == 2 {
                    excluded = excluded | board.candidates();
                }
            }
        }
    }
}

#[test]
fn a_win_that_is_excluded_is_looked_for_elsewhere() {
    let board = board(Rule::Freestyle, "h8a1i8a3j8a5k8a7");
    assert_eq!(search(&board, 1_000, without([point("g8")])).best, point("l8"));
    let report = search(&board, 1_000, without([point("g8"), point("l8")]));
    assert!(!["g8", "l8"].map(point).contains(&report.best));
    // Black's only defence to a four: what is left loses.
    let four = self::board(Rule::Freestyle, "g8h8a1i8a3j8a5k8");
    let report = search(&four, 1_000, without([point("l8")]));
    assert!(report.best != point("l8") && report.score.is_loss(), "{report:?}");
}

#[test]
fn excluding_everything_excludes_nothing() {
    let board = board(Rule::Renju, "h8i9h10g7");
    let report = search(&board, 1_000, without(board.size().cells()));
    assert!(board.is_empty(report.best) && report.depth > 0, "{report:?}");
    let board = self::board(Rule::Freestyle, "h8a1i8a3j8c1k8o1");
    for multi_pv in [1, 2] {
        let options = RootOptions { multi_pv, ..without(board.size().cells()) };
        let report = search(&board, 1_000, options);
        assert!(board.makes_five(report.best, Color::Black), "{report:?}");
    }
}

#[test]
fn a_restricted_search_misleads_no_later_one() {
    let board = board(Rule::Standard, "h8h9j7f10i6k8");
    let mut searcher = Searcher::new(TABLE);
    let free = search(&board, 100_000, lines(1));
    let restricted = search_with(&mut searcher, &board, 100_000, without([free.best]));
    assert_ne!(restricted.best, free.best);
    let again = search_with(&mut searcher, &board, 100_000, lines(1));
    assert!(free.score.is_win() && again.score.is_win(), "{again:?}");
}
