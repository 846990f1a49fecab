//! A game in play: a tree, the line of it in play, the part of that shown, opening, and end.
//!
//! Moves taken back stay on the line until another one is played there, and in the tree until they
//! are cut. Players are 0, the first, and 1: an opening may change which of them has black.

mod end;
#[cfg(test)]
mod tests;

use std::fmt;
use std::iter::successors;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tengen_gomoku::board::Board;
use tengen_gomoku::record::tree::{Editor, GameTree, NodeId, Notes, Step};
use tengen_gomoku::record::{ParseError, ParsedGame, Record, Stone, warnings_in_words};
use tengen_gomoku::shape::Threat;
use tengen_gomoku::types::{BoardSize, Color, Coord, Rows, Rule};

pub use self::end::GameEnd;
use crate::opening::{Choice, Opening, OpeningState, Stage, are_symmetric};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seat {
    Person,
    Engine1,
    Engine2,
}

impl Seat {
    pub fn engine(self) -> Option<usize> {
        match self {
            Seat::Person => None,
            Seat::Engine1 => Some(0),
            Seat::Engine2 => Some(1),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Taken(Coord),
    /// A point forbidden to black, and the reason.
    Forbidden(Coord, &'static str),
    Over,
    TimeUp,
    NothingToUndo,
    NothingToRedo,
    Opening,
    /// Outside of the part of the board that the opening allows, or not among the moves offered.
    NotHere,
    /// A fifth move that is symmetric to one that is offered already.
    Symmetric(Coord),
    /// No choice is due, or not this one.
    NoChoice,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refusal::Taken(c) => write!(f, "{c} is taken"),
            Refusal::Forbidden(c, why) => write!(f, "{c} is forbidden for black: {why}"),
            Refusal::Over => f.write_str("the game is over"),
            Refusal::TimeUp => f.write_str("the time is up"),
            Refusal::NothingToUndo => f.write_str("there is no move of yours to take back"),
            Refusal::NothingToRedo => f.write_str("nothing was taken back"),
            Refusal::Opening => f.write_str("the opening comes first"),
            Refusal::NotHere | Refusal::Symmetric(_) => f.write_str("the opening allows others"),
            Refusal::NoChoice => f.write_str("there is no such choice now"),
        }
    }
}

impl std::error::Error for Refusal {}

#[derive(Clone, Debug)]
pub struct Game {
    tree: GameTree,
    /// The line in play: the node of each position, from the one before the first move on.
    line: Vec<NodeId>,
    /// The line in play, from the root on.
    record: Record,
    shown: usize,
    rule: Rule,
    /// A resignation or a loss on time, and the position in which it came.
    given_up: Option<(GameEnd, NodeId)>,
    /// False for a loaded game, which keeps its players' names; a changed game gets those of the
    /// players at the board.
    is_changed: bool,
    /// True if the game has gone on since it was loaded or saved.
    pub(crate) is_unsaved: bool,
    pub opening: Opening,
    /// Until the opening is over.
    pub opening_state: Option<OpeningState>,
    /// Moves of a finished opening, which cannot be taken back.
    pub fixed: usize,
    pub(crate) black: usize,
}

/// What a program needs besides the tree as SGF to go on with a game. Positions have the numbers of
/// their nodes in preorder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GameState {
    at: usize,
    line_end: Option<usize>,
    times: Vec<(usize, Duration)>,
    /// The loser by resignation or on time, true if on time, and the number of the position.
    given_up: Option<(Color, bool, usize)>,
    is_changed: bool,
    pub is_unsaved: bool,
    #[serde(rename = "course")]
    opening_state: Option<OpeningState>,
    fixed: usize,
    /// True if the first player has white.
    is_swapped: bool,
}

impl Game {
    pub fn new(size: BoardSize, rule: Rule, opening: Opening) -> Game {
        let opening_state = OpeningState::new(opening);
        Game { opening, opening_state, is_changed: true, ..Game::of(GameTree::new(size), rule) }
    }

    /// Returns the game with its rows counted from this side. No coordinate changes, unlike in
    /// [`GameTree::counted_from`], which flips them.
    pub fn with_rows(mut self, rows: Rows) -> Game {
        self.tree.rows = rows;
        self
    }

