//! What the commands of pages do to the session.

use std::time::{Duration, Instant};

use tengen_gomoku::record::parse;
use tengen_gomoku::types::Color;

use crate::clock::Clock;
use crate::game::{Game, Opening, Seat};
use crate::swap2::{Choice, Stage};

use super::command::{Command, Settings};
use super::engines::{PendingTask, Role};
use super::show::Thoughts;
use super::study::Reviewing;
use super::{Effect, Session, notes, sentence};

impl Session {
    pub(super) fn execute(&mut self, command: Command) -> Result<(), String> {
        match command {
            Command::New { settings } => {
                self.game = Game::new(settings.size(), settings.rule(), settings.opening);
                self.settings = settings;
                self.forget_game();
                self.running = true;
                self.prepare();
            }
            Command::Change { settings } => self.change(settings)?,
            Command::Play { x, y, seen } => self.play(x, y, seen)?,
            Command::Show { ply } => {
                self.refuse_in_opening()?;
                self.show_position(ply);
            }
            Command::Undo => self.step_back()?,
            Command::Redo => {
                self.refuse_in_opening()?;
                self.game.redo(self.steppers()).map_err(sentence)?;
                self.position_changed();
            }
            Command::Resign => self.resign()?,
            Command::Run { on, seen } => {
                let seat = self.seat(self.game.to_act());
                let is_cut = on && seat.is_some() && !self.game.is_at_end();
                if is_cut {
                    self.check_seen(seen)?;
                }
                self.running = on;
                if is_cut {
                    // The engine plays on from what is shown.
                    self.game.cut();
                    self.moves_changed();
                }
            }
            Command::MoveNow => {
                for role in [Role::Player(0), Role::Player(1)] {
                    if matches!(self.engines.pending(role), Some(PendingTask::Move(_))) {
                        self.effects.push(Effect::MoveNow(role));
                    }
                }
            }
            Command::Hint => {
                if self.analysis.is_on {
                    return Err("The analysis shows the best moves.".into());
                }
                if self.game.end().is_some() {
                    return Err("The game is over.".into());
                }
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
            Command::Block { x, y } => {
                let record = self.game.record_shown();
                let c = record.size().coord(x, y).filter(|&c| record.is_empty(c));
                let c = c.ok_or("Only a free point can be blocked.")?;
                let blocked = &mut self.analysis.blocked;
                match blocked.iter().position(|&blocked| blocked == c) {
                    Some(at) => drop(blocked.remove(at)),
                    None => blocked.push(c),
                }
                self.analysis.request += 1;
            }
            Command::Unblock => {
                self.analysis.blocked.clear();
                self.analysis.request += 1;
            }
            Command::Review { on, time } => {
                self.review.time = on.then_some(Duration::from_millis(time));
                if on {
                    self.review.scan.resume();
                }
            }
            Command::Choose { choice, seen } => self.choose(choice, seen)?,
            Command::SetUp(set_up) => self.replace_game(set_up.game()?),
            Command::Load { text } => {
                let (size, rule) = (self.settings.size(), self.settings.rule());
                let (game, words) = Game::first_of(parse(&text, size), rule, None)
                    .map_err(|error| format!("No game can be read: {error}."))?;
                self.replace_game(game);
                notes(words).iter().for_each(|note| self.note("Board", note, false));
                if text.contains(char::REPLACEMENT_CHARACTER) {
                    self.note("Board", "Some texts are not in UTF-8 and cannot be read.", false);
                }
            }
        }
        Ok(())
    }

    pub(super) fn replace_game(&mut self, game: Game) {
        self.settings.set_game(game.size(), game.rule());
        self.settings.opening = Opening::Free;
        self.game = game;
        self.running = false;
        self.forget_game();
    }

    /// Begins anew with clocks, sides and studies.
    fn forget_game(&mut self) {
        self.clock = Clock::new(self.settings.game(), self.settings.increment());
        self.review = Reviewing::new(&self.game);
        self.analysis.is_on = false;
        self.thoughts = Thoughts::default();
        self.moves_changed();
    }

    /// Changes who plays and how, and leaves the game.
    fn change(&mut self, settings: Settings) -> Result<(), String> {
        let is_same = settings.seats() == self.settings.seats();
        if self.game.swap2().is_some_and(Stage::is_placing)
            && !self.game.moves().is_empty()
            && !is_same
        {
            // An engine places all of its stones at once.
            return Err("Not before all stones of the opening are placed.".into());
        }
        let (size, rule, opening) = (self.game.size(), self.game.rule(), self.settings.opening);
        let is_timed = (settings.game(), settings.increment());
        if is_timed != (self.settings.game(), self.settings.increment()) {
            self.clock = Clock::new(settings.game(), settings.increment());
        }
        // A page knows colours; after an opening the first player may have white.
        let is_first = self.game.color(0) == Color::Black;
        self.settings = if is_first { settings } else { settings.with_seats_changed() };
        self.settings.opening = opening;
        self.settings.set_game(size, rule);
        // A seat may have another player now.
        self.thoughts.players = [None, None];
        self.position_changed();
        Ok(())
    }

    fn show_position(&mut self, moves: usize) {
        let before = self.game.shown();
        self.game.show(moves);
        if self.game.shown() != before {
            self.position_changed();
        }
    }

    fn play(&mut self, x: u8, y: u8, seen: u64) -> Result<(), String> {
        self.check_seen(seen)?;
        if !self.may_play() {
            return Err("It is not your move.".into());
        }
        let now = self.now;
        let time = self.clock.time(now);
        let c = self.game.size().coord(x, y).ok_or("That point is not on the board.")?;
        self.game.play(c, time).map_err(sentence)?;
        self.end_turn(now);
        self.moves_changed();
        Ok(())
    }

    /// Ends the turn of the player whose clock runs, if another one is to act now: in an opening
    /// one turn may have several stones, or stones and a choice.
    fn end_turn(&mut self, now: Instant) {
        if self.actor() != self.clock.running() {
            self.clock.charge(None, now);
        }
    }

    fn step_back(&mut self) -> Result<(), String> {
        self.refuse_in_opening()?;
        if self.game.shown() == 0 {
            return Err("There is no move to take back.".into());
        }
        self.game.step_back(self.steppers()).map_err(sentence)?;
        self.position_changed();
        Ok(())
    }

    /// Returns whose moves are taken back and played again: those of persons, whoever plays in a
    /// pause and where no person does.
    fn steppers(&self) -> [Seat; 2] {
        let has_person = self.settings.seats().contains(&Seat::Person);
        if self.running && has_person { self.settings.seats() } else { [Seat::Person; 2] }
    }

    fn resign(&mut self) -> Result<(), String> {
        self.refuse_in_opening()?;
        if self.game.end().is_some() {
            return Err("The game is over.".into());
        }
        // Resigning in an earlier position would delete the moves after it.
        if !self.game.is_at_end() {
            return Err("You can resign only after the last move.".into());
        }
        let to_move = self.game.to_move();
        let persons = [to_move, !to_move];
        let seats = self.settings.seats();
        let loser = persons.into_iter().find(|&color| self.game.is_person(color, seats));
        self.game.resign(loser.ok_or("No person plays.")?).map_err(sentence)?;
        self.moves_changed();
        Ok(())
    }

    fn choose(&mut self, choice: Choice, seen: u64) -> Result<(), String> {
        self.check_seen(seen)?;
        let player = self.game.swap2().map(Stage::player);
        if player.is_none_or(|player| self.seat(player).is_some()) {
            return Err("There is nothing to choose.".into());
        }
        self.decide(choice)
    }

    pub(super) fn decide(&mut self, choice: Choice) -> Result<(), String> {
        let color = self.game.color(0);
        self.game.choose(choice).map_err(sentence)?;
        if self.game.color(0) != color {
            // The players have changed colours, and their thoughts with them.
            self.thoughts.players.swap(0, 1);
        }
        self.end_turn(self.now);
        self.position_changed();
        Ok(())
    }
}
