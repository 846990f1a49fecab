//! A Soosõrv opening: three stones (one of 26 openings), a swap, the fourth stone with a number of
//! fifth moves, another swap, the fifth moves, and the choice between them.

use tengen_gomoku::board::Board;
use tengen_gomoku::board::symmetry::symmetric_moves;
use tengen_gomoku::types::{BoardSize, Coord, CoordSet};

use crate::eval::Style;
use crate::score::Score;
use crate::search::control::Control;
use crate::search::{Limits, Listener, Placement, Report, RootOptions, Searcher, Strength, Target};

pub const FIFTH_MOVES_MAX: usize = 8;

/// The second stone (white's) and the third (black's) relative to the center: of the 26 openings the
/// one whose best answer scored nearest to 0 under renju in searches of 60,000 nodes.
const SECOND_AND_THIRD: [(i8, i8); 2] = [(0, 1), (2, -2)];

/// The score that white aims at by the fourth stone, from white's view: further fifth moves are
/// worth less to black, so that black may be better with the first one.
const FOURTH_SCORE: i32 = -50;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoosorvStep {
    /// After three stones: which side to take.
    SwapThird,
    /// White's fourth stone and the number of fifth moves.
    Fourth,
    /// After four stones, with so many fifth moves to come: which side to take.
    SwapFourth(usize),
    Fifth(usize),
    /// Which fifth move is best for white.
    Choose,
}

pub fn stones(size: BoardSize) -> [Coord; 3] {
    let center = size.center();
    let [second, third] = SECOND_AND_THIRD.map(|(dx, dy)| {
        let (x, y) = (center.x().saturating_add_signed(dx), center.y().saturating_add_signed(dy));
        size.coord(x, y).expect("invariant: two cells from the center are on every board")
    });
    [center, second, third]
}

/// `offered`: the fifth moves to choose from.
pub fn root_options(step: SoosorvStep, board: &Board, offered: &[Coord]) -> RootOptions {
    let (multi_pv, excluded, all_moves) = match step {
        SoosorvStep::SwapThird | SoosorvStep::Fourth => (1, CoordSet::EMPTY, false),
        SoosorvStep::SwapFourth(count) | SoosorvStep::Fifth(count) => {
            (count, symmetric_moves(board, &CoordSet::EMPTY), true)
        }
        SoosorvStep::Choose => {
            let offered: CoordSet = offered.iter().copied().collect();
            (offered.len(), board.empty_cells().without(&offered), true)
        }
    };
    RootOptions { excluded, multi_pv, all_moves, ..RootOptions::default() }
}

/// Searches for a step; `limits` contain its [`root_options`]. The style is neutral, since any other
/// shifts the scores, and steps with several moves have full strength, since a weak player overlooks
/// some. The report of the fourth stone has the fifth moves as further PVs, from black's view.
pub fn judge(
    searcher: &mut Searcher,
    board: &Board,
    step: SoosorvStep,
    limits: &Limits,
    control: &Control,
    listener: Listener,
) -> Report {
    let strength = match step {
        SoosorvStep::SwapThird | SoosorvStep::Fourth => limits.strength,
        _ => Strength::FULL,
    };
    let limits = Limits { style: Style::NEUTRAL, strength, ..*limits };
    if step != SoosorvStep::Fourth {
        return searcher.search(board, &limits, control, listener);
    }
    let limits = Limits { nodes: limits.nodes / 2, ..limits };
    let target = Target { score: FOURTH_SCORE, ..Target::balanced(Placement::One) };
    let fourth = searcher.balance(board, target, &limits, control, &mut |_| ());
    let Some(mut fourth) = fourth else {
        return searcher.search(board, &limits, control, listener);
    };
    control.commit(fourth.best);
    control.drop_soft_limit();
    let mut after = board.clone();
    after.play(fourth.best);
    let root = root_options(SoosorvStep::Fifth(FIFTH_MOVES_MAX), &after, &[]);
    let fifth = searcher.search(&after, &Limits { root, ..limits }, control, &mut |_| ());
    fourth.others = fifth.variations().collect();
    fourth
}

/// Returns how many fifth moves to ask for: white will take the last of them, which is black's worst;
/// its score is to be nearest to a draw.
pub fn fifth_moves(fourth: &Report) -> usize {
    let distance = |&i: &usize| fourth.others[i].score.value().abs();
    (0..fourth.others.len()).min_by_key(distance).map_or(1, |i| i + 1)
}

