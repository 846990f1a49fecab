//! The one game that all pages show, with the engines that play, analyse and review: takes the
//! commands of pages, the news of engines and the time, one at a time, and returns what is to be
//! done and shown.
//!
//! Invariant: after each event `Session::proceed` gives every engine the task that the game needs
//! and cancels those no longer needed, so that no event has to think of the others.

mod command;
mod commands;
mod players;
mod show;
mod slots;
mod study;
mod task;
mod view;

use std::time::{Duration, Instant};

use tengen_gomoku::record::{HUMAN, Record};
use tengen_gomoku::types::{BoardSize, Color, Coord, Random, Rule};

use crate::clock::Clock;
use crate::game::{Game, Opening, Refusal, Seat};
use crate::review::scan::Scan;
use crate::swap2::{Choice, Stage};

pub use slots::Role;
pub use task::{Answer, Line, News, Position, Task, Thinking, TimeControl};

use command::{Command, Settings};
use slots::{Asked, Slot};

/// How long the program waits for a page to come back, such as one that is loaded anew.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(8);
/// How much longer than its clock says an engine may take, as tournaments allow.
const TOLERANCE: Duration = Duration::from_secs(1);

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Give the engine of a role a task, and start it if there is none.
    Give {
        role: Role,
        /// The number of its program.
        program: usize,
        /// The number of the task, which comes back with its news.
        number: u64,
        /// The task, instead of any other.
        task: Task,
    },
    /// Ask the engine of a role for its answer at once.
    MoveNow(Role),
    /// End the task of a role without an answer.
    Cancel(Role),
    /// Let the engine of a role end in its own time.
    Dismiss(Role),
    /// Show a line to people.
    Note(view::Note),
    /// Tell the user that the program goes on without a page, since the game is not saved.
    Unsaved,
    Exit,
}

/// Why a command does nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandError {
    /// It is none, or a number in it is out of its range.
    Malformed(String),
    /// It cannot be done now.
    Refused(String),
}

/// Chooses the three stones of a swap2 opening by a seed.
pub type Openings = fn(BoardSize, Rule, u64) -> [Coord; 3];

/// What is known of a program.
struct Known {
    name: String,
    can_analyse: Option<bool>,
}

/// The form of a game as a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Psq,
    /// With what a review found.
    Sgf,
    /// The moves one after the other, such as `h8i9`.
    Text,
}

/// Returns the text of the file; `None` if the game does not fit the format, because its colours do
/// not take turns.
fn write(record: &Record, review: &Scan, format: Format) -> Option<String> {
    match format {
        Format::Psq => record.to_psq(),
        Format::Text => record.to_pos().map(|text| text + "\n"),
        Format::Sgf => Some(review.annotated(record).to_sgf()),
    }
}

/// Returns a refusal as a sentence.
fn sentence(refusal: Refusal) -> String {
    match refusal {
        // Points keep their small letters.
        Refusal::Taken(_) | Refusal::Forbidden(_) => format!("{refusal}."),
        _ => view::capital(&format!("{refusal}.")),
    }
}

/// Returns what is told about a game that was read.
pub fn notes(words: Vec<String>) -> Vec<String> {
    words.iter().map(|words| format!("Warning: {words}.")).collect()
}

/// The game that pages show, and everything around it.
pub struct Session {
    known: Vec<Known>,
    /// True if the program outlives its pages.
    stays: bool,
    settings: Settings,
    game: Game,
    /// The number of the position shown.
    id: u64,
    clock: Clock,
    running: bool,
    players: [Option<Slot>; 2],
    analyst: Option<Slot>,
    reviewer: Option<Slot>,
    analysing: bool,
    hinting: bool,
    hint: Option<Coord>,
    lines: usize,
    blocked: Vec<Coord>,
    /// The number of the last task of an engine.
    task: u64,
    /// The number of the last order to the analyst.
    order: u64,
    /// The analysis that came to its end by itself.
    finished: Option<Asked>,
    review: Scan,
    /// The time for each position while the game is looked through.
    reviewing: Option<Duration>,
    /// What is known so far of the position that is looked at.
    look: Option<Thinking>,
    thoughts: view::Thoughts,
    pages: usize,
    /// What the first page is told.
    greeting: Vec<String>,
    /// Since when there has been no page any more.
    last_page_closed: Option<Instant>,
    random: Random,
    openings: Openings,
    /// When the event came that is being handled.
    now: Instant,
    effects: Vec<Effect>,
    /// True if more than thoughts may have changed since that was asked.
    has_changed: bool,
}

