//! Lines that a person types: from a line to a [`Command`].

use std::path::PathBuf;
use std::time::Duration;

use tengen_gomoku::board::notation::{NotationError, parse_points};
use tengen_gomoku::types::{BoardSize, Coord, Expected, Rule};

use crate::typed;
use anyhow::{anyhow, bail, ensure};
use tengen::eval::Style;
use tengen::search::Strength;
use tengen_session::clock::Clock;
use tengen_session::opening::{Choice, Opening};

pub const HELP: &str = "  h8             play on column h, row 8
  undo           take back your last move and the answer to it
  redo           play again what was taken back
  hint           ask what Tengen would play in your place
  stop           while Tengen thinks: move now, as Ctrl-C does
  moves          list the moves
  resign         give the game up
  new            a new game
  swap2          a new game that begins with three stones and a choice of colours
  swap           change sides; if it was your turn, Tengen moves now
  players 2      two persons play, and Tengen gives hints; players 1: against Tengen
  level 60       how strong Tengen plays, 0 to 100
  style 70       0: defends most, 50: neutral, 100: attacks most
  time 2.5       seconds that Tengen may think about a move
  clock 5m+3     both clocks: 5 minutes, and 3 seconds more a move; clock off: none
  rule renju     freestyle, standard, renju, caro or caro-exact; the stones stay
  size 15        a new game on a board of this size, 5 to 22 or 20x15
  save FILE      save the game, as .psq, .sgf, .lib, .txt or .json; save! overwrites
  load FILE      go on with the game of a file
  board          show the board and how things stand
  help           this list
  quit           leave
";

#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    Nothing,
    Move(Coord),
    Choose(Choice),
    Undo,
    Redo,
    Hint,
    Stop,
    Moves,
    Resign,
    Swap,
    Persons(u8),
    Level(Strength),
    Style(Style),
    Time(Duration),
    SetClock(Clock),
    Clock,
    Rule(Rule),
    Size(BoardSize),
    New(Opening),
    /// The file may be overwritten if true.
    Save(PathBuf, bool),
    Load(PathBuf),
    Board,
    Help,
    Quit,
}

impl Command {
    /// Reads a line typed while a board of this size is shown.
    pub fn parse(text: &str, size: BoardSize) -> anyhow::Result<Command> {
        let text = text.trim();
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        let file = || {
            let name = Expected("the name of a file, such as game.psq or game.sgf,");
            ensure!(!rest.is_empty(), name);
            let is_utf8 = !rest.contains(char::REPLACEMENT_CHARACTER);
            ensure!(is_utf8, Expected("a file name in UTF-8"));
            Ok(PathBuf::from(rest))
        };
        let unknown =
            || anyhow!("'{}' is neither a move such as h8 nor a command; type help", shown(text));
        let word = word.to_ascii_lowercase();
        Ok(match (word.as_str(), rest) {
            ("", "") => Command::Nothing,
            ("undo" | "u", "") => Command::Undo,
            ("redo" | "r", "") => Command::Redo,
            ("hint", "") => Command::Hint,
            ("stop", "") => Command::Stop,
            ("moves", "") => Command::Moves,
            ("resign", "") => Command::Resign,
            ("swap", "") => Command::Swap,
            ("black", "") => Command::Choose(Choice::Black),
            ("white", "") => Command::Choose(Choice::White),
            ("place", "") => Command::Choose(Choice::PutTwo),
            ("new", "") => Command::New(Opening::Free),
            ("swap2", "") => Command::New(Opening::Swap2),
            ("board", "") => Command::Board,
            ("help" | "?", "") => Command::Help,
            ("quit" | "q" | "exit", "") => Command::Quit,
            ("players", _) => Command::Persons(typed::persons(rest)?),
            ("level", _) => Command::Level(typed::level(rest)?),
            ("style", _) => Command::Style(typed::style(rest)?),
            ("clock", "") => Command::Clock,
            ("clock", _) if rest.eq_ignore_ascii_case("off") => Command::SetClock(Clock::default()),
            ("clock", _) => Command::SetClock(typed::clock(rest)?),
            ("time", _) => Command::Time(typed::time(rest)?),
            ("rule", _) => Command::Rule(rest.parse()?),
            ("size", _) => Command::Size(rest.parse()?),
            ("save", _) => Command::Save(file()?, false),
            ("save!", _) => Command::Save(file()?, true),
            ("load", _) => Command::Load(file()?),
            _ => match parse_points(text, size).as_deref() {
                Ok(&[c]) => Command::Move(c),
                Err(NotationError::OffBoard(0)) => {
                    let last = Coord::new(size.width() - 1, size.height() - 1);
                    bail!("that is off the board, which goes from a1 to {last}")
                }
                _ => return Err(unknown()),
            },
        })
    }
}

/// Returns the beginning of what was typed, as it can be shown in a line.
fn shown(text: &str) -> String {
    const LENGTH: usize = 60;
    let mut shown: String = text.chars().take(LENGTH).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Command, String> {
        let size = BoardSize::new(15, 15).unwrap();
        Command::parse(text, size).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn commands_are_understood() {
        let size = BoardSize::new(20, 15).unwrap();
        for (text, command) in [
            ("", Command::Nothing),
            ("h8", Command::Move(Coord::new(7, 7))),
            (" O15 ", Command::Move(Coord::new(14, 14))),
            ("UNDO", Command::Undo),
            ("level 0", Command::Level(Strength::new(0).unwrap())),
            ("time 0.5", Command::Time(Duration::from_millis(500))),
            ("rule Renju", Command::Rule(Rule::Renju)),
            ("size 20x15", Command::Size(size)),
            ("save  my game.psq", Command::Save("my game.psq".into(), false)),
            ("save! a.sgf", Command::Save("a.sgf".into(), true)),
            ("swap2", Command::New(Opening::Swap2)),
            ("place", Command::Choose(Choice::PutTwo)),
            ("players 2", Command::Persons(2)),
            ("clock", Command::Clock),
            ("clock Off", Command::SetClock(Clock::default())),
            ("clock 90s", Command::SetClock(typed::clock("1.5m").unwrap())),
            ("q", Command::Quit),
        ] {
            assert_eq!(parse(text), Ok(command), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_one_line() {
        for (text, what) in [
            ("h16", "that is off the board, which goes from a1 to o15"),
            ("p1", "that is off the board, which goes from a1 to o15"),
            ("h8 i9", "'h8 i9' is neither a move such as h8 nor a command; type help"),
            ("é8", "'é8' is neither a move such as h8 nor a command; type help"),
            ("level 101", "a level from 0 to 100 expected"),
            ("level", "a level from 0 to 100 expected"),
            ("players 3", "1 or 2 players expected"),
            ("style 101", "a style from 0 to 100 expected"),
            ("clock 5", "a clock such as 5m, 90s, 1h or 5m+3, whose moves add 3 seconds, expected"),
            ("undo 3", "'undo 3' is neither a move such as h8 nor a command; type help"),
            ("new renju", "'new renju' is neither a move such as h8 nor a command; type help"),
            ("time -1", "a time of up to 86400 seconds, such as 2.5, expected"),
            ("time nan", "a time of up to 86400 seconds, such as 2.5, expected"),
            ("time 1e99", "a time of up to 86400 seconds, such as 2.5, expected"),
            ("rule go", "freestyle, standard, renju, caro or caro-exact expected"),
            ("size 99", "a size from 5 to 22, such as 15 or 20x15, expected"),
            ("load", "the name of a file, such as game.psq or game.sgf, expected"),
        ] {
            assert_eq!(parse(text), Err(what.to_owned()), "{text}");
        }
    }
}