    /// Returns the game of a tree, after the last move of its main line.
    pub fn of(tree: GameTree, rule: Rule) -> Game {
        let mut game = Game {
            line: Vec::new(),
            record: Record::new(tree.size()),
            shown: 0,
            tree,
            rule,
            given_up: None,
            is_changed: false,
            is_unsaved: false,
            opening: Opening::Free,
            opening_state: None,
            fixed: 0,
            black: 0,
        };
        game.go_to(game.tree.end());
        game
    }

    pub fn set_up(
        size: BoardSize,
        rule: Rule,
        stones: [&[Coord]; 2],
        to_move: Color,
    ) -> Result<Game, Refusal> {
        let mut editor = Editor::new(GameTree::new(size));
        for (color, cells) in Color::ALL.into_iter().zip(stones) {
            for &c in cells {
                editor.set_up(c, Some(color)).map_err(|_| Refusal::Taken(c))?;
            }
        }
        editor.set_to_move(to_move);
        Ok(Game { is_unsaved: true, ..Game::of(editor.tree, rule) })
    }

    /// Returns the first game of a file that can be read, and warnings about what was read
    /// differently; an error if none can. `games` has one at least. `rule` is for a game that names
    /// none; `asked_rule` has precedence over the game's.
    pub fn first_of(
        mut games: Vec<ParsedGame>,
        rule: Rule,
        asked_rule: Option<Rule>,
    ) -> Result<(Game, Vec<String>), ParseError> {
        let readable = games.iter().position(|game| game.record().is_ok());
        let skipped: Vec<ParsedGame> = games.drain(..readable.unwrap_or(0)).collect();
        let faults = skipped.iter().flat_map(|game| &game.faults);
        let mut words: Vec<String> =
            faults.map(|fault| format!("{fault}; it is skipped")).collect();
        words.extend(warnings_in_words(&games[..1], asked_rule, rule));
        let count = games.len();
        let first = games.into_iter().next().expect("invariant: a file has a game");
        first.record()?;
        words.extend(first.faults.iter().map(|fault| format!("{fault}; the rest is read")));
        let rule = first.rule(asked_rule, rule);
        if count > 1 {
            words.push(format!("this is the first of {count} games"));
        }
        Ok((Game::of(first.tree, rule), words))
    }

    pub fn state(&self) -> GameState {
        let nodes: Vec<NodeId> = self.tree.preorder().collect();
        let number = |id| nodes.iter().take_while(|&&node| node != id).count();
        let times = nodes.iter().map(|&node| self.tree.time(node)).enumerate();
        let given_up = |(end, node): &(GameEnd, NodeId)| match *end {
            GameEnd::Stones(..) => None,
            GameEnd::Resigned(loser) => Some((loser, false, number(*node))),
            GameEnd::TimeUp(loser) => Some((loser, true, number(*node))),
        };
        GameState {
            at: number(self.at()),
            line_end: Some(number(self.line[self.line.len() - 1])),
            times: times.filter(|(_, time)| !time.is_zero()).collect(),
            given_up: self.given_up.as_ref().and_then(given_up),
            is_changed: self.is_changed,
            is_unsaved: self.is_unsaved(),
            opening_state: self.opening_state,
            fixed: self.fixed,
            is_swapped: self.black == 1,
        }
    }

    /// Goes on with this state, as far as it is one of the game's tree.
    pub fn resume(&mut self, state: &GameState) {
        let nodes: Vec<NodeId> = self.tree.preorder().collect();
        let node = |number: usize| nodes.get(number).copied();
        let times = state.times.iter().filter_map(|&(number, time)| Some((node(number)?, time)));
        times.for_each(|(node, time)| self.tree.set_time(node, time));
        self.given_up = state.given_up.and_then(|(loser, has_lost_on_time, number)| {
            let end =
                if has_lost_on_time { GameEnd::TimeUp(loser) } else { GameEnd::Resigned(loser) };
            Some((end, node(number)?))
        });
        self.go_to(node(state.line_end.unwrap_or(state.at)).unwrap_or(self.tree.end()));
        if state.line_end.is_some() {
            self.end_line();
        }
        let shown = self.line.iter().position(|&id| Some(id) == node(state.at));
        self.shown = shown.unwrap_or(self.shown);
        (self.is_changed, self.is_unsaved) = (state.is_changed, state.is_unsaved);
        (self.opening_state, self.fixed) = (state.opening_state, state.fixed);
        self.black = usize::from(state.is_swapped);
    }