impl Session {
    /// Returns a session that plays with programs of these names, at least one. It outlives its pages
    /// if it `stays`. `seed` chooses openings that an engine fails to play.
    pub fn new(
        names: Vec<String>,
        stays: bool,
        openings: Openings,
        seed: u64,
        now: Instant,
    ) -> Session {
        let size = BoardSize::new(15, 15).expect("invariant: 15 is a legal side");
        let mut settings = Settings::new(size, Rule::Freestyle);
        if names.len() > 1 {
            settings.black = Seat::Engine1;
            settings.white = Seat::Engine2;
        }
        let game = Game::new(size, Rule::Freestyle, Opening::Free);
        Session {
            // Two engines wait for a word.
            running: names.len() == 1,
            known: names.into_iter().map(|name| Known { name, can_analyse: None }).collect(),
            stays,
            review: Scan::new(game.record(), game.rule()),
            game,
            settings,
            id: 1,
            clock: Clock::new(None, Duration::ZERO),
            players: [None, None],
            analyst: None,
            reviewer: None,
            analysing: false,
            hinting: false,
            hint: None,
            lines: 3,
            blocked: Vec::new(),
            task: 0,
            order: 0,
            finished: None,
            reviewing: None,
            look: None,
            thoughts: view::Thoughts::default(),
            pages: 0,
            greeting: Vec::new(),
            last_page_closed: None,
            random: Random::new(seed),
            openings,
            now,
            effects: Vec::new(),
            has_changed: true,
        }
    }

    /// Shows this game at the beginning, and tells the first page these notes about it.
    pub fn open(&mut self, game: Game, notes: Vec<String>) {
        self.replace_game(game);
        self.greeting = notes;
    }

    /// Carries out what a page asks for, as JSON.
    pub fn command(&mut self, json: &[u8], now: Instant) -> Result<(), CommandError> {
        let command = Command::parse(json).map_err(CommandError::Malformed)?;
        self.now = now;
        let result = self.execute(command).map_err(CommandError::Refused);
        self.proceed();
        result
    }

    /// Returns the game as a file; `None` if it does not fit the format, because its colours do not
    /// take turns.
    pub fn file(&self, format: Format) -> Option<String> {
        let players = Color::ALL.map(|color| match self.seat(self.game.player(color)) {
            Some(program) => self.known[program].name.clone(),
            None => HUMAN.to_owned(),
        });
        write(&self.game.record_for_file(players), &self.review, format)
    }

    /// Notes that a page has the game as a file.
    pub fn saved(&mut self) {
        self.game.saved();
        self.has_changed = true;
    }

    /// Greets a page that begins to listen.
    pub fn page_opened(&mut self, now: Instant) {
        self.now = now;
        self.pages += 1;
        self.last_page_closed = None;
        let greeting = std::mem::take(&mut self.greeting);
        greeting.iter().for_each(|note| self.note("Board", note, false));
        self.prepare();
        self.proceed();
    }

    /// Notes that a page is gone.
    pub fn page_closed(&mut self, now: Instant) {
        self.now = now;
        self.pages -= 1;
        self.last_page_closed = (self.pages == 0).then_some(now);
        self.proceed();
    }

    /// Returns when something happens by itself.
    pub fn deadline(&self) -> Option<Instant> {
        let flag = self.flag().map(|(at, _)| at);
        let shutdown = self.last_page_closed.map(|since| since + SHUTDOWN_GRACE);
        [flag, shutdown].into_iter().flatten().min()
    }

