//! Values that a person types, as arguments of the program or in a game: from text to value.
//!
//! Pure parsing: knows neither the command line nor the game that takes a value.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use crate::search::Strength;
use crate::types::{BoardSize, Rule};

/// The longest time of a move.
const TIME_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The error of a text that is no value: what was expected instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected(pub &'static str);

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} expected", self.0)
    }
}

impl Error for Expected {}

/// Reads a level.
///
/// # Errors
///
/// If it is not a number from 0 to 100.
pub fn level(text: &str) -> Result<Strength, Expected> {
    let level = text.parse().ok().and_then(Strength::new);
    level.ok_or(Expected("a level from 0 to 100"))
}

/// Reads the time of a move, in seconds.
///
/// # Errors
///
/// If it is not a number, negative, or longer than a day.
pub fn time(text: &str) -> Result<Duration, Expected> {
    let time = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| *time <= TIME_MAX).ok_or(Expected("a time in seconds, such as 2.5,"))
}

/// Reads the name of a rule.
///
/// # Errors
///
/// If there is no such rule.
pub fn rule(text: &str) -> Result<Rule, Expected> {
    let names = "freestyle, standard, renju, caro or caro-exact";
    Rule::from_name(text).ok_or(Expected(names))
}

/// Reads the size of a board.
///
/// # Errors
///
/// If it is not one of 5x5 to 22x22.
pub fn board_size(text: &str) -> Result<BoardSize, Expected> {
    BoardSize::parse(text).ok_or(Expected("a size from 5 to 22, such as 15 or 20x15,"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        assert_eq!(level("60"), Ok(Strength::new(60).unwrap()));
        assert_eq!(time("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(time("86400"), Ok(TIME_MAX));
        assert_eq!(rule("Caro-Exact"), Ok(Rule::CaroExact));
        assert_eq!(board_size("20x15"), Ok(BoardSize::new(20, 15).unwrap()));
    }

    #[test]
    fn other_texts_tell_what_is_expected() {
        for text in ["101", "-1", "x", ""] {
            assert_eq!(level(text).unwrap_err().to_string(), "a level from 0 to 100 expected");
        }
        for text in ["-1", "nan", "1e99", "86400.1", ""] {
            let error = time(text).unwrap_err().to_string();
            assert_eq!(error, "a time in seconds, such as 2.5, expected", "{text}");
        }
        assert!(rule("go").is_err() && board_size("4").is_err() && board_size("15x").is_err());
    }
}