    pub fn size(&self) -> BoardSize {
        self.record.size()
    }

    pub fn rows(&self) -> Rows {
        self.tree.rows
    }

    pub fn rule(&self) -> Rule {
        self.rule
    }

    pub fn set_rule(&mut self, rule: Rule) {
        self.is_changed |= rule != self.rule;
        self.rule = rule;
    }

    /// Returns the player of a color. In swap2 player 0 counts as black until it is over.
    pub fn player(&self, color: Color) -> usize {
        match color {
            Color::Black => self.black,
            Color::White => 1 - self.black,
        }
    }

    /// Returns the name of a player by the file of a game that has not changed since.
    pub fn name(&self, color: Color) -> Option<&str> {
        let name = self.tree.players[color].as_str();
        Some(name).filter(|name| !self.is_changed && !name.is_empty())
    }

    pub fn color(&self, player: usize) -> Color {
        if player == self.black { Color::Black } else { Color::White }
    }

    pub fn is_person(&self, color: Color, seats: [Seat; 2]) -> bool {
        seats[self.player(color)] == Seat::Person
    }

    /// Returns the player to move, place or choose in the position shown.
    pub fn to_act(&self) -> usize {
        let color = self.opening_state.map(|opening_state| opening_state.actor(self.shown));
        self.player(color.unwrap_or(self.to_move()))
    }

    pub fn tree(&self) -> &GameTree {
        &self.tree
    }

    /// Returns the node of each position of the line in play.
    pub fn line(&self) -> &[NodeId] {
        &self.line
    }

    /// Returns the nodes of the positions of the line in play, with those after passes.
    pub fn positions(&self) -> Vec<NodeId> {
        let path = self.tree.path(self.line[self.line.len() - 1]).into_iter();
        let path = path.skip_while(|&node| node != self.line[0]);
        path.filter(|&node| self.tree.is_position(node)).collect()
    }

    /// Returns the node of the position shown.
    pub fn at(&self) -> NodeId {
        self.line[self.shown]
    }

    /// Returns the notes of a node, to be changed.
    pub fn notes(&mut self, node: NodeId) -> &mut Notes {
        self.is_unsaved = true;
        self.tree.notes_mut(node)
    }

    /// Returns the line in play, with moves taken back.
    pub fn record(&self) -> &Record {
        &self.record
    }

    pub fn moves(&self) -> &[Stone] {
        self.record.moves()
    }

    pub fn shown(&self) -> usize {
        self.shown
    }

    pub fn is_at_end(&self) -> bool {
        self.shown == self.moves().len()
    }

    pub fn show(&mut self, moves: usize) {
        self.shown = moves.min(self.moves().len());
    }

    /// Shows the position of a node of the tree, on the line through it, which goes on with first
    /// children up to the end of the main line.
    pub fn go_to(&mut self, node: NodeId) {
        let tree = &self.tree;
        let path = tree.path(node);
        let rest = successors(tree.next(node), |&node| tree.next(node));
        let is_set_up = |&node: &NodeId| sets_up_stones(tree, node);
        let set_up = path.iter().rposition(is_set_up).unwrap_or(0);
        let is_move = |&node: &NodeId| matches!(tree.step(node), Some(Step::Stone(..)));
        let moves = path[set_up + 1..].iter().copied().filter(is_move);
        self.line = [path[set_up]].into_iter().chain(moves).collect();
        self.shown = self.line.len() - 1;
        let rest = rest.take_while(|node| !is_set_up(node)).filter(is_move);
        self.line.extend(rest);
        self.line_changed();
    }

    /// Goes on with first children after the last move of the line.
    pub fn extend_line(&mut self) {
        let shown = self.shown;
        self.go_to(self.line[self.line.len() - 1]);
        self.shown = shown;
    }

    /// Ends the line at the position shown. What comes after it stays in the tree.
    pub fn end_line(&mut self) {
        self.line.truncate(self.shown + 1);
        self.line_changed();
    }

    fn line_changed(&mut self) {
        let (tree, last) = (&self.tree, self.line[self.line.len() - 1]);
        let rest = || successors(tree.next(last), |&node| tree.next(node));
        let has_stones =
            |node| sets_up_stones(tree, node) || matches!(tree.step(node), Some(Step::Stone(..)));
        // Passes after the last stone change the side to move.
        let end = if rest().any(has_stones) { last } else { rest().last().unwrap_or(last) };
        self.record = tree.record(end);
    }

