//! What pages ask for, and what that does to the session: JSON in, a [`Command`] out, every number
//! within its range.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tengen_gomoku::record::tree::{Mark, Notes};
use tengen_gomoku::record::{ParseError, ParsedGame, ReadOptions, parse, parse_file};
use tengen_gomoku::types::{BoardSize, Color, Coord, Rule};

use super::engines::{EngineResources, Manner, NEUTRAL, Order, PendingTask, Role};
use super::matches::Match;
use super::show::Thoughts;
use super::study::Scan;
use super::{Effect, EngineInfo, Message, Session, message};
use crate::clock::Clock;
use crate::game::{Game, Seat};
use crate::opening::{Choice, Opening, OpeningState, Stage};

/// What a game is played by. Times are in milliseconds; none for the game means no limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    width: u8,
    height: u8,
    pub rule: Rule,
    pub opening: Opening,
    /// Who has black, or places the first stones.
    pub black: Seat,
    /// Who has white, or chooses first.
    pub white: Seat,
    turn: u64,
    /// How many games two engines play one after another.
    games: usize,
    game: u64,
    increment: u64,
    /// Of black's engine and of white's.
    level: [u8; 2],
    /// Tengen's styles as black and as white: 0 defends most, 100 attacks most.
    style: [u8; 2],
    threads: u64,
    memory: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            width: 15,
            height: 15,
            rule: Rule::Freestyle,
            opening: Opening::Free,
            black: Seat::Person,
            white: Seat::Engine1,
            turn: 2_000,
            games: 1,
            game: 0,
            increment: 0,
            level: [100; 2],
            style: [NEUTRAL; 2],
            threads: 1,
            memory: 350,
        }
    }
}

impl Settings {
    pub fn size(&self) -> BoardSize {
        BoardSize::new(self.width, self.height).expect("invariant: settings were checked")
    }

    pub fn seats(&self) -> [Seat; 2] {
        [self.black, self.white]
    }

    pub fn with_seats_changed(mut self) -> Settings {
        self.level.reverse();
        self.style.reverse();
        Settings { black: self.white, white: self.black, ..self }
    }

    pub(super) fn manner(&self, player: usize) -> Manner {
        Manner { level: self.level[player], style: self.style[player] }
    }

    pub fn turn(&self) -> Duration {
        Duration::from_millis(self.turn)
    }

    pub(super) fn clock(&self) -> Clock {
        let limit = (self.game > 0).then(|| Duration::from_millis(self.game));
        Clock::new(limit, Duration::from_millis(self.increment))
    }

