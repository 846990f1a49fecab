//! One game between two programs, by the rules of `tengen-gomoku`.

use std::sync::LazyLock;
use std::time::Duration;

use anyhow::Context;
use clap::{Args, value_parser};
use tengen_gomocup::manager::{self, MoveTime, Stone};
use tengen_gomocup::process::{Process, Program};
use tengen_gomocup::{Command, Info, Point, Reply, milliseconds};
use tengen_gomoku::record::tree::GameTree;
use tengen_gomoku::record::{Ending, Outcome};
use tengen_gomoku::types::{BoardSize, Color, Rule};
use tengen_session::game::{Game, GameEnd};
use tengen_session::opening::{Choice, Opening, Stage};
use tokio::runtime::Runtime;
use tokio::time::{Instant, timeout_at};

use crate::matches::seconds;

/// How long a program may take to answer START.
const START_TIME: Duration = Duration::from_secs(10);
/// The longest turn of a clock without a limit.
pub const FREE_TURN: Duration = Duration::from_secs(600);

pub struct Player {
    pub name: String,
    /// Its name in the files of games.
    pub title: String,
    pub program: String,
    /// Lines that it is sent before a game.
    pub infos: Vec<String>,
    pub time: MoveTime,
}

#[derive(Args, Clone, Copy)]
pub struct Setting {
    /// freestyle, standard, renju, caro or caro-exact
    #[arg(long, default_value = "freestyle")]
    pub rule: Rule,
    /// Size of the board
    #[arg(long, default_value = "15")]
    pub size: BoardSize,
    /// Let the players open the games themselves: FIRST and SECOND place three stones in turns
    #[arg(long)]
    pub swap2: bool,
    /// Nodes of a move, which then has ten minutes instead of a clock [default with --levels: 30000]
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// max_memory
    #[arg(long, value_name = "MB", default_value = "350")]
    pub memory: u32,
    /// How long a late answer is waited for
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    pub tolerance: Duration,
}

impl Setting {
    /// Returns the setting of a game. With fixed nodes two games of one opening would be identical,
    /// so the nodes grow by up to 10 % with the game's number.
    pub fn varied(&self, number: u64) -> Setting {
        let varied = |nodes| nodes * (200 + 7 * number % 20) / 200;
        Setting { nodes: self.nodes.map(varied), ..*self }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forfeit {
    Late,
    /// Its answer is no legal move.
    Illegal,
    /// It has ended, or said that something is wrong.
    Crashed,
}

impl From<manager::Fault> for Forfeit {
    fn from(fault: manager::Fault) -> Forfeit {
        match fault {
            manager::Fault::Hung(_) | manager::Fault::Flood => Forfeit::Late,
            manager::Fault::Nonsense(_) | manager::Fault::Illegal(_) => Forfeit::Illegal,
            _ => Forfeit::Crashed,
        }
    }
}

/// A program in a game, as a child process. Nobody waits for it longer than its deadline.
struct Seat<'a> {
    setting: &'a Setting,
    player: &'a Player,
    process: Process,
    /// The time it has for the rest of the game, if that is limited.
    left: Option<Duration>,
    /// Whether it knows the stones before the last one.
    knows_the_game: bool,
}

pub struct Played {
    pub game: Game,
    pub end: GameEnd,
    /// What the loser did wrong, if that ended the game.
    pub forfeit: Option<Forfeit>,
}

/// Returns what the players chose in a swap2 opening.
pub fn decision(game: &Game) -> Option<&'static str> {
    match (game.fixed, game.color(0)) {
        (3, Color::White) => Some("swap"),
        (3, Color::Black) => Some("stay"),
        (5, Color::Black) => Some("two stones, swap"),
        (5, Color::White) => Some("two stones, stay"),
        _ => None,
    }
}