    /// Makes the line up to the move shown the main line, unless it is.
    pub fn promote(&mut self) {
        let at = self.at();
        if self.tree.main_line().all(|node| node != at) {
            self.tree.promote(at);
            // The result was that of another line.
            self.tree.clear_outcome();
            if let Some((_, node)) = self.given_up
                && self.tree.main_line().any(|at| at == node)
            {
                self.tree.end_main_line(node);
            }
            self.is_unsaved = true;
        }
    }

    /// Ends the main line at the move shown. What comes after it are variations.
    pub fn end_main_line(&mut self) {
        self.promote();
        if !self.is_at_end() {
            // Passes before the next stone stay.
            let next = self.line.get(self.shown + 1);
            let end = next.and_then(|&next| self.tree.parent(next)).unwrap_or(self.at());
            self.tree.end_main_line(end);
            self.end_line();
        }
    }

    /// Removes the move shown with all that follows it, and shows the position before it.
    pub fn remove(&mut self) -> Result<(), Refusal> {
        let removed = self.at();
        self.shown = self.shown.checked_sub(1).ok_or(Refusal::NothingToUndo)?;
        if self.tree.main_line().any(|node| node == removed) {
            self.tree.clear_outcome();
        }
        self.cut();
        self.extend_line();
        self.fixed = self.fixed.min(self.shown);
        self.is_unsaved = true;
        Ok(())
    }

    pub fn record_shown(&self) -> Record {
        self.record.after(self.shown)
    }

    pub fn board(&self) -> Board {
        self.record_shown().board(self.rule)
    }

    pub fn to_move(&self) -> Color {
        self.moves().get(self.shown).map_or(self.record.to_move(), |stone| stone.color)
    }

    /// Returns the points where black may not play, and why.
    pub fn forbidden(&self) -> Vec<(Coord, &'static str)> {
        if self.rule != Rule::Renju || self.end().is_some() {
            return Vec::new();
        }
        let board = self.board();
        let cells = *board.empty_cells();
        cells.into_iter().filter_map(|c| Some((c, board.why_forbidden(c)?))).collect()
    }

    /// Returns the points where a color would make a five, and those where it would make an open four
    /// or two fours.
    pub fn threats(&self, color: Color) -> [Vec<Coord>; 2] {
        if self.end().is_some() {
            return Default::default();
        }
        let board = self.board();
        [Threat::Five, Threat::OpenFour].map(|threat| {
            let cells = board.legal_cells(*board.cells_with(color, threat), color);
            cells.into_iter().collect()
        })
    }

    pub fn end(&self) -> Option<GameEnd> {
        let given_up = self.given_up.as_ref().filter(|&&(_, node)| node == self.at());
        given_up.map(|(end, _)| end.clone()).or_else(|| {
            let (ending, number) = self.record_shown().ending(self.rule)?;
            Some(GameEnd::Stones(ending, number))
        })
    }

    /// Returns true after the opening and before the end.
    pub fn is_running(&self) -> bool {
        self.opening_state.is_none() && self.end().is_none()
    }

    pub fn check_running(&self) -> Result<(), Refusal> {
        match self.end() {
            None => Ok(()),
            Some(GameEnd::TimeUp(_)) => Err(Refusal::TimeUp),
            Some(_) => Err(Refusal::Over),
        }
    }

    pub fn check_opening(&self) -> Result<(), Refusal> {
        if self.opening_state.is_some() { Err(Refusal::Opening) } else { Ok(()) }
    }

    /// Plays a move in the position shown, or places a stone of the opening.
    pub fn play(&mut self, c: Coord, time: Duration) -> Result<(), Refusal> {
        self.check_move(c)?;
        self.place(c, time)
    }

    /// Returns why a move cannot be played in the position shown.
    pub fn check_move(&self, c: Coord) -> Result<(), Refusal> {
        self.check_running()?;
        self.opening_state.map_or(Ok(()), |opening_state| self.check_step(opening_state, c))?;
        let board = self.board();
        if !board.is_empty(c) {
            return Err(Refusal::Taken(c));
        }
        let why = board.why_forbidden(c).filter(|_| self.to_move() == Color::Black);
        why.map_or(Ok(()), |why| Err(Refusal::Forbidden(c, why)))
    }

