//! What is to be learned of a position's value: the probability of a win.

use tengen::eval::threat_counts::threat_counts;
use tengen::eval::win_rate::Curve;
use tengen::score::{Bound, ScoreKind};
use tengen_gomoku::board::Board;
use tengen_gomoku::shape::Threat;
use tengen_lab::{Example, TrainingGame};

/// What is to be learned of a position's value.
#[derive(Clone, Copy)]
pub struct ValueLabel {
    /// Whether the probability is the target itself, or bounds it.
    pub bound: Bound,
    /// The probability that the side to move wins, from 0 to 1.
    pub target: f32,
    /// The result of the game for the side to move, in half points: 0, 1 or 2. `None` for a
    /// position beside the game.
    pub half_points: Option<u8>,
    pub counts: u64,
}

impl ValueLabel {
    /// Returns the label of an example of a game, if there is something to learn.
    pub fn of(
        board: &Board,
        game: &TrainingGame,
        example: &Example,
        targets: &Targets,
    ) -> Option<ValueLabel> {
        let points = game.points(example.path.len()) as f32;
        let (target, bound) = target(board, points, example, targets)?;
        let is_own = example.source.is_none();
        let half_points = is_own.then_some((2.0 * points) as u8);
        Some(ValueLabel { bound, target, half_points, counts: threat_counts(board) })
    }
}

/// How the probability to learn comes from a score and a result.
#[derive(Clone, Copy)]
pub struct Targets {
    /// The weight of a game's result against the search's score, from 0 to 1.
    pub result_weight: f32,
    /// What scores are worth.
    pub curve: Curve,
}

/// Returns the probability of a win to learn, and whether it is exact or a bound. `None` for a
/// position that fives or an open four decide, and a bound that says nothing. `points`, from 0 to 1,
/// are the game's result for the side to move; they count for the game's own positions only.
fn target(
    board: &Board,
    points: f32,
    example: &Example,
    &Targets { result_weight, curve }: &Targets,
) -> Option<(f32, Bound)> {
    let us = board.side_to_move();
    let is_decided = board.count(us, Threat::Five) > 0
        || board.count(!us, Threat::Five) > 0
        || board.count(us, Threat::OpenFour) > 0;
    if is_decided {
        return None;
    }
    let by_score = match (example.score.kind(), example.bound) {
        // "At least this loss" and "at most this win" are no proofs.
        (ScoreKind::Loss(_), Bound::Lower) | (ScoreKind::Win(_), Bound::Upper) => return None,
        (ScoreKind::Win(_), _) => return Some((1.0, Bound::Exact)),
        (ScoreKind::Loss(_), _) => return Some((0.0, Bound::Exact)),
        (ScoreKind::Eval(value), _) => curve.win_rate(value) as f32,
    };
    if example.source.is_some() {
        return Some((by_score, example.bound));
    }
    Some((result_weight * points + (1.0 - result_weight) * by_score, Bound::Exact))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::score::Score;
    use tengen_gomoku::types::{BoardSize, Rule};
    use tengen_lab::Source;

    #[test]
    fn targets_are_probabilities_of_the_side_to_move() {
        let board = Board::new(BoardSize::new(15, 15).unwrap(), Rule::Freestyle);
        let targets = Targets { result_weight: 0.5, curve: Curve { scale: 200.0, bend: 0.0 } };
        let of_bound = |points, score, bound, source| {
            let (path, line) = (&[][..], &[][..]);
            let example = Example { path, line, source, mv: None, score, bound };
            target(&board, points, &example, &targets)
        };
        let game = |points, score| of_bound(points, score, Bound::Exact, None).unwrap().0;
        assert_eq!((game(0.0, Score::win_in(5)), game(1.0, Score::loss_in(4))), (1.0, 0.0));
        assert_eq!((game(1.0, Score::DRAW), game(0.0, Score::DRAW)), (0.75, 0.25));
        assert!(game(0.5, Score::eval(200)) > 0.6 && game(0.5, Score::eval(-200)) < 0.4);
        // Beside the game its result says nothing.
        for points in [0.0, 1.0] {
            let inner = |score, bound| of_bound(points, score, bound, Some(Source::Inner));
            let (rate, bound) = inner(Score::eval(200), Bound::Lower).unwrap();
            assert!((0.7..0.75).contains(&rate) && bound == Bound::Lower);
            // A bound on the far side of a proven result proves nothing.
            let (win, loss) = (Score::win_in(5), Score::loss_in(8));
            assert_eq!(inner(win, Bound::Lower), Some((1.0, Bound::Exact)));
            assert_eq!(inner(loss, Bound::Upper), Some((0.0, Bound::Exact)));
            assert!(inner(win, Bound::Upper).is_none() && inner(loss, Bound::Lower).is_none());
        }
    }
}
