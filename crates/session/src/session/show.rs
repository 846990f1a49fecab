//! What pages are shown of the session.

use crate::review::verdict::{Severity, Verdict};
use tengen_gomoku::record::Stone;
use tengen_gomoku::types::Color;

use super::slots::Asked;
use super::view::{self, color, point, points};
use super::{Effect, Session};

impl Session {
    pub(super) fn note(&mut self, from: &str, text: &str, is_fault: bool) {
        let note = view::Note { from: from.into(), text: text.into(), is_fault };
        self.effects.push(Effect::Note(note));
    }

    pub(super) fn note_of(&mut self, program: usize, text: &str, is_fault: bool) {
        let name = self.known[program].name.clone();
        self.note(&name, text, is_fault);
    }

    /// Returns what engines think now.
    pub fn thoughts(&self) -> &view::Thoughts {
        &self.thoughts
    }

    /// Returns everything but thoughts and the review.
    pub fn state(&self) -> view::State {
        let game = &self.game;
        let stone = |stone: &Stone| view::Stone {
            at: point(stone.c),
            color: color(stone.color),
            time: stone.time.as_millis(),
        };
        let record = game.record();
        let set_up = record.stones().len() - game.moves().len();
        view::State {
            id: self.id,
            size: [game.size().width(), game.size().height()],
            rule: game.rule().name(),
            set_up: record.stones()[..set_up].iter().map(stone).collect(),
            moves: game.moves().iter().map(stone).collect(),
            shown: game.shown(),
            to_move: color(game.to_move()),
            forbidden: match game.to_move() {
                Color::Black => points(&game.forbidden()),
                Color::White => Vec::new(),
            },
            over: game.end().map(|end| view::Over::of(&end)),
            unsaved: game.is_unsaved(),
            running: self.running,
            may_play: self.may_play(),
            players: Color::ALL.map(|color| self.player_shown(game.player(color))),
            swap2: game.swap2().map(|stage| view::Swap2 {
                stage,
                is_person: self.seat(stage.player()).is_none(),
                name: self.name(stage.player()),
            }),
            engines: self.known.iter().map(engine_shown).collect(),
            settings: match game.color(0) {
                Color::Black => self.settings.clone(),
                Color::White => self.settings.clone().with_seats_changed(),
            },
            analysing: self.analysing,
            is_analysis_over: self.finished == Some(Asked::Analysis(self.id, self.order)),
            lines: self.lines,
            blocked: points(&self.blocked),
            hinting: self.hinting,
            hint: self.hint.map(point),
        }
    }

    fn name(&self, player: usize) -> String {
        if let Some(program) = self.seat(player) {
            return self.known[program].name.clone();
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
    pub fn review(&self) -> view::Review {
        let (done, total) = self.review.progress();
        let judgement = |after: usize| {
            let (review, node) = self.review.at(after)?;
            let best = review.best_line(node);
            let next = self.review.at(after + 1).and_then(|(review, node)| review.verdict(node));
            Some(view::Judgement {
                black: review.black_win_rate(node)?,
                line: best.map_or(Vec::new(), |(line, _)| points(&line.moves)),
                depth: best.map_or(0, |(line, _)| line.depth),
                proof: best.and_then(|(line, to_move)| line.value.proof(to_move)),
                mistake: next.as_ref().and_then(Verdict::marked_severity).map(Severity::name),
                verdict: next.map(|verdict| verdict.to_string()),
            })
        };
        view::Review {
            running: self.reviewing.is_some(),
            done,
            total,
            positions: if done == 0 { Vec::new() } else { (0..total).map(judgement).collect() },
        }
    }
}

fn engine_shown(known: &super::Known) -> view::Engine {
    view::Engine { name: known.name.clone(), can_analyse: known.can_analyse }
}
