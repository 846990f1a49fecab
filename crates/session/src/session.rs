//! The one game that all pages show, with the engines that play, analyse and review: takes the
//! commands of pages, the events of engines and the time, one at a time, and returns what is to be
//! done and shown.
//!
//! Invariant: after each event `Session::proceed` gives every engine the task that the game needs
//! and cancels those no longer needed, so that no event has to think of the others.

mod command;
mod engines;
mod matches;
mod show;
mod study;
#[cfg(test)]
mod tests;
mod thinking;

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tengen_gomocup::manager::{Fault, shortened};
use tengen_gomoku::record::{ParseError, ParsedGame, ReadOptions, parse};
use tengen_gomoku::types::{BoardSize, Coord, Rows, Rule};

use crate::clock::{Clock, Moment};
use crate::game::{Game, GameState, Refusal, Seat};
use crate::opening::{Opening, Stage};

pub use engines::{
    EngineEvent, EngineQuery, EngineResources, Manner, NEUTRAL, Order, Role, THINKING_GAP, TRIES,
    Task, TaskKind,
};
pub use thinking::{Gatherer, Line, Thinking};

use command::{Command, Settings};
use engines::{EngineSlot, PendingTask};
use matches::Match;
use show::{Note, Thoughts};
use study::{Analysis, Scan};

/// How long the program waits for a page to come back, such as one that is loaded anew.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(8);
/// How much longer than its clock says an engine may take, as tournaments allow.
const TOLERANCE: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Start this program in a role.
    Start(Role, usize),
    Tell(Role, Order),
    /// From now on the programs are these commands.
    Engines(Vec<String>),
    /// Let the engine of a role end in its own time.
    Dismiss(Role),
    Note(Note),
    Exit,
}

/// What outlives the program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    settings: Json,
    /// As SGF.
    game: String,
    #[serde(flatten)]
    pub state: GameState,
    clock: Clock,
    /// Their commands.
    engines: Vec<String>,
    score: Option<Match>,
}

/// Chooses the first three stones of a match game, or of a swap2 game whose engine fails to do so.
pub type Openings = Box<dyn FnMut(BoardSize, Rule) -> [Coord; 3] + Send>;

/// Returns the name of the engine with this command, or why there is none.
pub type NameOf = fn(&str) -> Result<String, String>;

#[derive(Serialize)]
struct EngineInfo {
    /// Empty for the host's own engine.
    command: String,
    name: String,
    /// True if it can be asked for several lines, and excluded moves; unknown before it ran.
    can_analyse: Option<bool>,
}

/// A message that pages translate: its key in their word lists, and the values to insert.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Message {
    #[serde(rename = "word")]
    key: &'static str,
    #[serde(flatten)]
    values: BTreeMap<&'static str, String>,
}

impl Message {
    fn with(mut self, name: &'static str, value: impl ToString) -> Message {
        self.values.insert(name, value.to_string());
        self
    }
}

fn message(key: &'static str) -> Message {
    Message { key, values: BTreeMap::new() }
}

/// A text as it is: of a file, an engine, or for those who write pages.
impl From<String> for Message {
    fn from(text: String) -> Message {
        message("text").with("text", text)
    }
}

impl From<ParseError> for Message {
    fn from(error: ParseError) -> Message {
        message("not_read").with("text", error)
    }
}

impl From<Refusal> for Message {
    fn from(refusal: Refusal) -> Message {
        match refusal {
            Refusal::Taken(c) => message("taken").with("at", c),
            Refusal::Forbidden(c, why) => message("forbidden").with("at", c).with("why", why),
            Refusal::Over => message("over"),
            Refusal::TimeUp => message("time_up"),
            Refusal::NothingToUndo => message("nothing_to_undo"),
            Refusal::NothingToRedo => message("nothing_to_redo"),
            Refusal::Opening => message("opening"),
            Refusal::NotHere => message("not_here"),
            Refusal::Symmetric(c) => message("symmetric").with("at", c),
            Refusal::NoChoice => message("no_choice"),
        }
    }
}

