//! Values that a person types, as arguments of the program or in a game: from text to value.

use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use encoding_rs::Encoding;

use tengen::eval::Style;
use tengen::search::Strength;
use tengen_gomoku::record::encoding_named;
use tengen_gomoku::types::{Expected, Rule};
use tengen_session::clock::Clock;

/// The side from which people count rows: that of the literature.
pub const ROWS: &str = "bottom";
const TIME_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// Reads one of these names; shell completions offer them.
pub fn one_of<T>(names: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = Expected> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

pub fn rule() -> impl TypedValueParser<Value = Rule> {
    one_of(Rule::ALL.map(Rule::name))
}

pub fn level(text: &str) -> Result<Strength, Expected> {
    let level = text.parse().ok().and_then(Strength::new);
    level.ok_or(Expected("a level from 0 to 100"))
}

/// Reads the time of a move, in seconds.
pub fn time(text: &str) -> Result<Duration, Expected> {
    let time = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| *time <= TIME_MAX)
        .ok_or(Expected("a time of up to 86400 seconds, such as 2.5,"))
}

pub fn style(text: &str) -> Result<Style, Expected> {
    let number = text.parse().ok().filter(|&number| number <= 100);
    number.map(Style::nearest).ok_or(Expected("a style from 0 to 100"))
}

pub fn persons(text: &str) -> Result<u8, Expected> {
    let number = text.parse().ok().filter(|number| [1, 2].contains(number));
    number.ok_or(Expected("1 or 2 players"))
}

/// Reads the clocks of a game: the time for all moves with its unit, and after a `+` the seconds
/// that a move adds.
pub fn clock(text: &str) -> Result<Clock, Expected> {
    let expected = Expected("a clock such as 5m, 90s, 1h or 5m+3, whose moves add 3 seconds,");
    let (limit, increment) = text.split_once('+').unwrap_or((text, "0"));
    let units = [('s', 1.0), ('m', 60.0), ('h', 3600.0)];
    let in_unit = |(unit, seconds): (char, f64)| {
        let number: f64 = limit.strip_suffix([unit, unit.to_ascii_uppercase()])?.parse().ok()?;
        Duration::try_from_secs_f64(number * seconds).ok()
    };
    let limit = units.into_iter().find_map(in_unit).filter(|time| !time.is_zero());
    let increment = time(increment.strip_suffix('s').unwrap_or(increment));
    match (limit, increment) {
        (Some(limit), Ok(increment)) if limit <= TIME_MAX => Ok(Clock::new(Some(limit), increment)),
        _ => Err(expected),
    }
}

pub fn encoding(text: &str) -> Result<&'static Encoding, Expected> {
    encoding_named(text).ok_or(Expected("an encoding such as GBK, Big5, Shift_JIS or windows-1251"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::types::BoardSize;

    #[test]
    fn values_are_read() {
        assert_eq!(level("60"), Ok(Strength::new(60).unwrap()));
        assert_eq!(style("70"), Ok(Style::nearest(70)));
        assert_eq!(time("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(time("86400"), Ok(TIME_MAX));
        assert_eq!((style("0"), persons("2")), (Ok(Style::nearest(0)), Ok(2)));
        let seconds = Duration::from_secs;
        for (text, limit, increment) in
            [("5m", 300, 0), ("90s", 90, 0), ("1.5H", 5400, 0), ("5m+3", 300, 3), ("1s+2s", 1, 2)]
        {
            let expected = Clock::new(Some(seconds(limit)), seconds(increment));
            assert_eq!(clock(text), Ok(expected), "{text}");
        }
        assert_eq!("Caro-Exact".parse(), Ok(Rule::CaroExact));
        assert_eq!("20x15".parse(), Ok(BoardSize::new(20, 15).unwrap()));
    }

    #[test]
    fn other_texts_tell_what_is_expected() {
        for text in ["101", "-1", "x", ""] {
            assert_eq!(level(text).unwrap_err().to_string(), "a level from 0 to 100 expected");
            assert_eq!(style(text).unwrap_err().to_string(), "a style from 0 to 100 expected");
        }
        for text in ["-1", "nan", "1e99", "86400.1", ""] {
            let error = time(text).unwrap_err().to_string();
            assert_eq!(error, "a time of up to 86400 seconds, such as 2.5, expected", "{text}");
        }
        for text in ["5", "", "m", "0s", "-1m", "nanm", "25h", "5m+", "5m+x", "5m+1+1", "1d"] {
            assert!(clock(text).is_err(), "{text}");
        }
        assert!(style("101").is_err() && style("-1").is_err() && persons("3").is_err());
        assert!("go".parse::<Rule>().is_err());
        assert!(["4", "15x"].iter().all(|text| text.parse::<BoardSize>().is_err()));
    }
}