    /// Returns an error if this stage of the opening does not allow the point.
    fn check_step(&self, opening_state: OpeningState, c: Coord) -> Result<(), Refusal> {
        let reach = opening_state.reach(self.shown).unwrap_or(usize::MAX);
        let offered: Vec<Coord> = self.offered().collect();
        let stones = &self.moves()[..self.shown];
        let is_symmetric = |&other: &Coord| other != c && are_symmetric(stones, other, c);
        match opening_state.stage {
            _ if !opening_state.is_placing() => Err(Refusal::Opening),
            _ if usize::from(c.distance(self.size().center())) > reach => Err(Refusal::NotHere),
            Stage::Take if !offered.contains(&c) => Err(Refusal::NotHere),
            Stage::Offer if offered.iter().any(is_symmetric) => Err(Refusal::Symmetric(c)),
            _ => Ok(()),
        }
    }

    /// Returns the fifth moves that are offered, which are variations of the tree.
    pub fn offered(&self) -> impl Iterator<Item = Coord> {
        self.tree.children(self.at()).filter_map(|node| match self.tree.step(node)? {
            Step::Stone(_, c) => Some(c),
            Step::Pass(_) => None,
        })
    }

    /// Plays a move that may be forbidden, which ends the game: an engine may have no other. A move
    /// that is offered already is offered no more.
    pub fn place(&mut self, c: Coord, time: Duration) -> Result<(), Refusal> {
        self.check_running()?;
        let (count, color) = (self.tree.len(), self.to_move());
        let node = self.tree.play(self.at(), color, c).map_err(|_| Refusal::Taken(c))?;
        let is_new = self.tree.len() > count;
        let is_main = self.is_at_end() && self.tree.main_line().any(|at| at == self.at());
        let stage = self.opening_state.map(|opening_state| opening_state.stage);
        // Kept lines have no times. A move that is taken has the time of the player who offered it.
        if is_new || is_main && stage.is_none() {
            self.tree.set_time(node, time);
        }
        if stage == Some(Stage::Offer) {
            if !is_new {
                self.tree.remove(node);
            }
            // Moves that are offered are not played.
            self.tree.end_main_line(self.at());
            self.is_unsaved = true;
            self.count_stones();
            return Ok(());
        }
        self.shown += 1;
        if self.line.get(self.shown) != Some(&node) {
            self.line.truncate(self.shown);
            self.line.push(node);
            self.line_changed();
        }
        self.count_stones();
        if stage == Some(Stage::Take) {
            self.end_opening();
        }
        if is_main {
            // Lines kept here before are variations.
            self.tree.promote(node);
            self.tree.end_main_line(node);
        }
        if is_new || is_main {
            self.is_unsaved = true;
            self.is_changed |= node == self.tree.end();
        }
        Ok(())
    }

    fn end_opening(&mut self) {
        self.opening_state = None;
        self.fixed = self.shown;
    }

    /// Adds a line after so many moves to the tree as a variation, as far as it can be played; an
    /// error if that is nowhere.
    pub fn add_line(&mut self, after: usize, moves: &[Coord]) -> Result<(), Refusal> {
        let mut game = self.clone();
        game.show(after);
        let start = game.at();
        let played = moves.iter().try_for_each(|&c| game.play(c, Duration::ZERO));
        if game.at() == start {
            return played;
        }
        let end = self.tree.end();
        self.tree = game.tree;
        self.tree.end_main_line(end);
        self.is_unsaved = true;
        Ok(())
    }

    pub fn choose(&mut self, choice: Choice) -> Result<(), Refusal> {
        self.check_running()?;
        let (stones, player) = (self.shown, self.to_act());
        let opening_state = self
            .opening_state
            .as_mut()
            .filter(|opening_state| opening_state.choices(stones).contains(&choice));
        let goes_on = opening_state.ok_or(Refusal::NoChoice)?.choose(choice, stones);
        match choice {
            Choice::Black => self.black = player,
            Choice::White => self.black = 1 - player,
            Choice::PutTwo | Choice::Fifths(_) => {}
        }
        if !goes_on {
            self.end_opening();
        }
        Ok(())
    }

