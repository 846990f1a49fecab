//! What was found about a position, and the words for what it proves.

use tengen::eval::win_rate::win_rate;
use tengen::record::{Ending, Outcome};
use tengen::search::Report;
use tengen::types::{Color, Rule, Score, ScoreKind, winner_moves};

/// The result for a position.
pub(super) enum Finding {
    /// The best move and its line, and those of the next best.
    Best(Report),
    /// The game is over.
    Over(Ending),
}

impl Finding {
    /// Returns the share of games that `color` is expected to win from here under a rule, where
    /// `to_move` moves.
    pub fn win_rate(&self, rule: Rule, color: Color, to_move: Color) -> f64 {
        match self {
            Finding::Best(report) if color == to_move => win_rate(rule, report.score),
            Finding::Best(report) => win_rate(rule, -report.score),
            Finding::Over(ending) => match ending.outcome() {
                Outcome::Won(winner) if winner == color => 1.0,
                Outcome::Won(_) => 0.0,
                Outcome::Drawn => 0.5,
            },
        }
    }

    /// Returns who wins for certain, if that is known.
    pub fn winner(&self, to_move: Color) -> Option<Color> {
        match self {
            Finding::Best(report) if report.score.is_win() => Some(to_move),
            Finding::Best(report) if report.score.is_loss() => Some(!to_move),
            Finding::Best(_) => None,
            Finding::Over(ending) => match ending.outcome() {
                Outcome::Won(winner) => Some(winner),
                Outcome::Drawn => None,
            },
        }
    }
}

/// Returns who is proven to win, such as `black wins in 3 moves`; `None` if the score proves
/// nothing.
pub(super) fn proven_win(score: Score, to_move: Color) -> Option<String> {
    let (winner, plies) = match score.kind() {
        ScoreKind::Win(plies) => (to_move, plies),
        ScoreKind::Loss(plies) => (!to_move, plies),
        ScoreKind::Eval(_) => return None,
    };
    let moves = winner_moves(plies);
    let unit = if moves == 1 { "move" } else { "moves" };
    Some(format!("{winner} wins in {moves} {unit}"))
}
