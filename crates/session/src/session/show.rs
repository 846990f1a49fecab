//! What pages are shown of the session.

use crate::json::{GameMoves, ReviewedGame, names};
use tengen_gomoku::types::Color;

use super::view;
use super::{Effect, Session};

impl Session {
    pub(super) fn note(&mut self, from: &str, text: &str, is_fault: bool) {
        let note = view::Note { from: from.into(), text: text.into(), is_fault };
        self.effects.push(Effect::Note(note));
    }

    pub(super) fn note_of(&mut self, program: usize, text: &str, is_fault: bool) {
        let name = self.programs[program].name.clone();
        self.note(&name, text, is_fault);
    }

    /// Returns what engines think now.
    pub fn thoughts(&self) -> &view::Thoughts {
        &self.thoughts
    }

    /// Returns everything but thoughts and the review.
    pub fn state(&self) -> view::State<'_> {
        let game = &self.game;
        view::State {
            id: self.id,
            game: GameMoves::of(game.record(), game.rule()),
            shown: game.shown(),
            to_move: game.to_move().to_string(),
            forbidden: match game.to_move() {
                Color::Black => names(&game.forbidden()),
                Color::White => Vec::new(),
            },
            over: game.end(),
            unsaved: game.is_unsaved(),
            running: self.running,
            may_play: self.may_play(),
            players: Color::ALL.map(|color| self.player_shown(game.player(color))),
            swap2: game.swap2().map(|stage| view::Swap2 {
                stage,
                is_person: self.seat(stage.player()).is_none(),
                name: self.name(stage.player()),
            }),
            engines: &self.programs,
            settings: match game.color(0) {
                Color::Black => self.settings.clone(),
                Color::White => self.settings.clone().with_seats_changed(),
            },
            analysis: &self.analysis,
            is_analysis_over: self.analysis.finished == Some(self.analysis.task(self.id)),
        }
    }

    fn name(&self, player: usize) -> String {
        if let Some(program) = self.seat(player) {
            return self.programs[program].name.clone();
        }
        let is_alone = self.seat(1 - player).is_some();
        let name = if is_alone { "You" } else { ["First player", "Second player"][player] };
        name.to_owned()
    }

    fn player_shown(&self, player: usize) -> view::Player {
        view::Player {
            name: self.name(player),
            engine: self.seat(player),
            left: self.clock.left(player, self.now).map(|left| left.as_millis()),
            acts: self.actor() == Some(player),
            is_timed: self.clock.running() == Some(player),
        }
    }

    /// Returns the review as far as it has come.
    pub fn review(&self) -> ReviewedGame<'_> {
        self.review.scan.shown(self.review.time.is_some())
    }
}