    /// Sees whose time is over at this time.
    pub fn time_passed(&mut self, now: Instant) {
        self.now = now;
        if self.last_page_closed.is_some_and(|since| now >= since + SHUTDOWN_GRACE) {
            match (self.stays, self.game.is_unsaved()) {
                (false, false) => return self.effects.push(Effect::Exit),
                (false, true) => self.effects.push(Effect::Unsaved),
                (true, _) => {}
            }
            // Nobody watches: the game waits, and its engines need not.
            self.last_page_closed = None;
            self.running = false;
            (self.analysing, self.hinting, self.reviewing) = (false, false, None);
            self.dismiss_all();
        } else if let Some((_, player)) = self.flag().filter(|&(at, _)| now >= at) {
            self.game.time_up(self.game.color(player));
            self.moves_changed();
        }
        self.proceed();
    }

    /// Takes in what the engine of a role tells about its task of this number.
    pub fn news(&mut self, role: Role, program: usize, task: u64, news: News, now: Instant) {
        self.now = now;
        let is_thought = matches!(news, News::Thinking(_));
        self.take_news(role, program, task, news);
        if !is_thought {
            self.proceed();
        }
    }

    /// Returns true if more than thoughts may have changed since the last call.
    pub fn take_change(&mut self) -> bool {
        std::mem::take(&mut self.has_changed)
    }

    /// Returns what is to be done since the last call.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Returns when the time of the player whose clock runs is over, and who that is.
    fn flag(&self) -> Option<(Instant, usize)> {
        let (at, player) = self.clock.flag().zip(self.clock.running())?;
        let tolerance = if self.seat(player).is_some() { TOLERANCE } else { Duration::ZERO };
        Some((at + tolerance, player))
    }

    fn check_seen(&self, seen: u64) -> Result<(), String> {
        if seen == self.id { Ok(()) } else { Err("The position has changed.".into()) }
    }

    fn refuse_in_opening(&self) -> Result<(), String> {
        match self.game.swap2() {
            Some(_) => Err("Not during the opening.".into()),
            None => Ok(()),
        }
    }

    fn moves_changed(&mut self) {
        let shared = self.review.fit(self.game.record());
        if let Some(slot) = &mut self.reviewer {
            // It may be looking at a position that is there no more.
            slot.asked = slot.asked.filter(|(_, asked)| asked.is_of_first(shared));
        }
        self.position_changed();
    }

    /// Notes that another position is shown, or another player has a colour.
    fn position_changed(&mut self) {
        self.id += 1;
        self.hinting = false;
        self.hint = None;
        self.blocked.clear();
    }

    /// Returns the number of the program that plays for a player, if no person does.
    fn seat(&self, player: usize) -> Option<usize> {
        let seat = self.settings.seats()[player];
        // Where there is but one engine, it plays against itself.
        seat.engine().map(|engine| engine.min(self.known.len() - 1))
    }

    fn actor(&self) -> Option<usize> {
        let is_on = self.running && self.game.is_at_end() && self.game.end().is_none();
        is_on.then(|| self.game.to_act())
    }

    /// Returns true if the clock of the player who is to act runs: that of an engine does once it
    /// has been asked.
    fn is_timed(&self, player: usize) -> bool {
        let is_asked = |slot: &Slot| {
            slot.is_thinking && matches!(slot.asked, Some((_, Asked::Move(id))) if id == self.id)
        };
        self.seat(player).is_none() || self.players[player].as_ref().is_some_and(is_asked)
    }

    /// Returns true if a page may put a stone down: a person's move, or anybody's in a pause.
    fn may_play(&self) -> bool {
        let is_persons = || self.seat(self.game.to_act()).is_none();
        self.game.end().is_none()
            && match self.game.swap2() {
                Some(stage) => stage.is_placing() && is_persons(),
                None => !self.running || is_persons(),
            }
    }

