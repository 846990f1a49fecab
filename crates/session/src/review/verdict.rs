//! The verdict on a move: how bad it is beside the best one, in words and marks.

use std::fmt;

use tengen_gomoku::types::{Color, Coord};

/// How bad a move is, by the share of games it gives away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Inaccuracy,
    Mistake,
    Blunder,
}

impl Severity {
    /// Returns the severity of a move that changes its side's win rate so.
    pub fn of_move(before: f64, after: f64) -> Option<Severity> {
        match before - after {
            0.35.. => Some(Severity::Blunder),
            0.2.. => Some(Severity::Mistake),
            0.1.. => Some(Severity::Inaccuracy),
            _ => None,
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

#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub color: Color,
    /// `None` for a pass.
    pub played: Option<Coord>,
    pub best: Coord,
    /// The win rate of the side that moved.
    pub before: f64,
    pub after: f64,
    pub severity: Option<Severity>,
    pub is_missed_win: bool,
    pub is_allowed_win: bool,
    pub is_foul: bool,
    /// True for the best move, or one that wins as soon or loses as late.
    pub is_best: bool,
}

impl Verdict {
    pub fn is_bad(&self) -> bool {
        self.severity.is_some() || self.is_missed_win || self.is_allowed_win || self.is_foul
    }

    /// Returns the severity that a mark shows: a foul and a forced win missed or allowed are at
    /// least mistakes.
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