    fn check(&self) -> Result<(), String> {
        let is_good = [
            (BoardSize::new(self.width, self.height).is_some(), "a side from 5 to 22"),
            ((50..=3_600_000).contains(&self.turn), "a move's time from 50 ms to an hour"),
            ((1..=100).contains(&self.games), "1 to 100 games"),
            (
                self.opening.fits(self.rule, self.width.min(self.height)),
                "renju and room for its opening",
            ),
            (self.game <= 24 * 3_600_000, "a game's time of a day at most"),
            (self.increment <= 600_000, "an increment of ten minutes at most"),
            (self.level.iter().all(|&level| level <= 100), "a level from 0 to 100"),
            (self.style.iter().all(|&style| style <= 100), "a style from 0 to 100"),
            ((1..=256).contains(&self.threads), "1 to 256 threads"),
            ((16..=65_536).contains(&self.memory), "16 to 65536 MiB of memory"),
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
    New { settings: Settings },
    // Go on with the game by other settings, of which size, rule and opening do not count.
    Change { settings: Settings },
    Play { x: u8, y: u8, seen: u64 },
    Show { ply: usize },
    // Show the position of this node of the tree, and the line through it.
    GoTo { node: usize },
    // Make the line up to the move shown the main line.
    Promote,
    // Remove the move shown with all that follows it.
    Remove,
    // Keep a line after so many moves as a variation.
    AddLine { ply: usize, moves: Vec<(u8, u8)> },
    Comment { tree: u64, node: usize, text: String },
    // Set a mark or a label on a cell, or clear it.
    Mark { tree: u64, node: usize, x: u8, y: u8, mark: Option<Mark>, label: Option<String> },
    Undo,
    Redo,
    Resign,
    // Let the players play, or pause.
    Run { on: bool, seen: u64 },
    MoveNow,
    Hint,
    Analyse { on: bool, lines: usize },
    // Leave a move out of the analysis, or let it in again.
    Exclude { x: u8, y: u8 },
    AllowAll,
    // The time of each position is in milliseconds.
    Review { on: bool, time: u64 },
    Choose { choice: Choice, seen: u64 },
    // Play, analyse and review with the engines of these commands, one or two.
    Engines { commands: Vec<String> },
    SetUp(SetUp),
    // With the name of a file, `text` has its bytes, one in the low bits of each character.
    Load { text: String, file: Option<String> },
    // Another game of the file that was loaded.
    OpenGame { index: usize },
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetUp {
    width: u8,
    height: u8,
    rule: Rule,
    black: Vec<(u8, u8)>,
    white: Vec<(u8, u8)>,
    white_moves: bool,
}

impl SetUp {
    pub fn game(&self) -> Result<Game, String> {
        let size = BoardSize::new(self.width, self.height).ok_or("a side from 5 to 22 expected")?;
        let cells = |points: &[(u8, u8)]| {
            let cells = points.iter().map(|&(x, y)| size.coord(x, y));
            cells.collect::<Option<Vec<Coord>>>().ok_or("a stone is off the board")
        };
        let (black, white) = (cells(&self.black)?, cells(&self.white)?);
        let to_move = if self.white_moves { Color::White } else { Color::Black };
        Game::set_up(size, self.rule, [&black, &white], to_move)
            .map_err(|refusal| refusal.to_string())
    }
}

impl Command {
    pub fn parse(bytes: &[u8]) -> Result<Command, String> {
        let command: Command = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        match &command {
            Command::New { settings } | Command::Change { settings } => settings.check()?,
            Command::Analyse { lines, .. } if !(1..=20).contains(lines) => {
                return Err("1 to 20 lines expected".into());
            }
            Command::Review { time, .. } if !(50..=60_000).contains(time) => {
                return Err("50 ms to a minute for each position expected".into());
            }
            _ => {}
        }
        Ok(command)
    }
}

impl Session {
    /// Returns what an engine may use here.
    pub(super) fn resources(&self) -> EngineResources {
        EngineResources {
            threads: self.settings.threads.min(self.most.threads),
            memory: self.settings.memory.min(self.most.memory),
        }
    }

    pub(super) fn execute(&mut self, command: Command) -> Result<(), Message> {
        match command {
            Command::New { settings } => {
                let game = Game::new(settings.size(), settings.rule, settings.opening);
                self.game = game.with_rows(self.game.rows());
                let is_match = settings.games > 1 && !settings.seats().contains(&Seat::Person);
                self.score = is_match.then(|| Match { games: settings.games, ..Match::default() });
                self.settings = settings;
                self.forget_game();
                self.begin_match_game();
                self.running = true;
                self.prepare();
            }
            Command::Change { settings } => self.change(settings)?,
            Command::Play { x, y, seen } => self.play(x, y, seen)?,
            Command::Show { ply } => {
                self.game.check_opening()?;
                if ply.min(self.game.moves().len()) != self.game.shown() {
                    // Clocks stand still while moves are looked at: that is a pause, but not between
                    // two games of a match.
                    let is_between = self.score.is_some() && self.game.end().is_some();
                    self.running &= self.settings.game == 0 || is_between;
                    self.game.show(ply);
                    self.position_changed();
                }
            }
            Command::GoTo { node } => {
                self.game.check_opening()?;
                let node = self.game.tree().node_at(node).ok_or(message("no_variation"))?;
                self.game.go_to(node);
                self.running &= self.keeps_moves();
                self.moves_changed();
            }
            Command::Promote => {
                self.game.promote();
                self.moves_changed();
            }
            Command::Remove => {
                self.game.check_opening()?;
                self.game.remove()?;
                self.moves_changed();
            }
            Command::AddLine { ply, moves } => {
                self.game.check_opening()?;
                let moves = moves.iter().map_while(|&(x, y)| self.game.size().coord(x, y));
                let moves: Vec<Coord> = moves.collect();
                self.game.add_line(ply, &moves)?;
                self.review.fit(&self.game);
            }
            Command::Comment { tree, node, text } => {
                self.notes(tree, node)?.comment = text;
                self.review.fit(&self.game);
            }
            Command::Mark { tree, node, x, y, mark, label } => {
                let c = self.game.size().coord(x, y).ok_or(message("off_board"))?;
                let notes = self.notes(tree, node)?;
                notes.marks.retain(|&(cell, _)| cell != c);
                notes.labels.retain(|&(cell, _)| cell != c);
                notes.marks.extend(mark.map(|mark| (c, mark)));
                notes.labels.extend(label.map(|label| (c, label)));
            }
            Command::Undo => {
                self.game.check_opening()?;
                self.game.step_back(self.undo_seats())?;
                self.position_changed();
            }
            Command::Redo => {
                self.game.check_opening()?;
                self.game.redo(self.undo_seats())?;
                self.position_changed();
            }
            Command::Resign => self.resign()?,
            Command::Run { on, seen } => {
                if on && self.score.is_some() && !self.game.is_at_end() {
                    self.game.show(usize::MAX);
                    self.position_changed();
                }
                let seat = self.seat(self.game.to_act());
                let is_cut = on && seat.is_some() && !self.game.is_at_end();
                if is_cut {
                    self.check_seen(seen)?;
                }
                self.running = on;
                if is_cut {
                    // The engine plays on from what is shown.
                    self.game.end_line();
                    self.moves_changed();
                }
            }
            Command::MoveNow => {
                for role in [Role::Player(0), Role::Player(1)] {
                    if matches!(self.pending(role), Some(PendingTask::Move(_))) {
                        self.effects.push(Effect::Tell(role, Order::MoveNow));
                    }
                }
            }
            Command::Hint => {
                if self.analysis.is_on {
                    return Err(message("analysis_on"));
                }
                self.game.check_running()?;
                self.analysis.hinting = true;
                self.analysis.request += 1;
            }
            Command::Analyse { on, lines } => {
                (self.analysis.is_on, self.analysis.lines) = (on, lines);
                self.analysis.request += 1;
                if on {
                    self.analysis.hinting = false;
                    self.thoughts.analysis = None;
                }
            }
            Command::Exclude { x, y } => {
                let record = self.game.record_shown();
                let c = record.size().coord(x, y).filter(|&c| record.is_empty(c));
                let c = c.ok_or(message("not_free"))?;
                let excluded = &mut self.analysis.excluded;
                match excluded.iter().position(|&excluded| excluded == c) {
                    Some(at) => drop(excluded.remove(at)),
                    None => excluded.push(c),
                }
                self.analysis.request += 1;
            }
            Command::AllowAll => {
                self.analysis.excluded.clear();
                self.analysis.request += 1;
            }
            Command::Review { on, time } => {
                self.review.time = on.then_some(Duration::from_millis(time));
                if on {
                    self.review.resume();
                }
            }
            Command::Choose { choice, seen } => self.choose(choice, seen)?,
            Command::Engines { commands } => self.set_engines(commands)?,
            Command::SetUp(set_up) => {
                self.replace_game(set_up.game()?.with_rows(self.game.rows()));
            }
            Command::Load { text, file } => {
                let reading = ReadOptions { rows: self.game.rows(), ..self.settings.size().into() };
                let games = match file {
                    Some(name) => {
                        let bytes: Vec<u8> = text.chars().map(|byte| byte as u8).collect();
                        parse_file(Path::new(&name), &bytes, reading)
                            .map_err(|error| format!("{error}."))?
                    }
                    None => parse(&text, reading),
                };
                self.open_game(games, None)?;
            }
            Command::OpenGame { index } => {
                if index >= self.games.len() {
                    return Err(message("no_game"));
                }
                self.open_game(self.games.clone(), Some(index))?;
            }
        }
        Ok(())
    }

    /// Shows one of the games of a file, the first that can be read if none is chosen. Tells and
    /// returns notes about it.
    pub fn open_game(
        &mut self,
        games: Vec<ParsedGame>,
        index: Option<usize>,
    ) -> Result<Vec<String>, ParseError> {
        let readable = || games.iter().position(|game| game.record().is_ok());
        let index = index.or_else(readable).unwrap_or(0);
        let chosen = games[index].clone();
        let (game, words) = Game::first_of(vec![chosen], self.settings.rule, None)?;
        self.replace_game(game);
        (self.games, self.game_index) = (games, index);
        let notes: Vec<String> = words.iter().map(|words| format!("Warning: {words}.")).collect();
        notes.iter().for_each(|note| self.note(None, note.clone().into(), false));
        Ok(notes)
    }

    pub(super) fn replace_game(&mut self, game: Game) {
        if self.game.color(0) == Color::White {
            self.settings = self.settings.clone().with_seats_changed();
        }
        (self.settings.width, self.settings.height) = (game.size().width(), game.size().height());
        (self.settings.rule, self.settings.opening) = (game.rule(), Opening::Free);
        self.game = game;
        self.score = None;
        self.running = false;
        self.forget_game();
    }

    /// Begins anew with clocks and studies, without other games of a file.
    pub(super) fn forget_game(&mut self) {
        self.games.clear();
        self.tree += 1;
        self.clock = self.settings.clock();
        self.review = Scan::new(&self.game);
        self.analysis.is_on = false;
        self.thoughts = Thoughts::default();
        self.moves_changed();
    }

    pub(super) fn set_engines(&mut self, commands: Vec<String>) -> Result<(), Message> {
        let name_of = self.name_of.ok_or(message("no_engines"))?;
        if !(1..=2).contains(&commands.len()) {
            return Err("One engine or two expected.".to_owned().into());
        }
        let info = |command: &String| {
            let name = name_of(command).map_err(|error| format!("{command}: {error}."))?;
            Ok(EngineInfo { command: command.clone(), name, can_analyse: None })
        };
        let programs = commands.iter().map(info).collect::<Result<_, String>>()?;
        Role::ALL.into_iter().for_each(|role| self.dismiss(role));
        (self.programs, self.thoughts) = (programs, Thoughts::default());
        self.score = None;
        self.analysis.is_on = false;
        self.review.time = None;
        self.effects.push(Effect::Engines(commands));
        Ok(())
    }

    /// Translates settings between the session, which has them by player, and pages. Pages see who
    /// has black and white, or in an opening who places and who chooses.
    pub(super) fn by_color(&self, settings: Settings) -> Settings {
        let is_opening = self.settings.opening != Opening::Free;
        let is_same = is_opening || self.game.color(0) == Color::Black;
        if is_same { settings } else { settings.with_seats_changed() }
    }

    fn change(&mut self, settings: Settings) -> Result<(), Message> {
        let settings = self.by_color(settings);
        let is_same = settings.seats() == self.settings.seats();
        let is_placing = self.game.opening_state.is_some_and(OpeningState::is_placing);
        if is_placing && !self.game.moves().is_empty() && !is_same {
            // An engine places all of its stones at once.
            return Err(message("unplaced"));
        }
        if (settings.game, settings.increment) != (self.settings.game, self.settings.increment) {
            self.clock = settings.clock();
        }
        if !is_same {
            self.score = None;
        }
        let Settings { width, height, rule, opening, .. } = self.settings;
        self.settings = Settings { width, height, rule, opening, ..settings };
        // A seat may have another player now.
        self.thoughts.players = [None, None];
        self.position_changed();
        Ok(())
    }

    fn notes(&mut self, tree: u64, node: usize) -> Result<&mut Notes, Message> {
        let node = self.game.tree().node_at(node).filter(|_| tree == self.tree);
        let node = node.ok_or(message("no_variation"))?;
        Ok(self.game.notes(node))
    }

    /// Returns true if a replaced move is kept as a variation: in a pause, and between two persons
    /// without a clock.
    pub(super) fn keeps_moves(&self) -> bool {
        let are_persons = self.settings.seats() == [Seat::Person; 2];
        !self.running || are_persons && self.settings.game == 0
    }

    fn play(&mut self, x: u8, y: u8, seen: u64) -> Result<(), Message> {
        self.check_seen(seen)?;
        if !self.may_play() {
            return Err(message("not_your_move"));
        }
        let c = self.game.size().coord(x, y).ok_or(message("off_board"))?;
        self.game.check_move(c)?;
        let keeps_moves = self.keeps_moves();
        if !keeps_moves {
            self.game.cut();
        }
        let time = self.clock.time(self.now);
        self.game.play(c, time)?;
        if self.game.opening_state.is_none() {
            // In a game a move is of the main line, whatever was kept here before.
            if keeps_moves { self.game.extend_line() } else { self.game.promote() }
        }
        self.end_step(time);
        self.moves_changed();
        Ok(())
    }

    /// Charges a step of the player whose clock runs. The turn ends if another one is to act now: in
    /// an opening one turn may have several stones, or stones and a choice.
    pub(super) fn end_step(&mut self, time: Duration) {
        if self.actor() == self.clock.running() {
            return self.clock.charge(time);
        }
        // Offering fifth moves is a turn of its own, after that of the fourth stone.
        let has_offered =
            self.game.opening_state.is_some_and(|opening_state| opening_state.stage == Stage::Take);
        self.clock.end_turn(time, self.game.shown() + usize::from(has_offered));
    }

    /// Returns the seats for undo and redo, which pass over engines' moves: those of the game while a
    /// person plays in it; else two persons, so that every move is a step.
    fn undo_seats(&self) -> [Seat; 2] {
        let has_person = self.settings.seats().contains(&Seat::Person);
        if self.running && has_person { self.settings.seats() } else { [Seat::Person; 2] }
    }

    fn resign(&mut self) -> Result<(), Message> {
        self.game.check_opening()?;
        self.game.check_running()?;
        // Resigning in an earlier position would delete the moves after it.
        if !self.game.is_at_end() {
            return Err(message("not_last"));
        }
        let to_move = self.game.to_move();
        let persons = [to_move, !to_move];
        let seats = self.settings.seats();
        let loser = persons.into_iter().find(|&color| self.game.is_person(color, seats));
        self.game.resign(loser.ok_or(message("no_person"))?)?;
        self.moves_changed();
        Ok(())
    }

    fn choose(&mut self, choice: Choice, seen: u64) -> Result<(), Message> {
        self.check_seen(seen)?;
        if self.game.opening_state.is_none() || self.seat(self.game.to_act()).is_some() {
            return Err(message("no_choice"));
        }
        self.decide(choice)?;
        self.end_step(self.clock.time(self.now));
        Ok(())
    }

    pub(super) fn decide(&mut self, choice: Choice) -> Result<(), Message> {
        let color = self.game.color(0);
        self.game.choose(choice)?;
        if self.game.color(0) != color {
            // The players have changed colours, and their thoughts with them.
            self.thoughts.players.swap(0, 1);
        }
        self.position_changed();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Command, String> {
        Command::parse(text.as_bytes())
    }

    fn settings(change: &str) -> String {
        let mut settings = serde_json::to_value(Settings::default()).unwrap();
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
        let Ok(Command::New { settings }) = parse(&settings("rule=\"renju\"")) else {
            panic!("no new game")
        };
        assert_eq!((settings.rule, settings.turn()), (Rule::Renju, Duration::from_secs(2)));
        assert_eq!(settings.clock().limit, None);
    }

    #[test]
    fn what_is_out_of_range_is_refused() {
        for change in [
            "width=4",
            "height=23",
            "rule=\"x\"",
            "turn=0",
            "game=86400001",
            "level=[100,101]",
            "games=0",
            "games=101",
            "style=[101,50]",
            "opening=\"soosorv8\"",
            "foo=1",
        ] {
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
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn positions_are_read() {
        let game = |height: u8| {
            let text = format!(
                r#"{{"do":"set_up","width":15,"height":{height},"rule":"caro","black":[[14,15]],"white":[],"white_moves":true}}"#
            );
            let Ok(Command::SetUp(set_up)) = parse(&text) else { panic!("no position") };
            set_up.game()
        };
        // The stone is on row 16.
        assert!(game(15).is_err());
        let game = game(16).unwrap();
        assert_eq!((game.size(), game.rule()), (BoardSize::new(15, 16).unwrap(), Rule::Caro));
        assert_eq!(
            (game.record().stones()[0].c, game.to_move()),
            (Coord::new(14, 15), Color::White)
        );
    }
}
