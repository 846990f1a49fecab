//! What pages are shown of the session, as JSON, and the game as a file.

use std::collections::BTreeMap;
use std::path::Path;
use std::slice;

use serde::Serialize;
use serde_json::{Value as Json, json};
use tengen_gomoku::record::tree::{GameTree, NodeId, Notes, Step};
use tengen_gomoku::record::{Format, HUMAN, ReadOptions, lost};
use tengen_gomoku::types::Color;

use super::thinking::Thought;
use super::{Effect, Message, Session};
use crate::json::stones;
use crate::opening::OpeningState;

#[derive(Default, Serialize)]
pub struct Thoughts {
    /// By the analysis of the position shown, which may be stopped.
    pub(super) analysis: Option<Thought>,
    /// By black and white about their last moves or the next.
    pub(super) players: [Option<Thought>; 2],
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Note {
    /// The name of an engine, none for the board's own.
    from: Option<String>,
    #[serde(flatten)]
    message: Message,
    is_fault: bool,
}

/// What a file may leave out of a game that is saved. SGF has no times.
const MAY_BE_LEFT_OUT: [&str; 5] =
    ["names of players", "results", "rules", "sizes of boards", "times of moves"];

impl Session {
    pub(super) fn note(&mut self, from: Option<String>, message: Message, is_fault: bool) {
        self.effects.push(Effect::Note(Note { from, message, is_fault }));
    }

    pub(super) fn note_of(&mut self, program: usize, message: Message, is_fault: bool) {
        self.note(Some(self.programs[program].name.clone()), message, is_fault);
    }

    /// Returns everything but thoughts and the review.
    pub fn state(&self) -> Json {
        let (game, analysis) = (&self.game, &self.analysis);
        let next = game.line().get(game.shown() + 1);
        let (size, set_up) = (game.size(), game.record().stones().len() - game.moves().len());
        let forbidden = match game.to_move() {
            Color::Black => game.forbidden(),
            Color::White => Vec::new(),
        };
        let player = |player| {
            json!({
                "name": self.name(player),
                "person": self.person(player),
                "engine": self.seat(player),
                "level": self.settings.manner(player).level,
                // Milliseconds, where the game is limited.
                "left": self.clock.left(player, self.now).map(|left| left.as_millis()),
                "acts": self.actor() == Some(player),
                "is_timed": self.clock.running() == Some(player),
            })
        };
        let format =
            |format: Format| json!({ "name": format.name(), "extension": format.extension() });
        let notes = |notes: &Notes| json!({ "comment": notes.comment, "labels": notes.labels, "marks": notes.marks });
        let opening = |opening_state: OpeningState| {
            json!({
                "rule": opening_state.rule,
                "stage": opening_state.stage,
                "is_person": self.seat(game.to_act()).is_none(),
                "name": self.name(game.to_act()),
                "choices": opening_state.choices(game.shown()),
                "fifths": opening_state.fifths,
                "offered": Vec::from_iter(game.offered()),
                // So many points on a side.
                "within": opening_state.reach(game.shown()).map(|reach| 2 * reach + 1),
            })
        };
        json!({
            "id": self.id,
            "size": [size.width(), size.height()],
            "rows": game.rows().name(),
            "rule": game.rule(),
            "set_up": stones(&game.record().stones()[..set_up]),
            "moves": stones(game.moves()),
            "branches": self.branches(),
            "shown": game.shown(),
            // Moves that would be deleted with the shown one, and with the next one of the line.
            "deletes": game.tree().subtree_len(game.at()),
            "drops": next.map_or(0, |&next| game.tree().subtree_len(next)),
            "tree": self.tree,
            "node": game.at().index(),
            "notes": game.tree().notes(game.at()).map(notes),
            "to_move": game.to_move(),
            "forbidden": forbidden.iter().map(|(c, _)| c).collect::<Vec<_>>(),
            "fouls": forbidden.iter().map(|(_, why)| why).collect::<Vec<_>>(),
            // Black's fives and open fours, then white's.
            "threats": Color::ALL.map(|color| game.threats(color)),
            "over": game.end(),
            "unsaved": game.is_unsaved(),
            "match": self.score.as_ref().map(|score| json!({
                "names": [self.name(0), self.name(1)],
                "games": score.games, "begun": score.begun, "ended": score.ended,
                "halves": score.halves,
            })),
            "running": self.running,
            "may_play": self.may_play(),
            "keeps_moves": self.keeps_moves(),
            "players": Color::ALL.map(|color| player(game.player(color))),
            "opening": game.opening_state.map(opening),
            "engines": self.programs,
            "chooses_engines": self.name_of.is_some(),
            "most": self.most,
            "settings": self.by_color(self.settings.clone()),
            "analysing": analysis.is_on,
            "is_analysis_over": analysis.finished == Some(analysis.task(self.id)),
            "lines": analysis.lines,
            "excluded": analysis.excluded,
            "hinting": analysis.hinting,
            "hint": Vec::from_iter(analysis.hint),
            "formats": Format::ALL.map(format),
            "games": self.games.iter().map(|game| &game.tree.players).collect::<Vec<_>>(),
            "game": self.game_index,
        })
    }

