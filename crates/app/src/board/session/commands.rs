//! What the commands of pages do to the session.

use std::time::{Duration, Instant};

use crate::play::clock::Clock;
use tengen::opening::swap2_procedure::{Choice, Procedure};

use super::super::command::{Arrangement, Command, Opening, Settings};
use super::super::game::{Game, Over, Refusal};
use super::super::review::Review;
use super::super::view::Thoughts;
use super::Session;
use super::slots::Asked;

impl Session {
    pub(super) fn obey(&mut self, command: Command) -> Result<(), String> {
        let refused = |refusal: Refusal| refusal.to_string();
        match command {
            Command::New { settings } => {
                self.game = Game::new(settings.size(), settings.rule());
                self.swap2 = (settings.opening == Opening::Swap2).then(Procedure::new);
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
                self.show_position(self.stop_at(self.game.shown() + 1, 1));
            }
            Command::Resign => self.resign()?,
            Command::Run { on, seen } => {
                let seat = self.seat(self.player(self.game.to_move()));
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
                for slot in self.players.iter().flatten() {
                    if matches!(slot.asked, Some((_, Asked::Move(_)))) {
                        slot.engine.move_now();
                    }
                }
            }
            Command::Hint => {
                if self.analysing {
                    return Err("The analysis shows the best moves.".into());
                }
                if self.game.over().is_some() {
                    return Err("The game is over.".into());
                }
                self.hinting = true;
                self.order += 1;
            }
            Command::Analyse { on, lines } => {
                (self.analysing, self.lines) = (on, lines);
                self.order += 1;
                if on {
                    self.hinting = false;
                    self.thoughts.analysis = None;
                }
            }
            Command::Block { x, y } => {
                let c = self.game.size().coord(x, y).filter(|&c| self.game.position().is_empty(c));
                let c = c.ok_or("Only a free point can be blocked.")?;
                match self.blocked.iter().position(|&blocked| blocked == c) {
                    Some(at) => drop(self.blocked.remove(at)),
                    None => self.blocked.push(c),
                }
                self.order += 1;
            }
            Command::Unblock => {
                self.blocked.clear();
                self.order += 1;
            }
            Command::Review { on, time } => {
                self.reviewing = on.then_some(Duration::from_millis(time));
                if on && self.review.next().is_none() {
                    // What gave nothing is tried once more when the rest is done.
                    self.review.retry();
                }
                if on && self.review.next().is_none() {
                    // A finished review begins again, perhaps with more time.
                    self.review.restart();
                }
            }
            Command::Choose { choice, seen } => self.choose(choice, seen)?,
            ref command @ Command::SetUp { .. } => {
                let Arrangement { size, rule, stones: [black, white], to_move } =
                    command.arrangement()?;
                let game = Game::set_up(size, rule, [&black, &white], to_move).map_err(refused)?;
                self.replace_game(game);
            }
            Command::Load { text } => {
                let (size, rule) = (self.settings.size(), self.settings.rule());
                let (game, notes) = Game::read(&text, size, rule).map_err(refused)?;
                self.replace_game(game);
                notes.iter().for_each(|note| self.note("Board", note, false));
            }
        }
        Ok(())
    }

    /// Shows another game, at which nobody plays yet.
    pub(super) fn replace_game(&mut self, game: Game) {
        self.settings.set_game(game.size(), game.rule());
        self.settings.opening = Opening::Free;
        self.game = game;
        self.swap2 = None;
        self.running = false;
        self.forget_game();
    }

    /// Begins anew with clocks, sides and studies.
    fn forget_game(&mut self) {
        self.clock = Clock::new(self.settings.game(), self.settings.increment());
        self.black = 0;
        self.review = Review::default();
        self.reviewing = None;
        self.analysing = false;
        self.thoughts = Thoughts::default();
        self.moves_changed();
    }

    /// Changes who plays and how, and leaves the game.
    fn change(&mut self, settings: Settings) -> Result<(), String> {
        let is_same =
            [settings.black, settings.white] == [self.settings.black, self.settings.white];
        if self.swap2.is_some_and(Procedure::is_placing)
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
        let is_first = self.black == 0;
        self.settings = if is_first { settings } else { settings.with_seats_changed() };
        self.settings.opening = opening;
        self.settings.set_game(size, rule);
        // A seat may have another player now.
        self.thoughts.players = [None, None];
        self.position_changed();
        Ok(())
    }

    /// Shows the position after so many moves, or after all.
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
        let now = Instant::now();
        let time = self.clock.time(now);
        self.game.play(x, y, time).map_err(|refusal| refusal.to_string())?;
        self.count_stones();
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
        let Some(one_less) = self.game.shown().checked_sub(1) else {
            return Err("There is no move to take back.".into());
        };
        let at = self.stop_at(one_less, -1);
        let to_move = self.game.position_after(at).to_move;
        // With an engine to move there, nobody would play: it does not search earlier positions.
        if self.running && self.has_person() && self.seat(self.player(to_move)).is_some() {
            return Err("There is no move of yours to take back.".into());
        }
        self.show_position(at);
        Ok(())
    }

    /// Returns the next position, from `ply` on by `step`, in which a person is to move; `ply`
    /// where nobody plays or no person does.
    fn stop_at(&self, ply: usize, step: isize) -> usize {
        if !self.running || !self.has_person() {
            return ply;
        }
        let mut at = ply;
        loop {
            let to_move = self.game.position_after(at).to_move;
            if self.seat(self.player(to_move)).is_none() {
                return at;
            }
            match at.checked_add_signed(step) {
                Some(next) if next <= self.game.moves().len() => at = next,
                _ => return at,
            }
        }
    }

    fn resign(&mut self) -> Result<(), String> {
        self.refuse_in_opening()?;
        if self.game.over().is_some() {
            return Err("The game is over.".into());
        }
        // Resigning in an earlier position would delete the moves after it.
        if !self.game.is_at_end() {
            return Err("You can resign only after the last move.".into());
        }
        let to_move = self.game.to_move();
        let persons = [to_move, !to_move];
        let loser = persons.into_iter().find(|&color| self.seat(self.player(color)).is_none());
        let loser = loser.ok_or("No person plays.")?;
        self.game.give_up(Over::Resigned(loser));
        self.moves_changed();
        Ok(())
    }

    fn choose(&mut self, choice: Choice, seen: u64) -> Result<(), String> {
        self.check_seen(seen)?;
        let player = self.swap2.map(Procedure::player);
        if player.is_none_or(|player| self.seat(player).is_some()) {
            return Err("There is nothing to choose.".into());
        }
        self.decide(choice)
    }

    /// Carries out a choice of whoever is to choose.
    pub(super) fn decide(&mut self, choice: Choice) -> Result<(), String> {
        let outcome = self.swap2.as_mut().and_then(|swap2| swap2.choose(choice));
        let outcome = outcome.ok_or("There is no such choice.")?;
        if let Some(black) = outcome {
            if black != self.black {
                // The players have changed colours, and their thoughts with them.
                self.thoughts.players.swap(0, 1);
            }
            self.black = black;
            self.swap2 = None;
        }
        self.end_turn(Instant::now());
        self.position_changed();
        Ok(())
    }
}