    /// Takes back the last move of a person with everything after it, the last stone of the
    /// opening, or a resignation.
    pub fn undo(&mut self, seats: [Seat; 2]) -> Result<(), Refusal> {
        match self.end() {
            Some(GameEnd::Resigned(_)) => self.given_up = None,
            _ => self.step_back(seats)?,
        }
        self.is_changed = true;
        Ok(())
    }

    /// Shows the position before the last move of a person, or before the opening's last stone.
    pub fn step_back(&mut self, seats: [Seat; 2]) -> Result<(), Refusal> {
        let first = match self.opening_state.map(|opening_state| opening_state.stage) {
            None => self.fixed,
            Some(Stage::PlaceThree) => 0,
            Some(Stage::PlaceTwo) => 3,
            Some(_) => self.shown,
        };
        let is_opening = self.opening_state.is_some();
        let may_undo = |stone: &Stone| is_opening || self.is_person(stone.color, seats);
        if let Some(GameEnd::TimeUp(_)) = self.end() {
            return Err(Refusal::TimeUp);
        }
        let last = self.moves()[..self.shown].iter().rposition(may_undo);
        self.shown = last.filter(|&i| i >= first).ok_or(Refusal::NothingToUndo)?;
        Ok(())
    }

    /// Plays moves taken back, up to the next move of a person.
    pub fn redo(&mut self, seats: [Seat; 2]) -> Result<(), Refusal> {
        self.check_running()?;
        if self.is_at_end() {
            return Err(Refusal::NothingToRedo);
        }
        loop {
            self.shown += 1;
            self.count_stones();
            let is_due = self.opening_state.is_some() || self.is_person(self.to_move(), seats);
            if is_due || self.is_at_end() {
                return Ok(());
            }
        }
    }

    /// Removes the rest of the line, with its variations.
    pub fn cut(&mut self) {
        if let Some(&next) = self.line.get(self.shown + 1) {
            self.tree.remove(next);
            self.given_up.take_if(|(_, node)| self.tree.node_at(node.index()).is_none());
            self.end_line();
        }
    }

    pub fn resign(&mut self, color: Color) -> Result<(), Refusal> {
        self.check_running()?;
        self.give_up(GameEnd::Resigned(color));
        Ok(())
    }

    /// Ends the game and its opening, because this color's time is up.
    pub fn time_up(&mut self, color: Color) {
        if self.end().is_none() {
            self.give_up(GameEnd::TimeUp(color));
            self.opening_state = None;
        }
    }

    fn give_up(&mut self, end: GameEnd) {
        let at = self.at();
        self.given_up = Some((end, at));
        if self.tree.main_line().any(|node| node == at) {
            // Moves that were taken back are not played.
            self.tree.end_main_line(at);
        }
        (self.is_changed, self.is_unsaved) = (true, true);
    }

    fn count_stones(&mut self) {
        let offered = self.offered().count();
        if let Some(opening_state) = &mut self.opening_state {
            opening_state.count_stones(self.shown, offered);
        }
    }

    /// Returns true if moves, set-up stones or notes would be lost with the game.
    pub fn is_unsaved(&self) -> bool {
        let tree = &self.tree;
        let root = tree.root();
        let has_setup = tree.setup(root).is_some_and(|setup| !setup.cells.is_empty());
        self.is_unsaved && (tree.len() > 1 || has_setup || tree.notes(root).is_some())
    }

    /// Returns the whole tree for a file. A changed game gets the names of the players at the board,
    /// black's first; another one keeps its names and result.
    pub fn tree_for_file(&self, players: [String; 2]) -> GameTree {
        let mut tree = self.tree.clone();
        tree.override_rule(self.rule);
        if self.is_changed {
            tree.players = players;
            tree.clear_outcome();
        }
        let end = tree.end();
        let ending = || tree.record(end).ending(self.rule).map(|(ending, _)| ending.outcome());
        match self.given_up {
            Some((GameEnd::TimeUp(loser), node)) if node == end => tree.set_loser(loser, true),
            Some((GameEnd::Resigned(loser), node)) if node == end => tree.set_loser(loser, false),
            _ => tree.outcome = ending().or(tree.outcome),
        }
        tree
    }
}

fn sets_up_stones(tree: &GameTree, node: NodeId) -> bool {
    tree.setup(node).is_some_and(|setup| !setup.cells.is_empty())
}
