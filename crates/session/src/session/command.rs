//! What a page asks for, as it comes: JSON in, a [`Command`] out, every number within its range.

use std::time::Duration;

use tengen_gomoku::types::{BoardSize, Color, Coord, Rule};

use super::sentence;
use crate::game::{Game, Opening, Seat};
use crate::swap2::Choice;
use serde::{Deserialize, Serialize};

/// The least and the most time of a move, the most of a game, the largest increment; in
/// milliseconds.
const TURN: std::ops::RangeInclusive<u64> = 50..=3_600_000;
const GAME_MAX: u64 = 24 * 3_600_000;
const INCREMENT_MAX: u64 = 600_000;
const LINES: std::ops::RangeInclusive<usize> = 1..=20;
/// The time for each position of a review, in milliseconds.
const REVIEW: std::ops::RangeInclusive<u64> = 50..=60_000;

/// What a game is played by. Times are in milliseconds; none for the game means no limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    width: u8,
    height: u8,
    rule: String,
    pub opening: Opening,
    /// Who has black, or places the first stones.
    pub black: Seat,
    /// Who has white, or chooses first.
    pub white: Seat,
    turn: u64,
    game: u64,
    increment: u64,
    /// How strong engines play, from 0 to 100.
    pub level: u8,
}

impl Settings {
    pub fn new(size: BoardSize, rule: Rule) -> Settings {
        Settings {
            width: size.width(),
            height: size.height(),
            rule: rule.name().to_owned(),
            opening: Opening::Free,
            black: Seat::Person,
            white: Seat::Engine1,
            turn: 2_000,
            game: 0,
            increment: 0,
            level: 100,
        }
    }

    pub fn size(&self) -> BoardSize {
        BoardSize::new(self.width, self.height).expect("invariant: settings were checked")
    }

    pub fn rule(&self) -> Rule {
        Rule::from_name(&self.rule).expect("invariant: settings were checked")
    }

    /// Returns who plays: the first player and the second.
    pub fn seats(&self) -> [Seat; 2] {
        [self.black, self.white]
    }

    pub fn with_seats_changed(self) -> Settings {
        Settings { black: self.white, white: self.black, ..self }
    }

    /// Sets size and rule, for a game that has its own.
    pub fn set_game(&mut self, size: BoardSize, rule: Rule) {
        (self.width, self.height) = (size.width(), size.height());
        rule.name().clone_into(&mut self.rule);
    }

    pub fn turn(&self) -> Duration {
        Duration::from_millis(self.turn)
    }

    pub fn game(&self) -> Option<Duration> {
        (self.game > 0).then(|| Duration::from_millis(self.game))
    }

    pub fn increment(&self) -> Duration {
        Duration::from_millis(self.increment)
    }

    fn check(&self) -> Result<(), String> {
        let is_good = [
            (BoardSize::new(self.width, self.height).is_some(), "a side from 5 to 22"),
            (Rule::from_name(&self.rule).is_some(), "a rule"),
            (TURN.contains(&self.turn), "a move's time from 50 ms to an hour"),
            (self.game <= GAME_MAX, "a game's time of a day at most"),
            (self.increment <= INCREMENT_MAX, "an increment of ten minutes at most"),
            (self.level <= 100, "a level from 0 to 100"),
        ];
        match is_good.iter().find(|(is_good, _)| !is_good) {
            Some((_, what)) => Err(format!("{what} expected")),
            None => Ok(()),
        }
    }
}

/// What a page asks for. `seen` is the number of the position that it shows.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    New {
        settings: Settings,
    },
    /// Go on with the game by other settings of players, times and level.
    Change {
        /// By these, of which size, rule and opening do not count.
        settings: Settings,
    },
    Play {
        x: u8,
        y: u8,
        seen: u64,
    },
    Show {
        ply: usize,
    },
    Undo,
    Redo,
    Resign,
    /// Let the players play, or pause.
    Run {
        on: bool,
        seen: u64,
    },
    MoveNow,
    Hint,
    Analyse {
        on: bool,
        lines: usize,
    },
    /// Leave a move out of the analysis, or let it in again.
    Block {
        x: u8,
        y: u8,
    },
    Unblock,
    /// Look through the game, or stop that.
    Review {
        on: bool,
        /// Milliseconds for each position.
        time: u64,
    },
    Choose {
        choice: Choice,
        seen: u64,
    },
    SetUp(SetUp),
    Load {
        text: String,
    },
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetUp {
    width: u8,
    height: u8,
    rule: String,
    black: Vec<(u8, u8)>,
    white: Vec<(u8, u8)>,
    white_moves: bool,
}