    /// Returns the moves in the tree beside those of the line, by the number of moves before them.
    fn branches(&self) -> BTreeMap<usize, Vec<Json>> {
        let (tree, line) = (self.game.tree(), self.game.line());
        let beside = |ply: usize| {
            let children: Vec<NodeId> = tree.children(line[ply]).collect();
            let own = children.iter().position(|child| line.get(ply + 1) == Some(child));
            let branch = |(place, child): (usize, &NodeId)| match tree.step(*child)? {
                Step::Stone(color, c) if own != Some(place) => Some(json!({
                    "node": child.index(), "at": c, "color": color,
                    "is_before": own.is_some_and(|own| place < own),
                })),
                _ => None,
            };
            children.iter().enumerate().filter_map(branch).collect()
        };
        let branches = (0..line.len()).map(|ply| (ply, beside(ply)));
        branches.filter(|(_, beside): &(usize, Vec<Json>)| !beside.is_empty()).collect()
    }

    /// Returns the player's name: from the opened file, or else the engine's own.
    fn name(&self, player: usize) -> Option<&str> {
        let program = || self.seat(player).map(|program| self.programs[program].name.as_str());
        self.game.name(self.game.color(player)).or_else(program)
    }

    /// Returns what a person without a name is called.
    fn person(&self, player: usize) -> &'static str {
        let is_alone = self.seat(1 - player).is_some();
        if is_alone { "you" } else { ["first", "second"][player] }
    }

    pub fn review(&self) -> Json {
        self.review.json(&self.game)
    }

    /// Returns the game as a file, with what the review found; or in a sentence why it does not fit
    /// the format.
    pub fn file(&self, format: Format) -> Result<Vec<u8>, String> {
        format.write(&self.tree_for_file()).map_err(|why| format!("{why}."))
    }

    /// Returns the game as a file to be saved. Nothing is unsaved then, unless the file has not all
    /// moves and notes.
    pub fn save(&mut self, format: Format) -> Result<Vec<u8>, String> {
        let (file, tree) = (self.file(format)?, self.tree_for_file());
        let name = Path::new("game").with_extension(format.extension());
        let options = ReadOptions { rows: tree.rows, ..tree.size().into() };
        let lost = lost(slice::from_ref(&tree), &name, &file, options);
        if lost.iter().all(|kind| MAY_BE_LEFT_OUT.contains(kind)) {
            self.game.is_unsaved = false;
            self.has_changed = true;
        }
        Ok(file)
    }

    fn tree_for_file(&self) -> GameTree {
        let name = |program: usize| self.programs[program].name.clone();
        let seats = Color::ALL.map(|color| self.seat(self.game.player(color)));
        let players = seats.map(|seat| seat.map_or(HUMAN.to_owned(), name));
        self.review.annotated(self.game.tree_for_file(players))
    }
}
