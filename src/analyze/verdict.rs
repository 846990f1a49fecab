//! The verdict on one move: how bad it was beside the best one, in words and in marks.

use std::fmt;

use crate::eval::win_rate::Severity;
use crate::types::{Color, Coord};

/// A move as it was judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Who moved.
    pub color: Color,
    /// The move; `None` for a pass.
    pub played: Option<Coord>,
    /// The best move.
    pub best: Coord,
    /// The win rate of the side that moved, before its move.
    pub before: f64,
    /// And after it.
    pub after: f64,
    /// How bad the move was.
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

    /// Returns the names of all marks that the move gets.
    pub fn marks(&self) -> Vec<String> {
        let marks = [
            self.severity.map(Severity::name),
            self.is_missed_win.then_some("missed_win"),
            self.is_allowed_win.then_some("allowed_win"),
            self.is_foul.then_some("foul"),
        ];
        marks.into_iter().flatten().map(str::to_owned).collect()
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