/// What an engine did wrong, by a word of its own and its detail.
fn fault_message(fault: Fault, gives_up: bool) -> Message {
    let (kind, detail) = match fault {
        Fault::Start(why) => ("start", why),
        Fault::Died(how) => ("died", how),
        Fault::Deaf => ("deaf", String::new()),
        Fault::Hung(what) => ("hung", what.to_owned()),
        Fault::Flood => ("flood", String::new()),
        Fault::Refused(text) => ("refused", text),
        Fault::Nonsense(text) => ("nonsense", text),
        Fault::Illegal(text) => ("illegal", text),
    };
    let message = if gives_up { message("fault_over") } else { message("fault_again") };
    message.with("kind", kind).with("detail", shortened(&detail))
}

#[derive(Default)]
struct Pages {
    open: usize,
    /// Since when there has been no page any more.
    last_closed: Option<Moment>,
    stays: bool,
}

pub struct Session {
    programs: Vec<EngineInfo>,
    /// Where engines can be chosen.
    pub name_of: Option<NameOf>,
    settings: Settings,
    /// What an engine may use at most.
    pub most: EngineResources,
    game: Game,
    /// The number of the tree shown, whose nodes have numbers of their own.
    tree: u64,
    /// All games of the loaded file, and the index of the one shown.
    games: Vec<ParsedGame>,
    game_index: usize,
    /// The number of the position shown.
    id: u64,
    clock: Clock,
    running: bool,
    /// Of the match that is played.
    score: Option<Match>,
    slots: HashMap<Role, EngineSlot>,
    /// Tasks are numbered over all engines, so that a late answer is not taken for the next task's.
    last_task: u64,
    analysis: Analysis,
    review: Scan,
    pub thoughts: Thoughts,
    pages: Pages,
    openings: Openings,
    /// When the event came that is being handled.
    now: Moment,
    /// What is to be done; whoever does it takes it away.
    pub effects: Vec<Effect>,
    /// True if more than thoughts may have changed since somebody cleared this.
    pub has_changed: bool,
}

impl Session {
    /// Returns a session that plays with programs of these commands and names, at least one. It
    /// outlives its pages if it `stays`.
    pub fn new(
        programs: Vec<(String, String)>,
        rows: Rows,
        stays: bool,
        openings: Openings,
        now: Moment,
    ) -> Session {
        let mut settings = Settings::default();
        if programs.len() > 1 {
            settings.black = Seat::Engine1;
            settings.white = Seat::Engine2;
        }
        let game = Game::new(settings.size(), settings.rule, Opening::Free).with_rows(rows);
        let info = |(command, name)| EngineInfo { command, name, can_analyse: None };
        Session {
            // A game of two engines begins paused.
            running: programs.len() == 1,
            programs: programs.into_iter().map(info).collect(),
            name_of: None,
            review: Scan::new(&game),
            game,
            tree: 0,
            games: Vec::new(),
            game_index: 0,
            settings,
            most: EngineResources { threads: 1, memory: 128 },
            id: 1,
            clock: Clock::default(),
            score: None,
            slots: HashMap::new(),
            last_task: 0,
            analysis: Analysis { lines: 3, ..Analysis::default() },
            thoughts: Thoughts::default(),
            pages: Pages { stays, ..Pages::default() },
            openings,
            now,
            effects: Vec::new(),
            has_changed: true,
        }
    }

    pub fn kept(&self, now: Moment) -> Kept {
        let mut tree = self.game.tree().clone();
        tree.rule = Some(self.game.rule());
        let mut clock = self.clock.clone();
        clock.run(None, now);
        Kept {
            settings: json!(self.settings),
            game: tree.to_sgf(),
            state: self.game.state(),
            clock,
            engines: self.programs.iter().map(|program| program.command.clone()).collect(),
            score: self.score.clone(),
        }
    }