pub fn words(end: &GameEnd, forfeit: Option<Forfeit>) -> String {
    let winner = match end.outcome() {
        Outcome::Drawn => return "Draw".to_owned(),
        Outcome::Won(Color::Black) => "Black",
        Outcome::Won(Color::White) => "White",
    };
    let reason = match (forfeit, end) {
        (Some(Forfeit::Late), _) => "time forfeit",
        (Some(Forfeit::Illegal), _) => "opponent's illegal move",
        (Some(Forfeit::Crashed), _) => "opponent's crash",
        (None, GameEnd::Stones(Ending::NoMove, _)) => "opponent's lack of a legal move",
        (None, _) => "five in a row",
    };
    format!("{winner} win by {reason}")
}

/// Plays a game from the end of an opening. `players` are black's first, or under swap2 the one who
/// opens.
pub fn play(
    setting: &Setting,
    opening: &GameTree,
    players: [&Player; 2],
) -> anyhow::Result<Played> {
    let mut game = match setting.swap2 {
        true => Game::new(setting.size, setting.rule, Opening::Swap2),
        false => Game::of(opening.clone(), setting.rule),
    };
    let [first, second] = players.map(|player| Seat::start(setting, player));
    let mut forfeit = None;
    if let Err((player, by)) = play_out(&mut [first?, second?], &mut game) {
        let loser = game.color(player);
        match by {
            Forfeit::Late => game.time_up(loser),
            // Unless the opening has ended it.
            Forfeit::Illegal | Forfeit::Crashed => _ = game.resign(loser),
        }
        forfeit = Some(by);
    }
    let end = game.end().expect("invariant: a game is played to its end");
    if matches!(end, GameEnd::Stones(Ending::Foul(_), _)) {
        forfeit = Some(Forfeit::Illegal);
    }
    Ok(Played { game, end, forfeit })
}

/// Plays to the end, or until a player fails.
fn play_out(seats: &mut [Seat; 2], game: &mut Game) -> Result<(), (usize, Forfeit)> {
    for (player, seat) in seats.iter_mut().enumerate() {
        seat.begin().map_err(|forfeit| (player, forfeit))?;
    }
    while game.end().is_none() {
        let player = game.to_act();
        let result = match game.opening_state {
            Some(state) => seats[player].open(game, state.stage),
            None => seats[player].play_move(game),
        };
        result.map_err(|forfeit| (player, forfeit))?;
    }
    Ok(())
}

fn place(game: &mut Game, point: Point, time: Duration) -> Result<(), Forfeit> {
    let c = point.on(game.size()).ok_or(Forfeit::Illegal)?;
    game.place(c, time).map_err(|_| Forfeit::Illegal)
}

fn stones(game: &Game) -> Vec<Stone> {
    game.record().stones().iter().map(|stone| (stone.c, stone.color)).collect()
}

/// Reads what all programs write.
static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Runtime::new().expect("invariant: the system has threads and pipes"));

