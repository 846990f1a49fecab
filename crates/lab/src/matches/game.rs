//! One game between two programs, by the rules of the library.

use std::fmt;
use std::time::{Duration, Instant};

use tengen::record::{Ending, Outcome, Record, Stone};
use tengen::search::clock::TimeControl;
use tengen::types::{BoardSize, Color, Coord, Rule};
use tengen_gomocup::{Command, Info, ListItem, ListKind, Point, Reply, milliseconds};

use crate::matches::program::{Fault, Program};

/// How long a program may take to answer START.
const START_TIME: Duration = Duration::from_secs(10);
pub const FREE_TURN: Duration = Duration::from_secs(600);
/// What stands for no limit of the match.
const FREE_MATCH_MS: i64 = 100_000_000;

pub struct Player {
    pub name: String,
    pub program: String,
    /// Lines that it is sent before a game.
    pub infos: Vec<String>,
    pub time: TimeControl,
}

#[derive(Clone, Copy)]
pub struct Setting {
    pub rule: Rule,
    pub size: BoardSize,
    /// Whether the players open the game themselves, by swap2.
    pub swap2: bool,
    pub nodes: Option<u64>,
    pub memory: u32,
    pub tolerance: Duration,
}

impl Setting {
    /// Returns the setting of a game. With fixed nodes the same opening of swap2 would always be the
    /// same game: up to a tenth of them more tell one from another.
    pub fn of_game(&self, number: u64) -> Setting {
        let nodes = |nodes| nodes * (200 + 7 * number % 20) / 200;
        Setting { nodes: self.nodes.map(|n| if self.swap2 { nodes(n) } else { n }), ..*self }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    ByRule(Ending),
    /// By what the program of this color did.
    ByFault(Fault, Color),
}

impl End {
    pub fn outcome(&self) -> Outcome {
        match self {
            End::ByRule(ending) => ending.outcome(),
            End::ByFault(_, color) => Outcome::Won(!*color),
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
            End::ByRule(Ending::Foul(_)) | End::ByFault(Fault::Illegal, _) => {
                "opponent's illegal move"
            }
            End::ByRule(Ending::NoMove) => "opponent's lack of a legal move",
            End::ByRule(Ending::Five(..) | Ending::Full) => "five in a row",
            End::ByFault(Fault::Late, _) => "time forfeit",
            End::ByFault(Fault::Crashed, _) => "opponent's crash",
        };
        write!(f, "{winner} win by {reason}")
    }
}

struct Seat<'a> {
    player: &'a Player,
    program: Program,
    /// The time it has for the rest of the game, if that is limited.
    left: Option<Duration>,
    /// Whether it knows the stones before the last one.
    knows_the_game: bool,
}

pub struct Played {
    pub record: Record,
    pub end: End,
    pub swap2: Option<Swap2>,
}

#[derive(Clone, Copy, Debug)]
pub struct Swap2 {
    /// Whether the one who placed three stones has white.
    pub is_exchanged: bool,
    pub decision: &'static str,
}

/// Plays a game from the end of an opening. `players` are black's first, or under swap2 the one who
/// opens.
pub fn play(setting: &Setting, opening: &Record, players: [&Player; 2]) -> anyhow::Result<Played> {
    let mut record = opening.clone();
    record.rule = Some(setting.rule);
    let mut seats = Vec::new();
    for player in players {
        let program = Program::start(&player.program)?;
        seats.push(Seat { player, program, left: player.time.left, knows_the_game: false });
    }
    let mut swap2 = None;
    let end = match play_out(&mut seats, setting, &mut record, &mut swap2) {
        Ok(ending) => End::ByRule(ending),
        Err((fault, color)) => End::ByFault(fault, color),
    };
    Ok(Played { record, end, swap2 })
}

/// Adds all stones of a game to its opening and returns how it ended.
fn play_out(
    seats: &mut [Seat],
    setting: &Setting,
    record: &mut Record,
    swap2: &mut Option<Swap2>,
) -> Result<Ending, (Fault, Color)> {
    for (color, seat) in Color::ALL.into_iter().zip(seats.iter_mut()) {
        begin(seat, setting).map_err(|fault| (fault, color))?;
    }
    if setting.swap2 {
        let opened = open(seats, setting, record)?;
        *swap2 = Some(opened);
        if opened.is_exchanged {
            seats.swap(0, 1);
        }
    }
    loop {
        if let Some((ending, _)) = record.ending(setting.rule) {
            return Ok(ending);
        }
        let us = record.to_move();
        let answer = ask(&mut seats[us as usize], setting, record);
        let (mv, time) = answer.map_err(|fault| (fault, us))?;
        record.play(mv, time).map_err(|_| (Fault::Illegal, us))?;
    }
}