    /// Gives every engine what there is to do now, and takes away what is not.
    fn proceed(&mut self) {
        self.has_changed = true;
        let actor = self.actor();
        self.clock.run(actor.filter(|&player| self.is_timed(player)), self.now);
        self.proceed_with_players(actor);
        self.proceed_with_analysis();
        self.proceed_with_review();
    }

    fn take_news(&mut self, role: Role, program: usize, task: u64, news: News) {
        // The engine that had the role before may still have had something to say.
        let Some(slot) = self.slot(role).filter(|slot| slot.program == program) else { return };
        let asked = slot.asked.filter(|&(number, _)| number == task).map(|(_, asked)| asked);
        match news {
            News::Name(name, can_analyse) => {
                self.known[program].name = name;
                self.known[program].can_analyse = Some(can_analyse);
            }
            News::Asked => {
                if let Some(slot) = self.slot_mut(role).as_mut().filter(|_| asked.is_some()) {
                    slot.is_thinking = true;
                }
            }
            News::Said(text) => self.note_of(program, &text, false),
            News::Fault { fault, gives_up } => {
                // A late fault of an earlier task stops no clock.
                if let (Some(slot), Some(_)) = (self.slot_mut(role), asked) {
                    slot.is_thinking = false;
                }
                let text = match gives_up {
                    true => format!("{fault}; it was tried three times"),
                    false => format!("{fault}; it will be started again"),
                };
                self.note_of(program, &text, true);
                if let (true, Some(asked)) = (gives_up, asked) {
                    self.clear_task(role);
                    self.give_up(asked);
                }
            }
            News::Thinking(thinking) => match asked {
                Some(Asked::Move(id)) => self.take_players_thought(role, id, &thinking),
                Some(asked) => self.take_thought(asked, &thinking),
                None => {}
            },
            News::Answer(answer, time) => {
                let Some(asked) = asked else { return };
                self.clear_task(role);
                match asked {
                    Asked::Move(id) if id == self.id => self.take_move(&answer, time),
                    Asked::Move(_) => {}
                    Asked::Analysis(..) => self.finish_analysis(asked, &answer),
                    Asked::Review(after) => self.finish_look(after),
                }
            }
        }
    }