    /// Goes on with what was kept, as far as it can be read: with the settings, with engines unless
    /// others were asked for, and with the game, paused. Returns true if there was one.
    pub fn restore(&mut self, kept: &Kept, now: Moment) -> bool {
        if self.programs.iter().all(|program| program.command.is_empty()) {
            // One may be there no more.
            let _ = self.set_engines(kept.engines.clone());
        }
        let command = json!({ "do": "new", "settings": kept.settings }).to_string();
        // Those of another version may be none.
        let _ = self.command(command.as_bytes(), now);
        self.clock = self.settings.clock();
        self.running = self.clock.limit.is_none() && self.settings.seats().contains(&Seat::Person);
        let reading = ReadOptions { rows: self.game.rows(), ..self.game.size().into() };
        let games = parse(&kept.game, reading);
        let Ok((mut game, _)) = Game::first_of(games, self.settings.rule, None) else {
            return false;
        };
        let is_empty = !kept.state.is_unsaved && game.tree().len() == 1;
        if is_empty && game.tree().setup(game.tree().root()).is_none() {
            return false;
        }
        game.resume(&kept.state);
        let opening = self.settings.opening;
        self.replace_game(game);
        self.settings.opening = opening;
        let limits = |clock: &Clock| (clock.limit, clock.increment);
        if limits(&kept.clock) == limits(&self.clock) && kept.clock.is_plausible() {
            self.clock = kept.clock.clone();
        }
        let engines = self.programs.iter().map(|program| &program.command);
        self.score = kept.score.clone().filter(|_| engines.eq(&kept.engines));
        true
    }

    /// Carries out what a page asks for, as JSON; returns why it does not.
    pub fn command(&mut self, json: &[u8], now: Moment) -> Result<(), Message> {
        let command = Command::parse(json)?;
        self.now = now;
        let result = self.execute(command);
        self.proceed();
        result
    }

    pub fn is_unsaved(&self) -> bool {
        self.game.is_unsaved()
    }

    pub fn page_opened(&mut self, now: Moment) {
        self.now = now;
        self.pages.open += 1;
        self.pages.last_closed = None;
        self.prepare();
        self.proceed();
    }

    pub fn page_closed(&mut self, now: Moment) {
        self.now = now;
        self.pages.open -= 1;
        self.pages.last_closed = (self.pages.open == 0).then_some(now);
        self.proceed();
    }

    /// Returns when something happens by itself.
    pub fn deadline(&self) -> Option<Moment> {
        let flag = self.flag().map(|(at, _)| at);
        let shutdown = self.pages.last_closed.map(|since| since + SHUTDOWN_GRACE);
        [flag, shutdown, self.next_game()].into_iter().flatten().min()
    }

    pub fn time_passed(&mut self, now: Moment) {
        self.now = now;
        if self.pages.last_closed.is_some_and(|since| now >= since + SHUTDOWN_GRACE) {
            if !self.pages.stays {
                return self.effects.push(Effect::Exit);
            }
            // Nobody watches: the game waits, and its engines need not.
            self.pages.last_closed = None;
            self.running = false;
            (self.analysis.is_on, self.analysis.hinting) = (false, false);
            self.review.time = None;
            Role::ALL.into_iter().for_each(|role| self.dismiss(role));
        } else if let Some((_, player)) = self.flag().filter(|&(at, _)| now >= at) {
            self.game.time_up(self.game.color(player));
            self.moves_changed();
        } else if self.next_game().is_some_and(|at| now >= at) {
            self.begin_match_game();
        }
        self.proceed();
    }

    pub fn engine_event(&mut self, role: Role, task: u64, event: EngineEvent, now: Moment) {
        self.now = now;
        let is_thought = matches!(event, EngineEvent::Thinking(_));
        self.take_engine_event(role, task, event);
        if !is_thought {
            self.proceed();
        }
    }

    /// Returns when the time of the player whose clock runs is over, and who that is.
    fn flag(&self) -> Option<(Moment, usize)> {
        let (at, player) = self.clock.flag().zip(self.clock.running())?;
        let tolerance = if self.seat(player).is_some() { TOLERANCE } else { Duration::ZERO };
        Some((at + tolerance, player))
    }

    fn check_seen(&self, seen: u64) -> Result<(), Message> {
        if seen == self.id { Ok(()) } else { Err(message("stale")) }
    }

    fn moves_changed(&mut self) {
        self.review.fit(&self.game);
        self.position_changed();
    }

    /// Notes that another position is shown, or another player has a colour.
    fn position_changed(&mut self) {
        self.id += 1;
        self.analysis.hinting = false;
        self.analysis.hint = None;
        self.analysis.excluded.clear();
    }

    /// Returns the number of the program that plays for a player, if no person does.
    fn seat(&self, player: usize) -> Option<usize> {
        let seat = self.settings.seats()[player];
        // Where there is but one engine, it plays against itself.
        seat.engine().map(|engine| engine.min(self.programs.len() - 1))
    }