fn begin(seat: &mut Seat, setting: &Setting) -> Result<(), Fault> {
    let Seat { player: Player { time, infos: own_infos, .. }, program, .. } = seat;
    let Setting { rule, size, nodes, memory, .. } = setting;
    program.send(Command::start(*size));
    let (_, answer) = program.answer(Instant::now() + START_TIME)?;
    if answer != Reply::Ok {
        return Err(Fault::Crashed);
    }
    let nodes = nodes.map(Info::MaxNode);
    let infos = [
        Info::Rule(rule.code().into()),
        Info::GameType(1),
        Info::TimeoutTurn(milliseconds(time.turn.unwrap_or(FREE_TURN))),
        Info::TimeoutMatch(time.left.map_or(FREE_MATCH_MS, milliseconds)),
        Info::TimeIncrement(milliseconds(time.increment).unsigned_abs()),
        Info::MaxMemory(u64::from(*memory) << 20),
    ];
    infos.into_iter().chain(nodes).for_each(|info| program.send(Command::Info(info)));
    own_infos.iter().for_each(|info| program.send(format!("INFO {info}")));
    Ok(())
}

/// Opens a game by swap2. Until colors are chosen, the one who opens counts as black.
fn open(
    seats: &mut [Seat],
    setting: &Setting,
    record: &mut Record,
) -> Result<Swap2, (Fault, Color)> {
    // Returns how many stones a player places, none for SWAP.
    let mut place = |seat: usize, allowed: &[usize]| {
        let item = |stone: &Stone| ListItem { point: stone.c.into(), owner: None };
        let items: Vec<ListItem> = record.stones().iter().map(item).collect();
        let by_fault = |fault| (fault, Color::ALL[seat]);
        let answer = exchange(&mut seats[seat], setting, &ListKind::Swap2.lines(&items));
        let (answer, time) = answer.map_err(by_fault)?;
        let points = match answer {
            Reply::Swap => Vec::new(),
            Reply::Points(points) => points,
            _ => return Err(by_fault(Fault::Illegal)),
        };
        let count = points.len();
        let mut play =
            |point: Point| point.on(setting.size).is_some_and(|mv| record.play(mv, time).is_ok());
        let is_legal = allowed.contains(&count) && points.into_iter().all(&mut play);
        is_legal.then_some(count).ok_or(by_fault(Fault::Illegal))
    };
    place(0, &[3])?;
    let (is_exchanged, decision) = match place(1, &[0, 1, 2])? {
        0 => (true, "swap"),
        1 => (false, "stay"),
        _ if place(0, &[0, 1])? == 0 => (false, "two stones, swap"),
        _ => (true, "two stones, stay"),
    };
    seats.iter_mut().for_each(|seat| seat.knows_the_game = false);
    Ok(Swap2 { is_exchanged, decision })
}

/// Asks a program for its move and returns it with its time.
fn ask(seat: &mut Seat, setting: &Setting, record: &Record) -> Result<(Coord, Duration), Fault> {
    let lines = match record.stones() {
        [] => vec![Command::Begin.to_string()],
        [.., last] if seat.knows_the_game => vec![Command::Turn(last.c.into()).to_string()],
        stones => {
            let item = |stone: &Stone| {
                let owner = if stone.color == record.to_move() { 1 } else { 2 };
                ListItem { point: stone.c.into(), owner: Some(owner) }
            };
            ListKind::Board.lines(&stones.iter().map(item).collect::<Vec<_>>())
        }
    };
    seat.knows_the_game = true;
    let (answer, time) = exchange(seat, setting, &lines)?;
    let mv = match answer {
        Reply::Points(points) if points.len() == 1 => points[0].on(setting.size),
        _ => None,
    };
    mv.map(|mv| (mv, time)).ok_or(Fault::Illegal)
}

/// Sends a request and returns its answer, with the time that it took and that is charged.
fn exchange(
    seat: &mut Seat,
    setting: &Setting,
    lines: &[String],
) -> Result<(Reply, Duration), Fault> {
    let Seat { player: Player { time, .. }, program, left, .. } = seat;
    if let Some(left) = left {
        program.send(Command::Info(Info::TimeLeft(milliseconds(*left))));
    }
    let turn = time.turn.unwrap_or(FREE_TURN);
    let allowed = left.unwrap_or(turn).min(turn) + setting.tolerance;
    let start = Instant::now();
    lines.iter().for_each(|line| program.send(line));
    let (at, answer) = program.answer(start + allowed)?;
    let used = at.saturating_duration_since(start);
    if let Some(left) = left {
        *left = left.saturating_sub(used) + time.increment;
    }
    Ok((answer, used))
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
            (End::ByFault(Fault::Late, Color::White), "Black win by time forfeit"),
            (End::ByFault(Fault::Crashed, Color::Black), "White win by opponent's crash"),
        ] {
            assert_eq!(end.to_string(), words);
        }
    }
}