pub fn swaps(report: &Report) -> bool {
    report.variations().last().is_some_and(|line| line.score < Score::DRAW)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::types::Rule;

    fn board(moves: &str) -> Board {
        Board::after(15, Rule::Renju, moves)
    }

    fn judged(board: &Board, step: SoosorvStep, offered: &[Coord]) -> Report {
        judged_by(Strength::FULL, board, step, offered)
    }

    fn judged_by(
        strength: Strength,
        board: &Board,
        step: SoosorvStep,
        offered: &[Coord],
    ) -> Report {
        let root = root_options(step, board, offered);
        let limits = Limits { nodes: 20_000, root, strength, ..Limits::default() };
        let control = Control::untimed();
        judge(&mut Searcher::new(1 << 22), board, step, &limits, &control, &mut |_| ())
    }

    #[test]
    fn the_three_stones_are_one_of_the_openings() {
        for (width, height) in (5..=22).flat_map(|w| (5..=22).map(move |h| (w, h))) {
            let size = BoardSize::new(width, height).unwrap();
            let [center, second, third] = stones(size);
            assert_eq!(center, size.center());
            assert!(second.distance(center) == 1 && third.distance(center) == 2);
        }
    }

    #[test]
    fn fifth_moves_are_as_many_as_wanted_and_not_symmetric() {
        let board = board("h8i9g7f6");
        for strength in [0, 100] {
            let strength = Strength::nearest(strength);
            let report = judged_by(strength, &board, SoosorvStep::Fifth(8), &[]);
            let moves: CoordSet = report.variations().map(|line| line.pv[0]).collect();
            assert_eq!(moves.len(), 8);
            assert_eq!(moves & symmetric_moves(&board, &CoordSet::EMPTY), CoordSet::EMPTY);
        }
    }

    #[test]
    fn white_chooses_the_fifth_move_that_is_worst_for_black() {
        let board = board("h8h9j6g8");
        let best = judged(&board, SoosorvStep::Fifth(1), &[]).best;
        let corner = Coord::new(0, 0);
        let report = judged(&board, SoosorvStep::Choose, &[best, Coord::new(12, 12)]);
        assert_eq!(report.best, best);
        // Moves too far away to be searched are worse still.
        let far = judged(&board, SoosorvStep::Choose, &[best, corner]);
        assert!(far.variations().all(|line| line.pv[0] == best));
    }

    #[test]
    fn the_fourth_stone_comes_with_a_number_of_fifth_moves() {
        let board = board("h8h9j6");
        let fourth = judged(&board, SoosorvStep::Fourth, &[]);
        assert!(board.is_empty(fourth.best) && (1..=8).contains(&fifth_moves(&fourth)));
        assert!(fourth.others.iter().all(|line| line.pv[0] != fourth.best));
    }

    #[test]
    fn neither_style_nor_level_changes_a_choice() {
        let board = board("h8h9j6g8");
        let offered = [Coord::new(8, 6), Coord::new(5, 8), Coord::new(6, 6)];
        let choose = |style, strength| {
            let root = root_options(SoosorvStep::Choose, &board, &offered);
            let style = Style::nearest(style);
            let limits = Limits { nodes: 20_000, root, style, strength, ..Limits::default() };
            let control = Control::untimed();
            let (step, searcher) = (SoosorvStep::Choose, &mut Searcher::new(1 << 22));
            judge(searcher, &board, step, &limits, &control, &mut |_| ())
                .variations()
                .collect::<Vec<_>>()
        };
        let expected = choose(50, Strength::FULL);
        assert_eq!(expected.len(), offered.len());
        assert_eq!(choose(0, Strength::FULL), expected);
        assert_eq!(choose(50, Strength::nearest(20)), expected);
    }

    #[test]
    fn the_worse_side_is_swapped() {
        // Black has an open three and white moves; then black moves.
        assert!(swaps(&judged(&board("h8a1i8a15j8"), SoosorvStep::SwapThird, &[])));
        assert!(!swaps(&judged(&board("h8a1i8a15j8o1"), SoosorvStep::SwapFourth(1), &[])));
    }
}