impl<'a> Seat<'a> {
    fn start(setting: &'a Setting, player: &'a Player) -> anyhow::Result<Seat<'a>> {
        let mut program = Program::parse(&player.program).map_err(anyhow::Error::msg)?;
        // It runs here, where its arguments may name files.
        program.folder = None;
        let process = RUNTIME.block_on(async { Process::start(&program) });
        let process = process.with_context(|| format!("{}: could not be started", program.name))?;
        let left = player.time.game.map(|(_, left)| left);
        Ok(Seat { setting, player, process, left, knows_the_game: false })
    }

    fn begin(&mut self) -> Result<(), Forfeit> {
        let (setting, Player { time, infos, .. }) = (self.setting, self.player);
        let (answer, _) = self.ask(&[Command::start(setting.size).to_string()], START_TIME)?;
        manager::started(&answer).ok_or(Forfeit::Crashed)??;
        let game = manager::game(setting.rule, u64::from(setting.memory) << 20);
        let nodes = setting.nodes.map(Info::MaxNode);
        let all = game.into_iter().chain([Info::GameType(1)]).chain(time.infos()).chain(nodes);
        let mut lines = manager::settings(all);
        lines.extend(infos.iter().map(|info| format!("INFO {info}")));
        self.send(&lines);
        Ok(())
    }

    /// Plays a step of a swap2 opening. An answer counts as a whole, or not at all.
    fn open(&mut self, game: &mut Game, stage: Stage) -> Result<(), Forfeit> {
        let (answer, time) = self.exchange(&manager::swap2(&stones(game)))?;
        let points = match answer {
            Reply::Swap => Vec::new(),
            Reply::Points(points) => points,
            _ => return Err(Forfeit::Illegal),
        };
        let mut opened = game.clone();
        match Choice::of(points.len()) {
            Some(choice) => opened.choose(choice).map_err(|_| Forfeit::Illegal)?,
            None if stage == Stage::PlaceThree && points.len() == 3 => {}
            None => return Err(Forfeit::Illegal),
        }
        points.into_iter().try_for_each(|point| place(&mut opened, point, time))?;
        *game = opened;
        Ok(())
    }

    fn play_move(&mut self, game: &mut Game) -> Result<(), Forfeit> {
        let lines =
            manager::move_request(game.rule(), &stones(game), game.to_move(), self.knows_the_game);
        self.knows_the_game = true;
        match self.exchange(&lines)? {
            (Reply::Points(points), time) if points.len() == 1 => place(game, points[0], time),
            _ => Err(Forfeit::Illegal),
        }
    }

    /// Sends a request and returns its answer, with the time that it took and that is charged.
    fn exchange(&mut self, lines: &[String]) -> Result<(Reply, Duration), Forfeit> {
        if let Some(left) = self.left {
            self.send(&manager::settings([Info::TimeLeft(milliseconds(left))]));
        }
        let turn = self.player.time.turn;
        let allowed = self.left.unwrap_or(turn).min(turn) + self.setting.tolerance;
        let (answer, used) = self.ask(lines, allowed)?;
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(used) + self.player.time.increment;
        }
        Ok((answer, used))
    }

    fn send(&mut self, lines: &[String]) {
        // What is wrong with one that does not listen shows in its next answer.
        let _ = RUNTIME.block_on(self.process.send(lines));
    }

    /// Sends a request, and returns the answer with the time that it took.
    fn ask(&mut self, lines: &[String], most: Duration) -> Result<(Reply, Duration), Forfeit> {
        let start = Instant::now();
        self.send(lines);
        RUNTIME.block_on(async {
            loop {
                let line = timeout_at(start + most, self.process.line()).await;
                let (at, line) = line.map_err(|_| Forfeit::Late)??;
                // The deadline holds for a program that sends messages without end, too.
                if at > start + most {
                    return Err(Forfeit::Late);
                }
                match Reply::parse(&line) {
                    reply if !reply.is_answer() => {}
                    Reply::Error(_) | Reply::Unknown(_) => return Err(Forfeit::Crashed),
                    reply => return Ok((reply, at.saturating_duration_since(start))),
                }
            }
        })
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        RUNTIME.block_on(self.process.end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_gomoku::types::{Coord, CoordSet};

    #[test]
    fn every_end_has_its_words() {
        let by = |ending| GameEnd::Stones(ending, 9);
        let five = Ending::Five(Color::Black, CoordSet::default());
        let (lost, illegal) = (GameEnd::Resigned(Color::Black), Some(Forfeit::Illegal));
        for (end, forfeit, expected) in [
            (by(Ending::Full), None, "Draw"),
            (by(five), None, "Black win by five in a row"),
            (by(Ending::Foul(Coord::new(7, 7))), illegal, "White win by opponent's illegal move"),
            (by(Ending::NoMove), None, "White win by opponent's lack of a legal move"),
            (GameEnd::TimeUp(Color::White), Some(Forfeit::Late), "Black win by time forfeit"),
            (lost.clone(), illegal, "White win by opponent's illegal move"),
            (lost, Some(Forfeit::Crashed), "White win by opponent's crash"),
        ] {
            assert_eq!(words(&end, forfeit), expected);
        }
    }
}