    /// Goes on where an engine cannot.
    fn give_up(&mut self, asked: Asked) {
        match (asked, self.game.swap2()) {
            (Asked::Move(_), Some(stage)) => {
                self.note("Board", "The engine's part of the opening is played for it.", true);
                match stage {
                    Stage::PlaceThree => {
                        let (size, rule) = (self.game.size(), self.game.rule());
                        let points = (self.openings)(size, rule, self.random.number());
                        self.take_move(&Answer::Points(points.into()), Duration::ZERO);
                    }
                    _ => self.running = self.decide(Choice::White).is_ok(),
                }
            }
            (Asked::Move(_), None) => self.running = false,
            (Asked::Analysis(..), _) => (self.analysing, self.hinting) = (false, false),
            (Asked::Review(after), _) => {
                self.review.skip(after);
                self.reviewing = None;
            }
        }
        if matches!(asked, Asked::Move(_)) && !self.running {
            self.note("Board", "The game is paused. Continue tries again.", true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::{self, Evaluation, Finding, Value};
    use serde_json::{Value as Json, json, to_value};
    use tengen_gomoku::board::notation::parse_points;
    use tengen_gomoku::record::parse;

    /// A session, and the time that its events come at.
    struct Table {
        session: Session,
        now: Instant,
    }

    fn table(engines: usize) -> Table {
        let names = (1..=engines).map(|i| format!("engine {i}")).collect();
        let openings: Openings = |size, _, _| [0, 1, 2].map(|x| size.coord(x, 0).unwrap());
        let now = Instant::now();
        let session = Session::new(names, false, openings, 1, now);
        let mut table = Table { session, now };
        table.session.page_opened(now);
        table.session.take_effects();
        table
    }

    fn points(text: &str) -> Vec<Coord> {
        parse_points(text, BoardSize::new(15, 15).unwrap()).unwrap()
    }

    fn is_give(effect: &Effect) -> bool {
        matches!(effect, Effect::Give { .. })
    }

    impl Table {
        fn command(&mut self, command: Json) -> Result<(), String> {
            let result = self.session.command(command.to_string().as_bytes(), self.now);
            result.map_err(|error| match error {
                CommandError::Malformed(text) | CommandError::Refused(text) => text,
            })
        }

        fn state(&self) -> Json {
            to_value(self.session.state()).unwrap()
        }

        /// Begins a game in which a move has a minute; the changes are to its settings.
        fn begin(&mut self, changes: Json) {
            let mut settings = self.state()["settings"].clone();
            settings.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
            self.command(json!({ "do": "new", "settings": settings })).unwrap();
        }

        fn play(&mut self, point: &str) -> Result<(), String> {
            let (c, seen) = (points(point)[0], self.state()["id"].clone());
            self.command(json!({ "do": "play", "x": c.x(), "y": c.y(), "seen": seen }))
        }

        fn effects(&mut self) -> Vec<Effect> {
            self.session.take_effects()
        }

        /// Returns the last task that was given, which must be one for this role.
        fn task(&mut self, wanted: Role) -> (u64, Task) {
            let given = self.effects().into_iter().rfind(is_give);
            let Some(Effect::Give { role, number, task, .. }) = given else { panic!("no task") };
            assert_eq!(role, wanted);
            (number, task)
        }

        fn news(&mut self, role: Role, number: u64, news: News) {
            self.session.news(role, 0, number, news, self.now);
        }

        fn answer(&mut self, role: Role, number: u64, moves: &str) {
            let answer = Answer::Points(points(moves));
            self.news(role, number, News::Answer(answer, Duration::from_millis(5)));
        }

        fn moves(&self) -> String {
            self.session.game.record_shown().to_pos().unwrap()
        }

        fn pass_time(&mut self, milliseconds: u64) {
            self.now += Duration::from_millis(milliseconds);
            self.session.time_passed(self.now);
        }
    }

    const WHITE: Role = Role::Player(1);

    #[test]
    fn a_person_plays_against_an_engine() {
        let mut table = table(1);
        table.play("h8").unwrap();
        let (number, task) = table.task(WHITE);
        let Task::Move { position, .. } = task else { panic!("{task:?}") };
        assert_eq!((position.stones.len(), position.to_move), (1, Color::White));
        assert_eq!(table.play("a1"), Err("It is not your move.".into()));
        // The answer to another task is none.
        table.answer(WHITE, number - 1, "a1");
        assert_eq!(table.moves(), "h8");
        table.answer(WHITE, number, "i9");
        assert_eq!(
            (table.moves().as_str(), table.state()["may_play"].as_bool()),
            ("h8i9", Some(true))
        );
        assert_eq!(table.play("i9"), Err("i9 is taken.".into()));
        assert!(!table.effects().iter().any(is_give));
    }

    #[test]
    fn commands_that_are_none_or_come_late_change_nothing() {
        let mut table = table(1);
        let malformed = table.session.command(b"{}", table.now);
        assert!(matches!(malformed, Err(CommandError::Malformed(_))));
        let late = json!({ "do": "play", "x": 0, "y": 0, "seen": 0 });
        assert_eq!(table.command(late), Err("The position has changed.".into()));
        for (command, why) in
            [("undo", "There is no move to take back."), ("redo", "Nothing was taken back.")]
        {
            assert_eq!(table.command(json!({ "do": command })), Err(why.into()));
        }
        table.begin(json!({ "black": "engine1", "white": "engine1" }));
        assert_eq!(table.command(json!({ "do": "resign" })), Err("No person plays.".into()));
        assert_eq!(table.moves(), "");
    }

    #[test]
    fn a_move_is_taken_back_while_the_engine_thinks() {
        let mut table = table(1);
        table.play("h8").unwrap();
        let (number, _) = table.task(WHITE);
        table.command(json!({ "do": "undo" })).unwrap();
        assert_eq!(table.effects(), [Effect::Cancel(WHITE)]);
        table.answer(WHITE, number, "i9");
        assert_eq!(table.moves(), "");
        table.command(json!({ "do": "redo" })).unwrap();
        assert_eq!(table.task(WHITE).0, number + 1);
    }

    #[test]
    fn a_resigned_game_goes_on_from_an_earlier_position() {
        let mut table = table(1);
        table.play("h8").unwrap();
        table.command(json!({ "do": "resign" })).unwrap();
        assert_eq!(table.state()["over"]["text"], "White wins: black has resigned");
        assert!(table.session.file(Format::Sgf).unwrap().contains("RE[W+"));
        table.command(json!({ "do": "undo" })).unwrap();
        let late = Err("You can resign only after the last move.".into());
        assert_eq!(table.command(json!({ "do": "resign" })), late);
        table.play("a1").unwrap();
        assert_eq!((table.moves().as_str(), &table.state()["over"]), ("a1", &Json::Null));
    }

    #[test]
    fn an_engine_that_fails_pauses_the_game() {
        let mut table = table(1);
        table.play("h8").unwrap();
        let (number, _) = table.task(WHITE);
        let fault = |gives_up| News::Fault { fault: "ended".into(), gives_up };
        table.news(WHITE, number, fault(false));
        assert_eq!(table.state()["running"], true);
        table.news(WHITE, number, fault(true));
        assert_eq!(table.state()["running"], false);
        let notes = table.effects().into_iter().filter(|effect| matches!(effect, Effect::Note(_)));
        assert_eq!(notes.count(), 3);
        // To continue is to try again.
        let seen = table.state()["id"].clone();
        table.command(json!({ "do": "run", "on": true, "seen": seen })).unwrap();
        assert_eq!(table.task(WHITE).0, number + 1);
    }

    #[test]
    fn a_swap2_opening_is_played_by_person_and_engine() {
        let mut table = table(1);
        table.begin(json!({ "opening": "swap2" }));
        assert_eq!(table.command(json!({ "do": "undo" })), Err("Not during the opening.".into()));
        ["h8", "h9", "h10"].into_iter().for_each(|point| table.play(point).unwrap());
        let (number, task) = table.task(WHITE);
        assert!(matches!(task, Task::Swap2 { .. }));
        table.answer(WHITE, number, "a1a2");
        assert_eq!(table.state()["swap2"]["stage"], "choose_of_five");
        let seen = table.state()["id"].clone();
        table.command(json!({ "do": "choose", "choice": "white", "seen": seen })).unwrap();
        let state = table.state();
        assert_eq!((&state["swap2"], &state["to_move"]), (&Json::Null, &json!("white")));
        // The person, who began, has white now, and moves.
        assert_eq!(
            (&state["players"][1]["name"], &state["may_play"]),
            (&json!("You"), &json!(true))
        );
        assert_eq!(
            (&state["settings"]["black"], &state["settings"]["white"]),
            (&json!("engine1"), &json!("person"))
        );
        // What an engine cannot open is opened for it.
        table.begin(json!({ "opening": "swap2", "black": "engine1", "white": "person" }));
        let (number, _) = table.task(Role::Player(0));
        table.news(Role::Player(0), number, News::Fault { fault: "ended".into(), gives_up: true });
        assert_eq!(
            (table.moves().as_str(), table.state()["running"].as_bool()),
            ("a1b1c1", Some(true))
        );
    }

    #[test]
    fn clocks_run_for_whoever_is_to_move() {
        let mut table = table(1);
        table.begin(json!({ "game": 10_000 }));
        table.pass_time(3_000);
        table.play("h8").unwrap();
        let (number, _) = table.task(WHITE);
        // The engine's clock runs once it has been asked, and a fault of an earlier task is late.
        table.pass_time(5_000);
        table.news(WHITE, number, News::Asked);
        table.news(WHITE, number - 1, News::Fault { fault: "late".into(), gives_up: false });
        table.pass_time(10_500);
        let state = table.state();
        assert_eq!((&state["players"][0]["left"], &state["over"]), (&json!(7_000), &Json::Null));
        table.pass_time(500);
        assert_eq!(table.state()["over"]["text"], "Black wins on time");
        assert_eq!(table.effects().pop(), Some(Effect::Cancel(WHITE)));
    }

    #[test]
    fn the_program_ends_after_its_last_page_unless_the_game_would_be_lost() {
        let mut table = table(1);
        table.session.page_closed(table.now);
        table.pass_time(7_000);
        assert_eq!(table.effects(), []);
        table.pass_time(1_000);
        assert_eq!(table.effects(), [Effect::Exit]);
        let mut table = self::table(1);
        table.play("h8").unwrap();
        table.session.page_closed(table.now);
        table.pass_time(8_000);
        assert!(table.effects().ends_with(&[Effect::Unsaved, Effect::Dismiss(WHITE)]));
        // A game that is saved is shown as such.
        table.session.take_change();
        table.session.saved();
        assert!(table.session.take_change() && table.state()["unsaved"] == false);
        assert_eq!((table.session.deadline(), &table.state()["running"]), (None, &json!(false)));
    }

    #[test]
    fn analysis_and_hints_are_of_the_position_shown() {
        let mut table = table(1);
        table.begin(json!({ "white": "person" }));
        table.play("h8").unwrap();
        table.command(json!({ "do": "hint" })).unwrap();
        let (number, task) = table.task(Role::Analyst);
        assert!(matches!(task, Task::Analyse { lines: 1, time: Some(_), .. }));
        table.answer(Role::Analyst, number, "i9");
        assert_eq!(table.state()["hint"], json!([8, 8]));
        table.command(json!({ "do": "block", "x": 0, "y": 0 })).unwrap();
        table.command(json!({ "do": "analyse", "on": true, "lines": 4 })).unwrap();
        let (number, task) = table.task(Role::Analyst);
        let Task::Analyse { lines: 4, blocked, time: None, .. } = task else { panic!("{task:?}") };
        assert_eq!(blocked, points("a1"));
        let line = Line { moves: points("i9"), text: "31".into(), ..Line::default() };
        table.session.take_change();
        let thinking = Thinking { lines: vec![line], depth: 9, ..Thinking::default() };
        table.news(Role::Analyst, number, News::Thinking(thinking));
        let thoughts = to_value(table.session.thoughts()).unwrap();
        assert_eq!(thoughts["analysis"]["lines"][0]["moves"], json!([[8, 8]]));
        assert!(!table.session.take_change());
        // Another position is another analysis.
        table.play("j8").unwrap();
        let (next, task) = table.task(Role::Analyst);
        assert_eq!((next, task.position().stones.len()), (number + 1, 2));
        table.command(json!({ "do": "analyse", "on": false, "lines": 4 })).unwrap();
        assert_eq!(table.effects(), [Effect::Cancel(Role::Analyst)]);
    }

    #[test]
    fn a_review_marks_what_the_engine_has_proven() {
        let mut table = table(1);
        table.command(json!({ "do": "load", "text": "h8i9h10" })).unwrap();
        table.command(json!({ "do": "analyse", "on": true, "lines": 1 })).unwrap();
        table.task(Role::Analyst);
        table.command(json!({ "do": "analyse", "on": false, "lines": 1 })).unwrap();
        table.command(json!({ "do": "review", "on": true, "time": 100 })).unwrap();
        let estimate = Value::Estimate { win_rate: 0.5, score: Some(0) };
        for value in [estimate, Value::Win(5), estimate, estimate] {
            let (number, _) = table.task(Role::Reviewer);
            let line = Line { moves: points("a1"), value: Some(value), ..Line::default() };
            let thinking = Thinking { lines: vec![line], ..Thinking::default() };
            table.news(Role::Reviewer, number, News::Thinking(thinking));
            table.answer(Role::Reviewer, number, "a1");
        }
        assert_eq!(table.effects().pop(), Some(Effect::Dismiss(Role::Reviewer)));
        let review = to_value(table.session.review()).unwrap();
        assert_eq!((&review["running"], &review["done"]), (&json!(false), &json!(4)));
        let marks = [0, 1, 2, 3].map(|after| review["positions"][after]["mistake"].clone());
        assert_eq!(marks, [Json::Null, json!("blunder"), json!("blunder"), Json::Null]);
        let position = &review["positions"][2];
        assert_eq!(position["proof"], "black wins in 3 moves");
        assert_eq!(position["verdict"], "a blunder that misses a forced win");
        assert_eq!(review["positions"][1]["verdict"], "a blunder that allows a forced win");
        let text = table.session.file(Format::Sgf).unwrap();
        assert!(
            text.contains("misses a forced win") && text.contains("1 forced win missed"),
            "{text}"
        );
    }

    #[test]
    fn a_review_of_an_engine_without_values_ends() {
        let mut table = table(1);
        table.command(json!({ "do": "load", "text": "h8i9h10j8k8" })).unwrap();
        table.command(json!({ "do": "review", "on": true, "time": 100 })).unwrap();
        for _ in 0..3 {
            let (number, _) = table.task(Role::Reviewer);
            table.answer(Role::Reviewer, number, "a1");
        }
        assert!(!table.effects().iter().any(is_give));
        assert_eq!(to_value(table.session.review()).unwrap()["running"], false);
    }

    fn record(text: &str) -> Record {
        let entries = parse(text, BoardSize::new(15, 15).unwrap());
        entries.into_iter().next().unwrap().record.unwrap()
    }

    /// Returns the review of a game in which black wins these shares.
    fn reviewed(record: &Record, rates: &[f64]) -> Scan {
        let mut review = Scan::new(record, Rule::Freestyle);
        for (after, &black) in rates.iter().enumerate() {
            let win_rate =
                if record.after(after).to_move() == Color::Black { black } else { 1.0 - black };
            let value = Value::Estimate { win_rate, score: None };
            let best =
                review::Line { moves: vec![Coord::new(0, 0), Coord::new(1, 0)], value, depth: 3 };
            let evaluation = Evaluation { best, others: Vec::new(), others_lose: false };
            review.add(after, Finding::Evaluated(evaluation));
        }
        review
    }

    #[test]
    fn notes_do_not_change_the_game() {
        let mut game = record("h8i9h10j11");
        game.players = [r"a;[]\".into(), "(b)".into()];
        let review = reviewed(&game, &[0.5, 0.28, 0.35, 0.9, 0.1]);
        let text = write(&game, &review, Format::Sgf).unwrap();
        let again = record(&text);
        assert_eq!(again.to_pos(), game.to_pos());
        assert_eq!(again.players, game.players);
        assert_eq!(text.matches("BM[1]").count(), 1, "{text}");
        let better = ";B[aa]C[Tengen: better: a1 is best for black, win rate 50 %.]\n;W[ba])";
        assert!(text.contains(better), "{text}");
        let words = "Tengen: a mistake; a1 was best. Win rate of black: 50 % before, 28 % after.";
        assert!(text.contains(words), "{text}");
    }

    #[test]
    fn a_game_without_review_is_plain() {
        let mut game = record("h8i9h10");
        game.rule = Some(Rule::Freestyle);
        let text = write(&game, &reviewed(&game, &[]), Format::Sgf).unwrap();
        assert_eq!(text.split_whitespace().collect::<String>(), game.to_sgf().replace('\n', ""));
        assert_eq!(write(&game, &reviewed(&game, &[]), Format::Text).unwrap(), "h8i9h10\n");
        assert!(write(&game, &reviewed(&game, &[]), Format::Psq).unwrap().starts_with("Piskvorky"));
    }

    #[test]
    fn games_out_of_turn_have_no_psq() {
        let game = record("(;GM[4]SZ[15]AB[aa][bb]PL[W])");
        let write = |format| write(&game, &reviewed(&game, &[]), format);
        assert_eq!((write(Format::Psq), write(Format::Text)), (None, None));
        assert!(write(Format::Sgf).unwrap().contains("AB[aa][bb]"));
    }
}