    fn actor(&self) -> Option<usize> {
        let player = self.game.to_act();
        // After an undo a person is to act in an earlier position.
        let is_due = self.game.is_at_end() || self.seat(player).is_none();
        (self.running && is_due && self.game.end().is_none()).then_some(player)
    }

    /// Returns true if the clock of the player who is to act runs: that of an engine does once it
    /// has been asked.
    fn is_timed(&self, player: usize) -> bool {
        let role = Role::Player(player);
        let is_thinking = || self.slots.get(&role).is_some_and(|slot| slot.is_thinking);
        self.seat(player).is_none()
            || self.pending(role) == Some(PendingTask::Move(self.id)) && is_thinking()
    }

    /// Returns true if a page may put a stone down: a person's move after the opening, or anybody's
    /// where moves become variations.
    fn may_play(&self) -> bool {
        let is_persons = || self.seat(self.game.to_act()).is_none();
        self.game.end().is_none()
            && match self.game.opening_state {
                Some(opening_state) => opening_state.is_placing() && is_persons(),
                None => self.keeps_moves() || is_persons() && self.game.shown() >= self.game.fixed,
            }
    }

    /// Gives every engine what there is to do now, and takes away what is not.
    fn proceed(&mut self) {
        self.has_changed = true;
        self.count_game();
        let actor = self.actor();
        self.clock.run(actor.filter(|&player| self.is_timed(player)), self.now);
        self.proceed_with_players(actor);
        self.proceed_with_analysis();
        self.proceed_with_review();
    }

    fn take_engine_event(&mut self, role: Role, task: u64, event: EngineEvent) {
        // An engine that had the role before may still have something to say.
        let slot = self.slots.get_mut(&role).filter(|slot| slot.first_task <= task);
        let Some(slot) = slot else { return };
        let program = slot.program;
        let pending = slot.pending.filter(|&(number, _)| number == task).map(|(_, task)| task);
        match event {
            EngineEvent::Name(name, can_analyse) => {
                let info = &mut self.programs[program];
                (info.name, info.can_analyse) = (name, Some(can_analyse));
            }
            EngineEvent::Asked => slot.is_thinking |= pending.is_some(),
            EngineEvent::Said(text) => self.note_of(program, text.into(), false),
            EngineEvent::Fault { fault, gives_up } => {
                // A late fault of an earlier task stops no clock.
                slot.is_thinking &= pending.is_none();
                let given_up = pending.filter(|_| gives_up);
                slot.pending.take_if(|_| given_up.is_some());
                self.note_of(program, fault_message(fault, gives_up), true);
                given_up.into_iter().for_each(|task| self.give_up(task));
            }
            EngineEvent::Thinking(thinking) => {
                pending.into_iter().for_each(|task| self.take_thought(role, task, &thinking));
            }
            EngineEvent::Answer(answer, time) => {
                let Some(task) = pending else { return };
                slot.pending = None;
                match task {
                    PendingTask::Move(_) => self.take_move(&answer, time),
                    PendingTask::Analysis(..) => self.finish_analysis(task, &answer),
                    PendingTask::Review(node) => self.finish_reviewed_position(node),
                }
            }
        }
    }

    fn give_up(&mut self, task: PendingTask) {
        match (task, self.game.opening_state) {
            (PendingTask::Move(_), Some(opening_state)) => {
                self.note(None, message("opening_played"), true);
                let (size, rule) = (self.game.size(), self.game.rule());
                let is_new = opening_state.stage == Stage::PlaceThree;
                let points = is_new.then(|| (self.openings)(size, rule).to_vec());
                self.take_move(&points.unwrap_or_default(), Duration::ZERO);
            }
            (PendingTask::Move(_), None) => self.running = false,
            (PendingTask::Analysis(..), _) => {
                (self.analysis.is_on, self.analysis.hinting) = (false, false);
            }
            (PendingTask::Review(node), _) => {
                self.review.unevaluated.insert(node);
                self.review.time = None;
            }
        }
        if matches!(task, PendingTask::Move(_)) && !self.running {
            self.note(None, message("paused"), true);
        }
    }
}
