//! The verdict on one move: how bad it was beside the best one, in words and in marks.

use std::fmt;

use tengen_gomoku::types::{Color, Coord};

/// How bad a move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It gives away at least a tenth of the games.
    Inaccuracy,
    /// At least a fifth.
    Mistake,
    /// At least 35 in a hundred.
    Blunder,
}

impl Severity {
    /// All kinds, the worst last.
    pub const ALL: [Severity; 3] = [Severity::Inaccuracy, Severity::Mistake, Severity::Blunder];

    /// Returns how bad a move is which takes the win rate of its side from `before` to `after`;
    /// `None` if it is not bad.
    pub fn of_move(before: f64, after: f64) -> Option<Severity> {
        let loss = before - after;
        Severity::ALL.into_iter().rev().find(|severity| loss >= severity.least_loss())
    }

    /// Returns the win rate that such a move gives away at least.
    fn least_loss(self) -> f64 {
        match self {
            Severity::Inaccuracy => 0.1,
            Severity::Mistake => 0.2,
            Severity::Blunder => 0.35,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Severity::Inaccuracy => "inaccuracy",
            Severity::Mistake => "mistake",
            Severity::Blunder => "blunder",
        }
    }
}

/// A move as it was judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub color: Color,
    /// The move; `None` for a pass.
    pub played: Option<Coord>,
    pub best: Coord,
    /// The win rate of the side that moved, before its move.
    pub before: f64,
    pub after: f64,
    pub severity: Option<Severity>,
    /// True if a forced win was there and was not kept.
    pub is_missed_win: bool,
    /// True if the opponent has a forced win only since this move.
    pub is_allowed_win: bool,
    /// True if the move is forbidden and lost the game.
    pub is_foul: bool,
    /// True if the best move was played, or one that wins as soon or loses as late.
    pub is_best: bool,
}

impl Verdict {
    /// Returns true if something was wrong with the move.
    pub fn is_bad(&self) -> bool {
        self.severity.is_some() || self.is_missed_win || self.is_allowed_win || self.is_foul
    }

    /// Returns the severity that a mark shows, `None` for a move that is not bad. A foul and a
    /// forced win that is missed or allowed are mistakes at least.
    pub fn marked_severity(&self) -> Option<Severity> {
        let is_grave = self.is_missed_win || self.is_allowed_win || self.is_foul;
        self.severity.max(is_grave.then_some(Severity::Mistake))
    }

    pub fn marks(&self) -> Vec<&'static str> {
        let marks = [
            self.severity.map(Severity::name),
            self.is_missed_win.then_some("missed_win"),
            self.is_allowed_win.then_some("allowed_win"),
            self.is_foul.then_some("foul"),
        ];
        marks.into_iter().flatten().collect()
    }
}

impl fmt::Display for Verdict {
    /// Writes words such as "a mistake that misses a forced win".
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self.severity {
            Some(Severity::Inaccuracy) => "an inaccuracy",
            Some(Severity::Mistake) => "a mistake",
            Some(Severity::Blunder) => "a blunder",
            None if self.is_best => "the best move",
            None if self.is_bad() => "a move",
            None => "a good move",
        })?;
        f.write_str(match (self.is_missed_win, self.is_allowed_win) {
            _ if self.is_foul => " on a forbidden point",
            (true, true) => " that misses a forced win and allows one",
            (true, false) => " that misses a forced win",
            (false, true) => " that allows a forced win",
            (false, false) => "",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_as_bad_as_what_they_give_away() {
        let of = |after| Severity::of_move(0.9, after);
        assert_eq!([of(1.0), of(0.85)], [None, None]);
        assert_eq!(of(0.75), Some(Severity::Inaccuracy));
        assert_eq!([of(0.65), of(0.3)], [Some(Severity::Mistake), Some(Severity::Blunder)]);
    }
}
