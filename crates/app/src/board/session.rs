//! The one game that all pages show: takes their commands and the engines' news, one at a time, and
//! tells what came of it.
//!
//! Invariant: after each event [`Session::proceed`] gives every engine the task that the game needs and
//! cancels those no longer needed, so that no event has to think of the others.

mod commands;
mod players;
mod show;
mod slots;
mod study;

use std::time::{Duration, Instant};

use crate::play::clock::Clock;
use tengen::closed_output::note;
use tengen::opening::swap2::stones;
use tengen::opening::swap2_procedure::{Choice, Procedure, Stage};
use tengen::record::HUMAN;
use tengen::types::{BoardSize, Color, Coord, Random, Rule};
use tokio::sync::mpsc::{Receiver, UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::command::{Command, Seat, Settings};
use super::engine::{Answer, News, Program, Report, Thinking};
use super::export::{Format, write};
use super::feeds::Feeds;
use super::game::{Game, Over};
use super::review::Review;
use super::view;
use slots::{Asked, Sender, Slot};

/// How long the program waits for a page to come back, such as one that is loaded anew.
const LONELY: Duration = Duration::from_secs(8);
/// How much longer than its clock says an engine may take, as tournaments allow.
const TOLERANCE: Duration = Duration::from_secs(1);

/// What comes from the server.
pub enum Request {
    /// A page asks for something, and hears why it was refused.
    Command(Command, oneshot::Sender<Result<(), String>>),
    /// A page takes the game away, and saves it if that is true.
    File(Format, bool, oneshot::Sender<Option<String>>),
    Opened,
    Closed,
}

/// What is known of a program.
struct Known {
    name: String,
    can_analyse: Option<bool>,
}

pub struct Session {
    programs: Vec<Program>,
    known: Vec<Known>,
    /// True if the program outlives its pages.
    stays: bool,
    settings: Settings,
    game: Game,
    id: u64,
    clock: Clock,
    /// The player who has black: 0, the first one, or 1.
    black: usize,
    swap2: Option<Procedure>,
    running: bool,
    players: [Option<Slot>; 2],
    analyst: Option<Slot>,
    /// Engines that were told to leave.
    leaving: Vec<JoinHandle<()>>,
    /// True if the analyst has no database, because the reviewer had it open.
    is_analyst_without_database: bool,
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
    review: Review,
    /// The time for each position while the game is looked through.
    reviewing: Option<Duration>,
    /// What is known so far of the position that is looked at.
    look: Option<Thinking>,
    thoughts: view::Thoughts,
    pages: usize,
    /// What the first page is told.
    greeting: Vec<String>,
    /// Since when there has been no page any more.
    lonely: Option<Instant>,
    random: Random,
    feeds: Feeds,
    reports: UnboundedSender<Report<Sender>>,
    inbox: Option<UnboundedReceiver<Report<Sender>>>,
}

impl Session {
    /// Returns a session that plays with these programs, at least one. `seed` chooses openings.
    pub fn new(programs: Vec<Program>, stays: bool, feeds: Feeds, seed: u64) -> Session {
        let size = BoardSize::new(15, 15).expect("invariant: 15 is a legal side");
        let mut settings = Settings::new(size, Rule::Freestyle);
        if programs.len() > 1 {
            settings.black = Seat::Engine1;
            settings.white = Seat::Engine2;
        }
        let know = |program: &Program| Known { name: program.name.clone(), can_analyse: None };
        let (reports, inbox) = unbounded_channel();
        Session {
            known: programs.iter().map(know).collect(),
            // Two engines wait for a word.
            running: programs.len() == 1,
            programs,
            stays,
            game: Game::new(size, Rule::Freestyle),
            settings,
            id: 1,
            clock: Clock::new(None, Duration::ZERO),
            black: 0,
            swap2: None,
            players: [None, None],
            analyst: None,
            leaving: Vec::new(),
            is_analyst_without_database: false,
            reviewer: None,
            analysing: false,
            hinting: false,
            hint: None,
            lines: 3,
            blocked: Vec::new(),
            task: 0,
            order: 0,
            finished: None,
            review: Review::default(),
            reviewing: None,
            look: None,
            thoughts: view::Thoughts::default(),
            pages: 0,
            greeting: Vec::new(),
            lonely: None,
            random: Random::new(seed),
            feeds,
            reports,
            inbox: Some(inbox),
        }
    }

    /// Shows this game at the beginning, and tells the first page these notes about it.
    pub fn open(&mut self, game: Game, notes: Vec<String>) {
        self.replace_game(game);
        self.greeting = notes;
    }

    /// Serves until the last page is gone, unless the program outlives its pages or the game is not
    /// saved, or nobody can ask any more.
    pub async fn run(&mut self, requests: &mut Receiver<Request>) {
        let mut reports = self.inbox.take().expect("invariant: a session runs once");
        self.show();
        loop {
            let deadline = self.deadline();
            let timer = async {
                match deadline {
                    Some(at) => tokio::time::sleep_until(at.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                request = requests.recv() => match request {
                    Some(request) => self.serve(request),
                    None => break,
                },
                Some(report) = reports.recv() => {
                    let is_thought = matches!(report.news, News::Thinking(_));
                    self.hear(report);
                    if is_thought {
                        self.show_thoughts();
                        continue;
                    }
                }
                () = timer => if !self.look_at_time() { break },
            }
            self.proceed();
            self.show();
        }
    }

    /// Ends all engines, which are gone after this.
    pub async fn end(&mut self) {
        self.dismiss_all();
        for end in self.leaving.drain(..) {
            let _ = end.await;
        }
    }

    fn serve(&mut self, request: Request) {
        match request {
            Request::Command(command, reply) => {
                // A page that has gone needs no answer.
                let _ = reply.send(self.obey(command));
            }
            Request::File(format, saves, reply) => {
                let players = Color::ALL.map(|color| {
                    let seat = self.seat(self.player(color));
                    seat.map_or_else(
                        || HUMAN.to_owned(),
                        |program| self.known[program].name.clone(),
                    )
                });
                let record = self.game.record_for_file(players);
                let text = write(&record, &self.review, format);
                let is_written = text.is_some();
                if reply.send(text).is_ok() && is_written && saves {
                    self.game.saved();
                }
            }
            Request::Opened => {
                self.pages += 1;
                self.lonely = None;
                let greeting = std::mem::take(&mut self.greeting);
                greeting.iter().for_each(|note| self.note("Board", note, false));
                self.prepare();
            }
            Request::Closed => {
                self.pages -= 1;
                self.lonely = (self.pages == 0).then(Instant::now);
            }
        }
    }

    /// Returns when something happens by itself.
    fn deadline(&self) -> Option<Instant> {
        let flag = self.flag().map(|(at, _)| at);
        let lonely = self.lonely.map(|since| since + LONELY);
        [flag, lonely].into_iter().flatten().min()
    }

    /// Sees whose time is over; false if the program's is.
    fn look_at_time(&mut self) -> bool {
        let now = Instant::now();
        if self.lonely.is_some_and(|since| now >= since + LONELY) {
            match (self.stays, self.game.is_unsaved()) {
                (false, false) => return false,
                (false, true) => note(format_args!(
                    "tengen: the game is not saved, so the program goes on; Ctrl-C ends it"
                )),
                (true, _) => {}
            }
            // Nobody watches: the game waits, and its engines need not.
            self.lonely = None;
            self.running = false;
            (self.analysing, self.hinting, self.reviewing) = (false, false, None);
            self.dismiss_all();
            return true;
        }
        if let Some((_, player)) = self.flag().filter(|&(at, _)| now >= at) {
            self.swap2 = None;
            self.game.give_up(Over::Time(self.color(player)));
            self.moves_changed();
        }
        true
    }

    /// Returns when the time of the player whose clock runs is over, and who that is.
    fn flag(&self) -> Option<(Instant, usize)> {
        let (at, player) = self.clock.flag().zip(self.clock.running())?;
        let tolerance = if self.seat(player).is_some() { TOLERANCE } else { Duration::ZERO };
        Some((at + tolerance, player))
    }

    fn count_stones(&mut self) {
        let stones = self.game.moves().len();
        if let Some(swap2) = &mut self.swap2 {
            swap2.count_stones(stones);
        }
    }

    fn check_seen(&self, seen: u64) -> Result<(), String> {
        if seen == self.id { Ok(()) } else { Err("The position has changed.".into()) }
    }

    fn refuse_in_opening(&self) -> Result<(), String> {
        match self.swap2 {
            Some(_) => Err("Not during the opening.".into()),
            None => Ok(()),
        }
    }

    /// Notes that other moves are there.
    fn moves_changed(&mut self) {
        let shared = self.review.fit(&self.moves());
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

    fn moves(&self) -> Vec<(Coord, Color)> {
        self.game.moves().iter().map(|stone| (stone.c, stone.color)).collect()
    }

    /// Returns the player who has a colour.
    fn player(&self, color: Color) -> usize {
        match color {
            Color::Black => self.black,
            Color::White => 1 - self.black,
        }
    }

    fn color(&self, player: usize) -> Color {
        if player == self.black { Color::Black } else { Color::White }
    }

    /// Returns the number of the program that plays for a player, if no person does.
    fn seat(&self, player: usize) -> Option<usize> {
        let seat = [self.settings.black, self.settings.white][player];
        // Where there is but one engine, it plays against itself.
        seat.engine().map(|engine| engine.min(self.programs.len() - 1))
    }

    fn has_person(&self) -> bool {
        (0..2).any(|player| self.seat(player).is_none())
    }

    /// Returns the player who is to act.
    fn actor(&self) -> Option<usize> {
        if !self.running || !self.game.is_at_end() || self.game.over().is_some() {
            return None;
        }
        Some(self.swap2.map_or_else(|| self.player(self.game.to_move()), Procedure::player))
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
        if self.game.over().is_some() {
            return false;
        }
        match self.swap2 {
            Some(swap2) => swap2.is_placing() && self.seat(swap2.player()).is_none(),
            None if self.running => self.seat(self.player(self.game.to_move())).is_none(),
            None => true,
        }
    }

    /// Gives every engine what there is to do now, and takes away what is not.
    fn proceed(&mut self) {
        let actor = self.actor();
        self.clock.run(actor.filter(|&player| self.is_timed(player)), Instant::now());
        self.proceed_with_players(actor);
        self.proceed_with_analysis();
        self.proceed_with_review();
    }

    fn hear(&mut self, report: Report<Sender>) {
        let Report { sender: Sender { role, program }, task, news } = report;
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
                self.slot_mut(role).iter_mut().for_each(|slot| slot.is_thinking = false);
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
        match (asked, self.swap2) {
            (Asked::Move(_), Some(swap2)) => {
                self.note("Board", "The engine's part of the opening is played for it.", true);
                match swap2.stage() {
                    Stage::PlaceThree => {
                        let (size, rule) = (self.game.size(), self.game.rule());
                        let points = stones(size, rule, self.random.number());
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
