//! The session of a page: its commands and the replies of its engines in, the lines for them and
//! what is shown out. Moments are counted from the load of the page.

use std::collections::HashMap;
use std::mem::take;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use tengen::opening::swap2::stones;
use tengen_gomocup::manager::{Fault, shortened};
use tengen_gomocup::{Command, Info, Reply, manager};
use tengen_gomoku::record::Format;
use tengen_gomoku::types::{BoardSize, Coord, Random, Rows, Rule};
use tengen_session::clock::Moment;
use tengen_session::session::{
    Effect, EngineEvent, EngineResources, Gatherer, Kept, Message, Order, Role, Session,
    THINKING_GAP, TRIES, Task, TaskKind,
};

/// What the script of the page has to say.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    // The page is loaded. `can_stop` is true if a worker hears of a stop while it searches.
    Open { kept: Option<Json>, seed: u64, can_stop: bool },
    Command(Json),
    // A reply of an engine to the task of this number.
    Reply { role: Role, number: u64, line: String },
    // The worker of an engine failed at the task of this number.
    Fault { role: Role, number: u64, text: String },
    // A deadline is over.
    Time,
}

/// What the script is to do and to show.
#[derive(Default, Serialize)]
pub struct Answer {
    orders: Vec<Instruction>,
    notes: Vec<Json>,
    refusal: Option<Message>,
    state: Option<Json>,
    review: Option<Json>,
    thoughts: Json,
    /// What the browser is to keep.
    kept: Option<Kept>,
    /// When to ask again, in milliseconds.
    deadline: Option<u128>,
}