impl SetUp {
    pub fn game(&self) -> Result<Game, String> {
        let size = BoardSize::new(self.width, self.height).ok_or("a side from 5 to 22 expected")?;
        let rule = Rule::from_name(&self.rule).ok_or("a rule expected")?;
        let cells = |points: &[(u8, u8)]| {
            let cells = points.iter().map(|&(x, y)| size.coord(x, y));
            cells.collect::<Option<Vec<Coord>>>().ok_or("a stone is off the board")
        };
        let (black, white) = (cells(&self.black)?, cells(&self.white)?);
        let to_move = if self.white_moves { Color::White } else { Color::Black };
        Game::set_up(size, rule, [&black, &white], to_move).map_err(sentence)
    }
}

impl Command {
    pub fn parse(bytes: &[u8]) -> Result<Command, String> {
        let command: Command = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        match &command {
            Command::New { settings } | Command::Change { settings } => settings.check()?,
            Command::Analyse { lines, .. } if !LINES.contains(lines) => {
                return Err("1 to 20 lines expected".into());
            }
            Command::Review { time, .. } if !REVIEW.contains(time) => {
                return Err("50 ms to a minute for each position expected".into());
            }
            Command::SetUp(set_up) => drop(set_up.game()?),
            _ => {}
        }
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Command, String> {
        Command::parse(text.as_bytes())
    }

    fn settings(change: &str) -> String {
        let mut settings =
            serde_json::to_value(Settings::new(BoardSize::new(15, 15).unwrap(), Rule::Renju))
                .unwrap();
        if let Some((key, value)) = change.split_once('=') {
            settings[key] = serde_json::from_str(value).unwrap();
        }
        format!(r#"{{"do":"new","settings":{settings}}}"#)
    }

    #[test]
    fn commands_are_read() {
        let play = Command::Play { x: 7, y: 8, seen: 3 };
        assert_eq!(parse(r#"{"do":"play","x":7,"y":8,"seen":3}"#), Ok(play));
        assert_eq!(parse(r#"{"do":"move_now"}"#), Ok(Command::MoveNow));
        let Ok(Command::New { settings }) = parse(&settings("")) else { panic!("no new game") };
        assert_eq!((settings.rule(), settings.turn()), (Rule::Renju, Duration::from_secs(2)));
        assert_eq!(settings.game(), None);
    }

    #[test]
    fn what_is_out_of_range_is_refused() {
        for change in
            ["width=4", "height=23", "rule=\"x\"", "turn=0", "game=86400001", "level=101", "foo=1"]
        {
            assert!(parse(&settings(change)).is_err(), "{change}");
        }
        for text in [
            "",
            "7",
            "{}",
            r#"{"do":"foo"}"#,
            r#"{"do":"play","x":-1,"y":8,"seen":3}"#,
            r#"{"do":"play","x":7,"y":8}"#,
            r#"{"do":"analyse","on":true,"lines":0}"#,
            r#"{"do":"analyse","on":true,"lines":1000000}"#,
            r#"{"do":"review","on":true,"time":0}"#,
            r#"{"do":"set_up","width":15,"height":15,"rule":"renju","black":[[15,0]],"white":[],"white_moves":true}"#,
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn positions_are_read() {
        let text = r#"{"do":"set_up","width":15,"height":16,"rule":"caro","black":[[14,15]],"white":[],"white_moves":true}"#;
        let Ok(Command::SetUp(set_up)) = parse(text) else { panic!("no position") };
        let game = set_up.game().unwrap();
        assert_eq!((game.size(), game.rule()), (BoardSize::new(15, 16).unwrap(), Rule::Caro));
        assert_eq!(
            (game.record().stones()[0].c, game.to_move()),
            (Coord::new(14, 15), Color::White)
        );
    }
}
