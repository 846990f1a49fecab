//! The proofs of the search against a solver by brute force (`reference/solver.rs`), on nearly full
//! tiny boards to the end of the game and on others for four plies. Each proof in a larger position
//! is played out against all answers, until a limit of positions is reached.

use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{Color, Rule};

use crate::positions::draw;
use crate::positions::random::{random_board, rounds};
use crate::reference::grid::{Grid, point_of, stone};
use crate::reference::nearly_full::nearly_full_board;
use crate::reference::proof_checker::ProofChecker;
use crate::reference::solver::{Value, solve, value_of};
use crate::unclocked::search;
use tengen::score::ScoreKind;
use tengen::search::vcf::Solution;
use tengen::search::vct::Vct;
use tengen::search::{Limits, Report, Searcher};

/// Bytes of the transposition table.
const TABLE: usize = 1 << 20;

/// Asserts that a proven score is true as far as `plies` tell: the win or loss comes no later than
/// claimed, and the move wins that soon.
fn assert_true(report: &Report, board: &Board, plies: u32) {
    let (rule, own) = (board.rule(), stone(board.side_to_move()));
    let is_whole = plies as usize >= board.empty_count();
    let can_tell = |claimed: i32| is_whole || claimed as u32 <= plies;
    let mut grid = Grid::of(board);
    let message = |value| format!("{value:?}, but {report:?}\n{}", draw(board));
    match report.score.kind() {
        ScoreKind::Win(claimed) if can_tell(claimed) => {
            let value = value_of(&mut grid, own, rule, plies, point_of(report.best));
            let is_true = matches!(value, Some(Value::Win(n)) if n <= claimed as u32);
            assert!(is_true, "{}", message(value));
        }
        ScoreKind::Loss(claimed) if can_tell(claimed) => {
            let value = solve(&mut grid, own, rule, plies);
            let is_true = matches!(value, Value::Loss(n) if n <= claimed as u32);
            assert!(is_true, "{}", message(Some(value)));
        }
        _ => {}
    }
}

#[test]
fn proven_scores_of_nearly_full_boards_are_true() {
    for rule in Rule::ALL {
        let mut rng = fastrand::Rng::with_seed(0xe8ac_0000 | rule as u64);
        let mut searcher = Searcher::new(TABLE);
        let (mut wins, mut losses, mut open, mut missed) = (0, 0, 0, 0);
        for round in 0..rounds(250) {
            let Some(board) = nearly_full_board(&mut rng, rule, 2 + round % 6) else { continue };
            let free = board.empty_count() as u32;
            searcher.clear();
            let limits = Limits { depth: free as i32 + 2, nodes: 100_000, ..Limits::default() };
            let report = search(&mut searcher, &board, limits);
            assert_true(&report, &board, free);
            let own = stone(board.side_to_move());
            let value = solve(&mut Grid::of(&board), own, rule, free);
            match value {
                Value::Win(_) => wins += 1,
                Value::Loss(_) => losses += 1,
                Value::Open => open += 1,
            }
            missed += usize::from(value != Value::Open && !report.score.is_decisive());
        }
        println!("{rule:?}: {wins} won, {losses} lost, {open} open, {missed} not proven");
        assert!(wins > 30 && losses > 4 && open > 40, "{rule:?}: {wins}, {losses}, {open}");
        // The search prunes, so that it may overlook, but it hardly ever does.
        assert!(missed * 10 < wins + losses, "{rule:?}: {missed}");
    }
}