impl Answer {
    pub fn refusal(why: String) -> Answer {
        Answer { refusal: Some(why.into()), ..Answer::default() }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Instruction {
    // Give an engine these lines, once it has done what it is asked already.
    Ask { role: Role, number: u64, lines: Vec<String> },
    // End the search for the task of this number.
    Stop { role: Role, number: u64 },
    End { role: Role },
}

/// An engine as far as the page knows it.
#[derive(Default)]
struct Engine {
    /// Of its last task.
    number: u64,
    work: Option<Work>,
    /// How often its worker failed at the last task.
    faults: usize,
    /// The game that it has begun.
    game: Option<(BoardSize, Rule, EngineResources)>,
}

struct Work {
    task: Task,
    asked: Moment,
    gatherer: Gatherer,
    told: Moment,
    /// True if the move is wanted at once, from a worker that hears no stop.
    is_hurried: bool,
}

fn name() -> String {
    format!("Tengen {}", env!("CARGO_PKG_VERSION"))
}

/// A session and its engines.
pub struct Page {
    session: Session,
    engines: HashMap<Role, Engine>,
    /// What the browser keeps.
    kept: Option<Kept>,
    can_stop: bool,
}

impl Default for Page {
    fn default() -> Page {
        Page::open(None, 0, Moment::ZERO)
    }
}

impl Page {
    /// Returns a page that goes on with what was kept.
    fn open(kept: Option<&Json>, seed: u64, now: Moment) -> Page {
        let programs = vec![(String::new(), name())];
        let mut random = Random::new(seed);
        let openings = Box::new(move |size, rule| stones(size, rule, random.number()));
        let mut session = Session::new(programs, Rows::Bottom, true, openings, now);
        // What another version kept may be none.
        if let Some(kept) = kept.and_then(|kept| Kept::deserialize(kept).ok()) {
            session.restore(&kept, now);
        }
        session.page_opened(now);
        Page { session, engines: HashMap::new(), kept: None, can_stop: false }
    }

    /// Takes a request in and returns what follows from it.
    pub fn take(&mut self, request: &Request, now: Moment) -> Answer {
        let mut answer = Answer::default();
        match request {
            Request::Open { kept, seed, can_stop } => {
                *self = Page::open(kept.as_ref(), *seed, now);
                self.can_stop = *can_stop;
            }
            Request::Command(command) => {
                answer.refusal = self.session.command(command.to_string().as_bytes(), now).err();
            }
            Request::Reply { role, number, line } => {
                self.take_reply(*role, *number, line, now);
                self.answer_if_hurried(*role, &mut answer, now);
            }
            Request::Fault { role, number, text } => {
                self.take_fault(*role, *number, text, &mut answer, now);
            }
            Request::Time => self.session.time_passed(now),
        }
        self.follow(&mut answer, now);
        answer
    }

    /// Returns a file of the game, and why there is none.
    pub fn file(&mut self, name: &str) -> Result<Vec<u8>, String> {
        let format = Format::of_name(Path::new(name)).ok_or("There is no such file.")?;
        match name.starts_with("game.") {
            true => self.session.save(format),
            false => self.session.file(format),
        }
    }

    fn follow(&mut self, answer: &mut Answer, now: Moment) {
        while !self.session.effects.is_empty() {
            for effect in take(&mut self.session.effects) {
                self.carry_out(effect, answer, now);
            }
        }
        if take(&mut self.session.has_changed) {
            answer.state = Some(self.session.state());
            answer.review = Some(self.session.review());
            let kept = Some(self.session.kept(now));
            if kept != self.kept {
                self.kept.clone_from(&kept);
                answer.kept = kept;
            }
        }
        answer.thoughts = serde_json::to_value(&self.session.thoughts).unwrap_or_default();
        answer.deadline = self.session.deadline().map(|at| at.saturating_sub(now).as_millis());
    }

    fn carry_out(&mut self, effect: Effect, answer: &mut Answer, now: Moment) {
        match effect {
            Effect::Start(role, _) => drop(self.engines.insert(role, Engine::default())),
            Effect::Tell(role, order) => {
                let Some(engine) = self.engines.get_mut(&role) else { return };
                let number = engine.number;
                if let (Order::MoveNow, false, Some(work)) =
                    (&order, self.can_stop, &mut engine.work)
                {
                    work.is_hurried = true;
                    return self.answer_if_hurried(role, answer, now);
                }
                match engine.work {
                    Some(_) if self.can_stop => {
                        answer.orders.push(Instruction::Stop { role, number });
                    }
                    Some(_) => _ = engine.end(role, answer),
                    None => {}
                }
                match order {
                    Order::Do(number, task) => {
                        engine.faults = 0;
                        self.ask(role, number, task, answer, now);
                    }
                    Order::Cancel => engine.work = None,
                    Order::MoveNow => {}
                }
            }
            Effect::Dismiss(role) => {
                self.engines.remove(&role);
                answer.orders.push(Instruction::End { role });
            }
            Effect::Note(note) => answer.notes.extend(serde_json::to_value(&note)),
            // A page outlives nothing.
            Effect::Engines(_) | Effect::Exit => {}
        }
    }

    fn ask(&mut self, role: Role, number: u64, task: Task, answer: &mut Answer, now: Moment) {
        let Some(engine) = self.engines.get_mut(&role) else { return };
        let lines = engine.begin(number, task, now);
        answer.orders.push(Instruction::Ask { role, number, lines });
        self.session.engine_event(role, number, EngineEvent::Name(name(), true), now);
        self.session.engine_event(role, number, EngineEvent::Asked, now);
    }

    fn take_reply(&mut self, role: Role, number: u64, line: &str, now: Moment) {
        let Some(engine) = self.engines.get_mut(&role).filter(|engine| engine.number == number)
        else {
            return;
        };
        let Some(work) = &mut engine.work else { return };
        let reply = Reply::parse(line);
        let is_thought = work.gatherer.take(&reply);
        let thinking = || EngineEvent::Thinking(work.gatherer.thinking.clone());
        let size = work.task.position.size;
        let points: Option<Vec<Coord>> = match &reply {
            Reply::Points(points) => points.iter().map(|point| point.on(size)).collect(),
            Reply::Swap => Some(Vec::new()),
            _ => None,
        };
        let event = match (points, reply) {
            (Some(points), _) => {
                let (thinking, time) = (thinking(), now.saturating_sub(work.asked));
                engine.work = None;
                self.session.engine_event(role, number, thinking, now);
                EngineEvent::Answer(points, time)
            }
            (None, _) if is_thought && now < work.told + THINKING_GAP => return,
            (None, _) if is_thought => {
                work.told = now;
                thinking()
            }
            (None, Reply::Message(text) | Reply::Error(text) | Reply::Unknown(text)) => {
                EngineEvent::Said(text)
            }
            (None, _) => return,
        };
        self.session.engine_event(role, number, event, now);
    }

    /// Ends a hurried engine and plays the best move that it has told: its first one, if it has told
    /// none yet. A choice in an opening is waited for.
    fn answer_if_hurried(&mut self, role: Role, answer: &mut Answer, now: Moment) {
        let Some(engine) = self.engines.get_mut(&role) else { return };
        let is_due = |work: &&Work| work.is_hurried && matches!(work.task.kind, TaskKind::Move(..));
        let Some(work) = engine.work.as_ref().filter(is_due) else { return };
        let Some(best) = work.gatherer.thinking.lines.first() else { return };
        let event = EngineEvent::Answer(vec![best.moves[0]], now.saturating_sub(work.asked));
        let number = engine.end(role, answer);
        self.session.engine_event(role, number, event, now);
    }

    /// Ends a worker that failed, and gives its task to another one, unless that was the last try.
    fn take_fault(
        &mut self,
        role: Role,
        number: u64,
        text: &str,
        answer: &mut Answer,
        now: Moment,
    ) {
        let engine = self.engines.get_mut(&role).filter(|engine| engine.number == number);
        let Some(engine) = engine else { return };
        let work = engine.work.take();
        engine.end(role, answer);
        engine.faults += 1;
        let (fault, gives_up) = (Fault::Died(shortened(text)), engine.faults == TRIES);
        self.session.engine_event(role, number, EngineEvent::Fault { fault, gives_up }, now);
        if let (Some(work), false) = (work, gives_up) {
            self.ask(role, number, work.task, answer, now);
        }
    }
}

impl Engine {
    /// Ends its worker; the next one knows nothing of the game. Returns the number of its last task.
    fn end(&mut self, role: Role, answer: &mut Answer) -> u64 {
        answer.orders.push(Instruction::End { role });
        (self.work, self.game) = (None, None);
        self.number
    }

    fn begin(&mut self, number: u64, task: Task, now: Moment) -> Vec<String> {
        let position = &task.position;
        let game = (position.size, position.rule, task.resources);
        let mut infos = Vec::new();
        let mut lines = Vec::new();
        if self.game.replace(game) != Some(game) {
            lines.push(Command::start(position.size).to_string());
            infos.extend(manager::game(position.rule, task.resources.memory << 20));
            infos.push(Info::ShowDetail(3));
        }
        let (rule, stones, to_move) = (position.rule, &position.stones, position.to_move);
        if let TaskKind::Move(time, manner) | TaskKind::Swap2(time, manner) = &task.kind {
            // An analysis before may have excluded moves.
            lines.push(Command::ExcludeReset.to_string());
            infos.extend(time.infos());
            infos.push(Info::Strength(manner.level.into()));
            infos.push(Info::Style(manner.style.into()));
        }
        let request = match &task.kind {
            TaskKind::Prepare => Vec::new(),
            TaskKind::Move(..) => manager::move_request(rule, stones, to_move, false),
            TaskKind::Swap2(..) => manager::swap2(stones),
            TaskKind::Analyse { lines, excluded, time } => {
                infos.extend(manager::analysis_times(*time));
                manager::analysis(rule, stones, to_move, *lines, excluded)
            }
        };
        if matches!(task.kind, TaskKind::Move(..)) && stones.is_empty() {
            // BEGIN wants an empty board.
            lines.insert(0, Command::start(position.size).to_string());
        }
        lines.extend(manager::settings(infos));
        lines.extend(request);
        let gatherer = Gatherer::new(position.size);
        self.number = number;
        let is_asked = task.kind != TaskKind::Prepare;
        let (asked, told) = (now, Moment::ZERO);
        self.work = is_asked.then_some(Work { task, asked, gatherer, told, is_hurried: false });
        lines
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use serde_json::json;
    use tengen::protocol::{Host, InlineEngine};
    use tengen::search::Limits;
    use tengen::search::control::Control;

    #[derive(Default)]
    struct Lines(Vec<String>);

    impl Host for Lines {
        fn begin(&mut self, _: &Arc<Control>) {}

        fn reply(&mut self, reply: &Reply) {
            self.0.push(reply.to_string());
        }
    }

    /// A page with its workers, in one thread.
    struct Browser {
        page: Page,
        workers: HashMap<Role, InlineEngine>,
        state: Json,
        kept: Option<Kept>,
        now: Moment,
    }

    impl Browser {
        fn open(kept: Option<Kept>) -> Browser {
            let (page, workers) = (Page::default(), HashMap::new());
            let mut browser =
                Browser { page, workers, state: Json::Null, kept: None, now: Moment::ZERO };
            let kept = kept.map(|kept| json!(kept));
            browser.ask(&Request::Open { kept, seed: 1, can_stop: true });
            browser
        }

        /// Carries a request out, and all that follows from it but stops, which come too late here.
        fn ask(&mut self, request: &Request) -> Option<Message> {
            self.now += Duration::from_millis(100);
            let answer = self.page.take(request, self.now);
            self.state = answer.state.unwrap_or(self.state.take());
            self.kept = answer.kept.or(self.kept.take());
            for order in answer.orders {
                match order {
                    Instruction::Ask { role, number, lines } => {
                        let bounds = Limits { nodes: 500, ..Limits::default() };
                        let worker =
                            self.workers.entry(role).or_insert_with(|| InlineEngine::new(bounds));
                        let mut replies = Lines::default();
                        for line in lines {
                            assert!(worker.execute(&line, &mut replies), "{line}");
                        }
                        for line in replies.0 {
                            self.ask(&Request::Reply { role, number, line });
                        }
                    }
                    Instruction::Stop { .. } => {}
                    Instruction::End { role } => _ = self.workers.remove(&role),
                }
            }
            answer.refusal
        }

        fn command(&mut self, command: Json) -> Option<Message> {
            self.ask(&Request::Command(command))
        }

        fn play(&mut self, x: u8, y: u8) -> Option<Message> {
            let seen = self.state["id"].clone();
            self.command(json!({ "do": "play", "x": x, "y": y, "seen": seen }))
        }

        fn moves(&self) -> Vec<&str> {
            let moves = self.state["moves"].as_array().unwrap();
            moves.iter().map(|mv| mv["at"].as_str().unwrap()).collect()
        }
    }

    #[test]
    fn an_engine_answers_moves_and_the_browser_keeps_the_game() {
        let mut browser = Browser::open(None);
        assert_eq!(browser.play(7, 6), None);
        assert_eq!((browser.moves().len(), browser.moves()[0]), (2, "h7"));
        assert!(json!(browser.play(7, 6)).to_string().contains("h7"), "a refusal says why");
        let (before, kept) = (browser.moves().join(" "), browser.kept.take());
        let browser = Browser::open(kept);
        assert_eq!(browser.moves().join(" "), before);
        assert_eq!(browser.state["running"], false, "it goes on when it is told to");
        let mut page = Page::default();
        let kept = Some(json!({ "other": 1 }));
        let answer = page.take(&Request::Open { kept, seed: 1, can_stop: true }, Moment::ZERO);
        assert_eq!(answer.state.unwrap()["moves"], json!([]));
    }

    #[test]
    fn analyses_reviews_and_files_are_those_of_the_session() {
        let mut browser = Browser::open(None);
        browser.play(7, 7);
        browser.command(json!({ "do": "analyse", "on": true, "lines": 3 }));
        let thoughts = serde_json::to_value(&browser.page.session.thoughts).unwrap();
        assert_eq!(thoughts["analysis"]["lines"].as_array().unwrap().len(), 3, "{thoughts}");
        browser.command(json!({ "do": "analyse", "on": false, "lines": 3 }));
        browser.command(json!({ "do": "review", "on": true, "time": 100 }));
        let review = browser.page.session.review();
        assert_eq!(review["done"], review["total"], "{review}");
        let sgf = browser.page.file("game.sgf").unwrap();
        assert!(sgf.starts_with(b"(;FF[4]GM[4]"));
        assert!(browser.page.file("game.exe").is_err());
    }

    #[test]
    fn an_engine_that_hears_no_stop_is_ended_and_its_next_task_is_whole() {
        let mut page = Page::default();
        let now = Duration::from_secs(1);
        let command = |page: &mut Page, command: Json| {
            let answer = page.take(&Request::Command(command), now);
            assert_eq!(answer.refusal, None);
            answer
        };
        let play = |page: &Page, x: u8| {
            let seen = page.session.state()["id"].clone();
            json!({ "do": "play", "x": x, "y": 7, "seen": seen })
        };
        let moves = |page: &Page| page.session.state()["moves"].as_array().unwrap().len();
        let first = play(&page, 7);
        command(&mut page, first);
        // A move taken back while the engine thinks leaves it nothing to answer.
        let answer = command(&mut page, json!({ "do": "undo" }));
        assert!(matches!(answer.orders[..], [Instruction::End { role: Role::Player(1) }]));
        let second = play(&page, 8);
        let answer = command(&mut page, second);
        let [Instruction::Ask { lines, .. }] = &answer.orders[..] else { panic!("it is asked") };
        assert_eq!((lines[0].as_str(), moves(&page)), ("START 15", 1));
        // It has told no move yet.
        let answer = command(&mut page, json!({ "do": "move_now" }));
        assert!(answer.orders.is_empty());
        let reply = |page: &Page, line: &str| {
            let (role, line) = (Role::Player(1), line.to_owned());
            Request::Reply { role, number: page.engines[&role].number, line }
        };
        let thought = reply(&page, "MESSAGE depth 4-6 ev 50 n 2K n/ms 9 tm 3 pv h8 i9");
        let answer = page.take(&thought, now);
        assert!(matches!(answer.orders[..], [Instruction::End { role: Role::Player(1) }]));
        assert_eq!(moves(&page), 2);
    }

    #[test]
    fn the_choice_in_an_opening_is_waited_for() {
        let mut page = Page::default();
        let now = Duration::from_secs(1);
        let mut settings = page.session.state()["settings"].clone();
        for (key, value) in [("black", "engine1"), ("white", "person"), ("opening", "swap2")] {
            settings[key] = json!(value);
        }
        let new = Request::Command(json!({ "do": "new", "settings": settings }));
        let answer = page.take(&new, now);
        assert!(answer.refusal.is_none() && !answer.orders.is_empty());
        let answer = page.take(&Request::Command(json!({ "do": "move_now" })), now);
        assert!(answer.orders.is_empty() && page.session.state()["moves"] == json!([]));
    }

    #[test]
    fn a_task_whose_worker_fails_is_given_to_another_three_times_in_all() {
        let mut page = Page::default();
        let now = Duration::from_secs(1);
        let seen = page.session.state()["id"].clone();
        let play = json!({ "do": "play", "x": 7, "y": 7, "seen": seen });
        page.take(&Request::Command(play), now);
        let role = Role::Player(1);
        let number = page.engines[&role].number;
        let fault = || Request::Fault { role, number, text: "unreachable".to_owned() };
        for _ in 1..TRIES {
            let answer = page.take(&fault(), now);
            let [Instruction::End { .. }, Instruction::Ask { lines, .. }] = &answer.orders[..]
            else {
                panic!("another worker is asked")
            };
            assert!(lines[0] == "START 15" && answer.notes.len() == 1);
        }
        let answer = page.take(&fault(), now);
        assert!(matches!(answer.orders[..], [Instruction::End { .. }]));
        assert_eq!(page.session.state()["running"], false);
    }
}
