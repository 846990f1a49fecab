//! The proofs of the search by fours and threes. Each win that it claims is played out against all
//! legal answers, until a limit of positions is reached. Short wins are compared with a search that
//! tries all moves. Variations of proven results are followed to where fours decide.

use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{Color, Coord, CoordSet, Rule};

use crate::positions::random::{random_stones, rounds};
use crate::positions::{draw, size};
use crate::reference::proof_checker::{ProofChecker, is_foul};
use tengen::score::ScoreKind;
use tengen::search::control::Control;
use tengen::search::vcf::{Solution, Vcf};
use tengen::search::vct::Vct;
use tengen::search::{Limits, Searcher};

use Color::{Black, White};
use Rule::Renju;

const NODES: u64 = 20_000;

/// Returns random positions without a five on the next stone, of so many every day.
fn positions(rule: Rule, count: usize, seed: u64, width: usize) -> impl Iterator<Item = Board> {
    let mut rng = fastrand::Rng::with_seed(seed << 8 | rule as u64);
    let board = move |_| {
        let size = size(width, width);
        let stones = random_stones(&mut rng, size);
        let to_move = if rng.bool() { Black } else { White };
        Board::from_cells(size, rule, &stones, to_move)
    };
    let is_calm = |board: &Board| Color::ALL.into_iter().all(|c| board.count(c, Threat::Five) == 0);
    (0..rounds(count)).map(board).filter(is_calm)
}

#[test]
fn every_claimed_win_holds_against_every_answer() {
    for rule in Rule::ALL {
        let (mut won, mut long, mut whole) = (0, 0, 0);
        for width in [7, 9, 15] {
            for mut board in positions(rule, 90, 1, width) {
                if board.count(board.side_to_move(), Threat::OpenFour) > 0 {
                    continue;
                }
                let mut vct = Vct::default();
                let Solution::Win { plies, .. } = vct.solve(&mut board, NODES) else { continue };
                let claim = |board: &mut Board| match vct.solve(board, 50 * NODES) {
                    Solution::Win { mv, plies } => Some((mv, plies)),
                    Solution::No | Solution::Unknown => None,
                };
                whole += usize::from(ProofChecker::new(30_000, claim).attack(&mut board));
                won += 1;
                long += usize::from(plies > 7);
            }
        }
        println!("{rule:?}: {won} won, {long} long, {whole} played out to the end");
        assert!(won > 10 && long > 3 && whole > 3, "{rule:?}: {long}, {whole} of {won}");
    }
}

/// Returns true if a variation leads to a five or to continuous fours of the winner.
fn leads_to_fours(board: &Board, variation: &[Coord], winner: Color) -> bool {
    let mut end = board.clone();
    let (&last, moves) = variation.split_last().expect("a variation");
    moves.iter().for_each(|&mv| end.play(mv));
    if end.makes_five(last, end.side_to_move()) {
        return true;
    }
    end.play(last);
    if end.side_to_move() != winner {
        end.pass();
    }
    matches!(Vcf::default().solve(&mut end, NODES), Solution::Win { .. })
}

#[test]
fn variations_of_proven_results_lead_to_a_five_or_continuous_fours() {
    let (mut won, mut lost, mut short) = (0, 0, 0);
    for rule in Rule::ALL {
        for board in positions(rule, 60, 9, 15) {
            let limits = Limits { nodes: 30_000, ..Limits::default() };
            let control = Control::untimed();
            let report = Searcher::new(1 << 22).search(&board, &limits, &control, &mut |_| ());
            let us = board.side_to_move();
            let winner = match report.score.kind() {
                ScoreKind::Win(plies) if plies > 7 => us,
                ScoreKind::Loss(plies) if plies > 7 => !us,
                _ => continue,
            };
            *if winner == us { &mut won } else { &mut lost } += 1;
            short += u32::from(!leads_to_fours(&board, &report.pv, winner));
        }
    }
    println!("{won} won, {lost} lost, {short} of them without their end");
    // The table forgets some of what was proven.
    assert!(won > 4 && lost > 4 && short * 5 < won + lost, "{won} {lost} {short}");
}

/// Returns true if the side to move wins within `plies`, whatever is played.
fn wins_by_trial(board: &mut Board, plies: i32) -> bool {
    let us = board.side_to_move();
    if board.count(us, Threat::Five) > 0 {
        return true;
    }
    let fives = board.count(!us, Threat::Five) > 0;
    let moves =
        if fives { board.common_refutations(!us, Threat::Five) } else { *board.empty_cells() };
    plies > 1
        && moves.into_iter().any(|mv| {
            if is_foul(board, mv) {
                return false;
            }
            board.play(mv);
            let wins = loses_by_trial(board, plies - 1);
            board.undo();
            wins
        })
}

fn loses_by_trial(board: &mut Board, plies: i32) -> bool {
    let us = board.side_to_move();
    if board.count(us, Threat::Five) > 0 || board.count(!us, Threat::Five) == 0 && plies <= 2 {
        return false;
    }
    let answers = *board.empty_cells();
    answers.into_iter().all(|mv| {
        if is_foul(board, mv) {
            return true;
        }
        board.play(mv);
        let loses = wins_by_trial(board, plies - 1);
        board.undo();
        loses
    })
}

#[test]
fn wins_in_five_plies_are_those_that_a_trial_of_all_moves_finds() {
    for rule in Rule::ALL {
        let (mut won, mut missed) = ([0; 2], [0; 2]);
        for mut board in positions(rule, 1_000, 2, 6) {
            let us = board.side_to_move();
            if board.count(us, Threat::OpenFour) > 0 || board.stone_count() < 8 {
                continue;
            }
            let outcome = Vct::default().solve(&mut board, NODES);
            let is_won = wins_by_trial(&mut board, 5);
            match outcome {
                Solution::Win { plies, .. } if plies <= 5 => {
                    assert!(is_won, "{outcome:?}\n{}", draw(&board));
                }
                Solution::Win { .. } => {}
                // White may win by a foul of black, without a threat of the kind searched here.
                _ if rule == Renju && us == Color::White => missed[us] += usize::from(is_won),
                _ => assert!(!is_won, "{outcome:?}\n{}", draw(&board)),
            }
            won[us] += usize::from(is_won);
        }
        println!("{rule:?}: {won:?} won, {missed:?} missed");
        assert!(won[0] > 0 && won[1] > 0, "{rule:?}: {won:?}");
        assert!(missed[1] * 4 <= won[1], "{rule:?}: {missed:?} of {won:?} missed");
    }
}

#[test]
fn stones_away_from_the_defences_leave_continuous_fours_as_they_are() {
    for rule in Rule::ALL {
        let mut met = 0;
        for mut board in positions(rule, 1_200, 3, 9) {
            let (us, mut vcf) = (board.side_to_move(), Vcf::default());
            if board.count(!us, Threat::OpenFour) > 0 {
                continue;
            }
            let Some((defences, plies)) = vcf.solve_with_defences(&mut board, 200) else {
                continue;
            };
            board.pass();
            let fours: CoordSet = board.four_cells(!us);
            for mv in &{ *board.empty_cells() } {
                if defences.contains(mv) || fours.contains(mv) || is_foul(&mut board, mv) {
                    continue;
                }
                board.play(mv);
                let outcome = vcf.solve(&mut board, 20_000);
                assert!(matches!(outcome, Solution::Win { .. }), "{plies} {mv}\n{}", draw(&board));
                board.undo();
            }
            met += 1;
        }
        println!("{rule:?}: {met}");
        assert!(met > 40, "{rule:?}: {met}");
    }
}