#[test]
fn proven_scores_of_small_boards_are_true_within_four_plies() {
    let mut all = [0; 4];
    let mut longer = 0;
    for rule in Rule::ALL {
        let mut rng = fastrand::Rng::with_seed(0xe8ad_0000 | rule as u64);
        let mut searcher = Searcher::new(TABLE);
        let mut seen = [0; 4];
        for round in 0..rounds(400) {
            let Some(board) = nearly_full_board(&mut rng, rule, 8 + round % 8) else { continue };
            searcher.clear();
            let report = search(
                &mut searcher,
                &board,
                Limits { depth: 8, nodes: 20_000, ..Limits::default() },
            );
            assert_true(&report, &board, 4);
            let value = solve(&mut Grid::of(&board), stone(board.side_to_move()), rule, 4);
            let message = || format!("{value:?}, but {report:?}\n{}", draw(&board));
            match value {
                Value::Win(plies @ (1 | 3)) => {
                    // The search finds a white four late if black's only answer is a foul. Its win
                    // is then not the shortest.
                    assert!(report.score.is_win(), "{}", message());
                    longer += usize::from(report.score.kind() != ScoreKind::Win(plies as i32));
                    seen[plies as usize - 1] += 1;
                }
                Value::Loss(plies @ (2 | 4)) => {
                    assert!(!report.score.is_win(), "{}", message());
                    // The search plays an only move without a look at where it leads.
                    seen[plies as usize - 1] += usize::from(report.score.is_loss());
                }
                _ => {}
            }
        }
        println!("{rule:?}: proven wins and losses in 1 to 4 plies: {seen:?}");
        (0..4).for_each(|i| all[i] += seen[i]);
    }
    assert!(all.iter().all(|&n| n > 0), "{all:?}");
    println!("{longer} wins were claimed with more plies than the shortest has");
    assert!(longer * 1_000 <= all[2], "{longer}");
}

fn play_proven_scores_out(rule: Rule, boards: usize) {
    let mut rng = fastrand::Rng::with_seed(0xe8ae_0000 | rule as u64);
    let mut searcher = Searcher::new(TABLE);
    let (mut wins, mut losses, mut whole) = (0, 0, 0);
    for _ in 0..rounds(boards) {
        let mut board = random_board(&mut rng, rule, 7..=12);
        let is_calm = Color::ALL.into_iter().all(|c| board.count_from(c, Threat::OpenFour) == 0);
        if !is_calm {
            continue;
        }
        searcher.clear();
        let limits = Limits { nodes: 10_000, ..Limits::default() };
        let score = search(&mut searcher, &board, limits).score;
        let mut vct = Vct::default();
        // What the search has proven once it may have forgotten, but the proof must be there.
        let claim = |board: &mut Board| {
            let report = search(&mut searcher, board, limits);
            if let ScoreKind::Win(plies) = report.score.kind() {
                return Some((report.best, plies));
            }
            match vct.solve(board, 100_000) {
                Solution::Win { mv, plies } => Some((mv, plies)),
                Solution::No | Solution::Unknown => None,
            }
        };
        let mut checker = ProofChecker::new(3_000, claim);
        match score.kind() {
            ScoreKind::Win(_) => {
                whole += usize::from(checker.attack(&mut board));
                wins += 1;
            }
            ScoreKind::Loss(_) => {
                whole += usize::from(checker.defend(&mut board));
                losses += 1;
            }
            ScoreKind::Eval(_) => {}
        }
    }
    println!("{rule:?}: {wins} wins and {losses} losses, {whole} played out to the end");
    assert!(wins > 1 && whole > 0, "{rule:?}: {wins}, {losses}, {whole}");
}

/// Each rule is a test of its own, so that they run side by side.
mod proven_scores_of_the_whole_search_are_played_out {
    use super::{Rule, play_proven_scores_out};

    #[test]
    fn freestyle() {
        play_proven_scores_out(Rule::Freestyle, 100);
    }

    #[test]
    fn standard() {
        play_proven_scores_out(Rule::Standard, 120);
    }

    #[test]
    fn renju() {
        play_proven_scores_out(Rule::Renju, 200);
    }

    #[test]
    fn caro() {
        play_proven_scores_out(Rule::Caro, 100);
    }

    #[test]
    fn caro_exact() {
        play_proven_scores_out(Rule::CaroExact, 100);
    }
}
