//! One game between two programs, by the rules of the library.

use std::fmt;
use std::time::{Duration, Instant};

use tengen::record::{Ending, Outcome, Record};
use tengen::search::clock::TimeControl;
use tengen::types::{BoardSize, Color, Coord, Rule};

use crate::matches::program::{Fault, Program};

/// How long a program may take to answer START.
const START_TIME: Duration = Duration::from_secs(10);
/// The turn limit where only nodes are limited.
pub const FREE_TURN: Duration = Duration::from_secs(600);
/// What stands for no limit of the match.
const FREE_MATCH_MS: u128 = 100_000_000;

/// One side of a match.
pub struct Player {
    /// Its program, and arguments after blanks.
    pub program: String,
    /// Lines that it is sent before a game.
    pub infos: Vec<String>,
}

/// What is played.
pub struct Setting {
    pub rule: Rule,
    pub size: BoardSize,
    pub time: TimeControl,
    /// Nodes of a move, if these are limited.
    pub nodes: Option<u64>,
    /// Memory in megabytes.
    pub memory: u32,
    /// How long a late answer is waited for.
    pub tolerance: Duration,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// By the rules.
    ByRule(Ending),
    /// Because the program of this colour was late.
    Late(Color),
    /// Because it played on a cell that is taken or off the board.
    Illegal(Color),
    /// Because it ended, or refused to play.
    Crashed(Color),
}

impl End {
    /// Returns who won.
    pub fn outcome(&self) -> Outcome {
        match self {
            End::ByRule(ending) => ending.outcome(),
            End::Late(color) | End::Illegal(color) | End::Crashed(color) => Outcome::Won(!*color),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let winner = match self.outcome() {
            Outcome::Drawn => return f.write_str("Draw"),
            Outcome::Won(Color::Black) => "Black",
            Outcome::Won(Color::White) => "White",
        };
        let reason = match self {
            End::ByRule(Ending::Foul(_)) | End::Illegal(_) => "opponent's illegal move",
            End::ByRule(Ending::NoMove) => "opponent's lack of a legal move",
            End::ByRule(Ending::Five(..) | Ending::Full) => "five in a row",
            End::Late(_) => "time forfeit",
            End::Crashed(_) => "opponent's crash",
        };
        write!(f, "{winner} win by {reason}")
    }
}

/// A program in a game.
struct Seat {
    program: Program,
    /// The time it has for the rest of the game, if that is limited.
    left: Option<Duration>,
    /// Whether it knows the stones before the last one.
    knows_the_game: bool,
}

/// Plays a game from the end of an opening; `players` are black's first. Returns all its stones and
/// how it ended.
///
/// # Errors
///
/// If a program cannot be started.
pub fn play(
    setting: &Setting,
    opening: &Record,
    players: [&Player; 2],
) -> anyhow::Result<(Record, End)> {
    let mut record = opening.clone();
    record.rule = Some(setting.rule);
    let mut seats = Vec::new();
    for (color, player) in Color::ALL.into_iter().zip(players) {
        let mut program = Program::start(&player.program)?;
        if let Err(fault) = begin(&mut program, setting, player) {
            return Ok((record, end_by(fault, color)));
        }
        seats.push(Seat { program, left: setting.time.left, knows_the_game: false });
    }
    loop {
        if let Some((ending, _)) = record.ending(setting.rule) {
            return Ok((record, End::ByRule(ending)));
        }
        let us = record.to_move();
        let seat = &mut seats[us as usize];
        let (mv, time) = match ask(seat, setting, &record) {
            Ok(answer) => answer,
            Err(fault) => return Ok((record, end_by(fault, us))),
        };
        if mv.is_none_or(|mv| record.play(mv, time).is_err()) {
            return Ok((record, End::Illegal(us)));
        }
    }
}

fn end_by(fault: Fault, color: Color) -> End {
    match fault {
        Fault::Late => End::Late(color),
        Fault::Crashed => End::Crashed(color),
    }
}

/// Tells a program what is played.
fn begin(program: &mut Program, setting: &Setting, player: &Player) -> Result<(), Fault> {
    let Setting { rule, size, time, nodes, memory, .. } = setting;
    let (width, height) = (size.width(), size.height());
    program.send(&if width == height {
        format!("START {width}")
    } else {
        format!("RECTSTART {width},{height}")
    });
    let (_, answer) = program.answer(Instant::now() + START_TIME)?;
    if answer != "OK" {
        return Err(Fault::Crashed);
    }
    let turn = time.turn.unwrap_or(FREE_TURN).as_millis();
    let limit = time.left.map_or(FREE_MATCH_MS, |left| left.as_millis());
    let memory = u64::from(*memory) << 20;
    program.send(&format!("INFO rule {}", rule.code()));
    program.send("INFO game_type 1");
    program.send(&format!("INFO timeout_turn {turn}"));
    program.send(&format!("INFO timeout_match {limit}"));
    program.send(&format!("INFO time_increment {}", time.increment.as_millis()));
    program.send(&format!("INFO max_memory {memory}"));
    if let Some(nodes) = nodes {
        program.send(&format!("INFO max_node {nodes}"));
    }
    player.infos.iter().for_each(|info| program.send(&format!("INFO {info}")));
    Ok(())
}

/// Asks a program for its move and charges the time. A move that is none is `None`.
fn ask(
    seat: &mut Seat,
    setting: &Setting,
    record: &Record,
) -> Result<(Option<Coord>, Duration), Fault> {
    let Seat { program, left, knows_the_game } = seat;
    if let Some(left) = left {
        program.send(&format!("INFO time_left {}", left.as_millis()));
    }
    let turn = setting.time.turn.unwrap_or(FREE_TURN);
    let allowed = left.unwrap_or(turn).min(turn) + setting.tolerance;
    let start = Instant::now();
    match record.stones() {
        [] => program.send("BEGIN"),
        [.., last] if *knows_the_game => {
            program.send(&format!("TURN {},{}", last.c.x(), last.c.y()));
        }
        stones => {
            program.send("BOARD");
            for stone in stones {
                let whose = if stone.color == record.to_move() { 1 } else { 2 };
                program.send(&format!("{},{},{whose}", stone.c.x(), stone.c.y()));
            }
            program.send("DONE");
        }
    }
    *knows_the_game = true;
    let (at, answer) = program.answer(start + allowed)?;
    let used = at.saturating_duration_since(start);
    if let Some(left) = left {
        *left = left.saturating_sub(used) + setting.time.increment;
    }
    Ok((point(&answer, setting.size), used))
}

/// Returns the cell of the board that an answer such as `7,7` names.
fn point(answer: &str, size: BoardSize) -> Option<Coord> {
    let (x, y) = answer.split_once(',')?;
    size.coord(x.trim().parse().ok()?, y.trim().parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::types::CellSet;

    #[test]
    fn every_end_has_its_words() {
        for (end, words) in [
            (End::ByRule(Ending::Full), "Draw"),
            (
                End::ByRule(Ending::Five(Color::Black, CellSet::default())),
                "Black win by five in a row",
            ),
            (End::ByRule(Ending::Foul(Coord::new(7, 7))), "White win by opponent's illegal move"),
            (End::ByRule(Ending::NoMove), "White win by opponent's lack of a legal move"),
            (End::Late(Color::White), "Black win by time forfeit"),
            (End::Crashed(Color::Black), "White win by opponent's crash"),
        ] {
            assert_eq!(end.to_string(), words);
        }
    }
}
